"""Bandits at nodes: their strategies and regrets by hand, and games whose choices are simultaneous or hidden."""

import numpy as np
import pytest

import engines
from engines.rng import generator
from orion_ai.agents import SearchAgent
from orion_ai.search import Search, SearchConfig, UniformEvaluator, regret
from orion_ai.search.trace import trace
from orion_ai.solve.best_response import Judge
from orion_ai.solve.tabulate import tabulate
from orion_ai.solve.tree import enumerate_game
from tests.games import load, tree
from tests.games.safe_or_guess import GUESS, HEADS, SPECIAL, TAILS

BANDITS = ["regret_matching", "exp3"]
PRIOR = np.array([1.0, 2.0, 5.0])


def by_hand(algorithm, regrets, **choices):
    """A search whose root has three actions with these regrets: its forest and parameters."""
    game = load("tree", root=tree.DEPTH_ONE)
    search = Search(game, SearchConfig(algorithm=algorithm, simulations=1, **choices))
    search.run(game.start().record[None], [0], [1])
    f = search._forest
    f.edge_regret[0, :3], f.edge_prior[0, :3], f.edge_of[:] = regrets, PRIOR, [0, 1, 2]
    return f, f.parameters


def test_regret_matching_by_hand():
    f, p = by_hand("regret_matching", [3.0, -2.0, 1.0])
    assert regret.strategy(f, p, 0, 3) == 3
    assert f.score.tolist() == [0.75, 0.0, 0.25]
    f.edge_regret[0, :3] = [-1.0, 0.0, -2.0]
    regret.strategy(f, p, 0, 3)
    assert f.score == pytest.approx(PRIOR / 8)
    f.edge_of[2] = -1  # not legal here
    assert regret.strategy(f, p, 0, 3) == 2
    assert f.score == pytest.approx([1 / 3, 2 / 3, 0])


def test_exp3_by_hand():
    f, p = by_hand("exp3", [30.0, -2.0, 10.0], exploration=0.6)
    regret.strategy(f, p, 0, 3)
    raw = PRIOR * np.exp(0.2 * np.array([30.0, -2.0, 10.0]))
    assert f.score == pytest.approx(raw / raw.sum())
    f.edge_of[0] = -1
    regret.strategy(f, p, 0, 3)
    raw = PRIOR[1:] * np.exp(0.3 * np.array([-2.0, 10.0]))
    assert f.score[1:] == pytest.approx(raw / raw.sum())


@pytest.mark.parametrize(("updates", "expected"), [(True, [0.65, 0.1, 0.25]), (False, [0.75, 0.0, 0.25])])
def test_actions_are_drawn_from_the_strategy_and_where_something_is_learned_from_all(updates, expected):
    f, p = by_hand("regret_matching", [3.0, 0.0, 1.0], exploration=0.3)
    rng, counts = generator(1), np.zeros(3)
    for _ in range(20_000):
        f.lane[0]["length"] = 0
        counts[regret.choose_mixed(f, p, 0, 0, 3, updates, rng)] += 1
    expected = 0.7 * np.array([0.75, 0, 0.25]) + 0.1 if updates else np.array(expected)
    assert counts / 20_000 == pytest.approx(expected, abs=0.015)


@pytest.mark.parametrize("algorithm", BANDITS)
def test_one_decision_is_learned_as_in_the_papers(algorithm):
    """A root after which the game ends, its simulations replayed by the rules of the papers."""
    game, e = load("tree", root=tree.DEPTH_ONE), 0.3
    search = Search(game, SearchConfig(algorithm=algorithm, simulations=400, exploration=e))
    seen = trace(search, game.start().record, 0, 5)
    n = len(game.start().legal_actions())
    sums, average = np.zeros(n), np.zeros(n)
    for action, value in zip(seen.actions, seen.values, strict=True):
        if algorithm == "exp3":  # sums of rewards, figure 1 of Auer et al. 2002
            share = np.exp(e / n * (sums - sums.max()))
            u = (float(value[0]) + 1) / 2
        else:
            share = np.maximum(sums, 0) if (sums > 0).any() else np.ones(n)
            u = float(value[0])
        share /= share.sum()
        average += share
        drawn = (1 - e) * share[action] + e / n
        sums[action] += u / drawn
        if algorithm == "regret_matching":
            sums -= share[action] * u / drawn
    assert seen.report.policy[0, :n] == pytest.approx(average / 400, abs=1e-6)
    found = search._forest.edge_regret[0, :n]
    assert found - found.mean() == pytest.approx(sums - sums.mean())


