"""A full tree in which two seats alternate: nodes have `width` actions, ends a pay-off hashed from their path."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engines import contract as c
from engines.contract import Field, Kernels, Options
from engines.kernel import kernel
from engines.rng import mix
from tests.games.tiny import TinyGame

DEPTH = 4
State = np.dtype([("width", "i4"), ("depth", "i4"), ("node", "i4")], align=True)


@kernel(c.SETUP)
def setup(state, options):
    for i in range(state.shape[0]):
        state[i] = 0
    state.view(State)[0]["width"] = options[1]


@kernel(c.TO_PLAY)
def to_play(state):
    depth = int(state.view(State)[0]["depth"])
    return c.TERMINAL if depth == DEPTH else depth % 2


@kernel(c.LEGAL)
def legal(state, out):
    s = state.view(State)[0]
    if int(s["depth"]) == DEPTH:
        return 0
    for a in range(int(s["width"])):
        out[a] = a
    return int(s["width"])


@kernel(c.WEIGHTS)
def weights(state, out):
    return 0


@kernel(c.APPLY)
def apply(state, action):
    s = state.view(State)[0]
    s["node"] = int(s["node"]) * int(s["width"]) + action + 1
    s["depth"] = int(s["depth"]) + 1


@kernel(c.RETURNS)
def returns(state, out):
    node = int(state.view(State)[0]["node"])
    out[0] = float(mix(np.uint64(node), np.uint64(1)) >> np.uint64(60)) / 8.0 - 1.0
    out[1] = -out[0]


@kernel(c.OBSERVE)
def observe(state, seat, out):
    out[0] = int(state.view(State)[0]["node"])


@kernel(c.INFO_KEY)
def info_key(state, seat):
    return mix(np.uint64(int(state.view(State)[0]["node"])), np.uint64(0))


@kernel(c.DETERMINIZE)
def determinize(state, seat, rng):
    return 0.0


@dataclass(frozen=True)
class FullTreeOptions(Options):
    width: int = 5


class FullTree(TinyGame):
    name = "full_tree"
    title = "A full tree"
    dtype = State
    fields: ClassVar = {"width": Field(), "depth": Field(), "node": Field()}
    kernels = Kernels(setup, to_play, legal, weights, apply, returns, observe, info_key, determinize)
    num_actions = num_ids = max_legal = 8
    max_length = DEPTH
    secrets = False
    options_type = FullTreeOptions

    def encode_options(self):
        return np.array([self.players, self.options.width], np.int32)


GAME = FullTree
