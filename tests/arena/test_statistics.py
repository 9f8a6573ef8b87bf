"""Statistics of the arena.

1 t quantiles equal the tables. 2 The interval covers the truth as often as it says, few blocks included. 3 All-win data
give bounds, not certainty. 4 Ratings have the known closed form for two, and are transitive for three. 5 The number of
blocks asked for gives the power that was asked for.
"""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest

from orion_ai.arena.statistics import Interval, blocks_needed, elo, elo_intervals, interval, intervals, t_quantile


@pytest.mark.parametrize(
    ("freedom", "table"), [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (1000, 1.962)]
)
def test_t_quantiles_equal_the_tables(freedom: int, table: float) -> None:
    assert t_quantile(0.975, freedom) == pytest.approx(table, rel=0.02)


@pytest.mark.parametrize("blocks", [4, 10, 30, 200])
def test_the_interval_covers_the_truth(blocks: int) -> None:
    """Pairs of games at a true mean of 0.1: 400 matches, the interval holds it in about 95 % of them."""
    rng = np.random.default_rng(blocks)
    covered = 0
    for match in range(400):
        games = rng.choice([-1.0, 0.0, 1.0], p=[0.35, 0.2, 0.45], size=(blocks, 2))
        found = interval(games.mean(1), (-1, 1), resamples=600, seed=match)
        assert found.low is not None and found.high is not None
        covered += found.low <= 0.1 <= found.high
    assert 0.92 <= covered / 400 <= 0.99


def test_known_mean_and_width() -> None:
    """100 blocks at +-1 with mean 0: the normal half-width is 1.96 / 10."""
    found = interval(np.tile([1.0, -1.0], 50), (-1, 1), resamples=20_000)
    assert found.mean == 0
    assert found.high == pytest.approx(0.196, abs=0.02)
    assert found.low == pytest.approx(-0.196, abs=0.02)


def test_all_wins_are_no_certainty() -> None:
    found = interval(np.ones(50), (-1, 1))
    assert found.mean == 1 and found.high == 1
    assert found.low == pytest.approx(1 - 2 * (1 - 0.025 ** (1 / 50)))
    assert interval(np.ones(500), (-1, 1)).low > found.low  # type: ignore[operator]


def test_memory_stays_bounded_and_the_figures_are_those_of_all_resamples_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = np.random.default_rng(2).choice([-1.0, 0.0, 1.0], size=(500, 3))
    found = intervals(values, [(-1, 1)] * 3)
    rng = np.random.default_rng(0)
    means = rng.multinomial(500, np.full(500, 1 / 500), size=2000) @ values / 500
    for i, one in enumerate(found):
        assert one.low is not None and one.high is not None
        assert np.quantile(means[:, i], 0.02) < one.low < np.quantile(means[:, i], 0.03)
        assert np.quantile(means[:, i], 0.97) < one.high < np.quantile(means[:, i], 0.98)
    monkeypatch.setattr("orion_ai.arena.statistics.AT_ONCE", 7 * 500)
    for one, again in zip(found, intervals(values, [(-1, 1)] * 3), strict=True):
        assert (again.mean, again.low, again.high) == pytest.approx((one.mean, one.low, one.high), abs=1e-12)
    monkeypatch.undo()
    many = np.random.default_rng(3).choice([-1.0, 0.0, 1.0], size=(100_000, 1))
    tracemalloc.start()
    intervals(many, [(-1, 1)], resamples=100)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6  # all at once they would take 160 MB


def test_one_block_sets_no_bounds() -> None:
    assert interval(np.array([0.5]), (-1, 1)) == Interval(0.5, None, None)
    assert math.isnan(interval(np.zeros(0), (-1, 1)).mean)


def test_two_ratings_have_the_closed_form() -> None:
    """75 of 100 with one drawn game added: the odds are 75.5 : 25.5."""
    first, second = elo(np.array([[0.0, 75.0], [25.0, 0.0]]))
    assert first - second == pytest.approx(400 * math.log10(75.5 / 25.5), abs=0.05)
    assert first + second == pytest.approx(0, abs=1e-9)


def test_three_ratings_recover_the_strengths_that_made_the_scores() -> None:
    truth = np.array([120.0, 20.0, -140.0])
    odds = 1 / (1 + 10 ** (-(truth[:, None] - truth[None, :]) / 400))
    scores = 1e5 * odds * (1 - np.eye(3))
    assert elo(scores) == pytest.approx(truth, abs=0.2)


def test_rating_intervals_hold_the_truth_and_all_wins_stay_finite() -> None:
    rng = np.random.default_rng(3)
    wins = rng.binomial(2, 0.64, size=200).astype(float)
    scores = np.zeros((200, 2, 2))
    scores[:, 0, 1], scores[:, 1, 0] = wins, 2 - wins
    first, second = elo_intervals(scores)
    assert first.low is not None and first.high is not None
    assert first.low < 200 * math.log10(0.64 / 0.36) < first.high
    assert second.mean == pytest.approx(-first.mean)
    scores[:, 0, 1], scores[:, 1, 0] = 2, 0
    winner, loser = elo_intervals(scores)
    assert winner.high is None and winner.low is not None and 0 < winner.low < winner.mean < 2000
    assert loser.low is None and loser.high == pytest.approx(-winner.low)


@pytest.mark.parametrize("blocks", [5, 12])
def test_rating_intervals_cover_the_truth(blocks: int) -> None:
    """Eight games a block at a score of 0.6: the interval of the rating holds the true one in about 95 %."""
    rng = np.random.default_rng(blocks)
    truth, covered = 200 * math.log10(0.6 / 0.4), 0
    for match in range(300):
        wins = rng.binomial(8, 0.6, size=blocks).astype(float)
        scores = np.zeros((blocks, 2, 2))
        scores[:, 0, 1], scores[:, 1, 0] = wins, 8 - wins
        first = elo_intervals(scores, resamples=400, seed=match)[0]
        covered += (first.low or -1e9) <= truth <= (first.high or 1e9)
    assert covered / 300 >= 0.92


def test_blocks_needed_gives_the_power_it_promises() -> None:
    rng = np.random.default_rng(5)
    spread = rng.normal(0, 0.8, 4000)
    needed = blocks_needed(spread, 0.2)
    assert needed is not None
    matches = rng.normal(0.2, 0.8, (3000, needed))
    seen = matches.mean(1) - 1.96 * matches.std(1, ddof=1) / math.sqrt(needed) > 0
    assert 0.76 <= seen.mean() <= 0.84
    assert blocks_needed(np.ones(10), 0.1) is None