def equilibrium(payoffs, config, seat, lanes=8):
    """The policies that searches of a matrix game find."""
    game = engines.load("matrix", payoffs=payoffs)
    state = game.start()
    if seat:
        state.apply(0)
        state = state.determinize(1, seed=1)
    worlds, keys = np.tile(state.record, (lanes, 1)), np.arange(lanes, dtype=np.uint64)
    return Search(game, config, None, lanes).run(worlds, [seat] * lanes, keys).policy


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("algorithm", BANDITS)
def test_matching_pennies(algorithm, seat):
    found = equilibrium("matching_pennies", SearchConfig(algorithm=algorithm, simulations=100_000), seat)
    assert found == pytest.approx(np.full((8, 2), 0.5), abs=0.02)


@pytest.mark.parametrize("seat", [0, 1])
def test_biased_rock_paper_scissors(seat):
    """Regret matching finds the equilibrium in every lane, Exp3, whose steps are small, in their mean; UCB, which has
    no reason to, does not."""
    solution = np.array([1, 10, 5]) / 16
    matching, exp3, ucb = (
        equilibrium("biased_rps", SearchConfig(algorithm=algorithm, simulations=100_000), seat)
        for algorithm in ("regret_matching", "exp3", "ismcts")
    )
    assert matching == pytest.approx(np.tile(solution, (8, 1)), abs=0.03)
    assert exp3.mean(axis=0) == pytest.approx(solution, abs=0.03)
    assert np.abs(ucb - solution).max(axis=1).mean() > 0.1


def test_others_exploration_is_not_answered():
    """With two fifths of all choices random an answer to them would be far from the equilibrium (by 0.37)."""
    config = SearchConfig(algorithm="regret_matching", simulations=100_000, exploration=0.4)
    found = equilibrium("biased_rps", config, 0).mean(axis=0)
    assert found == pytest.approx(np.array([1, 10, 5]) / 16, abs=0.02)


def test_simultaneous_bids_that_ucb_does_not_find():
    """Goofspiel with four cards, prizes from the highest: a search of 1,000 simulations in every information state."""
    game = engines.load("goofspiel", cards=4, prizes="descending")
    whole = enumerate_game(game)
    judge, loss = Judge(whole), {}
    for algorithm in ("ismcts", *BANDITS):
        agent = SearchAgent(Search(game, SearchConfig(algorithm=algorithm, simulations=1000), None, 64), algorithm)
        loss[algorithm] = judge.exploitability(tabulate(whole, agent))
    assert loss["ismcts"] > 0.3
    assert loss["regret_matching"] < 0.1
    assert loss["exp3"] < 0.2


@pytest.mark.parametrize("algorithm", BANDITS)
@pytest.mark.parametrize("nodes", ["public", "observer"])
def test_a_rare_action_is_judged_by_when_it_was_available(algorithm, nodes):
    """Seat 1's best action is legal in a tenth of the worlds, and its node is pooled over them."""
    game = load("safe_or_guess", pooled=1, heads=1)
    simulations = {"regret_matching": 6000, "exp3": 30_000}[algorithm]
    config = SearchConfig(algorithm=algorithm, nodes=nodes, simulations=simulations, exploration=0.1)
    search = Search(game, config)
    report = search.run(game.start(2).record[None], [0], [3])
    (node,) = [n for n in search.tree() if n["seat"] == 1]
    edges = {edge["action"]: edge for edge in node["edges"]}
    assert set(edges) == {HEADS, TAILS, SPECIAL}
    assert edges[SPECIAL]["available"] / edges[HEADS]["available"] == pytest.approx(0.1, abs=0.02)
    assert edges[SPECIAL]["visits"] / edges[SPECIAL]["available"] > 0.85
    assert report.policy[0, GUESS] > 0.8


@pytest.mark.parametrize("algorithm", BANDITS)
def test_mixed_worlds_update_the_nodes_they_are_for(algorithm):
    game = engines.load("kuhn_poker")
    config = SearchConfig(algorithm=algorithm, worlds="mix", mix_delta=0.9, simulations=1000)
    search = Search(game, config)
    report = search.run(game.start(3).record[None], [0], [1])
    assert report.visits[0].sum() == 900
    opponent = sum(edge["visits"] for node in search.tree() if node["seat"] == 1 for edge in node["edges"])
    assert 80 <= opponent <= 100


def test_a_prior_is_where_a_search_begins():
    game = load("tree", root=tree.MAXN)
    config = SearchConfig(algorithm="regret_matching", leaf="network", simulations=1)
    report = Search(game, config, UniformEvaluator(game)).run(game.start().record[None], [0], [1])
    assert report.policy[0] == pytest.approx(report.prior[0])


@pytest.mark.parametrize("algorithm", BANDITS)
def test_the_action_is_drawn_from_the_average_strategy(algorithm):
    game = engines.load("matrix", payoffs="matching_pennies")
    config = SearchConfig(algorithm=algorithm, simulations=2000, temperature=1.0)
    worlds, keys = np.tile(game.start().record, (200, 1)), np.arange(200, dtype=np.uint64)
    report = Search(game, config, None, 200).run(worlds, [0] * 200, keys)
    assert report.action.mean() == pytest.approx(0.5, abs=0.12)
