"""AdamW over named tensors (Kingma and Ba 2015; decoupled decay: Loshchilov and Hutter 2019, algorithm 2).

The same numbers as `torch.optim.AdamW`, whose construction alone imports torch's compiler and takes seconds; and the
state is what a checkpoint stores: tensors by name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor

__all__ = ["AdamW"]

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8


class AdamW:
    """Moves parameters against their gradients.

    Attributes:
        mean: name -> moving average of the gradient.
        square: name -> moving average of its square.
        steps: how many steps were made.
    """

    def __init__(self, parameters: Mapping[str, Tensor], decayed: set[str], weight_decay: float) -> None:
        """`decayed` names the parameters that shrink by learning rate x `weight_decay` in each step."""
        self._parameters, self._decayed, self._weight_decay = dict(parameters), decayed, weight_decay
        self.mean = {name: torch.zeros_like(p) for name, p in parameters.items()}
        self.square = {name: torch.zeros_like(p) for name, p in parameters.items()}
        self.steps = 0

    @torch.no_grad()
    def step(self, learning_rate: float) -> None:
        """One step; a parameter without a gradient stays."""
        self.steps += 1
        size = learning_rate / (1 - BETA1**self.steps)
        unbias = math.sqrt(1 - BETA2**self.steps)
        for name, parameter in self._parameters.items():
            gradient = parameter.grad
            if gradient is None:
                continue
            if name in self._decayed:
                parameter.mul_(1 - learning_rate * self._weight_decay)
            mean, square = self.mean[name], self.square[name]
            mean.lerp_(gradient, 1 - BETA1)
            square.mul_(BETA2).addcmul_(gradient, gradient, value=1 - BETA2)
            parameter.addcdiv_(mean, (square.sqrt() / unbias).add_(EPSILON), value=-size)
