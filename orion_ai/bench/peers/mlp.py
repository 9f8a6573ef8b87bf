"""The network of the search comparison, 84-128-128-(7+1) with ReLU and tanh: the same weights on both sides."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engines.kernel import compiling

with compiling("the small network"):
    from orion_ai.bench.peers import mlp_kernels as kernels

__all__ = ["INPUTS", "MlpEvaluator", "Weights", "make_weights"]

INPUTS, HIDDEN, ACTIONS = 84, kernels.HIDDEN, 7


class Weights(NamedTuple):
    """Matrices float32[inputs, outputs] and biases; the last layer is 7 logits and the mover's value before tanh."""

    first: NDArray[np.float32]
    first_bias: NDArray[np.float32]
    second: NDArray[np.float32]
    second_bias: NDArray[np.float32]
    last: NDArray[np.float32]
    last_bias: NDArray[np.float32]


def make_weights(seed: int = 1) -> Weights:
    """Fixed weights of the usual spread (He et al. 2015).

    Inputs: the mover's stones, then the other's, each by row from the bottom and by column.
    """
    rng = np.random.default_rng(seed)

    def matrix(rows: int, columns: int) -> NDArray[np.float32]:
        return np.float32(np.sqrt(2.0 / rows)) * rng.standard_normal((rows, columns), np.float32)

    def bias(size: int) -> NDArray[np.float32]:
        return np.float32(0.1) * rng.standard_normal(size, np.float32)

    shapes = ((INPUTS, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, ACTIONS + 1))
    parts = [part for rows, columns in shapes for part in (matrix(rows, columns), bias(columns))]
    return Weights(*parts)


class MlpEvaluator:
    """The network as a kernel (`orion_ai.search.evaluator.Evaluator`), for Orion's connect_four.

    Of an observation it reads the stones alone, which come first: all that the other side's observation has.
    """

    def __init__(self, weights: Weights, lanes: int) -> None:
        size = -(-INPUTS // kernels.CHUNK) * kernels.CHUNK
        first = np.zeros((size, HIDDEN), np.float32)
        first[:INPUTS] = weights.first
        self._weights = (first, *weights[1:4], np.ascontiguousarray(weights.last.T), weights.last_bias)
        self._scratch = np.zeros((3, size if size > HIDDEN else HIDDEN), np.float32)
        self._logits, self._values = np.zeros((lanes, ACTIONS), np.float32), np.zeros((lanes, 2), np.float32)

    def evaluate(self, observations: NDArray[np.int16]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """See `Evaluator.evaluate`; the answer is overwritten by the next one."""
        rows = len(observations)
        logits, values = self._logits[:rows], self._values[:rows]
        kernels.forward(observations, INPUTS, *self._weights, self._scratch, logits, values)
        return logits, values
