"""Playing a match.

1 Every agent sits in every seat equally often, whatever their number. 2 The games of a block share their deal. 3 Agents
get worlds, not the truth, and their answers do not depend on the games beside them. 4 Agents that fail are named.
5 Known strengths come out, in two and three seats.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import engines
from engines.errors import UsageError
from orion_ai.agents import AgentConfig, RandomAgent, make_agent
from orion_ai.arena.match import AgentError, play_blocks, seatings
from orion_ai.arena.runner import evaluate
from orion_ai.search.config import SearchConfig
from tests.arena.agents import First, Illegal, Last, Quits, Raises, TooFew


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
    for block in play_blocks(game, agents, range(20), 7, keep_history=True):
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
        played = next(iter(play_blocks(game, [agent, Last(game, 1)], [block], 5, keep_history=True)))
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
        (TooFew, r"agent 'first' gave \(\d+,\) actions for \d+ games"),
    ],
)
def test_an_agent_that_fails_is_named(agent: type[First], message: str) -> None:
    game = engines.load("kuhn_poker")
    with pytest.raises(AgentError, match=message):
        list(play_blocks(game, [RandomAgent(game), agent(game, 8)], range(4), 1, lanes=8))


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
