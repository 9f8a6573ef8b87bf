"""Games written as tables: every node says whose turn it is and where its actions lead, or what it pays.

Three seats throughout; `root` chooses the tree. Nothing is hidden and nothing is random, so every value is known.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engines import contract as c
from engines.contract import Field, Kernels, Options
from engines.kernel import kernel
from engines.rng import mix
from tests.games.tiny import TinyGame

State = np.dtype([("node", "i4"), ("root", "i4")], align=True)

MAXN, TWICE, SKIPPED, MEET, DEPTH_ONE, ONE_ACTION = 0, 10, 30, 40, 50, 60
"""Numbers of the roots (the option `root`); DEPTH_ONE + p is a tree for seat p."""

_END = -2
_NODES = {
    # Seat 0 chooses left or right; seat 1 answers; seat 2 answers at the far right.
    # max^n: left is worth 0.2 to seat 0 (seat 1 takes its own best), right 0.4. Paranoid: left -0.4, right -0.6 (seat 1
    # and seat 2 would hurt themselves to hurt seat 0), so a paranoid searcher goes left and a max^n one right.
    MAXN: (0, [1, 2]),
    1: (1, [3, 4]),
    3: (0.2, 0.3, -0.5),
    4: (-0.4, 0.1, 0.3),
    2: (1, [5, 6]),
    5: (0.4, 0.5, -0.9),
    6: (2, [7, 8]),
    7: (-0.6, 0.2, 0.4),
    8: (0.1, -0.6, 0.5),
    # Seat 0 moves twice running, then seat 1 twice: each time the first of the two prepares the second.
    TWICE: (0, [11, 12]),
    11: (0, [13, 14]),
    12: (0, [15, 16]),
    13: (-0.5, 0.5, 0.0),
    14: (0.1, -0.1, 0.0),
    15: (1, [17, 18]),
    16: (-0.9, 0.9, 0.0),
    17: (1, [19, 20]),
    18: (1, [21, 22]),
    19: (0.6, -0.6, 0.0),
    20: (0.3, -0.3, 0.0),
    21: (0.9, -0.9, 0.0),
    22: (0.8, -0.8, 0.0),
    # Seat 1 is out: seats 0 and 2 alternate, and seat 1's entry of the values is misleading.
    SKIPPED: (0, [31, 32]),
    31: (2, [33, 34]),
    32: (2, [35, 36]),
    33: (0.5, 0.4, -0.9),
    34: (-0.5, -0.4, 0.9),
    35: (0.2, -0.4, 0.2),
    36: (0.3, -0.4, 0.1),
    # Two ways to 43, of one step and of two.
    MEET: (0, [41, 43]),
    41: (1, [43, 70]),
    43: (2, [44, 70]),
    44: (0, [45, 70]),
    45: (1, [46, 72]),
    46: (2, [71, 72]),
    # One decision for each seat: the middle action wins.
    **{DEPTH_ONE + p: (p, [70, 71 + p, 70]) for p in range(3)},
    ONE_ACTION: (0, [71]),
    70: (0.0, 0.0, 0.0),
    **{71 + p: tuple(1.0 if q == p else -0.5 for q in range(3)) for p in range(3)},
}
SIZE, WIDTH = 80, 3
MOVER, COUNT = np.full(SIZE, _END, np.int64), np.zeros(SIZE, np.int64)
CHILD, PAYS = np.zeros((SIZE, WIDTH), np.int64), np.zeros((SIZE, 3), np.float32)
for _node, _row in _NODES.items():
    if isinstance(_row[1], list):
        MOVER[_node], COUNT[_node] = _row[0], len(_row[1])
        CHILD[_node, : len(_row[1])] = _row[1]
    else:
        PAYS[_node] = _row


@kernel(c.SETUP)
def setup(state, options):
    for i in range(state.shape[0]):
        state[i] = 0
    s = state.view(State)[0]
    s["node"] = options[1]
    s["root"] = options[1]


@kernel(c.TO_PLAY)
def to_play(state):
    return MOVER[int(state.view(State)[0]["node"])]


@kernel(c.LEGAL)
def legal(state, out):
    n = COUNT[int(state.view(State)[0]["node"])]
    for i in range(n):
        out[i] = i
    return n


@kernel(c.WEIGHTS)
def weights(state, out):
    return 0


@kernel(c.APPLY)
def apply(state, action):
    s = state.view(State)[0]
    s["node"] = CHILD[int(s["node"]), action]


@kernel(c.RETURNS)
def returns(state, out):
    node = int(state.view(State)[0]["node"])
    for p in range(3):
        out[p] = PAYS[node, p]


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
class TreeOptions(Options):
    root: int = MAXN


class Tree(TinyGame):
    name = "tree"
    title = "Trees with known values"
    min_players, max_players = 3, 3
    dtype = State
    fields: ClassVar = {"node": Field(), "root": Field()}
    kernels = Kernels(setup, to_play, legal, weights, apply, returns, observe, info_key, determinize)
    num_actions = num_ids = max_legal = WIDTH
    max_length = 8
    secrets = False
    options_type = TreeOptions

    def encode_options(self):
        return np.array([self.players, self.options.root], np.int32)


GAME = Tree
