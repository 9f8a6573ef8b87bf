"""Mirror descent at the root: the formula, what it optimises, where its iterates go, and the search that answers so."""

import numpy as np
import pytest

import engines
from orion_ai.search import HashEvaluator, Search, SearchConfig
from orion_ai.search.gumbel import mixed_value
from orion_ai.search.mirror import mirror_step
from tests.games import load, tree

BIASED = np.array([[0, -25, 50], [25, 0, -5], [-50, 5, 0]]) / 50
EQUILIBRIUM = np.array([1, 10, 5]) / 16


def step(prior, q, eta, alpha, uniform_magnet=True):
    """The new policy, every action's value known."""
    out, n = np.zeros(len(prior)), len(prior)
    mirror_step(n, np.ones(n), prior.copy(), q.copy(), 0.0, eta, alpha, uniform_magnet, out)
    return out


def kl(one, other):
    return float(one @ np.log(one / other))


def test_the_formula_on_a_table():
    prior, q = np.array([0.5, 0.3, 0.2]), np.array([-0.2, 0.4, 0.1])
    for eta, alpha in ((0.1, 0.0), (2.0, 0.5), (50.0, 0.05)):
        for uniform in (True, False):
            magnet = np.full(3, 1 / 3) if uniform else prior
            raw = (prior * np.exp(eta * q) * magnet ** (eta * alpha)) ** (1 / (1 + eta * alpha))
            assert step(prior, q, eta, alpha, uniform) == pytest.approx(raw / raw.sum(), abs=1e-12)


def test_an_unvisited_action_is_worth_the_mixed_value():
    mass, prior, q = np.array([3.0, 1.0, 0.0]), np.array([0.5, 0.25, 0.25]), np.array([0.4, -0.2, 9.0])
    mixed, out = mixed_value(3, mass, prior, q, 0.1), np.zeros(3)
    mirror_step(3, mass, prior, q.copy(), 0.1, 2.0, 0.3, True, out)
    q[2] = mixed
    assert out == pytest.approx(step(prior, q, 2.0, 0.3))


def test_the_step_is_the_best_policy_by_its_own_measure():
    """In 2,000 random tables it has a greater <q, policy> - alpha KL(policy, magnet) - KL(policy, prior) / eta than the
    prior, and than random policies; with the prior as its magnet it is worth no less than the prior."""
    rng = np.random.default_rng(1)
    for _ in range(2000):
        n = int(rng.integers(2, 20))
        prior, q = rng.dirichlet(np.ones(n)) + 1e-6, rng.uniform(-1, 1, n)
        prior /= prior.sum()
        eta, alpha, uniform = float(rng.uniform(0.01, 20)), float(rng.uniform(0, 1)), bool(rng.integers(2))
        magnet = np.full(n, 1 / n) if uniform else prior
        new = step(prior, q, eta, alpha, uniform)
        assert new.sum() == pytest.approx(1)

        def worth(policy, q=q, alpha=alpha, magnet=magnet, prior=prior, eta=eta):
            return float(policy @ q) - alpha * kl(policy, magnet) - kl(policy, prior) / eta

        other = rng.dirichlet(np.ones(n)) + 1e-9
        assert worth(new) >= max(worth(prior), worth(other / other.sum())) - 1e-9
        if not uniform:
            assert new @ q >= prior @ q - 1e-12


@pytest.mark.parametrize(("alpha", "least", "most"), [(0.02, 0.0, 0.05), (0.0, 0.2, 1.0)])
def test_with_a_magnet_self_play_comes_to_rest_near_the_equilibrium(alpha, least, most):
    """Two players of biased rock-paper-scissors, each stepping by exact values against the other. Without a magnet they
    circle away from the equilibrium; with one they come to rest near it, all actions mixed."""
    one, two, off = np.array([0.6, 0.2, 0.2]), np.array([0.2, 0.2, 0.6]), []
    for _ in range(5000):
        one, two = step(one, BIASED @ two, 0.05, alpha), step(two, -BIASED.T @ one, 0.05, alpha)
        off.append(np.abs(one - EQUILIBRIUM).max())
    assert least <= max(off[-1000:]) <= most


@pytest.mark.parametrize("magnet", ["prior", "uniform"])
def test_a_search_answers_with_the_step_from_its_prior(magnet):
    game = engines.load("kuhn_poker")
    config = SearchConfig(
        algorithm="puct", leaf="network", simulations=50, answer="mmd", mmd_step=3.0, mmd_alpha=0.2, mmd_magnet=magnet
    )
    state = game.start(3)
    report = Search(game, config, HashEvaluator(game)).run(state.record[None], [0], [1])
    prior, q = report.prior[0].astype(np.float64), report.q[0].astype(np.float64)
    assert (report.visits[0] > 0).all()
    assert report.policy[0] == pytest.approx(step(prior, q, 3.0, 0.2, magnet == "uniform"), abs=1e-5)
    assert report.action[0] == np.argmax(report.policy[0])


def test_a_greater_step_is_greedier_and_a_greater_alpha_less():
    game = load("tree", root=tree.MAXN)

    def best(**choices):
        config = SearchConfig(simulations=200, answer="mmd", **choices)
        return Search(game, config).run(game.start().record[None], [0], [1]).policy[0, 1]

    assert best(mmd_step=0.1) < best(mmd_step=2.0) < best(mmd_step=50.0)
    assert best(mmd_alpha=2.0) < best(mmd_alpha=0.2) < best(mmd_alpha=0.0)
    assert best(mmd_step=1e-6) == pytest.approx(1 / 2, abs=1e-4)
