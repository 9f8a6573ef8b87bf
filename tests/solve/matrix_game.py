"""Two seats choose at the same time and are paid by a table: seat 0 chooses in secret, then seat 1."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engines import contract as c
from engines.contract import Field, Kernels, Options, Who
from engines.kernel import kernel
from engines.rng import mix
from tests.games.tiny import TinyGame

MATRICES = {
    "matching_pennies": [[1, -1], [-1, 1]],
    "rps": [[0, -1, 1], [1, 0, -1], [-1, 1, 0]],
    "biased_rps": [[0, -25, 50], [25, 0, -5], [-50, 5, 0]],
    "rpsw": [[0, -1, 1, 0], [1, 0, -1, 0], [-1, 1, 0, 0], [0, 0, 0, 0]],
}
NAMES = tuple(MATRICES)
SIZE = 4
PAYS, ROWS = np.zeros((len(NAMES), SIZE, SIZE), np.int64), np.zeros(len(NAMES), np.int64)
for _i, _rows in enumerate(MATRICES.values()):
    ROWS[_i] = len(_rows)
    PAYS[_i, : len(_rows), : len(_rows)] = _rows
STAKES = np.abs(PAYS).max((1, 2))
State = np.dtype([("matrix", "i4"), ("turn", "i4"), ("choice", "i4", (2,))], align=True)


@kernel(c.SETUP)
def setup(state, options):
    for i in range(state.shape[0]):
        state[i] = 0
    state.view(State)[0]["matrix"] = options[1]


@kernel(c.TO_PLAY)
def to_play(state):
    turn = int(state.view(State)[0]["turn"])
    return c.TERMINAL if turn == 2 else turn


@kernel(c.LEGAL)
def legal(state, out):
    s = state.view(State)[0]
    if int(s["turn"]) == 2:
        return 0
    for a in range(ROWS[int(s["matrix"])]):
        out[a] = a
    return ROWS[int(s["matrix"])]


@kernel(c.WEIGHTS)
def weights(state, out):
    return 0


@kernel(c.APPLY)
def apply(state, action):
    s = state.view(State)[0]
    s["choice"][int(s["turn"])] = action + 1
    s["turn"] = int(s["turn"]) + 1


@kernel(c.RETURNS)
def returns(state, out):
    s = state.view(State)[0]
    i, won = int(s["matrix"]), 0
    if int(s["turn"]) == 2:
        won = PAYS[i, int(s["choice"][0]) - 1, int(s["choice"][1]) - 1]
    out[0], out[1] = won / STAKES[i], -won / STAKES[i]


@kernel(c.OBSERVE)
def observe(state, seat, out):
    out[0] = int(state.view(State)[0]["turn"])


@kernel(c.INFO_KEY)
def info_key(state, seat):
    s = state.view(State)[0]
    key = mix(np.uint64(int(s["turn"])), np.uint64(seat + 1))
    return mix(key, np.uint64(int(s["choice"][seat]))) if seat >= 0 else key


@kernel(c.DETERMINIZE)
def determinize(state, seat, rng):
    return 0.0


@dataclass(frozen=True)
class MatrixOptions(Options):
    matrix: str = "rps"


class MatrixGame(TinyGame):
    name = "matrix_game"
    title = "A matrix game"
    dtype = State
    fields: ClassVar = {"matrix": Field(), "turn": Field(), "choice": Field(Who.SEAT, ("seat",))}
    kernels = Kernels(setup, to_play, legal, weights, apply, returns, observe, info_key, determinize)
    num_actions = num_ids = max_legal = SIZE
    max_length = 2
    perfect_recall = True
    options_type = MatrixOptions

    @property
    def stakes(self):
        return float(STAKES[NAMES.index(self.options.matrix)])

    def encode_options(self):
        return np.array([self.players, NAMES.index(self.options.matrix)], np.int32)


def load(matrix):
    return MatrixGame(MatrixOptions(players=2, matrix=matrix))
