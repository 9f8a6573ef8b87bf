"""Pig with a small target (Neller and Presser 2004): roll on, or hold; a one loses what the turn has brought.

The mover's optimal win probabilities are known: target 2: 6/7; target 5: 216/271. The turn counter that ends a game
after 200 turns is no part of the information key, so positions repeat within a game.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engines import contract as c
from engines.contract import Field, Kernels, Options
from engines.kernel import kernel
from engines.rng import mix
from tests.games.tiny import TinyGame

ROLL, HOLD, FIRST_FACE, TURNS = 0, 1, 2, 200
State = np.dtype(
    [("target", "i4"), ("turn", "i4"), ("rolling", "i4"), ("total", "i4"), ("score", "i4", (2,))], align=True
)


@kernel(c.SETUP)
def setup(state, options):
    for i in range(state.shape[0]):
        state[i] = 0
    state.view(State)[0]["target"] = options[1]


@kernel
def is_over(s):
    target = int(s["target"])
    return int(s["score"][0]) >= target or int(s["score"][1]) >= target or int(s["turn"]) >= TURNS


@kernel(c.TO_PLAY)
def to_play(state):
    s = state.view(State)[0]
    if int(s["rolling"]) != 0:
        return c.CHANCE
    return c.TERMINAL if is_over(s) else int(s["turn"]) % 2


@kernel(c.LEGAL)
def legal(state, out):
    s = state.view(State)[0]
    if int(s["rolling"]) != 0:
        for face in range(6):
            out[face] = FIRST_FACE + face
        return 6
    if is_over(s):
        return 0
    out[0], out[1] = ROLL, HOLD
    return 2 if int(s["total"]) > 0 else 1


@kernel(c.WEIGHTS)
def weights(state, out):
    for face in range(6):
        out[face] = 1
    return 0


@kernel
def end_turn(s):
    s["total"] = 0
    s["turn"] = int(s["turn"]) + 1


@kernel(c.APPLY)
def apply(state, action):
    s = state.view(State)[0]
    if action == ROLL:
        s["rolling"] = 1
    elif action == HOLD:
        mover = int(s["turn"]) % 2
        s["score"][mover] = int(s["score"][mover]) + int(s["total"])
        end_turn(s)
    else:
        s["rolling"] = 0
        if action == FIRST_FACE:
            end_turn(s)
        else:
            s["total"] = int(s["total"]) + action - FIRST_FACE + 1


@kernel(c.RETURNS)
def returns(state, out):
    s = state.view(State)[0]
    lead = int(s["score"][0]) - int(s["score"][1])
    out[0] = 1.0 if lead > 0 else (-1.0 if lead < 0 else 0.0)
    out[1] = -out[0]


@kernel(c.OBSERVE)
def observe(state, seat, out):
    s = state.view(State)[0]
    out[0] = int(s["score"][seat])
    out[1] = int(s["score"][1 - seat])
    out[2] = int(s["total"])
    out[3] = (int(s["turn"]) + seat) % 2
    out[4] = int(s["rolling"])


@kernel(c.INFO_KEY)
def info_key(state, seat):
    s = state.view(State)[0]
    key = mix(np.uint64(int(s["score"][0])), np.uint64(int(s["score"][1])))
    key = mix(key, np.uint64(int(s["total"])))
    return mix(key, np.uint64(2 * (int(s["turn"]) % 2) + int(s["rolling"])))


@kernel(c.DETERMINIZE)
def determinize(state, seat, rng):
    return 0.0


@kernel(c.SCRIPTED)
def scripted(state, rng):
    """Hold as soon as something can be held."""
    return HOLD if int(state.view(State)[0]["total"]) > 0 else ROLL


@dataclass(frozen=True)
class PigOptions(Options):
    target: int = 2


class Pig(TinyGame):
    name = "pig"
    title = "Pig"
    numbers = 5
    dtype = State
    fields: ClassVar = {name: Field(axes=("seat",) if name == "score" else ()) for name in State.names}
    kernels = Kernels(setup, to_play, legal, weights, apply, returns, observe, info_key, determinize, scripted)
    num_actions, num_ids = 2, 8
    max_legal = 6
    max_length = 6000
    secrets = False
    options_type = PigOptions

    def encode_options(self):
        return np.array([self.players, self.options.target], np.int32)


GAME = Pig
