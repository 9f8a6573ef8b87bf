# mypy: ignore-errors
"""How large a game is: the histories that a tree from its start would have."""

import numpy as np
from numba import types

from engines import contract as c
from engines.kernel import lean_kernel
from orion_ai.search.forest import TABLE

__all__ = ["count_histories"]


@lean_kernel
def come_to(table, records, ids, line, depth):
    """Look at the state at `depth`: its actions, and whether it is a history (not one of a single action)."""
    n = 0
    if c.call_to_play(table[c.T_TO_PLAY], (records[depth],)) != c.TERMINAL:
        n = c.call_legal(table[c.T_LEGAL], (records[depth], ids[depth]))
    line[depth, 0], line[depth, 1] = 0, n
    return 1 if n != 1 else 0


@lean_kernel(types.int64(TABLE, types.uint8[:, ::1], types.int32[:, ::1], types.int32[:, ::1], types.int64))
def walk(table, records, ids, line, most):
    """Count from the state in `records[0]` on, depth first, to at most `most` + 1."""
    depth, found = 0, come_to(table, records, ids, line, 0)
    while depth >= 0 and found <= most:
        if line[depth, 0] == line[depth, 1]:
            depth -= 1
            continue
        if depth + 1 == records.shape[0]:
            return most + 1  # longer than any game is: the search will say so
        action = np.int64(ids[depth, line[depth, 0]])
        line[depth, 0] += 1
        for i in range(records.shape[1]):
            records[depth + 1, i] = records[depth, i]
        depth += 1
        c.call_apply(table[c.T_APPLY], (records[depth], action))
        found += come_to(table, records, ids, line, depth)
    return found


def count_histories(game, most):
    """Decisions, events of chance and ends of `game`, as a tree has them; those with one action left out.

    Args:
        game: whose.
        most: more are not counted.

    Returns:
        how many there are, `most` + 1 if more than `most`.
    """
    depth = game.max_length + 2
    records = np.zeros((depth, game.record_size), np.uint8)
    records[0] = game.start().record
    ids, line = np.zeros((depth, game.max_legal), np.int32), np.zeros((depth, 2), np.int32)
    return int(walk(game.table, records, ids, line, most))
