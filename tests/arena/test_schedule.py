"""Who meets whom.

1 Every schedule seats everybody fairly in two to six seats, and knows what it cannot do. 2 A gauntlet is the first
against the others. 3 A ladder puts agents in order. 4 In a Swiss match nobody meets another twice while there is
somebody new, like meets like, and nobody rests twice before all did. 5 A match with rounds goes on where it stopped,
whatever the number of processes. 6 Ratings find the strong, pairs are told apart where they differ, and seats are seen.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.errors import UsageError
from orion_ai.arena.comparisons import compare_all, rate, seat_effects
from orion_ai.arena.entrants import resolve
from orion_ai.arena.match import Block, GameRecord, seatings
from orion_ai.arena.result import summarize
from orion_ai.arena.runner import Match, run_match
from orion_ai.arena.schedule import Schedule, ahead


def play_round(schedule: Schedule, number: int, played: list[Block], strength: list[float]) -> list[Block]:
    """Blocks of a round in which the stronger seat always comes out ahead."""
    blocks = []
    for block in range(number * schedule.blocks, (number + 1) * schedule.blocks):
        games = []
        for seats in schedule.places(block, played):
            order = sorted(range(len(seats)), key=lambda p: strength[seats[p]])
            returns = [2 * order.index(p) / (len(seats) - 1) - 1 for p in range(len(seats))]
            games.append(GameRecord(seats, returns, [0] * len(seats), [1] * len(strength), [0.1] * len(strength)))
        blocks.append(Block(block, games))
    return blocks


def play_all(schedule: Schedule, strength: list[float]) -> list[Block]:
    played: list[Block] = []
    for number in range(schedule.rounds):
        played += play_round(schedule, number, played, strength)
    return played


@pytest.mark.parametrize("kind", ["round_robin", "gauntlet", "ladder", "swiss"])
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("agents", [2, 3, 5, 7])
def test_everybody_plays_and_sits_everywhere_equally_often(kind: str, players: int, agents: int) -> None:
    schedule = Schedule(kind, agents, players, 1)
    blocks = play_all(schedule, [float(a) for a in range(agents)])
    assert len(blocks) == schedule.total
    sat = Counter((a, seat) for b in blocks for g in b.games for seat, a in enumerate(g.seats))
    assert {a for a, _ in sat} == set(range(agents))
    for agent in range(agents):
        assert len({sat[agent, seat] for seat in range(players)}) == 1
    assert all(len(set(g.seats)) > 1 for b in blocks for g in b.games)


def test_a_round_robin_is_what_it_always_was() -> None:
    assert Schedule("round_robin", 4, 3, 5).places(3, []) == seatings(4, 3)


def test_a_gauntlet_is_the_first_against_each_other() -> None:
    assert Schedule("gauntlet", 4, 2, 1).places(0, []) == [(0, 1), (1, 0), (0, 2), (2, 0), (0, 3), (3, 0)]
    assert all({*s} in ({0, 1}, {0, 2}) for s in Schedule("gauntlet", 3, 4, 1).places(0, []))


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [3, 1, 4, 0, 2]])
def test_a_ladder_brings_agents_into_order(order: list[int]) -> None:
    """Agent a has strength order[a]: in the last round neighbours in strength meet, whatever the start."""
    schedule = Schedule("ladder", 5, 2, 2, rounds=6)
    blocks = play_all(schedule, [float(x) for x in order])
    last = {
        tuple(sorted(order[a] for a in g.seats)) for b in blocks if schedule.round_of(b.number) == 5 for g in b.games
    }
    assert last == {(0, 1), (2, 3)}


@pytest.mark.parametrize("agents", [4, 5, 8])
def test_a_swiss_match_has_no_second_meeting_and_no_second_rest(agents: int) -> None:
    schedule = Schedule("swiss", agents, 2, 1)
    assert schedule.rounds == {4: 3, 5: 4, 8: 4}[agents]
    blocks = play_all(schedule, [float(a) for a in range(agents)])
    met = Counter(tuple(sorted(g.seats)) for b in blocks for g in b.games)
    assert set(met.values()) == {2}  # one meeting: both seatings
    rounds = [{a for g in b.games for a in g.seats} for b in blocks]
    rested = Counter(a for sat in rounds for a in range(agents) if a not in sat)
    assert all(n == 1 for n in rested.values()) and sum(rested.values()) == (agents % 2) * schedule.rounds
    if agents == 8:  # the two best have met by the last round
        assert (6, 7) in met


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (("roundrobin", 3, 2, 1), "unknown schedule 'roundrobin'. Did you mean 'round_robin'"),
        (("gauntlet", 3, 2, 1, 4), "rounds=4: a gauntlet is one round"),
        (("swiss", 3, 2, 1, 1), "in one round of a swiss not all 3 agents play"),
        (("swiss", 1, 2, 1), "at least two agents"),
    ],
)
def test_plans_that_make_no_sense_are_refused(settings: tuple[Any, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Schedule(*settings)


def a_match(kind: str, blocks: int) -> Match:
    entrants = resolve(
        [
            "random",
            {"agent": "ismcts", "search": {"simulations": 40}},
            {"python": "tests.arena.agents:First", "name": "passes"},
        ]
    )
    return Match({"name": "kuhn_poker", "players": 2}, entrants, 5, 16, schedule=kind, round_blocks=blocks)


def data(blocks: list[Block]) -> list[Any]:
    ordered = sorted(blocks, key=lambda b: b.number)
    return [(b.number, [(g.seats, g.returns, g.decisions) for g in b.games]) for b in ordered]


@pytest.mark.parametrize("kind", ["swiss", "ladder"])
def test_a_match_with_rounds_goes_on_where_it_stopped(tmp_path: Path, kind: str) -> None:
    class Stop(Exception):
        pass

    def stop_after(journal: Any, block: Block) -> None:
        if len(journal.blocks) == 17:
            raise Stop

    match = a_match(kind, 12)
    with pytest.raises(Stop):
        run_match(match, 12, tmp_path / "a", 1, stop_after)
    played: list[int] = []
    blocks = run_match(match, 12, tmp_path / "a", 1, lambda _, block: played.append(block.number))
    assert len(blocks) == 36 and len(played) == 19
    assert data(blocks) == data(run_match(match, 12, tmp_path / "b", 2, lambda *_: None))
    more = run_match(match, 12, tmp_path / "a", 1, lambda *_: None, rounds=4)
    assert len(more) == 48 and data(more)[:36] == data(blocks)
    schedule = Schedule(kind, 3, 2, 12, 4)
    result = summarize(match.load(), [e.name for e in match.entrants], more, 5, schedule=schedule)
    assert result.schedule == kind and json.dumps(result.as_json(), allow_nan=False)
    assert sum(a.elo.mean for a in result.agents) == pytest.approx(0, abs=1e-6)
    strongest = max(result.agents, key=lambda a: a.elo.mean)
    assert f"By rating: {strongest.name} > " in result.verdict() and strongest.name != "passes"


def test_pairs_are_told_apart_only_where_there_is_something_to_tell() -> None:
    """Three equal agents and a stronger one, in three seats: Plackett-Luce finds it, Holm keeps the others together."""
    rng = np.random.default_rng(3)
    strength = np.array([0.0, 0.0, 0.0, 1.2])
    blocks = []
    for number in range(40):
        games = []
        for seats in seatings(4, 3):
            order = np.argsort(np.argsort(strength[list(seats)] + rng.gumbel(size=3)))
            games.append(GameRecord(seats, [float(x - 1) for x in order], [0] * 3, [1] * 4, [0.1] * 4))
        blocks.append(Block(number, games))
    ratings = rate(blocks, 4, 3, [0] * 40)
    assert ratings.points / (400 / np.log(10)) == pytest.approx(strength - strength.mean(), abs=0.2)
    pairs = compare_all(blocks, ratings)
    assert [(p.first, p.second) for p in pairs] == list(itertools.combinations(range(4), 2))
    assert all(p.told_apart == (p.second == 3) for p in pairs)
    assert all(p.p_holm is not None and p.p is not None and p.p_holm >= p.p for p in pairs)
    assert all(abs(e.utility.mean) < 0.15 and e.seats == 40 * 12 for e in seat_effects(blocks))


def test_a_seat_that_wins_more_is_seen() -> None:
    games = [GameRecord(s, [0.5, -0.5], [1, 0], [1, 1], [0.1, 0.1]) for s in seatings(2, 2)]
    blocks = [
        Block(n, games if n % 4 else [GameRecord(g.seats, [-0.5, 0.5], [0, 1], [1, 1], [0.1, 0.1]) for g in games])
        for n in range(40)
    ]
    first, second = seat_effects(blocks)
    assert (first.name, first.seats) == ("seat 0", 80)
    assert first.utility.mean == pytest.approx(0.25) and first.utility.low is not None and first.utility.low > 0
    assert second.utility.mean == pytest.approx(-0.25)
    assert ahead(games, 2).tolist() == [[0, 1], [1, 0]]
