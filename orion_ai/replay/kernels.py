# mypy: ignore-errors
"""Replaying an action list, and writing down what was seen on the way."""

import numpy as np

from engines import contract as c
from engines.kernel import kernel

FINE, UNFINISHED = -1, -2


@kernel
def rebuild(table, options, state, ids, actions, at, seats, observations, legal, returns):
    """Replay `actions`; at the decisions in `at` write the observation of `seats` and the legal actions.

    A decision may stand in `at` several times, once for each seat whose observation is wanted. `legal` is
    uint8[rows, ceil(A / 8)], bit a % 8 of byte a // 8. Returns FINE; UNFINISHED if the game is not over at the end;
    else the step whose action was illegal.
    """
    c.call_setup(table[c.T_SETUP], (state, options))
    legal[:] = 0
    row = 0
    for step in range(actions.shape[0]):
        n = c.call_legal(table[c.T_LEGAL], (state, ids))
        known = False
        for i in range(n):
            known = known or ids[i] == actions[step]
        if not known:
            return step
        while row < at.shape[0] and at[row] == step:
            c.call_observe(table[c.T_OBSERVE], (state, seats[row], observations[row]))
            for i in range(n):
                legal[row, ids[i] >> 3] |= np.uint8(1 << (ids[i] & 7))
            row += 1
        c.call_apply(table[c.T_APPLY], (state, np.int64(actions[step])))
    c.call_returns(table[c.T_RETURNS], (state, returns))
    return FINE if c.call_to_play(table[c.T_TO_PLAY], (state,)) == c.TERMINAL else UNFINISHED
