# mypy: ignore-errors
"""Rules of Connect Four on bitboards: seven columns of six, four in a line wins.

Stones are kept as in Tromp's Fhourstones: a shift of the board by 1, 6, 7 or 8 bits is a step up, down-right, right or
up-right. What is asked at every step (who plays, whether it is over) is kept beside the stones.
"""

import numpy as np

from engines import contract as c
from engines.connect_four.layout import CELLS, COLUMNS, DRAW, ROWS, STRIDE, State
from engines.kernel import kernel
from engines.rng import below, mix

_ONE, _STRIDE = np.uint64(1), np.uint64(STRIDE)
_UP, _RIGHT, _UP_RIGHT, _DOWN_RIGHT = np.uint64(1), np.uint64(STRIDE), np.uint64(STRIDE + 1), np.uint64(STRIDE - 1)
_BOTTOM = np.uint64(sum(1 << STRIDE * column for column in range(COLUMNS)))
_TOP = np.uint64(sum(1 << STRIDE * column + ROWS - 1 for column in range(COLUMNS)))
_BOARD = np.uint64(sum(((1 << ROWS) - 1) << STRIDE * column for column in range(COLUMNS)))
_CELLS_OF_A_COLUMN = np.uint64((1 << ROWS) - 1)
_SHIFTS = np.array([STRIDE * column + row for row in range(ROWS) for column in range(COLUMNS)], np.uint64)
"""The bit of each cell, in the order of an observation."""


@kernel
def line_along(stones, step):
    """Whether there are four in a line in the direction of `step` bits."""
    pairs = stones & (stones >> step)
    return (pairs & (pairs >> (step + step))) != np.uint64(0)


@kernel
def has_line(stones):
    """Whether the stones hold four in a line in any direction."""
    return (
        line_along(stones, _UP)
        or line_along(stones, _RIGHT)
        or line_along(stones, _UP_RIGHT)
        or line_along(stones, _DOWN_RIGHT)
    )


@kernel
def landing(taken, column):
    """The cell, as a bit, where a stone dropped into `column` comes to rest; `taken` are all stones."""
    shift = np.uint64(column) * _STRIDE
    return (taken + (_ONE << shift)) & (_CELLS_OF_A_COLUMN << shift)


@kernel(c.SETUP)
def setup(state, options):
    for i in range(state.shape[0]):
        state[i] = 0


@kernel(c.TO_PLAY)
def to_play(state):
    s = state.view(State)[0]
    return c.TERMINAL if int(s["result"]) != 0 else int(s["ply"]) & 1


@kernel(c.LEGAL)
def legal(state, out):
    s = state.view(State)[0]
    if int(s["result"]) != 0:
        return 0
    free = ~(s["stones"][0] | s["stones"][1]) & _TOP
    n = 0
    for column in range(COLUMNS):
        out[n] = column
        n += int((free >> np.uint64(STRIDE * column + ROWS - 1)) & _ONE)
    return n


@kernel(c.WEIGHTS)
def weights(state, out):
    return 0


@kernel(c.APPLY)
def apply(state, action):
    s = state.view(State)[0]
    ply = int(s["ply"])
    seat = ply & 1
    own = s["stones"][seat]
    own = own | landing(own | s["stones"][1 - seat], action)
    s["stones"][seat] = own
    s["ply"] = ply + 1
    if has_line(own):
        s["result"] = 1 + seat
    elif ply + 1 == CELLS:
        s["result"] = DRAW


@kernel(c.RETURNS)
def returns(state, out):
    result = int(state.view(State)[0]["result"])
    out[0] = 1.0 if result == 1 else (-1.0 if result == 2 else 0.0)
    out[1] = -out[0]


@kernel
def completing(stones, step):
    """The cells next to three `stones`, or between them, that make four in a line along `step` bits; also taken ones
    and bits above the columns.
    """
    pairs = stones & (stones >> step)
    before, after = stones << step, stones >> step
    twice = step + step
    return (
        ((pairs << (twice + step)) & before)
        | ((pairs << twice) & after)
        | ((pairs >> step) & before)
        | ((pairs >> twice) & after)
    )


@kernel
def threats(own, taken):
    """The empty cells, as bits, where one more stone of `own` would make four in a line."""
    found = completing(own, _UP) | completing(own, _RIGHT) | completing(own, _UP_RIGHT) | completing(own, _DOWN_RIGHT)
    return found & _BOARD & ~taken


@kernel
def write_board(bits, out, start):
    """Write a bit for each cell from out[start] on, rows from the bottom.

    Unsigned places cannot count from the end of `out`, so that the loop becomes one of vectors.
    """
    first = np.uint64(start)
    for i in range(np.uint64(CELLS)):
        out[first + i] = np.int16((bits >> _SHIFTS[i]) & _ONE)


@kernel
def write_columns(bits, out, start):
    """Write from out[start] on whether there is any bit in each column."""
    first = np.uint64(start)
    for i in range(np.uint64(COLUMNS)):
        out[first + i] = np.int16(((bits >> (i * _STRIDE)) & _CELLS_OF_A_COLUMN) != np.uint64(0))


@kernel(c.OBSERVE)
def observe(state, seat, out):
    s = state.view(State)[0]
    taken = s["stones"][0] | s["stones"][1]
    landings = (taken + _BOTTOM) & _BOARD
    for whose in range(2):
        stones = s["stones"][seat ^ whose]
        lines = threats(stones, taken)
        write_board(stones, out, whose * CELLS)
        write_board(lines, out, (2 + whose) * CELLS)
        write_columns(lines & landings, out, 5 * CELLS + whose * COLUMNS)
        write_columns(lines & (landings << _UP), out, 5 * CELLS + (2 + whose) * COLUMNS)
    write_board(landings, out, 4 * CELLS)
    mover = (int(s["ply"]) & 1) ^ seat
    last = 5 * CELLS + 4 * COLUMNS
    out[last], out[last + 1] = 1 - mover, mover


@kernel(c.INFO_KEY)
def info_key(state, seat):
    s = state.view(State)[0]
    return mix(s["stones"][0], s["stones"][1])


@kernel(c.DETERMINIZE)
def determinize(state, seat, rng):
    return 0.0


@kernel
def line_above(own, other, column):
    """Whether `own` would have a line on top of the next stone that goes into `column`."""
    taken = own | other
    cell = landing(taken, column)
    return has_line(own | landing(taken | cell, column))


@kernel(c.SCRIPTED)
def scripted(state, rng):
    """Win if a stone wins; else block a win; else the column nearest to the centre, left or right at random.

    Where there is a choice, no stone goes below a cell where the other seat would win.
    """
    s = state.view(State)[0]
    seat = int(s["ply"]) & 1
    own, other = s["stones"][seat], s["stones"][1 - seat]
    taken = own | other
    block, best, least = -1, -1, 4 * COLUMNS
    left = below(rng, 2)
    for column in range(COLUMNS):
        cell = landing(taken, column)
        if cell == np.uint64(0):
            continue
        if has_line(own | cell):
            return column
        if has_line(other | cell):
            block = column
        cost = 2 * abs(column - COLUMNS // 2) + (1 if (column < COLUMNS // 2) == (left == 0) else 0)
        if line_above(other, own, column):
            cost += 2 * COLUMNS
        if cost < least:
            best, least = column, cost
    return best if block < 0 else block
