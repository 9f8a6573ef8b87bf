"""What a view of phantom tic-tac-toe must keep to: there must be a game that has come to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import permutations

from engines.errors import UsageError
from engines.phantom_tic_tac_toe.layout import CELLS, DRAW, HAS_LINE, NAMES, OBSTYPES, RESULTS
from engines.state import State

__all__ = ["check_state"]

ENDS = {0: range(CELLS), 1: (5, 7, 9), 2: (6, 8), DRAW: (9,)}
"""After how many marks a game can have each result."""


def check_state(state: State, obstype: str) -> None:
    """See `Game.check_state`; `obstype` is the loaded game's."""
    s, viewer = state.fields, state.viewer
    turn, result, attempts = int(s["turn"]), int(s["result"]), [int(n) for n in s["attempts"]]
    if OBSTYPES[s["obstype"]] != obstype:
        raise UsageError(f"field 'obstype': {OBSTYPES[s['obstype']]!r}, but this game was loaded with {obstype!r}")
    if turn not in ENDS[result]:
        said = RESULTS[result - 1] if result else "still going on"
        raise UsageError(f"field 'turn': {turn}, but a game with so many marks cannot be {said!r}")
    _check_attempts(attempts, turn, result, obstype)
    if viewer is not None and viewer >= 0:
        _check_tries(state, viewer)


def _check_attempts(attempts: Sequence[int], turn: int, result: int, obstype: str) -> None:
    if obstype == OBSTYPES[0]:
        if any(attempts):
            raise UsageError("field 'attempts': expected an empty list, as obstype is reveal-nothing")
        return
    met = [0, 0]
    for t, tried in enumerate(attempts):
        if t > turn or (t == turn and result):
            least = most = 0
        else:
            least = 1 if t < turn else 0
            most = least + (t + 1) // 2 - met[t % 2]
        if not least <= tried <= most:
            raise UsageError(f"field 'attempts': {tried} in turn {t}, expected {least} to {most}")
        met[t % 2] += tried - least


def _check_tries(state: State, seat: int) -> None:
    turn, result, row = int(state.fields["turn"]), int(state.fields["result"]), state.fields["tries"][seat].tolist()
    tries = [one for one in row if one]
    if tries != row[: len(tries)]:
        raise UsageError("field 'tries': expected a list without gaps")
    order: dict[int, int] = {}
    deadlines: dict[int, int] = {}
    by_turn: Counter[int] = Counter()
    for one in tries:
        cell, now = (one - 1) % CELLS, seat + 2 * len(order)
        if cell in order.values() or cell in deadlines:
            raise UsageError(f"field 'tries': {NAMES[cell]} is tried twice")
        by_turn[now] += 1
        if one > CELLS:
            deadlines[cell] = now
        else:
            order[now] = cell
    marks, playing = (turn + 1 - seat) // 2, result == 0 and turn % 2 == seat
    if len(order) != marks or (tries and tries[-1] > CELLS and not playing):
        end = "" if playing else ", the last try among them"
        raise UsageError(f"field 'tries': expected {marks} marks{end}, as 'turn' is {turn}")
    attempts = state.fields["attempts"]
    if int(state.fields["obstype"]) and any(by_turn[t] != int(attempts[t]) for t in range(seat, CELLS, 2)):
        raise UsageError("field 'tries': they do not fit 'attempts'")
    free = [cell for cell in range(CELLS) if cell not in order.values()]
    theirs = range(1 - seat, turn, 2)
    games = ({**order, **dict(zip(theirs, cells, strict=True))} for cells in permutations(free, len(theirs)))
    if not any(_fits(game, deadlines, result) for game in games):
        raise UsageError("field 'tries': there is no game in which the seat's tries had these answers")


def _fits(order: dict[int, int], deadlines: dict[int, int], result: int) -> bool:
    """Whether marks (cells by turn) were met only after they had been made, and lead to the result."""
    turn_of = {cell: t for t, cell in order.items()}
    if any(turn_of.get(cell, CELLS) > deadline for cell, deadline in deadlines.items()):
        return False
    marks, ended = [0, 0], 0
    for t in range(len(order)):
        if ended:
            return False
        marks[t % 2] |= 1 << order[t]
        if HAS_LINE[marks[t % 2]]:
            ended = 1 + t % 2
    return result == (ended or (DRAW if len(order) == CELLS else 0))
