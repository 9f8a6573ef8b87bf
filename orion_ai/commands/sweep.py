"""The jobs of a sweep side by side: each a command in a process of its own, all of them on one Ray cluster.

Hydra's launchers start the function of an application that Hydra itself runs; Orion's commands only compose with it.
The jobs are processes of this machine, so their folders lie here; the cluster plays their games.
"""

from __future__ import annotations

import multiprocessing as mp
import os
import runpy
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from rich.console import Console

from orion_ai.commands.configuration import Request, quoted
from orion_ai.loop import TrainConfig, plan_of

__all__ = ["Job", "run_jobs", "side_by_side"]

INTERRUPTED_SECONDS = 60.0
"""How long an interrupted job may take to leave."""
ORPHANED_SECONDS = 15.0
"""How long one may whose parent was killed."""


@dataclass(frozen=True)
class Job:
    """A command line, its number, and what tells it from the others, for people."""

    number: int
    words: tuple[str, ...]
    title: str


def side_by_side(requests: Sequence[Request[TrainConfig]], console: Console) -> int:
    """Train what is asked for, as many runs at once as the cluster has room for; returns the exit code.

    A cluster that is started is one for all of them. Without `runtime.workers` its CPUs are shared out evenly.

    Raises:
        UsageError: the cluster cannot be used, or has no room for one of them.
        KeyboardInterrupt: Ctrl-C, when no process is left.
    """
    from orion_ai.distributed.cluster import Cluster
    from orion_ai.distributed.staff import check_room, shared

    plans = [plan_of(request.config, request.config.evaluator) for request in requests]
    with Cluster(plans[0].runtime) as cluster:
        for plan in plans:
            check_room(cluster, plan)
        places = [shared(plan, len(plans), cluster.resources()) for plan in plans]
        at_once = min(count for count, _ in places)
        common = set.intersection(*(set(request.overrides) for request in requests))
        jobs = []
        for request, plan, (_, workers) in zip(requests, plans, places, strict=True):
            name = f"{request.config.run_name}-{request.job}"
            settings = {"address": cluster.address, "workers": plan.runtime.workers or workers}
            settings |= {"object_store_mb": 256, "dashboard": "false"}  # of a cluster that is started
            words = [f"name={quoted(name)}", *(f"runtime.{key}={value}" for key, value in settings.items())]
            title = " ".join(word for word in request.overrides if word not in common)
            jobs.append(Job(int(request.job or 0), ("train", *request.overrides, *words), title))
        console.print(f"{len(jobs)} jobs, {at_once} at once", markup=False)
        codes = run_jobs(jobs, at_once, lambda text: console.print(text, markup=False, soft_wrap=True))
    failed = [job for job in jobs if codes[job.number]]
    for job in failed:
        print(f"orion train: job {job.number} ({job.title}) failed with {codes[job.number]}", file=sys.stderr)
    if not failed:
        return 0
    return 2 if all(codes[job.number] == 2 for job in failed) else 1


def run_jobs(jobs: Sequence[Job], at_once: int, say: Callable[[str], object]) -> dict[int, int]:
    """Run commands, at most `at_once` at the same time; returns their exit codes (-N: signal N) by their numbers.

    Args:
        jobs: what to run.
        at_once: how many at the same time.
        say: told each line that they write, with the job's number before it.

    Raises:
        KeyboardInterrupt: Ctrl-C; the jobs have been interrupted too, and are over.
    """
    waiting, running, codes = list(jobs), dict[Any, tuple[Job, Any, threading.Thread]](), dict[int, int]()
    context = mp.get_context("spawn")
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                job = waiting.pop(0)
                say(f"job {job.number}: {job.title}")
                ours, theirs = context.Pipe(duplex=False)
                process = context.Process(target=_work, args=(job.words, theirs))
                process.start()
                theirs.close()
                reader = threading.Thread(target=_read, args=(ours, job.number, say), daemon=True)
                reader.start()
                running[process.sentinel] = job, process, reader
            for sentinel in wait(list(running)):
                job, process, reader = running.pop(sentinel)
                process.join()
                reader.join()
                codes[job.number] = int(process.exitcode or 0)
    except BaseException:
        _interrupt([process for _, process, _ in running.values()])
        raise
    return codes


def _interrupt(processes: Sequence[Any]) -> None:
    """Ask them to leave as Ctrl-C would, and see to it that they do."""
    try:
        for process in processes:
            os.kill(process.pid, signal.SIGINT)
        until = time.monotonic() + INTERRUPTED_SECONDS
        for process in processes:
            process.join(max(0.0, until - time.monotonic()))
    finally:
        for process in processes:
            process.kill()
            process.join()


def _read(output: Connection, number: int, say: Callable[[str], object]) -> None:
    with os.fdopen(os.dup(output.fileno()), errors="replace") as lines:
        output.close()
        for line in lines:
            say(f"{number}: {line.rstrip()}")


def _work(words: Sequence[str], output: Connection) -> None:
    """A job's process. Ctrl-C at the terminal reaches the parent alone, who passes it on once."""
    os.setpgid(0, 0)
    for stream in (1, 2):
        os.dup2(output.fileno(), stream)
    output.close()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    threading.Thread(target=_follow_parent, daemon=True).start()
    sys.argv = ["orion", *words]
    runpy.run_module("orion_ai.cli", run_name="__main__")


def _follow_parent() -> None:
    """Leave as after Ctrl-C when the parent has been killed without a word."""
    parent = mp.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(ORPHANED_SECONDS)  # a cluster that has gone with the parent is not left in good order
    os._exit(130)
