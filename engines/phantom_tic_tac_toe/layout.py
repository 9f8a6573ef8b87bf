"""The record of phantom tic-tac-toe, and its actions.

STATE TABLE
| field | shape | who knows it | meaning |
|---|---|---|---|
| turn | | all | how many marks there are; seat 0 moves at even ones |
| result | | all | 0 while the game goes on, 1 or 2 when seat 0 or 1 has three in a line, 3 for a draw |
| obstype | | all | what the seats learn of each other: 0 nothing, 1 the number of tries |
| attempts | 9 | all | tries in each turn, those that found a mark included; zeros if obstype is 0 |
| tries | 2 x 9 | its seat | what the seat has tried, in order: 1 + cell where it made its mark, 10 + cell found taken |

Where the marks are follows from the tries, and so does whose try came when: a turn ends with a mark.

ACTION TABLE
| ids | meaning |
|---|---|
| 0 to 8 | try to mark cell a1, b1, c1, a2, ... c3: columns a to c from the left, rows 1 to 3 from the top |
"""

import numpy as np

from engines.contract import Field, Who

SIZE, CELLS = 3, 9
NAMES = tuple(f"{column}{row}" for row in "123" for column in "abc")
TRIES = (*NAMES, *(f"{name} taken" for name in NAMES))
MARKS = ("x", "o")
RESULTS = ("seat 0 has won", "seat 1 has won", "draw")
DRAW = 3
OBSTYPES = ("reveal-nothing", "reveal-numturns")
MOST_ATTEMPTS = 5
"""In one turn: four marks of the other seat, then an empty cell."""

_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
HAS_LINE = np.array(
    [any(all(cells >> cell & 1 for cell in line) for line in _LINES) for cells in range(1 << CELLS)], np.bool_
)
"""Whether a set of cells, as bits, holds a line: `bool[512]`."""

State = np.dtype(
    [("turn", "i1"), ("result", "i1"), ("obstype", "i1"), ("attempts", "i1", (CELLS,)), ("tries", "i1", (2, CELLS))],
    align=True,
)
FIELDS = {
    "turn": Field(least=0, most=CELLS),
    "result": Field(values="result"),
    "obstype": Field(values="obstype", first=0),
    "attempts": Field(axes=("list",), least=0, most=MOST_ATTEMPTS),
    "tries": Field(Who.SEAT, ("seat", "list"), "try"),
}
