"""The record of a matrix game, and its actions.

STATE TABLE
| field | shape | who knows it | meaning |
|---|---|---|---|
| asked | | all | the seat that chooses next: 0 a row, 1 a column |
| rows, columns | | all | size of the table |
| played | 2 | all | 1 + what each seat has chosen, once both have; 0 = not yet |
| pending | 2 | its seat | the same, until both have chosen |
| payoffs | 16 x 16 | all | what seat 0 gets; seat 1 gets the opposite |

ACTION TABLE (with R rows and C columns)
| ids | meaning |
|---|---|
| 0 to R - 1 | seat 0: the row of this number |
| 0 to C - 1 | seat 1: the column of this number |
"""

import numpy as np

from engines.contract import Field, Who

MAX_SIZE = 16
MAX_PAYOFF = 1_000_000

State = np.dtype(
    [
        ("asked", "i1"),
        ("rows", "i1"),
        ("columns", "i1"),
        ("played", "i1", (2,)),
        ("pending", "i1", (2,)),
        ("payoffs", "i4", (MAX_SIZE, MAX_SIZE)),
    ],
    align=True,
)
FIELDS = {
    "asked": Field(least=0, most=1),
    "rows": Field(least=1, most=MAX_SIZE),
    "columns": Field(least=1, most=MAX_SIZE),
    "played": Field(axes=("seat",), values="action"),
    "pending": Field(Who.SEAT, ("seat",), "action"),
    "payoffs": Field(axes=("row", "column"), least=-MAX_PAYOFF, most=MAX_PAYOFF),
}
