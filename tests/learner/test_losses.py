"""Losses: 1 the policy's is the cross-entropy over legal actions, on the rows with a target only; 2 the value's and
score's on all rows; 3 illegal actions get no gradient; 4 calibration is measured as it is defined."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from orion_ai.learner.config import LearnerConfig
from orion_ai.learner.losses import losses_of, policy_losses
from orion_ai.net.config import NetConfig
from orion_ai.net.network import make_network
from orion_ai.replay.rows import Rebuilder, Rows
from tests.replay.games import kuhn, play

CONFIG = LearnerConfig(score_scale=2.0)


def rows() -> Rows:
    game = kuhn()
    return Rows.join([Rebuilder(game).rows(play(game, n)) for n in range(12)])


def test_policy_loss_by_hand() -> None:
    logits = torch.tensor([[1.0, 2.0, 50.0], [0.0, 0.0, 0.0]])
    legal = torch.tensor([[True, True, False], [True, True, True]])
    target = torch.tensor([[0.25, 0.75, 0.0], [0.5, 0.5, 0.0]])
    cross, entropy, least = policy_losses(logits, legal, target)
    p = np.exp([1.0, 2.0]) / np.exp([1.0, 2.0]).sum()
    assert float(cross[0]) == pytest.approx(-0.25 * np.log(p[0]) - 0.75 * np.log(p[1]), abs=1e-5)
    assert float(entropy[0]) == pytest.approx(-(p * np.log(p)).sum(), abs=1e-5)
    assert float(least[0]) == pytest.approx(-0.25 * np.log(0.25) - 0.75 * np.log(0.75), abs=1e-6)
    assert float(cross[1]) == pytest.approx(np.log(3)) and float(least[1]) == pytest.approx(np.log(2))


def test_illegal_actions_get_no_gradient() -> None:
    logits = torch.zeros((1, 3), requires_grad=True)
    legal, target = torch.tensor([[True, False, True]]), torch.tensor([[1.0, 0.0, 0.0]])
    policy_losses(logits, legal, target)[0].sum().backward()
    assert logits.grad is not None
    np.testing.assert_allclose(logits.grad.numpy(), [[-0.5, 0.0, 0.5]], atol=1e-6)


def test_an_untrained_network_has_the_losses_of_knowing_nothing() -> None:
    data, network = rows(), make_network(kuhn(), NetConfig(16, 1, 4, 8))
    with torch.no_grad():
        losses = losses_of(network(torch.from_numpy(data.observations)), data, CONFIG)
    assert float(losses.policy) == pytest.approx(np.log(2), abs=1e-6)
    assert float(losses.value) == pytest.approx((data.returns**2).mean(), abs=1e-6)
    scaled = np.abs(data.scores / 2.0)
    assert float(losses.score) == pytest.approx(np.where(scaled < 1, scaled**2 / 2, scaled - 0.5).mean(), abs=1e-6)
    total = losses.policy + CONFIG.value_weight * losses.value + CONFIG.score_weight * losses.score
    assert float(losses.total) == pytest.approx(float(total), abs=1e-6)


def test_rows_without_a_target_do_not_touch_the_policy() -> None:
    data, network = rows(), make_network(kuhn(), NetConfig(16, 1, 4, 8))
    untaught = replace(data, has_policy=np.zeros(len(data), np.bool_))
    losses_of(network(torch.from_numpy(data.observations)), untaught, CONFIG).total.backward()
    assert network.policy.bias.grad is not None and not network.policy.bias.grad.any()
    assert network.value.weight.grad is not None and network.value.weight.grad.any()


def test_the_value_target_can_lean_on_the_search() -> None:
    data, network = rows(), make_network(kuhn(), NetConfig(16, 1, 4, 8))
    with torch.no_grad():
        leaning = losses_of(network(torch.from_numpy(data.observations)), data, replace(CONFIG, search_value=0.25))
    wanted = 0.75 * data.returns + 0.25 * data.search_values
    assert float(leaning.value) == pytest.approx((wanted**2).mean(), abs=1e-6)
