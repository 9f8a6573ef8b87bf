"""What a network and its evaluator can be configured to be."""

from __future__ import annotations

from dataclasses import dataclass

from orion_ai.ranges import ANY, check_ranges

__all__ = ["EvaluatorConfig", "NetConfig"]


@dataclass(frozen=True)
class NetConfig:
    """Sizes of a network (configs/net holds tiny, small and base).

    Attributes:
        width: numbers in the trunk.
        blocks: residual blocks in the trunk, two matrices each.
        embedding: numbers that stand for one card (one entry of a vocabulary).
        head: width of the hidden layer of the value and score heads.
        score: whether there is a score head (an auxiliary target; playing does not use it).
    """

    width: int = 256
    blocks: int = 4
    embedding: int = 32
    head: int = 64
    score: bool = True

    def __post_init__(self) -> None:
        ranges = {"blocks": (0, 1000), **dict.fromkeys(("width", "embedding", "head"), (1, 2**16))}
        check_ranges("net", self, ranges)


@dataclass(frozen=True)
class EvaluatorConfig:
    """How a network is asked while playing.

    Attributes:
        backend: "torch", "onnx", or "auto": the faster one, measured at start for the batches in use.
        precision: the least that is wanted. "bf16" (torch only) can be faster on large batches where the processor has
            it; under "auto" fp32 is measured beside it. It moves answers by a few thousandths.
        device: where torch runs: "cpu", "cuda", "cuda:1", ...
        threads: threads of one evaluation on a CPU.
    """

    backend: str = "auto"
    precision: str = "fp32"
    device: str = "cpu"
    threads: int = 1

    def __post_init__(self) -> None:
        check_ranges("evaluator", self, {"threads": (1, ANY)})
