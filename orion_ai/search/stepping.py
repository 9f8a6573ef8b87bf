# mypy: ignore-errors
"""The start of one simulation by itself, so that its world can be looked at before the search walks on."""

from numba import types

from engines.kernel import lean_kernel
from orion_ai.search.forest import IDLE, READY
from orion_ai.search.handle import HANDLE, opened
from orion_ai.search.worlds import begin, is_spent

__all__ = ["begin_next"]


@lean_kernel(types.int64(HANDLE, types.int64))
def begin_next(handle, b):
    """Begin the next simulation of a lane that is ready, if its budget allows (as `advance` does); return its status.

    The world is then in the lane's state, and its generator stands behind the draws of `determinize`.
    """
    f = opened(handle)
    table, p, lane = f.table, f.parameters, f.lane[b]
    if lane["status"] == READY:
        if is_spent(f, p, b):
            lane["status"] = IDLE
        else:
            begin(table, f, p, b)
    return int(lane["status"])
