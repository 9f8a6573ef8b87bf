# mypy: ignore-errors
"""Worlds of phantom tic-tac-toe: every history that fits what a seat has seen is as likely as every other.

A history is where the marks went, in order, and what each seat ran into in between. How many ways there are to run into
marks depends on how many marks there were, not on where: so the two can be drawn one after the other, each uniformly.
"""

import numpy as np

from engines import contract as c
from engines.kernel import kernel
from engines.phantom_tic_tac_toe.layout import CELLS, HAS_LINE, State
from engines.rng import below

_MOST_TURNS = 5


def _ways() -> np.ndarray:
    """How many ways a seat has to run into marks from one of its turns on.

    Returns:
        `int64[2, 6, 6, 6]`: by seat, how many turns it has in all, which comes next, how many marks it has met so far.
    """
    ways = np.ones((2, _MOST_TURNS + 1, _MOST_TURNS + 1, _MOST_TURNS + 1), np.int64)
    for seat in range(2):
        for turns in range(_MOST_TURNS + 1):
            for turn in reversed(range(turns)):
                there = turn + seat  # marks of the other seat by then
                for found in range(there + 1):
                    total, orders = 0, 1
                    for more in range(there - found + 1):
                        total += orders * ways[seat, turns, turn + 1, found + more]
                        orders *= there - found - more
                    ways[seat, turns, turn, found] = total
    return ways


_WAYS = _ways()


@kernel
def nth(cells, n):
    """The n-th cell, from 0, of a set of cells given as bits."""
    for cell in range(CELLS):
        if (cells >> cell) & 1:
            if n == 0:
                return cell
            n -= 1
    return 0


@kernel
def count(cells):
    """How many cells a set has."""
    n = 0
    for cell in range(CELLS):
        n += (cells >> cell) & 1
    return n


@kernel
def place_met(s, seat, order, rng):
    """Give every mark that `seat` has run into one of the other's turns before that, all alike.

    It ran into them in the order of their deadlines: so how many turns each can have does not depend on the others'.
    """
    turn = seat
    for i in range(CELLS):
        tried = int(s["tries"][seat, i])
        if 1 <= tried <= CELLS:
            turn += 2
        elif tried > CELLS:
            free = 0
            for t in range(1 - seat, turn, 2):
                free += 1 if order[t] < 0 else 0
            pick = below(rng, free)
            for t in range(1 - seat, turn, 2):
                if order[t] < 0:
                    if pick == 0:
                        order[t] = tried - 1 - CELLS
                    pick -= 1


@kernel
def fits(s, order):
    """Whether a line first comes with the last mark, and only if the result says so."""
    turns, result = int(s["turn"]), int(s["result"])
    marks = 0
    for last in range(turns - 1, turns - 3, -1):
        marks = 0
        for t in range(last, -1, -2):
            marks |= 1 << order[t]
        won = last == turns - 1 and result == 1 + (last & 1)
        if HAS_LINE[marks] != won:
            return False
        if won and HAS_LINE[marks & ~(1 << order[last])]:
            return False
    return True


@kernel
def deal_marks(s, seat, order, rng):
    """Fill `order`, the cell marked in each turn: those of `seat` as they are, the others uniformly among what fits."""
    turns = int(s["turn"])
    fixed = marks_of(s, seat, order) if seat >= 0 else 0
    while True:
        for t in range(turns):
            if t & 1 != seat:
                order[t] = -1
        if seat >= 0:
            place_met(s, seat, order, rng)
        left = (1 << CELLS) - 1 - fixed
        for t in range(turns):
            if t & 1 != seat and order[t] >= 0:
                left &= ~(1 << order[t])
        for t in range(turns):
            if order[t] < 0:
                order[t] = nth(left, below(rng, count(left)))
                left &= ~(1 << order[t])
        if fits(s, order):
            return


@kernel
def marks_of(s, seat, order):
    """Put the marks that `seat` has made into `order`, by turn; returns their cells as bits."""
    turn, cells = seat, 0
    for i in range(CELLS):
        tried = int(s["tries"][seat, i])
        if 1 <= tried <= CELLS:
            order[turn] = tried - 1
            cells |= 1 << (tried - 1)
            turn += 2
    return cells


@kernel
def deal_met(s, seat, order, rng):
    """Write the tries of `seat`: its marks by `order`, and what it ran into before each of them, all ways alike."""
    turns, hidden = int(s["turn"]), int(s["obstype"]) == 0
    playing = int(s["result"]) == 0 and turns & 1 == seat
    own_turns = (turns + 1 - seat) // 2 + (1 if playing else 0)
    at, found = 0, 0
    for i in range(CELLS):
        s["tries"][seat, i] = 0
    others = 0
    for number in range(own_turns):
        turn = 2 * number + seat
        if turn > 0:
            others |= 1 << order[turn - 1]
        if hidden:
            more = draw_met(seat, own_turns, number, count(found), rng)
        else:
            more = int(s["attempts"][turn]) - (1 if turn < turns else 0)
        for _ in range(more):
            unmet = others & ~found
            cell = nth(unmet, below(rng, count(unmet)))
            found |= 1 << cell
            s["tries"][seat, at] = 1 + CELLS + cell
            at += 1
        if turn < turns:
            s["tries"][seat, at] = 1 + order[turn]
            at += 1


@kernel
def draw_met(seat, turns, number, found, rng):
    """How many marks `seat` runs into in its turn `number` of `turns`, having met `found`."""
    there, orders = number + seat, 1
    mark = below(rng, _WAYS[seat, turns, number, found])
    for more in range(there - found + 1):
        mark -= orders * _WAYS[seat, turns, number + 1, found + more]
        if mark < 0:
            return more
        orders *= there - found - more
    return 0


@kernel(c.DETERMINIZE)
def determinize(state, seat, rng):
    s = state.view(State)[0]
    order = np.empty(CELLS, np.int64)
    deal_marks(s, seat, order, rng)
    for other in range(2):
        if other != seat:
            deal_met(s, other, order, rng)
    return 0.0
