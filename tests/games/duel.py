"""Seat 0 leaves, opens a duel, or shows its hand in one: choices that all see beside choices that nobody sees.

To leave is worth -1/10. A duel is biased rock-paper-scissors, at the same time; its value is 0, its only equilibrium
(1, 10, 5) / 16. Who shows is answered, and pays 1/2 besides: -0.55 is the best that it gets.
"""

from typing import ClassVar

import numpy as np

from engines import contract as c
from engines.contract import Field, Kernels, Who
from engines.kernel import kernel
from engines.rng import below, mix
from tests.games.tiny import TinyGame

LEAVE, DUEL, SHOW, FIRST_HAND = 0, 1, 2, 3
MIXTURE = np.array([1, 10, 5]) / 16
PAYS = np.array([[0.0, -0.5, 1.0], [0.5, 0.0, -0.1], [-1.0, 0.1, 0.0]], np.float32) / np.float32(2)
State = np.dtype([("stage", "i4"), ("shown", "i4"), ("answer", "i4"), ("hand", "i4", (2,))], align=True)


@kernel(c.SETUP)
def setup(state, options):
    for i in range(state.shape[0]):
        state[i] = 0


@kernel(c.TO_PLAY)
def to_play(state):
    s = state.view(State)[0]
    if int(s["stage"]) == 0:
        return 0
    if int(s["stage"]) == 1 + LEAVE or int(s["answer"]) != 0:
        return c.TERMINAL
    return 0 if int(s["hand"][0]) == 0 else 1


@kernel(c.LEGAL)
def legal(state, out):
    s = state.view(State)[0]
    if to_play(state) == c.TERMINAL:
        return 0
    for a in range(3):
        out[a] = a if int(s["stage"]) == 0 else FIRST_HAND + a
    return 3


@kernel(c.WEIGHTS)
def weights(state, out):
    return 0


@kernel(c.APPLY)
def apply(state, action):
    s = state.view(State)[0]
    if action < FIRST_HAND:
        s["stage"] = 1 + action
    elif int(s["hand"][0]) == 0:
        s["hand"][0] = action - FIRST_HAND + 1
        if int(s["stage"]) == 1 + SHOW:
            s["shown"] = int(s["hand"][0])
    else:
        s["answer"], s["shown"] = action - FIRST_HAND + 1, int(s["hand"][0])


@kernel(c.RETURNS)
def returns(state, out):
    s = state.view(State)[0]
    won = 0.0
    if int(s["stage"]) == 1 + LEAVE:
        won = -0.1
    elif int(s["answer"]) != 0:
        won = float(PAYS[int(s["shown"]) - 1, int(s["answer"]) - 1])
        if int(s["stage"]) == 1 + SHOW:
            won -= 0.5
    out[0], out[1] = won, 0.0 - won


@kernel(c.OBSERVE)
def observe(state, seat, out):
    s = state.view(State)[0]
    out[0], out[1], out[2] = int(s["stage"]), int(s["shown"]), int(s["answer"])
    out[3] = int(s["hand"][seat])
    out[4] = 1 if int(s["hand"][0]) != 0 else 0


@kernel(c.INFO_KEY)
def info_key(state, seat):
    s = state.view(State)[0]
    asked = 1 if int(s["hand"][0]) != 0 else 0
    key = np.uint64(int(s["stage"]) + 8 * int(s["shown"]) + 64 * int(s["answer"]) + 512 * asked)
    return mix(key, np.uint64(16 * (seat + 1) + (int(s["hand"][seat]) if seat >= 0 else 0)))


@kernel(c.DETERMINIZE)
def determinize(state, seat, rng):
    s = state.view(State)[0]
    if seat != 0 and int(s["hand"][0]) != 0 and int(s["shown"]) == 0:
        s["hand"][0] = 1 + below(rng, 3)
    return 0.0


class Duel(TinyGame):
    name = "duel"
    title = "Leave, duel or show"
    numbers = 5
    dtype = State
    fields: ClassVar = {
        "stage": Field(),
        "shown": Field(),
        "answer": Field(),
        "hand": Field(Who.SEAT, ("seat",)),
    }
    kernels = Kernels(setup, to_play, legal, weights, apply, returns, observe, info_key, determinize)
    num_actions = num_ids = 6
    max_legal = 3
    max_length = 3


GAME = Duel
