"""How exploitable agents are, by what their searches may spend: the measurements of `orion exploit`."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engines.errors import UsageError, choose_from
from engines.rng import key_of
from orion_ai.arena.entrants import Entrant, make_agents, resolve
from orion_ai.arena.statistics import Interval, t_quantile
from orion_ai.ranges import ANY, check_ranges
from orion_ai.solve.best_response import Judge
from orion_ai.solve.cfr import make_solver
from orion_ai.solve.tabulate import ANSWERS, tabulate
from orion_ai.solve.tree import DEFAULT_LIMIT, Tree

__all__ = ["ExploitConfig", "Row", "checkpoints", "measure", "reference"]

ROOM = 2**21
"""Simulations that all lanes of a search may keep a tree of at once (some hundred megabytes)."""


@dataclass(frozen=True)
class ExploitConfig:
    """Settings of `orion exploit` (its manual page explains them)."""

    game: dict[str, Any] = field(default_factory=dict)
    agents: list[Any] = field(default_factory=list)
    simulations: list[int] = field(default_factory=list)
    seeds: int = 5
    seed: int = 1
    answer: str = "policy"
    draws: int = 1
    iterations: int = 1000
    lanes: int = 64
    limit: int = DEFAULT_LIMIT
    output: str = ""

    def __post_init__(self) -> None:
        choose_from("answer", self.answer, ANSWERS)
        counts = ("seeds", "draws", "lanes", "limit")
        check_ranges("", self, {**dict.fromkeys(counts, (1, ANY)), "iterations": (0, ANY)})
        if any(count < 1 for count in self.simulations):
            raise UsageError(f"simulations is {self.simulations}: expected numbers of 1 or more")
        if not self.agents:
            raise UsageError("agents is empty: expected an agent or more, agents=[ismcts]")


@dataclass(frozen=True)
class Row:
    """How exploitable an agent is with one budget, in the game's own unit.

    Attributes:
        agent: its name.
        simulations: what its search may spend on a decision; None where it was not set.
        exploitability: of the policy that one seed gives: mean over seeds with a 95 % interval (Student's t).
        pooled: exploitability of the mean of the seeds' policies, which is what an agent plays that searches afresh
            every time; at most the mean, and falling with more seeds where the policies of seeds differ.
        gains: of each seat against the pooled policy: what its best response gets above what the policy gets.
        values: exploitability of each seed's policy.
        seconds: time that the agent took to answer, of one seed.
    """

    agent: str
    simulations: int | None
    exploitability: Interval
    pooled: float
    gains: tuple[float, ...]
    values: tuple[float, ...]
    seconds: float


def measure(tree: Tree, config: ExploitConfig) -> Iterator[Row]:
    """A row for every agent and budget, as soon as it is measured.

    Raises:
        UsageError: an agent that does not exist, or that this game does not allow.
    """
    jobs = _jobs(config)
    for entrant, _ in jobs:  # what cannot be made is refused before anything is measured
        make_agents(tree.game, [entrant], 1)
    judge = Judge(tree)
    for entrant, budget in jobs:
        yield _row(judge, entrant, budget, config)


def _jobs(config: ExploitConfig) -> list[tuple[Entrant, int | None]]:
    """Every agent with every budget; one that does not search has a single row."""
    plain = resolve(config.agents)
    budgets = {count: resolve(config.agents, simulations=count) for count in config.simulations}
    jobs: list[tuple[Entrant, int | None]] = []
    for place, entrant in enumerate(plain):
        search = entrant.settings.get("search")
        if search and budgets:
            jobs += [(found[place], count) for count, found in budgets.items()]
        else:
            jobs.append((entrant, search["simulations"] or None if search else None))
    return jobs


def _row(judge: Judge, entrant: Entrant, simulations: int | None, config: ExploitConfig) -> Row:
    timed = entrant.settings.get("search", {}).get("milliseconds")  # all lanes together would share the time
    lanes = 1 if timed else max(1, min(config.lanes, ROOM // (simulations or 1)))
    (agent,) = make_agents(judge.tree.game, [entrant], lanes)
    begun = time.perf_counter()
    policies = [
        tabulate(
            judge.tree,
            agent,
            seed=key_of("exploit", config.seed, number),
            lanes=lanes,
            answer=config.answer,
            draws=config.draws,
        )
        for number in range(config.seeds)
    ]
    seconds = (time.perf_counter() - begun) / config.seeds
    values = [judge.exploitability(policy) for policy in policies]
    gains = judge.gains(np.mean(policies, axis=0))
    return Row(
        agent=entrant.name,
        simulations=simulations,
        exploitability=_interval(values),
        pooled=float(gains.sum()) / judge.tree.players,
        gains=tuple(float(gain) for gain in gains),
        values=tuple(values),
        seconds=seconds,
    )


def _interval(values: Sequence[float]) -> Interval:
    """Mean with the 95 % interval of Student's t; without bounds from one value."""
    mean, count = float(np.mean(values)), len(values)
    if count < 2:
        return Interval(mean, None, None)
    half = t_quantile(0.975, count - 1) * float(np.std(values, ddof=1)) / math.sqrt(count)
    return Interval(mean, max(mean - half, 0.0), mean + half)


def reference(tree: Tree, iterations: int) -> dict[str, Any]:
    """For scale: uniform play, and CFR+ (in games with secrets) by iterations.

    Returns:
        `uniform`, an exploitability, and `cfr_plus`, pairs (iterations, exploitability) up to `iterations`.
    """
    judge = Judge(tree)
    curve: list[tuple[int, float]] = []
    if not tree.positions:
        solver = make_solver(tree, "cfr_plus")
        for count in checkpoints(iterations):
            solver.run(count - solver.iterations)
            curve.append((count, judge.exploitability(solver.policy())))
    return {"uniform": judge.exploitability(tree.uniform()), "cfr_plus": curve}


def checkpoints(iterations: int) -> list[int]:
    """1, 2, 5, 10, ... up to `iterations`, which is the last one."""
    grid = {step * 10**power for power in range(len(str(iterations))) for step in (1, 2, 5)}
    return sorted({*(n for n in grid if n < iterations), *([iterations] if iterations else [])})
