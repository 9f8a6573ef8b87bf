"""Gradient steps. The learner's whole state is tensors and one counter, so that a checkpoint can hold all of it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping

import numpy as np
import torch
from torch import Tensor

from engines.errors import FileError, UsageError
from orion_ai.calibration import Reliability, reliability
from orion_ai.learner.adamw import AdamW
from orion_ai.learner.config import LearnerConfig
from orion_ai.learner.losses import Losses, losses_of
from orion_ai.net.evaluators import usable_device
from orion_ai.net.network import Network, Outputs
from orion_ai.replay.rows import Rows

__all__ = ["Learner"]

VALIDATION_ROWS = 4096
"""Rows a forward pass of `validate` takes at once."""


class Learner:
    """Trains a network.

    Attributes:
        network: the weights in training.
        average: name -> tensor, the moving average of the weights: what plays.
    """

    def __init__(self, network: Network, config: LearnerConfig) -> None:
        self.network, self.config = network.to(usable_device(config.device)), config
        self._parameters = dict(network.named_parameters())
        self.average = {name: p.detach().clone() for name, p in self._parameters.items()}
        matrices = {name for name, p in self._parameters.items() if p.ndim == 2 and "tables" not in name}
        self._optimiser = AdamW(self._parameters, matrices, config.weight_decay)

    @property
    def steps(self) -> int:
        """Gradient steps made."""
        return self._optimiser.steps

    def learning_rate(self, samples: int) -> float:
        """The rate when the run has made `samples` samples."""
        rate = self.config.learning_rate * min(1.0, (self.steps + 1) / max(self.config.warmup, 1))
        if self.config.schedule == "cosine":
            part = min(samples / self.config.horizon, 1.0)
            rate *= 0.1 + 0.9 * (1 + math.cos(math.pi * part)) / 2
        return rate

    def train(self, batches: Iterable[Rows], samples: int) -> dict[str, float]:
        """A gradient step for each batch; returns the mean losses under their names ({} without a batch).

        Raises:
            UsageError: the loss is not finite any more.
        """
        torch.set_num_threads(self.config.threads)
        self.network.train()
        sums: dict[str, float] = {}
        count = 0
        for rows in batches:
            losses, norm = self._step(rows, samples)
            found = {name: float(getattr(losses, name).detach()) for name in losses.__dataclass_fields__}
            for name, number in {**found, "gradient_norm": norm}.items():
                sums[name] = sums.get(name, 0.0) + number
            count += 1
        self.network.eval()
        means = {name: total / count for name, total in sums.items()}
        return {**means, "learning_rate": self.learning_rate(samples), "steps": float(count)} if count else {}

    def _step(self, rows: Rows, samples: int) -> tuple[Losses, float]:
        losses = self._losses(rows)
        if not bool(torch.isfinite(losses.total)):
            raise UsageError(
                f"the loss is {losses.total.item()} at gradient step {self.steps}: lower learner.learning_rate, "
                "or look at learner.score_scale and the weights of the losses"
            )
        self.network.zero_grad(set_to_none=True)
        losses.total.backward()  # type: ignore[no-untyped-call]
        self._gather()
        norm = torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.config.clip)
        self._optimiser.step(self.learning_rate(samples))
        decay = min(self.config.average, (1 + self.steps) / (10 + self.steps))
        with torch.no_grad():
            for name, parameter in self._parameters.items():
                self.average[name].lerp_(parameter, 1 - decay)
        return losses, float(norm)

    def _losses(self, rows: Rows) -> Losses:
        """What a step minimises."""
        return losses_of(self._asked(rows), rows, self.config)

    def _gather(self) -> None:
        """What happens to the gradients before they are used: nothing, where there is one learner."""

    def validate(self, rows: Rows) -> tuple[dict[str, float], Reliability]:
        """The network in training on unseen rows, values against outcomes alone.

        Returns:
            the mean losses and the calibration error by their names, and the own values against the outcomes.
        """
        torch.set_num_threads(self.config.threads)
        self.network.eval()
        outcomes = dataclasses.replace(self.config, search_value=0.0)
        sums: dict[str, float] = {}
        own = []
        with torch.inference_mode():
            for start in range(0, len(rows), VALIDATION_ROWS):
                part = rows.take(np.arange(start, min(start + VALIDATION_ROWS, len(rows))))
                out = self._asked(part)
                losses = losses_of(out, part, outcomes)
                own.append(out.values[:, 0].cpu().numpy())
                for name in ("policy", "value", "score", "entropy", "target_entropy"):
                    sums[name] = sums.get(name, 0.0) + float(getattr(losses, name)) * len(part)
        means = {name: total / len(rows) for name, total in sums.items()}
        honest = reliability(np.concatenate(own), rows.returns[:, 0])
        return {**means, "calibration_error": honest.calibration_error}, honest

    def _asked(self, rows: Rows) -> Outputs:
        """What the network in training says of the observations."""
        out: Outputs = self.network(torch.from_numpy(rows.observations).to(self.config.device))
        return out

    def state(self) -> dict[str, Tensor]:
        """All tensors of the learner by name, to be stored; `load` takes them back."""
        tensors = {f"weights.{name}": p.detach().clone() for name, p in self._parameters.items()}
        tensors |= {f"mean.{name}": t.clone() for name, t in self._optimiser.mean.items()}
        tensors |= {f"square.{name}": t.clone() for name, t in self._optimiser.square.items()}
        return {**tensors, "steps": torch.tensor(self.steps, dtype=torch.int64)}

    def load(self, state: Mapping[str, Tensor], average: Mapping[str, Tensor]) -> None:
        """Go on from `state` (see `state()`) and the averaged weights of the same checkpoint.

        Raises:
            FileError: the tensors are not those of this network.
        """
        try:
            self.network.load_weights({name: state[f"weights.{name}"] for name in self._parameters})
            for name in self._parameters:
                self.average[name].copy_(average[name])
                self._optimiser.mean[name].copy_(state[f"mean.{name}"])
                self._optimiser.square[name].copy_(state[f"square.{name}"])
            self._optimiser.steps = int(state["steps"])
        except (KeyError, RuntimeError) as error:
            raise FileError(f"the learner's state does not fit this network: {error}") from None
