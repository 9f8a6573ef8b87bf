"""Trails: what an agent that follows games is told between its decisions.

The driver of a game holds the truth. A seat learns from it a world for every change of its `info_key`, and nothing
else: not the events, not how many there were, nor when. What a trail holds is thus a function of what the seat has come
to know and of the key that names the trail.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game
from orion_ai.agents import Trail, sealed
from orion_ai.lanes import Lanes
from orion_ai.trail_kernels import note_changes

__all__ = ["Trails", "new_number", "trail_of"]

_NUMBERS = itertools.count()


def new_number() -> int:
    """A number for a game that followers have not been told of."""
    return next(_NUMBERS)


class _Past:
    """One game, walked again behind its driver: what its followed seats have come to know so far."""

    def __init__(self, game: Game, number: int, keys: Mapping[int, np.uint64]) -> None:
        self.game, self.number, self._done = game, number, 0
        self._state = np.zeros(game.record_size, np.uint8)
        game.kernels.setup(self._state, game.encode_options())
        self._followed = np.zeros(game.players, np.bool_)
        self._keys = np.zeros(game.players, np.uint64)
        self._known = np.zeros(game.players, np.uint64)
        self._told: NDArray[np.int64] = np.zeros(game.players, np.int64)
        self._handed: NDArray[np.int64] = np.zeros(game.players, np.int64)
        self._waiting: dict[int, list[NDArray[np.uint8]]] = {seat: [] for seat in keys}
        for seat, key in keys.items():
            self._followed[seat], self._keys[seat] = True, key
            self._known[seat] = game.kernels.info_key(self._state, seat)

    def catch_up(self, history: NDArray[np.int32]) -> None:
        """Walk on to the end of `history`, the game's steps from its start."""
        room = (len(history) - self._done) * len(self._waiting)
        worlds, seats = np.empty((room, self.game.record_size), np.uint8), np.empty(room, np.int64)
        count = note_changes(
            self.game.table, self._state, history, self._done, len(history), self._followed, self._known, self._told,
            self._keys, np.zeros(2, np.uint64), worlds, seats,
        )  # fmt: skip
        self._done = len(history)
        for seat, waiting in self._waiting.items():
            waiting.append(worlds[:count][seats[:count] == seat])

    def hand_over(self, seat: int) -> Trail:
        """What `seat` has come to know since it was last handed over."""
        worlds = np.concatenate(self._waiting[seat])
        self._waiting[seat] = []
        first, self._handed[seat] = int(self._handed[seat]), self._told[seat]
        return Trail(self.number, seat, sealed(self._keys[seat : seat + 1])[0], first, worlds)


class Trails:
    """The trails of the games in some lanes."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes
        self._past: dict[int, _Past] = {}

    def start(self, lane: int, keys: Mapping[int, np.uint64]) -> None:
        """A new game has begun in `lane`.

        Args:
            lane: which lane; `Lanes.start` has been called.
            keys: for each seat that is followed the number that names its trail; it is sealed before it is told.
        """
        self._past.pop(lane, None)
        if keys:
            self._past[lane] = _Past(self._lanes.game, new_number(), keys)

    def take(self, lanes: NDArray[np.int64], seats: NDArray[np.int64]) -> list[Trail]:
        """For each lane what its seat has come to know since it was last asked."""
        found = []
        for lane, seat in zip(lanes.tolist(), seats.tolist(), strict=True):
            self._past[lane].catch_up(self._lanes.steps(lane))
            found.append(self._past[lane].hand_over(seat))
        return found

    def finish(self, lane: int) -> list[int]:
        """The game in `lane` is over: the number by which followers know it, if any seat was followed."""
        past = self._past.pop(lane, None)
        return [] if past is None else [past.number]


def trail_of(game: Game, history: Sequence[int], seat: int, key: np.uint64, number: int) -> Trail:
    """The whole trail of `seat` after the steps `history` of a game.

    Args:
        game: the game.
        history: every decision and outcome from the start, which the caller has checked.
        seat: who is told.
        key: names the trail; sealed before it is told.
        number: by which the follower knows the game (`new_number`).
    """
    past = _Past(game, number, {seat: key})
    past.catch_up(np.array(history, np.int32))
    return past.hand_over(seat)
