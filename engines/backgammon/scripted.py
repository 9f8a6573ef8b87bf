# mypy: ignore-errors
"""A hand-written player: tries every way to play two dice (or the last one) and takes what it appraises highest.

An appraisal is counted in pips. Without contact it is the race. With contact it is the race, what the own points and
the longest prime are worth, what blots stand to lose, and each seat's checkers on the bar or far behind in face of the
other's home board. Weights were chosen by some thousand games between variants.
"""

import numpy as np

from engines import contract as c
from engines.backgammon.layout import BAR, CHECKERS, OFF, State
from engines.backgammon.rules import HOME, apply, highest, legal, occupied, pips, winner, worth
from engines.kernel import kernel

SIZE = State.itemsize
SHOTS = np.array([0, 11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3], np.int64)
"""Of 36 rolls, how many hit a blot so many points away from a lone checker on an open board."""
MADE = np.array([0, 1, 3, 5, 8, 9, 7, 7, 5, 2, 1, 1, 1, 2, 1, 1, 3, 3, 5, 3, 7, 6, 4, 2, 2, 0], np.float64)
"""What it is worth to have two checkers or more on a point."""
PRIME = np.array([0, 0, 1, 4, 9, 16, 25, 25], np.float64)
"""What a row of so many points is worth while a checker of the other seat is behind it."""


@kernel
def home_points(s, seat):
    """How many points of its home board `seat` has made."""
    made = 0
    for p in range(1, HOME + 1):
        if int(s["checkers"][seat, p]) > 1:
            made += 1
    return made


@kernel
def at_risk(s, seat, far):
    """Pips that the blots of `seat` stand to lose: the way back of each, by how many rolls seem to hit it.

    `far`: the highest point of the other seat, in its own count.
    """
    other, loss = 1 - seat, 0.0
    for p in range(1, BAR):
        if int(s["checkers"][seat, p]) == 1:
            place, rolls = BAR - p, 0
            for q in range(place + 1, min(far, place + 12) + 1):
                if int(s["checkers"][other, q]) > 0:
                    rolls += SHOTS[q - place]
            loss += min(rolls, 30) / 36.0 * (BAR - p)
    return loss


@kernel
def built(s, seat, far):
    """What the points of `seat` are worth, the longest prime before the other's last checker (`far`) included."""
    value, row, longest = 0.0, 0, 0
    for p in range(1, BAR):
        number = int(s["checkers"][seat, p])
        row = row + 1 if number > 1 else 0
        if p > BAR - far:
            longest = max(longest, row)
        if number > 1:
            value += MADE[p] - 0.5 * max(number - 3, 0)
    return value + PRIME[min(longest, 7)]


@kernel
def appraise(s, seat):
    """How good the position is for `seat` at the end of its turn, in pips."""
    won, other = winner(s), 1 - seat
    if won >= 0:
        return 1e6 * worth(s, won) * (1 if won == seat else -1)
    mine, theirs = highest(occupied(s, seat)), highest(occupied(s, other))
    value = float(pips(s, other) - pips(s, seat))
    if mine + theirs <= BAR:
        # A race: a checker left on the board costs more than its pips.
        return value - 4.0 * (CHECKERS - int(s["checkers"][seat, OFF]))
    behind = 0
    for p in range(BAR - HOME, BAR + 1):
        behind += int(s["checkers"][seat, p])
    value += built(s, seat, theirs) - at_risk(s, seat, theirs) - behind * home_points(s, other)
    return value + 3.0 * int(s["checkers"][other, BAR]) * home_points(s, seat)


@kernel
def moved(state, action, out):
    """Copy `state` to `out` and apply an action to it."""
    for i in range(SIZE):
        out[i] = state[i]
    apply(out, np.int64(action))


@kernel(c.SCRIPTED)
def scripted(state, rng):
    s = state.view(State)[0]
    seat, turn = int(s["mover"]), int(s["turn"])
    first, second = np.empty(SIZE, np.uint8), np.empty(SIZE, np.uint8)
    ids, more = np.empty(2 * CHECKERS, np.int32), np.empty(2 * CHECKERS, np.int32)
    choice, best = -1, -np.inf
    for i in range(legal(state, ids)):
        moved(state, ids[i], first)
        one = first.view(State)[0]
        value = -np.inf
        if int(one["turn"]) == turn:
            for j in range(legal(first, more)):
                moved(first, more[j], second)
                value = max(value, appraise(second.view(State)[0], seat))
        else:
            value = appraise(one, seat)
        if value > best:
            choice, best = int(ids[i]), value
    return choice
