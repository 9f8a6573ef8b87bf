"""Who is tested, and what counts as right."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyspiel
from numpy.typing import NDArray

import engines
from engines.rng import key_of
from orion_ai.agents import Agent, SearchAgent
from orion_ai.search import Evaluator, Search, SearchConfig, SearchReport
from orion_ai.solve.connect_four import Problem

GAME = engines.load("connect_four")
LANES = 32


class Player(Protocol):
    """Picks moves in test positions."""

    def place(self, problems: Sequence[Problem]) -> Any:
        """The positions as this player takes them; not counted as its time."""

    def choose(self, placed: Any, seed: int) -> list[int]:
        """A move in each."""


UCT = SearchConfig(algorithm="ismcts", leaf="random")
SCRIPTED = SearchConfig(algorithm="ismcts", leaf="scripted")
"""Playouts by the game's scripted player: it wins or blocks where one stone does, else prefers the centre."""
PUCT = SearchConfig(algorithm="puct", leaf="network")
GUMBEL = SearchConfig(algorithm="gumbel", leaf="network", gumbel_scale=0.0)


def records(problems: Sequence[Problem]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The positions as records of the game, and who is to move."""
    found = []
    for problem in problems:
        state = GAME.start()
        for action in problem.actions:
            state.apply(action)
        found.append(state.record)
    return np.array(found), np.array([len(p.actions) % 2 for p in problems])


Rank = Callable[[SearchReport], NDArray[np.float32]]
"""What to choose by: a number for each lane and action."""


class Deciding:
    """One of our agents."""

    def __init__(self, agent: Agent, lanes: int = LANES, rank: Rank | None = None) -> None:
        """`rank` replaces the agent's own choice by the action that ranks highest in the report of its search."""
        self._agent, self._lanes, self._rank = agent, lanes, rank

    def place(self, problems: Sequence[Problem]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """See `Player`."""
        return records(problems)

    def choose(self, placed: tuple[NDArray[np.uint8], NDArray[np.int64]], seed: int) -> list[int]:
        """See `Player`."""
        (worlds, seats), found = placed, []
        keys = np.array([key_of("connect four accuracy", seed, i) for i in range(len(worlds))], np.uint64)
        for i in range(0, len(worlds), self._lanes):
            part = slice(i, i + self._lanes)
            decided = self._agent.decide(worlds[part], seats[part], keys[part])
            if self._rank is None:
                found += decided.actions.tolist()
            else:
                assert decided.report is not None
                found += self._rank(decided.report).argmax(1).tolist()
        return found


def searching(
    config: SearchConfig, evaluator: Evaluator | None = None, lanes: int = LANES, rank: Rank | None = None
) -> Deciding:
    return Deciding(SearchAgent(Search(GAME, config, evaluator, lanes)), lanes, rank)


class OpenSpiel:
    """OpenSpiel's C++ MCTS with one random rollout a leaf; `solve`: with proven wins and losses backed up."""

    def __init__(self, simulations: int, solve: bool) -> None:
        self._game, self._simulations, self._solve = pyspiel.load_game("connect_four"), simulations, solve

    def place(self, problems: Sequence[Problem]) -> list[Any]:
        """See `Player`."""
        found = []
        for problem in problems:
            state = self._game.new_initial_state()
            for action in problem.actions:
                state.apply_action(action)
            found.append(state)
        return found

    def choose(self, placed: list[Any], seed: int) -> list[int]:
        """See `Player`."""
        rollouts = pyspiel.RandomRolloutEvaluator(1, 2 * seed)
        bot = pyspiel.MCTSBot(self._game, rollouts, 2.0, self._simulations, 1000, self._solve, 2 * seed + 1, False)
        return [bot.step(state) for state in placed]


def with_simulations(config: SearchConfig, simulations: int) -> SearchConfig:
    return dataclasses.replace(config, simulations=simulations)


@dataclass(frozen=True)
class Judged:
    """How often a player keeps the game's value (`kept`), and finds a best move (`best`).

    A position counts once, with its mean over `seeds` runs; an error is the standard error of the mean over positions.
    """

    kept: float
    kept_error: float
    best: float
    best_error: float
    seeds: int
    milliseconds: float
    by_position: NDArray[np.float64]
    """How often the value was kept, in each position."""

    def as_json(self) -> dict[str, Any]:
        """Plain data, without the single positions."""
        found = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.name != "by_position"}
        return {name: round(value, 5) for name, value in found.items()}

    def lead(self, other: Judged) -> list[float]:
        """How much more often this player keeps the value, in the same positions; and the standard error of that."""
        difference = self.by_position - other.by_position
        return [round(float(difference.mean()), 5), round(standard_error(difference), 5)]

    def __str__(self) -> str:
        return f"{self.kept:.3f} +- {self.kept_error:.3f}, best {self.best:.3f}, {self.milliseconds:.2f} ms"


def judged(problems: Sequence[Problem], play: Player, seeds: int) -> Judged:
    """What `seeds` runs of `play` over the positions show."""
    kept, best = np.zeros((seeds, len(problems))), np.zeros((seeds, len(problems)))
    placed, spent = play.place(problems), 0.0
    for seed in range(seeds):
        began = time.thread_time()
        actions = play.choose(placed, seed)
        spent += time.thread_time() - began
        for i, (problem, action) in enumerate(zip(problems, actions, strict=True)):
            kept[seed, i], best[seed, i] = problem.keeps_value(action), problem.is_optimal(action)
    return summary(kept, best, spent)


def in_turn(problems: Sequence[Problem], pair: Sequence[Player]) -> list[Judged]:
    """What players show that take turns from position to position, so that both meet the machine in the same state."""
    kept, best = np.zeros((len(pair), 1, len(problems))), np.zeros((len(pair), 1, len(problems)))
    placed, spent = [[play.place([p]) for p in problems] for play in pair], [0.0] * len(pair)
    for i, problem in enumerate(problems):
        for k, play in enumerate(pair):
            began = time.thread_time()
            action = play.choose(placed[k][i], i)[0]
            spent[k] += time.thread_time() - began
            kept[k, 0, i], best[k, 0, i] = problem.keeps_value(action), problem.is_optimal(action)
    return [summary(kept[k], best[k], spent[k]) for k in range(len(pair))]


def summary(kept: NDArray[np.float64], best: NDArray[np.float64], seconds: float) -> Judged:
    """From 0 or 1 for each run and position, float64[runs, positions]."""
    by_position = kept.mean(0)
    return Judged(
        float(kept.mean()),
        standard_error(by_position),
        float(best.mean()),
        standard_error(best.mean(0)),
        len(kept),
        1000 * seconds / kept.size,
        by_position,
    )


def standard_error(values: NDArray[np.float64]) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))
