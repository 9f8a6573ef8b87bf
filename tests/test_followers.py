"""Agents that follow games.

1 A trail is a world for every change of what the seat knows, and depends on nothing else. 2 Agents that ask for no
trails are asked as ever. 3 With particles a match does not depend on the games beside each other, and goes on where it
was cut off. 4 Asked again, an agent answers the same; without the beginning of a trail it takes the past for unknown;
it forgets games that are over. 5 A follower that fails loses its game. 6 Play with undo, environments, self-play and
tabulation tell the same trails.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engines
from engines.contract import Game
from engines.errors import UsageError
from orion_ai.agents import AgentConfig, Decisions, Follower, FollowingAgent, Trail, make_agent, sealed
from orion_ai.arena.entrants import resolve
from orion_ai.arena.match import AgentError, Rules, play_blocks
from orion_ai.arena.runner import Match, run_match
from orion_ai.lanes import Lanes
from orion_ai.play.session import Session
from orion_ai.search import HashEvaluator, Search, SearchConfig
from orion_ai.selfplay.config import SelfPlayConfig
from orion_ai.selfplay.worker import Worker
from orion_ai.solve.tabulate import tabulate
from orion_ai.solve.tree import enumerate_game
from orion_ai.trails import Trails, new_number, trail_of
from tests.arena.agents import First

KUHN = engines.load("kuhn_poker")
PHANTOM = engines.load("phantom_tic_tac_toe")
LEDUC = engines.load("leduc_poker")
KEY = np.uint64(9)
PARTICLES = {"worlds": "particles", "particle_policy": "uniform", "particles": 24, "simulations": 20}


def following(game: Game, lanes: int = 4, **changes: Any) -> FollowingAgent:
    agent = make_agent(game, AgentConfig(search=SearchConfig(**{**PARTICLES, **changes})), lanes)
    assert isinstance(agent, FollowingAgent)
    return agent


class Remembers(First):
    """Plays at random by its keys and keeps what it was told."""

    def __init__(self, game: Game, lanes: int = 1) -> None:
        super().__init__(game, lanes)
        self.told: dict[tuple[int, int], list[bytes]] = {}
        self.forgotten: list[int] = []
        self.asked = 0

    def decide_after(self, trails: list[Trail], worlds: Any, seats: Any, keys: Any) -> Decisions:
        self.asked += len(trails)
        for trail, world, seat in zip(trails, worlds, seats, strict=True):
            past = self.told.setdefault((trail.game, trail.seat), [])
            assert trail.first <= len(past) and trail.seat == seat
            past += [record.tobytes() for record in trail.worlds[len(past) - trail.first :]]
            info_key = self.game.kernels.info_key
            assert info_key(np.frombuffer(bytearray(past[-1]), np.uint8), seat) == info_key(world, seat)
        legal = [engines.State(self.game, world).legal_actions() for world in worlds]
        return Decisions(np.array([ids[int(key) % len(ids)] for ids, key in zip(legal, keys, strict=True)], np.int32))

    def forget(self, games: Any) -> None:
        self.forgotten += games


def test_a_trail_is_a_world_for_every_change_of_what_the_seat_knows() -> None:
    lanes = Lanes(PHANTOM, 1)
    lanes.start(0, 5)
    trails, keys = Trails(lanes), {0: np.uint64(3), 1: np.uint64(4)}
    trails.start(0, keys)
    rng, told = np.random.default_rng(2), {0: [], 1: []}
    while lanes.to_play[0] >= 0:
        seat = int(lanes.to_play[0])
        (trail,) = trails.take(np.array([0]), np.array([seat]))
        assert (trail.first, trail.seat, trail.key) == (len(told[seat]), seat, sealed(np.array([keys[seat]]))[0])
        told[seat] += [record.copy() for record in trail.worlds]
        lanes.apply(np.array([0]), np.array([rng.choice(lanes.state(0).legal_actions())], np.int32))
    for seat, worlds in told.items():
        state, known = PHANTOM.start(), []
        for action in lanes.history(0):
            before = state.info_key(seat)
            state.apply(action)
            if state.info_key(seat) != before:
                known.append(state.info_key(seat))
        assert len(worlds) < len(lanes.history(0))  # some tries of the other seat are not seen
        assert [PHANTOM.kernels.info_key(world, seat) for world in worlds] == known[: len(worlds)]
        whole = trail_of(PHANTOM, lanes.history(0), seat, keys[seat], new_number())
        np.testing.assert_array_equal(whole.worlds[: len(worlds)], np.array(worlds))
    (number,) = trails.finish(0)
    assert number == trail.game and trails.finish(0) == []


def test_trails_tell_nothing_of_what_is_hidden() -> None:
    """Seat 1 holds the queen, seat 0 the jack or the king: the same bytes."""
    for history in ([3], [3, 0], [3, 1, 1]):
        one, other = (trail_of(KUHN, [card, *history], 1, KEY, 0) for card in (2, 4))
        assert one.worlds.tobytes() == other.worlds.tobytes() and one.key == other.key
    # Whether seat 1 runs into seat 0's mark before it marks a cell, seat 0 does not learn.
    one, other = (trail_of(PHANTOM, history, 0, KEY, 0) for history in ([4, 5], [4, 4, 5]))
    assert one.worlds.tobytes() == other.worlds.tobytes()


def test_only_who_asks_is_followed() -> None:
    assert isinstance(following(KUHN), Follower) and isinstance(Remembers(KUHN), Follower)
    assert not isinstance(make_agent(KUHN, AgentConfig(kind="random")), Follower)
    assert not isinstance(make_agent(KUHN, AgentConfig(search=SearchConfig(simulations=5))), Follower)
    with pytest.raises(UsageError, match="has nothing to remember"):
        FollowingAgent(Search(KUHN, SearchConfig(simulations=5)))
    agent, plain, beside = Remembers(LEDUC), First(LEDUC, 1), First(LEDUC, 1)
    blocks = list(play_blocks(LEDUC, [agent, plain], range(6), 3, lanes=3))
    assert len(blocks) == 6 and {seat for _, seat in agent.told} == {0, 1}
    assert sorted(agent.forgotten) == sorted(game for game, _ in agent.told) and len(agent.told) == 12
    list(play_blocks(LEDUC, [First(LEDUC, 1), beside], range(6), 3, lanes=3))
    assert beside.seen[0] == plain.seen[0]  # whoever sits opposite, others are handed the same worlds and keys


def outcome(blocks: Any) -> list[Any]:
    ordered = sorted(blocks, key=lambda b: b.number)
    return [(b.number, [(g.seats, g.returns, g.decisions) for g in b.games]) for b in ordered]


@pytest.mark.parametrize("game", [LEDUC, PHANTOM], ids=lambda g: g.name)
def test_matches_do_not_depend_on_the_games_beside_each_other(game: Game) -> None:
    def match(lanes: int, made_for: int) -> Any:
        agents = [following(game, made_for), make_agent(game, AgentConfig(kind="random"))]
        return outcome(play_blocks(game, agents, range(6), 4, lanes=lanes))

    assert match(1, 1) == match(8, 8) == match(5, 2)


def test_a_match_goes_on_where_it_was_cut_off(tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop_after_three(journal: Any, block: Any) -> None:
        if len(journal.blocks) == 3:
            raise Stop

    entrants = resolve([{"agent": "ismcts", "search": PARTICLES}, "random"])
    match = Match({"name": "leduc_poker", "players": 2}, entrants, 3, 4)
    whole = run_match(match, 10, tmp_path / "whole", 1, lambda *_: None)
    with pytest.raises(Stop):
        run_match(match, 10, tmp_path / "cut", 1, stop_after_three)
    again = run_match(match, 10, tmp_path / "cut", 1, lambda *_: None)
    assert outcome(whole) == outcome(again)


def the_way(seed: int) -> tuple[Trail, int, Any, Any]:
    """The trail to the second round of a game, and what else its seat is asked with."""
    state = LEDUC.start(seed)
    for _ in range(2):
        state.apply("call")
    trail = trail_of(LEDUC, state.history or [], state.to_play, KEY, new_number())
    return trail, state.to_play, trail.worlds[-1:].copy(), np.array([4], np.uint64)


def test_who_is_asked_again_answers_the_same() -> None:
    trail, seat, world, keys = the_way(3)
    agent, halves, half = following(LEDUC), following(LEDUC), len(trail.worlds) // 2
    first, second = (agent.decide_after([trail], world, np.array([seat]), keys).report for _ in range(2))
    halves.belief(Trail(trail.game, seat, trail.key, 0, trail.worlds[:half]), trail.worlds[half - 1])
    rest = Trail(trail.game, seat, trail.key, half, trail.worlds[half:])
    third = halves.decide_after([rest], world, np.array([seat]), keys).report
    assert first and second and third
    assert first.q.tolist() == second.q.tolist() == third.q.tolist()
    assert first.effective == second.effective


def test_without_the_beginning_the_past_is_unknown() -> None:
    trail, seat, world, keys = the_way(3)
    agent = following(LEDUC)
    belief = agent.belief(Trail(trail.game, seat, trail.key, 3, trail.worlds[3:]), world[0])
    assert belief.told == len(trail.worlds) and belief.newcomers == 0
    assert belief.known == LEDUC.kernels.info_key(world[0], seat)
    report = agent.decide(world, np.array([seat]), keys).report
    assert report is not None and report.simulations[0] == 20
    agent.forget([trail.game])
    assert agent.belief(trail, world[0]) is not belief


class Fails(Remembers):
    """Fails when it is told of a game, or at its end."""

    def __init__(self, game: Game, when: str) -> None:
        super().__init__(game)
        self.when = when

    def decide_after(self, trails: Any, worlds: Any, seats: Any, keys: Any) -> Decisions:
        if self.when == "told":
            raise ValueError("cannot follow")
        return super().decide_after(trails, worlds, seats, keys)

    def forget(self, games: Any) -> None:
        if self.when == "end":
            raise ValueError("cannot forget")


@pytest.mark.parametrize("when", ["told", "end"])
def test_a_follower_that_fails_loses_its_game(when: str) -> None:
    agents = [Fails(KUHN, when), make_agent(KUHN, AgentConfig(kind="random"))]
    for block in play_blocks(KUHN, agents, range(2), 1, rules=Rules(forfeit=True)):
        for game in block.games:
            assert game.fault is not None and "ValueError: cannot" in game.fault[1]
            assert game.returns[game.seats.index(0)] == -1
    with pytest.raises(AgentError, match="cannot"):
        list(play_blocks(KUHN, agents, range(1), 1))


def test_play_with_undo_is_followed_as_if_nothing_had_been_taken_back() -> None:
    def play(undo: bool) -> list[int]:
        session = Session(LEDUC, 0, {1: following(LEDUC, 1)}, seed=11)
        number = 0
        while not session.is_over:
            legal = session.legal()
            if undo:
                session.act(legal[-1])
                session.undo()
            session.act(legal[number % len(legal)])
            number += 1
        return session.history

    assert play(False) == play(True)


def test_environments_can_be_repeated() -> None:
    gym = pytest.importorskip("orion_ai.interop.gymnasium")

    def play(opponent: Any) -> list[Any]:
        env, seen = gym.SeatEnv("leduc_poker", opponents=opponent, seat=0), []
        for seed in (4, 5):
            _, info = env.reset(seed=seed)
            over = False
            while not over:
                observation, _, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[-1]))
                seen.append(observation.tolist())
        return seen

    agent = following(LEDUC, 1)
    assert play(agent) == play(agent) == play(following(LEDUC, 1))


def test_self_play_does_not_depend_on_the_lanes() -> None:
    search = SearchConfig(
        algorithm="puct",
        leaf="network",
        worlds="particles",
        particle_policy="network",
        particles=16,
        simulations=8,
        keep_tree=True,
    )

    def play(lanes: int) -> list[Any]:
        worker = Worker(LEDUC, SelfPlayConfig(games=6, lanes=lanes, opening=2), search, HashEvaluator(LEDUC))
        return [e.actions.tolist() for e in worker.play(3, range(6), lambda _: None, threading.Event())]

    assert play(1) == play(4)


def test_tabulation_tells_the_way_to_each_state() -> None:
    tree, agent = enumerate_game(KUHN), Remembers(KUHN)
    tabulate(tree, agent, lanes=4, answer="action")
    assert len(agent.told) == len(agent.forgotten) == 12
    earlier = sum(len(tree.history(int(node))) > 3 for node in tree.node)  # bets after a pass: asked before it too
    assert len(agent.seen) == 0 and agent.asked == 12 + earlier
    assert sorted(len(past) for past in agent.told.values()) == [2] * 3 + [3] * 6 + [4] * 3
