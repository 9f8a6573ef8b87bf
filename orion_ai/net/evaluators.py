"""Evaluators: a network answering a search's batches. They fulfil `orion_ai.search.evaluator.Evaluator`.

Which backend is faster depends on the batch and the machine: ONNX Runtime spends less on small batches, torch in bf16
wins on large ones. Under backend "auto" they are measured for the batches in use (`choose`).
"""

from __future__ import annotations

import functools
import io
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from engines.errors import UsageError, choose_from
from orion_ai.net.config import EvaluatorConfig, NetConfig
from orion_ai.net.graphs import Graphs
from orion_ai.net.network import NetSpec, Network

__all__ = [
    "BACKENDS",
    "PRECISIONS",
    "NetworkEvaluator",
    "OnnxEvaluator",
    "TorchEvaluator",
    "choose",
    "make_evaluator",
    "onnx_graph",
    "usable_device",
    "with_weights",
]

BACKENDS = ("auto", "torch", "onnx")
PRECISIONS = ("fp32", "bf16")
MEASURED_SECONDS, MEASURED_TIMES = 0.1, 3
"""How long `auto` tries each backend, and how often: the best counts, as others may use the processor too."""
MEASURED_ROWS = 4096
"""Larger batches are like these. A search that sends many leaves of a lane at once seldom sends the most it may."""
ROWS = {"fp32": 4, "bf16": 16}
"""On a CPU batches are filled up to a multiple of this. In fp32 the answer to a row then has the same bits in any batch
(one to three rows, or the last row of an odd batch, take another way through the loops), so games do not depend on
their neighbours. In bf16 oneDNN prepares each layer anew for every size that it has not met lately, and a search's
batches are of all sizes (on 220 rows twice as fast)."""

Answer = tuple[NDArray[np.float32], NDArray[np.float32]]


class NetworkEvaluator(Protocol):
    """An evaluator whose network can be exchanged.

    Attributes:
        label: backend and precision, for reports: "onnx fp32".
    """

    label: str

    def evaluate(self, observations: NDArray[np.int16]) -> Answer:
        """int16[N, D] -> unmasked logits float32[N, A] and values float32[N, P] from the observing seat."""

    def load(self, weights: Mapping[str, Tensor]) -> None:
        """Answer with other weights of the same architecture from now on."""


class TorchEvaluator:
    """A network run by torch, on a CPU, or on a GPU as CUDA graphs."""

    def __init__(self, network: Network, precision: str = "fp32", device: str = "cpu", threads: int = 1) -> None:
        choose_from("precision", precision, PRECISIONS)
        self.label = f"torch {precision}"
        self._threads = threads
        self._device = usable_device(device)
        dtype = torch.float32 if precision == "fp32" else torch.bfloat16
        self._multiple = ROWS[precision] if self._device.type == "cpu" else 1
        self._network = Network(network.spec, network.config).to(self._device, dtype).eval()
        self._graphs = Graphs(self._network, self._device) if self._device.type == "cuda" else None
        self.load(network.weights())

    def load(self, weights: Mapping[str, Tensor]) -> None:
        """See `NetworkEvaluator`."""
        self._network.load_weights(weights)

    def evaluate(self, observations: NDArray[np.int16]) -> Answer:
        """See `NetworkEvaluator`."""
        if torch.get_num_threads() != self._threads:  # torch keeps this number for each calling thread
            torch.set_num_threads(self._threads)
        rows = len(observations)
        with torch.inference_mode():
            batch = torch.from_numpy(observations)
            if self._graphs is not None:
                found = self._graphs(batch)
                return found[0].numpy(), found[1].numpy()
            if missing := -rows % self._multiple:
                batch = functional.pad(batch, (0, 0, 0, missing))
            logits, values, _ = self._network(batch.to(self._device))
            return logits[:rows].cpu().numpy(), values[:rows].cpu().numpy()


def usable_device(name: str) -> torch.device:
    """The device of this name.

    Raises:
        UsageError: there is none, or torch was built without it.
    """
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise UsageError(f"device {name!r} cannot be used: {str(error).splitlines()[0]}") from None
    return device


class OnnxEvaluator:
    """A network run by ONNX Runtime on the CPU.

    The graph is exported once for an architecture; other weights are put in its place and a session is made of it,
    which takes about 15 ms for a million weights and keeps them constant for the runtime (it then arranges them for
    its loops).
    """

    label = "onnx fp32"

    def __init__(self, network: Network, threads: int = 1) -> None:
        self._threads = threads
        self._graph = onnx_graph(network)
        self.load(network.weights())

    def load(self, weights: Mapping[str, Tensor]) -> None:
        """See `NetworkEvaluator`."""
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = self._threads, 1
        model = with_weights(self._graph, weights)
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def evaluate(self, observations: NDArray[np.int16]) -> Answer:
        """See `NetworkEvaluator`."""
        logits, values = self._session.run(["logits", "values"], {"observations": observations})
        return logits, values


