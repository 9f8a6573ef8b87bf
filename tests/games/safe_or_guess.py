"""A coin that nobody sees: seat 0 takes a safe 1/4, or guesses the coin for +1 or -1. The fair guess is worth 0.

`heads` of ten tosses come up heads. `determinize` proposes heads and tails alike and says by its weight how likely the
world really is. Under `pooled` the coin is instead seat 1's secret hand: if it holds heads it can play action 4, its
best; safe is then worth -1/2.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engines import contract as c
from engines.contract import Field, Kernels, Options, Who
from engines.kernel import kernel
from engines.rng import below, mix
from tests.games.tiny import TinyGame

SAFE, GUESS, HEADS, TAILS, SPECIAL, FIRST_OUTCOME = 0, 1, 2, 3, 4, 5
_START, _GUESSING, _OVER = 0, 1, 2
State = np.dtype(
    [("heads", "i4"), ("pooled", "i4"), ("stage", "i4"), ("choice", "i4"), ("coin", "i4", (2,))], align=True
)


@kernel(c.SETUP)
def setup(state, options):
    for i in range(state.shape[0]):
        state[i] = 0
    s = state.view(State)[0]
    s["heads"] = options[1]
    s["pooled"] = options[2]


@kernel(c.TO_PLAY)
def to_play(state):
    s = state.view(State)[0]
    if int(s["coin"][1]) == 0:
        return c.CHANCE
    if int(s["stage"]) == _OVER:
        return c.TERMINAL
    return 1 if int(s["pooled"]) != 0 and int(s["stage"]) == _GUESSING else 0


@kernel(c.LEGAL)
def legal(state, out):
    s = state.view(State)[0]
    if int(s["coin"][1]) == 0:
        out[0], out[1] = FIRST_OUTCOME, FIRST_OUTCOME + 1
        return 2
    if int(s["stage"]) == _OVER:
        return 0
    if int(s["stage"]) == _START:
        out[0], out[1] = SAFE, GUESS
        return 2
    out[0], out[1] = HEADS, TAILS
    if int(s["pooled"]) != 0 and int(s["coin"][1]) == 1:
        out[2] = SPECIAL
        return 3
    return 2


@kernel(c.WEIGHTS)
def weights(state, out):
    heads = int(state.view(State)[0]["heads"])
    out[0], out[1] = heads, 10 - heads
    return 0


@kernel(c.APPLY)
def apply(state, action):
    s = state.view(State)[0]
    if action >= FIRST_OUTCOME:
        s["coin"][1] = action - FIRST_OUTCOME + 1
    elif action == GUESS:
        s["stage"] = _GUESSING
    else:
        s["choice"] = action + 1
        s["stage"] = _OVER


@kernel(c.RETURNS)
def returns(state, out):
    s = state.view(State)[0]
    choice, coin = int(s["choice"]) - 1, int(s["coin"][1])
    won = 0.0
    if choice == SAFE:
        won = 0.25 if int(s["pooled"]) == 0 else -0.5
    elif choice >= 0 and int(s["pooled"]) == 0:
        won = 1.0 if choice - HEADS + 1 == coin else -1.0
    elif choice == SPECIAL:
        won = -0.75
    elif choice == HEADS:
        won = -0.25
    out[0], out[1] = won, -won


@kernel(c.OBSERVE)
def observe(state, seat, out):
    s = state.view(State)[0]
    out[0] = int(s["stage"])
    out[1] = int(s["choice"])
    out[2] = int(s["coin"][1]) if seat == 1 else 0


@kernel(c.INFO_KEY)
def info_key(state, seat):
    s = state.view(State)[0]
    key = mix(np.uint64(int(s["stage"])), np.uint64(int(s["choice"])))
    return mix(key, np.uint64(int(s["coin"][1]))) if seat == 1 else key


@kernel(c.DETERMINIZE)
def determinize(state, seat, rng):
    s = state.view(State)[0]
    if seat == 1 or int(s["coin"][1]) == 0:
        return 0.0
    coin = below(rng, 2) + 1
    s["coin"][1] = coin
    heads = int(s["heads"])
    return np.log((heads if coin == 1 else 10 - heads) / 5.0)


@dataclass(frozen=True)
class CoinOptions(Options):
    heads: int = 5
    pooled: int = 0


class SafeOrGuess(TinyGame):
    name = "safe_or_guess"
    title = "Safe or guess"
    numbers = 3
    dtype = State
    fields: ClassVar = {
        "heads": Field(),
        "pooled": Field(),
        "stage": Field(),
        "choice": Field(),
        "coin": Field(Who.SEAT, ("seat",)),
    }
    kernels = Kernels(setup, to_play, legal, weights, apply, returns, observe, info_key, determinize)
    num_actions, num_ids = 5, 7
    max_legal = 3
    max_length = 3
    options_type = CoinOptions

    def encode_options(self):
        return np.array([self.players, self.options.heads, self.options.pooled], np.int32)


GAME = SafeOrGuess
