"""What a match says, and how surely. The unit of every statistic is the block: one deal in all seat rotations.

Games of a block share their luck, so they are no independent samples; blocks are. Intervals come from resampling whole
blocks (Efron 1979), their percentiles widened for few blocks (Hesterberg 2015, "What teachers should know about the
bootstrap", section 3.3); from fewer than ten blocks they come from Student's t, with jackknifed errors (Efron and Stein
1981). Ratings come from a Bradley-Terry fit with ties as half a win (Hunter 2004, the MM algorithm).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Interval",
    "blocks_needed",
    "elo",
    "elo_intervals",
    "interval",
    "intervals",
    "percentiles",
    "resampled",
    "t_quantile",
]

ELO = 400.0 / math.log(10.0)
RESAMPLES = 2000
AT_ONCE = 2**21
"""Numbers held at a time while resampling, however many blocks there are."""
FEW = 10
"""Below so many blocks resampling sees too little of what could have happened."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """An estimate with the bounds of its interval; None where the data set no bound."""

    mean: float
    low: float | None
    high: float | None

    def __str__(self) -> str:
        low, high = ("?" if b is None else f"{b:+.3f}" for b in (self.low, self.high))
        return f"{self.mean:+.3f} [{low}, {high}]"


def t_quantile(p: float, freedom: int) -> float:
    """Quantile of Student's t: exact for 1 and 2 degrees of freedom, else a Cornish-Fisher expansion (within 2 %)."""
    if freedom == 1:
        return math.tan(math.pi * (p - 0.5))
    if freedom == 2:
        return (2 * p - 1) * math.sqrt(2 / (4 * p * (1 - p)))
    z, v = NormalDist().inv_cdf(p), float(freedom)
    return (
        z
        + (z**3 + z) / (4 * v)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
    )


def _tail(blocks: int, confidence: float) -> float:
    """Share of resamples to cut off at each end, for `blocks` blocks: less than alpha / 2 when they are few."""
    quantile = t_quantile((1 + confidence) / 2, max(blocks - 1, 1))
    return NormalDist().cdf(-quantile * math.sqrt(blocks / max(blocks - 1, 1)))


