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

__all__ = ["has_secret_choices", "is_secret"]

PROBED_GAMES = 16
"""Games at random in which `has_secret_choices` looks for one first."""
PROBED_STATES, PROBED_STEPS = 2**19, 2**14
"""States of a game at most that it then looks through, one after another (0.2 s), and most steps from its start."""
NONE, SOME, UNKNOWN = range(3)
"""What looking through a game has shown of secret choices."""
_KNOWN: dict[tuple[type, str, str], bool | None] = {}
"""What was found out of games, by their class, options and content; see `has_secret_choices`."""


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


@kernel(types.int64(TABLE, types.uint8[:, ::1], types.int32[:, ::1], types.int32[:, ::1], types.int64))
def look_through(table, records, ids, line, most):
    """Whether `SOME` decision of the whole game from `records[0]` on is secret, or `NONE`; depth first.

    Returns:
        `UNKNOWN` if there are more than `most` states.
    """
    trial, depth, seen = np.empty(records.shape[1], np.uint8), 0, 0
    line[0, 0] = -1  # a state that nobody has looked at yet
    while depth >= 0:
        if line[depth, 0] < 0:
            seen += 1
            if seen > most or depth + 1 == records.shape[0]:
                return UNKNOWN
            seat, n = c.call_to_play(table[c.T_TO_PLAY], (records[depth],)), 0
            if seat != c.TERMINAL:
                n = c.call_legal(table[c.T_LEGAL], (records[depth], ids[depth]))
            if seat >= 0 and is_secret(table, records[depth], ids[depth], n, seat, trial):
                return SOME
            line[depth, 0], line[depth, 1] = 0, n
        if line[depth, 0] == line[depth, 1]:
            depth -= 1
            continue
        action = np.int64(ids[depth, line[depth, 0]])
        line[depth, 0] += 1
        for i in range(records.shape[1]):
            records[depth + 1, i] = records[depth, i]
        depth += 1
        line[depth, 0] = -1
        c.call_apply(table[c.T_APPLY], (records[depth], action))
    return NONE


def has_secret_choices(game: c.Game) -> bool | None:
    """Whether a choice in `game` is kept from all other seats; None where that cannot be known.

    First `PROBED_GAMES` games are played, all by random choices from the start; what they show is so. Then the whole
    game is looked through, if it has at most `PROBED_STATES` states: only that can tell that there is no such choice.
    Found out once for each game.
    """
    name = type(game), repr(game.options), game.content_hash
    if name not in _KNOWN:
        _KNOWN[name] = _found_out(game) if game.secrets else False
    return _KNOWN[name]


def _found_out(game: c.Game) -> bool | None:
    opening = game.start().record
    if find_secret_choice(game.table, opening, generator(1, "secret"), PROBED_GAMES):
        return True
    depth = min(game.max_length, PROBED_STEPS) + 2
    records, ids = np.zeros((depth, game.record_size), np.uint8), np.zeros((depth, game.max_legal), np.int32)
    records[0] = opening
    found = look_through(game.table, records, ids, np.zeros((depth, 2), np.int32), PROBED_STATES)
    return {NONE: False, SOME: True}.get(int(found))
