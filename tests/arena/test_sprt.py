"""The sequential test and the interval that may be watched.

1 Ratios equal fishtest's, and a maximum that scipy finds. 2 Equal agents pass for stronger in at most alpha of 1,000
matches, drawn and played, and agents as strong as said are found as often as promised. 3 All wins, all losses and few
blocks are finite and sensible. 4 "About N more blocks" is about right. 5 The interval holds the truth at all times in
95 % of matches, and it shrinks.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize

import engines
from engines.errors import UsageError
from orion_ai.agents import RandomAgent
from orion_ai.arena.match import play_blocks
from orion_ai.arena.sequence import ConfidenceSequence
from orion_ai.arena.sprt import (
    LEAST,
    PRIOR,
    Sprt,
    SprtState,
    llr_exact,
    llr_normal,
    mle_mean,
    mle_t,
    regularized,
    score_of_elo,
)
from orion_ai.arena.stopping import Sequential

PAIRS = np.arange(5) / 4
"""Scores of a pair of games."""

FISHTEST = [
    # pairs lost in full ... won in full, elo0, elo1, logistic ratio, normalised ratio (which its pages showed to two
    # digits: -2.27, 2.99, 2.90, -1.11 for the first four)
    ((440, 2910, 5170, 2888, 455), 0, 5, -5.920443441047787, -2.273857484624159),
    ((142, 620, 1122, 699, 188), 0, 5, 3.9689083063231507, 2.99405312898155),
    ((349, 1561, 3340, 1604, 359), -5, 0, 5.768660596931896, 2.8999691515590817),
    ((98, 382, 674, 369, 71), -5, 0, -1.419906033602647, -1.1128128552267116),
    ((10, 5, 2, 5, 10), -1.75, 0.25, 0.0005655332872556151, 0.000795267255037535),
    ((0, 0, 0, 0, 3), -1.75, 0.25, 0.0173182130855859, 0.024501111193921225),
    ((1, 20, 300, 900, 779), 0, 2, 11.462555473283611, 12.633791100093267),
    ((0, 0, 1, 5, 994), 0, 2, 5.739894328260246, 8.09339583063946),
    ((5, 0, 0, 0, 0), 0, 10, -0.14604150914516958, -0.20762712429951202),
    ((3, 7, 11, 6, 9), 0, 50, 1.0293784557215044, 1.0085923477073537),
]
"""Computed with fishtest's LLRcalc.py (LLR_logistic, LLR_normalized)."""


@pytest.mark.parametrize(("counts", "elo0", "elo1", "logistic", "normalised"), FISHTEST)
def test_ratios_equal_those_of_fishtest(
    counts: tuple[int, ...], elo0: float, elo1: float, logistic: float, normalised: float
) -> None:
    seen = regularized(np.array(counts, float))
    assert float(llr_exact(PAIRS, seen, elo0, elo1)) == pytest.approx(logistic, abs=1e-9)
    assert float(llr_exact(PAIRS, seen, elo0, elo1, "normalised", 2)) == pytest.approx(normalised, abs=1e-6)


