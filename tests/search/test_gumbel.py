"""Gumbel's parts: the halving as a table, completed values by hand, improvement of the policy with exact values.

The whole agrees with an independent implementation: `golden/trees/reference_gumbel.json` was computed once with mctx
0.0.71 (DeepMind) on the same trees, priors and values, without noise.
"""

import json

import numpy as np
import pytest

from orion_ai.search import HashEvaluator, Search, SearchConfig, gumbel
from tests.games import load
from tests.search.record import GOLDEN


def schedule(considered, simulations):
    out = np.zeros(simulations, np.int32)
    gumbel.write_schedule(considered, simulations, out)
    return out.tolist()


@pytest.mark.parametrize(
    ("considered", "simulations", "expected"),
    [
        (4, 16, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]),
        (3, 8, [0, 0, 0, 1, 1, 2, 2, 3]),
        (2, 4, [0, 0, 1, 1]),
        (16, 32, [0] * 16 + [1] * 8 + [2] * 4 + [3] * 4),
        (1, 5, [0, 1, 2, 3, 4]),
        (1, 1, [0]),
        (2, 1, [0]),
        (8, 4, [0, 0, 0, 0]),
    ],
)
def test_halving_schedule(considered, simulations, expected):
    assert schedule(considered, simulations) == expected


@pytest.mark.parametrize("considered", range(1, 20))
def test_a_phase_gives_its_actions_equal_visits(considered):
    # Played out on a table of visits, the schedule never asks for a count that no action has, and at the end of every
    # round the visits of the actions still in it are equal.
    visits = [0] * considered
    for required in schedule(considered, 200):
        assert required in visits
        visits[visits.index(required)] += 1
    assert max(visits) - sorted(visits)[-2 if considered > 1 else -1] <= 1


def arrays(*rows):
    return [np.array(row, np.float64) for row in rows]


def test_completed_values_by_hand():
    mass, prior, q = arrays([3, 1, 0], [0.5, 0.25, 0.25], [0.4, -0.2, 9.0])
    # v_mix = (v + 4 (0.5 0.4 - 0.25 0.2) / 0.75) / 5 with v = 0.1: (0.1 + 0.8) / 5 = 0.18.
    assert gumbel.mixed_value(3, mass, prior, q, 0.1) == pytest.approx(0.18)
    gumbel.complete(3, mass, prior, q, 0.1, 0.0, False)
    assert q == pytest.approx([0.7, 0.4, 0.59])
    assert gumbel.sigma_scale(3, mass, 50.0, 0.1) == pytest.approx(5.3)


def test_shrinking_and_stretching():
    mass, prior, q = arrays([3, 1, 0], [0.5, 0.25, 0.25], [0.4, -0.2, 9.0])
    gumbel.complete(3, mass, prior, q, 0.1, 1.0, False)
    assert q == pytest.approx([(3 * 0.4 + 0.18) / 8 + 0.5, (-0.2 + 0.18) / 4 + 0.5, 0.59])
    mass, prior, q = arrays([3, 1, 0], [0.5, 0.25, 0.25], [0.4, -0.2, 9.0])
    gumbel.complete(3, mass, prior, q, 0.1, 0.0, True)
    assert q == pytest.approx([1.0, 0.0, 0.38 / 0.6])


def test_without_visits_the_improved_policy_is_the_prior():
    mass, prior, q = arrays([0, 0, 0], [0.5, 0.3, 0.2], [0, 0, 0])
    gumbel.complete(3, mass, prior, q, -0.7, 0.0, False)
    out = np.zeros(3)
    gumbel.improve(3, mass, prior, q, 25.0, out)
    assert out == pytest.approx(prior)


def test_excluded_actions_stay_out():
    start, q = arrays(np.log([1e-37, 1.0]), [0.0, 0.0])
    # The only action with a visit has a score at the clamp; the other, excluded one must not win.
    start[0] -= 1e12
    assert gumbel.root_choice(2, start, q, 1.0, np.array([1, 0], np.int32), 1) == 0
    assert gumbel.root_choice(2, start, q, 1.0, np.array([1, 0], np.int32), 5) == -1


def test_below_the_root_visits_follow_the_improved_policy():
    policy, mass = arrays([0.6, 0.3, 0.1], [0, 0, 0])
    for _ in range(100):
        mass[gumbel.inner_choice(3, policy, mass)] += 1
    assert mass.tolist() == [60, 30, 10]


