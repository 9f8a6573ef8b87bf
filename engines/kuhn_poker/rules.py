# mypy: ignore-errors
"""Rules of Kuhn poker for two and three seats (Kuhn 1950; three seats: Szafron, Gibson and Sturtevant 2013).

Each seat antes 1 and gets one of players + 1 cards. In turn each passes or bets 1 while nobody has bet; after the first
bet every other seat passes (folds) or bets (calls) once. The highest card among those who did not fold takes the pot.
"""

import numpy as np

from engines import contract as c
from engines.kernel import kernel
from engines.kuhn_poker.layout import BET, FIRST_CARD, State
from engines.rng import below, mix


@kernel
def first_bet(s):
    """Index of the first bet among the decisions made, or -1."""
    for i in range(int(s["turns"])):
        if int(s["bet"][i]) == 2:
            return i
    return -1


@kernel
def is_over(s):
    players, turns, first = int(s["players"]), int(s["turns"]), first_bet(s)
    return turns == players if first < 0 else turns == first + players


@kernel(c.SETUP)
def setup(state, options):
    for i in range(state.shape[0]):
        state[i] = 0
    state.view(State)[0]["players"] = options[0]


@kernel(c.TO_PLAY)
def to_play(state):
    s = state.view(State)[0]
    players = int(s["players"])
    if int(s["dealt"]) < players:
        return c.CHANCE
    if is_over(s):
        return c.TERMINAL
    return int(s["turns"]) % players


@kernel
def taken(s, rank):
    """Whether any seat's card is `rank`."""
    for p in range(s["card"].shape[0]):
        if int(s["card"][p]) == rank + 1:
            return True
    return False


@kernel(c.LEGAL)
def legal(state, out):
    s = state.view(State)[0]
    n = 0
    if int(s["dealt"]) < int(s["players"]):
        for rank in range(int(s["players"]) + 1):
            if not taken(s, rank):
                out[n] = FIRST_CARD + rank
                n += 1
    elif not is_over(s):
        out[0], out[1] = 0, 1
        n = 2
    return n


@kernel(c.WEIGHTS)
def weights(state, out):
    s = state.view(State)[0]
    for i in range(int(s["players"]) + 1 - int(s["dealt"])):
        out[i] = 1
    return int(s["dealt"])


@kernel(c.APPLY)
def apply(state, action):
    s = state.view(State)[0]
    if action >= FIRST_CARD:
        s["card"][int(s["dealt"])] = action - FIRST_CARD + 1
        s["dealt"] = int(s["dealt"]) + 1
    else:
        s["bet"][int(s["turns"])] = 2 if action == BET else 1
        s["turns"] = int(s["turns"]) + 1


@kernel
def paid(s, seat):
    """Chips that `seat` has put in."""
    first = first_bet(s)
    if first < 0:
        return 1
    players = int(s["players"])
    for i in range(first, int(s["turns"])):
        if i % players == seat:
            return 2 if int(s["bet"][i]) == 2 else 1
    return 1


@kernel(c.RETURNS)
def returns(state, out):
    s = state.view(State)[0]
    players, first = int(s["players"]), first_bet(s)
    pot, winner, best = 0, -1, -1
    for p in range(players):
        pot += paid(s, p)
        stays = first < 0 or paid(s, p) == 2 or not is_over(s)
        if stays and int(s["card"][p]) > best:
            winner, best = p, int(s["card"][p])
    # The most that can be won is 2 a seat from every other seat: divided by it, utilities lie in [-1, 1].
    scale = 2.0 * (players - 1)
    for p in range(players):
        out[p] = ((pot if p == winner else 0) - paid(s, p)) / scale


@kernel(c.OBSERVE)
def observe(state, seat, out):
    s = state.view(State)[0]
    players = int(s["players"])
    for i in range(out.shape[0]):
        out[i] = 0
    out[(int(s["turns"]) - seat) % players] = 1
    out[players] = int(s["card"][seat])
    at = players + 1
    for i in range(int(s["turns"])):
        out[at + ((i - seat) % players) * 4 + 2 * (i // players) + int(s["bet"][i]) - 1] = 1


@kernel(c.INFO_KEY)
def info_key(state, seat):
    s = state.view(State)[0]
    key = mix(np.uint64(int(s["players"])), np.uint64(int(s["dealt"])))
    for i in range(int(s["turns"])):
        key = mix(key, np.uint64(int(s["bet"][i])))
    if seat >= 0:
        key = mix(key, np.uint64(16 + 4 * seat))
        key = mix(key, np.uint64(int(s["card"][seat])))
    return key


@kernel(c.DETERMINIZE)
def determinize(state, seat, rng):
    s = state.view(State)[0]
    for p in range(int(s["dealt"])):
        if p != seat:
            s["card"][p] = 0
    for p in range(int(s["dealt"])):
        if p == seat:
            continue
        free = 0
        for rank in range(int(s["players"]) + 1):
            if not taken(s, rank):
                free += 1
        pick = below(rng, free)
        for rank in range(int(s["players"]) + 1):
            if not taken(s, rank):
                if pick == 0:
                    s["card"][p] = rank + 1
                pick -= 1
    return 0.0
