"""Inference servers: 1 games are the same, bit for bit, as with the network in the worker, also when the server is
killed under way; 2 batches fill, and their figures are told."""

import os
import signal
from pathlib import Path
from typing import Any

from tests.distributed.runs import after, locally, network, pool, same
from tests.test_docs import first_cells, section


def test_a_server_plays_what_one_process_plays_and_may_die(cluster: Any, tmp_path: Path) -> None:
    weights, wanted = network().weights(), locally(300)
    settings = {"inference": "server", "workers": 2, "batch_limit": 32, "wait_ms": 5.0}
    with pool(cluster.address, tmp_path, **settings) as served:
        (pid,) = served._staff._server_pids.values()
        played = served.play(weights, 1, 0, 300, after(20, lambda: os.kill(pid, signal.SIGKILL)))
        assert same(played.episodes, wanted)
        assert played.figures["runtime/deaths"] == 1
        assert 0 < played.figures["runtime/batch_fill"] <= 1
        named = first_cells(section("docs/distributed.md", "Figures"))
        assert sorted([*played.figures, "runtime/staleness"]) == sorted(named)  # the last is the loop's
        assert played.figures["runtime/batch_ms"] > 0 and played.figures["runtime/queue_wait_ms"] >= 0
        again = served.play(network().weights(), 1, 300, 40, lambda _: None)
        assert same(again.episodes, locally(40, first=300))