def test_exact_values_improve_the_policy():
    """10,000 random bandits with exact values: the improved policy is no worse than the prior in each of them, and the
    action played is better in the mean."""
    rng, gains, out = np.random.default_rng(1), [], np.zeros(50)
    for _ in range(10_000):
        n = int(rng.integers(2, 51))
        truth = rng.uniform(-1, 1, n)
        prior = np.exp(rng.normal(0, 2, n))
        prior /= prior.sum()
        value = float(prior @ truth)
        q = truth.copy()
        gumbel.complete(n, np.ones(n), prior, q, value, 0.0, False)
        gumbel.improve(n, np.ones(n), prior, q, float(rng.uniform(0, 60)), out)
        assert out[:n].sum() == pytest.approx(1)
        assert out[:n] @ truth >= value - 1e-6
        if len(gains) < 2000:
            gains.append(truth[_play(n, prior, truth, value, rng)] - value)
    assert np.mean(gains) > 4 * np.std(gains) / np.sqrt(len(gains))


def _play(n, prior, truth, value, rng):
    """The action that a root with exact values plays after 8 simulations."""
    noise, count, simulations = rng.gumbel(size=n), np.zeros(n, np.int32), 8
    for required in [*schedule(min(n, 4), simulations), None]:
        mass, q = count.astype(np.float64), truth.copy()
        gumbel.complete(n, mass, prior, q, value, 0.0, False)
        scale = gumbel.sigma_scale(n, mass, 50.0, 0.5)
        chosen = gumbel.root_choice(
            n, noise + np.log(prior), q, scale, count, count.max() if required is None else required
        )
        if required is not None:
            count[chosen] += 1
    return chosen


class _ZeroSum:
    """A hash evaluator whose second value is the first with its sign turned."""

    def __init__(self, game, salt):
        self._evaluator = HashEvaluator(game, salt)

    def evaluate(self, observations):
        logits, values = self._evaluator.evaluate(observations)
        values[:, 1] = -values[:, 0]
        return logits, values


def test_whole_searches_agree_with_an_independent_implementation():
    cases = json.loads((GOLDEN / "reference_gumbel.json").read_text())
    assert len(cases) == 45
    for case in cases:
        width, keys = case["width"], ("simulations", "considered", "c_scale")
        game = load("full_tree", width=width)
        config = SearchConfig(
            algorithm="gumbel", leaf="network", q_rescale=True, gumbel_scale=0.0, **{key: case[key] for key in keys}
        )
        search = Search(game, config, _ZeroSum(game, case["salt"]))
        report = search.run(game.start().record[None], [0], np.array([0], np.uint64))
        assert report.action[0] == case["action"], case
        assert report.visits[0, :width].tolist() == case["visits"], case
        assert report.policy[0, :width] == pytest.approx(case["policy"], abs=2e-5), case
        assert report.q[0, :width] == pytest.approx(case["q"], abs=2e-5), case


def test_root_visits_follow_the_schedule():
    game = load("pig", target=30)
    state = game.start(3)
    state.apply(0)
    config = SearchConfig(algorithm="gumbel", leaf="network", simulations=50)
    search = Search(game, config, HashEvaluator(game), 8)
    budgets = np.array([1, 2, 3, 5, 9, 20, 33, 50])
    while state.legal_actions() != [0, 1]:
        state.apply(state.legal_actions()[0])
    report = search.run(np.tile(state.record, (8, 1)), [state.to_play] * 8, np.arange(8, dtype=np.uint64), budgets)
    assert report.simulations.tolist() == budgets.tolist()
    # The root can come back below itself, so its edges may have more visits than simulations went through them.
    assert (report.visits.sum(axis=1) >= budgets).all()
    assert (report.visits[0] == [1, 0]).all() or (report.visits[0] == [0, 1]).all()


def test_a_root_that_comes_back_is_no_root():
    # With two of three points rolled: a one, a one of the other seat's and a two lead back to the first position.
    game = load("pig", target=3)
    state = game.start()
    for action in (0, 3):
        state.apply(action)
    search = Search(game, SearchConfig(algorithm="gumbel", leaf="network", simulations=4000), HashEvaluator(game))
    report = search.run(state.record[None], [0], np.array([1], np.uint64))
    assert search._forest.root_count[0].sum() == 4000
    assert report.visits[0].sum() > 4000


def test_actions_of_a_round_meet_the_same_worlds():
    """Two actions with the same consequences get exactly the same value from the same worlds and chance."""
    game = load("safe_or_guess")
    state = game.start(1)
    state.apply(1)
    config = SearchConfig(algorithm="gumbel", leaf="network", simulations=64, c_scale=0.0)
    report = Search(game, config, HashEvaluator(game)).run(state.record[None], [0], np.array([5], np.uint64))
    heads, tails = report.q[0, 2], report.q[0, 3]
    assert report.visits[0, 2] == report.visits[0, 3] == 32
    assert heads == -tails
