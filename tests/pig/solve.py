# mypy: ignore-errors
"""Pig for two seats solved exactly: every position's transitions by the engine's own kernels, then value iteration.

A position is (own score, other's score, total of the turn) as the mover sees it, i, j < target. The turn limit is left
out: positions are put into their first two turns.
"""

import numpy as np

from engines import contract as c
from engines.kernel import kernel
from engines.pig.layout import FACES, FIRST_FACE, HOLD, ROLL, State

SIZE = State.itemsize
WON = -1
"""As a child: the mover has won."""


@kernel
def child(s, seat, target):
    """(index, whether the turn is still the mover's) of the position in the record; (WON, 1) if the mover has won."""
    own, other = int(s["score"][seat]), int(s["score"][1 - seat])
    if own >= target:
        return WON, 1
    if int(s["turn"]) == seat:
        return (own * target + other) * (target + FACES) + int(s["total"]), 1
    return (other * target + own) * (target + FACES) + int(s["total"]), 0


@kernel
def transitions(table, options, rng, seat, children, mine, scripted):
    """Fill `children[n, 7]` and `mine[n, 7]` (hold, then the faces) and `scripted[n]` with all positions of `seat`."""
    target = options[2]
    state, before = np.zeros(SIZE, np.uint8), np.zeros(SIZE, np.uint8)
    s, b, ids = state.view(State)[0], before.view(State)[0], np.zeros(FACES, np.int32)
    for i in range(target):
        for j in range(target):
            for k in range(target - i + FACES):
                at = (i * target + j) * (target + FACES) + k
                c.call_setup(table[c.T_SETUP], (before, options))
                b["turn"], b["total"], b["score"][seat], b["score"][1 - seat] = seat, k, i, j
                state[:] = before
                c.call_apply(table[c.T_APPLY], (state, HOLD))
                children[at, 0], mine[at, 0] = child(s, seat, target)
                scripted[at] = c.call_scripted(table[c.T_SCRIPTED], (before, rng))
                if c.call_legal(table[c.T_LEGAL], (before, ids)) == 1:
                    children[at, 1:] = children[at, 0]
                    mine[at, 1:] = mine[at, 0]
                    continue
                for face in range(FACES):
                    state[:] = before
                    c.call_apply(table[c.T_APPLY], (state, ROLL))
                    c.call_apply(table[c.T_APPLY], (state, FIRST_FACE + face))
                    children[at, 1 + face], mine[at, 1 + face] = child(s, seat, target)


@kernel
def evaluate(values, other, children, mine, policy, at, best):
    """Value iteration at one position, in place; returns the change.

    Args:
        values, other: win probabilities of the mover, in the turns of one player and of the other.
        policy: what the mover does; it gets its best choice if `best`.
        at: the position.
    """
    hold, rolled = 0.0, 0.0
    for place in range(1 + FACES):
        then = children[at, place]
        win = 1.0
        if then != WON:
            win = values[then] if mine[at, place] == 1 else 1.0 - other[then]
        if place == 0:
            hold = win
        else:
            rolled += win / FACES
    if best:
        policy[at] = HOLD if hold > rolled else ROLL
    new = hold if policy[at] == HOLD else rolled
    change = abs(new - values[at])
    values[at] = new
    return change


@kernel
def solve(values, other, children, mine, policy, other_policy, best, target):
    """Solve both players' positions; scores only rise, so pair by pair of scores, the highest first."""
    for scores in range(2 * target - 2, -1, -1):
        for i in range(max(0, scores - target + 1), min(scores, target - 1) + 1):
            j = scores - i
            change = 1.0
            while change > 1e-13:
                change = 0.0
                for k in range(target - i + FACES - 1, -1, -1):
                    at = (i * target + j) * (target + FACES) + k
                    change = max(change, evaluate(values, other, children, mine, policy, at, best))
                for k in range(target - j + FACES - 1, -1, -1):
                    at = (j * target + i) * (target + FACES) + k
                    change = max(change, evaluate(other, values, children, mine, other_policy, at, best))


class Solved:
    """Values and policies of `game` (two seats), from positions of `seat`."""

    def __init__(self, game, seat=0):
        target = game.options.target
        n = target * target * (target + FACES)
        self.target, self.children, self.mine = target, np.full((n, 7), WON, np.int64), np.full((n, 7), -1, np.int8)
        self.scripted, self.policy, self.values = np.zeros(n, np.int64), np.zeros(n, np.int64), np.full(n, 0.5)
        rng = np.array([1, 0], np.uint64)
        transitions(game.table, game.encode_options(), rng, seat, self.children, self.mine, self.scripted)
        self._solve(self.values, self.values, self.policy, self.policy, True)

    def _solve(self, values, other, policy, other_policy, best):
        solve(values, other, self.children, self.mine, policy, other_policy, best, self.target)

    def at(self, own, other, total=0):
        """Where a position's value and policy stand."""
        return (own * self.target + other) * (self.target + FACES) + total

    def against_scripted(self):
        """Win probabilities of the first seat: best play first, the scripted policy second; and the other way round."""
        best, scripted = np.full_like(self.values, 0.5), np.full_like(self.values, 0.5)
        self._solve(best, scripted, self.policy, self.scripted, False)
        return best[0], scripted[0]
