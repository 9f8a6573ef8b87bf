"""A network on a GPU as CUDA graphs: one launch for a whole batch instead of one for each of its small kernels.

A graph is recorded for fixed sizes, so batches are filled up to powers of two; what stands in the rows beyond is of no
consequence. The graphs read the network's own weights: exchange those in place (`load_state_dict` does).
"""

from __future__ import annotations

import torch
from torch import Tensor

from orion_ai.net.network import Network

__all__ = ["LEAST_ROWS", "Graphs"]

LEAST_ROWS = 64
WARM_UP = 3
"""Passes before a recording: libraries choose their algorithms and take their memory in them."""


class Graphs:
    """A network's forward passes, recorded as they are needed."""

    def __init__(self, network: Network, device: torch.device) -> None:
        """Graphs of `network`, which lies on the GPU `device` in evaluation mode."""
        self._network, self._device = network, device
        self._recorded: dict[int, tuple[torch.cuda.CUDAGraph, Tensor, Tensor, Tensor]] = {}

    def __call__(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """int16[N, D] on the CPU -> logits float32[N, A] and values float32[N, P] on the CPU."""
        rows, width = observations.shape
        size = max(LEAST_ROWS, 1 << (rows - 1).bit_length())
        if size not in self._recorded:
            self._recorded[size] = self._record(size, width)
        graph, inputs, logits, values = self._recorded[size]
        inputs[:rows].copy_(observations)
        graph.replay()
        return logits[:rows].cpu(), values[:rows].cpu()

    def _record(self, size: int, width: int) -> tuple[torch.cuda.CUDAGraph, Tensor, Tensor, Tensor]:
        inputs = torch.zeros((size, width), dtype=torch.int16, device=self._device)
        aside = torch.cuda.Stream(self._device)
        aside.wait_stream(torch.cuda.current_stream(self._device))
        with torch.cuda.stream(aside):
            for _ in range(WARM_UP):
                self._network(inputs)
        torch.cuda.current_stream(self._device).wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            out = self._network(inputs)
        return graph, inputs, out.logits, out.values
