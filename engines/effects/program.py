"""Programs: the effects of a game's content and the flow of its rules in one integer table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .ops import Ops, Rows

__all__ = ["Program"]


class Program:
    """The programs of a game while its content is compiled. Entry point 0 is an empty one: it stands for none.

    Args:
        ops: the table whose ops they are made of.
    """

    def __init__(self, ops: Ops) -> None:
        self.ops = ops
        self._rows: Rows = [[0]]

    def __len__(self) -> int:
        return len(self._rows)

    def compiled(self, effects: Iterable[Any], *context: Any) -> Rows:
        """Effects of a content file as rows; see `Ops.rows`."""
        return [row for effect in effects for row in self.ops.rows(effect, *context)]

    def place(self, *rows: list[int]) -> int:
        """Append a program of these ops, each with its numbers, and its end; returns where it begins, 0 if it has none.

        Raises:
            ValueError: an op that the table has not, or more numbers than fit.
        """
        for row in rows:
            if not 0 < row[0] < len(self.ops):
                raise ValueError(f"row {row}: op {row[0]}, expected 1 to {len(self.ops) - 1}")
            if len(row) > self.ops.columns:
                raise ValueError(f"row {row}: {len(row)} columns, expected at most {self.ops.columns}")
        if not rows:
            return 0
        self._rows.extend([*rows, [0]])
        return len(self._rows) - len(rows) - 1

    @property
    def table(self) -> NDArray[np.int16]:
        """All programs: read-only int16[rows, columns], [op, number, ...]; 0 where an op has no number."""
        table = np.zeros((len(self._rows), self.ops.columns), np.int16)
        for i, row in enumerate(self._rows):
            table[i, : len(row)] = row
        table.setflags(write=False)
        return table

    @property
    def counts(self) -> NDArray[np.int16]:
        """The count with which a frame comes to stand at a row: read-only int16[rows]."""
        counts = np.where(np.array(self.ops.counted)[self.table[:, 0]], self.table[:, 1], 0).astype(np.int16)
        counts.setflags(write=False)
        return counts
