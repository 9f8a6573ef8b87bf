"""A way from the game's start to a position: a search that begins there must know where the game has gone."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from engines.contract import PUBLIC, TERMINAL, Game

__all__ = ["keys_to"]

MOST_STATES = 50_000
"""States that are looked at for one position before it is given up."""


def keys_to(game: Game, record: NDArray[np.uint8], seat: int, public: bool) -> list[int]:
    """The keys of the states on a way from the game's start to what `seat` knows in `record`, both included.

    With perfect recall all ways there show the seat the same. Found best first: a game writes down what happens, so the
    fewest bytes of a state should have been written otherwise than in `record`, and then the fewest be left to write.

    Args:
        game: one with perfect recall.
        record: `uint8[record]`, the position, with any hidden facts.
        seat: who is to play.
        public: whether the keys are those of what everybody knows, else of what `seat` knows.

    Returns:
        the keys; [] if no way was found among `MOST_STATES` states.
    """
    kernels = game.kernels
    wanted = kernels.info_key(record, seat)
    begin = game.start().record
    queue: list[tuple[int, int, int, NDArray[np.uint8], tuple[int, ...]]] = [(0, 0, 0, begin, ())]
    legal, seen = np.zeros(game.max_legal, np.int32), 0
    while queue and seen < MOST_STATES:
        *_, state, way = heapq.heappop(queue)
        way = (*way, int(kernels.info_key(state, PUBLIC if public else seat)))
        mover = kernels.to_play(state)
        if mover == seat and kernels.info_key(state, seat) == wanted:
            return list(way)
        for action in legal[: kernels.legal(state, legal)].tolist() if mover != TERMINAL else ():
            after = state.copy()
            kernels.apply(after, action)
            seen += 1
            different = after != record
            wrong = int(np.count_nonzero(different & (after != begin)))
            # A tie goes to what was found last, so that among equals the search goes down, not across.
            heapq.heappush(queue, (wrong, int(np.count_nonzero(different)) - wrong, -seen, after, way))
    return []