@pytest.mark.parametrize("target", [0.35, 0.5, 0.62])
def test_the_fit_is_the_likeliest_with_its_mean(target: float) -> None:
    """Any scores, not only those of pairs: scipy maximises the same likelihood under the same condition."""
    values = np.array([0.0, 0.1, 0.35, 0.5, 0.8, 1.0])
    p = np.array([0.1, 0.2, 0.05, 0.3, 0.15, 0.2])
    ours = mle_mean(values, p, target)
    assert ours.sum() == pytest.approx(1, abs=1e-12) and (ours * values).sum() == pytest.approx(target, abs=1e-12)
    conditions = [
        {"type": "eq", "fun": lambda q: q.sum() - 1},
        {"type": "eq", "fun": lambda q: (q * values).sum() - target},
    ]
    bounds = [(1e-9, 1)] * 6
    found = minimize(
        lambda q: -(p * np.log(q)).sum(),
        p,
        jac=lambda q: -p / q,
        bounds=bounds,
        constraints=conditions,
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    assert ours == pytest.approx(found.x, abs=1e-6)


def test_the_fit_is_the_likeliest_with_its_distance_from_par() -> None:
    p, t = np.array([0.1, 0.2, 0.3, 0.25, 0.15]), 0.2
    ours = mle_t(PAIRS, p, t)

    def distance(q: np.ndarray) -> float:
        mean = (q * PAIRS).sum()
        return float((mean - 0.5) - t * math.sqrt((q * (PAIRS - mean) ** 2).sum()))

    conditions = [{"type": "eq", "fun": lambda q: q.sum() - 1}, {"type": "eq", "fun": distance}]
    found = minimize(
        lambda q: -(p * np.log(q)).sum(),
        p,
        jac=lambda q: -p / q,
        bounds=[(1e-9, 1)] * 5,
        constraints=conditions,
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    assert distance(ours) == pytest.approx(0, abs=1e-10)
    assert ours == pytest.approx(found.x, abs=1e-6)


def test_the_normal_ratio_is_near_the_exact_one_for_many_blocks() -> None:
    counts = np.array([440.0, 2910, 5170, 2888, 455])
    mean = (counts * PAIRS).sum() / counts.sum()
    variance = (counts * (PAIRS - mean) ** 2).sum() / counts.sum()
    for model in ("logistic", "normalised"):
        near = llr_normal(mean, variance, counts.sum(), 0, 5, model, 2)
        assert float(near) == pytest.approx(float(llr_exact(PAIRS, counts, 0, 5, model, 2)), rel=2e-3)


def simulate(test: Sprt, p: np.ndarray, matches: int, seed: int, most: int = 3000) -> tuple[float, float, float]:
    """Shares of matches that accept H1 and H0, and their mean length; scores of pairs are drawn with shares `p`."""
    rng = np.random.default_rng(seed)
    counts = np.zeros((matches, 5))
    counts[:, [0, 4]] += PRIOR
    low, high = test.bounds
    running, accepted, length = np.arange(matches), np.zeros(matches), np.full(matches, most)
    for block in range(1, most + 1):
        counts[running, rng.choice(5, p=p, size=len(running))] += 1
        if block >= LEAST:
            llr = llr_exact(PAIRS, regularized(counts[running], 1e-9), test.elo0, test.elo1, test.model, 2)
            over = (llr >= high) | (llr <= low)
            accepted[running[over]] = np.where(llr[over] >= high, 1, -1)
            length[running[over]] = block
            running = running[~over]
            if not len(running):
                break
    return float((accepted > 0).mean()), float((accepted < 0).mean()), float(length.mean())


def pairs(draws: float, score: float) -> np.ndarray:
    """Shares of the scores of pairs at a mean of `score`, from independent games with a share of draws."""
    game = np.array([(1 - draws) / 2, draws, (1 - draws) / 2])
    return mle_mean(PAIRS, regularized(np.convolve(game, game), 1e-9), score)


@pytest.mark.parametrize(
    ("draws", "elo1"), [(0.5, 100.0), pytest.param(0.0, 60.0, marks=pytest.mark.slow), (0.8, 50.0)]
)
def test_equal_agents_seldom_pass_and_strong_ones_nearly_always(draws: float, elo1: float) -> None:
    """1,000 matches each; alpha = beta = 0.05. One case more: `pytest -m slow tests/arena/test_sprt.py`."""
    test = Sprt(0.0, elo1)
    wrong, right, _ = simulate(test, pairs(draws, 0.5), 1000, seed=1)
    assert wrong <= 0.05 and right >= 0.95
    found, missed, _ = simulate(test, pairs(draws, score_of_elo(elo1)), 1000, seed=2)
    assert found >= 0.94 and missed <= 0.06


@pytest.mark.slow
@pytest.mark.parametrize(("name", "elo1"), [("kuhn_poker", 60.0), ("tic_tac_toe", 150.0)])
def test_equal_agents_that_play_seldom_pass(name: str, elo1: float) -> None:
    """1,000 matches of two random agents, played: blocks of the arena's seatings, scored and stopped as it does.

    A minute each: `pytest -m slow tests/arena/test_sprt.py -k that_play`.
    """
    game, matches, few = engines.load(name), 1000, 8
    agents, test = [RandomAgent(game, "one"), RandomAgent(game, "other")], Sprt(0.0, elo1)
    stands = [Sequential(test, until_clear=False) for _ in range(matches)]
    running = list(range(matches))
    while running:
        numbers = [m * 10**6 + stands[m].blocks + i for m in running for i in range(few)]
        for block in sorted(play_blocks(game, agents, numbers, seed=7, lanes=512), key=lambda block: block.number):
            if not stands[block.number // 10**6].decided:
                stands[block.number // 10**6].add(block)
        running = [m for m in running if not stands[m].decided]
    passed = sum(stand.watched.sprt.decided == "H1" for stand in stands)
    assert 0 < passed <= test.alpha * matches


@pytest.mark.slow
def test_normalised_hypotheses_keep_their_promise_too() -> None:
    """A minute: `pytest -m slow tests/arena/test_sprt.py`."""
    test = Sprt(0.0, 60.0, model="normalised")
    wrong, _, _ = simulate(test, pairs(0.3, 0.5), 200, seed=3)
    assert wrong <= 0.09  # two standard errors of 200 matches above 0.05


def states(scores: list[float], test: Sprt) -> list[SprtState]:
    return [SprtState.of(test, np.array(scores[:n]), 2) for n in range(len(scores) + 1)]


def test_all_wins_and_all_losses_are_decided_and_finite() -> None:
    test = Sprt(0.0, 100.0)
    wins, losses = states([1.0] * 40, test), states([0.0] * 40, test)
    assert all(math.isfinite(s.llr) for s in wins + losses)
    assert wins[-1].decided == "H1" and losses[-1].decided == "H0"
    assert not wins[3].decided
    assert all(b.llr > a.llr for a, b in itertools.pairwise(wins[1:]))
    even = SprtState.of(test, np.full(200, 0.5), 2)
    assert even.decided == "H0" and even.needed == 0
    assert "100 Elo" in wins[-1].sentence("a", "b") and "needs" not in wins[-1].sentence("a", "b")


def test_the_blocks_still_needed_are_about_right() -> None:
    """Undecided after 30 blocks: the mean of what is foretold is near the mean of what it took."""
    rng = np.random.default_rng(6)
    test, p = Sprt(0.0, 40.0), pairs(0.4, score_of_elo(40.0))
    foretold = []
    for _ in range(100):
        state = SprtState.of(test, rng.choice(PAIRS, p=p, size=30), 2)
        if not state.decided:
            assert state.needed is not None and state.needed > 0
            foretold.append(state.needed)
    taken = simulate(test, p, 300, seed=7)[2]
    assert 0.4 * taken < np.mean(foretold) < 1.6 * taken
    assert "needs about" in SprtState.of(test, rng.choice(PAIRS, p=p, size=9), 2).sentence("a", "b")


@pytest.mark.parametrize("model", ["logistic", "normalised"])
@pytest.mark.parametrize("elo1", [5.0, 100.0, 300.0, 1000.0])
@pytest.mark.parametrize("games", [2, 24])
def test_any_hypotheses_and_any_scores_have_a_finite_ratio(model: str, elo1: float, games: int) -> None:
    rng = np.random.default_rng(9)
    samples = [np.ones(9), np.zeros(9), np.full(9, 0.5), rng.random(40), rng.choice(PAIRS, size=30), np.zeros(0)]
    for scores in samples:
        state = SprtState.of(Sprt(0, elo1, model=model), scores, games)
        assert math.isfinite(state.llr) and (state.needed is None or state.needed >= 0)
    wins, losses = (SprtState.of(Sprt(0, elo1, model=model), np.full(60, s), games) for s in (1.0, 0.0))
    assert wins.llr > losses.llr and losses.llr < 0


def test_what_it_says_holds_hypotheses_bounds_and_errors() -> None:
    state = SprtState.of(Sprt(0, 20, 0.05, 0.1), np.array([0.5, 0.75, 0.25] * 5), 2)
    assert "H0: elo = 0, H1: elo = 20 (logistic), alpha 0.05, beta 0.1" in state.sentence("a", "b")
    assert f"[{math.log(0.1 / 0.95):.2f}, {math.log(0.9 / 0.05):.2f}]" in state.sentence("a", "b")
    assert set(state.as_json()) >= {"elo0", "elo1", "alpha", "beta", "llr", "lower", "upper", "decided", "needed"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"elo0": 5, "elo1": 0}, "sprt.elo1 is 0: expected 5 to 1000"),
        ({"alpha": 0.7}, "sprt.alpha is 0.7"),
        ({"beta": 0}, "sprt.beta is 0"),
        ({"model": "bayes"}, "unknown sprt.model 'bayes'"),
    ],
)
def test_hypotheses_that_make_no_sense_are_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Sprt(**settings)  # type: ignore[arg-type]


def test_scores_that_cannot_have_a_mean_are_refused() -> None:
    with pytest.raises(UsageError, match="a mean of 1 is outside"):
        mle_mean(PAIRS, np.full(5, 0.2), 1.0)


def test_the_interval_holds_the_truth_at_all_times() -> None:
    """200 matches of 100 blocks: with 0.95 it never misses; a plain 95 % interval looked at each time would in many."""
    rng = np.random.default_rng(1)
    p = pairs(0.3, 0.5)
    missed = naive = 0
    for _ in range(200):
        scores = rng.choice(PAIRS, p=p, size=100)
        watched = ConfidenceSequence()
        for score in scores:
            watched.add(float(score))
        missed += not watched.low <= 0.5 <= watched.high
        n = np.arange(10, 101)
        means, errors = np.cumsum(scores)[9:] / n, np.array([scores[:k].std(ddof=1) for k in n]) / np.sqrt(n)
        naive += bool((np.abs(means - 0.5) > 1.96 * errors).any())
    assert missed <= 0.05 * 200 and naive > 0.15 * 200


def test_the_interval_shrinks_never_grows_and_finds_a_lead() -> None:
    rng = np.random.default_rng(2)
    watched, widths, decided = ConfidenceSequence(), [], 0
    assert (watched.low, watched.high) == (0.0, 1.0) and math.isnan(watched.interval.mean)
    for block, score in enumerate(rng.choice(PAIRS, p=pairs(0.2, 0.62), size=2000), 1):
        watched.add(float(score))
        widths.append(watched.high - watched.low)
        decided = decided or (block if watched.low > 0.5 else 0)
    assert all(a >= b for a, b in itertools.pairwise(widths))
    assert widths[-1] < 0.06 and watched.low < 0.62 < watched.high
    assert 10 < decided < 300
    with pytest.raises(ValueError, match="expected 0 to 1"):
        watched.add(1.5)
