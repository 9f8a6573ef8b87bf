# mypy: ignore-errors
"""The lanes of growing-tree CFR: started, driven, and read off at the end."""

import math

import numpy as np
from numba import types

from engines import contract as c
from engines.kernel import lean_kernel
from engines.rng import mix, uniform
from orion_ai.search.forest import NETWORK, NOT_FINITE, TABLE
from orion_ai.search.gt_cfr_grow import grow, write_rows
from orion_ai.search.gt_cfr_parts import forget_sets, meet_set, new_node
from orion_ai.search.gt_cfr_sweep import reach_down, run_sweeps, settle_on_average, worth_up
from orion_ai.search.gt_cfr_tree import GROVE, IDLE, READY, ROOT, SETTINGS, VALUED, WAITING
from orion_ai.search.nodes import set_key
from orion_ai.search.rows import read_views

__all__ = ["accept", "advance", "read_roots", "start"]

MATRIX = types.float32[:, ::1]
_ACT = np.uint64(0x616374)
_WORTH_KEEPING = 0.25
"""Least share of games that end inside of a tree from the start of the game, for it to be kept."""


@lean_kernel(types.void(TABLE, GROVE, SETTINGS, types.int64, types.boolean))
def plant(table, t, p, b, from_start):
    """An empty tree: node 0 without a world, the edges of worlds first of all, and the searcher's set as set 0."""
    lane = t.lane[b]
    forget_sets(t, b)
    lane["nodes"], lane["edges"], lane["sets"], lane["slots"], lane["worlds"] = 0, t.world.shape[1], 0, 0, 0
    lane["from_start"], lane["met"], lane["turn"], lane["credit"] = from_start, 0, 0, 0.0
    lane["reference"], lane["agreeing"], lane["public"] = 0.0, 0.0, 0.0
    for seat in range(t.turn.shape[1]):
        t.turn[b, seat]["time"], t.turn[b, seat]["nodes"] = 0.0, 0
    new_node(t, b, -1, c.CHANCE)
    t.node[b, 0]["first"] = 0
    for k in range(t.world.shape[1]):
        t.edge[b, k]["child"], t.edge[b, k]["share"] = -1, 0.0
    seat = np.int64(lane["seat"])
    n = c.call_legal(table[c.T_LEGAL], (t.roots[b], t.legal))
    meet_set(t, p, b, set_key(table, t.roots[b], seat), seat, n)
    lane["status"] = ROOT if p[0]["leaf"] == NETWORK else READY


@lean_kernel(types.void(TABLE, GROVE, SETTINGS, types.int64))
def start(table, t, p, lanes):
    """Plant the first `lanes` lanes; key, seat and budget of each are set by the caller."""
    for b in range(lanes):
        lane = t.lane[b]
        lane["done"], lane["broken"], lane["refused"], lane["evaluations"] = 0, 0, 0, 0
        lane["depths"], lane["depth"], lane["max_depth"], lane["late"] = 0, 0, 0, 0
        plant(table, t, p, b, p[0]["whole_game"] != 0)


@lean_kernel
def games_that_end(t, p, b):
    """The share of the games played by the current policies that come to their end inside of the tree."""
    total = 0.0
    reach_down(t, p, b, t.turn.shape[1])  # for no seat: all of a history's probability is the others'
    for h in range(int(t.lane[b]["nodes"])):
        if t.node[b, h]["seat"] == c.TERMINAL:
            total += float(t.node[b, h]["other"])
    return total


@lean_kernel
def begin(table, t, p, b, late, rows, observations):
    """Begin a simulation of a lane that is ready, if its budget allows; return the next row.

    A tree that was grown from the start of the game is given up for one from the worlds of the present if it has not
    come to the searcher's set when half of the budget is used up, or is mostly leaves then.
    """
    lane, limit = t.lane[b], int(p[0]["evaluations"])
    if lane["done"] >= lane["budget"] or (limit > 0 and lane["evaluations"] >= limit):
        lane["status"] = IDLE
        return rows
    if late or 2 * (lane["done"] + 1) > lane["budget"] or (limit > 0 and 2 * lane["evaluations"] >= limit):
        decides = lane["late"] == 0 and lane["from_start"] != 0
        lane["late"] = 1
        if decides and (lane["met"] == 0 or games_that_end(t, p, b) < _WORTH_KEEPING):
            plant(table, t, p, b, False)
            return rows
    lane["row"], lane["status"] = rows, VALUED
    rows = grow(table, t, p, b, rows, observations)
    if lane["status"] == VALUED and rows > lane["row"]:
        lane["status"], lane["evaluations"] = WAITING, int(lane["evaluations"]) + rows - int(lane["row"])
    return rows


@lean_kernel
def finish(table, t, p, b):
    """End a simulation."""
    lane = t.lane[b]
    run_sweeps(table, t, p, b)
    lane["done"] = int(lane["done"]) + 1
    lane["depths"] = int(lane["depths"]) + int(lane["depth"])
    lane["max_depth"] = max(int(lane["max_depth"]), int(lane["depth"]))
    lane["status"] = READY


@lean_kernel(types.int64(TABLE, GROVE, SETTINGS, types.int64, types.int64, types.boolean, types.int16[:, ::1]))
def advance(table, t, p, lanes, limit, late, observations):
    """Bring the first `lanes` lanes to where each needs an evaluation, and write what is to be evaluated.

    Simulations that need none end on the way, at most `limit` of a lane in one call. `late` says that half of the
    time is used up.

    Returns:
        rows written to `observations`; -1 when all lanes are idle.
    """
    rows, idle = 0, 0
    for b in range(lanes):
        lane = t.lane[b]
        for _ in range(limit):
            if lane["status"] == VALUED:
                finish(table, t, p, b)
            if lane["status"] == READY:
                rows = begin(table, t, p, b, late, rows, observations)
            if lane["status"] != VALUED:
                break
        if lane["status"] == ROOT:
            lane["row"] = rows
            rows = write_rows(table, t, p, b, np.int64(lane["seat"]), rows, t.roots[b], observations)
            lane["evaluations"] = int(lane["evaluations"]) + rows - int(lane["row"])
        if lane["status"] == IDLE:
            idle += 1
    return -1 if idle == lanes else rows


