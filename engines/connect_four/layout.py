"""The record of Connect Four, and its actions.

A board is a 64-bit number: bit 7 * column + row, columns from the left, rows from the bottom. The seventh bit of a
column stays empty, so that no line of shifted bits runs from one column into the next.

STATE TABLE
| field | shape | who knows it | meaning |
|---|---|---|---|
| stones | 2 | all | the stones of each seat, a bit each |
| ply | | all | how many stones there are; seat 0 moves at even ones |
| result | | all | 0 while the game goes on, 1 or 2 when seat 0 or 1 has four in a line, 3 for a draw |

ACTION TABLE
| ids | meaning |
|---|---|
| 0 to 6 | drop a stone into column a to g |
"""

import numpy as np

from engines.contract import Field

COLUMNS, ROWS, CELLS = 7, 6, 42
STRIDE = ROWS + 1
"""Bits of a column: its cells and the one above that stays empty."""
NAMES = ("a", "b", "c", "d", "e", "f", "g")
RESULTS = ("seat 0 has won", "seat 1 has won", "draw")
DRAW = 3

State = np.dtype([("stones", "u8", (2,)), ("ply", "i1"), ("result", "i1")], align=True)
FIELDS = {
    "stones": Field(axes=("seat",)),
    "ply": Field(least=0, most=CELLS),
    "result": Field(values="result"),
}
