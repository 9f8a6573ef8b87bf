"""What the network is taught, and how its honesty is measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from orion_ai.learner.config import LearnerConfig
from orion_ai.net.network import Outputs
from orion_ai.replay.rows import Rows

__all__ = ["Losses", "losses_of", "policy_losses"]

ILLEGAL = -1e9
"""Logit of an illegal action: finite, so that no gradient becomes NaN."""


@dataclass(frozen=True)
class Losses:
    """Tensors of one number each; the total is what is minimised."""

    total: Tensor
    policy: Tensor
    value: Tensor
    score: Tensor
    entropy: Tensor
    """Of the network's policy, mean over the rows with a target (nats)."""
    target_entropy: Tensor
    """Of the targets: the least that the policy loss could be, where none of their shares is negative (those count as
    0 here)."""


def policy_losses(logits: Tensor, legal: Tensor, target: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Cross-entropy to the target, entropy, and the target's entropy, each float32[N], over legal actions only.

    Args:
        logits: float32[N, A], unmasked.
        legal: bool[N, A].
        target: float32[N, A], rows summing to 1 (or 0: then the cross-entropy is 0 too); a negative share drives its
            action away.
    """
    logs = functional.log_softmax(logits.masked_fill(~legal, ILLEGAL), 1)
    entropy = -(logs.exp() * logs).sum(1)
    shares = target.clamp(min=0)
    return -(target * logs).sum(1), entropy, -torch.xlogy(shares, shares).sum(1)


def losses_of(out: Outputs, rows: Rows, config: LearnerConfig) -> Losses:
    """The losses of a batch. The policy is taught on the rows with a target, value and score on all.

    Args:
        out: what the network says of the observations of `rows`.
        rows: what it should have said.
        config: the weights of the losses.
    """
    device = out.logits.device

    def there(array: NDArray[Any]) -> Tensor:
        return torch.from_numpy(array).to(device)

    taught = there(rows.has_policy)
    count = max(int(rows.has_policy.sum()), 1)
    cross, entropy, least = policy_losses(out.logits, there(rows.legal), there(rows.policy))
    policy, spread, floor = ((x * taught).sum() / count for x in (cross, entropy, least))
    share = config.search_value
    wanted = there((1 - share) * rows.returns + share * rows.search_values)
    value = functional.mse_loss(out.values, wanted)
    score = torch.zeros((), device=device)
    if out.scores is not None:
        score = functional.smooth_l1_loss(out.scores, there(rows.scores / config.score_scale))
    total = policy + config.value_weight * value + config.score_weight * score
    return Losses(total, policy, value, score, spread, floor)
