"""Inference servers: 1 games are the same, bit for bit, as with the network in the worker, also when the server is
killed under way; 2 batches fill, and their figures are told; 3 a server that does not come back is replaced; 4 more
rows than a batch may have are asked for in several requests; 5 a call of Ray, for other machines, and the door, for
this one, have the same answers."""

import dataclasses
import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from orion_ai.distributed import servers
from orion_ai.distributed.batching import Answer
from orion_ai.distributed.playing import Round
from orion_ai.search.evaluator import HashEvaluator
from orion_ai.selfplay.pool import batch_of
from tests.distributed.runs import SEARCH, SELFPLAY, after, locally, names_of_actors, network, pool, same
from tests.replay.games import kuhn
from tests.test_docs import first_cells, section


def test_a_server_plays_what_one_process_plays_and_may_die(cluster: Any, tmp_path: Path) -> None:
    weights, wanted = network().weights(), locally(300)
    settings = {"inference": "server", "workers": 2, "batch_limit": 32, "wait_ms": 5.0}
    with pool(cluster.address, tmp_path, **settings) as served:
        (server,) = served._staff.servers.ready()
        played = served.play(weights, 1, 0, 300, after(20, lambda: os.kill(server.pid, signal.SIGKILL)))
        assert same(played.episodes, wanted)
        assert played.figures["runtime/deaths"] == 1
        assert names_of_actors(served.cluster) == ["inference-1", "selfplay-1", "selfplay-2"]
        assert 0 < played.figures["runtime/batch_fill"] <= 1
        named = first_cells(section("docs/distributed.md", "Figures"))
        assert sorted([*played.figures, "runtime/staleness"]) == sorted(named)  # the last is the loop's
        assert played.figures["runtime/batch_ms"] > 0 and played.figures["runtime/queue_wait_ms"] >= 0
        again = served.play(network().weights(), 1, 300, 40, lambda _: None)
        assert same(again.episodes, locally(40, first=300))
        (server,) = served._staff.servers.ready()
        asked = np.random.default_rng(1).integers(0, 3, (7, kuhn().observation_size)).astype(np.int16)
        near, far = (servers.RemoteEvaluator(server.actor, "somebody", 32, 60.0) for _ in range(2))
        far._far = True
        for evaluator in (near, far):
            evaluator.load(Round(2, "w", None, 1))
        for found, wanted in zip(near.evaluate(asked), far.evaluate(asked), strict=True):
            assert np.array_equal(found, wanted) and found.flags.writeable and wanted.flags.writeable
        assert near._visitor is not None and far._visitor is None
        assert near._visitor.ask(1, asked) == servers.OUTDATED and near._visitor.ask(3, asked) == servers.NO_WEIGHTS


@pytest.mark.slow
def test_a_server_that_does_not_come_back_is_replaced(cluster: Any, tmp_path: Path) -> None:
    """`pytest -m slow tests/distributed/test_servers.py`: a minute."""
    settings = {"inference": "server", "workers": 2, "batch_limit": 32, "start_seconds": 15.0}
    with pool(cluster.address, tmp_path, **settings) as served:
        (server,) = served._staff.servers.ready()
        killed = after(20, lambda: served.cluster.ray.kill(server.actor))  # Ray does not start it again
        played = served.play(network().weights(), 1, 0, 300, killed)
        assert same(played.episodes, locally(300))
        assert played.figures["runtime/deaths"] == 1
        assert [s.name for s in served._staff.servers.ready()] == ["inference-2"]


def test_more_rows_than_a_batch_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """Growing-tree CFR asks for as many leaves of a lane as a position has actions."""
    sizes: list[int] = []

    def answer(caller: str, number: int, observations: NDArray[np.int16]) -> Answer:
        sizes.append(len(observations))
        return HashEvaluator(kuhn()).evaluate(observations)

    monkeypatch.setattr(servers.ray, "get", lambda found, timeout: found)
    far = SimpleNamespace(door=SimpleNamespace(remote=lambda: ""), answer=SimpleNamespace(remote=answer))
    asking = servers.RemoteEvaluator(far, "somebody", 10, 5.0)
    asking.load(Round(1, "w", None, 1))
    rows = np.random.default_rng(1).integers(0, 5, (34, kuhn().observation_size)).astype(np.int16)
    for found, wanted in zip(asking.evaluate(rows), HashEvaluator(kuhn()).evaluate(rows), strict=True):
        assert np.array_equal(found, wanted)
    assert sizes == [10, 10, 10, 4]


def test_the_rows_of_a_batch_are_those_of_all_leaves_of_a_lane() -> None:
    grown = dataclasses.replace(SEARCH, algorithm="gt_cfr")
    assert batch_of(kuhn(), SELFPLAY, SEARCH) == SELFPLAY.lanes * SEARCH.leaf_rows(kuhn())
    assert batch_of(kuhn(), SELFPLAY, grown) == SELFPLAY.lanes * grown.leaf_rows(kuhn()) * kuhn().max_legal
