# mypy: ignore-errors
"""Which choices are made at the same time, by what the rules say of who knows what.

The contract asks seats one after the other. A choice is *secret* if the key of every other seat is the same whatever
is chosen: those asked next then choose without knowing, as if all did so at once. The choice of the last of them may be
seen at once, and still answers nothing: it is the first after a secret one.
"""

import numpy as np
from numba import types

from engines import contract as c
from engines.kernel import kernel, lean_kernel
from engines.rng import below, generator
from orion_ai.search.forest import TABLE
from orion_ai.search.playout import play_chance

__all__ = ["PROBED_GAMES", "has_secret_choices", "is_secret"]

PROBED_GAMES = 16
"""Games at random in which `has_secret_choices` looks for one."""


@lean_kernel
def is_secret(table, state, ids, n, seat, trial):
    """Whether no other seat learns at once which of the `n` actions in `ids` the seat to move chooses.

    Args:
        trial: `uint8[record]`, scratch.
    """
    for other in range(table[c.T_PLAYERS]):
        first = np.uint64(0)
        for j in range(n if other != seat else 0):
            for i in range(trial.shape[0]):
                trial[i] = state[i]
            c.call_apply(table[c.T_APPLY], (trial, np.int64(ids[j])))
            key = c.call_info_key(table[c.T_INFO_KEY], (trial, np.int64(other)))
            if j == 0:
                first = key
            elif key != first:
                return False
    return n > 1


@kernel(types.boolean(TABLE, c.STATE, types.uint64[::1], types.int64))
def find_secret_choice(table, opening, rng, games):
    """Whether a decision with a choice is secret in one of `games` games that are played at random."""
    ids, weights = np.empty(table[c.T_MAX_LEGAL], np.int32), np.empty(table[c.T_MAX_LEGAL], np.int64)
    state, trial = np.empty_like(opening), np.empty_like(opening)
    for _ in range(games):
        state[:] = opening
        for _ in range(table[c.T_MAX_LENGTH] + 1):
            seat = c.call_to_play(table[c.T_TO_PLAY], (state,))
            if seat == c.TERMINAL:
                break
            if seat == c.CHANCE:
                play_chance(table, state, ids, weights, rng)
                continue
            n = c.call_legal(table[c.T_LEGAL], (state, ids))
            if n > 1 and is_secret(table, state, ids, n, seat, trial):
                return True
            c.call_apply(table[c.T_APPLY], (state, np.int64(ids[below(rng, n)])))
    return False


def has_secret_choices(game: c.Game) -> bool:
    """Whether a choice is kept from all other seats in one of `PROBED_GAMES` games at random; the same each time."""
    return bool(find_secret_choice(game.table, game.start().record, generator(1, "secret"), PROBED_GAMES))
