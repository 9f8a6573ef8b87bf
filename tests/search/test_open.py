"""Where nothing is hidden an edge remembers the node that it leads to: the same trees, made with fewer questions."""

import numpy as np
import pytest

import engines
from orion_ai.bench.probe import Probe
from orion_ai.search import HashEvaluator, Search, SearchConfig
from tests.games import load, tree


def trees(game, config, remember):
    probe = Probe(game, 6)
    search = Search(game, config, HashEvaluator(game), 6)
    assert search._forest.parameters["open"][0] == 1
    search._forest.parameters["open"] = remember
    report = search.run(probe.states, probe.seats(6), np.arange(6, dtype=np.uint64))
    return report, [search.tree(lane) for lane in range(6)], search._forest


@pytest.mark.parametrize("algorithm", ["puct", "gumbel"])
@pytest.mark.parametrize("name", ["connect_four", "tic_tac_toe", "pig"])
def test_remembering_changes_nothing(name, algorithm):
    game = load(name, target=30) if name == "pig" else engines.load(name)
    config = SearchConfig(algorithm=algorithm, leaf="network", simulations=200)
    (one, first, forest), (other, second, _) = (trees(game, config, remember) for remember in (1, 0))
    assert first == second
    for field in ("action", "policy", "value", "visits", "q", "availability", "evaluations", "max_depth"):
        assert (getattr(one, field) == getattr(other, field)).all()
    assert (forest.edge_child > 0).any() == (name != "pig")  # where chance follows every choice


@pytest.mark.parametrize("algorithm", ["puct", "gumbel", "regret_matching"])
def test_where_ways_of_different_length_meet_the_depth_of_a_tree_is_bounded(algorithm):
    """A node that was made one step down is reached by two as well: what follows it lies deeper then."""
    game = load("tree", root=tree.MEET)
    for depth in (2, 3, 4):
        config = SearchConfig(algorithm=algorithm, leaf="network", simulations=200, tree_depth=depth)
        (one, first, _), (other, second, _) = (trees(game, config, remember) for remember in (1, 0))
        assert one.max_depth.max() == other.max_depth.max() <= depth
        assert first == second


@pytest.mark.parametrize(("name", "choices"), [("kuhn_poker", {}), ("connect_four", {"nodes": "observer"})])
def test_what_is_hidden_or_pooled_is_not_remembered(name, choices):
    game = engines.load(name)
    config = SearchConfig(algorithm="puct", leaf="network", simulations=50, **choices)
    assert Search(game, config, HashEvaluator(game))._forest.parameters["open"][0] == 0
