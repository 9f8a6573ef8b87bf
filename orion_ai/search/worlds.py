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
    ORACLE,
    PARTICLES,
    PUBLIC_WORLDS,
    ROOT,
    WALKING,
)
from orion_ai.search.gumbel import gumbel_noise, write_schedule
from orion_ai.search.handle import HANDLE, opened
from orion_ai.search.nodes import add_node, find_slot
from orion_ai.search.playout import dirichlet

_ROOT_NOISE, _REFERENCE, _DRAW = np.uint64(0x6E6F697365), np.uint64(0x7765696768), np.uint64(0x64726177)
_GOLDEN_RATIO = 0.6180339887498949
_UNSCHEDULED = 1 << 40
MOST_WEIGHT = 40.0
"""Greatest ln of a world's weight over the mean: a sum of such weights still fits into float32."""


@lean_kernel
def copy_root(f, b):
    for i in range(f.roots.shape[1]):
        f.state[b, i] = f.roots[b, i]


@lean_kernel
def world_is_private(p, i):
    """Whether simulation `i` keeps the searcher's secrets: under `mix` a share of them, evenly spread."""
    if p[0]["worlds"] == MIX:
        delta = float(p[0]["mix_delta"])
        return math.floor((i + 1) * delta) > math.floor(i * delta)
    return p[0]["worlds"] != PUBLIC_WORLDS


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
        used = p[0]["worlds"] == MIX or (p[0]["worlds"] == PUBLIC_WORLDS) == (kind == 1)
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
        lane["nodes"], lane["edges"], lane["done"], lane["broken"], lane["refused"] = 0, 0, 0, 0, 0
        lane["weights"], lane["weights_squared"], lane["depths"] = 0.0, 0.0, 0
        lane["max_depth"], lane["evaluations"], lane["length"], lane["depth"], lane["decisions"] = 0, 0, 0, 0, 0
        seat = int(lane["seat"])
        weight_references(table, f, p, b)
        copy_root(f, b)
        n = c.call_legal(table[c.T_LEGAL], (f.state[b], f.legal[b]))
        key = mix(c.call_info_key(table[c.T_INFO_KEY], (f.state[b], np.int64(seat))), np.uint64(seat))
        lane["leaf"] = add_node(f, b, find_slot(f, b, key), key, seat)
        lane["mover"], lane["legal"], lane["root_actions"], lane["status"] = seat, n, n, ROOT
        for j in range(n):
            f.root_count[b, j] = 0
        draw_root_noise(f, p, b, n)
        if p[0]["algorithm"] == GUMBEL:
            scheduled = int(lane["budget"])
            if p[0]["worlds"] == MIX:
                scheduled = math.floor(scheduled * float(p[0]["mix_delta"]))
            write_schedule(min(n, p[0]["considered"], scheduled), scheduled, f.schedule[b])


@lean_kernel
def begin(table, f, p, b):
    """Start a simulation: its generator, its world and the world's weight.

    Under Gumbel all actions of one round of the halving meet the same worlds and chance: the round names the generator.
    """
    lane = f.lane[b]
    i = int(lane["done"])
    private = world_is_private(p, i)
    index = i
    if p[0]["algorithm"] == GUMBEL:
        if private:
            past = math.floor(i * float(p[0]["mix_delta"])) if p[0]["worlds"] == MIX else i
            lane["required"] = f.schedule[b, past]
            index = int(lane["required"])
        else:
            index = i + _UNSCHEDULED
    f.rng[b, 0], f.rng[b, 1] = mix(mix(lane["key"], np.uint64(index)), np.uint64(private)), np.uint64(0)
    ln = 0.0
    if p[0]["worlds"] == PARTICLES:
        take_particle(f, b, index)
    else:
        ln = sample_world(table, f, p, b, private)
    over = ln - float(lane["reference"][0 if private else 1])
    lane["weight"] = 1.0 if over == 0.0 else math.exp(min(over, MOST_WEIGHT))
    lane["private"] = private
    lane["length"], lane["depth"], lane["decisions"], lane["status"] = 0, 0, 0, WALKING
