"""Ratings: Bradley-Terry for pairs, Plackett-Luce with ties for tables of any size, and who is told apart from whom.

Bradley-Terry: a beats b with probability s_a / (s_a + s_b); a tie is half a win for each; Elo is 400 log10 s.

Plackett-Luce with ties (Davidson and Luce; Firth, Kosmidis and Turner 2019): a game is a sequence of choices, the
winner from all, the next from the rest, and so on. A set C of seats is chosen from those left with weight

    d_|C| * (product of s over C) ** (1 / |C|),     d_1 = 1,

so tied seats are one choice, and d_2, d_3, ... say how common ties are. In log s and log d this is a logit model with
a concave likelihood: Newton's method finds its maximum. With two seats it is Davidson's model (1970).

Every pair that met is given one game more, half of it won by each, so that all-win data have a finite answer.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

__all__ = ["Choices", "Ranking", "bradley_terry", "choices_of", "holm", "plackett_luce", "two_sided"]

Floats = NDArray[np.float64]
ROUNDS = 200
"""Newton's steps at most."""
STEP = 2.0
"""No step changes a logarithm by more."""
RIDGE = 1e-9
"""Keeps the curvature regular for a size of tie that a resample does not hold."""


def bradley_terry(scores: Floats, prior: float = 0.5) -> Floats:
    """Log-strengths with mean 0 from pairwise scores, to about 1e-10.

    Args:
        scores: float64[..., k, k]: how often row beat column, ties half.
        prior: wins that are given to each agent of a pair that met.

    Returns:
        float64[..., k]; times 400 / ln 10 it is Elo.
    """
    k = scores.shape[-1]
    met = scores + np.swapaxes(scores, -1, -2) > 0
    wins = scores * (1 - np.eye(k)) + prior * met * (1 - np.eye(k))
    games = wins + np.swapaxes(wins, -1, -2)
    strength = np.zeros(scores.shape[:-1])
    for _ in range(ROUNDS):
        chance = 1.0 / (1.0 + np.exp(strength[..., None, :] - strength[..., :, None]))
        slope = wins.sum(-1) - (games * chance).sum(-1)
        weights = games * chance * (1 - chance)
        step = _newton(slope, weights.sum(-1)[..., None] * np.eye(k) - weights)
        strength = strength + step
        strength -= strength.mean(-1, keepdims=True)
        if np.abs(step).max() < 1e-11:
            break
    return strength


def _newton(slope: Floats, curvature: Floats, fixed: int = -1) -> Floats:
    """The step with mean 0 in its first `fixed` places (all of them by default), cut to STEP."""
    size = slope.shape[-1]
    worths = size if fixed < 0 else fixed
    anchor = np.zeros((size, size))
    anchor[:worths, :worths] = 1.0
    scale = 1.0 + np.trace(curvature, axis1=-2, axis2=-1)[..., None, None] / size
    step = np.linalg.solve(curvature + scale * anchor + RIDGE * np.eye(size), slope[..., None])[..., 0]
    longest = np.abs(step).max(-1, keepdims=True)
    cut: Floats = step * np.minimum(1.0, STEP / np.maximum(longest, 1e-300))
    return cut


@dataclass(frozen=True)
class Choices:
    """Rankings as counts: all that a Plackett-Luce fit needs of them, block by block.

    Attributes:
        agents: how many agents there are.
        ties: the sizes of ties that occurred, ascending, each a parameter.
        sets: for each set of agents that was chosen from, its alternatives: float64[alternatives, agents + ties], what
            the logarithm of their weight adds up, and float64[alternatives], how many alternatives are alike.
        times: float64[blocks, sets] how often each set was chosen from.
        chosen: float64[blocks, agents + ties], the sum of the rows of what was chosen.
    """

    agents: int
    ties: tuple[int, ...]
    sets: tuple[tuple[Floats, Floats], ...]
    times: Floats
    chosen: Floats


Ranking = Sequence[tuple[int, ...]]
"""The agents of a game's seats from first to last place; agents that tied stand together."""


