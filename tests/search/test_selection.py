"""The formulas on statistics set by hand, and how the search responds to their constants."""

import math

import numpy as np
import pytest

from engines.rng import generator
from orion_ai.search import Search, SearchConfig, UniformEvaluator, select
from tests.games import load, tree
from tests.games.safe_or_guess import GUESS, HEADS, SPECIAL, TAILS

VISITS, AVAILABLE, TOTALS = [10, 4, 6], [20, 20, 9], [3.0, 2.0, 2.1]


def by_hand(**choices):
    """A search whose root has the statistics above: its forest and parameters."""
    game = load("tree", root=tree.DEPTH_ONE)
    config = SearchConfig(simulations=1, **choices)
    evaluator = UniformEvaluator(game) if config.leaf == "network" else None
    search = Search(game, config, evaluator)
    search.run(game.start().record[None], [0], np.array([1], np.uint64))
    f = search._forest
    f.edge_visits[0, :3], f.edge_available[0, :3] = VISITS, AVAILABLE
    f.edge_total[0, :3, 0] = TOTALS
    f.edge_prior[0, :3] = [1.0, 2.0, 5.0]
    f.edge_of[:] = [0, 1, 2]
    return f, f.parameters


@pytest.mark.parametrize("c", [0.0, 0.05, 0.3, 1.0, 5.0])
def test_ucb_by_hand(c):
    f, p = by_hand(c_uct=c)
    scores = [w / n + c * math.sqrt(math.log(a) / n) for n, a, w in zip(VISITS, AVAILABLE, TOTALS, strict=True)]
    assert select.choose_ucb(f, p, 0, 3, 0, 1.0, True, generator(1)) == np.argmax(scores)
    scores = [s - 2 * w / n for s, w, n in zip(scores, TOTALS, VISITS, strict=True)]
    assert select.choose_ucb(f, p, 0, 3, 0, -1.0, True, generator(1)) == np.argmax(scores)


def test_ucb_tries_untried_actions_first_and_at_random():
    f, p = by_hand()
    f.edge_visits[0, :3] = [10, 0, 0]
    rng = generator(2)
    chosen = [select.choose_ucb(f, p, 0, 3, 0, 1.0, True, rng) for _ in range(200)]
    assert set(chosen) == {1, 2}
    assert 60 < chosen.count(1) < 140
    assert {select.choose_ucb(f, p, 0, 3, 0, 1.0, False, rng) for _ in range(50)} == {0}


@pytest.mark.parametrize("c", [0.0, 0.2, 1.0, 10.0])
def test_puct_by_hand(c):
    f, p = by_hand(algorithm="puct", leaf="network", c_puct=c, fpu=0.25)
    f.node_value[0, 0, 0] = 0.6
    f.edge_visits[0, 2] = 0
    q = [0.3, 0.5, 0.6 - 0.25]
    visits = [10, 4, 0]
    scores = [q[j] + c * (1, 2, 5)[j] / 8 * math.sqrt(AVAILABLE[j]) / (1 + visits[j]) for j in range(3)]
    assert select.choose_puct(f, p, 0, 0, 3, 0, 1.0, True) == np.argmax(scores)
    # An action that is illegal in this world takes no part, and the prior is renormalised over the others.
    f.edge_of[2] = -1
    scores = [q[j] + c * (1, 2)[j] / 3 * math.sqrt(AVAILABLE[j]) / (1 + visits[j]) for j in range(2)]
    assert select.choose_puct(f, p, 0, 0, 3, 0, 1.0, True) == np.argmax(scores)


def _shares(**choices):
    game = load("tree", root=tree.MAXN)
    config = SearchConfig(**{"simulations": 200, **choices})
    evaluator = UniformEvaluator(game) if config.leaf == "network" else None
    search = Search(game, config, evaluator)
    return search.run(game.start().record[None], [0], np.array([1], np.uint64)).policy[0]


