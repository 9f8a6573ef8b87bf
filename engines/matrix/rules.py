# mypy: ignore-errors
"""Matrix games for two seats: both choose at the same time, a row and a column, and the table says who pays whom.

The choices are asked one after the other, and each stays secret until both have been made.
"""

import numpy as np

from engines import contract as c
from engines.kernel import kernel
from engines.matrix.layout import State
from engines.rng import mix


@kernel(c.SETUP)
def setup(state, options):
    for i in range(state.shape[0]):
        state[i] = 0
    s = state.view(State)[0]
    rows, columns = options[1], options[2]
    s["rows"], s["columns"] = rows, columns
    for r in range(rows):
        for k in range(columns):
            s["payoffs"][r, k] = options[3 + r * columns + k]


@kernel
def is_over(s):
    return int(s["played"][0]) != 0


@kernel(c.TO_PLAY)
def to_play(state):
    s = state.view(State)[0]
    return c.TERMINAL if is_over(s) else int(s["asked"])


@kernel(c.LEGAL)
def legal(state, out):
    s = state.view(State)[0]
    if is_over(s):
        return 0
    n = int(s["rows"]) if int(s["asked"]) == 0 else int(s["columns"])
    for action in range(n):
        out[action] = action
    return n


@kernel(c.WEIGHTS)
def weights(state, out):
    return 0


@kernel(c.APPLY)
def apply(state, action):
    s = state.view(State)[0]
    seat = int(s["asked"])
    s["pending"][seat] = action + 1
    if int(s["pending"][1 - seat]) == 0:
        s["asked"] = 1 - seat
        return
    for p in range(2):
        s["played"][p], s["pending"][p] = int(s["pending"][p]), 0
    s["asked"] = 0


@kernel
def greatest(s):
    """The greatest payoff by amount; 1 for a table of zeros."""
    most = 0
    for r in range(int(s["rows"])):
        for k in range(int(s["columns"])):
            most = max(most, abs(int(s["payoffs"][r, k])))
    return max(most, 1)


@kernel(c.RETURNS)
def returns(state, out):
    s = state.view(State)[0]
    won = 0.0
    if is_over(s):
        won = int(s["payoffs"][int(s["played"][0]) - 1, int(s["played"][1]) - 1]) / float(greatest(s))
    out[0], out[1] = won, 0.0 - won


@kernel(c.OBSERVE)
def observe(state, seat, out):
    s = state.view(State)[0]
    actions = max(int(s["rows"]), int(s["columns"]))
    for i in range(out.shape[0]):
        out[i] = 0
    out[int(s["asked"]) ^ seat] = 1
    for i in range(2):
        choice = int(s["played"][seat ^ i])
        if i == 0:
            choice += int(s["pending"][seat])
        if choice > 0:
            out[2 + i * actions + choice - 1] = 1


@kernel(c.INFO_KEY)
def info_key(state, seat):
    s = state.view(State)[0]
    key = np.uint64(int(s["asked"]) + 2 * (int(s["played"][0]) + 32 * int(s["played"][1])))
    return mix(key, np.uint64(32 * (seat + 1) + (int(s["pending"][seat]) if seat >= 0 else 0)))


@kernel(c.DETERMINIZE)
def determinize(state, seat, rng):
    s = state.view(State)[0]
    for p in range(2):
        if p != seat:
            # A choice of the other seat is open: in a world it is made after that of the seat that searches.
            s["pending"][p] = 0
    return 0.0
