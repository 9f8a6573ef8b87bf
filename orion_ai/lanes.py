"""Lanes: many games of one kind side by side, driven between decisions by one kernel call.

The driver of self-play, arena and play. It holds the true records, plays chance by each game's own dealer streams,
applies decisions that leave no choice, and hands out nothing but worlds: records determinised for the
seat that decides.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engines.contract import TERMINAL, Game
from engines.errors import IllegalAction
from engines.state import State
from orion_ai.lane_kernels import begin, step, worlds_of

__all__ = ["Lanes"]


class Lanes:
    """`count` games of `game` at once.

    Attributes:
        to_play: int64[count], the seat that has a real choice, or TERMINAL (also for a lane not yet started).
        states: uint8[count, record]. The truth: never hand it to an agent; give it `worlds`.
    """

    def __init__(self, game: Game, count: int) -> None:
        self.game, self.count = game, count
        self.states = np.zeros((count, game.record_size), np.uint8)
        self.to_play: NDArray[np.int64] = np.full(count, TERMINAL, np.int64)
        self._options = game.encode_options()
        self._deals = np.zeros(count, np.uint64)
        self._counts = np.zeros((count, game.num_streams), np.int64)
        self._history = np.zeros((count, game.max_length), np.int32)
        self._lengths: NDArray[np.int64] = np.zeros(count, np.int64)
        self._outcomes = np.zeros(game.max_legal, np.int32)
        self._weights = np.zeros(game.max_legal, np.int64)
        self._rng = np.zeros(2, np.uint64)

    def start(self, lane: int, deal: int) -> None:
        """Start a new game in `lane`; `deal` names its chance."""
        self._deals[lane] = np.uint64(deal & 0xFFFFFFFFFFFFFFFF)
        self._counts[lane] = 0
        self.to_play[lane], self._lengths[lane] = begin(
            self.game.table,
            self.states[lane],
            self._options,
            self._deals[lane],
            self._counts[lane],
            self._history[lane],
            self._outcomes,
            self._weights,
        )

    def apply(self, lanes: NDArray[np.int64], actions: NDArray[np.int32]) -> None:
        """Apply one decision in each of `lanes` (int64[n]), then chance and forced decisions up to the next choice.

        Raises:
            IllegalAction: names the lane, the action and what was legal. Lanes before it have moved on.
        """
        bad = step(
            self.game.table,
            self.states,
            np.ascontiguousarray(lanes, np.int64),
            np.ascontiguousarray(actions, np.int32),
            self._deals,
            self._counts,
            self._history,
            self._lengths,
            self.to_play,
            self._outcomes,
            self._weights,
        )
        if bad >= 0:
            try:
                self.state(int(lanes[bad])).apply(int(actions[bad]))
            except IllegalAction as error:
                raise IllegalAction(f"lane {int(lanes[bad])}: {error}") from None

    def worlds(self, lanes: NDArray[np.int64], seats: NDArray[np.int64], keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """uint8[n, record]: for each lane a world that its seat cannot tell from the truth, drawn by its key."""
        out = np.empty((len(lanes), self.game.record_size), np.uint8)
        worlds_of(self.game.table, self.states, lanes, seats, keys, self._rng, out)
        return out

    def state(self, lane: int) -> State:
        """The true position of a lane, without a dealer."""
        return State(self.game, self.states[lane].copy())

    @property
    def lengths(self) -> NDArray[np.int64]:
        """int64[count], how many decisions and outcomes each lane's game has had."""
        return self._lengths

    def history(self, lane: int) -> list[int]:
        """Every decision and outcome of the lane's game so far."""
        return [int(a) for a in self._history[lane, : self._lengths[lane]]]

    def steps(self, lane: int) -> NDArray[np.int32]:
        """`history` as int32[length], not a copy."""
        return self._history[lane, : self._lengths[lane]]

    def running(self) -> NDArray[np.int64]:
        """The lanes whose game goes on."""
        return np.flatnonzero(self.to_play != TERMINAL)

    def returns(self, lane: int) -> list[float]:
        """Utility of every seat (by the present standing before the end)."""
        return self.state(lane).returns()

    def scores(self, lane: int) -> list[int]:
        """Points of every seat as they stand."""
        return self.state(lane).scores()
