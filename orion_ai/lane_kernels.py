# mypy: ignore-errors
"""What lanes do between decisions, compiled: chance, forced decisions, worlds, what seats see of them."""

import numpy as np

from engines import contract as c
from engines.kernel import kernel
from engines.rng import deal_event


@kernel
def settle(table, state, deal, counts, history, length, outcomes, weights):
    """Play chance events and forced decisions until somebody has a choice or the game ends.

    Returns (to_play, length of the history).
    """
    while True:
        seat = c.call_to_play(table[c.T_TO_PLAY], (state,))
        if seat == c.TERMINAL:
            return seat, length
        n = c.call_legal(table[c.T_LEGAL], (state, outcomes))
        if seat == c.CHANCE:
            stream = c.call_weights(table[c.T_WEIGHTS], (state, weights))
            action = deal_event(deal, stream, counts[stream], outcomes, weights, n)
            counts[stream] += 1
        elif n == 1:
            action = np.int64(outcomes[0])
        else:
            return seat, length
        c.call_apply(table[c.T_APPLY], (state, action))
        history[length] = action
        length += 1


@kernel
def begin(table, state, options, deal, counts, history, outcomes, weights):
    """Set up a game and play on to its first choice."""
    c.call_setup(table[c.T_SETUP], (state, options))
    return settle(table, state, deal, counts, history, 0, outcomes, weights)


@kernel
def step(table, states, lanes, actions, deals, counts, history, lengths, to_play, outcomes, weights):
    """Apply one decision in each of `lanes` and play on; returns the place of an illegal action, or -1."""
    for i in range(lanes.shape[0]):
        b, action = lanes[i], np.int64(actions[i])
        n = c.call_legal(table[c.T_LEGAL], (states[b], outcomes)) if to_play[b] >= 0 else 0
        legal = False
        for j in range(n):
            legal = legal or outcomes[j] == action
        if not legal:
            return i
        c.call_apply(table[c.T_APPLY], (states[b], action))
        history[b, lengths[b]] = action
        to_play[b], lengths[b] = settle(
            table, states[b], deals[b], counts[b], history[b], lengths[b] + 1, outcomes, weights
        )
    return -1


@kernel
def worlds_of(table, states, lanes, seats, keys, rng, out):
    """Copy each lane's record and resample what its seat cannot know, with the generator (key, 0)."""
    for i in range(lanes.shape[0]):
        for j in range(states.shape[1]):
            out[i, j] = states[lanes[i], j]
        rng[0], rng[1] = keys[i], np.uint64(0)
        c.call_determinize(table[c.T_DETERMINIZE], (out[i], seats[i], rng))


@kernel
def observe_worlds(table, worlds, seats, observations):
    """Write what each seat sees of its world."""
    for b in range(worlds.shape[0]):
        c.call_observe(table[c.T_OBSERVE], (worlds[b], seats[b], observations[b]))
