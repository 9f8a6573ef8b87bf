# mypy: ignore-errors
"""Gumbel search (Danihelka, Guez, Schrittwieser, Silver 2022): halving schedule, completed values, selection.

Scratch arrays hold one node's actions: `mass` their visits, `prior` the network's policy over them, `q` their values in
[-1, 1] from the mover's side (unvisited: anything). `complete` turns `q` into completed values on the scale [0, 1].
"""

import math

from engines.kernel import lean_kernel

LOWEST = -1e9
"""Scores are clamped here before actions are ruled out, so that a ruled-out action never comes back."""


@lean_kernel
def write_schedule(considered, simulations, out):
    """Sequential halving as a list: visits that the action of each simulation must already have had.

    Every phase gives each of the k actions still considered max(1, simulations / (phases k)) more visits, then keeps
    half, at least two (section 3 of the paper; with 4 and 16: 0 0 0 0 1 1 1 1 2 2 3 3 4 4 5 5).
    """
    if considered <= 1:
        for i in range(simulations):
            out[i] = i
        return
    phases = 0
    while (1 << phases) < considered:
        phases += 1
    i, left, seen = 0, considered, 0
    while i < simulations:
        for _ in range(max(1, simulations // (phases * left))):
            for _ in range(left):
                if i < simulations:
                    out[i] = seen
                    i += 1
            seen += 1
        left = max(2, left // 2)


@lean_kernel
def mixed_value(n, mass, prior, q, value):
    """v_mix: the node's own `value` and the policy-weighted values of its visited actions (paper, appendix D)."""
    visits, share, weighted = 0.0, 0.0, 0.0
    for j in range(n):
        if mass[j] > 0.0:
            visits += mass[j]
            share += prior[j]
            weighted += prior[j] * q[j]
    if share <= 0.0:
        return value
    return (value + visits * weighted / share) / (1.0 + visits)


@lean_kernel
def complete(n, mass, prior, q, value, shrink, rescale):
    """Give every action a value, in place: visited ones theirs, the others v_mix; all mapped to [0, 1]."""
    mixed = mixed_value(n, mass, prior, q, value)
    low, high = math.inf, -math.inf
    for j in range(n):
        q[j] = (mass[j] * q[j] + shrink * mixed) / (mass[j] + shrink) if mass[j] > 0.0 else mixed
        low, high = min(low, q[j]), max(high, q[j])
    for j in range(n):
        if rescale:
            q[j] = (q[j] - low) / max(high - low, 1e-8)
        else:
            q[j] = 0.5 * (q[j] + 1.0)


@lean_kernel
def sigma_scale(n, mass, c_visit, c_scale):
    """The factor of sigma(q) = (c_visit + greatest visit count) * c_scale * q (equation 8)."""
    most = 0.0
    for j in range(n):
        most = max(most, mass[j])
    return (c_visit + most) * c_scale


@lean_kernel
def improve(n, mass, prior, q, scale, out):
    """The improved policy softmax(ln prior + sigma(completed q)) (equation 11).

    Unvisited actions have one value in common, so it takes one exponential for all of them and one for each other.
    """
    high, shared, total = -math.inf, -1.0, 0.0
    for j in range(n):
        high = max(high, q[j])
    for j in range(n):
        if mass[j] > 0.0:
            factor = math.exp(scale * (q[j] - high))
        else:
            if shared < 0.0:
                shared = math.exp(scale * (q[j] - high))
            factor = shared
        out[j] = max(prior[j], 1e-37) * factor
        total += out[j]
    for j in range(n):
        out[j] /= total


@lean_kernel
def root_choice(n, start, q, scale, count, required):
    """The action with the greatest g + logit + sigma(q) among those with exactly `required` visits, or -1.

    `start` is the part of the sum that does not change: noise g plus logit.
    """
    best, best_score = -1, -math.inf
    for j in range(n):
        if count[j] == required:
            score = max(start[j] + scale * q[j], LOWEST)
            if score > best_score:
                best, best_score = j, score
    return best


@lean_kernel
def inner_choice(n, policy, mass):
    """Below the root: the action that brings the visits closest to the improved policy (equation 14)."""
    visits = 0.0
    for j in range(n):
        visits += mass[j]
    best, best_score = -1, -math.inf
    for j in range(n):
        score = policy[j] - mass[j] / (1.0 + visits)
        if score > best_score:
            best, best_score = j, score
    return best


@lean_kernel
def gumbel_noise(n, uniforms, scale):
    """Turn uniform numbers in (0, 1) into Gumbel(0, 1) noise times `scale`, in place."""
    for j in range(n):
        uniforms[j] = -scale * math.log(-math.log(uniforms[j]))