def _sums(values: Floats, resamples: int, seed: int) -> Floats:
    """Sums of each column over as many blocks, drawn with replacement: float64[resamples, columns].

    Args:
        values: float64[blocks, columns].
        resamples: how many such draws.
        seed: names them; the same for every matrix of so many blocks.
    """
    blocks, rng = len(values), np.random.default_rng(seed)
    sums = np.empty((resamples, values.shape[1]))
    size = max(1, AT_ONCE // blocks)
    for first in range(0, resamples, size):
        part = sums[first : first + size]
        part[:] = rng.multinomial(blocks, np.full(blocks, 1 / blocks), size=len(part)).astype(np.float64) @ values
    return sums


def resampled(values: Floats, strata: NDArray[np.int64], resamples: int, seed: int = 0) -> Floats:
    """Sums of each column over blocks drawn with replacement, within each stratum: float64[resamples, columns].

    Args:
        values: float64[blocks, columns].
        strata: int64[blocks], the stratum of each block.
        resamples: how many such draws.
        seed: names them.
    """
    total = np.zeros((resamples, values.shape[1]))
    for number, stratum in enumerate(np.unique(strata)):
        total += _sums(values[strata == stratum], resamples, seed + number)
    return total


def _surprise(blocks: int, confidence: float) -> float:
    """The largest share of unlike blocks under which `blocks` like ones in a row still happen with alpha / 2."""
    return float(1 - ((1 - confidence) / 2) ** (1 / blocks))


def interval(
    values: Floats, bounds: tuple[float, float], confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """The interval of one column, float64[blocks]; see `intervals`."""
    return intervals(values[:, None], [bounds], confidence, resamples, seed)[0]


def intervals(
    values: Floats,
    bounds: Sequence[tuple[float, float]],
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Interval]:
    """Means of some values a block, with their intervals; all from the same resamples of blocks.

    Where all blocks agree (all wins) resampling would claim certainty: there the bounds are those of a share of blocks
    that could be unlike and yet unseen (for 95 %: 1 - 0.025 ** (1 / blocks)), at the far end of `bounds`.

    Args:
        values: float64[blocks, columns].
        bounds: the least and greatest value that a block can have, a pair a column.
        confidence: share of repetitions whose interval is to hold the truth.
        resamples: bootstrap samples.
        seed: of the resampling.
    """
    n = len(values)
    sums = _sums(values, resamples, seed) if n >= FEW and np.ptp(values, axis=0).max() > 1e-12 else None
    return [
        _interval(values[:, i], column, confidence, None if sums is None else sums[:, i] / n)
        for i, column in enumerate(bounds)
    ]


def _interval(values: Floats, bounds: tuple[float, float], confidence: float, means: Floats | None) -> Interval:
    """`intervals` of one column, from the means of the resamples (None where they are not needed)."""
    n = len(values)
    mean = float(values.mean()) if n else math.nan
    if n < 2:
        return Interval(mean, None, None)
    if np.ptp(values) <= 1e-12:
        share = _surprise(n, confidence)
        return Interval(mean, mean - share * (mean - bounds[0]), mean + share * (bounds[1] - mean))
    if means is None:
        half = t_quantile((1 + confidence) / 2, n - 1) * float(values.std(ddof=1)) / math.sqrt(n)
        return Interval(mean, max(mean - half, bounds[0]), min(mean + half, bounds[1]))
    return Interval(mean, *percentiles(means, n, confidence))


def percentiles(sampled: Floats, blocks: int, confidence: float = 0.95) -> tuple[float, float]:
    """Bounds of an interval from what came out of resamples of so many blocks."""
    tail = _tail(blocks, confidence)
    low, high = np.quantile(sampled, [tail, 1 - tail])
    return float(low), float(high)


def elo(scores: Floats, iterations: int = 1000) -> Floats:
    """Ratings with mean 0 from pairwise scores.

    Each pair that met is given one drawn game more, so that all-win data have a finite answer.

    Args:
        scores: float64[..., k, k]: how often row beat column, ties half.
        iterations: at most so many; the fit stops when no rating moves by a hundredth of a point.

    Returns:
        float64[..., k].
    """
    met = scores + np.swapaxes(scores, -1, -2) > 0
    padded = scores + 0.5 * met * (1 - np.eye(scores.shape[-1]))
    games = padded + np.swapaxes(padded, -1, -2)
    wins = padded.sum(-1)
    strength = np.ones(wins.shape)
    for _ in range(iterations):
        share = games / (strength[..., :, None] + strength[..., None, :])
        new = wins / np.maximum(share.sum(-1), 1e-300)
        new = np.maximum(new, 1e-300) / np.exp(np.log(np.maximum(new, 1e-300)).mean(-1, keepdims=True))
        moved = np.abs(np.log(new / strength)).max()
        strength = new
        if moved < 0.01 / ELO:
            break
    ratings: Floats = ELO * np.log(strength)
    centred: Floats = ratings - ratings.mean(-1, keepdims=True)
    return centred


def elo_intervals(
    scores: Floats,
    confidence: float = 0.95,
    resamples: int = RESAMPLES // 2,
    seed: int = 0,
    strata: NDArray[np.int64] | None = None,
) -> list[Interval]:
    """Ratings of k agents with their intervals, by resampling blocks.

    Where all blocks agree, one bound is the rating if the unseen share of blocks (see `interval`) had gone the other
    way; on the other side there is none.

    Args:
        scores: float64[blocks, k, k], how often row beat column in a block, ties half.
        confidence: as in `interval`.
        resamples: as in `interval`.
        seed: as in `interval`.
        strata: int64[blocks], within which blocks are resampled (rounds of a match); None: all in one.
    """
    n, k = scores.shape[0], scores.shape[-1]
    ratings = elo(scores.sum(0))
    if n < 2:
        return [Interval(float(r), None, None) for r in ratings]
    if np.ptp(scores, axis=0).max() <= 1e-12:
        share = _surprise(n, confidence)
        total = scores.sum(0)
        other = elo((1 - share) * total + share * total.T)
        return [_one_sided(float(a), float(b)) for a, b in zip(ratings, other, strict=True)]
    if n < FEW:
        without = elo(scores.sum(0) - scores)
        errors = np.sqrt((n - 1) / n * ((without - without.mean(0)) ** 2).sum(0))
        halves = t_quantile((1 + confidence) / 2, n - 1) * errors
        return [Interval(float(r), float(r - h), float(r + h)) for r, h in zip(ratings, halves, strict=True)]
    strata = np.zeros(n, np.int64) if strata is None else strata
    sampled = elo(resampled(scores.reshape(n, k * k), strata, resamples, seed).reshape(resamples, k, k))
    tail = _tail(n, confidence)
    low, high = np.quantile(sampled, [tail, 1 - tail], axis=0)
    return [Interval(float(r), float(a), float(b)) for r, a, b in zip(ratings, low, high, strict=True)]


def _one_sided(rating: float, other: float) -> Interval:
    if abs(rating - other) < 1e-9:
        return Interval(rating, None, None)
    return Interval(rating, other, None) if other < rating else Interval(rating, None, other)


def blocks_needed(values: Floats, difference: float, confidence: float = 0.95, power: float = 0.8) -> int | None:
    """Blocks in all after which a true mean of `difference` is told from 0 with probability `power`.

    Args:
        values: float64[blocks] seen so far; their spread is taken for the true one. None with fewer than two blocks, or
            without any spread.
        difference: the mean to resolve, above 0.
        confidence: of the interval that must not hold 0.
        power: how often the match should succeed if the truth is `difference`.
    """
    if len(values) < 2 or np.ptp(values) <= 1e-12:
        return None
    normal = NormalDist()
    quantiles = normal.inv_cdf((1 + confidence) / 2) + normal.inv_cdf(power)
    return math.ceil((quantiles * float(values.std(ddof=1)) / difference) ** 2)
