# mypy: ignore-errors
"""Moves without a tree: chance, playouts, and batches of decisions by a policy that needs no search."""

import math

import numpy as np
from numba import types

from engines import contract as c
from engines.kernel import kernel, lean_kernel
from engines.rng import below, mix, uniform
from orion_ai.search.forest import SCRIPTED, TABLE

__all__ = ["choose_from_logits", "choose_random", "choose_scripted", "dirichlet", "play_chance", "play_out"]

WORLDS, KEYS, ACTIONS = types.uint8[:, ::1], types.uint64[::1], types.int32[::1]


@lean_kernel
def draw_outcome(weights, n, rng):
    """A place among `n` outcomes, drawn by `weights`."""
    total = 0
    for i in range(n):
        total += weights[i]
    left = uniform(rng) * float(total)
    for i in range(n):
        left -= float(weights[i])
        if left < 0.0:
            return i
    return n - 1


@lean_kernel
def draw_share(shares, n, rng):
    """A place among `n`, drawn by its share; the shares sum to 1, and where one is 0 nothing is drawn."""
    left, chosen = uniform(rng), -1
    for j in range(n):
        if shares[j] > 0.0:
            chosen = j
            left -= shares[j]
            if left < 0.0:
                break
    return chosen


@lean_kernel
def play_chance(table, state, ids, weights, rng):
    """Apply one chance outcome, drawn by its weight."""
    n = c.call_legal(table[c.T_LEGAL], (state, ids))
    c.call_weights(table[c.T_WEIGHTS], (state, weights))
    c.call_apply(table[c.T_APPLY], (state, np.int64(ids[draw_outcome(weights, n, rng)])))


@lean_kernel
def simple_action(table, state, ids, n, scripted, rng):
    """An action for the mover among the `n` legal `ids`: by the game's scripted policy, or any one."""
    if n > 1 and scripted:
        return c.call_scripted(table[c.T_SCRIPTED], (state, rng))
    return np.int64(ids[below(rng, n) if n > 1 else 0])


@lean_kernel
def play_out(table, state, ids, weights, leaf, cutoff, rng, out):
    """Play on from `state`, in place, to the end or for `cutoff` decisions; `out` gets the utilities.

    Returns:
        whether the game came to an end or the cut within the longest game that the engine declares.
    """
    decisions = 0
    for _ in range(table[c.T_MAX_LENGTH] + 1):
        seat = c.call_to_play(table[c.T_TO_PLAY], (state,))
        if seat == c.TERMINAL or (seat >= 0 and cutoff > 0 and decisions >= cutoff):
            c.call_returns(table[c.T_RETURNS], (state, out))
            return True
        if seat == c.CHANCE:
            play_chance(table, state, ids, weights, rng)
            continue
        n = c.call_legal(table[c.T_LEGAL], (state, ids))
        action = simple_action(table, state, ids, n, leaf == SCRIPTED, rng)
        c.call_apply(table[c.T_APPLY], (state, action))
        decisions += 1
    return False


@kernel(types.void(TABLE, WORLDS, KEYS, ACTIONS))
def choose_random(table, worlds, keys, out):
    """A uniform legal action for each world, drawn by its key."""
    ids, rng = np.empty(table[c.T_MAX_LEGAL], np.int32), np.zeros(2, np.uint64)
    for b in range(worlds.shape[0]):
        rng[0], rng[1] = mix(keys[b], np.uint64(1)), np.uint64(0)
        n = c.call_legal(table[c.T_LEGAL], (worlds[b], ids))
        out[b] = ids[below(rng, n)]


@kernel(types.void(TABLE, WORLDS, KEYS, ACTIONS))
def choose_scripted(table, worlds, keys, out):
    """The scripted policy's action for each world; its dice, if any, are drawn by the key."""
    rng = np.zeros(2, np.uint64)
    for b in range(worlds.shape[0]):
        rng[0], rng[1] = mix(keys[b], np.uint64(2)), np.uint64(0)
        out[b] = c.call_scripted(table[c.T_SCRIPTED], (worlds[b], rng))


@lean_kernel
def draw_from_logits(logits, ids, n, temperature, rng):
    """An id drawn from the softmax of `logits` / `temperature` over the first `n` of `ids`; at 0 the likeliest."""
    high, best, total = -math.inf, 0, 0.0
    for j in range(n):
        if logits[ids[j]] > high:
            high, best = float(logits[ids[j]]), j
    if temperature <= 0.0:
        return ids[best]
    for j in range(n):
        total += math.exp((float(logits[ids[j]]) - high) / temperature)
    left = uniform(rng) * total
    for j in range(n):
        left -= math.exp((float(logits[ids[j]]) - high) / temperature)
        if left < 0.0:
            return ids[j]
    return ids[n - 1]


@kernel(types.void(TABLE, WORLDS, KEYS, types.float32[:, ::1], types.float64, ACTIONS))
def choose_from_logits(table, worlds, keys, logits, temperature, out):
    """An action for each world from its row of a network's logits, see `draw_from_logits`."""
    ids, rng = np.empty(table[c.T_MAX_LEGAL], np.int32), np.zeros(2, np.uint64)
    for b in range(worlds.shape[0]):
        rng[0], rng[1] = mix(keys[b], np.uint64(3)), np.uint64(0)
        n = c.call_legal(table[c.T_LEGAL], (worlds[b], ids))
        out[b] = draw_from_logits(logits[b], ids, n, temperature, rng)


@lean_kernel
def gamma_variate(alpha, rng):
    """A Gamma(alpha, 1) variate (Marsaglia and Tsang 2000, with their boost below 1)."""
    boost = 1.0
    if alpha < 1.0:
        boost = math.exp(math.log(max(uniform(rng), 1e-300)) / alpha)
        alpha += 1.0
    d = alpha - 1.0 / 3.0
    k = 1.0 / math.sqrt(9.0 * d)
    while True:
        radius = math.sqrt(-2.0 * math.log(1.0 - uniform(rng)))
        x = radius * math.cos(2.0 * math.pi * uniform(rng))
        v = (1.0 + k * x) ** 3
        if v > 0.0 and math.log(max(uniform(rng), 1e-300)) < 0.5 * x * x + d - d * v + d * math.log(v):
            return boost * d * v


@lean_kernel
def dirichlet(n, total, rng, out):
    """A draw from the symmetric Dirichlet distribution whose `n` parameters sum to `total`."""
    mass = 0.0
    for j in range(n):
        out[j] = gamma_variate(total / n, rng)
        mass += out[j]
    for j in range(n):
        out[j] = out[j] / mass if mass > 0.0 else 1.0 / n
