"""What `orion tune` can be asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from orion_ai.arena.limits import LONGEST_SECONDS
from orion_ai.arena.runner import Budget
from orion_ai.ranges import ANY, check_ranges

__all__ = ["TuneConfig"]


@dataclass(frozen=True)
class TuneConfig:
    """Settings of `orion tune` (its manual page explains them)."""

    game: dict[str, Any] = field(default_factory=dict)
    tuned: Any = "ismcts"
    opponent: Any = None
    space: dict[str, Any] = field(default_factory=dict)
    trials: int = 30
    blocks: int = 64
    confirm: int = 200
    prune: bool = True
    seed: int = 1
    budget: Budget = field(default_factory=Budget)
    move_seconds: float = 0.0
    lanes: int = 16
    processes: int = 0
    output: str = ""

    def __post_init__(self) -> None:
        ranges = {"trials": (1, 10**5), "blocks": (4, 10**6), "confirm": (0, 10**6), "lanes": (1, ANY)}
        check_ranges("", self, {**ranges, "processes": (0, ANY), "move_seconds": (0, LONGEST_SECONDS)})
