"""The record of tic-tac-toe, and its actions.

STATE TABLE
| field | shape | who knows it | meaning |
|---|---|---|---|
| cells | 9 | all | row by row from the top left: 0 empty, 1 or 2 a mark of seat 0 (x) or 1 (o) |
| ply | | all | how many marks there are; seat 0 moves at even ones |
| result | | all | 0 while the game goes on, 1 or 2 when seat 0 or 1 has three in a line, 3 for a draw |

ACTION TABLE
| ids | meaning |
|---|---|
| 0 to 8 | mark cell a1, b1, c1, a2, ... c3: columns a to c from the left, rows 1 to 3 from the top |
"""

import numpy as np

from engines.contract import Field

SIZE, CELLS = 3, 9
NAMES = tuple(f"{column}{row}" for row in "123" for column in "abc")
MARKS = ("x", "o")
RESULTS = ("seat 0 has won", "seat 1 has won", "draw")
DRAW = 3

LINES = np.array(
    [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)],
    np.int64,
)
"""The eight lines, `int64[8, 3]`: cells."""

State = np.dtype([("cells", "i1", (CELLS,)), ("ply", "i1"), ("result", "i1")], align=True)
FIELDS = {
    "cells": Field(axes=("cell",), values="mark"),
    "ply": Field(least=0, most=CELLS),
    "result": Field(values="result"),
}
