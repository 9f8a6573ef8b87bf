"""Answers of the network that are kept: the same trees, and no question twice."""

import numpy as np
import pytest

import engines
from orion_ai.bench.probe import Probe
from orion_ai.search import HashEvaluator, Search, SearchConfig


class _Counting(HashEvaluator):
    """Counts the rows that it is asked about, and is shown none twice while all fit."""

    def __init__(self, game):
        super().__init__(game)
        self.seen = []

    def evaluate(self, observations):
        self.seen += [row.tobytes() for row in observations]
        return super().evaluate(observations)


@pytest.mark.parametrize("algorithm", ["puct", "gumbel"])
@pytest.mark.parametrize("name", ["connect_four", "leduc_poker"])
def test_a_cache_changes_no_tree_and_asks_nothing_twice(name, algorithm):
    game = engines.load(name)
    probe, keys = Probe(game, 8), np.arange(8, dtype=np.uint64)
    searches = [
        Search(
            game, SearchConfig(algorithm=algorithm, leaf="network", simulations=100, cache=entries), _Counting(game), 8
        )
        for entries in (0, 2**20, 7)
    ]
    for again in range(2):
        reports = [search.run(probe.states, probe.seats(8), keys + np.uint64(again)) for search in searches]
        for search, report in zip(searches[1:], reports[1:], strict=True):
            assert (report.policy == reports[0].policy).all()
            assert (report.evaluations == reports[0].evaluations).all()
            assert [search.tree(lane) for lane in range(8)] == [searches[0].tree(lane) for lane in range(8)]
    every, once, few = (search._evaluator.seen for search in searches)
    assert len(once) == len(set(once)) == len(set(every)) < len(few) <= len(every)
    roomy = searches[1].cache
    assert (roomy.rows, roomy.rows - roomy.hits) == (len(every), len(once))
    roomy.clear()
    searches[1].run(probe.states, probe.seats(8), keys)
    assert len(once) > len(set(once))
