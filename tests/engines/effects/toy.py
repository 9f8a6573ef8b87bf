# mypy: ignore-errors
"""A toy game of pending effects, as a game has them: programs, a stack with a field of its own, an interpreter."""

import numpy as np
from numba import int64, types

from engines.effects.frames import ask, make_frames
from engines.effects.program import Program
from engines.kernel import kernel

from . import toy_ops as ops

DEPTH = 4
State = np.dtype(
    [
        ("players", "i1"),
        ("node", "i1"),
        ("mover", "i1"),
        ("depth", "i1"),
        ("frame_pc", "i2", (DEPTH,)),
        ("frame_seat", "i1", (DEPTH,)),
        ("frame_n", "i1", (DEPTH,)),
        ("frame_from", "i1", (DEPTH,)),
        ("coins", "i2", (3,)),
    ],
    align=True,
)
CONTENT = ops.Content.model_validate(
    {
        "cards": {
            "mint": {"effect": [{"op": "gain", "n": 3}, {"op": "sum", "amounts": [2, 4]}]},
            "gift": {"effect": [{"op": "give", "n": 2}, {"op": "gain", "n": 1}]},
            "tower": {"effect": [{"op": "nest", "n": 9}, {"op": "gain", "n": 1}]},
            "market": {"cost": [{"op": "pay", "n": 2}], "effect": [{"op": "swap", "n": 4}]},
            "blank": {"effect": []},
        }
    }
)
_programs = Program(ops.OPS)
CARDS = {name: _programs.place(*_programs.compiled([*card.cost, *card.effect])) for name, card in CONTENT.cards.items()}
PROGRAM, COUNTS = _programs.table, _programs.counts
push, go_on, pop = make_frames(__name__, COUNTS, DEPTH, "frame_from")

RUN = types.void(types.Array(types.uint8, 1, "C"), int64, int64)


def start(players=3):
    """A new record: uint8[State.itemsize]."""
    record = np.zeros(State.itemsize, np.uint8)
    record.view(State)["players"] = players
    return record


@kernel
def step(s):
    """One step of the top frame; True: it waits."""
    frame = int(s["depth"]) - 1
    pc, seat, n = int(s["frame_pc"][frame]), int(s["frame_seat"][frame]), int(s["frame_n"][frame])
    op = int(PROGRAM[pc, 0])
    if op == ops.END:
        pop(s)
    elif op == ops.GIVE and n > 0:
        return ask(s, ops.NODE_GIVE, seat)
    elif op == ops.NEST and n > 0:
        above = push(s, pc, seat)
        if above >= 0:
            s["frame_from"][above] = 1 + frame
            s["frame_n"][above] = n - 1
        s["frame_n"][frame] = 0
    else:
        go_on(s)
        number = int(PROGRAM[pc, 1])
        if op == ops.GAIN:
            s["coins"][seat] = int(s["coins"][seat]) + number
        elif op == ops.PAY:
            s["coins"][seat] = int(s["coins"][seat]) - number
        elif op == ops.SUM:
            for i in range(number):
                s["coins"][seat] = int(s["coins"][seat]) + int(PROGRAM[pc, 2 + i])
    return False


@kernel
def run(s):
    """Go on until somebody decides or nothing is pending."""
    while int(s["depth"]) > 0:
        if step(s):
            return
    s["node"] = ops.NODE_NONE


@kernel(RUN)
def play(state, pc, seat):
    """A seat plays a card."""
    s = state.view(State)[0]
    push(s, pc, seat)
    run(s)


@kernel(RUN)
def give(state, other, seat):
    """What is chosen at NODE_GIVE."""
    s = state.view(State)[0]
    frame = int(s["depth"]) - 1
    s["frame_n"][frame] = int(s["frame_n"][frame]) - 1
    s["coins"][seat] = int(s["coins"][seat]) - 1
    s["coins"][other] = int(s["coins"][other]) + 1
    run(s)
