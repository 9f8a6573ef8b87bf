# mypy: ignore-errors
"""Playouts that learn: each seat mostly plays what has done best for it in the simulations so far.

The move-average sampling technique (Finnsson and Bjornsson 2008, "Simulation-based approach to general game playing"),
with a share of random choices (Tak, Winands and Bjornsson 2012, "N-grams and the last-good-reply policy applied in
general game playing"): an action is worth the mean value of all simulations in which its seat chose it, wherever that
was. Actions that were chosen rarely are drawn towards the seat's mean over all of its actions.
"""

import numpy as np

from engines import contract as c
from engines.kernel import lean_kernel
from engines.rng import below, uniform
from orion_ai.search.playout import play_chance

__all__ = ["forget_habits", "habit", "learn_habits", "note", "play_out_by_habit"]

_DOUBT = 10.0
"""Visits' worth of the seat's mean that every action begins with: values are +1 or -1, differences a tenth of that."""
_TIE = 1e-6
"""Chance decides between actions that differ by less."""


@lean_kernel
def forget_habits(f, b):
    """Begin a search."""
    for seat in range(f.habit_visits.shape[1]):
        for a in range(f.habit_visits.shape[2]):
            f.habit_visits[b, seat, a], f.habit_total[b, seat, a] = 0.0, 0.0


@lean_kernel
def note(f, seat, action):
    """Keep a decision of the simulation for `learn_habits`."""
    count = f.trail[0] + 1
    f.trail[0], f.trail[count] = count, seat * f.habit_visits.shape[2] + action


@lean_kernel
def learn_habits(f, b, weight):
    """Add the simulation's value to all decisions made in it."""
    width = f.habit_visits.shape[2]
    for i in range(1, f.trail[0] + 1):
        seat, a = f.trail[i] // width, f.trail[i] % width
        gain = weight * float(f.value[b, seat])
        f.habit_visits[b, seat, a] += weight
        f.habit_total[b, seat, a] += gain
        f.habit_visits[b, seat, width - 1] += weight
        f.habit_total[b, seat, width - 1] += gain


@lean_kernel
def habit(f, b, seat, action):
    """What an action has been worth to a seat, anywhere."""
    whole = f.habit_visits.shape[2] - 1
    mean = f.habit_total[b, seat, whole] / max(f.habit_visits[b, seat, whole], 1.0)
    return (f.habit_total[b, seat, action] + _DOUBT * mean) / (f.habit_visits[b, seat, action] + _DOUBT)


@lean_kernel
def habitual_action(f, b, seat, n):
    """Of the `n` actions in `legal` the one that has been worth most."""
    best, most = 0, -2.0
    for j in range(n):
        worth = habit(f, b, seat, f.legal[b, j]) + _TIE * uniform(f.rng[b])
        if worth > most:
            best, most = j, worth
    return f.legal[b, best]


@lean_kernel
def play_out_by_habit(table, f, p, b):
    """As `play_out` from the lane's state, into its `value`; a share `mast` of the choices is habitual."""
    state, decisions, cutoff = f.state[b], 0, int(p[0]["cutoff"])
    for _ in range(table[c.T_MAX_LENGTH] + 1):
        seat = c.call_to_play(table[c.T_TO_PLAY], (state,))
        if seat == c.TERMINAL or (seat >= 0 and cutoff > 0 and decisions >= cutoff):
            c.call_returns(table[c.T_RETURNS], (state, f.value[b]))
            return True
        if seat == c.CHANCE:
            play_chance(table, state, f.legal[b], f.weights, f.rng[b])
            continue
        n = c.call_legal(table[c.T_LEGAL], (state, f.legal[b]))
        action = f.legal[b, 0]
        if n > 1:
            if uniform(f.rng[b]) < float(p[0]["mast"]):
                action = habitual_action(f, b, seat, n)
            else:
                action = f.legal[b, below(f.rng[b], n)]
            note(f, seat, action)
        c.call_apply(table[c.T_APPLY], (state, np.int64(action)))
        decisions += 1
    return False
