"""Checks of the symmetries that a game declares: their images are played beside every random game."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engines.conformance_report import Run
from engines.contract import CHANCE, Game, Symmetry

__all__ = ["ImageChecks"]


class ImageChecks:
    """Every image of a game, for one loaded game with symmetries; without any there is nothing to check."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._images: list[_Image] = []
        for number, symmetry in enumerate(run.game.symmetries(), 1):
            fault = _fault(run.game, symmetry)
            if run.expect("images", not fault, f"symmetry {number}: {fault}"):
                self._images.append(_Image(run.game, symmetry, f"image {number}"))
        self._followed: list[_Image] = []

    def start(self) -> None:
        """A new random game begins."""
        self._followed = list(self._images)
        for image in self._images:
            image.start()

    def meet(self, record: NDArray[np.uint8]) -> None:
        """Compare every image with the state that it is an image of; one that is wrong is left for this game."""
        self._followed = [
            image for image in self._followed if self.run.expect("images", not (fault := image.fault(record)), fault)
        ]

    def follow(self, action: int) -> None:
        """The game goes on with `action`, its images with the action's image."""
        for image in self._followed:
            image.apply(action)


def _fault(game: Game, symmetry: Symmetry) -> str:
    """What is wrong with a declaration; "" if nothing is."""
    for name, places, size in (
        ("places", symmetry.places, game.observation_size),
        ("actions", symmetry.actions, game.num_ids),
    ):
        if places.shape != (size,) or not np.array_equal(np.sort(places), np.arange(size)):
            return f"{name} is no permutation of {size} numbers"
    if int(symmetry.actions[: game.num_actions].max()) >= game.num_actions:
        return "a decision becomes an outcome"
    if np.array_equal(symmetry.actions, np.arange(game.num_ids)) and np.array_equal(
        symmetry.places, np.arange(game.observation_size)
    ):
        return "it is the game itself"
    return ""


class _Image:
    """A game in one of its images, played beside it."""

    def __init__(self, game: Game, symmetry: Symmetry, name: str) -> None:
        self._game, self._symmetry, self._name = game, symmetry, name
        self._action_of = np.argsort(symmetry.actions)
        self._record = np.zeros(game.record_size, np.uint8)

    def start(self) -> None:
        self._game.kernels.setup(self._record, self._game.encode_options())

    def apply(self, action: int) -> None:
        self._game.kernels.apply(self._record, int(self._action_of[action]))

    def fault(self, record: NDArray[np.uint8]) -> str:
        """How this differs from what the symmetry makes of the game's state; "" if it does not."""
        kernels = self._game.kernels
        turn = int(kernels.to_play(record))
        if int(kernels.to_play(self._record)) != turn:
            return f"{self._name}: to_play is {kernels.to_play(self._record)}, not {turn}"
        expected = sorted((int(self._action_of[a]), weight) for a, weight in self._choices(record, turn))
        if self._choices(self._record, turn) != expected:
            return f"{self._name}: legal ids and weights are {self._choices(self._record, turn)}, not {expected}"
        if not np.array_equal(self._returns(self._record), self._returns(record)):
            return f"{self._name}: utilities are {self._returns(self._record)}, not {self._returns(record)}"
        for seat in range(self._game.players):
            seen = self._seen(record, seat)[self._symmetry.places]
            wrong = np.flatnonzero(self._seen(self._record, seat) != seen)
            if len(wrong):
                return f"{self._name}: entries {wrong.tolist()} of what seat {seat} sees are not the original's"
        return ""

    def _choices(self, record: NDArray[np.uint8], turn: int) -> list[tuple[int, int]]:
        """Legal ids, with their weights at a chance node."""
        ids, weights = np.zeros(self._game.max_legal, np.int32), np.zeros(self._game.max_legal, np.int64)
        n = int(self._game.kernels.legal(record, ids))
        if turn == CHANCE:
            self._game.kernels.weights(record, weights)
        return [(int(a), int(w)) for a, w in zip(ids[:n], weights[:n], strict=True)]

    def _returns(self, record: NDArray[np.uint8]) -> NDArray[np.float32]:
        out = np.zeros(self._game.players, np.float32)
        self._game.kernels.returns(record, out)
        return out

    def _seen(self, record: NDArray[np.uint8], seat: int) -> NDArray[np.int16]:
        out = np.zeros(self._game.observation_size, np.int16)
        self._game.kernels.observe(record, seat, out)
        return out
