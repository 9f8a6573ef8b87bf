# mypy: ignore-errors
"""Counterfactual regret minimisation: whole iterations over the sequence form, and sampled ones over the tree."""

from typing import NamedTuple

import numpy as np
from numba import types

from engines import contract as c
from engines.kernel import lean_kernel
from engines.rng import RNG, uniform
from orion_ai.solve.form import FORM, gather
from orion_ai.solve.graph_kernels import GRAPH

__all__ = ["Sums", "external", "iterate", "outcome"]


class Sums(NamedTuple):
    """What a solver keeps, `float64[slots]` each, and scratch."""

    regret: np.ndarray
    average: np.ndarray
    """Weights of the average policy, not normalised."""
    policy: np.ndarray
    """The current policy (whole iterations)."""
    reach: np.ndarray
    """float64[places], of the current policy (whole iterations)."""
    below: np.ndarray
    """float64[places], scratch: zeros between calls."""


_I4, _F8 = types.int32[::1], types.float64[::1]
SUMS = types.NamedUniTuple(_F8, 5, Sums)


@lean_kernel
def add_regrets(f, x, state, positive, negative, weight):
    """Add an iteration's regrets of one information state; return the state's value."""
    first, end, value = f.slot[state], f.slot[state + 1], 0.0
    for s in range(first, end):
        x.average[s] += weight * x.reach[s]
        x.below[s] += gather(f, x.reach, s)
        value += x.policy[s] * x.below[s]
    for s in range(first, end):
        regret = x.regret[s] + x.below[s] - value
        x.regret[s] = regret * (positive if regret > 0.0 else negative)
        x.below[s] = 0.0
    return value


@lean_kernel
def match_regrets(f, x, state):
    """The current policy and reach of one information state, from its regrets."""
    first, end, total = f.slot[state], f.slot[state + 1], 0.0
    for s in range(first, end):
        total += max(x.regret[s], 0.0)
    before = x.reach[f.parent[state]]
    for s in range(first, end):
        x.policy[s] = max(x.regret[s], 0.0) / total if total > 0.0 else 1.0 / (end - first)
        x.reach[s] = before * x.policy[s]


@lean_kernel(types.void(FORM, SUMS, types.float64[:, ::1]))
def iterate(f, x, schedule):
    """Whole iterations, the seats in turn, each against what the others have just become.

    Args:
        f: the form.
        x: the sums so far; `policy` and `reach` belong to its regrets.
        schedule: float64[iterations, 3], of each iteration: what its regrets are multiplied by afterwards, those above
            and those below zero, and its weight in the average.
    """
    for t in range(schedule.shape[0]):
        positive, negative, weight = schedule[t, 0], schedule[t, 1], schedule[t, 2]
        for seat in range(f.state_from.shape[0] - 1):
            first, end = f.state_from[seat], f.state_from[seat + 1]
            for i in range(end - 1, first - 1, -1):
                state = f.state[i]
                x.below[f.parent[state]] += add_regrets(f, x, state, positive, negative, weight)
            for i in range(first, end):
                match_regrets(f, x, f.state[i])


@lean_kernel
def positive_sum(regret, first, n):
    total = 0.0
    for s in range(first, first + n):
        total += max(regret[s], 0.0)
    return total


@lean_kernel
def probability(regret, s, total, n):
    """Regret matching's probability of the action of slot `s`, given its state's sum of positive regrets."""
    return max(regret[s], 0.0) / total if total > 0.0 else 1.0 / n


@lean_kernel
def draw_chance(g, node, rng):
    """Which edge of a chance node, drawn by its probability."""
    left, n = uniform(rng), g.width[node]
    for k in range(n):
        left -= g.chance[g.first[node] + k]
        if left < 0.0:
            return k
    return n - 1


@lean_kernel
def draw_action(regret, first, n, total, explore, rng):
    """Which action of a state: by regret matching, with share `explore` any one."""
    left = uniform(rng)
    for k in range(n):
        left -= explore / n + (1.0 - explore) * probability(regret, first + k, total, n)
        if left < 0.0:
            return k
    return n - 1


@lean_kernel
def sample_down(g, x, node, seat, rng):
    """From `node` on to the next decision of `seat` or the end, chance's and the others' choices sampled.

    The averages of the next seat are added on the way.
    """
    while g.mover[node] != c.TERMINAL and g.mover[node] != seat:
        n = g.width[node]
        if g.mover[node] == c.CHANCE:
            k = draw_chance(g, node, rng)
        else:
            first = g.slot[g.index[node]]
            total = positive_sum(x.regret, first, n)
            if g.mover[node] == (seat + 1) % g.payoff.shape[1]:
                for j in range(n):
                    x.average[first + j] += probability(x.regret, first + j, total, n)
            k = draw_action(x.regret, first, n, total, 0.0, rng)
        node = np.int64(g.child[g.first[node] + k])
    return node


