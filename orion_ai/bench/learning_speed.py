"""Speed of networks and of self-play."""

from __future__ import annotations

import cProfile
import pstats
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game
from orion_ai.bench.probe import Probe
from orion_ai.bench.speed import Row, rate
from orion_ai.net.config import EvaluatorConfig, NetConfig
from orion_ai.net.evaluators import make_evaluator
from orion_ai.net.network import make_network
from orion_ai.search.config import SearchConfig
from orion_ai.search.evaluator import Evaluator
from orion_ai.selfplay.config import SelfPlayConfig
from orion_ai.selfplay.worker import Worker

__all__ = ["network_rows", "selfplay_rows"]

BATCHES = (1, 64, 1024)
STAGES = {
    ("worker.py", "play"): "all",
    ("search.py", "run"): "search",
    ("evaluators.py", "evaluate"): "network",
    ("lanes.py", "worlds"): "worlds",
    ("lanes.py", "apply"): "rules",
}
"""What self-play does in which function; the network is asked from within the search."""


def network_rows(game: Game, seconds: float, device: str = "cpu") -> list[Row]:
    """Evaluations a second of the default network on each backend, by batch size, one thread."""
    network, positions = make_network(game, NetConfig()), Probe(game, 64)
    rows = np.array([_observed(game, state) for state in positions.states])
    kinds = [("torch", "fp32"), ("torch", "bf16"), *([("onnx", "fp32")] if device == "cpu" else [])]
    found = []
    for backend, precision in kinds:
        for batch in BATCHES:
            evaluator = make_evaluator(network, EvaluatorConfig(backend, precision, device), batch)
            observations = np.ascontiguousarray(np.resize(rows, (batch, game.observation_size)))

            def work(repeats: int, evaluator: Evaluator = evaluator, batch: NDArray[np.int16] = observations) -> int:
                for _ in range(repeats):
                    evaluator.evaluate(batch)
                return repeats * len(batch)

            figure = rate(work, seconds / (len(kinds) * len(BATCHES)))
            found.append(Row(game.name, f"{backend} {precision} on {device}, batch {batch}", figure, "evaluations/s"))
    return found


def _observed(game: Game, state: NDArray[np.uint8]) -> NDArray[np.int16]:
    out = np.zeros(game.observation_size, np.int16)
    game.kernels.observe(state, game.kernels.to_play(state), out)
    return out


def selfplay_rows(game: Game, games: int = 64, lanes: int = 64) -> list[Row]:
    """Self-play with the default network and Gumbel search, one worker: games a second, and where the time goes."""
    config = SelfPlayConfig(games=games, lanes=lanes)
    search = SearchConfig(algorithm="gumbel", leaf="network", simulations=32)
    worker = Worker(
        game, config, search, make_evaluator(make_network(game, NetConfig()), EvaluatorConfig("torch"), 2 * lanes)
    )

    def play(first: int) -> float:
        started = time.perf_counter()
        worker.play(0, range(first, first + games), lambda _: None, threading.Event())
        return time.perf_counter() - started

    play(0)
    took = play(games)
    name = f"self-play, {lanes} lanes, gumbel 32"
    return [
        Row(game.name, name, games / took, "games/s"),
        Row(game.name, f"{name}: decisions", worker.counts.decisions / took, "decisions/s"),
        *(Row(game.name, f"{name}: {stage}", share, "% of time") for stage, share in _shares(play).items()),
    ]


def _shares(play: Callable[[int], float]) -> dict[str, float]:
    """Where self-play spends its time, by the profiler: its hooks are few beside the kernels' work."""
    profile = cProfile.Profile()
    profile.runcall(play, 0)
    spent: dict[str, float] = {}
    for (file, _, function), (_, _, _, seconds, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        stage = STAGES.get((Path(file).name, function))
        if stage:
            spent[stage] = spent.get(stage, 0.0) + seconds
    total, inner = spent.pop("all"), spent.get("network", 0.0)
    spent["search"] -= inner
    spent["driver"] = total - sum(spent.values())
    return {stage: 100 * seconds / total for stage, seconds in spent.items()}
