# mypy: ignore-errors
"""Decisions drawn from the network's policy, and what their outcomes teach, compiled."""

import numpy as np

from engines import contract as c
from engines.kernel import kernel
from engines.rng import mix, uniform


@kernel
def mixed(keys, purpose):
    """uint64[B]: `mix(key, purpose)` for each key."""
    out = np.empty(keys.shape[0], np.uint64)
    for i in range(keys.shape[0]):
        out[i] = mix(keys[i], purpose)
    return out


@kernel
def uniforms(keys):
    """float64[B]: a number in [0, 1) from the generator (key, 0) of each key."""
    out, rng = np.empty(keys.shape[0]), np.zeros(2, np.uint64)
    for i in range(keys.shape[0]):
        rng[0], rng[1] = keys[i], np.uint64(0)
        out[i] = uniform(rng)
    return out


@kernel
def draw_actions(table, worlds, keys, logits, policy, actions):
    """Softmax of each row of logits over what is legal in its world, into `policy` (float32[B, A], zeros elsewhere);
    and an action drawn from it with the generator (key, 0).
    """
    ids, rng = np.empty(table[c.T_MAX_LEGAL], np.int32), np.zeros(2, np.uint64)
    for b in range(worlds.shape[0]):
        n = c.call_legal(table[c.T_LEGAL], (worlds[b], ids))
        best = -np.inf
        for i in range(n):
            best = max(best, np.float64(logits[b, ids[i]]))
        total = 0.0
        policy[b, :] = np.float32(0.0)
        for i in range(n):
            share = np.exp(np.float64(logits[b, ids[i]]) - best)
            policy[b, ids[i]] = np.float32(share)
            total += share
        rng[0], rng[1] = keys[b], np.uint64(0)
        left = uniform(rng) * total
        chosen = -1
        for i in range(n):
            share = np.float64(policy[b, ids[i]])
            if share > 0.0 and left >= 0.0:
                chosen = i
            left -= share
            policy[b, ids[i]] = np.float32(share / total)
        actions[b] = ids[chosen]


@kernel
def lambda_returns(values, returns, trace, out):
    """Fill out[K, P]: (1 - trace) values[k + 1] + trace out[k + 1], the last one `returns`."""
    for p in range(values.shape[1]):
        following = np.float64(returns[p])
        for k in range(values.shape[0] - 1, -1, -1):
            out[k, p] = np.float32(following)
            following = (1.0 - trace) * np.float64(values[k, p]) + trace * following