@lean_kernel
def close_state(g, x, node, values, base):
    """Regrets of the decision `node`, whose actions are worth `values` from `base` on; return what it is worth."""
    n, first, value = g.width[node], g.slot[g.index[node]], 0.0
    total = positive_sum(x.regret, first, n)
    for k in range(n):
        value += probability(x.regret, first + k, total, n) * values[base + k]
    for k in range(n):
        x.regret[first + k] += values[base + k] - value
    return value


@lean_kernel
def sample_external(g, x, stack, values, seat, rng):
    """One sample for `seat`: all its own actions are tried, depth first. Scratch as in `external`."""
    top, base, node = 0, 0, 0
    while True:
        node = sample_down(g, x, node, seat, rng)
        if g.mover[node] == seat:
            stack[0, top], stack[1, top] = node, 0
            base, top = base + g.width[node], top + 1
            node = np.int64(g.child[g.first[node]])
            continue
        value = g.payoff[g.index[node], seat]
        while top > 0:
            node, k = np.int64(stack[0, top - 1]), np.int64(stack[1, top - 1])
            n = g.width[node]
            values[base - n + k] = value
            if k + 1 < n:
                stack[1, top - 1] = k + 1
                node = np.int64(g.child[g.first[node] + k + 1])
                break
            base, top = base - n, top - 1
            value = close_state(g, x, node, values, base)
        else:
            return


@lean_kernel(types.void(GRAPH, SUMS, types.int32[:, ::1], _F8, types.int64, RNG))
def external(g, x, stack, values, iterations, rng):
    """External-sampling iterations.

    Args:
        g: the tree.
        x: the sums.
        stack: int32[2, depth], scratch.
        values: float64[depth * most actions], scratch.
        iterations: how many.
        rng: the generator.
    """
    for _ in range(iterations):
        for seat in range(g.payoff.shape[1]):
            sample_external(g, x, stack, values, seat, rng)


@lean_kernel
def sample_path(g, x, path, reach, seat, explore, rng):
    """Play one game down the tree, `seat` with exploration; the averages of the others are added on the way.

    Args:
        g: the tree.
        x: the sums.
        path: int32[2, depth], gets the nodes and the edges taken.
        reach: float64[seats + 1], gets each seat's reach of the end; in the last place, probability with which the
            seats' choices were sampled. Chance cancels out and is left out.
        seat: who learns.
        explore: share of its choices that are any action.
        rng: the generator.

    Returns:
        length of the path without the end, and the end's node.
    """
    players, node, depth = g.payoff.shape[1], 0, 0
    for p in range(players + 1):
        reach[p] = 1.0
    while g.mover[node] != c.TERMINAL:
        mover, n = g.mover[node], g.width[node]
        if mover == c.CHANCE:
            k = draw_chance(g, node, rng)
        else:
            first = g.slot[g.index[node]]
            total = positive_sum(x.regret, first, n)
            share = explore if mover == seat else 0.0
            if mover != seat:
                for j in range(n):
                    weight = reach[mover] / reach[players]
                    x.average[first + j] += weight * probability(x.regret, first + j, total, n)
            k = draw_action(x.regret, first, n, total, share, rng)
            chosen = probability(x.regret, first + k, total, n)
            reach[mover] *= chosen
            reach[players] *= share / n + (1.0 - share) * chosen
        path[0, depth], path[1, depth] = node, k
        node, depth = g.child[g.first[node] + k], depth + 1
    return depth, node


@lean_kernel(types.void(GRAPH, SUMS, types.int32[:, ::1], _F8, types.float64, types.int64, RNG))
def outcome(g, x, path, reach, explore, iterations, rng):
    """Outcome-sampling iterations; scratch and `explore` as in `sample_path`."""
    players = g.payoff.shape[1]
    for _ in range(iterations):
        for seat in range(players):
            depth, end = sample_path(g, x, path, reach, seat, explore, rng)
            # What the end is worth, by the others' reach: of the whole path, since what they do below counts too.
            weight = g.payoff[g.index[end], seat] / reach[players]
            for p in range(players):
                if p != seat:
                    weight *= reach[p]
            tail = 1.0
            for d in range(depth - 1, -1, -1):
                node, k = path[0, d], path[1, d]
                if g.mover[node] != seat:
                    continue
                n, first = g.width[node], g.slot[g.index[node]]
                total = positive_sum(x.regret, first, n)
                chosen = probability(x.regret, first + k, total, n)
                for j in range(n):
                    gain = 1.0 if j == k else 0.0
                    x.regret[first + j] += weight * tail * (gain - chosen)
                tail *= chosen
