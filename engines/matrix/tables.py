"""Tables of payoffs: those that have a name, and a user's own, checked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from engines.errors import UsageError, choose_from, quoted
from engines.matrix.layout import MAX_PAYOFF, MAX_SIZE

__all__ = ["NAMED", "Table", "read_table"]

Table = tuple[tuple[int, ...], ...]
"""What seat 0 gets, by row (its choice) and column (the choice of seat 1)."""

_RPS = ("rock", "paper", "scissors")
NAMED: dict[str, tuple[tuple[str, ...], Table]] = {
    "matching_pennies": (("heads", "tails"), ((1, -1), (-1, 1))),
    "rps": (_RPS, ((0, -1, 1), (1, 0, -1), (-1, 1, 0))),
    "biased_rps": (_RPS, ((0, -25, 50), (25, 0, -5), (-50, 5, 0))),
    "rps_water": ((*_RPS, "water"), ((0, -1, 1, 0), (1, 0, -1, 0), (-1, 1, 0, 0), (0, 0, 0, 0))),
}
"""Names of the actions, and the table, of every game that has a name."""


def read_table(given: Any) -> Table:
    """The table that an option's value stands for: a name, or a list of rows.

    A cell is what seat 0 gets, or a list of what seat 0 and seat 1 get, which must sum to zero.

    Raises:
        UsageError: an unknown name; no table, too large a one, or one that is no rectangle; a cell that is no whole
            number, or whose payoffs do not sum to zero: the text names it.
    """
    if isinstance(given, str):
        return NAMED[choose_from("table of payoffs of matrix", given, NAMED)][1]
    rows = _list("payoffs", given, "rows")
    table = []
    for r, row in enumerate(rows):
        cells = _list(f"payoffs[{r}]", row, "columns")
        if len(cells) != len(_list("payoffs[0]", rows[0], "columns")):
            raise UsageError(f"matrix: payoffs[{r}] has {len(cells)} columns, expected {len(rows[0])} like payoffs[0]")
        table.append(tuple(_cell(f"payoffs[{r}][{k}]", cell) for k, cell in enumerate(cells)))
    return tuple(table)


def _list(at: str, given: Any, of: str) -> Sequence[Any]:
    if not isinstance(given, list | tuple):
        names = f"a name ({', '.join(NAMED)}) or a list of rows" if at == "payoffs" else "a list of numbers"
        raise UsageError(f"matrix: {at}={quoted(given)}, expected {names}")
    if not 1 <= len(given) <= MAX_SIZE:
        raise UsageError(f"matrix: {at} has {len(given)} {of}, expected 1 to {MAX_SIZE}")
    return given


def _cell(at: str, cell: Any) -> int:
    if not isinstance(cell, list | tuple):
        return _number(at, cell)
    if len(cell) != 2:
        raise UsageError(f"matrix: {at}={quoted(cell)}, expected a number, or one for each of the two seats")
    row, column = (_number(f"{at}[{seat}]", part) for seat, part in enumerate(cell))
    if row + column != 0:
        raise UsageError(f"matrix: {at}=[{row}, {column}] sums to {row + column}, expected 0: the game is zero-sum")
    return row


def _number(at: str, given: Any) -> int:
    number = isinstance(given, int) or (isinstance(given, float) and math.isfinite(given))
    if isinstance(given, bool) or not number:
        raise UsageError(f"matrix: {at}={quoted(given)}, expected a number")
    if given != int(given):
        raise UsageError(f"matrix: {at}={given}, expected a whole number: multiply the whole table by the same factor")
    if abs(given) > MAX_PAYOFF:
        raise UsageError(f"matrix: {at}={quoted(given)}, expected {-MAX_PAYOFF} to {MAX_PAYOFF}")
    return int(given)
