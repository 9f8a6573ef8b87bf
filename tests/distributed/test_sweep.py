"""Sweeps on a cluster: 1 jobs run side by side, what each says bears its number, one that fails is named and the others
go on; 2 runs have folders of their own; 3 a cluster is shared out; 4 Ctrl-C, and a killed command, leave no process."""

import dataclasses
import os
import signal
from pathlib import Path
from typing import Any

import psutil
import pytest

from orion_ai import checkpoint
from orion_ai.cli import main
from orion_ai.commands.sweep import Job, run_jobs
from orion_ai.distributed.plan import Plan
from orion_ai.distributed.staff import shared
from orion_ai.runtime import RuntimeConfig
from tests.distributed.runs import NET, SEARCH, SELFPLAY, TORCH
from tests.distributed.test_faults import AGENTS, SECONDS, command, family, wait_for


def test_jobs_that_fail_are_told_from_others() -> None:
    said: list[str] = []
    jobs = [Job(0, ("train", "net=tny"), "a"), Job(1, ("train", "--config"), "b"), Job(2, ("games", "--help"), "c")]
    assert run_jobs(jobs, 2, said.append) == {0: 2, 1: 0, 2: 0}
    assert any(line.startswith("0: orion train:") and "'tiny'" in line for line in said)
    assert any(line.startswith("1: ") and "kuhn_poker" in line for line in said)
    assert [line for line in said if line.startswith("job ")] == ["job 0: a", "job 1: b", "job 2: c"]


def test_a_cluster_is_shared_out() -> None:
    def way(jobs: int, cpus: float, gpus: float = 0.0, **settings: Any) -> tuple[int, int]:
        plan = Plan({}, NET, TORCH, SEARCH, SELFPLAY, RuntimeConfig("ray", **settings))
        if settings.get("gpus_per_server"):
            plan = dataclasses.replace(plan, evaluator=dataclasses.replace(TORCH, device="cuda"))
        return shared(plan, jobs, {"CPU": cpus, "GPU": gpus})

    assert way(3, 16) == (3, 5)
    assert way(30, 16) == (16, 1)
    assert way(3, 16, workers=6) == (2, 6)
    assert way(3, 16, inference="server", workers_per_inference_server=4) == (3, 4)
    assert way(3, 16, 2, inference="server", gpus_per_server=1.0) == (2, 8)


def test_a_sweep_on_a_cluster(cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["train", "-m", "experiment=smoke", "evaluation.final_blocks=2", "evaluator.backend=torch"]
    words += [f"folder={tmp_path}", "evaluation.against=[random],[nobody]"]
    assert main([*words, "runtime=ray", "runtime.workers=1", f"runtime.address={cluster.address}"]) == 2
    out, err = capsys.readouterr()
    assert "2 jobs, 2 at once" in out and "1: orion train: " in out and "0: trained: " in out
    assert "orion train: job 1 (evaluation.against=[nobody]) failed with 2" in err and "job 0" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["smoke-0"]
    assert checkpoint.read(tmp_path / "smoke-0").counters["iteration"] == 2


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_a_sweep_that_is_ended_leaves_no_process(end: signal.Signals, tmp_path: Path) -> None:
    """The first as from a terminal, to the whole group. `pytest -m slow tests/distributed/test_sweep.py`: a minute."""
    words = ["train", "-m", "experiment=smoke", "iterations=100000", "seed=1,2", f"folder={tmp_path}", "runtime=ray"]
    with command("orion_ai.cli", *words) as process:
        wait_for(lambda: all((tmp_path / f"smoke-{i}" / "log.jsonl").exists() for i in range(2)))
        members = [member for member in family(process) if end == signal.SIGINT or not member.name().endswith(AGENTS)]
        (os.killpg if end == signal.SIGINT else os.kill)(process.pid, end)
        assert process.wait(SECONDS) == (130 if end == signal.SIGINT else -signal.SIGKILL)
        assert len(members) > 8 and psutil.wait_procs(members, timeout=SECONDS)[1] == []
