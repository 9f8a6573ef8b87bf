"""A worker: plays its share of an iteration's games in lanes, one search for all of them at a time.

Every random number of a game is named by (run, game, decision), so an episode depends on the configuration, the weights
and the number of the game, not on the worker that played it nor on the games beside it.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engines.contract import TERMINAL, Game
from engines.rng import key_of, mix, uniform
from orion_ai.agents import RandomAgent, ScriptedAgent
from orion_ai.lanes import Lanes
from orion_ai.replay.episode import Episode, EpisodeBuilder
from orion_ai.search.config import SearchConfig
from orion_ai.search.evaluator import Evaluator
from orion_ai.search.search import Search
from orion_ai.selfplay.config import SelfPlayConfig

__all__ = ["Counts", "Stopped", "Worker"]

WORLD, SEARCH, FULL, OPENING, SCRIPT, STRAY = (np.uint64(i) for i in range(6))
"""What a random number of a decision is for."""


class Stopped(Exception):
    """Somebody asked the workers to stop before the games were over."""


@dataclass
class Counts:
    """What a worker did."""

    games: int = 0
    decisions: int = 0
    simulations: int = 0
    evaluations: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, f.name) + getattr(other, f.name) for f in dataclasses.fields(self)))


class Worker:
    """Lanes and a search of its own."""

    def __init__(self, game: Game, config: SelfPlayConfig, search: SearchConfig, evaluator: Evaluator) -> None:
        self._config, self._full = config, search.simulations
        self._fast = config.fast_simulations or max(1, search.simulations // 6)
        self._lanes = Lanes(game, config.lanes)
        self._search = Search(game, search, evaluator, config.lanes)
        self._script = ScriptedAgent(game) if config.scripted_games else None
        self._random = RandomAgent(game)
        self._building: dict[int, EpisodeBuilder] = {}
        self._bases: NDArray[np.uint64] = np.zeros(config.lanes, np.uint64)
        self.counts = Counts()

    def play(
        self, seed: int, games: Sequence[int], finished: Callable[[int], None], stop: threading.Event
    ) -> list[Episode]:
        """Play the games with these numbers to the end, and return their episodes in the order of `games`.

        Args:
            seed: names the run.
            games: numbers of the games within the run.
            finished: called with the number of games that have just ended.
            stop: when it is set the games are left.

        Raises:
            Stopped: `stop` was set.
        """
        self.counts = Counts()
        self._building.clear()  # an earlier call may have been interrupted
        waiting = list(reversed(games))
        done: dict[int, Episode] = {}
        for lane in range(self._lanes.count):
            self._fill(lane, seed, waiting, done)
        while self._building:
            if stop.is_set():
                raise Stopped
            before = len(done)
            self._decide()
            for lane in [b for b in self._building if self._lanes.to_play[b] == TERMINAL]:
                self._finish(lane, done)
                self._fill(lane, seed, waiting, done)
            if len(done) > before:
                finished(len(done) - before)
        return [done[number] for number in games]

    def _fill(self, lane: int, seed: int, waiting: list[int], done: dict[int, Episode]) -> None:
        """Start the next game in a lane that is free (and the next, should one end without any decision)."""
        while waiting and lane not in self._building:
            number = waiting.pop()
            self._building[lane] = EpisodeBuilder(number)
            self._bases[lane] = np.uint64(key_of(seed, "selfplay", number, "decisions"))
            self._lanes.start(lane, key_of(seed, "selfplay", number))
            if self._lanes.to_play[lane] == TERMINAL:
                self._finish(lane, done)

    def _finish(self, lane: int, done: dict[int, Episode]) -> None:
        building, lanes = self._building.pop(lane), self._lanes
        done[building.number] = building.finish(lanes.history(lane), lanes.returns(lane), lanes.scores(lane))
        self.counts.games += 1

    def _decide(self) -> None:
        """One decision in every running lane."""
        running = np.array(sorted(self._building), np.int64)
        seats = self._lanes.to_play[running]
        keys = np.array([mix(self._bases[b], np.uint64(self._building[b].decisions)) for b in running], np.uint64)
        worlds = self._lanes.worlds(running, seats, _named(keys, WORLD))
        scripted = np.array([self._building[int(b)].number < self._config.scripted_games for b in running])
        actions = np.zeros(len(running), np.int32)
        for part, choose in ((scripted, self._follow_script), (~scripted, self._search_on)):
            if part.any():
                actions[part] = choose(running[part], worlds[part], seats[part], keys[part])
        self.counts.decisions += len(running)
        self._lanes.apply(running, actions)

    def _search_on(
        self, lanes: NDArray[np.int64], worlds: NDArray[np.uint8], seats: NDArray[np.int64], keys: NDArray[np.uint64]
    ) -> NDArray[np.int32]:
        """What the search does in these lanes; its policies become targets where it was a full one."""
        full = np.array([_chance(key, FULL) < self._config.full_share for key in keys])
        simulations = np.where(full, self._full, self._fast).astype(np.int32)
        report = self._search.run(worlds, seats, _named(keys, SEARCH), simulations, noise=full)
        actions = report.action.astype(np.int32)
        for i, lane in enumerate(lanes):
            building = self._building[int(lane)]
            if building.decisions < self._config.opening:
                actions[i] = self._draw(report.policy[i], keys[i])
            policy = report.policy[i] if full[i] else None
            building.add(int(self._lanes.lengths[lane]), int(seats[i]), report.value[i], policy)
        self.counts.simulations += int(report.simulations.sum())
        self.counts.evaluations += int(report.evaluations.sum())
        return actions

    def _follow_script(
        self, lanes: NDArray[np.int64], worlds: NDArray[np.uint8], seats: NDArray[np.int64], keys: NDArray[np.uint64]
    ) -> NDArray[np.int32]:
        """What the scripted player does in these lanes, which is the target; now and then something else is played."""
        assert self._script is not None
        wanted = self._script.decide(worlds, seats, _named(keys, SCRIPT)).actions
        stray = self._random.decide(worlds, seats, _named(keys, STRAY)).actions
        strays = np.array([_chance(key, OPENING) < self._config.scripted_noise for key in keys])
        game = self._lanes.game
        for i, lane in enumerate(lanes):
            policy = None
            if _chance(keys[i], FULL) < self._config.full_share:
                policy = np.zeros(game.num_actions, np.float32)
                policy[wanted[i]] = 1.0
            self._building[int(lane)].add(int(self._lanes.lengths[lane]), int(seats[i]), None, policy)
        return np.where(strays, stray, wanted).astype(np.int32)

    def _draw(self, policy: NDArray[np.float32], key: np.uint64) -> int:
        """An action drawn from the policy at the opening's temperature."""
        ids = np.flatnonzero(policy > 0)
        weights = np.cumsum(policy[ids].astype(np.float64) ** (1.0 / self._config.opening_temperature))
        return int(ids[np.searchsorted(weights, _chance(key, OPENING) * weights[-1], side="right")])


def _named(keys: NDArray[np.uint64], purpose: np.uint64) -> NDArray[np.uint64]:
    return np.array([mix(key, purpose) for key in keys], np.uint64)


def _chance(key: np.uint64, purpose: np.uint64) -> float:
    """A number in [0, 1)."""
    rng = np.array([mix(key, purpose), 0], np.uint64)
    return float(uniform(rng))
