# mypy: ignore-errors
"""What seats come to know as a game goes on, compiled: worlds at every change of their information keys."""

import numpy as np

from engines import contract as c
from engines.kernel import kernel
from engines.rng import mix

__all__ = ["note_changes"]


@kernel
def note_changes(table, state, history, start, end, followed, known, told, keys, rng, worlds, seats):
    """Apply the steps `history[start:end]` to `state`; after each of them write a world for every followed seat whose
    information key has changed, and whose it is. World number n of a seat is drawn by the generator (mix(key, n), 0).

    Args:
        followed: bool[P].
        known: uint64[P], each seat's key; updated.
        told: int64[P], how many worlds each seat has had; updated.
        keys: uint64[P], names the worlds of each seat.
        worlds: uint8[(end - start) * P, record], gets the worlds.
        seats: int64[(end - start) * P], gets whose they are.

    Returns:
        how many were written.
    """
    n = 0
    for step in range(start, end):
        c.call_apply(table[c.T_APPLY], (state, np.int64(history[step])))
        for seat in range(followed.shape[0]):
            if not followed[seat]:
                continue
            key = c.call_info_key(table[c.T_INFO_KEY], (state, np.int64(seat)))
            if key == known[seat]:
                continue
            known[seat] = key
            rng[0], rng[1] = mix(keys[seat], np.uint64(told[seat])), np.uint64(0)
            for j in range(state.shape[0]):
                worlds[n, j] = state[j]
            c.call_determinize(table[c.T_DETERMINIZE], (worlds[n], np.int64(seat), rng))
            seats[n] = seat
            told[seat] += 1
            n += 1
    return n
