"""Connect Four solved: the exact score of every move of a position, and positions to test players on.

    python -m orion_ai.solve.connect_four 3 3 2         scores of the moves after these columns (0..6 from the left)
    python -m orion_ai.solve.connect_four --make 14     write 14 test positions for each number of stones, 4 to 26

A move's score is from its mover's view: 22 less the number of stones that the winner will have put down (a win that
comes sooner is worth more), negated for the loser; 0 is a draw. A position's value is the sign of its best move's
score. The search is alpha-beta with null windows, a table and bitboards (see `connect_four_kernels`). With 12 stones
on the board all moves take about 0.1 s, with 4 a minute.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engines.connect_four.layout import COLUMNS, ROWS, State
from engines.errors import UsageError
from engines.files import read_json, refuse_unwritable, write_text
from engines.kernel import compiling
from engines.rng import below, generator

with compiling("the solver of Connect Four"):
    from orion_ai.solve import connect_four_kernels as kernels

__all__ = [
    "Position",
    "Problem",
    "Solver",
    "make_positions",
    "read_positions",
    "winning_columns",
    "write_positions",
]

GOLDEN = Path("tests") / "golden" / "connect_four_positions.json"
PLIES = range(4, 27)
"""Stones on the board of test positions."""


class Position(NamedTuple):
    """A position in bits: the cell in column c and row r (from below) is bit 7c + r."""

    own: int = 0
    """Stones of the player to move."""
    mask: int = 0
    """Stones of both."""

    @property
    def plies(self) -> int:
        """How many stones have been put down."""
        return self.mask.bit_count()

    @property
    def columns(self) -> list[int]:
        """The columns that are not full."""
        return [c for c in range(COLUMNS) if not self.mask >> (7 * c + ROWS - 1) & 1]

    @property
    def decided(self) -> bool:
        """Whether the last stone made four in a row."""
        return bool(kernels.has_four(np.uint64(self.own ^ self.mask)))

    @property
    def over(self) -> bool:
        """Whether the game is decided or the board full."""
        return self.plies == COLUMNS * ROWS or self.decided

    def put(self, column: int) -> Position:
        """The position after a stone in `column`, which must have room."""
        stone = (self.mask + (1 << 7 * column)) & (0x3F << 7 * column)
        return Position(self.own ^ self.mask, self.mask | stone)

    @staticmethod
    def of(record: NDArray[np.uint8]) -> Position:
        """The position of a record of the game `connect_four`, which numbers cells alike."""
        state = record.view(State)[0]
        first, second = (int(stones) for stones in state["stones"])
        return Position((first, second)[int(state["ply"]) & 1], first | second)

    @staticmethod
    def after(actions: Sequence[int]) -> Position:
        """The position after stones in these columns.

        Raises:
            UsageError: a column does not exist or is full, or the game was over before.
        """
        position = Position()
        for number, column in enumerate(actions, 1):
            if position.over:
                raise UsageError(f"stone {number}: the game was over after {number - 1}")
            if column not in position.columns:
                free = ", ".join(map(str, position.columns))
                raise UsageError(f"stone {number}: column {column} has no room or does not exist; these have: {free}")
            position = position.put(column)
        return position


class Solver:
    """Scores positions; what it has found out about one helps with the next."""

    def __init__(self, table_bits: int = 22) -> None:
        """The table has 2**table_bits entries of 8 bytes: 22 (32 MiB) from 12 stones on, 26 (512 MiB) before that."""
        if not 10 <= table_bits <= 30:
            raise UsageError(f"table_bits is {table_bits}: expected 10 to 30")
        self._table = np.zeros(1 << table_bits, np.uint64)
        self._stack = np.zeros(COLUMNS * (COLUMNS * ROWS + 1), np.uint64)
        self._count = np.zeros(1, np.int64)

    @property
    def nodes(self) -> int:
        """Positions visited so far."""
        return int(self._count[0])

    def scores(self, position: Position) -> list[int | None]:
        """The score of a stone in each column; None where there is no room.

        Raises:
            UsageError: the game is over.
        """
        if position.over:
            raise UsageError("the game is over: there are no moves to score")
        out = np.zeros(COLUMNS, np.int64)
        own, mask = np.uint64(position.own), np.uint64(position.mask)
        kernels.move_scores(own, mask, position.plies, out, self._table, self._stack, self._count)
        return [int(out[c]) if c in position.columns else None for c in range(COLUMNS)]


class Problem(NamedTuple):
    """A position that some moves throw away."""

    actions: list[int]
    """The columns played, from the empty board."""
    scores: list[int | None]
    """Of every column, see `Solver.scores`."""

    @property
    def best(self) -> int:
        """The score of the best moves."""
        return max(score for score in self.scores if score is not None)

    def keeps_value(self, action: int) -> bool:
        """Whether the game is still won (or still drawn, where no move wins) after `action`."""
        score = self.scores[action]
        return score is not None and bool(np.sign(score) == np.sign(self.best))

    def is_optimal(self, action: int) -> bool:
        """Whether no move wins sooner, or loses later, than `action`."""
        return self.scores[action] == self.best


def winning_columns(position: Position) -> list[int]:
    """The columns in which the player to move makes four in a row."""
    return [c for c in position.columns if position.put(c).decided]


def _candidate(seed: int, plies: int, attempt: int) -> tuple[list[int], Position] | None:
    """`plies` random stones; None if the game ends with them, or its end is one move away."""
    rng = generator("connect four test positions", seed, plies, attempt)
    actions: list[int] = []
    position = Position()
    for _ in range(plies):
        column = position.columns[below(rng, len(position.columns))]
        actions.append(column)
        position = position.put(column)
        if position.over:
            return None
    return None if winning_columns(position) else (actions, position)


def make_positions(solver: Solver, plies: int, count: int, seed: int = 0) -> list[Problem]:
    """`count` test positions with `plies` stones, the same for the same seed.

    They come from random play, the game is not over, the mover cannot win at once, no two are the same or mirror
    images, and at least two of the moves differ in the value of the game.
    """
    attempts, seen, found = itertools.count(), set[int](), list[Problem]()
    while len(found) < count:
        candidate = _candidate(seed, plies, next(attempts))
        if candidate is None:
            continue
        actions, position = candidate
        key = int(kernels.entry_key(np.uint64(position.own), np.uint64(position.mask), 0))
        if key not in seen:
            seen.add(key)
            problem = Problem(actions, solver.scores(position))
            if len({np.sign(score) for score in problem.scores if score is not None}) > 1:
                found.append(problem)
    return found


def write_positions(path: Path, positions: Sequence[Problem]) -> None:
    """Write test positions as JSON, one a line."""
    rows = ",\n".join(json.dumps(position._asdict()) for position in positions)
    write_text(path, f"[\n{rows}\n]\n")


def read_positions(path: Path = GOLDEN) -> list[Problem]:
    """The test positions of a file.

    Raises:
        FileError: it is missing or no JSON.
    """
    return [Problem(row["actions"], row["scores"]) for row in read_json(path, "test positions")]


def main(arguments: list[str] | None = None) -> int:
    """See the module."""
    parser = argparse.ArgumentParser(prog="python -m orion_ai.solve.connect_four", description="Solve Connect Four.")
    parser.add_argument("actions", nargs="*", type=int, help="columns played so far, 0..6 from the left")
    parser.add_argument("--make", type=int, metavar="N", help="write N test positions for each number of stones")
    parser.add_argument("--seed", type=int, default=0, help="names the test positions (default: %(default)s)")
    parser.add_argument("--output", type=Path, default=GOLDEN, help="where they go (default: %(default)s)")
    parser.add_argument("--table-bits", type=int, default=26, metavar="N", help="2**N entries (default: %(default)s)")
    given = parser.parse_args(arguments)
    try:
        solver = Solver(given.table_bits)
        if given.make is not None:
            refuse_unwritable(given.output)
            problems = []
            for plies in PLIES:
                began = time.monotonic()
                problems += make_positions(solver, plies, given.make, given.seed)
                print(f"{plies} stones: {time.monotonic() - began:.1f} s, {solver.nodes} nodes so far", file=sys.stderr)
            write_positions(given.output, problems)
            print(given.output)
            return 0
        for column, score in enumerate(solver.scores(Position.after(given.actions))):
            print(f"column {column}: {'full' if score is None else score}")
    except UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
