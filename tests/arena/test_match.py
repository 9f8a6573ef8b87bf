"""Playing a match.

1 Every agent sits in every seat equally often, whatever their number. 2 The games of a block share their deal. 3 Agents
get worlds, not the truth, and their answers do not depend on the games beside them. 4 Agents that fail are named.
5 Under the rule of forfeits they lose those games and no others. 6 Known strengths come out, in two and three seats.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

import engines
from engines.errors import UsageError
from orion_ai.agents import AgentConfig, RandomAgent, make_agent
from orion_ai.arena.match import AgentError, Rules, play_blocks, seatings
from orion_ai.arena.runner import evaluate
from orion_ai.search.config import SearchConfig
from tests.arena.agents import First, Floats, Forever, Illegal, IllegalKings, Last, NoKings, Quits, Raises, TooFew


@pytest.mark.parametrize("agents", [2, 3, 4, 5])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_agent_sits_everywhere_equally_often(agents: int, players: int) -> None:
    found = seatings(agents, players)
    assert len(set(found)) == len(found)
    for seat in range(players):
        counts = Counter(sitting[seat] for sitting in found)
        assert sorted(counts) == list(range(agents))
        assert len(set(counts.values())) == 1


def test_the_usual_seatings() -> None:
    assert seatings(2, 2) == [(0, 1), (1, 0)]
    assert set(seatings(3, 3)) == {(0, 1, 2), (1, 2, 0), (2, 0, 1)}
    one_a, one_b = {(0, 1, 1), (1, 0, 1), (1, 1, 0)}, {(1, 0, 0), (0, 1, 0), (0, 0, 1)}
    assert set(seatings(2, 3)) == one_a | one_b
    with pytest.raises(UsageError, match="at least two agents"):
        seatings(1, 2)


@pytest.mark.parametrize("players", [2, 3])
def test_a_block_is_one_deal(players: int) -> None:
    game = engines.load("kuhn_poker", players=players)
    agents = [RandomAgent(game, "a"), RandomAgent(game, "b")]
    dealt = []
    for block in play_blocks(game, agents, range(20), 7, rules=Rules(keep_history=True)):
        deals = {tuple(g.history[:players]) for g in block.games}
        assert len(deals) == 1
        dealt.append(deals.pop())
    assert len(set(dealt)) > 3


def test_blocks_do_not_depend_on_their_company() -> None:
    game = engines.load("kuhn_poker", players=3)
    agents = [RandomAgent(game, "a"), RandomAgent(game, "b")]
    together = {b.number: b for b in play_blocks(game, agents, range(12), 3, lanes=64)}
    one_by_one = {b.number: b for b in play_blocks(game, agents, [11, 4, 0], 3, lanes=1)}
    for number, block in one_by_one.items():
        assert [g.returns for g in block.games] == [g.returns for g in together[number].games]
        assert [g.decisions for g in block.games] == [g.decisions for g in together[number].games]


def test_agents_are_shown_worlds_that_vary_where_the_truth_does_not() -> None:
    """The same deal with other random numbers: the opponent's card in the world is drawn anew, one's own is not."""
    game = engines.load("kuhn_poker", players=2)
    truths, shown = set(), set()
    for block in range(40):
        agent = First(game, 1)
        played = next(iter(play_blocks(game, [agent, Last(game, 1)], [block], 5, rules=Rules(keep_history=True))))
        for world, seat, _ in agent.seen[:1]:
            cards = np.frombuffer(world, game.dtype)[0]["card"]
            own, other = int(cards[seat]), int(cards[1 - seat])
            history = played.games[0].history
            true_own, true_other = history[seat] - 1, history[1 - seat] - 1
            assert own == true_own
            truths.add((true_own, true_other))
            shown.add((true_own, true_other, other))
    assert any(other != true for _, true, other in shown)
    assert len(shown) > len(truths)


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (Illegal, r"agent 'first' answered illegally \(block.*is illegal here; legal for seat"),
        (Quits, r"agent 'first' failed \(block.*SystemExit: enough"),
        (Raises, r"agent 'first' failed \(block.*ZeroDivisionError: no idea"),
        (TooFew, r"agent 'first' failed \(block.*gave int32\[\d+\] for the actions of \d+ games"),
    ],
)
def test_an_agent_that_fails_is_named(agent: type[First], message: str) -> None:
    game = engines.load("kuhn_poker")
    with pytest.raises(AgentError, match=message):
        list(play_blocks(game, [RandomAgent(game), agent(game, 8)], range(4), 1, lanes=8))


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize(
    ("agent", "what"),
    [
        (Illegal, "answered illegally: .* is illegal here"),
        (Quits, "failed: SystemExit: enough"),
        (Raises, "failed: ZeroDivisionError: no idea"),
        (Floats, r"failed: gave float64\[1\] for the actions of 1 games"),
        (Forever, "thought too long: more than 0.02 s for 1 decision"),
    ],
)
def test_who_fails_loses_that_game_and_others_go_on(agent: type[First], what: str, players: int) -> None:
    game = engines.load("kuhn_poker", players=players)
    rules = Rules(forfeit=True, limits=(0.0, 0.02) if agent is Forever else (), keep_history=True)
    blocks = list(play_blocks(game, [RandomAgent(game), agent(game, 8)], range(3), 1, lanes=8, rules=rules))
    assert sorted(b.number for b in blocks) == [0, 1, 2]
    for g in (g for b in blocks for g in b.games):
        if g.fault is None:
            assert g.decisions[1] == 0  # the bad one had no choice to make
            continue
        seat, text = g.fault
        assert g.seats[seat] == 1 and re.match(what, text)
        assert g.returns[seat] == -1 and sum(g.returns) == pytest.approx(0) and g.decisions[1] == 1
        assert g.scores[seat] == min(g.scores)
    assert any(g.fault for b in blocks for g in b.games)


def test_only_the_games_with_which_an_agent_cannot_cope_are_lost() -> None:
    """It raises when it holds the king: its other games, asked about at the same time, come out as ever."""
    game = engines.load("kuhn_poker")
    rules = Rules(forfeit=True)
    whole = {b.number: b for b in play_blocks(game, [Last(game, 8), First(game, 8)], range(20), 4, lanes=40)}
    lost = kept = 0
    for block in play_blocks(game, [Last(game, 8), NoKings(game, 8)], range(20), 4, lanes=40, rules=rules):
        for g, sound in zip(block.games, whole[block.number].games, strict=True):
            lost += g.fault is not None
            if g.fault is None:
                kept += 1
                assert (g.returns, g.scores, g.decisions) == (sound.returns, sound.scores, sound.decisions)
    assert lost > 5 and kept > 15


def test_an_illegal_answer_does_not_spoil_the_games_beside_it() -> None:
    """Games are applied in a batch: those after the culprit must still move on, those before it only once."""
    game = engines.load("kuhn_poker")
    whole = {b.number: b for b in play_blocks(game, [Last(game, 8), First(game, 8)], range(20), 4, lanes=40)}
    rules, faults = Rules(forfeit=True), 0
    for block in play_blocks(game, [Last(game, 8), IllegalKings(game, 8)], range(20), 4, lanes=40, rules=rules):
        for g, sound in zip(block.games, whole[block.number].games, strict=True):
            faults += g.fault is not None
            assert g.fault is not None or (g.returns, g.decisions) == (sound.returns, sound.decisions)
    assert faults > 5


@pytest.mark.parametrize("players", [2, 3])
def test_a_search_beats_random_play(players: int) -> None:
    game = engines.load("kuhn_poker", players=players)
    search = make_agent(game, AgentConfig("search", search=SearchConfig(simulations=32)), lanes=64)
    result = evaluate(game, [search, RandomAgent(game)], 150, seed=2)
    first, second = result.agents
    assert result.lead.low is not None and result.lead.low > 0
    assert first.utility.mean == pytest.approx(-second.utility.mean, abs=1e-6)
    assert first.elo.mean > 0 and first.decisions > 0 and first.seconds > 0
    assert "search is stronger than random" in result.verdict()
    assert result.games == 150 * len(seatings(2, players))


def test_equal_agents_are_at_par() -> None:
    """Two copies that always pass: every block is a draw between them, and no more is claimed than was seen."""
    game = engines.load("kuhn_poker")
    result = evaluate(game, [First(game, 1), First(game, 1)], 30, seed=1)
    assert result.lead.mean == 0 and result.agents[0].win_share.mean == 0.5
    assert result.lead.low is not None and result.lead.low < 0
    assert "not told apart" in result.verdict()


@pytest.mark.parametrize(("players", "agents"), [(5, 2), (6, 3), (6, 6)])
def test_a_match_at_a_full_table(players: int, agents: int) -> None:
    """Five and six seats: everybody sits everywhere equally often, one challenge is won and lost, all are rated."""
    game = engines.load("liars_dice", players=players)
    result = evaluate(game, [RandomAgent(game, f"random {i}") for i in range(agents)], 4, seed=2)
    blocks = list(play_blocks(game, [RandomAgent(game) for _ in range(agents)], range(4), 2))
    places = seatings(agents, players)
    assert result.games == 4 * len(places) and sum(a.win_share.mean for a in result.agents) > 0
    assert sum(a.utility.mean for a in result.agents) == pytest.approx(0, abs=1e-6)
    assert all(a.rating is not None for a in result.agents) and len(result.seats) == players
    for g in (g for block in blocks for g in block.games):
        assert sorted(g.returns) == [-1, *[0] * (players - 2), 1]
    for seat in range(players):
        assert set(Counter(g.seats[seat] for g in blocks[0].games).values()) == {len(places) // agents}


def test_a_fault_at_a_table_of_six_costs_one_seat() -> None:
    game = engines.load("liars_dice", players=6)
    agents = [RandomAgent(game), Raises(game, 8)]
    for block in play_blocks(game, agents, range(2), 1, rules=Rules(forfeit=True)):
        for g in block.games:
            assert g.fault is not None and g.seats[g.fault[0]] == 1
            assert g.returns[g.fault[0]] == -1 and sum(g.returns) == pytest.approx(0, abs=1e-6)