def onnx_graph(network: Network) -> bytes:
    """The network as a serialised ONNX model, the batch axis free; its initialisers bear the names of the weights.

    Input `observations` int16[N, D]; outputs `logits`, `values`, and `scores` if the network has that head.
    """
    return _exported(network.spec, network.config)


@functools.lru_cache(maxsize=8)
def _exported(spec: NetSpec, config: NetConfig) -> bytes:
    network = Network(spec, config)
    with torch.no_grad():
        for number, parameter in enumerate(network.parameters()):
            parameter.fill_(number + 1.0)  # no two alike: the exporter stores equal weights once
    last = spec.slices[-1]
    example = torch.zeros((2, last.start + last.size), dtype=torch.int16)
    names = ["logits", "values", "scores"] if network.score is not None else ["logits", "values"]
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        # The older of torch's two exporters: 0.1 s instead of 3 s for such a network, and it keeps the weights' names.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network.eval(),
            (example,),
            buffer,  # type: ignore[arg-type]
            dynamo=False,
            opset_version=17,
            do_constant_folding=False,
            input_names=["observations"],
            output_names=names,
            dynamic_axes={name: {0: "N"} for name in ("observations", *names)},
        )
    return buffer.getvalue()


def with_weights(graph: bytes, weights: Mapping[str, Tensor]) -> bytes:
    """The serialised model `graph` with other weights in its initialisers."""
    import onnx
    from onnx import numpy_helper

    model = onnx.load_from_string(graph)
    for initialiser in model.graph.initializer:
        if initialiser.name in weights:
            array = np.ascontiguousarray(weights[initialiser.name].detach().cpu().float().numpy())
            initialiser.CopyFrom(numpy_helper.from_array(array, initialiser.name))
    return bytes(model.SerializeToString())


def make_evaluator(network: Network, config: EvaluatorConfig, batch: int) -> NetworkEvaluator:
    """The evaluator that `config` asks for (see `choose`), answering with the weights of `network`.

    Raises:
        UsageError: an unknown backend or precision, or a device that is not there.
    """
    chosen = choose(network, config, batch)
    if chosen.backend == "onnx":
        return OnnxEvaluator(network, chosen.threads)
    return TorchEvaluator(network, chosen.precision, chosen.device, chosen.threads)


def choose(network: Network, config: EvaluatorConfig, batch: int) -> EvaluatorConfig:
    """`config` with backend "auto" decided: what gives the precision or better is measured, the fastest taken.

    Args:
        network: the architecture to measure.
        config: what is asked for. Two measurements may differ, so a run that must repeat bit for bit names its backend.
        batch: most rows of a call; a search's batches run from there down to a few, as its lanes finish.

    Raises:
        UsageError: an unknown backend or precision, or a combination that does not exist.
    """
    choose_from("evaluator.backend", config.backend, BACKENDS)
    choose_from("evaluator.precision", config.precision, PRECISIONS)
    if config.backend == "onnx" and (config.precision != "fp32" or config.device != "cpu"):
        raise UsageError("evaluator.backend=onnx runs in fp32 on the cpu only; use evaluator.backend=torch")
    if config.backend != "auto":
        return config
    candidates = [replace(config, backend="torch")]
    if config.device == "cpu":
        candidates.append(replace(config, backend="onnx", precision="fp32"))
        if config.precision == "bf16":
            candidates.append(replace(config, backend="torch", precision="fp32"))
    if len(candidates) == 1:
        return candidates[0]
    last = network.spec.slices[-1]
    size = last.start + last.size
    most = min(batch, MEASURED_ROWS)
    batches = [np.zeros((max(1, most * part // 4), size), np.int16) for part in (1, 2, 3)]
    return max(candidates, key=lambda c: _rate(make_evaluator(network, c, batch), batches))


def _rate(evaluator: NetworkEvaluator, batches: Sequence[NDArray[np.int16]]) -> float:
    """Evaluations a second, of these batches in turn."""
    for batch in batches:
        evaluator.evaluate(batch)
    best = 0.0
    for _ in range(MEASURED_TIMES):
        done, start = 0, time.perf_counter()
        while (passed := time.perf_counter() - start) < MEASURED_SECONDS / MEASURED_TIMES or not done:
            for batch in batches:
                evaluator.evaluate(batch)
                done += len(batch)
        best = max(best, done / passed)
    return best
