# mypy: ignore-errors
"""Where it begins: the roots of a search, and the fresh world of every simulation with its weight and randomness."""

import math

import numpy as np
from numba import types

from engines import contract as c
from engines.kernel import lean_kernel
from engines.rng import mix, uniform
from orion_ai.search.forest import (
    GUMBEL,
    MIX,
    MOST_WEIGHT,
    OOS,
    ORACLE,
    PARTICLES,
    PUBLIC_WORLDS,
    REDEAL,
    ROOT,
    SECRET,
    UNIFORM,
    WALKING,
    WEIGHTED,
)
from orion_ai.search.gumbel import gumbel_noise, write_schedule
from orion_ai.search.handle import HANDLE, opened
from orion_ai.search.nodes import add_node, find_slot, is_mixed
from orion_ai.search.playout import dirichlet
from orion_ai.search.secret import is_secret

_ROOT_NOISE, _REFERENCE, _POOL = np.uint64(0x6E6F697365), np.uint64(0x7765696768), np.uint64(0x706F6F6C)
_DRAW, _GOLDEN_RATIO = np.uint64(0x64726177), 0.6180339887498949
_UNSCHEDULED = 1 << 40


@lean_kernel
def copy_root(f, b):
    for i in range(f.roots.shape[1]):
        f.state[b, i] = f.roots[b, i]


@lean_kernel
def searchers(p, i):
    """How many of the first `i` simulations are for the searcher's nodes (`weighted`: in private worlds): all, or a
    share, evenly spread.
    """
    two_kinds = p[0]["worlds"] == MIX or p[0]["worlds"] == REDEAL or p[0]["worlds"] == WEIGHTED
    return math.floor(i * float(p[0]["mix_delta"])) if two_kinds else int(i)


@lean_kernel
def take_particle(f, b, index):
    """Put a particle into the lane's state: the one at u + index * golden ratio (mod 1) in the sums of their weights.

    That is a systematic draw whatever the number of simulations: of any n in a row each particle gets its share of
    them, give or take a few.
    """
    at = float(mix(f.lane[b]["key"], _DRAW) >> np.uint64(11)) * 2.0**-53 + index * _GOLDEN_RATIO
    at -= math.floor(at)
    low, high = 0, f.particle.shape[1] - 1
    while low < high:
        middle = (low + high) // 2
        if f.particle_sum[b, middle] > at:
            high = middle
        else:
            low = middle + 1
    for i in range(f.roots.shape[1]):
        f.state[b, i] = f.particle[b, low, i]


@lean_kernel
def sample_world(table, f, p, b, private):
    """Put a fresh world into the lane's state; return ln of its weight."""
    if p[0]["algorithm"] == OOS:
        for i in range(f.opening.shape[0]):
            f.state[b, i] = f.opening[i]
        return 0.0
    copy_root(f, b)
    if p[0]["worlds"] == ORACLE or (p[0]["open"] != 0 and f.lane[b]["done"] > 0):
        return 0.0
    seat = np.int64(f.lane[b]["seat"]) if private else np.int64(c.PUBLIC)
    return c.call_determinize(table[c.T_DETERMINIZE], (f.state[b], seat, f.rng[b]))


@lean_kernel
def weight_references(table, f, p, b):
    """Estimate the mean weight of private and of public worlds, so that visits keep their scale.

    A sampler that is exact says 0 twice and costs two worlds; another one costs 32.
    """
    lane = f.lane[b]
    for kind in range(2):
        both = p[0]["worlds"] == MIX or p[0]["worlds"] == WEIGHTED
        used = both or (p[0]["worlds"] == PUBLIC_WORLDS) == (kind == 1)
        lane["reference"][kind] = 0.0
        if p[0]["worlds"] == ORACLE or p[0]["worlds"] == PARTICLES or not used:
            continue
        f.rng[b, 0], f.rng[b, 1] = mix(mix(lane["key"], _REFERENCE), np.uint64(kind)), np.uint64(0)
        high, total, exact = -math.inf, 0.0, True
        for i in range(32):
            if i == 2 and exact:
                break
            ln = sample_world(table, f, p, b, kind == 0)
            exact = exact and ln == 0.0
            if ln == -math.inf:
                continue
            if ln > high:
                total *= math.exp(high - ln)
                high = ln
            total += math.exp(ln - high)
        if total > 0.0 and not exact:
            lane["reference"][kind] = high + math.log(total / 32.0)


