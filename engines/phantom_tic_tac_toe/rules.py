# mypy: ignore-errors
"""Rules of phantom tic-tac-toe: as tic-tac-toe, but nobody sees where the other seat has made its marks.

In its turn a seat names a cell. If it is empty, the seat's mark goes there and the turn is over; if the other seat has
marked it, the seat learns that, and tries another cell.
"""

import numpy as np

from engines import contract as c
from engines.kernel import kernel
from engines.phantom_tic_tac_toe.layout import CELLS, DRAW, HAS_LINE, State
from engines.rng import mix


@kernel
def marked(s, seat):
    """The cells that `seat` has marked, as bits."""
    cells = 0
    for i in range(CELLS):
        tried = int(s["tries"][seat, i])
        if tried == 0:
            break
        if tried <= CELLS:
            cells |= 1 << (tried - 1)
    return cells


@kernel
def met(s, seat):
    """The marks of the other seat that `seat` has run into, as bits."""
    cells = 0
    for i in range(CELLS):
        tried = int(s["tries"][seat, i])
        if tried == 0:
            break
        if tried > CELLS:
            cells |= 1 << (tried - 1 - CELLS)
    return cells


@kernel(c.SETUP)
def setup(state, options):
    for i in range(state.shape[0]):
        state[i] = 0
    state.view(State)[0]["obstype"] = options[1]


@kernel(c.TO_PLAY)
def to_play(state):
    s = state.view(State)[0]
    return c.TERMINAL if int(s["result"]) != 0 else int(s["turn"]) & 1


@kernel(c.LEGAL)
def legal(state, out):
    s = state.view(State)[0]
    if int(s["result"]) != 0:
        return 0
    seat = int(s["turn"]) & 1
    known = marked(s, seat) | met(s, seat)
    n = 0
    for cell in range(CELLS):
        out[n] = cell
        n += 1 - ((known >> cell) & 1)
    return n


@kernel(c.WEIGHTS)
def weights(state, out):
    return 0


@kernel(c.APPLY)
def apply(state, action):
    s = state.view(State)[0]
    turn = int(s["turn"])
    seat, tried = turn & 1, 0
    while int(s["tries"][seat, tried]) != 0:
        tried += 1
    if int(s["obstype"]) == 1:
        s["attempts"][turn] = int(s["attempts"][turn]) + 1
    if (marked(s, 1 - seat) >> action) & 1:
        s["tries"][seat, tried] = 1 + CELLS + action
        return
    s["tries"][seat, tried] = 1 + action
    s["turn"] = turn + 1
    if HAS_LINE[marked(s, seat)]:
        s["result"] = 1 + seat
    elif turn + 1 == CELLS:
        s["result"] = DRAW


@kernel(c.RETURNS)
def returns(state, out):
    result = int(state.view(State)[0]["result"])
    out[0] = 1.0 if result == 1 else (-1.0 if result == 2 else 0.0)
    out[1] = -out[0]


@kernel(c.OBSERVE)
def observe(state, seat, out):
    s = state.view(State)[0]
    mover = (int(s["turn"]) & 1) ^ seat
    out[0], out[1], out[2] = 1 - mover, mover, int(s["turn"])
    own, other = marked(s, seat), met(s, seat)
    for cell in range(CELLS):
        out[3 + cell] = (own >> cell) & 1
        out[3 + CELLS + cell] = (other >> cell) & 1
        out[3 + 2 * CELLS + cell] = int(s["tries"][seat, cell])
        if int(s["obstype"]) == 1:
            out[3 + 3 * CELLS + cell] = int(s["attempts"][cell])


@kernel(c.INFO_KEY)
def info_key(state, seat):
    s = state.view(State)[0]
    public = np.uint64(4 * int(s["turn"]) + int(s["result"]))
    for turn in range(CELLS):
        public = public * np.uint64(8) + np.uint64(int(s["attempts"][turn]))
    own = np.uint64(seat + 1)
    if seat >= 0:
        for i in range(CELLS):
            own = own * np.uint64(2 * CELLS + 1) + np.uint64(int(s["tries"][seat, i]))
    return mix(public, own)
