"""Solving a game by any method: the work of `orion solve`."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.errors import choose_from
from orion_ai.ranges import ANY, check_ranges
from orion_ai.solve.best_response import Judge, backward_induction
from orion_ai.solve.cfr import METHODS as CFR
from orion_ai.solve.cfr import checkpoints, make_solver
from orion_ai.solve.sequence_form import solve_sequence_form
from orion_ai.solve.tree import DEFAULT_LIMIT, Tree

__all__ = ["METHODS", "Point", "Solution", "SolveConfig", "solve"]

METHODS = ("auto", *CFR, "sequence_form", "backward_induction")


@dataclass(frozen=True)
class SolveConfig:
    """Settings of `orion solve` (its manual page explains them)."""

    game: dict[str, Any] = field(default_factory=dict)
    method: str = "auto"
    iterations: int = 1000
    seed: int = 1
    limit: int = DEFAULT_LIMIT
    output: str = ""

    def __post_init__(self) -> None:
        choose_from("method", self.method, METHODS)
        check_ranges("", self, {"iterations": (1, ANY), "limit": (1, ANY)})


@dataclass(frozen=True)
class Point:
    """How good a policy was after so many iterations, and the seconds that they took."""

    iterations: int
    exploitability: float
    seconds: float


@dataclass(frozen=True)
class Solution:
    """A game, solved.

    Attributes:
        method: what solved it.
        policy: float64[slots].
        values: what each seat gets where all play it, in the game's own unit.
        gains: what each seat could still gain alone.
        points: the way there; one point for a method without iterations.
    """

    method: str
    policy: NDArray[np.float64]
    values: tuple[float, ...]
    gains: tuple[float, ...]
    points: tuple[Point, ...]


def solve(tree: Tree, config: SolveConfig, watch: Callable[[Point], None]) -> Solution:
    """Solve a game.

    Args:
        tree: the game.
        config: how.
        watch: gets every point as soon as it is there.

    Raises:
        UsageError: the method does not fit the game.
    """
    judge = Judge(tree)
    method = config.method
    if method == "auto":
        method = "backward_induction" if tree.positions else "cfr_plus"
    points: list[Point] = []

    def note(iterations: int, policy: NDArray[np.float64], seconds: float) -> None:
        points.append(Point(iterations, judge.exploitability(policy), seconds))
        watch(points[-1])

    begun = time.perf_counter()
    if method in CFR:
        solver, seconds = make_solver(tree, method, config.seed), 0.0
        for count in checkpoints(config.iterations):
            begun = time.perf_counter()
            solver.run(count - solver.iterations)
            policy = solver.policy()
            seconds += time.perf_counter() - begun
            note(count, policy, seconds)
    else:
        policy = backward_induction(tree)[1] if method == "backward_induction" else solve_sequence_form(tree).policy
        note(1, policy, time.perf_counter() - begun)
    values, gains = judge.values(policy), judge.gains(policy)
    return Solution(method, policy, tuple(map(float, values)), tuple(map(float, gains)), tuple(points))
