"""Ratings.

1 Bradley-Terry equals the maximum that scipy finds of the likelihood, written down independently, and has the closed
form for two. 2 Plackett-Luce with ties does too, for tables of two to six, an agent in several seats included. 3 In
pairs without ties the two agree. 4 Fits of resamples are those of the blocks repeated. 5 Holm equals a worked example.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize, root

from orion_ai.arena.ratings import Ranking, bradley_terry, choices_of, holm, plackett_luce, two_sided


def maximum(negative, size: int) -> np.ndarray:
    """Where the slope is 0; where a function is least its values tell only to half of their digits."""

    def slope(x: np.ndarray, h: float = 1e-3) -> np.ndarray:
        def difference(i: int, step: float) -> float:
            return (negative(x + step * np.eye(size)[i]) - negative(x - step * np.eye(size)[i])) / (2 * step)

        # Richardson: the error of the central difference, of the order h^2, is taken off.
        return np.array([(4 * difference(i, h / 2) - difference(i, h)) / 3 for i in range(size)])

    rough = minimize(negative, np.zeros(size), method="BFGS").x
    found = root(slope, rough, tol=1e-12).x
    assert np.abs(slope(found)).max() < 1e-8 and negative(found) <= negative(rough) + 1e-12
    return found


@pytest.mark.parametrize("k", [2, 3, 5])
def test_bradley_terry_is_the_maximum_of_its_likelihood(k: int) -> None:
    rng = np.random.default_rng(k)
    scores = rng.integers(1, 30, (k, k)) * 0.5 * (1 - np.eye(k))

    def negative(free: np.ndarray) -> float:
        worth = np.append(free, 0.0)
        pairs = itertools.permutations(range(k), 2)
        return sum((scores[a, b] + 0.5) * math.log1p(math.exp(worth[b] - worth[a])) for a, b in pairs)

    expected = np.append(maximum(negative, k - 1), 0.0)
    assert bradley_terry(scores) == pytest.approx(expected - expected.mean(), abs=1e-7)


def test_two_have_the_closed_form_and_all_wins_are_finite() -> None:
    found = bradley_terry(np.array([[[0.0, 75.0], [25.0, 0.0]], [[0.0, 40.0], [0.0, 0.0]]]))
    assert found[0, 0] - found[0, 1] == pytest.approx(math.log(75.5 / 25.5), abs=1e-10)
    assert found[1, 0] - found[1, 1] == pytest.approx(math.log(40.5 / 0.5), abs=1e-10)


def rankings(rng: np.random.Generator, agents: int, seats: int, games: int, ties: bool) -> list[Ranking]:
    """Random games among random agents; with `ties`, neighbours are sometimes put together."""
    made: list[Ranking] = []
    for _ in range(games):
        order = rng.choice(agents, seats, replace=seats > agents)
        places: list[tuple[int, ...]] = []
        for agent in order:
            if places and ties and rng.random() < 0.3:
                places[-1] += (int(agent),)
            else:
                places.append((int(agent),))
        made.append(places)
    return made


def log_likelihood(games: list[Ranking], worth: np.ndarray, tie: dict[int, float]) -> float:
    """Davidson and Luce, seat by seat: straight from the definition."""
    total = 0.0
    for places in games:
        for first in range(len(places)):
            left = [a for place in places[first:] for a in place]
            if len(set(left)) < 2:
                continue
            every = 0.0
            for size, weight in tie.items():
                for chosen in itertools.combinations(range(len(left)), size):
                    every += weight * math.exp(sum(worth[left[i]] for i in chosen) / size)
            place = places[first]
            total += math.log(tie[len(place)]) + sum(worth[a] for a in place) / len(place) - math.log(every)
    return total


@pytest.mark.parametrize(
    ("agents", "seats", "ties"), [(2, 2, True), (4, 2, False), (3, 3, True), (4, 3, False), (2, 3, True), (6, 6, False)]
)
def test_plackett_luce_is_the_maximum_of_its_likelihood(agents: int, seats: int, ties: bool) -> None:
    rng = np.random.default_rng(100 * agents + seats)
    games = rankings(rng, agents, seats, 40 if seats < 6 else 20, ties)
    sizes = sorted({len(place) for g in games for place in g if len({a for p in g for a in p}) > 1} - {1})
    choices, added = choices_of([games], agents, prior=0.5)
    assert list(choices.ties) == sizes
    pairs = [
        pair
        for pair in itertools.combinations(range(agents), 2)
        if any({*pair} <= {a for p in g for a in p} for g in games)
    ]
    extra: list[Ranking] = [[(a,), (b,)] for pair in pairs for a, b in (pair, pair[::-1])]

    def negative(free: np.ndarray) -> float:
        worth, weights = np.append(free[: agents - 1], 0.0), free[agents - 1 :]
        tie = {1: 1.0, **{size: math.exp(w) for size, w in zip(sizes, weights, strict=True)}}
        return -log_likelihood(games, worth, tie) - 0.5 * log_likelihood(
            extra, worth, {s: w for s, w in tie.items() if s < 3}
        )

    worths, weights = plackett_luce(choices, added)
    expected = maximum(negative, agents - 1 + len(sizes))
    worth = np.append(expected[: agents - 1], 0.0)
    assert worths[0] == pytest.approx(worth - worth.mean(), abs=1e-7)
    assert weights[0] == pytest.approx(expected[agents - 1 :], abs=1e-7)
    ours = np.append(worths[0, :-1] - worths[0, -1], weights[0])
    assert negative(ours) <= negative(expected) + 1e-10


def test_in_pairs_without_ties_it_is_bradley_terry() -> None:
    rng = np.random.default_rng(8)
    games = rankings(rng, 4, 2, 200, False)
    scores = np.zeros((4, 4))
    for (winner,), (loser,) in games:
        scores[winner, loser] += 1
    choices, added = choices_of([games[:100], games[100:]], 4)
    assert plackett_luce(choices, added)[0][0] == pytest.approx(bradley_terry(scores), abs=1e-8)


def test_the_strengths_that_made_the_games_come_back() -> None:
    rng = np.random.default_rng(4)
    truth = np.array([0.8, 0.1, -0.2, -0.7])
    games: list[Ranking] = []
    for _ in range(4000):
        order = np.argsort(-(truth + rng.gumbel(size=4)))
        games.append([(int(a),) for a in order])
    choices, added = choices_of([games], 4)
    assert plackett_luce(choices, added)[0][0] == pytest.approx(truth, abs=0.08)


def test_resamples_are_fits_of_the_blocks_repeated() -> None:
    rng = np.random.default_rng(2)
    blocks = [rankings(rng, 3, 3, 4, True) for _ in range(6)]
    choices, added = choices_of(blocks, 3)
    counts = np.array([[2, 0, 1, 0, 3, 0], [1, 1, 1, 1, 1, 1]], float)
    both = plackett_luce(choices, added, counts @ np.concatenate([choices.times, choices.chosen], 1))[0]
    assert both[1] == pytest.approx(plackett_luce(choices, added)[0][0], abs=1e-9)
    repeated = [block for block, n in zip(blocks, counts[0], strict=True) for _ in range(int(n))]
    again, _ = choices_of(repeated, 3)
    assert both[0] == pytest.approx(plackett_luce(again, added)[0][0], abs=1e-6)


def test_holm_equals_the_worked_example() -> None:
    """0.01, 0.04, 0.03, 0.005: times 4, 3, 2, 1 from the least, never falling."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert two_sided(1.959964, 1.0) == pytest.approx(0.05, abs=1e-6) and two_sided(1.0, 0.0) == 1.0
