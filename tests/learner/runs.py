"""A small training run on Kuhn poker, for tests. As a program: `python -m tests.learner.runs FOLDER ITERATIONS`."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

import engines
from orion_ai import checkpoint
from orion_ai.learner.config import LearnerConfig
from orion_ai.loop import Evaluate, TrainConfig, train
from orion_ai.net.config import EvaluatorConfig, NetConfig
from orion_ai.replay.window import ReplayConfig
from orion_ai.search.config import SearchConfig
from orion_ai.selfplay.config import SelfPlayConfig
from orion_ai.watch import Watch

CONFIG = TrainConfig(
    game={"name": "kuhn_poker"},
    name="run",
    seed=5,
    net=NetConfig(width=32, blocks=1, embedding=4, head=16),
    evaluator=EvaluatorConfig("torch"),
    search=SearchConfig(algorithm="gumbel", leaf="network", simulations=8),
    selfplay=SelfPlayConfig(games=24, lanes=16, opening=4),
    replay=ReplayConfig(window=100, growth=0.5, reuse=3.0),
    learner=LearnerConfig(batch=32, threads=1, warmup=2, score_scale=2.0),
)


def run(folder: Path, iterations: int, evaluate: Evaluate | None = None, **changes: Any) -> Path:
    """Train in `folder`/run; the console's lines go to stdout."""
    config = replace(CONFIG, folder=str(folder), iterations=iterations, **changes)
    return train(engines.load("kuhn_poker"), config, Watch(Console(width=200)), evaluate)


def bits(manifest: Path) -> tuple[str, str | None]:
    """The content names of the weights that play and of the learner's whole state."""
    found = checkpoint.read(manifest)
    return found.weights, found.learner


if __name__ == "__main__":
    run(Path(sys.argv[1]), int(sys.argv[2]))
