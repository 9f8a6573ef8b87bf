"""Faults on a real cluster of several nodes: training goes on, or resumes, no finished game is lost, none counts twice.

1 The driver, and with it the learner, is killed, then the run resumed; Ctrl-C, of a match too; in no case a process
stays behind. 2 A node dies. 3 A worker is slow, or hangs. 4 A node comes late. 5 The object store is nearly full.
6 Memory stays flat. A killed worker and a killed inference server are in `test_pool.py` and `test_servers.py`. The slow
ones, six minutes without the last: `pytest -m slow tests/distributed/test_faults.py`.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from orion_ai import checkpoint
from orion_ai.arena.entrants import resolve
from orion_ai.arena.match import seatings
from orion_ai.arena.runner import Match
from orion_ai.distributed import crew as crews
from orion_ai.distributed.crew import Crew
from orion_ai.distributed.matches import RayMatches
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
SECONDS = 200.0
AGENTS = ("DashboardAgent", "RuntimeEnvAgent")
"""Two processes of Ray's own on each node that take a minute to notice that everybody else was killed."""
WEIGHTS = network().weights()


@contextmanager
def command(module: str, *words: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A command in a process group of its own, of which nothing outlives the block."""
    words = (sys.executable, "-m", module, *words)
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def long_run(folder: Path) -> AbstractContextManager["subprocess.Popen[bytes]"]:
    """A training with a cluster of its own."""
    return command("tests.distributed.runs", str(folder), "400", "workers=1", "games_per_task=1")


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
    with long_run(folder.parent) as process:
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


def interrupt(process: "subprocess.Popen[bytes]") -> bytes:
    """Ctrl-C, which reaches the whole group, as it does from a terminal: every process ends. What was said last."""
    members = family(process)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=SECONDS)
    assert len(members) > 5 and psutil.wait_procs(members, timeout=SECONDS)[1] == []
    return bytes(said)


@pytest.mark.slow
def test_ctrl_c_leaves_no_process(tmp_path: Path) -> None:
    with long_run(tmp_path) as process:
        wait_for(lambda: (tmp_path / "run" / "log.jsonl").exists())
        assert b"KeyboardInterrupt" in interrupt(process)
        assert process.returncode != 0


@pytest.mark.slow
def test_ctrl_c_of_a_match_leaves_no_process_and_the_match_goes_on(tmp_path: Path) -> None:
    """Neither a worker, nor the process beside it in which somebody else's agent plays."""
    words = ["arena", "kuhn_poker", "agents=[random,{python: 'tests.arena.agents:Slow'}]", "blocks=30", "lanes=1"]
    words += [f"output={tmp_path}", "runtime=ray", "runtime.workers=1"]
    journal = tmp_path / "blocks.jsonl"
    with command("orion_ai.cli", *words) as process:
        wait_for(lambda: journal.exists() and journal.read_bytes().count(b"\n") > 3)
        assert b"the same command goes on" in interrupt(process)
        assert process.returncode == 130
    first = journal.read_bytes()
    with command("orion_ai.cli", *words) as process:
        _, said = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, said
    assert journal.read_bytes().startswith(first) and first.count(b"\n") < 31
    _, *blocks = map(json.loads, journal.read_text().splitlines())
    assert sorted(block["block"] for block in blocks) == list(range(30))


@pytest.mark.slow
def test_a_node_dies(cluster: Any, tmp_path: Path) -> None:
    node = cluster.add_node(**{**NODE, "num_cpus": 3})
    with pool(cluster.address, tmp_path, workers=5) as made:
        settle(made, 5)
        figures = play(made, 3000, after(300, lambda: cluster.remove_node(node, allow_graceful=False)))
        assert figures["runtime/deaths"] >= 1 and figures["runtime/retries"] >= 1


@contextmanager
def slowed_down(pid: int) -> Iterator[None]:
    """A process that works for a hundredth of a second every one and a half."""
    over = threading.Event()

    def stop_and_go() -> None:
        while not over.is_set():
            os.kill(pid, signal.SIGSTOP)
            over.wait(1.5)
            os.kill(pid, signal.SIGCONT)
            time.sleep(0.01)

    thread = threading.Thread(target=stop_and_go)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.slow
def test_a_worker_that_is_slow_or_hangs_is_not_waited_for(cluster: Any, tmp_path: Path) -> None:
    """Its games go to the other one, what comes first counts, and what comes late does no harm."""
    with pool(cluster.address, tmp_path, workers=2) as made:
        settle(made, 2)
        slow, deaths = made._crew.ready()[0].pid, made._staff.deaths()  # some may have been sent to a node of the past
        counted: list[int] = []
        with slowed_down(slow):
            figures = play(made, 300, counted.append)
        assert figures["runtime/retries"] >= 1 and figures["runtime/deaths"] == deaths
        assert sum(counted) == 300
        landed = [e.number for p in tmp_path.glob("*.npz") for e in read_shard(p, identity_of(kuhn())).episodes]
        assert sorted(n for n in landed if n >= 1000) == list(range(1000, 1300))
        for path in tmp_path.glob("*.npz"):
            path.unlink()
        figures = play(made, 400, after(50, lambda: os.kill(slow, signal.SIGSTOP)))
        assert figures["runtime/retries"] >= 1 and figures["runtime/deaths"] == deaths
        os.kill(slow, signal.SIGCONT)
        play(made, 400)
        played = made.play(WEIGHTS, 1, 5000, 200, lambda _: None)
        assert same(played.episodes, locally(200, first=5000))


@pytest.mark.slow
def test_a_worker_that_hangs_alone_is_replaced(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else is there to play its games, or the blocks of a match."""
    monkeypatch.setattr(crews, "ANSWER_SECONDS", 3.0)
    match = Match({"name": "kuhn_poker"}, resolve(["random", "random"]), 1, 2)
    one = RuntimeConfig("ray", cluster.address, workers=1)
    with pool(cluster.address, tmp_path, workers=1) as made, RayMatches(match, one) as far:
        settle(made, 1)
        hung: list[psutil.Process] = []

        def hang(crew: Crew) -> None:
            (member,) = crew.ready()
            hung.append(psutil.Process(member.pid))
            hung[-1].suspend()

        play(made, 400, after(50, lambda: hang(made._crew)))
        for elsewhere, crew in ((made.elsewhere(match), made._crew), (far, far._crew)):
            found = set()
            for block in elsewhere.play(seatings(2, 2), [range(3000)]):
                found.add(block.number)
                if len(found) == 10:
                    hang(crew)
            assert found == set(range(3000))
        assert (made._crew.deaths, far._crew.deaths) == (2, 1)
        assert psutil.wait_procs(hung, timeout=SECONDS)[1] == []


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
            servers = made._staff.servers.ready()
            assert len(servers) == (2 if settings else 0)
            if servers:  # a server of each node's own
                asked = {m.node_id: made._staff._server_of[m.name] for m in made._crew.ready()}
                assert asked == {server.node_id: server.name for server in servers} and len(asked) == 2
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
