"""Observations as float32 numbers for other frameworks: counts and quantities divided by the scale of their slice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game, Kind

__all__ = ["Features"]


class Features:
    """How the observations of `game` become numbers.

    Slices of kind SCALAR and COUNT are divided by their `scale`; ONE_HOT and MASK are 0 or 1; CARD stays 1 + the index
    of its label, 0 for none.

    Attributes:
        low, high: float32[D], the bounds of every number.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        bounds = np.iinfo(np.int16)
        self._scale = np.ones(game.observation_size, np.float32)
        self.low, self.high = np.zeros_like(self._scale), np.ones_like(self._scale)
        for part in game.slices:
            inside = slice(part.start, part.start + part.size)
            if part.kind in (Kind.SCALAR, Kind.COUNT):
                self._scale[inside] = part.scale
                self.high[inside] = bounds.max / self._scale[inside]
            if part.kind is Kind.SCALAR:
                self.low[inside] = bounds.min / self._scale[inside]
            if part.kind is Kind.CARD:
                self.high[inside] = len(game.labels[part.labels])

    def of(self, record: NDArray[np.uint8], seat: int) -> NDArray[np.float32]:
        """float32[D], what `seat` sees in `record`."""
        seen = np.zeros(len(self._scale), np.int16)
        self.game.kernels.observe(record, seat, seen)
        return np.divide(seen, self._scale, dtype=np.float32)

    def named(self, row: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        """The slices of `row` (float32[D]) by name: views of its memory, each in the shape of its slice."""
        return {part.name: row[part.start : part.start + part.size].reshape(part.shape) for part in self.game.slices}
