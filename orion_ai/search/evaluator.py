"""What answers a batch of observations, and two evaluators that need no network."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game

__all__ = ["Evaluator", "HashEvaluator", "Opponent", "UniformEvaluator"]


class Evaluator(Protocol):
    """Anything that maps observations to policy logits and values; a network in practice."""

    def evaluate(self, observations: NDArray[np.int16]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Answer a batch.

        Args:
            observations: `int16[N, D]`, as `game.kernels.observe` writes them; only valid during the call.

        Returns:
            logits `float32[N, A]`, unmasked, over decision ids; values `float32[N, P]` in [-1, 1], entry 0 the
            observing seat's, then clockwise.
        """
        ...


class Chosen(Protocol):
    """What an opponent answers."""

    @property
    def actions(self) -> NDArray[np.int32]:
        """[B] a legal action id each."""
        ...


class Opponent(Protocol):
    """Who plays opponents in the tree (`opponents="agent"`): any agent of `orion_ai.agents`."""

    def decide(self, worlds: NDArray[np.uint8], seats: NDArray[np.int64], keys: NDArray[np.uint64]) -> Chosen:
        """Decide in B positions at once.

        Args:
            worlds: `uint8[B, record]`, each a state that the seat cannot tell from the simulation's.
            seats: `int64[B]`, the seat to move in each.
            keys: `uint64[B]`, name all randomness.
        """
        ...


class UniformEvaluator:
    """Knows nothing: all actions alike, every value 0. The baseline for priors, and for timing a search by itself."""

    def __init__(self, game: Game) -> None:
        self._actions, self._players = game.num_actions, game.players

    def evaluate(self, observations: NDArray[np.int16]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """See `Evaluator.evaluate`."""
        rows = len(observations)
        return np.zeros((rows, self._actions), np.float32), np.zeros((rows, self._players), np.float32)


class HashEvaluator:
    """Arbitrary but fixed answers, made from each observation alone by integer arithmetic: for tests and golden trees.

    Logits are multiples of 1/16 in [-2, 2), values multiples of 1/64 in [-1/2, 1/2) (they need not sum to 0).
    """

    def __init__(self, game: Game, salt: int = 0) -> None:
        self._places: NDArray[np.uint64] = np.arange(1, game.observation_size + 1, dtype=np.uint64) + np.uint64(salt)
        self._actions: NDArray[np.uint64] = np.arange(game.num_actions, dtype=np.uint64)
        self._seats: NDArray[np.uint64] = np.arange(2**32, 2**32 + game.players, dtype=np.uint64)

    def evaluate(self, observations: NDArray[np.int16]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """See `Evaluator.evaluate`."""
        with np.errstate(over="ignore"):
            seen = observations.astype(np.int64).astype(np.uint64) * _scramble(self._places)
            base: NDArray[np.uint64] = _scramble(seen.sum(axis=1, dtype=np.uint64))[:, None]
            logits = _scramble(base + self._actions) >> np.uint64(58)
            values = _scramble(base + self._seats) >> np.uint64(58)
        return (
            (logits.astype(np.float32) - 32) / np.float32(16),
            (values.astype(np.float32) - 32) / np.float32(64),
        )


def _scramble(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A 64-bit hash of each entry (the finaliser of SplitMix64)."""
    x = (x + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
