"""Faults on a real cluster of several nodes: training goes on, or resumes, no finished game is lost, none counts twice.

1 The driver, and with it the learner, is killed, then the run resumed; Ctrl-C; in both cases no process stays behind.
2 A node dies. 3 A worker hangs. 4 A node comes late. 5 The object store is nearly full. 6 Memory stays flat. A killed
worker and a killed inference server are in `test_pool.py` and `test_servers.py`. The slow ones, five minutes without
the last: `pytest -m slow tests/distributed/test_faults.py`.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from orion_ai import checkpoint
from orion_ai.distributed.pool import RayPool
from orion_ai.identity import identity_of
from orion_ai.replay.shard import read_shard
from orion_ai.runtime import RuntimeConfig
from tests.distributed.conftest import NODE
from tests.distributed.runs import after, locally, network, pool, same
from tests.learner.runs import bits, run
from tests.replay.games import kuhn

MINUTES = 30.0
"""How long the memory is watched."""
SECONDS = 90.0
AGENTS = ("DashboardAgent", "RuntimeEnvAgent")
"""Two processes of Ray's own on each node that take a minute to notice that everybody else was killed."""
WEIGHTS = network().weights()


def start(folder: Path) -> "subprocess.Popen[bytes]":
    """A long run with a cluster of its own, in a process and a process group of its own."""
    words = [sys.executable, "-m", "tests.distributed.runs", str(folder), "400", "workers=1", "games_per_task=1"]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)


def family(process: "subprocess.Popen[bytes]") -> list[psutil.Process]:
    """All processes below it: the cluster's."""
    return psutil.Process(process.pid).children(recursive=True)


def wait_for(what: Callable[[], object]) -> None:
    until = time.monotonic() + SECONDS
    while not what():
        assert time.monotonic() < until
        time.sleep(0.005)


def settle(made: RayPool, workers: int) -> None:
    """Play little rounds until so many workers are there."""
    until = time.monotonic() + SECONDS
    while len(made._crew.ready()) != workers:
        assert time.monotonic() < until
        made.play(WEIGHTS, 1, 0, 20, lambda _: None)
        made._parts.joinpath("000000000.npz").unlink(missing_ok=True)  # a round without any game is over at once


def play(made: RayPool, count: int, finished: Callable[[int], object] = lambda _: None) -> dict[str, float]:
    """Play a round, check that its games are those of one process, and return its figures."""
    played = made.play(WEIGHTS, 1, 1000, count, finished)
    assert same(played.episodes, locally(count, first=1000))
    return dict(played.figures)


def test_a_killed_driver_leaves_no_process_and_the_run_resumes(cluster: Any, tmp_path: Path) -> None:
    folder = tmp_path / "ray" / "run"
    process = start(folder.parent)
    wait_for(lambda: len(list(folder.glob("parts/*.npz"))) >= 3)
    members = [member for member in family(process) if not member.name().endswith(AGENTS)]
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert len(members) > 5
    assert psutil.wait_procs(members, timeout=SECONDS)[1] == []

    done = int(checkpoint.read(folder).counters["iteration"])
    landed = [e.number for p in folder.glob("parts/*.npz") for e in read_shard(p, identity_of(kuhn())).episodes]
    assert len(landed) == len({*landed})
    run(folder.parent, done + 2, runtime=RuntimeConfig("ray", cluster.address, workers=1))
    run(tmp_path / "local", done + 2)
    assert bits(folder) == bits(tmp_path / "local" / "run")


@pytest.mark.slow
def test_ctrl_c_leaves_no_process(tmp_path: Path) -> None:
    """The signal reaches the whole group, as it does from a terminal."""
    process = start(tmp_path)
    wait_for(lambda: (tmp_path / "run" / "log.jsonl").exists())
    members = family(process)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=SECONDS)
    assert process.returncode != 0 and b"KeyboardInterrupt" in said
    assert len(members) > 5 and psutil.wait_procs(members, timeout=SECONDS)[1] == []


@pytest.mark.slow
def test_a_node_dies(cluster: Any, tmp_path: Path) -> None:
    node = cluster.add_node(**{**NODE, "num_cpus": 3})
    with pool(cluster.address, tmp_path, workers=5) as made:
        settle(made, 5)
        figures = play(made, 3000, after(300, lambda: cluster.remove_node(node, allow_graceful=False)))
        assert figures["runtime/deaths"] >= 1 and figures["runtime/retries"] >= 1


@pytest.mark.slow
def test_a_worker_that_hangs_is_not_waited_for(cluster: Any, tmp_path: Path) -> None:
    with pool(cluster.address, tmp_path, workers=2) as made:
        settle(made, 2)
        slow, deaths = made._crew.ready()[0].pid, made._staff.deaths()  # some may have been sent to a node of the past
        figures = play(made, 400, after(50, lambda: os.kill(slow, signal.SIGSTOP)))
        assert figures["runtime/retries"] >= 1 and figures["runtime/deaths"] == deaths
        os.kill(slow, signal.SIGCONT)
        play(made, 400)
        played = made.play(WEIGHTS, 1, 5000, 200, lambda _: None)
        assert same(played.episodes, locally(200, first=5000))


@pytest.mark.slow
@pytest.mark.parametrize("inference", ["worker", "server"])
def test_a_node_that_comes_late_is_used(inference: str, tmp_path: Path) -> None:
    """With servers of one worker each, a node of two CPUs brings one more of both."""
    from ray.cluster_utils import Cluster

    cpus, settings = 1, dict[str, Any]()
    if inference == "server":
        cpus, settings = 2, {"inference": "server", "workers_per_inference_server": 1}
    own = Cluster(initialize_head=True, head_node_args={**NODE, "num_cpus": cpus, "include_dashboard": False})
    try:
        with pool(own.address, tmp_path, workers=0, **settings) as made:
            settle(made, 1)
            own.add_node(**{**NODE, "num_cpus": cpus})
            settle(made, 2)
            assert len(made._staff.servers.ready()) == (2 if settings else 0)
            assert play(made, 400)["runtime/workers"] == 2
    finally:
        own.shutdown()


@pytest.mark.slow
def test_a_store_that_is_nearly_full(cluster: Any, tmp_path: Path) -> None:
    with pool(cluster.address, tmp_path, workers=2) as made:
        kept = [made.cluster.ray.put(np.zeros(9 << 20, np.uint8)) for _ in range(10)]
        play(made, 400)
        assert len(kept) == 10


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_memory_stays_flat(cluster: Any, tmp_path: Path) -> None:
    """Of the workers and of this process, over MINUTES: the last quarter against the second."""
    rounds = []
    with pool(cluster.address, tmp_path, workers=2) as made:
        settle(made, 2)
        until = time.monotonic() + 60 * MINUTES
        while time.monotonic() < until:
            made.play(WEIGHTS, 1, 1000 * (1 + len(rounds)), 1000, lambda _: None)
            for path in tmp_path.glob("*.npz"):
                path.unlink()
            members = [psutil.Process(), *(psutil.Process(m.pid) for m in made._crew.ready())]
            rounds.append([m.memory_info().rss for m in members])
    quarter = len(rounds) // 4
    before, after_all = (
        np.median(np.array(part), axis=0) for part in (rounds[quarter : 2 * quarter], rounds[-quarter:])
    )
    assert np.all(after_all <= 1.05 * before)