@lean_kernel
def set_prior(t, b, i, logits):
    """Make the softmax of `logits` a set's prior, if it has none; whether they are finite."""
    found, high, total, sound = t.set[b, i], -math.inf, 0.0, True
    first, end = int(found["first"]), int(found["first"]) + int(found["width"])
    for s in range(first, end):
        x = float(logits[t.slot[b, s]["action"]])
        high, sound = max(high, x), sound and math.isfinite(x)
    if found["known"] != 0 or not sound:
        return sound
    found["known"] = 1
    for s in range(first, end):
        slot = t.slot[b, s]
        slot["prior"] = max(math.exp(float(logits[slot["action"]]) - high), 1e-30)
        total += float(slot["prior"])
    for s in range(first, end):
        slot = t.slot[b, s]
        slot["prior"] = slot["policy"] = float(slot["prior"]) / total
    return True


@lean_kernel
def read_rows(t, p, b, h, row, logits, values):
    """Hand a leaf its rows of the evaluator's answer; return the next row, -1 if a number is not finite."""
    node = t.node[b, h]
    if not set_prior(t, b, int(node["set"]), logits[row]):
        return -1
    return read_views(values, row, int(node["seat"]), int(t.lane[b]["seat"]), int(p[0]["values"]), t.value[b, h])


@lean_kernel(types.void(TABLE, GROVE, SETTINGS, types.int64, MATRIX, MATRIX))
def accept(table, t, p, lanes, logits, values):
    """Hand every waiting lane its rows of the evaluator's answer."""
    for b in range(lanes):
        lane = t.lane[b]
        row = int(lane["row"])
        if lane["status"] == ROOT:
            lane["status"] = READY
            row = 0 if set_prior(t, b, 0, logits[row]) else -1
        elif lane["status"] == WAITING:
            lane["status"] = VALUED
            for h in range(int(lane["fresh"]), int(lane["nodes"])):
                if row >= 0 and t.node[b, h]["seat"] >= 0:
                    row = read_rows(t, p, b, h, row, logits, values)
        if row < 0:
            lane["broken"], lane["status"] = NOT_FINITE, IDLE


@lean_kernel
def read_values(t, p, b, visits, q, available, value):
    """Visits, and values where everybody keeps to the average policy, of the searcher's set and its actions."""
    searcher, count, mass = int(t.lane[b]["seat"]), int(t.lane[b]["nodes"]), 0.0
    reach_down(t, p, b, searcher)
    for h in range(count):
        if t.node[b, h]["set"] == 0 and t.node[b, h]["first"] >= 0:
            mass += float(t.node[b, h]["other"])
    for seat in range(value.shape[0]):
        worth_up(t, b, seat)
        total = 0.0
        for h in range(count):
            node = t.node[b, h]
            if node["set"] != 0 or node["first"] < 0:
                continue
            weight = float(node["other"]) / mass if mass > 0.0 else 0.0
            total += weight * float(node["worth"])
            for e in range(int(node["first"]), int(node["first"]) + int(node["width"]) if seat == searcher else 0):
                a, child = t.edge[b, e]["action"], t.node[b, t.edge[b, e]["child"]]
                q[a] += weight * float(child["worth"])
                visits[a] += float(child["visits"]) + 1.0  # to be made and valued is a visit too
                available[a] += float(node["visits"]) + 1.0
        value[seat] = total


@lean_kernel
def draw_action(t, b, first, end, best, temperature):
    """The slot drawn from the policy to the power 1 / temperature; `best` is the likeliest of `first` to `end`."""
    t.rng[b, 0], t.rng[b, 1] = mix(t.lane[b]["key"], _ACT), np.uint64(0)
    high, total = float(t.slot[b, best]["policy"]), 0.0
    for s in range(first, end):
        total += (float(t.slot[b, s]["policy"]) / high) ** (1.0 / temperature)
    left = uniform(t.rng[b]) * total
    for s in range(first, end):
        left -= (float(t.slot[b, s]["policy"]) / high) ** (1.0 / temperature)
        if left < 0.0:
            return s
    return best


@lean_kernel(types.void(GROVE, SETTINGS, types.int64, types.int32[::1], *[MATRIX] * 6))
def read_roots(t, p, lanes, action, policy, value, visits, q, available, prior):
    """Read every lane off into arrays over all action ids (zeroed by the caller); `value` by absolute seat.

    The action is the likeliest one of the average policy, of equals the better one, or, with a temperature, drawn.
    """
    for b in range(lanes):
        settle_on_average(t, b)
        read_values(t, p, b, visits[b], q[b], available[b], value[b])
        first, end = int(t.set[b, 0]["first"]), int(t.set[b, 0]["first"]) + int(t.set[b, 0]["width"])
        best = first
        for s in range(first, end):
            a, x, most = t.slot[b, s]["action"], float(t.slot[b, s]["policy"]), float(t.slot[b, best]["policy"])
            policy[b, a], prior[b, a] = x, t.slot[b, s]["prior"]
            if x > most or (x == most and q[b, a] > q[b, t.slot[b, best]["action"]]):
                best = s
        temperature = float(p[0]["temperature"])
        if temperature > 0.0:
            best = draw_action(t, b, first, end, best, temperature)
        action[b] = t.slot[b, best]["action"]
