"""How exploitable agents are, by what their searches may spend: the measurements of `orion exploit`."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from statistics import NormalDist
from typing import Any

import numpy as np

from engines.contract import Game
from engines.errors import UsageError, choose_from
from engines.rng import key_of
from orion_ai.agents import Agent
from orion_ai.arena.entrants import Entrant, make_agents, resolve
from orion_ai.arena.statistics import Interval, t_quantile
from orion_ai.ranges import ANY, check_ranges
from orion_ai.solve.best_response import Judge
from orion_ai.solve.cfr import checkpoints, make_solver
from orion_ai.solve.exploiter import AskedPolicy, Exploiter
from orion_ai.solve.tabulate import ANSWERS, tabulate
from orion_ai.solve.tree import DEFAULT_LIMIT, Tree
from orion_ai.solve.walk import Watcher, unwatched

__all__ = ["METHODS", "ExploitConfig", "Row", "bound", "measure", "reference"]

METHODS = {"exact": ("iterations", "limit"), "approximate": ("learn", "games")}
"""How exploitability is measured, with the settings that act with that method alone."""
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
    method: str = "exact"
    answer: str = "policy"
    draws: int = 1
    iterations: int = 1000
    learn: int = 100_000
    games: int = 10_000
    lanes: int = 64
    limit: int = DEFAULT_LIMIT
    output: str = ""

    def __post_init__(self) -> None:
        choose_from("answer", self.answer, ANSWERS)
        choose_from("method", self.method, METHODS)
        counts = ("seeds", "draws", "lanes", "limit", "learn")
        check_ranges("", self, {**dict.fromkeys(counts, (1, ANY)), "iterations": (0, ANY), "games": (2, ANY)})
        defaults = {field.name: field.default for field in fields(self)}
        for method, names in METHODS.items():
            for name in names if method != self.method else ():
                if getattr(self, name) != defaults[name]:
                    raise UsageError(f"{name} does nothing with method={self.method}: set method={method}, or leave it")
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
        exploitability: of the policy that one seed gives, mean over seeds, with a 95 % interval: exact, that of the
            mean (Student's t); a lower bound, that of the games that it was measured in.
        pooled: exploitability of the mean of the seeds' policies, which is what an agent plays that searches afresh
            every time; at most the mean, and falling with more seeds where the policies of seeds differ. None of a
            lower bound.
        gains: of each seat against the pooled policy: what its best response gets above what the policy gets it; of
            a lower bound what its exploiters got (what the policy gets adds up to 0).
        values: exploitability of each seed's policy, or its lower bound.
        asked: information states that the agent was asked about, of one seed on average.
        seconds: time that the agent took to answer, of one seed; of a lower bound all the time.
    """

    agent: str
    simulations: int | None
    exploitability: Interval
    pooled: float | None
    gains: tuple[float, ...]
    values: tuple[float, ...]
    asked: int
    seconds: float


def measure(tree: Tree, config: ExploitConfig, watch: Watcher = unwatched) -> Iterator[Row]:
    """A row for every agent and budget, as soon as it is measured; `watch` is told how far it is.

    Raises:
        UsageError: an agent that does not exist, or that this game does not allow.
    """
    judge = Judge(tree)
    for entrant, budget in _jobs(tree.game, config):
        yield _row(judge, entrant, budget, config, watch)


def bound(game: Game, config: ExploitConfig, watch: Watcher = unwatched) -> Iterator[Row]:
    """The same with lower bounds of exploitability, by exploiters that learn; for games of any size.

    Raises:
        UsageError: as `measure`.
    """
    for entrant, budget in _jobs(game, config):
        yield _bound(game, entrant, budget, config, watch)


def _jobs(game: Game, config: ExploitConfig) -> list[tuple[Entrant, int | None]]:
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
    for entrant, _ in jobs:  # what cannot be made is refused before anything is measured
        make_agents(game, [entrant], 1, guard=True)
    return jobs


def _made(game: Game, entrant: Entrant, simulations: int | None, config: ExploitConfig) -> tuple[Agent, int]:
    """The agent, and the positions that it is asked about at once."""
    timed = entrant.settings.get("search", {}).get("milliseconds")  # all lanes together would share the time
    lanes = 1 if timed else max(1, min(config.lanes, ROOM // (simulations or 1)))
    return make_agents(game, [entrant], lanes, guard=True)[0], lanes


def _watched(watch: Watcher, entrant: Entrant, simulations: int | None, seed: int, config: ExploitConfig) -> Watcher:
    """`watch`, told of whom what it is told is."""
    spent = f", {simulations:,} simulations" if simulations else ""
    return lambda text: watch(f"{entrant.name}{spent}, seed {seed + 1} of {config.seeds}: {text}")


def _row(judge: Judge, entrant: Entrant, simulations: int | None, config: ExploitConfig, watch: Watcher) -> Row:
    agent, lanes = _made(judge.tree.game, entrant, simulations, config)
    begun = time.perf_counter()
    policies = [
        tabulate(
            judge.tree,
            agent,
            seed=key_of("exploit", config.seed, number),
            lanes=lanes,
            answer=config.answer,
            draws=config.draws,
            watch=_watched(watch, entrant, simulations, number, config),
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
        asked=int((judge.tree.widths > 1).sum()),
        seconds=seconds,
    )


def _bound(game: Game, entrant: Entrant, simulations: int | None, config: ExploitConfig, watch: Watcher) -> Row:
    agent, lanes = _made(game, entrant, simulations, config)
    begun, asked = time.perf_counter(), 0
    got = np.empty((config.seeds, game.players, config.games))
    for number in range(config.seeds):
        seed = key_of("exploit", config.seed, number)
        policy = AskedPolicy(game, agent, seed=seed, lanes=lanes, answer=config.answer, draws=config.draws)
        for seat in range(game.players):
            exploiter = Exploiter(policy, seat, seed)
            told = _watched(watch, entrant, simulations, number, config)
            exploiter.learn(config.learn, told)
            got[number, seat] = exploiter.evaluate(config.games, told) * game.stakes
        asked += policy.asked
    values = got.mean((1, 2))
    error = math.sqrt(float(got.var(2, ddof=1).sum()) / config.games) / (config.seeds * game.players)
    mean, half = float(values.mean()), NormalDist().inv_cdf(0.975) * error
    return Row(
        agent=entrant.name,
        simulations=simulations,
        exploitability=Interval(mean, mean - half, mean + half),
        pooled=None,
        gains=tuple(got.mean((0, 2)).tolist()),
        values=tuple(values.tolist()),
        asked=asked // config.seeds,
        seconds=(time.perf_counter() - begun) / config.seeds,
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
