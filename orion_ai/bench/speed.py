"""Speed of games' kernels and of searches. Every figure is the best of a few timed stretches, on one core."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.contract import Game
from engines.errors import FileError
from engines.rng import key_of
from orion_ai.bench import kernels
from orion_ai.bench.probe import Probe
from orion_ai.search.config import SearchConfig
from orion_ai.search.evaluator import UniformEvaluator
from orion_ai.search.search import Search

__all__ = ["Row", "compile_rows", "game_rows", "machine", "memory_rows", "rate", "search_rows"]

STRETCHES = 3


@dataclass(frozen=True)
class Row:
    """One figure: what was measured, on what, how much, in which unit."""

    game: str
    what: str
    figure: float
    unit: str


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    return {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def rate(work: Callable[[int], int], seconds: float) -> float:
    """Units a second of `work(repeats) -> units done`: the best of three stretches of about `seconds` / 3 each."""
    repeats, done, took = 1, work(1), 0.0
    while took < seconds / (4 * STRETCHES):
        repeats *= 2
        started = time.perf_counter()
        done = work(repeats)
        took = time.perf_counter() - started
    repeats = max(1, round(repeats * seconds / STRETCHES / max(took, 1e-9)))
    best = done / took
    for _ in range(STRETCHES):
        started = time.perf_counter()
        done = work(repeats)
        best = max(best, done / (time.perf_counter() - started))
    return best


def game_rows(game: Game, seconds: float) -> list[Row]:
    """Random play, and each kernel by itself at positions of random play, for the mover; one core."""
    probe = Probe(game)
    table, states, count = game.table, probe.states, len(probe.states)

    def each(loop: Callable[[int], Any]) -> Callable[[int], int]:
        def work(repeats: int) -> int:
            loop(repeats)
            return repeats * count

        return work

    loops: dict[str, Callable[[int], Any]] = {
        "clone": lambda n: kernels.clone_loop(states, probe.state, n),
        "legal": lambda n: kernels.legal_loop(table, states, probe.outcomes, n),
        "observe": lambda n: kernels.observe_loop(table, states, probe.observation, n),
        "info_key": lambda n: kernels.info_key_loop(table, states, n),
        "determinize": lambda n: kernels.determinize_loop(table, states, probe.state, probe.rng, n),
    }
    share = seconds / (len(loops) + 2)
    rows = [
        Row(game.name, "random play", rate(lambda n: probe.random_games(n)[0], share), "decisions/s"),
        Row(game.name, "random games", rate(lambda n: probe.random_games(n) and n, share), "games/s"),
    ]
    return rows + [Row(game.name, name, 1e9 / rate(each(loop), share), "ns") for name, loop in loops.items()]


def compile_rows(game: str) -> list[Row]:
    """Processor seconds until a game can be played, in a process of its own: with an empty cache of kernels, and again.

    Raises:
        FileError: the game cannot be loaded there.
    """
    import resource  # which not every system has

    command = [sys.executable, "-c", f"import engines; engines.load({game!r}).start(1)"]
    own = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    took = []
    with tempfile.TemporaryDirectory() as cache:
        for _ in range(2):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(
                command, env={**own, "ORION_CACHE_DIR": cache}, capture_output=True, text=True, check=False
            )
            if done.returncode:
                raise FileError(f"{game} cannot be loaded with an empty cache: {done.stderr.strip()[-500:]}")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return [Row(game, "load, nothing compiled", took[0], "s"), Row(game, "load, compiled", took[1], "s")]


def search_rows(game: Game, seconds: float) -> list[Row]:
    """Simulations a second of each algorithm, one lane and many; networks stood in for by one that costs nothing."""
    probe = Probe(game, 64)
    configs = {
        "ismcts, random playouts": SearchConfig(algorithm="ismcts", simulations=128),
        "puct, free evaluator": SearchConfig(algorithm="puct", leaf="network", simulations=32),
        "gumbel, free evaluator": SearchConfig(algorithm="gumbel", leaf="network", simulations=32),
    }
    if game.kernels.scripted is not None:
        configs["ismcts, scripted playouts"] = SearchConfig(algorithm="ismcts", leaf="scripted", simulations=128)
    rows = []
    for name, config in configs.items():
        for lanes in (1, 64):
            evaluator = UniformEvaluator(game) if config.leaf == "network" else None
            search = Search(game, config, evaluator, lanes)
            seats, states = probe.seats(lanes), probe.states[:lanes]

            def work(repeats: int, search: Search = search, seats: Any = seats, states: Any = states) -> int:
                done = 0
                for number in range(repeats):
                    keys = np.array([key_of("bench", number, lane) for lane in range(len(seats))], np.uint64)
                    done += int(search.run(states, seats, keys).simulations.sum())
                return done

            rows.append(
                Row(game.name, f"{name}, {lanes} lanes", rate(work, seconds / (2 * len(configs))), "simulations/s")
            )
    return rows


def memory_rows(game: Game) -> list[Row]:
    """What a position takes, and the trees of a lane."""
    rows = [
        Row(game.name, "state", game.record_size, "bytes"),
        Row(game.name, "observation", 2 * game.observation_size, "bytes"),
    ]
    for config in (
        SearchConfig(algorithm="gumbel", leaf="network", simulations=32),
        SearchConfig(algorithm="puct", leaf="network", simulations=800),
        SearchConfig(algorithm="ismcts", simulations=1000),
    ):
        evaluator = UniformEvaluator(game) if config.leaf == "network" else None
        kilobytes = Search(game, config, evaluator, 64).nbytes / 64_000
        rows.append(Row(game.name, f"trees, {config.algorithm} {config.simulations}", kilobytes, "kB/lane"))
    return rows
