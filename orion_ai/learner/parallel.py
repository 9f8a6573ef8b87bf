"""One learner of several that share each batch: gradients are summed over all, so every one makes the same step.

The sum is the gradient of the whole batch's loss: a mean over rows is a sum of the parts' means, each weighted by its
share of the rows (of the rows with a policy target, for the policy). So several learners make the steps of one, up to
the rounding of sums.
"""

from __future__ import annotations

import dataclasses
import datetime

import torch
import torch.distributed as dist

from orion_ai.learner.config import LearnerConfig
from orion_ai.learner.learner import Learner
from orion_ai.learner.losses import Losses
from orion_ai.net.network import Network
from orion_ai.replay.rows import Rows

__all__ = ["PartLearner", "Share"]


@dataclasses.dataclass(frozen=True)
class Share:
    """What part of a batch some rows are: of all its rows, and of those with a policy target."""

    rows: float
    policy: float

    @classmethod
    def of(cls, part: Rows, batch: Rows) -> Share:
        """The share of `part` in `batch`; a batch without any policy target is shared by its rows."""
        rows = len(part) / len(batch)
        targets = int(batch.has_policy.sum())
        return cls(rows, int(part.has_policy.sum()) / targets if targets else rows)


class PartLearner(Learner):
    """A learner that takes its part of each batch, in a group that has been joined."""

    def __init__(self, network: Network, config: LearnerConfig) -> None:
        super().__init__(network, config)
        self._share = Share(1.0, 1.0)

    @staticmethod
    def join(address: str, rank: int, count: int, device: str, seconds: float) -> None:
        """Meet the others at "HOST:PORT", where rank 0 listens.

        Raises:
            RuntimeError: they did not all come in so many seconds.
        """
        backend = "nccl" if device.startswith("cuda") else "gloo"
        limit = datetime.timedelta(seconds=seconds)
        dist.init_process_group(backend, f"tcp://{address}", rank=rank, world_size=count, timeout=limit)

    def step(self, rows: Rows, share: Share, samples: int) -> tuple[dict[str, float], float]:
        """A gradient step for the batch of which `rows` are this learner's part.

        Returns:
            this part's contribution to the batch's mean losses, and the norm of the whole gradient.
        """
        torch.set_num_threads(self.config.threads)
        self.network.train()
        self._share = share
        losses, norm = self._step(rows, samples)
        self.network.eval()
        return {name: float(getattr(losses, name).detach()) for name in losses.__dataclass_fields__}, norm

    def _losses(self, rows: Rows) -> Losses:
        found, share, config = super()._losses(rows), self._share, self.config
        policy, value, score = found.policy * share.policy, found.value * share.rows, found.score * share.rows
        total = policy + config.value_weight * value + config.score_weight * score
        return Losses(total, policy, value, score, found.entropy * share.policy, found.target_entropy * share.policy)

    def _gather(self) -> None:
        gradients = [p.grad if p.grad is not None else torch.zeros_like(p) for p in self.network.parameters()]
        flat = torch.cat([g.reshape(-1) for g in gradients])
        dist.all_reduce(flat)
        start = 0
        for parameter, gradient in zip(self.network.parameters(), gradients, strict=True):
            parameter.grad = flat[start : start + gradient.numel()].view_as(gradient)
            start += gradient.numel()
