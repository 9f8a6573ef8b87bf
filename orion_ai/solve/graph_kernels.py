# mypy: ignore-errors
"""One pass up the graph of a game's positions."""

from typing import NamedTuple

import numpy as np
from numba import types

from engines import contract as c
from engines.kernel import lean_kernel

__all__ = ["EVERYBODY", "NOBODY", "Graph", "back_up", "graph_of"]

NOBODY, EVERYBODY = -1, -2
"""As the seat that maximises."""


class Graph(NamedTuple):
    """The fields of `Tree` that are read."""

    mover: np.ndarray
    index: np.ndarray
    first: np.ndarray
    width: np.ndarray
    child: np.ndarray
    chance: np.ndarray
    payoff: np.ndarray
    slot: np.ndarray


_I4, _F8 = types.int32[::1], types.float64[::1]
GRAPH = types.NamedTuple((types.int8[::1], _I4, _I4, _I4, _I4, _F8, types.float64[:, ::1], _I4), Graph)


def graph_of(tree):
    """What the kernels read of `tree`."""
    return Graph(*(getattr(tree, name) for name in Graph._fields))


@lean_kernel(types.void(GRAPH, _F8, types.int64, types.float64[:, ::1], _F8))
def back_up(g, policy, seat, values, answer):
    """Value of every node for every seat, from the ends up.

    Args:
        g: the graph.
        policy: float64[slots], how those play who do not maximise.
        seat: who maximises its own value; NOBODY or EVERYBODY.
        values: float64[nodes, seats], filled.
        answer: float64[slots], gets the choices of who maximises (the first of equals).
    """
    players = values.shape[1]
    for node in range(g.mover.shape[0] - 1, -1, -1):
        mover = np.int64(g.mover[node])
        if mover == c.TERMINAL:
            for p in range(players):
                values[node, p] = g.payoff[g.index[node], p]
            continue
        for p in range(players):
            values[node, p] = 0.0
        first, n = g.first[node], g.width[node]
        slot = g.slot[g.index[node]] if mover >= 0 else 0
        if mover >= 0 and seat in (EVERYBODY, mover):
            chosen = 0
            for k in range(n):
                answer[slot + k] = 0.0
                if values[g.child[first + k], mover] > values[g.child[first + chosen], mover]:
                    chosen = k
            answer[slot + chosen] = 1.0
            for p in range(players):
                values[node, p] = values[g.child[first + chosen], p]
            continue
        for k in range(n):
            share = g.chance[first + k] if mover == c.CHANCE else policy[slot + k]
            for p in range(players):
                values[node, p] += share * values[g.child[first + k], p]
