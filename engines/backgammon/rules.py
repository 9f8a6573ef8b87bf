# mypy: ignore-errors
"""Rules of backgammon without the doubling cube (R. Bell 1979; the rules of the U.S. Backgammon Federation).

A turn is a roll and, one checker at a time, its moves. Where a checker may go depends on few facts, taken as sets of
points (bit p of an integer is point p of the mover, bit 25 its bar): those where it has checkers, and those that the
other seat does not block. The first of two different dice must leave the other one playable, if that can be; of a
double no move ever takes away another, so any will do.
"""

import math

import numpy as np

from engines import contract as c
from engines.backgammon.layout import (
    BAR,
    CHECKERS,
    FACES,
    FIRST_OPENING,
    FIRST_ROLL,
    OFF,
    SEATS,
    START,
    State,
)
from engines.kernel import kernel
from engines.rng import mix

HOME = 6
BOARD = (1 << BAR) - 2
"""The set of all points."""
OPENING_STREAM = 2


@kernel(c.SETUP)
def setup(state, options):
    for i in range(state.shape[0]):
        state[i] = 0
    s = state.view(State)[0]
    s["scoring"], s["max_turns"] = options[1], options[2]
    for seat in range(SEATS):
        for point, number in START:
            s["checkers"][seat, point] = number


@kernel
def occupied(s, seat):
    """The points (and the bar) where `seat` has checkers."""
    points = 0
    for p in range(1, BAR + 1):
        if int(s["checkers"][seat, p]) > 0:
            points |= 1 << p
    return points


@kernel
def unblocked(s, seat):
    """The points where `seat` may land: those where the other seat has at most one checker."""
    points = 0
    for p in range(1, BAR):
        if int(s["checkers"][1 - seat, BAR - p]) < 2:
            points |= 1 << p
    return points


@kernel
def movable(own, free, die):
    """From where a checker can move by `die`.

    Args:
        own: where the mover has checkers.
        free: where it may land.
        die: 1 to 6.
    """
    if own >> BAR:
        own = 1 << BAR
    found = own & (free << die)
    if own >> (HOME + 1) == 0:
        # All are at home: a checker on the die's point is borne off, or the highest one if it stands lower.
        high = die if own >> die else highest(own)
        found |= own & (1 << high)
    return found & ~1


@kernel
def highest(points):
    """The highest of a set of points, 0 if it is empty."""
    p = 0
    while points >> (p + 1):
        p += 1
    return p


@kernel
def leaves_other(own, free, single, die, other, by_other):
    """From where a checker can move by `die` so that `other` can be played after it.

    Args:
        own, free: see `movable`.
        single: where the mover has exactly one checker.
        die, other: the two dice.
        by_other: from where `other` can be played now.
    """
    left = movable(own, free, die)
    found = 0
    for p in range(1, BAR + 1):
        if left >> p & 1:
            # What another checker can do before this move it can do after it.
            if by_other & ~(single & (1 << p)):
                found |= 1 << p
            else:
                after = own & ~(1 << p) if single >> p & 1 else own
                if movable(after | (1 << max(p - die, 0)) & BOARD, free, other):
                    found |= 1 << p
    return found


@kernel
def is_over(s):
    gone = int(s["checkers"][0, OFF]) == CHECKERS or int(s["checkers"][1, OFF]) == CHECKERS
    return gone or int(s["turn"]) >= int(s["max_turns"])


@kernel(c.TO_PLAY)
def to_play(state):
    s = state.view(State)[0]
    if is_over(s):
        return c.TERMINAL
    return int(s["mover"]) if int(s["dice"][0]) > 0 else c.CHANCE


@kernel
def is_opening(s):
    return int(s["turn"]) == 0 and int(s["dice"][0]) == 0


@kernel
def outcomes(s, out):
    """The ids of all rolls."""
    first, n = (FIRST_OPENING, 30) if is_opening(s) else (FIRST_ROLL, 21)
    for i in range(n):
        out[i] = first + i
    return n


@kernel
def listed(low, high, small, large, out):
    """Write the ids of moves by `small` from the points `low` and by `large` from `high`; returns how many they are."""
    n = 0
    for p in range(1, BAR + 1):
        near, far = min(small, p), min(large, p)
        if low >> p & 1:
            out[n] = (p - 1) * FACES + near - 1
            n += 1
        if high >> p & 1 and not (low >> p & 1 and near == far):
            out[n] = (p - 1) * FACES + far - 1
            n += 1
    return n


@kernel(c.LEGAL)
def legal(state, out):
    s = state.view(State)[0]
    if is_over(s):
        return 0
    large, small = int(s["dice"][0]), int(s["dice"][1])
    if large == 0:
        return outcomes(s, out)
    seat = int(s["mover"])
    own, free, single = occupied(s, seat), unblocked(s, seat), 0
    by_large = movable(own, free, large)
    if small == 0 or small == large:
        return listed(0, by_large, large, large, out)
    for p in range(1, BAR + 1):
        if int(s["checkers"][seat, p]) == 1:
            single |= 1 << p
    by_small = movable(own, free, small)
    high = leaves_other(own, free, single, large, small, by_small)
    low = leaves_other(own, free, single, small, large, by_large)
    if high == 0 and low == 0:
        # Only one die can be played: the larger one, if it can be.
        high = by_large
        low = 0 if by_large else by_small
    return listed(low, high, small, large, out)


@kernel(c.WEIGHTS)
def weights(state, out):
    s = state.view(State)[0]
    if is_opening(s):
        for i in range(30):
            out[i] = 1
        return OPENING_STREAM
    n = 0
    for high in range(FACES):
        for low in range(high + 1):
            out[n] = 1 if low == high else 2
            n += 1
    return int(s["mover"])