@lean_kernel
def draw_root_noise(f, p, b, n):
    lane = f.lane[b]
    f.rng[b, 0], f.rng[b, 1] = mix(lane["key"], _ROOT_NOISE), np.uint64(0)
    if p[0]["algorithm"] == GUMBEL:
        for j in range(n):
            f.root_noise[b, j] = uniform(f.rng[b]) + 2.0**-54
        gumbel_noise(n, f.root_noise[b], float(p[0]["gumbel_scale"]))
    elif float(p[0]["noise_share"]) > 0.0:
        dirichlet(n, float(p[0]["noise_total"]), f.rng[b], f.root_noise[b])


@lean_kernel(types.void(HANDLE, types.int64))
def start(handle, lanes):
    """Empty the first `lanes` lanes and make their roots; key, seat, budget and noisy of each are set by the caller."""
    f = opened(handle)
    table, p = f.table, f.parameters
    for b in range(lanes):
        lane = f.lane[b]
        for i in range(f.slot.shape[1]):
            f.slot[b, i] = -1
        for i in range(f.baseline_key.shape[1]):
            f.baseline_key[b, i] = 0
        lane["nodes"], lane["edges"], lane["done"], lane["broken"], lane["refused"] = 0, 0, 0, 0, 0
        lane["weights"], lane["weights_squared"], lane["depths"] = 0.0, 0.0, 0
        lane["publics"], lane["alike"] = 0, 0
        lane["max_depth"], lane["evaluations"], lane["length"], lane["depth"], lane["decisions"] = 0, 0, 0, 0, 0
        seat = int(lane["seat"])
        weight_references(table, f, p, b)
        copy_root(f, b)
        n = c.call_legal(table[c.T_LEGAL], (f.state[b], f.legal[b]))
        key = mix(c.call_info_key(table[c.T_INFO_KEY], (f.state[b], np.int64(seat))), np.uint64(seat))
        lane["leaf"] = add_node(f, b, find_slot(f, b, key), key, seat)
        if p[0]["simultaneous"] != 0 and is_secret(table, f.roots[b], f.legal[b], n, seat, f.trial):
            f.node_kind[b, 0] = SECRET
        lane["mover"], lane["legal"], lane["root_actions"], lane["status"] = seat, n, n, ROOT
        for j in range(n):
            f.root_count[b, j] = 0
        draw_root_noise(f, p, b, n)
        if p[0]["algorithm"] == GUMBEL:
            scheduled = searchers(p, int(lane["budget"]))
            write_schedule(min(n, p[0]["considered"], scheduled), scheduled, f.schedule[b])


@lean_kernel
def lead(f, b, n):
    """By how many visits the root's most visited action leads."""
    first, second = -1.0, -math.inf
    for j in range(n):
        visits = float(f.edge_visits[b, j])
        if visits > first:
            first, second = visits, first if j > 0 else second
        elif visits > second:
            second = visits
    return first - second


@lean_kernel
def is_spent(f, p, b):
    """Whether the lane's budget allows no other simulation, or (`stop_early`) none that could change the action.

    Worlds with weights can do so however few are left, and where a bandit decides, any.
    """
    lane, limit = f.lane[b], int(p[0]["evaluations"])
    done, left = int(lane["done"]), int(lane["budget"]) - int(lane["done"])
    if left <= 0 or (limit > 0 and lane["evaluations"] >= limit):
        return True
    if p[0]["stop_early"] == 0 or done == 0 or float(lane["weights"]) != float(done) or is_mixed(f, p, b, 0):
        return False
    n = int(lane["root_actions"])
    return (n == 1 or done > left) and lead(f, b, n) > left


