"""A worker: plays its share of an iteration's games in lanes, one search for all of them at a time.

Every random number of a game is named by (run, game, decision), so an episode depends on the configuration, the weights
and the number of the game, not on the worker that played it nor on the games beside it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engines.contract import TERMINAL, Game
from engines.errors import UsageError
from engines.rng import below, key_of, mix, uniform
from orion_ai.agents import FollowingAgent, RandomAgent, ScriptedAgent
from orion_ai.lane_kernels import observe_worlds
from orion_ai.lanes import Lanes
from orion_ai.replay.episode import Episode, EpisodeBuilder
from orion_ai.search.config import SearchConfig
from orion_ai.search.evaluator import Evaluator
from orion_ai.search.make import make_search
from orion_ai.selfplay.config import SelfPlayConfig
from orion_ai.selfplay.kernels import draw_actions, mixed, uniforms
from orion_ai.selfplay.outcomes import taught_by_outcome
from orion_ai.selfplay.searches import Searches
from orion_ai.selfplay.sums import Sums
from orion_ai.trails import Trails

__all__ = ["Counts", "Stopped", "Worker", "scripted_seat"]

WORLD, SEARCH, FULL, OPENING, SCRIPT, STRAY, STRAYS, DRAW = (np.uint64(i) for i in range(8))
"""What a random number of a decision is for. STRAYS: whether something else than the script's action is played; STRAY:
what. DRAW: the action of a sampled game."""
_TRAILS = np.uint64(2**32)
"""Trails are named by numbers from here on, decisions by smaller ones."""
SCRIPTED, SEARCHED, GLANCED, SAMPLED = range(4)
"""How a decision is made: by the scripted player, by a full search, by a fast one, by the network's policy."""


class Stopped(Exception):
    """Somebody asked the workers to stop before the games were over."""


@dataclass
class Counts(Sums):
    """What a worker did."""

    games: int = 0
    decisions: int = 0
    simulations: int = 0
    evaluations: int = 0


