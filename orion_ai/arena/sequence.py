"""An interval that may be looked at after every block: with probability 1 - alpha it holds the truth at all times.

The hedged capital of Waudby-Smith and Ramdas (2024, "Estimating means of bounded random variables by betting", theorem
3): for every candidate mean a gambler bets, before each block, that the score lies above it, another that it lies
below. If the candidate is the truth neither can win on average, so by Ville's inequality the capital ever reaches
1 / alpha with probability alpha at most: candidates at which it did are out for good. No normality, no least number of
blocks; needed are only scores in [0, 1] with the same mean whatever came before.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from orion_ai.arena.statistics import Interval

__all__ = ["ConfidenceSequence"]

CELLS = 2000
"""Candidates are the edges of so many cells; what lies between two edges is out once both are: capital is monotone."""
CAUTION = 0.5
"""No bet risks more than this share of the capital."""


class ConfidenceSequence:
    """Takes scores in [0, 1] one by one.

    Attributes:
        count: scores taken.
        low, high: the interval so far; it never grows.
    """

    def __init__(self, alpha: float = 0.05) -> None:
        """`alpha`: how often the interval may ever miss the truth."""
        self.alpha, self.count, self.low, self.high = alpha, 0, 0.0, 1.0
        self._edges: NDArray[np.float64] = np.linspace(0.0, 1.0, CELLS + 1)
        self._above = np.zeros(CELLS + 1)  # ln capital of who bets on scores above the candidate
        self._below = np.zeros(CELLS + 1)
        self._sum = 0.0
        self._mean, self._squares, self._variance = 0.5, 0.25, 0.25

    def add(self, score: float) -> None:
        """Take the next score; what was bet on it rests on those before only."""
        if not -1e-9 <= score <= 1 + 1e-9:
            raise ValueError(f"a score of {score}: expected 0 to 1")
        n = self.count + 1
        bet = math.sqrt(2.0 * math.log(2.0 / self.alpha) / (max(self._variance, 1e-6) * n * math.log(1 + n)))
        m = self._edges
        with np.errstate(divide="ignore"):
            up, down = np.minimum(bet, CAUTION / m), np.minimum(bet, CAUTION / (1.0 - m))
        self._above += np.log1p(up * (score - m))
        self._below += np.log1p(-down * (score - m))
        self.count, self._sum = n, self._sum + score
        self._mean = (0.5 + self._sum) / (n + 1)
        self._squares += (score - self._mean) ** 2
        self._variance = self._squares / (n + 1)
        self._shrink()

    def _shrink(self) -> None:
        """Cut off the candidates that are out: from each end, up to the last edge that is still in."""
        left = np.flatnonzero(np.maximum(self._above, self._below) < math.log(2.0 / self.alpha))
        inside = left[(self._edges[left] >= self.low) & (self._edges[left] <= self.high)]
        if len(inside):
            self.low = max(self.low, float(self._edges[max(inside[0] - 1, 0)]))
            self.high = min(self.high, float(self._edges[min(inside[-1] + 1, CELLS)]))

    @property
    def interval(self) -> Interval:
        """The mean of the scores with the bounds."""
        return Interval(self._sum / self.count if self.count else math.nan, self.low, self.high)
