"""Numbers that are counted in several places, and put together."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Self

__all__ = ["Sums"]


@dataclass
class Sums:
    """A dataclass of numbers that can be added and subtracted, field by field."""

    def __add__(self, other: Self) -> Self:
        return type(self)(*(getattr(self, f.name) + getattr(other, f.name) for f in dataclasses.fields(self)))

    def __sub__(self, other: Self) -> Self:
        return type(self)(*(getattr(self, f.name) - getattr(other, f.name) for f in dataclasses.fields(self)))
