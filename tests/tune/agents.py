"""Players of Pig with one setting each, for studies of {python: "tests.tune.agents:Name"}; one is a kind, `holds`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game
from engines.pig.layout import HOLD, ROLL
from engines.rng import key_of
from orion_ai.agents import Decisions, register


class Holds:
    """Holds as soon as a turn has brought `at` points, or enough to win."""

    name = "holds"

    def __init__(self, game: Game, lanes: int, at: int = 1) -> None:
        self.game, self.at = game, at

    def decide(self, worlds: NDArray[np.uint8], seats: NDArray[np.int64], keys: NDArray[np.uint64]) -> Decisions:
        actions = []
        for world, seat in zip(worlds, seats, strict=True):
            state = world.view(self.game.dtype)[0]
            total = int(state["total"])
            wins = int(state["score"][seat]) + total >= int(state["target"])
            actions.append(HOLD if total and (wins or total >= self.at) else ROLL)
        return Decisions(np.array(actions, np.int32))


class Coin(Holds):
    """Decides by a coin, whatever its setting: there is nothing to tune."""

    def __init__(self, game: Game, lanes: int, colour: str = "red") -> None:
        super().__init__(game, lanes)
        self.colour = colour

    def decide(self, worlds: NDArray[np.uint8], seats: NDArray[np.int64], keys: NDArray[np.uint64]) -> Decisions:
        flips = [key_of(int(key), self.colour) & 1 for key in keys]
        return Decisions(np.array(flips, np.int32))


register("holds", lambda game, config, lanes, evaluator: Holds(game, lanes, config.options["rule"]["at"]))