@lean_kernel
def reseed(f, b, key, private):
    f.rng[b, 0], f.rng[b, 1] = mix(key, np.uint64(private)), np.uint64(0)


@lean_kernel
def outweigh(table, f, p, b, private):
    """Under `weighted`, by how much the world at hand counts more at opponents' nodes than at the searcher's.

    Opponents do not know what the searcher knows: their nodes shall learn from worlds as `public` deals them, with
    probability p. They are dealt with probability delta p' + (1 - delta) p, where p' is that of a private deal: p over
    the share of public deals in which the searcher knows the same as at the root, or 0 where it knows something else.
    The ratio is the weight (the balance heuristic of multiple importance sampling; Veach and Guibas 1995). The share is
    counted as worlds come, with half a world of either sort to begin with. The searcher's own nodes need no weight:
    given what it knows, both kinds deal alike.
    """
    lane, delta = f.lane[b], float(p[0]["mix_delta"])
    alike = private
    if not private:
        seat = np.int64(lane["seat"])
        key = mix(c.call_info_key(table[c.T_INFO_KEY], (f.state[b], seat)), np.uint64(seat))
        alike = key == f.node_key[b, 0]
        lane["publics"] = int(lane["publics"]) + 1
        lane["alike"] = int(lane["alike"]) + (1 if alike else 0)
    if not alike:
        return 1.0 / (1.0 - delta)
    share = (int(lane["alike"]) + 0.5) / (int(lane["publics"]) + 1.0)
    return 1.0 / (delta / share + 1.0 - delta)


@lean_kernel
def begin(table, f, p, b):
    """Start a simulation: its generator, its world and the world's weight.

    Under Gumbel all actions of one round of the halving meet the same worlds and chance: the round names the generator.
    So it does under `uniform`. Worlds of a pool come back, the chance in them does not.
    """
    lane = f.lane[b]
    i = int(lane["done"])
    past = searchers(p, i)
    own = searchers(p, i + 1) > past
    private = p[0]["worlds"] != PUBLIC_WORLDS and (own or p[0]["worlds"] == REDEAL)
    turn = past if own else i - past
    index, seat, players = i, int(lane["seat"]), f.value.shape[1]
    lane["viewer"] = seat if own else (seat + 1 + turn % max(players - 1, 1)) % players
    if p[0]["algorithm"] == GUMBEL and not is_mixed(f, p, b, 0):
        if own:
            lane["required"] = f.schedule[b, past]
            index = turn = int(lane["required"])
        else:
            index = i + _UNSCHEDULED
    elif p[0]["algorithm"] == UNIFORM:
        index = turn = i // int(lane["root_actions"])
    pool, ln = int(p[0]["world_pool"]), 0.0
    if pool > 0:
        lane["world"] = turn % pool
        reseed(f, b, mix(mix(lane["key"], _POOL), np.uint64(lane["world"])), private)
        ln = sample_world(table, f, p, b, private)
    reseed(f, b, mix(lane["key"], np.uint64(index)), private)
    if p[0]["worlds"] == PARTICLES:
        take_particle(f, b, index)
    elif pool == 0:
        ln = sample_world(table, f, p, b, private)
    over = ln - float(lane["reference"][0 if private else 1])
    lane["weight"] = 1.0 if over == 0.0 else math.exp(min(over, MOST_WEIGHT))
    lane["private"] = private
    lane["outweigh"] = outweigh(table, f, p, b, private) if p[0]["worlds"] == WEIGHTED else 1.0
    lane["length"], lane["depth"], lane["decisions"], lane["secret"], lane["status"] = 0, 0, 0, 0, WALKING