@kernel
def end_turn(s):
    for i in range(4):
        s["dice"][i] = 0
    s["mover"] = 1 - int(s["mover"])
    s["turn"] = int(s["turn"]) + 1


@kernel
def can_move(s):
    """Whether any die that is left can be played."""
    seat = int(s["mover"])
    own, free = occupied(s, seat), unblocked(s, seat)
    for i in range(2):
        die = int(s["dice"][i])
        if die > 0 and movable(own, free, die):
            return True
    return False


@kernel
def roll(s, outcome):
    if outcome >= FIRST_OPENING:
        first = (outcome - FIRST_OPENING) // 5 + 1
        second = (outcome - FIRST_OPENING) % 5 + 1
        if second >= first:
            second += 1
        s["mover"] = 0 if first > second else 1
        s["dice"][0], s["dice"][1] = max(first, second), min(first, second)
        return
    high, low = 1, outcome - FIRST_ROLL
    while low >= high:
        low -= high
        high += 1
    s["dice"][0], s["dice"][1] = high, low + 1
    if high == low + 1:
        s["dice"][2], s["dice"][3] = high, high


@kernel
def die_for(s, p, n):
    """Where in `dice` stands the die that moves a checker from p by n.

    A checker is borne off by the smallest die that can. Where a larger one could be used instead, all checkers stand at
    p or lower, so that whichever is left bears off the highest of the others.
    """
    for i in range(3, 0, -1):
        die = int(s["dice"][i])
        if die == n or (n == p and die > p):
            return i
    return 0


@kernel(c.APPLY)
def apply(state, action):
    s = state.view(State)[0]
    if action >= FIRST_ROLL:
        roll(s, action)
    else:
        seat, p, n = int(s["mover"]), action // FACES + 1, action % FACES + 1
        own, other = s["checkers"][seat], s["checkers"][1 - seat]
        for i in range(die_for(s, p, n), 3):
            s["dice"][i] = s["dice"][i + 1]
        s["dice"][3] = 0
        own[p] = int(own[p]) - 1
        own[p - n] = int(own[p - n]) + 1
        if p > n and int(other[BAR - (p - n)]) > 0:
            other[BAR - (p - n)] = 0
            other[BAR] = int(other[BAR]) + 1
    if is_over(s) or not can_move(s):
        end_turn(s)


@kernel
def worth(s, winner):
    """Points that the end is worth: 1, 2 for a gammon (the loser has borne off none), 3 for a backgammon.

    It is a backgammon if one of the loser's checkers is on the bar or in the winner's home board too.
    """
    loser = s["checkers"][1 - winner]
    if int(loser[OFF]) > 0:
        return 1
    for p in range(BAR - HOME, BAR + 1):
        if int(loser[p]) > 0:
            return 3
    return 2


@kernel
def winner(s):
    """The seat that has borne off all its checkers, or -1."""
    for seat in range(SEATS):
        if int(s["checkers"][seat, OFF]) == CHECKERS:
            return seat
    return -1


@kernel
def pips(s, seat):
    """How far the checkers of `seat` have to go."""
    count = 0
    for p in range(1, BAR + 1):
        count += p * int(s["checkers"][seat, p])
    return count


@kernel(c.RETURNS)
def returns(state, out):
    s = state.view(State)[0]
    won, most = winner(s), 3.0 if int(s["scoring"]) == 1 else 1.0
    if won >= 0:
        out[0] = (worth(s, won) / most if most > 1 else 1.0) * (1 - 2 * won)
    elif is_over(s):
        out[0] = 0.0
    else:
        # The race: with a lead of d pips and n to go in all, erf(d / sqrt(n)) (D. Kleinman 1980); the algebraic sigmoid
        # in its place is the same on every machine.
        near, far = float(pips(s, 0)), float(pips(s, 1))
        lead = far - near
        out[0] = lead / math.sqrt(lead * lead + near + far) / most
    out[1] = -out[0]


@kernel(c.OBSERVE)
def observe(state, seat, out):
    s = state.view(State)[0]
    for i in range(out.shape[0]):
        out[i] = 0
    out[(int(s["mover"]) - seat) % SEATS] = 1
    for i in range(4):
        if int(s["dice"][i]) > 0:
            out[1 + int(s["dice"][i])] += 1
    stacks = SEATS + FACES
    more = stacks + SEATS * 24 * 3
    rest = more + SEATS * 24
    for i in range(SEATS):
        whose = (seat + i) % SEATS
        for point in range(24):
            # Points as the observing seat counts them.
            n = int(s["checkers"][whose, point + 1 if i == 0 else 24 - point])
            for least in range(min(n, 3)):
                out[stacks + (i * 24 + point) * 3 + least] = 1
            out[more + i * 24 + point] = max(n - 3, 0)
        out[rest + i] = int(s["checkers"][whose, BAR])
        out[rest + SEATS + i] = int(s["checkers"][whose, OFF])
        out[rest + 2 * SEATS + i] = pips(s, whose)
    out[rest + 3 * SEATS] = int(s["turn"])


@kernel(c.INFO_KEY)
def info_key(state, seat):
    s = state.view(State)[0]
    word = int(s["mover"])
    for i in range(4):
        word = word << 3 | int(s["dice"][i])
    key = mix(np.uint64(int(s["turn"])), np.uint64(word))
    for whose in range(SEATS):
        for half in range(2):
            word = 0
            for p in range(13 * half, 13 * half + 13):
                word = word << 4 | int(s["checkers"][whose, p])
            key = mix(key, np.uint64(word))
    return key


@kernel(c.DETERMINIZE)
def determinize(state, seat, rng):
    return 0.0
