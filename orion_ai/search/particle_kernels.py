# mypy: ignore-errors
"""Particles, compiled: records that a seat cannot tell from the truth, moved on and weighed as the seat learns more."""

import math

import numpy as np
from numba import types

from engines import contract as c
from engines.kernel import kernel
from engines.rng import below, mix, uniform
from orion_ai.search.forest import TABLE

__all__ = ["name_generators", "observe_movers", "renew_particles", "walk_particles"]

UNIFORM_POLICY, SCRIPTED_POLICY, NETWORK_POLICY = 1, 2, 3
"""Numbers of the choices of `search.particle_policy`, in its order (0 is none)."""
OTHERWISE, SILENT, ARRIVES = range(3)
"""What an event would do to a particle: tell the seat something else, nothing, or what it has come to know."""
BLOCK, WEIGHTS, FLAGS, ROWS = types.uint8[:, ::1], types.float64[::1], types.int64[::1], types.float32[:, ::1]
_TRIES = 8
"""Worlds that are drawn for a newcomer until one is possible."""


@kernel
def copy_record(source, target):
    for i in range(source.shape[0]):
        target[i] = source[i]


@kernel
def outcome_of(table, state, seat, old, new, deciding):
    """What it would mean for the seat that the game stands at `state` now."""
    key = c.call_info_key(table[c.T_INFO_KEY], (state, seat))
    if key == new and (deciding == 0 or c.call_to_play(table[c.T_TO_PLAY], (state,)) == seat):
        return ARRIVES
    return SILENT if key == old else OTHERWISE


@kernel
def softmax_odds(logits, ids, n, odds):
    high, total = -math.inf, 0.0
    for j in range(n):
        high = max(high, float(logits[ids[j]]))
    for j in range(n):
        odds[j] = math.exp(float(logits[ids[j]]) - high)
        total += odds[j]
    for j in range(n):
        odds[j] /= total


@kernel
def event_odds(table, state, trial, mover, seat, ids, n, odds, counts, rng, policy, epsilon, logits):
    """Fill `odds` with the probabilities of the `n` events: chance by its weights, the seat itself uniformly, others by
    the policy, of which a share `epsilon` is uniform. A scripted policy is known by one draw.
    """
    for j in range(n):
        odds[j] = 1.0 / n
    if mover == c.CHANCE:
        c.call_weights(table[c.T_WEIGHTS], (state, counts))
        total = 0
        for j in range(n):
            total += counts[j]
        for j in range(n):
            odds[j] = counts[j] / total
    elif mover != seat and n > 1 and policy == SCRIPTED_POLICY:
        copy_record(state, trial)
        action = c.call_scripted(table[c.T_SCRIPTED], (trial, rng))
        for j in range(n):
            odds[j] = epsilon / n + (1.0 - epsilon if ids[j] == action else 0.0)
    elif mover != seat and n > 1 and policy == NETWORK_POLICY:
        softmax_odds(logits, ids, n, odds)
        for j in range(n):
            odds[j] = epsilon / n + (1.0 - epsilon) * odds[j]


@kernel
def shuffle_front(ids, odds, n, front, rng):
    """Bring a random choice of `front` of the `n` events to the front."""
    for j in range(front):
        k = j + below(rng, n - j)
        ids[j], ids[k] = ids[k], ids[j]
        odds[j], odds[k] = odds[k], odds[j]


@kernel
def step_particle(table, state, trial, ids, odds, counts, rng, seat, old, new, deciding, policy, epsilon, logits, most):
    """Let one event happen in a particle, drawn among those that fit what the seat has come to know.

    Returns:
        the probability of those that fit, by which the particle is to be weighed; whether it has arrived.
    """
    mover = c.call_to_play(table[c.T_TO_PLAY], (state,))
    n = 0 if mover == c.TERMINAL else c.call_legal(table[c.T_LEGAL], (state, ids))
    if n < 1:
        return 0.0, True
    event_odds(table, state, trial, mover, seat, ids, n, odds, counts, rng, policy, epsilon, logits)
    tried = min(n, most)
    if tried < n:
        shuffle_front(ids, odds, n, tried, rng)
    mass = 0.0
    for j in range(tried):
        counts[j] = OTHERWISE
        if odds[j] > 0.0:
            copy_record(state, trial)
            c.call_apply(table[c.T_APPLY], (trial, np.int64(ids[j])))
            counts[j] = outcome_of(table, trial, seat, old, new, deciding)
        if counts[j] == OTHERWISE:
            odds[j] = 0.0
        mass += odds[j]
    if mass <= 0.0:
        return 0.0, True
    left, chosen = uniform(rng) * mass, -1
    for j in range(tried):
        if odds[j] > 0.0 and (chosen < 0 or left >= 0.0):
            chosen = j
            left -= odds[j]
    c.call_apply(table[c.T_APPLY], (state, np.int64(ids[chosen])))
    return mass * n / tried, counts[chosen] == ARRIVES


@kernel(types.void(types.uint64, types.uint64[:, ::1]))
def name_generators(key, rngs):
    """A fresh generator for every particle."""
    for i in range(rngs.shape[0]):
        rngs[i, 0], rngs[i, 1] = mix(key, np.uint64(i)), np.uint64(0)


WALK = types.int64(
    TABLE, BLOCK, WEIGHTS, FLAGS, types.uint64[:, ::1], types.int64, types.uint64, types.uint64, types.int64,
    types.int64, types.float64, ROWS, FLAGS, types.int64, types.int64,
)  # fmt: skip


