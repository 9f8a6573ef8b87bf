"""One game in progress, as the environments drive it: chance dealt, decisions without a choice made."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import engines
from engines.contract import Game
from engines.errors import IllegalAction, UsageError, quoted
from engines.rng import mix
from orion_ai.agents import Agent, Follower, Trail
from orion_ai.interop.features import Features
from orion_ai.lanes import Lanes
from orion_ai.trails import Trails

__all__ = ["Table", "game_of"]

ONLY: NDArray[np.int64] = np.zeros(1, np.int64)
"""The lane of the only game."""
_TRAILS = 2**32
"""Trails are named by numbers from here on, decisions by smaller ones."""


def game_of(name: str | Game, options: Mapping[str, Any]) -> Game:
    """The game that an environment was asked for: loaded by name with its options, or one that has been loaded.

    Raises:
        UsageError: as of `engines.load`; what is neither a name nor a game; options beside a loaded game.
    """
    if isinstance(name, str):
        return engines.load(name, **options)
    if not isinstance(name, Game):
        raise UsageError(f"game is {quoted(name)}: expected one of {', '.join(engines.GAMES)}, or a loaded game")
    if options:
        raise UsageError(f"{', '.join(options)}: {name.name} has been loaded already, its options are set")
    return name


class Table:
    """A game that stands at a choice of some seat, or at its end."""

    def __init__(self, game: Game) -> None:
        self.game, self.features = game, Features(game)
        self._lanes = Lanes(game, 1)
        self._trails = Trails(self._lanes)
        self._legal = np.empty(game.max_legal, np.int32)

    def start(self, deal: int) -> None:
        """Begin a new game; `deal` names all its chance."""
        self._lanes.start(0, deal)

    @property
    def to_play(self) -> int:
        """The seat that has a choice, or TERMINAL."""
        return int(self._lanes.to_play[0])

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.to_play < 0

    @property
    def record(self) -> NDArray[np.uint8]:
        """The true record (uint8[record_size]), not a copy."""
        record: NDArray[np.uint8] = self._lanes.states[0]
        return record

    def observe(self, seat: int) -> NDArray[np.float32]:
        """float32[D], what `seat` sees."""
        return self.features.of(self.record, seat)

    def mask(self, seat: int) -> NDArray[np.int8]:
        """int8[num_actions], 1 for every legal decision; all 0 where `seat` is not to move."""
        mask = np.zeros(self.game.num_actions, np.int8)
        if seat == self.to_play:
            mask[self._legal[: self.game.kernels.legal(self.record, self._legal)]] = 1
        return mask

    def apply(self, action: Any) -> None:
        """The seat to move decides; the game goes on to the next choice.

        Args:
            action: an id; an integer of any kind, arrays without axes included.

        Raises:
            IllegalAction: names the action and what was legal; nothing has changed.
        """
        try:
            number = operator.index(action)
        except TypeError:
            raise IllegalAction(f"expected an action's id, a whole number, found {quoted(action)}") from None
        if not 0 <= number < self.game.num_actions:
            self._lanes.state(0).apply(number)
        try:
            self._lanes.apply(ONLY, np.array([number], np.int32))
        except IllegalAction as error:
            raise IllegalAction(str(error).removeprefix("lane 0: ")) from None

    def world(self, seat: int, key: np.uint64) -> NDArray[np.uint8]:
        """uint8[1, record_size], what an agent is given: a world that `seat` cannot tell from the truth."""
        return self._lanes.worlds(ONLY, np.array([seat], np.int64), np.array([key], np.uint64))

    def follow(self, agents: Mapping[int, Agent], key: np.uint64) -> None:
        """The agents of these seats play the game that has just been started; those that follow games forget the last
        one. `key` names what is random in their trails.
        """
        over = self._trails.finish(0)
        following = {seat: agent for seat, agent in agents.items() if isinstance(agent, Follower)}
        for agent in following.values():
            agent.forget(over)
        self._trails.start(0, {seat: mix(key, np.uint64(_TRAILS + seat)) for seat in following})

    def trails(self, agent: Agent, seat: int) -> list[Trail] | None:
        """What an agent that follows games is told before `seat` decides; None for others."""
        return self._trails.take(ONLY, np.array([seat], np.int64)) if isinstance(agent, Follower) else None

    def returns(self) -> list[float]:
        """Utility of every seat in [-1, 1]."""
        return self._lanes.returns(0)

    def text(self, seat: int | None = None) -> str:
        """The board as `seat` sees it (PUBLIC: spectators; None: everything)."""
        return self.game.board(self._lanes.state(0), seat)