def choices_of(blocks: Sequence[Sequence[Ranking]], agents: int, prior: float = 0.5) -> tuple[Choices, Choices]:
    """The choices that were made in the games of each block, and those of the games that are added (a block of them).

    Args:
        blocks: the rankings of the games of each block.
        agents: how many agents there are; an agent may hold several seats of a game.
        prior: wins that are given to each agent of a pair that met.
    """
    events: list[Counter[tuple[tuple[int, ...], tuple[int, ...]]]] = []
    met: set[tuple[int, int]] = set()
    for block in blocks:
        events.append(Counter(event for ranking in block for event in _events(ranking)))
        met |= {p for r in block for p in itertools.combinations(sorted({a for place in r for a in place}), 2)}
    ties = tuple(sorted({len(chosen) for counter in events for _, chosen in counter} - {1}))
    added: dict[tuple[tuple[int, ...], tuple[int, ...]], float] = {}
    for pair in sorted(met):
        added |= {(pair, (pair[0],)): prior, (pair, (pair[1],)): prior}
    number: dict[tuple[int, ...], int] = {}
    for counter in [*events, Counter(dict.fromkeys(added, 1))]:
        for seats, _ in sorted(counter):
            number.setdefault(seats, len(number))
    sets = tuple(_alternatives(seats, agents, ties) for seats in number)

    def counted(found: Sequence[dict[tuple[tuple[int, ...], tuple[int, ...]], float]]) -> Choices:
        times, chosen = np.zeros((len(found), len(sets))), np.zeros((len(found), agents + len(ties)))
        for row, events_of_row in enumerate(found):
            for (seats, picked), count in events_of_row.items():
                times[row, number[seats]] += count
                chosen[row] += count * _features(picked, agents, ties)
        return Choices(agents, ties, sets, times, chosen)

    return counted([{event: float(n) for event, n in c.items()} for c in events]), counted([added])


def _events(ranking: Ranking) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """(agents left, agents chosen) of each choice that was one; the last seat alone is none."""
    found = []
    for place in range(len(ranking)):
        left = tuple(sorted(a for part in ranking[place:] for a in part))
        if len(set(left)) > 1:
            found.append((left, tuple(sorted(ranking[place]))))
    return found


def _features(chosen: tuple[int, ...], agents: int, ties: tuple[int, ...]) -> Floats:
    row = np.zeros(agents + len(ties))
    for agent in chosen:
        row[agent] += 1.0 / len(chosen)
    if len(chosen) > 1:
        row[agents + ties.index(len(chosen))] = 1.0
    return row


def _alternatives(seats: tuple[int, ...], agents: int, ties: tuple[int, ...]) -> tuple[Floats, Floats]:
    sizes = [size for size in (1, *ties) if size <= len(seats)]
    alike = Counter(picked for size in sizes for picked in itertools.combinations(seats, size))
    rows = np.array([_features(picked, agents, ties) for picked in alike])
    return rows, np.array(list(alike.values()), np.float64)


def plackett_luce(choices: Choices, added: Choices, sums: Floats | None = None) -> tuple[Floats, Floats]:
    """The likeliest log-strengths (mean 0) and log-weights of ties.

    Args:
        choices: from `choices_of`.
        added: the games that are added, from `choices_of`.
        sums: float64[resamples, sets + agents + ties], `times` and `chosen` of several fits side by side; None: one
            fit, to all blocks.

    Returns:
        float64[resamples, agents] and float64[resamples, ties]; without `sums` one resample.
    """
    if sums is None:
        sums = np.concatenate([choices.times, choices.chosen], 1).sum(0, keepdims=True)
    sets = len(choices.sets)
    times, chosen = sums[:, :sets] + added.times, sums[:, sets:] + added.chosen
    size = chosen.shape[1]
    point = np.zeros(chosen.shape)
    for _ in range(ROUNDS):
        slope, curvature = chosen.copy(), np.zeros((len(chosen), size, size))
        for number, (features, alike) in enumerate(choices.sets):
            weight = point @ features.T
            weight = alike * np.exp(weight - weight.max(-1, keepdims=True))
            weight /= weight.sum(-1, keepdims=True)
            mean = weight @ features
            count = times[:, number, None]
            slope -= count * mean
            second = np.einsum("ra,ai,aj->rij", weight, features, features, optimize=True)
            curvature += count[..., None] * (second - mean[:, :, None] * mean[:, None, :])
        step = _newton(slope, curvature, choices.agents)
        point = np.maximum(point + step, -50.0)
        if np.abs(step[:, : choices.agents]).max() < 1e-10:
            break
    worths = point[:, : choices.agents]
    return worths - worths.mean(-1, keepdims=True), point[:, choices.agents :]


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values (Holm 1979): below alpha where a comparison holds with all others taken into account."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted, worst = [1.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        worst = max(worst, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = worst
    return adjusted


def two_sided(difference: float, error: float) -> float:
    """p-value of a difference with a normal error; 1 where there is no error to compare it with."""
    return 2 * NormalDist().cdf(-abs(difference) / error) if error > 0 and math.isfinite(error) else 1.0
