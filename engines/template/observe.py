# mypy: ignore-errors
"""What a seat of The Template sees, as numbers for a network; a key of what it knows."""

import numpy as np

from engines import contract as c
from engines.kernel import kernel
from engines.observing import put_one_hot, put_seat
from engines.rng import mix

from .layout import State


@kernel(c.OBSERVE)
def observe(state, seat, out):
    s = state.view(State)[0]
    players, turns = int(s["players"]), int(s["turns"])
    for i in range(out.shape[0]):
        out[i] = 0
    # FILL IN: the slices of `Game.observation` in their order, the observing seat first, then clockwise.
    at = put_seat(s, out, 0, seat, turns % players)
    out[at] = int(s["card"][seat])
    at += 1
    for i in range(players):
        at = put_one_hot(out, at, 2, int(s["choice"][(seat + i) % players]) - 1)


@kernel(c.INFO_KEY)
def info_key(state, seat):
    s = state.view(State)[0]
    # FILL IN: everything that is public, then everything that only `seat` knows. `hashed` of engines/observing.py takes
    # a whole run of the record at once.
    key = mix(np.uint64(int(s["players"])), np.uint64(int(s["dealt"])))
    for p in range(int(s["turns"])):
        key = mix(key, np.uint64(int(s["choice"][p])))
    if seat >= 0:
        key = mix(mix(key, np.uint64(16 + seat)), np.uint64(int(s["card"][seat])))
    return key
