"""Backgammon as text: moves in the usual notation, the log, the board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engines.backgammon import rules
from engines.backgammon.layout import (
    BAR,
    CHECKERS,
    FACES,
    FIRST_OPENING,
    FIRST_ROLL,
    NUM_IDS,
    OFF,
    SEATS,
)

__all__ = ["ACTION_TEXTS", "board", "describe"]

MEN = "XO"
"""How the checkers of seat 0 and 1 are drawn."""
KINDS = {1: "the game", 2: "a gammon", 3: "a backgammon"}
ROWS = 5


def _texts() -> list[str]:
    texts = [""] * NUM_IDS
    for action in range(FIRST_ROLL):
        p, n = action // FACES + 1, action % FACES + 1
        if n <= p:
            texts[action] = f"{'bar' if p == BAR else p}/{p - n or 'off'}"
    rolls = [(high, low) for high in range(1, FACES + 1) for low in range(1, high + 1)]
    openings = [(a, b) for a in range(1, FACES + 1) for b in range(1, FACES + 1) if a != b]
    texts[FIRST_ROLL:FIRST_OPENING] = [f"roll {high}-{low}" for high, low in rolls]
    texts[FIRST_OPENING:] = [f"opening roll {a}-{b}" for a, b in openings]
    return texts


ACTION_TEXTS = _texts()
"""By id; "" for the ids that are never legal. Points are the mover's own: "13/7", "bar/20", "6/off"."""


def describe(record: np.ndarray[Any, Any], fields: Any, action: int) -> str:
    """A line of the log. `record` is the state, `fields` its fields."""
    text, mover = ACTION_TEXTS[action], int(fields["mover"])
    after = record.copy()
    rules.apply(after, action)
    then = after.view(fields.dtype)[0]
    if action >= FIRST_OPENING:
        first, second = text.removeprefix("opening roll ").split("-")
        return f"seat 0 rolls {first}, seat 1 rolls {second}: seat {int(then['mover'])} begins and plays both dice"
    if action >= FIRST_ROLL:
        stuck = ": no move" if int(then["dice"][0]) == 0 else ""
        return f"seat {mover} rolls {text.removeprefix('roll ')}{stuck}"
    hit = int(then["checkers"][1 - mover, BAR]) > int(fields["checkers"][1 - mover, BAR])
    end = f" and wins {KINDS[int(rules.worth(then, mover))]}" if int(rules.winner(then)) == mover else ""
    return f"seat {mover}: {text}{'*' if hit else ''}{end}"


def board(fields: Any, seat: int) -> str:
    """The board with the points as `seat` counts them, its home board at the bottom right."""
    checkers = np.asarray(fields["checkers"])

    def column(point: int) -> list[str]:
        """What stands on a point, from the edge of the board inwards."""
        for whose in range(SEATS):
            number = int(checkers[whose, point if whose == seat else BAR - point])
            if number:
                pile = [MEN[whose]] * min(number, ROWS) + [" "] * (ROWS - number)
                return pile if number <= ROWS else [*pile[:-1], str(number)]
        return [" "] * ROWS

    def half(points: Sequence[int], rows: Sequence[int]) -> list[str]:
        columns = [column(point) for point in points]
        cells = [[f"{pile[row]:^3}" for pile in columns] for row in rows]
        return [f"|{''.join(row[:6])}|   |{''.join(row[6:])}|" for row in cells]

    def edge(points: Sequence[int]) -> str:
        numbers = [f"{point:-^3}" for point in points]
        return f"+{''.join(numbers[:6])}+---+{''.join(numbers[6:])}+"

    top, bottom = range(13, 25), range(12, 0, -1)
    middle = f"|{' ' * 18}|BAR|{' ' * 18}|"
    lines = [edge(top), *half(top, range(ROWS)), middle, *half(bottom, range(ROWS - 1, -1, -1)), edge(bottom)]
    for whose in range(SEATS):
        row = checkers[whose]
        lines.append(
            f"{MEN[whose]} seat {whose}: {int(rules.pips(fields, whose))} pips, {int(row[BAR])} on the bar, "
            f"{int(row[OFF])} of {CHECKERS} off"
        )
    return "\n".join([*lines, _turn(fields)])


def _turn(fields: Any) -> str:
    """What is to be done, or how it ended."""
    won, mover = int(rules.winner(fields)), int(fields["mover"])
    if won >= 0:
        return f"seat {won} has won {KINDS[int(rules.worth(fields, won))]}"
    if rules.is_over(fields):
        return f"a draw after {int(fields['turn'])} turns"
    if rules.is_opening(fields):
        return "opening roll"
    left = "-".join(str(die) for die in fields["dice"] if die)
    return f"turn {int(fields['turn']) + 1}: seat {mover} {f'has to play {left}' if left else 'rolls'}"