@kernel(WALK)
def walk_particles(
    table, records, weights, waiting, rngs, seat, old, new, deciding, policy, epsilon, logits, rows, most, steps
):
    """Move the particles that wait up to `steps` events on, to where the seat knows `new` after it knew `old`.

    Args:
        records: uint8[N, record], moved in place.
        weights: float64[N], multiplied by the probability of what was seen; 0 where it cannot have happened.
        waiting: int64[N], 1 for those that are still to arrive.
        rngs: uint64[N, 2], their generators.
        deciding: whether they must come to a decision of the seat.
        logits: of the movers, row `rows[i]` for particle i.
        most: events tried of a decision or of chance; of more, a random choice stands for all.

    Returns:
        how many still wait.
    """
    ids, counts = np.empty(table[c.T_MAX_LEGAL], np.int32), np.empty(table[c.T_MAX_LEGAL], np.int64)
    odds, trial = np.empty(table[c.T_MAX_LEGAL], np.float64), np.empty(records.shape[1], np.uint8)
    left = 0
    for i in range(records.shape[0]):
        for _ in range(steps):
            if waiting[i] == 0:
                break
            factor, arrived = step_particle(
                table, records[i], trial, ids, odds, counts, rngs[i], seat, old, new, deciding, policy, epsilon,
                logits[rows[i]], most,
            )  # fmt: skip
            weights[i] *= factor
            waiting[i] = 0 if arrived else 1
        left += waiting[i]
    return left


@kernel(types.int64(TABLE, BLOCK, FLAGS, types.int64, types.int16[:, ::1], FLAGS))
def observe_movers(table, records, waiting, seat, observations, rows):
    """Write what the mover sees in every waiting particle where another seat has a choice; return how many.

    `rows[i]` becomes the row of particle i, 0 where it needs none.
    """
    ids, n = np.empty(table[c.T_MAX_LEGAL], np.int32), 0
    for i in range(records.shape[0]):
        rows[i] = 0
        mover = c.call_to_play(table[c.T_TO_PLAY], (records[i],)) if waiting[i] != 0 else seat
        if mover != seat and mover >= 0 and c.call_legal(table[c.T_LEGAL], (records[i], ids)) > 1:
            c.call_observe(table[c.T_OBSERVE], (records[i], mover, observations[n]))
            rows[i] = n
            n += 1
    return n


@kernel
def draw_newcomers(table, records, weights, world, seat, rng):
    """Put a fresh world in the place of every particle of weight 0; together they weigh as much as their share."""
    n, newcomers, high = records.shape[0], 0, -math.inf
    logs = np.full(n, -math.inf)
    for i in range(n):
        if weights[i] > 0.0:
            continue
        newcomers += 1
        for _ in range(_TRIES):
            copy_record(world, records[i])
            logs[i] = c.call_determinize(table[c.T_DETERMINIZE], (records[i], seat, rng))
            if logs[i] > -math.inf:
                break
        high = max(high, logs[i])
    total = 0.0
    for i in range(n if high > -math.inf else 0):
        total += math.exp(logs[i] - high)
    for i in range(n if high > -math.inf else 0):
        if weights[i] == 0.0:
            weights[i] = math.exp(logs[i] - high) / total * newcomers / n
    return newcomers


@kernel
def resample(records, spare, weights, rng):
    """Systematic resampling: particle i comes floor or ceiling of N w_i times; all weigh 1 / N then."""
    n = records.shape[0]
    offset, j, passed = uniform(rng), 0, weights[0] * n
    for i in range(n):
        while i + offset >= passed and j < n - 1:
            j += 1
            passed += weights[j] * n
        copy_record(records[j], spare[i])
    for i in range(n):
        copy_record(spare[i], records[i])
        weights[i] = 1.0 / n


@kernel
def scale_to(weights, mass):
    """Scale weights to sum to `mass`; return the sum of their squares then."""
    total, squares = 0.0, 0.0
    for i in range(weights.shape[0]):
        total += weights[i]
    for i in range(weights.shape[0] if total > 0.0 else 0):
        weights[i] *= mass / total
        squares += weights[i] * weights[i]
    return squares


@kernel(types.void(TABLE, BLOCK, BLOCK, WEIGHTS, types.uint8[::1], types.int64, types.float64, types.uint64, WEIGHTS))
def renew_particles(table, records, spare, weights, world, seat, share, key, out):
    """Normalise the weights; replace lost particles where too few are left; resample where few carry the weight.

    Args:
        spare: uint8[N, record], written over.
        world: what a newcomer is sampled from.
        share: newcomers come when fewer than this share of the particles is left, or none.
        out: gets the effective number of particles, (sum w)^2 / sum w^2, as they came; the number of newcomers; the
            effective number with these.
    """
    n, left = records.shape[0], 0
    for i in range(n):
        left += 1 if weights[i] > 0.0 else 0
    squares = scale_to(weights, 1.0)
    out[0], out[1] = (1.0 / squares if squares > 0.0 else 0.0), 0.0
    rng = np.zeros(2, np.uint64)
    rng[0] = mix(key, np.uint64(n))
    if left < share * n or left == 0:
        scale_to(weights, left / n)
        out[1] = draw_newcomers(table, records, weights, world, seat, rng)
        squares = scale_to(weights, 1.0)
    out[2] = 1.0 / squares if squares > 0.0 else 0.0
    if 0.0 < out[2] < 0.5 * n:
        resample(records, spare, weights, rng)