@pytest.mark.parametrize(
    "choices",
    [
        {"c_uct": [0.1, 1.0, 10.0]},
        {"algorithm": "puct", "leaf": "network", "c_puct": [0.5, 2.0, 10.0]},
    ],
    ids=["c_uct", "c_puct"],
)
def test_a_greater_constant_explores_more(choices):
    (name, values) = next((k, v) for k, v in choices.items() if isinstance(v, list))
    least = [_shares(**{**choices, name: value})[:2].min() for value in values]
    assert least[0] < least[1] < least[2]


def test_gumbel_constants_sharpen_the_policy():
    gumbel = {"algorithm": "gumbel", "leaf": "network"}
    best = [_shares(**gumbel, c_scale=scale)[1] for scale in (0.01, 0.1, 1.0)]
    assert best[0] < best[1] < best[2]
    assert _shares(**gumbel, c_visit=500.0)[1] > _shares(**gumbel, c_visit=5.0, c_scale=0.05)[1]


def test_fpu_delays_unvisited_actions():
    few = {"algorithm": "puct", "leaf": "network", "simulations": 2, "c_puct": 0.2}
    assert (_shares(**few, fpu=0.0) > 0).sum() == 2
    assert (_shares(**few, fpu=2.0) > 0).sum() == 1


def test_root_noise_changes_the_visits_and_only_of_noisy_lanes():
    game = load("tree", root=tree.MAXN)
    config = SearchConfig(algorithm="puct", leaf="network", simulations=40, noise_share=0.9, noise_total=0.5)
    search = Search(game, config, UniformEvaluator(game), 32)
    worlds, seats, keys = np.tile(game.start().record, (32, 1)), [0] * 32, np.arange(32, dtype=np.uint64)
    noisy = search.run(worlds, seats, keys)
    calm = search.run(worlds, seats, keys, noise=np.zeros(32, bool))
    assert len({tuple(v) for v in calm.visits.tolist()}) == 1
    assert len({tuple(v) for v in noisy.visits.tolist()}) > 5
    assert (noisy.prior == calm.prior).all()


def test_temperature_draws_from_the_policy():
    game = load("tree", root=tree.MAXN)
    worlds, seats, keys = np.tile(game.start().record, (256, 1)), [0] * 256, np.arange(256, dtype=np.uint64)
    chosen = {}
    for temperature in (0.0, 1.0):
        config = SearchConfig(simulations=60, c_uct=2.0, temperature=temperature)
        chosen[temperature] = Search(game, config, lanes=256).run(worlds, seats, keys)
    share = chosen[1.0].policy[:, 0].mean()
    assert 0.15 < share < 0.5
    assert (chosen[0.0].action == 1).all()
    assert (chosen[1.0].action == 0).mean() == pytest.approx(share, abs=0.1)


@pytest.mark.parametrize("algorithm", ["ismcts", "puct"])
@pytest.mark.parametrize("nodes", ["public", "observer"])
def test_a_rare_action_is_judged_by_when_it_was_available(algorithm, nodes):
    # Seat 1's best action is legal in a tenth of the worlds; its node is pooled over them.
    game = load("safe_or_guess", pooled=1, heads=1)
    leaf = "network" if algorithm == "puct" else "random"
    config = SearchConfig(algorithm=algorithm, leaf=leaf, nodes=nodes, simulations=6000)
    search = Search(game, config, UniformEvaluator(game))
    report = search.run(game.start(2).record[None], [0], np.array([3], np.uint64))
    assert report.action[0] == GUESS
    (node,) = [n for n in search.tree() if n["seat"] == 1]
    edges = {e["action"]: e for e in node["edges"]}
    assert set(edges) == {HEADS, TAILS, SPECIAL}
    special, heads = edges[SPECIAL], edges[HEADS]
    assert special["available"] / heads["available"] == pytest.approx(0.1, abs=0.02)
    assert special["visits"] / special["available"] > 0.9
    # q of the guess: a tenth of the worlds -3/4, the others -1/4.
    assert report.q[0, GUESS] == pytest.approx(-0.3, abs=0.03)