class Worker:
    """Lanes and a search of its own."""

    def __init__(self, game: Game, config: SelfPlayConfig, search: SearchConfig, evaluator: Evaluator) -> None:
        self._config, self._full = config, search.planned_simulations
        self._fast = config.fast_simulations or max(1, self._full // 6)
        self._lanes = Lanes(game, config.lanes)
        self._search = make_search(game, search, evaluator, config.lanes)
        self._follower = FollowingAgent(self._search) if self._search.config.remembers else None
        self._trails = Trails(self._lanes)
        self._evaluator = evaluator
        follows = config.scripted_games or (config.sampled_games and config.sampled_script)
        self._script = (ScriptedAgent(game), RandomAgent(game)) if follows else None
        self._scripted_seats: NDArray[np.int64] = np.full(config.lanes, -1, np.int64)
        self._building: dict[int, EpisodeBuilder] = {}
        self._bases: NDArray[np.uint64] = np.zeros(config.lanes, np.uint64)
        self.counts, self.searches = Counts(), Searches()

    def forget(self) -> None:
        """Drop what was kept of the evaluator's answers: its weights have changed."""
        if self._search.cache is not None:
            self._search.cache.clear()

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
        self.counts, self.searches = Counts(), Searches()
        waiting = iter(games)
        done: dict[int, Episode] = {}
        for episodes in self.stream(seed, lambda: next(waiting, None), stop):
            done.update((e.number, e) for e in episodes)
            finished(len(episodes))
        return [done[number] for number in games]

    def stream(self, seed: int, following: Callable[[], int | None], stop: threading.Event) -> Iterator[list[Episode]]:
        """Play games as they come, and yield the episodes of those that have just ended.

        Args:
            seed: names the run.
            following: the number of the next game; None = no lane is filled now. It ends when no game is left in the
                lanes and there is none to follow.
            stop: when it is set the games are left.

        Raises:
            Stopped: `stop` was set.
        """
        self._leave_games()  # an earlier call may have been interrupted
        while True:
            ended = self._fill(seed, following)
            if ended:
                yield ended
            if not self._building:
                return
            if stop.is_set():
                raise Stopped
            self._decide()
            ended = [self._finish(lane) for lane in list(self._building) if self._lanes.to_play[lane] == TERMINAL]
            if ended:
                yield ended

    def _leave_games(self) -> None:
        if self._follower:
            for lane in self._building:
                self._follower.forget(self._trails.finish(lane))
        self._building.clear()

    def _fill(self, seed: int, following: Callable[[], int | None]) -> list[Episode]:
        """Start games in the lanes that are free; returns those that ended without any decision."""
        ended: list[Episode] = []
        for lane in range(self._lanes.count):
            while lane not in self._building:
                number = following()
                if number is None:
                    return ended
                self._building[lane] = EpisodeBuilder(number)
                self._bases[lane] = np.uint64(key_of(seed, "selfplay", number, "decisions"))
                self._lanes.start(lane, key_of(seed, "selfplay", number))
                followed = range(self._lanes.game.players if self._follower else 0)
                self._trails.start(lane, {seat: mix(self._bases[lane], _TRAILS + np.uint64(seat)) for seat in followed})
                self._scripted_seats[lane] = scripted_seat(self._config, seed, number, self._lanes.game.players)
                if self._config.random_start and number >= self._config.scripted_games:
                    self._start_at_random(lane, np.array([key_of(seed, "selfplay", number, "start"), 0], np.uint64))
                if self._lanes.to_play[lane] == TERMINAL:
                    ended.append(self._finish(lane))
        return ended

    def _start_at_random(self, lane: int, rng: NDArray[np.uint64]) -> None:
        """In every other game: random decisions, of which nothing is recorded."""
        most = self._config.random_start
        for _ in range(max(0, 1 + int(below(rng, 2 * most)) - most)):
            if self._lanes.to_play[lane] == TERMINAL:
                return
            legal = self._lanes.state(lane).legal_actions()
            action = np.array([legal[below(rng, len(legal))]], np.int32)
            self._lanes.apply(np.array([lane], np.int64), action)

    def _finish(self, lane: int) -> Episode:
        building, lanes = self._building.pop(lane), self._lanes
        if self._follower:
            self._follower.forget(self._trails.finish(lane))
        self.counts.games += 1
        episode = building.finish(lanes.history(lane), lanes.returns(lane), lanes.scores(lane))
        if self._config.phase(episode.number) != "sampled":
            return episode
        return taught_by_outcome(episode, self._config.sampled_step, self._config.sampled_trace)

    def _decide(self) -> None:
        """One decision in those running lanes whose next one is of the commonest kind.

        A batch of the network is as wide as there are lanes that still search: among fast searches a full one would go
        on almost alone. So lanes wait for others of their kind; none for long, as the others run into it too.
        """
        running = np.array(sorted(self._building), np.int64)
        keys = np.array([mix(self._bases[b], np.uint64(self._building[b].decisions)) for b in running], np.uint64)
        kinds = np.array([self._kind(int(b), key) for b, key in zip(running, keys, strict=True)])
        kind = int(np.bincount(kinds).argmax())
        lanes, keys = running[kinds == kind], keys[kinds == kind]
        seats = self._lanes.to_play[lanes]
        worlds = self._lanes.worlds(lanes, seats, _named(keys, WORLD))
        if kind == SCRIPTED:
            actions = self._follow_script(lanes, worlds, seats, keys)
        elif kind == SAMPLED:
            actions = self._sample(lanes, worlds, seats, keys)
        else:
            actions = self._search_on(lanes, worlds, seats, keys, kind == SEARCHED)
        self.counts.decisions += len(lanes)
        self._lanes.apply(lanes, actions)

    def _kind(self, lane: int, key: np.uint64) -> int:
        """How the next decision in a lane is made."""
        phase = self._config.phase(self._building[lane].number)
        if phase != "searched":
            return SCRIPTED if phase == "scripted" else SAMPLED
        return SEARCHED if _chance(key, FULL) < self._config.full_share else GLANCED

    def _search_on(
        self,
        lanes: NDArray[np.int64],
        worlds: NDArray[np.uint8],
        seats: NDArray[np.int64],
        keys: NDArray[np.uint64],
        full: bool,
    ) -> NDArray[np.int32]:
        """What the search does in these lanes; its policies become targets if it is a full one."""
        simulations = self._full if full else self._fast
        keys_of_search = _named(keys, SEARCH)
        if self._follower:
            trails = self._trails.take(lanes, seats)
            report = self._follower.search_after(trails, worlds, seats, keys_of_search, simulations, full)
        else:
            report = self._search.run(worlds, seats, keys_of_search, simulations, noise=full)
        actions = report.action.astype(np.int32)
        for i, lane in enumerate(lanes):
            building = self._building[int(lane)]
            if building.decisions < self._config.opening:
                actions[i] = self._draw(report.policy[i], keys[i])
            policy = report.policy[i] if full else None
            building.add(int(self._lanes.lengths[lane]), int(seats[i]), report.value[i], policy)
        if full:
            self.searches.add(report)
        self.counts.simulations += int(report.simulations.sum())
        self.counts.evaluations += int(report.evaluations.sum())
        return actions

    def _follow_script(
        self, lanes: NDArray[np.int64], worlds: NDArray[np.uint8], seats: NDArray[np.int64], keys: NDArray[np.uint64]
    ) -> NDArray[np.int32]:
        """What the scripted player does in these lanes, which is the target; now and then something else is played."""
        assert self._script is not None
        script, other = self._script
        wanted = script.decide(worlds, seats, _named(keys, SCRIPT)).actions
        stray = other.decide(worlds, seats, _named(keys, STRAY)).actions
        strays = uniforms(_named(keys, STRAYS)) < self._config.scripted_noise
        taught = uniforms(_named(keys, FULL)) < self._config.full_share
        game = self._lanes.game
        for i, lane in enumerate(lanes):
            policy = None
            if taught[i]:
                policy = np.zeros(game.num_actions, np.float32)
                policy[wanted[i]] = 1.0
            self._building[int(lane)].add(int(self._lanes.lengths[lane]), int(seats[i]), None, policy)
        return np.where(strays, stray, wanted).astype(np.int32)

    def _sample(
        self, lanes: NDArray[np.int64], worlds: NDArray[np.uint8], seats: NDArray[np.int64], keys: NDArray[np.uint64]
    ) -> NDArray[np.int32]:
        """Actions drawn from the network's policy, with its expectations; a scripted seat plays by its script."""
        game = self._lanes.game
        observations = np.zeros((len(lanes), game.observation_size), np.int16)
        observe_worlds(game.table, worlds, seats, observations)
        logits, values = self._evaluator.evaluate(observations)
        if not (np.isfinite(logits).all() and np.isfinite(values).all()):
            raise UsageError("the network answers with numbers that are not finite: its training has diverged")
        policy = np.empty((len(lanes), game.num_actions), np.float32)
        actions = np.empty(len(lanes), np.int32)
        draw_actions(game.table, worlds, _named(keys, DRAW), np.ascontiguousarray(logits), policy, actions)
        own = self._scripted_seats[lanes] != seats
        if not own.all():
            assert self._script is not None
            theirs = np.flatnonzero(~own)
            script = self._script[0].decide(worlds[theirs], seats[theirs], _named(keys[theirs], SCRIPT))
            actions[theirs] = script.actions
        around = (np.arange(game.players) - seats[:, None]) % game.players
        by_seat = np.take_along_axis(values, around, 1)
        taught = own & (uniforms(_named(keys, FULL)) < self._config.full_share)
        for i, lane in enumerate(lanes):
            target = policy[i] if taught[i] else None
            self._building[int(lane)].add(int(self._lanes.lengths[lane]), int(seats[i]), by_seat[i], target)
        self.counts.evaluations += len(lanes)
        return actions

    def _draw(self, policy: NDArray[np.float32], key: np.uint64) -> int:
        """An action drawn from the policy at the opening's temperature."""
        ids = np.flatnonzero(policy > 0)
        shares = policy[ids].astype(np.float64) / policy.max()  # the best one stays 1 in any power
        weights = np.cumsum(shares ** (1.0 / self._config.opening_temperature))
        return int(ids[np.searchsorted(weights, _chance(key, OPENING) * weights[-1], side="right")])


def scripted_seat(config: SelfPlayConfig, seed: int, number: int, players: int) -> int:
    """The seat that the scripted player has in the sampled game `number` of the run named `seed`, or -1."""
    if config.phase(number) != "sampled" or not config.sampled_script:
        return -1
    rng = np.array([key_of(seed, "selfplay", number, "script"), 0], np.uint64)
    return int(below(rng, players)) if uniform(rng) < config.sampled_script else -1


def _named(keys: NDArray[np.uint64], purpose: np.uint64) -> NDArray[np.uint64]:
    found: NDArray[np.uint64] = mixed(keys, purpose)
    return found


def _chance(key: np.uint64, purpose: np.uint64) -> float:
    """A number in [0, 1)."""
    rng = np.array([mix(key, purpose), 0], np.uint64)
    return float(uniform(rng))
