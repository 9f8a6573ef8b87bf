# mypy: ignore-errors
"""Rules of liar's dice, one round: roll, outbid one another, until somebody calls the last bid a lie.

Seat 0 bids first, then all in turn. A bid says that at least so many dice on the table show a face; the highest face is
wild and counts as every face. A bid must be higher than the last: more dice, or as many of a higher face. Instead the
seat to play may call the last bid a lie; all dice are then looked at, and the bidder or the caller has lost.
"""

import numpy as np

from engines import contract as c
from engines.kernel import kernel
from engines.liars_dice.layout import State
from engines.liars_dice.rolls import first_roll, next_roll, showing, ways
from engines.rng import below, mix


@kernel(c.SETUP)
def setup(state, options):
    for i in range(state.shape[0]):
        state[i] = 0
    s = state.view(State)[0]
    s["players"], s["dice"], s["faces"] = options[0], options[1], options[2]


@kernel(c.TO_PLAY)
def to_play(state):
    s = state.view(State)[0]
    if int(s["called"]) == 1:
        return c.TERMINAL
    return c.CHANCE if int(s["rolled"]) < int(s["players"]) else int(s["turns"]) % int(s["players"])


@kernel
def number_of_bids(s):
    """The id of the call; outcomes follow it."""
    return int(s["players"]) * int(s["dice"]) * int(s["faces"])


@kernel
def last_bid(s):
    """The id of the last bid, or -1."""
    turns = int(s["turns"])
    return int(s["bids"][turns - 1]) - 1 if turns > 0 else -1


@kernel(c.LEGAL)
def legal(state, out):
    s = state.view(State)[0]
    n, bids = 0, number_of_bids(s)
    if int(s["called"]) == 1:
        return 0
    if int(s["rolled"]) < int(s["players"]):
        roll = first_roll(int(s["dice"]))
        while roll >= 0:
            out[n] = bids + 1 + n
            n += 1
            roll = next_roll(roll, int(s["faces"]))
        return n
    for bid in range(last_bid(s) + 1, bids):
        out[n] = bid
        n += 1
    if int(s["turns"]) > 0:
        out[n] = bids
        n += 1
    return n


@kernel(c.WEIGHTS)
def weights(state, out):
    s = state.view(State)[0]
    n, roll = 0, first_roll(int(s["dice"]))
    while roll >= 0:
        out[n] = ways(roll, int(s["dice"]), int(s["faces"]))
        n += 1
        roll = next_roll(roll, int(s["faces"]))
    return int(s["rolled"])


@kernel(c.APPLY)
def apply(state, action):
    s = state.view(State)[0]
    bids = number_of_bids(s)
    if action < bids:
        s["bids"][int(s["turns"])] = action + 1
        s["turns"] = int(s["turns"]) + 1
    elif action == bids:
        s["called"] = 1
    else:
        roll = first_roll(int(s["dice"]))
        for _ in range(action - bids - 1):
            roll = next_roll(roll, int(s["faces"]))
        for face in range(int(s["faces"])):
            s["hand"][int(s["rolled"]), face] = showing(roll, face)
        s["rolled"] = int(s["rolled"]) + 1


@kernel
def matching(s, seat, face):
    """How many dice of a seat count as `face` (from 0): those that show it, and the wild ones."""
    wild = int(s["faces"]) - 1
    count = int(s["hand"][seat, face])
    return count if face == wild else count + int(s["hand"][seat, wild])


@kernel
def is_true(s, bid):
    """Whether a bid holds, by all the dice."""
    quantity, face = bid // int(s["faces"]) + 1, bid % int(s["faces"])
    for p in range(int(s["players"])):
        quantity -= matching(s, p, face)
    return quantity <= 0


@kernel(c.RETURNS)
def returns(state, out):
    s = state.view(State)[0]
    players, turns, bid = int(s["players"]), int(s["turns"]), last_bid(s)
    for p in range(players):
        out[p] = 0.0
    if bid >= 0:
        bidder_wins = is_true(s, bid)
        out[(turns - 1) % players] = 1.0 if bidder_wins else -1.0
        out[turns % players] = -1.0 if bidder_wins else 1.0


@kernel(c.DETERMINIZE)
def determinize(state, seat, rng):
    s = state.view(State)[0]
    faces = int(s["faces"])
    for p in range(int(s["rolled"])):
        if p == seat:
            continue
        for face in range(faces):
            s["hand"][p, face] = 0
        for _ in range(int(s["dice"])):
            face = below(rng, faces)
            s["hand"][p, face] = int(s["hand"][p, face]) + 1
    return 0.0


@kernel(c.INFO_KEY)
def info_key(state, seat):
    s = state.view(State)[0]
    key = np.uint64(int(s["rolled"]) + 8 * int(s["called"]))
    for i in range(int(s["turns"])):
        key = mix(key, np.uint64(int(s["bids"][i])))
    if seat >= 0:
        hand = np.uint64(seat + 1)
        for face in range(int(s["faces"])):
            hand = hand * np.uint64(8) + np.uint64(int(s["hand"][seat, face]))
        key = mix(key, hand)
    return key
