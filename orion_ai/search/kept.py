"""One tree kept for the whole game: what a search has learned, taken along to the seat's next decision.

Nodes are information sets, found by their keys, so their statistics are as good from a later root: simulations add to
them. What the game has left behind goes with the next decision: only nodes that the last search has made or passed are
kept, as many as half of a lane has room for.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from orion_ai.search.forest import Forest
from orion_ai.search.kept_kernels import choose_kept, load_kept, pack_kept

__all__ = ["Kept", "load", "pack"]


class Kept(NamedTuple):
    """M nodes and E edges of a tree, for P seats; columns as in `Forest`."""

    key: NDArray[np.uint64]
    seat: NDArray[np.int32]
    legal: NDArray[np.int32]
    high: NDArray[np.float32]
    value: NDArray[np.float32]
    first: NDArray[np.int32]
    """[M + 1] where each node's edges begin."""
    action: NDArray[np.int32]
    prior: NDArray[np.float32]
    visits: NDArray[np.float32]
    available: NDArray[np.float32]
    total: NDArray[np.float32]


def pack(forest: Forest, handle: Any, lane: int, before: NDArray[np.float64]) -> Kept:
    """What the last search of a lane has made or passed.

    Args:
        forest: the trees.
        handle: theirs.
        lane: which tree.
        before: what `load` gave for it; empty if the tree was new.
    """
    chosen, sizes = np.zeros(int(forest.lane["nodes"][lane]), np.int32), np.zeros(2, np.int64)
    choose_kept(handle, lane, before, chosen, sizes)
    nodes, edges = int(sizes[0]), int(sizes[1])
    seats, i4, f4 = forest.value.shape[1], np.int32, np.float32
    kept = Kept(
        key=np.zeros(nodes, np.uint64),
        seat=np.zeros(nodes, i4),
        legal=np.zeros(nodes, i4),
        high=np.zeros(nodes, f4),
        value=np.zeros((nodes, seats), f4),
        first=np.zeros(nodes + 1, i4),
        action=np.zeros(edges, i4),
        prior=np.zeros(edges, f4),
        visits=np.zeros(edges, f4),
        available=np.zeros(edges, f4),
        total=np.zeros((edges, seats), f4),
    )
    pack_kept(handle, lane, chosen, *kept)
    return kept


def load(handle: Any, lane: int, kept: Kept) -> NDArray[np.float64]:
    """Put a kept tree into a lane that has been started, unless it has no node for the decision at hand.

    Returns:
        float64[nodes], the visits that each node came with; empty where the tree is new.
    """
    before = np.zeros(len(kept.key))
    return before[: load_kept(handle, lane, *kept, before)]
