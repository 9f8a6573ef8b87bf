"""What the learner can be configured to do."""

from __future__ import annotations

from dataclasses import dataclass

from engines.errors import choose_from
from orion_ai.ranges import ABOVE_ZERO, ANY, check_ranges, refuse_idle

__all__ = ["LearnerConfig"]

SCHEDULES = ("constant", "cosine")


@dataclass(frozen=True)
class LearnerConfig:
    """AdamW (Loshchilov and Hutter 2019) on policy, value and score losses.

    Attributes:
        batch: rows of a gradient step.
        learning_rate: at the start.
        schedule: "constant", or "cosine" down to a tenth at `horizon` samples.
        horizon: samples at which the cosine ends.
        warmup: gradient steps over which the rate rises from zero.
        weight_decay: of matrices (not of biases, norms and embeddings).
        clip: greatest norm of a gradient.
        average: decay a step of the moving average of the weights, which is what plays; it starts lower, so that the
            first weights are soon forgotten.
        value_weight: of the mean squared error of returns.
        score_weight: of the Huber loss of final points.
        score_scale: points that count as one unit for the score head.
        search_value: share of the search's own value in the value target; the rest is the outcome.
        device: where the learning is done: "cpu", "cuda", ...
        threads: torch's threads while learning on a CPU.
    """

    batch: int = 256
    learning_rate: float = 1e-3
    schedule: str = "constant"
    horizon: int = 1_000_000
    warmup: int = 20
    weight_decay: float = 1e-4
    clip: float = 1.0
    average: float = 0.99
    value_weight: float = 1.0
    score_weight: float = 0.1
    score_scale: float = 10.0
    search_value: float = 0.0
    device: str = "cpu"
    threads: int = 1

    def __post_init__(self) -> None:
        choose_from("learner.schedule", self.schedule, SCHEDULES)
        ranges = {
            **dict.fromkeys(("batch", "horizon", "threads"), (1, ANY)),
            "learning_rate": (ABOVE_ZERO, 1),
            **dict.fromkeys(("clip", "score_scale"), (1e-6, 1e9)),
            **dict.fromkeys(("value_weight", "score_weight"), (0, 1e6)),
            "warmup": (0, ANY),
            **dict.fromkeys(("average", "search_value", "weight_decay"), (0, 1)),
        }
        check_ranges("learner", self, ranges)
        refuse_idle("learner", self, [("schedule", ("cosine",), ("horizon",))])
