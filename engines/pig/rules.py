# mypy: ignore-errors
"""Rules of Pig (Scarne 1945; Neller and Presser 2004) for two to four seats.

In its turn a seat rolls a die as often as it likes. A one ends the turn, and what the turn has brought is lost; any
other face is added to the turn's total. Holding ends the turn and adds the total to the seat's score. Whoever holds the
target has won.
"""

import numpy as np

from engines import contract as c
from engines.kernel import kernel
from engines.pig.layout import FACES, FIRST_FACE, HOLD, ROLL, State
from engines.rng import mix
from engines.standing import worth

END_RACE, PACE, BEHIND = 29, 21, 8
"""Of the scripted policy: how far from the target the race to it begins; what is held at when scores are level; how
many points behind raise that by one."""


@kernel(c.SETUP)
def setup(state, options):
    for i in range(state.shape[0]):
        state[i] = 0
    s = state.view(State)[0]
    s["players"], s["utility"], s["target"], s["max_turns"] = options[0], options[1], options[2], options[3]


@kernel
def mover(s):
    """The seat whose turn it is."""
    return int(s["turn"]) % int(s["players"])


@kernel
def winner(s):
    """The seat that has reached the target, or -1."""
    for p in range(int(s["players"])):
        if int(s["score"][p]) >= int(s["target"]):
            return p
    return -1


@kernel
def is_over(s):
    return int(s["turn"]) >= int(s["max_turns"]) or winner(s) >= 0


@kernel(c.TO_PLAY)
def to_play(state):
    s = state.view(State)[0]
    if int(s["rolling"]) == 1:
        return c.CHANCE
    return c.TERMINAL if is_over(s) else mover(s)


@kernel(c.LEGAL)
def legal(state, out):
    s = state.view(State)[0]
    if int(s["rolling"]) == 1:
        for face in range(FACES):
            out[face] = FIRST_FACE + face
        return FACES
    if is_over(s):
        return 0
    if int(s["score"][mover(s)]) + int(s["total"]) >= int(s["target"]):
        out[0] = HOLD
        return 1
    out[0], out[1] = ROLL, HOLD
    return 2


@kernel(c.WEIGHTS)
def weights(state, out):
    for face in range(FACES):
        out[face] = 1
    return mover(state.view(State)[0])


@kernel(c.APPLY)
def apply(state, action):
    s = state.view(State)[0]
    if action == ROLL:
        s["rolling"] = 1
        return
    s["rolling"] = 0
    if action > FIRST_FACE:
        s["total"] = int(s["total"]) + action - FIRST_FACE + 1
        return
    if action == HOLD:
        s["score"][mover(s)] = int(s["score"][mover(s)]) + int(s["total"])
    s["total"] = 0
    s["turn"] = int(s["turn"]) + 1


@kernel(c.RETURNS)
def returns(state, out):
    s = state.view(State)[0]
    players = int(s["players"])
    drawn = int(s["turn"]) >= int(s["max_turns"]) and winner(s) < 0
    for seat in range(players):
        ahead, behind = 0, 0
        for other in range(players):
            if int(s["score"][seat]) > int(s["score"][other]):
                ahead += 1
            elif int(s["score"][seat]) < int(s["score"][other]):
                behind += 1
        out[seat] = 0.0 if drawn else worth(int(s["utility"]), ahead, behind, players)


@kernel(c.OBSERVE)
def observe(state, seat, out):
    s = state.view(State)[0]
    players = int(s["players"])
    for i in range(players):
        out[i] = 0
        out[players + i] = int(s["score"][(seat + i) % players])
    out[(mover(s) - seat) % players] = 1
    out[2 * players] = int(s["total"])
    out[2 * players + 1] = int(s["rolling"])
    out[2 * players + 2] = int(s["turn"])


@kernel(c.INFO_KEY)
def info_key(state, seat):
    s = state.view(State)[0]
    key = mix(np.uint64(int(s["turn"])), np.uint64(2 * int(s["total"]) + int(s["rolling"])))
    for p in range(int(s["players"])):
        key = mix(key, np.uint64(int(s["score"][p])))
    return key


@kernel(c.DETERMINIZE)
def determinize(state, seat, rng):
    return 0.0


@kernel(c.SCRIPTED)
def scripted(state, rng):
    """Keep pace and end race (Neller and Presser 2010), with the leading opponent as the one to keep pace with.

    Once a seat is within `END_RACE` points of the target, roll for it; else hold at `PACE`, and at one more for every
    `BEHIND` points that the seat is behind. For a target of 100 and two seats it loses 0.9 % of games to perfect play.
    """
    s = state.view(State)[0]
    me, total, target = mover(s), int(s["total"]), int(s["target"])
    own, best = int(s["score"][me]), 0
    for p in range(int(s["players"])):
        if p != me:
            best = max(best, int(s["score"][p]))
    if own + total >= target:
        return HOLD
    if max(own, best) >= target - END_RACE:
        return ROLL
    return HOLD if total >= PACE + (2 * (best - own) + BEHIND) // (2 * BEHIND) else ROLL
