"""What worlds hold that a seat does not know, read from the declarations of `Game.fields` alone.

A fact is a thing with a name that a world may hold so many times: the queen in the hand of seat 1, a bid of 3 at the
second place. Worlds are compared by their facts, so one piece of code serves every game.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engines.contract import PUBLIC, Field, Game, Who
from engines.state import State

__all__ = ["HIDDEN", "Facts", "hidden_facts", "holding"]

HIDDEN = "hidden from all"
"""Whose a field that nobody knows is."""
MOST_NUMBERS = 64
"""Most facts made of one field whose numbers have no labels."""


@dataclass(frozen=True)
class Facts:
    """F facts of W worlds.

    Attributes:
        names: (field, whose, what) of each fact.
        amounts: `int64[W, F]`, how often each world holds it.
    """

    names: tuple[tuple[str, str, str], ...]
    amounts: NDArray[np.int64]

    def shares(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """`float64[F]`: how much of the weight of the worlds holds the fact at least once."""
        return np.asarray(weights @ (self.amounts > 0) / weights.sum(), np.float64)

    def means(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """`float64[F]`: how often the worlds hold the fact, on average."""
        return np.asarray(weights @ self.amounts / weights.sum(), np.float64)


def hidden_facts(game: Game, worlds: NDArray[np.uint8], seat: int) -> Facts:
    """All facts about what `seat` cannot see, that at least one of the worlds holds.

    Args:
        game: the game.
        worlds: `uint8[W, record]`, W at least 1.
        seat: who looks; of PUBLIC every seat's own knowledge is hidden.
    """
    records = np.ascontiguousarray(worlds).view(game.dtype)[:, 0]
    names: list[tuple[str, str, str]] = []
    columns: list[NDArray[np.int64]] = []
    for name, field in game.fields.items():
        for whose, axes, values in _rows(game, name, field, records, seat):
            for what, amounts in _things(game, field, axes, values):
                if amounts.any():
                    names.append((name, whose, what))
                    columns.append(amounts.astype(np.int64))
    amounts = np.stack(columns, axis=1) if columns else np.zeros((len(worlds), 0), np.int64)
    return Facts(tuple(names), amounts)


Row = tuple[str, tuple[str, ...], NDArray[np.int64]]
"""Whose, the names of the axes after the world's, the numbers of every world."""


def _rows(game: Game, name: str, field: Field, records: NDArray[np.void], seat: int) -> list[Row]:
    """The parts of a field that `seat` does not know, by whose they are."""
    values = np.asarray(records[name])
    if values.dtype == np.uint64:  # keys and sets of bits say nothing to a reader
        return []
    values = values.astype(np.int64)
    if field.who is Who.SEAT:
        return [(f"seat {p}", field.axes[1:], values[:, p]) for p in range(game.players) if p != seat]
    if field.who is Who.NOBODY:
        return [(HIDDEN, field.axes, values)]
    if field.who is not Who.MASK:
        return []
    bits = np.asarray(records[str(field.mask)]).astype(np.int64)
    unseen = np.where((bits >> seat) & 1, 0, values) if seat != PUBLIC else values
    if field.axes[:1] == ("seat",):
        return [(f"seat {p}", field.axes[1:], unseen[:, p]) for p in range(game.players)]
    return [(HIDDEN, field.axes, unseen)]


def _things(
    game: Game, field: Field, axes: tuple[str, ...], values: NDArray[np.int64]
) -> list[tuple[str, NDArray[np.int64]]]:
    """What the numbers of one row stand for, and how often each world has it."""
    for place, axis in enumerate(axes):
        if axis in game.labels:
            by_label = np.moveaxis(values, place + 1, 1)
            count = by_label if by_label.ndim == 2 else np.count_nonzero(by_label, axis=tuple(range(2, by_label.ndim)))
            return list(zip(game.labels[axis], count.T, strict=True))
    flat = values.reshape(len(values), -1)
    if field.values is not None:
        labels = enumerate(game.labels[field.values], field.first)
        return [(label, np.count_nonzero(flat == number, axis=1)) for number, label in labels]
    single = flat.shape[1] == 1
    found = [
        (str(number) if single else f"{number} in place {place + 1}", (column == number).astype(np.int64))
        for place, column in enumerate(flat.T)
        for number in np.unique(column)
        if single or number != 0
    ]
    return found if len(found) <= MOST_NUMBERS else []


def holding(state: State, seat: int, most: int = 90) -> str:
    """What `seat` alone knows in this state, in a line: "card queen", "hand 1 x2, 5"."""
    known = state.view(seat)["state"]
    parts = []
    for name, field in state.game.fields.items():
        text = _text(known[name]) if field.who is Who.SEAT else ""
        if text:
            parts.append(f"{name.replace('_', ' ')} {text}")
    line = "; ".join(parts)
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _text(value: object) -> str:
    """A field of a view, in a line; empty where it says nothing."""
    if isinstance(value, dict):
        parts = [(label, len(part) if isinstance(part, list) else part) for label, part in value.items()]
        return ", ".join(f"{label} x{n}" if isinstance(n, int) and n > 1 else str(label) for label, n in parts)
    if isinstance(value, list):
        return ", ".join(_text(part) for part in value) if any(value) else ""
    return "" if value in (None, 0) else str(value)
