"""Matrix games: two seats choose at the same time from a table of payoffs, one with a name or a user's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game, Kernels, Kind, Options, Slice
from engines.errors import UsageError
from engines.matrix import rules
from engines.matrix.layout import FIELDS, MAX_SIZE, State
from engines.matrix.tables import NAMED, Table, read_table
from engines.state import State as Position


@dataclass(frozen=True)
class MatrixOptions(Options):
    """Options of the game."""

    payoffs: str | Sequence[Sequence[int | Sequence[int]]] = "matching_pennies"
    """A table with a name, or a list of rows: what seat 0 gets, or lists of what both get (summing to zero)."""

    def __post_init__(self) -> None:
        table = read_table(self.payoffs)
        if not isinstance(self.payoffs, str):
            object.__setattr__(self, "payoffs", table)


class Matrix(Game):
    """See the module. The sizes of the action space depend on the options: those of the class are the defaults'."""

    name = "matrix"
    title = "Matrix game"
    version = 1
    min_players, max_players = 2, 2
    dtype = State
    fields = FIELDS
    kernels = Kernels(
        rules.setup,
        rules.to_play,
        rules.legal,
        rules.weights,
        rules.apply,
        rules.returns,
        rules.observe,
        rules.info_key,
        rules.determinize,
    )
    num_actions = num_ids = max_legal = 2
    max_length = 2
    num_streams = 1
    perfect_recall = True
    options_type = MatrixOptions
    options: MatrixOptions

    def __post_init__(self) -> None:
        given = self.options.payoffs
        self._table: Table = read_table(given)
        actions = max(len(self._table), len(self._table[0]))
        names = NAMED[given][0] if isinstance(given, str) else [f"action {i}" for i in range(actions)]
        self._names: tuple[str, ...] = tuple(names)
        vars(self).update(num_actions=actions, num_ids=actions, max_legal=actions)
        super().__post_init__()

    @property
    def labels(self) -> Mapping[str, Sequence[str]]:
        beyond = [f"action {i}" for i in range(len(self._names), MAX_SIZE)]
        lines = (*self._names, *beyond)
        return {"action": self._names, "row": lines, "column": lines}

    @property
    def stakes(self) -> float:
        """The greatest payoff of the table by amount; 1 for a table of zeros."""
        return float(max(1, *(abs(cell) for row in self._table for cell in row)))

    def encode_options(self) -> NDArray[np.int32]:
        cells = [cell for row in self._table for cell in row]
        return np.array([self.players, len(self._table), len(self._table[0]), *cells], np.int32)

    def observation(self) -> list[Slice]:
        actions = max(len(self._table), len(self._table[0]))
        return [
            Slice("mover", Kind.ONE_HOT, (2,)),
            Slice("choices", Kind.MASK, (2, actions), per_seat=True),
        ]

    def action_text(self, action: int) -> str:
        return self._names[action]

    def describe(self, state: Position, action: int, seat: int) -> str:
        mover = state.to_play
        return f"seat {mover}: {self.action_text(action) if seat == mover else 'choice'}"

    def board(self, state: Position, seat: int | None = None) -> str:
        s = state.fields
        wide = max(len(text) for text in (*self._names, *(str(cell) for row in self._table for cell in row)))
        columns = self._names[: len(self._table[0])]
        lines = ["  ".join(f"{text:>{wide}}" for text in ("", *columns))]
        for name, row in zip(self._names, self._table, strict=False):
            lines.append("  ".join(f"{text:>{wide}}" for text in (name, *map(str, row))))
        for p in range(2):
            choice = int(s["played"][p]) or (int(s["pending"][p]) if seat in (None, p) else 0)
            lines.append(f"seat {p}: {self._names[choice - 1] if choice else '?'}")
        return "\n".join(lines)

    def scores(self, state: Position) -> list[int]:
        """What each seat gets, by the table; 0 before both have chosen."""
        return [round(u * self.stakes) for u in state.returns()]

    def check_state(self, state: Position) -> None:
        s, viewer = state.fields, state.viewer
        meant = (len(self._table), len(self._table[0]))
        payoffs = np.zeros_like(s["payoffs"])
        payoffs[: meant[0], : meant[1]] = self._table
        if (int(s["rows"]), int(s["columns"])) != meant or not np.array_equal(s["payoffs"], payoffs):
            raise UsageError(f"fields 'rows', 'columns' and 'payoffs': expected the table of this game, {self._table}")
        played, asked = [int(choice) for choice in s["played"]], int(s["asked"])
        own = int(s["pending"][viewer]) if viewer is not None and viewer >= 0 else 0
        over = played[0] > 0
        if (played[1] > 0) != over or any(choice > size for choice, size in zip(played, meant, strict=True)):
            raise UsageError(f"field 'played': {played}, expected a row and a column, or neither")
        if own and (over or viewer == asked or own > meant[viewer or 0]):
            raise UsageError(f"field 'pending': {self._names[own - 1]!r} cannot have been chosen by seat {viewer} here")
        if over and asked:
            raise UsageError("field 'asked': expected 0 once both have chosen")


GAME = Matrix
__all__ = ["GAME", "Matrix", "MatrixOptions"]
