"""Measuring: the two sides of a comparison in turn, on one core, and what came out.

Run as a program it measures one peer, in a process of its own with one thread and one core:
`python -m orion_ai.bench.peers.rounds '{"peer": "pgx", "games": [], "rounds": 5, "seconds": 0.3}'` prints a line of
JSON for each comparison.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from orion_ai.bench.peers.protocol import Comparison, Work

__all__ = ["ENVIRONMENT", "PEERS", "Result", "compare", "main", "pin"]

PEERS = {
    "open_spiel": "openspiel",
    "pgx": "pgx_games",
    "mctx": "mctx_search",
    "pettingzoo": "pettingzoo_loop",
    "rlcard": "rlcard_loop",
}
"""The module of each peer: `MODULES`, `comparisons()`, and `memory()` where memory is compared."""

ENVIRONMENT = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"),
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
    "TF_CPP_MIN_LOG_LEVEL": "3",
}
"""Set before the libraries start: one thread each."""


@dataclass(frozen=True)
class Result:
    """What a comparison gave. Rates are units a second of processor time, one of each side a round.

    Attributes:
        busy: share of the wall time in which the process had the core, the least of all stretches.
    """

    peer: str
    game: str
    work: str
    unit: str
    theirs_by: str
    ours_by: str
    theirs: list[float]
    ours: list[float]
    goal: float | None
    busy: float

    @property
    def ratios(self) -> list[float]:
        """Ours to theirs, round by round."""
        return [ours / theirs for ours, theirs in zip(self.ours, self.theirs, strict=True)]

    @property
    def ratio(self) -> float:
        """The median."""
        return statistics.median(self.ratios)


def pin() -> int:
    """Keep this process (and the threads it will start) on the last core that it may use; returns its number or -1."""
    if not hasattr(os, "sched_setaffinity"):
        return -1
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return core


@dataclass(frozen=True)
class _Stretch:
    units: float
    processor: float
    wall: float


def _stretch(work: Work, repeats: int) -> _Stretch:
    wall, processor = time.perf_counter(), time.process_time()
    units = work(repeats)
    return _Stretch(units, time.process_time() - processor, time.perf_counter() - wall)


def _repeats(work: Work, seconds: float) -> int:
    """How many repeats take about `seconds`; the first call, which compiles, is not counted."""
    work(1)
    repeats, took = 1, _stretch(work, 1).processor
    while took < seconds / 8:
        repeats *= 2
        took = _stretch(work, repeats).processor
    return max(1, round(repeats * seconds / took))


def compare(comparison: Comparison, peer: str, rounds: int, seconds: float) -> Result:
    """Run both sides in turn, `rounds` times, the first of a round being now one and now the other.

    Args:
        comparison: what to run.
        peer: the peer's name.
        rounds: how often.
        seconds: processor time of a side in a round, about.
    """
    sides = comparison.theirs(), comparison.ours()
    repeats = [_repeats(work, seconds) for work in sides]
    rates: tuple[list[float], list[float]] = ([], [])
    busy = 1.0
    for number in range(rounds):
        for side in (0, 1) if number % 2 == 0 else (1, 0):
            stretch = _stretch(sides[side], repeats[side])
            rates[side].append(stretch.units / stretch.processor)
            busy = min(busy, stretch.processor / stretch.wall)
    return Result(
        peer, comparison.game, comparison.work, comparison.unit, comparison.peer, comparison.by,
        *rates, comparison.goal, busy,
    )  # fmt: skip


def main(request: str, say: Callable[[dict[str, Any]], None]) -> None:
    """Measure one peer as the JSON `request` asks, and `say` each result as plain data."""
    pin()
    asked = json.loads(request)
    module = importlib.import_module(f"{__package__}.{PEERS[asked['peer']]}")
    wanted: Sequence[str] = asked["games"]
    for row in module.memory() if hasattr(module, "memory") else ():
        if not wanted or row.game in wanted:
            figures = {"ours": row.ours(), "theirs": row.theirs()}
            say({"memory": row.what, "peer": asked["peer"], "game": row.game, "theirs_by": row.peer, **figures})
    for comparison in module.comparisons():
        if not wanted or comparison.game in wanted:
            say(dataclasses.asdict(compare(comparison, asked["peer"], asked["rounds"], asked["seconds"])))


if __name__ == "__main__":
    main(sys.argv[1], lambda data: print(json.dumps(data), flush=True))
