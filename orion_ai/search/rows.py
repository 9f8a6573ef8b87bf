# mypy: ignore-errors
"""What is asked of the network to value a state, and how its answer is read: a row of the batch for each view.

The mover's view comes first: it has the priors, and the values of all seats, its own first. By the choice `values` the
views of other seats follow, ascending, each for that seat's own entry.
"""

import math

import numpy as np

from engines import contract as c
from engines.kernel import lean_kernel
from orion_ai.search.forest import ALL, TWO


@lean_kernel
def asked_too(values, seat, mover, searcher):
    """Whether a seat that does not move has a row of its own."""
    return seat != mover and (values == ALL or (values == TWO and seat == searcher))


@lean_kernel
def write_views(table, state, mover, searcher, values, row, observations):
    """Write what the seats see of a state, from `row` on; return the next row."""
    c.call_observe(table[c.T_OBSERVE], (state, np.int64(mover), observations[row]))
    row += 1
    for seat in range(table[c.T_PLAYERS]):
        if asked_too(values, seat, mover, searcher):
            c.call_observe(table[c.T_OBSERVE], (state, np.int64(seat), observations[row]))
            row += 1
    return row


@lean_kernel
def read_views(answer, row, mover, searcher, values, out):
    """Turn the rows of a state, each seen from its own seat, into one vector by absolute seat.

    Returns:
        the next row; -1 if a value is not finite.
    """
    players, sound = out.shape[0], True
    for k in range(players):
        out[(mover + k) % players] = answer[row, k]
    row += 1
    for seat in range(players):
        if asked_too(values, seat, mover, searcher):
            out[seat] = answer[row, 0]
            row += 1
        sound = sound and math.isfinite(out[seat])
    return row if sound else -1
