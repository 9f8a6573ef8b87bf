"""A game with the buffers that the measuring kernels need."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game
from engines.rng import generator
from orion_ai.bench import kernels

__all__ = ["Probe"]


class Probe:
    """Buffers and positions of one game, drawn with fixed random numbers: the same on every machine.

    Attributes:
        game: the game.
        states: uint8[samples, record], positions before decisions of random games.
    """

    def __init__(self, game: Game, samples: int = 256) -> None:
        """`samples` positions are drawn."""
        self.game = game
        self.options = game.encode_options()
        self.state = np.zeros(game.record_size, np.uint8)
        self.world = np.zeros(game.record_size, np.uint8)
        self.outcomes = np.zeros(game.max_legal, np.int32)
        self.weights = np.zeros(game.max_legal, np.int64)
        self.observation = np.zeros(game.observation_size, np.int16)
        self.rng = generator("bench", game.name)
        self.states = np.zeros((samples, game.record_size), np.uint8)
        kernels.sample_decisions(
            game.table, self.options, self.rng, 7, self.states, self.outcomes, self.weights, self.state
        )

    def seats(self, count: int) -> NDArray[np.int64]:
        """Whose turn it is in the first `count` positions."""
        return np.array([self.game.kernels.to_play(state) for state in self.states[:count]], np.int64)

    def random_games(self, games: int) -> tuple[int, int]:
        """Play random games; returns (decisions, steps)."""
        decisions, steps = kernels.random_games(
            self.game.table, self.options, games, self.rng, self.state, self.outcomes, self.weights
        )
        return int(decisions), int(steps)

    def play_hash(self, games: int) -> int:
        """Hash of all that the kernels say in random games."""
        key = kernels.play_hash(
            self.game.table,
            self.options,
            games,
            self.game.players,
            generator("bench", "play", self.game.name),
            self.state,
            self.world,
            self.observation,
            self.outcomes,
            self.weights,
        )
        return int(key)
