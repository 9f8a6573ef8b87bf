# mypy: ignore-errors
"""Rules of tic-tac-toe: nine cells, three in a line wins."""

import numpy as np

from engines import contract as c
from engines.kernel import kernel
from engines.rng import below
from engines.tic_tac_toe.layout import CELLS, DRAW, LINES, State

_OTHERS = np.full((CELLS, 4, 2), -1, np.int64)
"""The other two cells of every line through a cell; -1 where there are fewer than four lines."""
for _cell in range(CELLS):
    for _i, _line in enumerate(line for line in LINES if _cell in line):
        _OTHERS[_cell, _i] = [other for other in _line if other != _cell]
_CENTRE, _CORNER, _SIDE = 3, 2, 1
_WORTH = np.array([_CORNER, _SIDE, _CORNER, _SIDE, _CENTRE, _SIDE, _CORNER, _SIDE, _CORNER], np.int64)


@kernel
def completes(s, cell, mark):
    """Whether `mark` in `cell` would make a line with the marks on the board."""
    for i in range(4):
        one, two = _OTHERS[cell, i, 0], _OTHERS[cell, i, 1]
        if one < 0:
            return False
        if int(s["cells"][one]) == mark and int(s["cells"][two]) == mark:
            return True
    return False


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
    n = 0
    for cell in range(CELLS):
        out[n] = cell
        n += 1 if int(s["cells"][cell]) == 0 else 0
    return n


@kernel(c.WEIGHTS)
def weights(state, out):
    return 0


@kernel(c.APPLY)
def apply(state, action):
    s = state.view(State)[0]
    ply = int(s["ply"])
    mark = 1 + (ply & 1)
    s["cells"][action] = mark
    s["ply"] = ply + 1
    if completes(s, action, mark):
        s["result"] = mark
    elif ply + 1 == CELLS:
        s["result"] = DRAW


@kernel(c.RETURNS)
def returns(state, out):
    result = int(state.view(State)[0]["result"])
    out[0] = 1.0 if result == 1 else (-1.0 if result == 2 else 0.0)
    out[1] = -out[0]


@kernel(c.OBSERVE)
def observe(state, seat, out):
    s = state.view(State)[0]
    for cell in range(CELLS):
        mark = int(s["cells"][cell])
        out[cell] = 1 if mark == 1 + seat else 0
        out[CELLS + cell] = 1 if mark == 2 - seat else 0
    mover = (int(s["ply"]) & 1) ^ seat
    out[2 * CELLS], out[2 * CELLS + 1] = 1 - mover, mover


@kernel(c.INFO_KEY)
def info_key(state, seat):
    s = state.view(State)[0]
    key = np.uint64(0)
    for cell in range(CELLS):
        key = key * np.uint64(3) + np.uint64(int(s["cells"][cell]))
    return key


@kernel(c.DETERMINIZE)
def determinize(state, seat, rng):
    return 0.0


@kernel(c.SCRIPTED)
def scripted(state, rng):
    """Win if a mark wins; else block a win; else the centre, a corner or a side, at random among equals."""
    s = state.view(State)[0]
    mark = 1 + (int(s["ply"]) & 1)
    best, most, equals = -1, 0, 0
    for cell in range(CELLS):
        if int(s["cells"][cell]) != 0:
            continue
        worth = _WORTH[cell]
        if completes(s, cell, mark):
            worth = _CENTRE + 2
        elif completes(s, cell, 3 - mark):
            worth = _CENTRE + 1
        if worth > most:
            best, most, equals = cell, worth, 1
        elif worth == most:
            equals += 1
            if below(rng, equals) == 0:
                best = cell
    return best
