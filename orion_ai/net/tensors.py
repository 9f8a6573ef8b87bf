"""Tensors as the bytes of a file: safetensors, so that nothing is ever unpickled."""

from __future__ import annotations

from collections.abc import Mapping

import safetensors.torch
from safetensors import SafetensorError
from torch import Tensor

__all__ = ["from_bytes", "to_bytes"]


def to_bytes(tensors: Mapping[str, Tensor]) -> bytes:
    """The tensors by name as a safetensors file; the same ones give the same bytes."""
    return bytes(safetensors.torch.save({name: t.detach().cpu().contiguous() for name, t in tensors.items()}))


def from_bytes(content: bytes) -> dict[str, Tensor]:
    """The tensors of a safetensors file, on the CPU.

    Raises:
        ValueError: it is none.
    """
    try:
        return dict(safetensors.torch.load(content))
    except SafetensorError as error:
        raise ValueError(str(error)) from None
