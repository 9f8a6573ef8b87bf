"""What is told of the searches of self-play: means over the full ones, as a loop over their reports gives them."""

from __future__ import annotations

import math
import threading
from dataclasses import replace

import numpy as np
import pytest

from orion_ai.search.config import SearchConfig
from orion_ai.search.evaluator import HashEvaluator
from orion_ai.search.report import SearchReport
from orion_ai.search.search import Search
from orion_ai.selfplay.config import SelfPlayConfig
from orion_ai.selfplay.searches import Searches
from orion_ai.selfplay.worker import Worker
from tests.replay.games import kuhn

SEARCH = SearchConfig(algorithm="gumbel", leaf="network", simulations=12)


def by_hand(report: SearchReport) -> dict[str, float]:
    lanes = range(len(report.simulations))
    entropy, divergence = 0.0, 0.0
    for i in lanes:
        for p, prior in zip(report.policy[i], report.prior[i], strict=True):
            if p > 0:
                entropy -= float(p) * math.log(p)
                divergence += float(p) * math.log(float(p) / float(prior))
    count = len(lanes)
    return {
        "search/depth": float(report.mean_depth.mean()),
        "search/greatest_depth": float(report.max_depth.mean()),
        "search/nodes": float(report.nodes.mean()),
        "search/effective_worlds": float(report.effective.mean()),
        "search/refused": float(report.refused.sum() / report.simulations.sum()),
        "search/root_entropy": entropy / count,
        "search/kl_from_prior": divergence / count,
    }


@pytest.mark.parametrize("nodes", [0, 3])
def test_figures_are_the_means_of_the_reports(nodes: int) -> None:
    game = kuhn()
    search = Search(game, replace(SEARCH, max_nodes=nodes), HashEvaluator(game), lanes=8)
    worlds, seats = [], []
    for seed in range(8):
        state = game.start(seed=seed)
        if seed % 2:
            state.apply("pass")
        worlds.append(state.record)
        seats.append(state.to_play)
    report = search.run(np.array(worlds), seats, np.arange(8, dtype=np.uint64))
    sums = Searches()
    sums.add(report)
    assert sums.figures() == pytest.approx(by_hand(report), rel=1e-5, abs=1e-6)
    assert (sums.figures()["search/refused"] > 0) == bool(nodes)
    assert sums.figures()["search/kl_from_prior"] > 0
    assert (sums + sums).figures() == pytest.approx(sums.figures()) and Searches().figures() == {}


def test_self_play_tells_of_its_full_searches_only() -> None:
    game = kuhn()
    found = {}
    for share in (0.25, 1.0):
        worker = Worker(game, SelfPlayConfig(lanes=8, full_share=share), SEARCH, HashEvaluator(game))
        worker.play(1, range(30), lambda _: None, threading.Event())
        found[share] = worker
        assert worker.searches.simulations == 12 * worker.searches.count
    assert found[1.0].searches.count == found[1.0].counts.decisions
    assert 0 < found[0.25].searches.count < found[0.25].counts.decisions / 2
