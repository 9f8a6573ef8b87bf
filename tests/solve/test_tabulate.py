"""Agents asked everywhere: what counts as their answer, and what search is known to get wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engines.errors import UsageError
from orion_ai.agents import Agent, Decisions, RandomAgent
from orion_ai.arena.entrants import make_agents, resolve
from orion_ai.search import UniformEvaluator
from orion_ai.solve.best_response import Judge, backward_induction
from orion_ai.solve.tabulate import tabulate
from tests.solve.games import tiny, tree


def ismcts(of: Any, simulations: int, lanes: int = 16, **search: Any) -> Agent:
    given: Mapping[str, Any] = {"agent": "ismcts", "search": search}
    return make_agents(of.game, resolve([given], simulations=simulations), lanes)[0]


class Stub:
    """Plays the first or the last legal action, by the lowest bit of its key; notes what it was handed."""

    name = "stub"

    def __init__(self, answers: Any = None) -> None:
        self.answers, self.batches = answers, []

    def decide(self, worlds: NDArray[np.uint8], seats: NDArray[np.int64], keys: NDArray[np.uint64]) -> Decisions:
        self.batches.append((worlds.copy(), seats.copy(), keys.copy()))
        actions = keys & np.uint64(1) if self.answers is None else np.full(len(keys), self.answers)
        return Decisions(actions.astype(np.int32))


def test_the_random_agent_is_uniform_play() -> None:
    found = tree("kuhn_poker")
    assert np.array_equal(tabulate(found, RandomAgent(found.game)), found.uniform())


def test_every_state_with_a_choice_is_asked_for_once_a_draw() -> None:
    found, stub = tree("kuhn_poker", players=3), Stub()
    policy = tabulate(found, stub, draws=40, lanes=100)
    worlds, seats, keys = (np.concatenate(part) for part in zip(*stub.batches, strict=True))
    assert [len(batch[0]) for batch in stub.batches] == [100] * 19 + [20]
    assert len(set(keys.tolist())) == 40 * found.states
    asked = [found.game.kernels.info_key(w, int(s)) for w, s in zip(worlds, seats, strict=True)]
    assert sorted(asked) == sorted(np.repeat(found.key, 40).tolist())
    assert len({w.tobytes() for w in worlds}) > found.states  # a fresh world each time, not the true history
    assert policy == pytest.approx([0.5] * found.slots, abs=0.3)
    assert set((policy * 40).round(9) % 1) == {0.0}


def test_an_agents_own_policy_is_taken_where_it_says_it() -> None:
    class Knows(Stub):
        def policies(self, worlds: NDArray[np.uint8], seats: NDArray[np.int64]) -> NDArray[np.float64]:
            return np.tile([0.25, 0.75], (len(worlds), 1))

    found = tree("kuhn_poker")
    assert tabulate(found, Knows()).tolist() == [0.25, 0.75] * found.states
    assert set(tabulate(found, Knows(), answer="action")) == {0.0, 1.0}


def test_the_answer_of_a_search_is_its_policy_or_its_action() -> None:
    found = tree("kuhn_poker")
    agent = ismcts(found, 50)
    policy, action = tabulate(found, agent, lanes=16), tabulate(found, agent, lanes=16, answer="action")
    assert len(set(policy)) > 2 and set(action) == {0.0, 1.0}
    likeliest = np.maximum.reduceat(policy, found.slot[:-1])
    assert np.array_equal(policy[action == 1.0], likeliest)


def test_answers_depend_on_the_seed_and_not_on_the_lanes() -> None:
    found = tree("kuhn_poker")
    first = tabulate(found, ismcts(found, 50), seed=1, lanes=16)
    assert np.array_equal(tabulate(found, ismcts(found, 50, lanes=5), seed=1, lanes=5), first)
    assert not np.array_equal(tabulate(found, ismcts(found, 50), seed=2, lanes=16), first)


def test_an_illegal_answer_is_named() -> None:
    with pytest.raises(RuntimeError, match="agent 'stub' would play"):
        tabulate(tree("liars_dice", faces=2), Stub(answers=0))
    with pytest.raises(UsageError, match="unknown answer 'best'"):
        tabulate(tree("kuhn_poker"), Stub(), answer="best")
    with pytest.raises(UsageError, match="draws is 0"):
        tabulate(tree("kuhn_poker"), Stub(), draws=0)


def test_private_worlds_do_not_come_closer_to_equilibrium_and_public_ones_do() -> None:
    """A search that keeps its own card in every world teaches the opponents that it models what it holds.

    In Kuhn poker it then never bluffs: its exploitability goes to 1/6 with more simulations. Where its own card is
    resampled too (`worlds=public`), it stays below.
    """
    found, judge = tree("kuhn_poker"), Judge(tree("kuhn_poker"))

    def exploitability(simulations: int, worlds: str) -> float:
        agent = ismcts(found, simulations, worlds=worlds)
        policies = [tabulate(found, agent, seed=seed, lanes=16) for seed in (1, 2)]
        return judge.exploitability(np.mean(policies, axis=0))

    private, longer = exploitability(1000, "private"), exploitability(30_000, "private")
    assert 0.14 < private < longer < 1 / 6
    assert longer > 0.16
    assert exploitability(30_000, "public") < 0.13


def test_searching_brings_leduc_poker_closer_to_equilibrium() -> None:
    found, judge = tree("leduc_poker"), Judge(tree("leduc_poker"))
    some = judge.exploitability(tabulate(found, ismcts(found, 20, 64)))
    more = judge.exploitability(tabulate(found, ismcts(found, 200, 64)))
    assert judge.exploitability(found.uniform()) > some > more
    assert more < 1.3


def test_a_search_solves_a_small_game_of_perfect_information() -> None:
    found = tiny("full_tree", width=3)
    policy = tabulate(found, ismcts(found, 2000, 40), lanes=40, answer="action")
    assert Judge(found).nash_conv(policy) == pytest.approx(0)
    assert Judge(found).values(policy) == pytest.approx(backward_induction(found)[0][0])


def test_a_gumbel_search_answers_with_its_improved_policy() -> None:
    from orion_ai.agents import SearchAgent
    from orion_ai.search import Search, SearchConfig

    found = tree("kuhn_poker")
    config = SearchConfig(algorithm="gumbel", leaf="network", simulations=16)
    search = Search(found.game, config, UniformEvaluator(found.game), lanes=12)
    policy = tabulate(found, SearchAgent(search), lanes=12)
    found.check_policy(policy)
    assert (policy > 0).all()
