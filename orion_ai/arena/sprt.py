"""Sequential test of two agents: stop a match as soon as the blocks played say enough.

The generalised sequential probability ratio test (Wald 1945; Van den Bergh, "The generalized maximum likelihood ratio
for the expectation value of a distribution" and "Normalized Elo, practical"). Two hypotheses are laid down before the
match: the first agent is stronger by `elo0`, or by `elo1`. After each block

    LLR = blocks * (log-likelihood of the best fit with elo1 - log-likelihood of the best fit with elo0)

where the fits are distributions over the scores seen. At ln((1 - beta) / alpha) `elo1` is accepted, at
ln(beta / (1 - alpha)) `elo0`: about alpha of the matches between agents that are elo0 apart end with `elo1`, and beta
of those that are elo1 apart with `elo0`.

A block's score lies in [0, 1], par 1/2 (see `stopping.block_score`): the share of games won, where all is won or lost.
In logistic Elo a score is 1 / (1 + 10 ** (-elo / 400)); in normalised Elo it is the distance from par in
standard deviations of a game: 1/2 + elo * deviation * ln(10) / 800.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.errors import UsageError, choose_from
from orion_ai.ranges import check_ranges

__all__ = ["Sprt", "SprtState", "llr_exact", "llr_normal", "mle_mean", "mle_t", "regularized", "score_of_elo"]

Floats = NDArray[np.float64]
NORMALISED = 800.0 / math.log(10.0)
"""Normalised Elo of a game whose mean lies one standard deviation above par."""
PSEUDO = 1e-3
"""Blocks that a possible score counts which was never seen (as fishtest has it): its fit needs more than zero."""
PRIOR = 1.0
"""Blocks that each agent is taken to have won in full before the match, so that a run of like blocks at its
beginning is no certainty."""
LEAST = 8
"""Fewer blocks decide nothing."""
MODELS = ("logistic", "normalised")


def score_of_elo(elo: float) -> float:
    """Expected score of an agent that is stronger by `elo` (logistic)."""
    return float(1.0 / (1.0 + 10.0 ** (-elo / 400.0)))


def regularized(counts: Floats, pseudo: float = PSEUDO) -> Floats:
    """`counts` with `pseudo` in the place of zeros."""
    whole: Floats = np.where(counts > 0, counts, pseudo)
    return whole


def _multiplier(d: Floats, p: Floats) -> Floats:
    """x[...] with sum p d / (1 + x d) = 0 and all 1 + x d > 0, for d[..., k] of both signs and p[..., k] > 0.

    Newton's steps, halved into the bracket where they leave it; the sum falls as x grows.
    """
    low, high = -1.0 / d.max(-1), -1.0 / d.min(-1)
    x = np.zeros(d.shape[:-1])
    for _ in range(200):
        inverse = 1.0 / (1.0 + x[..., None] * d)
        value = (p * d * inverse).sum(-1)
        low, high = np.where(value > 0, x, low), np.where(value > 0, high, x)
        step = x + value / (p * (d * inverse) ** 2).sum(-1)
        new = np.where((step > low) & (step < high), step, 0.5 * (low + high))
        if np.all(np.abs(new - x) <= 1e-15 * (1.0 + np.abs(x))):
            break
        x = new
    return x


def mle_mean(values: Floats, p: Floats, mean: float) -> Floats:
    """The likeliest distribution with a given mean.

    Args:
        values: float64[k], the possible scores.
        p: float64[..., k], their observed shares, above 0.
        mean: between the least and the greatest of `values`.

    Returns:
        float64[..., k]: shares q that maximise sum p ln q (Owen 1988, the empirical likelihood of a mean).

    Raises:
        UsageError: no distribution over `values` has that mean.
    """
    if not values.min() < mean < values.max():
        raise UsageError(f"a mean of {mean:g} is outside of the scores: {values.min():g} to {values.max():g}")
    d = np.broadcast_to(values - mean, p.shape)
    fitted: Floats = p / (1.0 + _multiplier(d, p)[..., None] * d)
    return fitted


def mle_t(values: Floats, p: Floats, t: float, reference: float = 0.5) -> Floats:
    """As `mle_mean`, with a given distance of the mean from `reference` in standard deviations.

    A fixed point: the condition is linear once mean and deviation are known (Van den Bergh, "Normalized Elo,
    practical", section 4.1).

    Raises:
        UsageError: the scores are too alike for that distance.
    """
    fitted: Floats = np.full(p.shape, 1.0 / p.shape[-1])
    for _ in range(200):
        mean = (fitted * values).sum(-1, keepdims=True)
        deviation = np.sqrt((fitted * (values - mean) ** 2).sum(-1, keepdims=True))
        d = values - reference - t * deviation * (1.0 + ((mean - values) / deviation) ** 2) / 2.0
        if np.any(d.max(-1) <= 0) or np.any(d.min(-1) >= 0):
            raise UsageError(f"no distribution over these scores lies {t:g} deviations from {reference:g}")
        new: Floats = p / (1.0 + _multiplier(d, p)[..., None] * d)
        if np.abs(new - fitted).max() < 1e-13:
            return new
        fitted = 0.5 * (new + fitted)
    return fitted


def llr_exact(
    values: Floats, counts: Floats, elo0: float, elo1: float, model: str = "logistic", games: int = 1
) -> Floats:
    """Generalised log-likelihood ratio of `elo1` to `elo0`.

    Args:
        values: float64[k], the possible scores of a block, in [0, 1].
        counts: float64[..., k], how often each was seen, above 0 (see `regularized`).
        elo0: the first hypothesis.
        elo1: the second.
        model: `logistic`, or `normalised` (to standard deviations of a game).
        games: games of a block, for `normalised`: their deviation is that of a block times sqrt(games).

    Returns:
        float64[...].
    """
    total = counts.sum(-1, keepdims=True)
    p = counts / total
    if model == "logistic":
        first, second = (mle_mean(values, p, score_of_elo(elo)) for elo in (elo0, elo1))
    else:
        first, second = (mle_t(values, p, elo / NORMALISED * math.sqrt(games)) for elo in (elo0, elo1))
    ratio: Floats = (counts * np.log(second / first)).sum(-1)
    return ratio


def llr_normal(
    mean: Floats, variance: Floats, blocks: Floats, elo0: float, elo1: float, model: str = "logistic", games: int = 1
) -> Floats:
    """The ratio where scores are taken for normal: blocks (s1 - s0) (2 mean - s0 - s1) / (2 variance).

    Args:
        mean: of the scores of a block.
        variance: of the scores of a block, above 0.
        blocks: how many.
        elo0: the first hypothesis.
        elo1: the second.
        model: see `llr_exact`.
        games: see `llr_exact`.
    """
    if model == "logistic":
        s0: Any = score_of_elo(elo0)
        s1: Any = score_of_elo(elo1)
    else:
        s0, s1 = (0.5 + elo * np.sqrt(games * variance) / NORMALISED for elo in (elo0, elo1))
    ratio: Floats = blocks * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance)
    return ratio


@dataclass(frozen=True)
class Sprt:
    """The two hypotheses of a sequential test, as settings; with `elo1` = `elo0` there is none.

    Attributes:
        elo0: the first agent is stronger by this much: what is kept if nothing speaks against it.
        elo1: the first agent is stronger by this much.
        alpha: how often `elo1` is accepted although `elo0` holds.
        beta: how often `elo0` is accepted although `elo1` holds.
        model: in which Elo the hypotheses are: `logistic` or `normalised`.
    """

    elo0: float = 0.0
    elo1: float = 0.0
    alpha: float = 0.05
    beta: float = 0.05
    model: str = "logistic"

    def __post_init__(self) -> None:
        check_ranges("sprt", self, {"alpha": (1e-9, 0.499), "beta": (1e-9, 0.499)})
        check_ranges("sprt", self, {"elo0": (-1000, 1000), "elo1": (self.elo0, 1000)})
        choose_from("sprt.model", self.model, MODELS)

    def __bool__(self) -> bool:
        return self.elo1 > self.elo0

    @property
    def bounds(self) -> tuple[float, float]:
        """At which ratios `elo0` and `elo1` are accepted (Wald)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def __str__(self) -> str:
        return (
            f"H0: elo = {self.elo0:g}, H1: elo = {self.elo1:g} ({self.model}), alpha {self.alpha:g}, beta {self.beta:g}"
        )


@dataclass(frozen=True)
class SprtState:
    """How a sequential test stands after some blocks.

    Attributes:
        test: the hypotheses.
        blocks: how many blocks it rests on.
        llr: the log-likelihood ratio.
        needed: about how many more blocks a decision takes, None where nothing can be said.
    """

    test: Sprt
    blocks: int
    llr: float
    needed: int | None

    @classmethod
    def of(cls, test: Sprt, scores: Floats, games: int) -> SprtState:
        """The state after the blocks with these scores.

        Args:
            test: the hypotheses.
            scores: float64[n] in [0, 1], in the order of the blocks.
            games: games of a block.
        """
        values, times = np.unique(np.concatenate([np.round(scores, 9), [0.0, 1.0]]), return_counts=True)
        counts: Floats = times.astype(np.float64)
        counts[[0, -1]] += PRIOR - 1.0
        mean = float((counts * values).sum() / counts.sum())
        variance = float((counts * (values - mean) ** 2).sum() / counts.sum())
        try:
            llr = float(llr_exact(values, counts, test.elo0, test.elo1, test.model, games))
        except UsageError:  # normalised hypotheses so far off that no distribution over these scores has them
            moments = (np.array(mean), np.array(variance), counts.sum())
            llr = float(llr_normal(*moments, test.elo0, test.elo1, test.model, games))
        return cls(test, len(scores), llr, _blocks_left(test, llr, mean, variance, games))

    @property
    def decided(self) -> str:
        """`H1`, `H0`, or "" while the ratio lies between the bounds."""
        low, high = self.test.bounds
        if self.blocks < LEAST or low < self.llr < high:
            return ""
        return "H1" if self.llr >= high else "H0"

    def as_json(self) -> Mapping[str, Any]:
        """Plain data: hypotheses, bounds and where the test stands."""
        t, (low, high) = self.test, self.test.bounds
        said = {"elo0": t.elo0, "elo1": t.elo1, "alpha": t.alpha, "beta": t.beta, "model": t.model}
        state = {"blocks": self.blocks, "llr": self.llr, "decided": self.decided or None, "needed": self.needed}
        return {**said, "lower": low, "upper": high, **state}

    def sentence(self, first: str, second: str) -> str:
        """What the test says of the two agents."""
        low, high = self.test.bounds
        said, more = "undecided", ""
        if self.decided:
            elo0, elo1 = f"{self.test.elo0:g}", f"{self.test.elo1:g}"
            this, that = (elo1, elo0) if self.decided == "H1" else (elo0, elo1)
            said = f"{self.decided} accepted: {first} is stronger than {second} by {this} Elo rather than by {that}"
        elif self.needed is not None:
            more = f"; needs about {self.needed} more blocks"
        where = f"LLR {self.llr:+.2f} in [{low:.2f}, {high:.2f}]"
        return f"SPRT ({self.test}): {said} after {self.blocks} blocks, {where}{more}."


def _blocks_left(test: Sprt, llr: float, mean: float, variance: float, games: int) -> int | None:
    """Mean time until a Brownian motion with the drift and variance seen so far leaves the bounds."""
    low, high = (bound - llr for bound in test.bounds)
    if low >= 0 or high <= 0:
        return 0
    if variance <= 0:
        return None
    one = np.array(1.0)
    drift = float(llr_normal(np.array(mean), np.array(variance), one, test.elo0, test.elo1, test.model, games))
    s0, s1 = (
        score_of_elo(e) if test.model == "logistic" else 0.5 + e * math.sqrt(games * variance) / NORMALISED
        for e in (test.elo0, test.elo1)
    )
    spread = (s1 - s0) ** 2 / variance
    h = 2.0 * drift / spread
    if abs(h) * (high - low) < 1e-6:
        return math.ceil(-low * high / spread)
    up = math.expm1(-h * low) / (math.expm1(-h * low) - math.expm1(-h * high)) if abs(h) * (high - low) < 500 else h > 0
    return max(1, math.ceil((up * high + (1 - up) * low) / drift))
