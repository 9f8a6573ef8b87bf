# mypy: ignore-errors
"""The parts of a growing tree, made one at a time: nodes, edges, and information sets with their slots."""

import numpy as np
from numba import types

from engines.kernel import lean_kernel
from orion_ai.search.forest import NETWORK
from orion_ai.search.gt_cfr_tree import ACTIONS_DIFFER, GROVE, IDLE, SETTINGS


@lean_kernel
def break_lane(t, b, fault):
    t.lane[b]["broken"], t.lane[b]["status"] = fault, IDLE


@lean_kernel
def new_node(t, b, parent, seat):
    """A history without edges; -1 for want of room."""
    lane = t.lane[b]
    h = int(lane["nodes"])
    if h >= t.node.shape[1]:
        return -1
    lane["nodes"] = h + 1
    node = t.node[b, h]
    node["parent"], node["set"], node["first"], node["width"] = parent, -1, -1, 0
    node["visits"], node["forced"], node["seat"], node["closed"], node["aimed"] = 0, 0, seat, 0, 0
    for q in range(t.value.shape[2]):
        t.value[b, h, q] = 0.0
    return h


@lean_kernel
def give_edges(t, b, h, n):
    """Edges without children for the `n` ids in `legal`, weighted as in `weights`; whether there was room."""
    lane, node = t.lane[b], t.node[b, h]
    first = int(lane["edges"])
    if first + n > t.edge.shape[1]:
        return False
    node["first"], node["width"], lane["edges"] = first, n, first + n
    for j in range(n):
        edge = t.edge[b, first + j]
        edge["action"], edge["child"], edge["weight"], edge["share"] = t.legal[j], -1, float(t.weights[j]), 0.0
    return True


@lean_kernel
def find_set(t, b, key):
    """Where `key` stands in the lane's table, or the empty place where it would."""
    mask = t.table.shape[1] - 1
    i = np.int64(key & np.uint64(mask))
    while t.table[b, i] > 0 and t.set[b, t.table[b, i] - 1]["key"] != key:
        i = (i + 1) & mask
    return i


@lean_kernel
def forget_sets(t, b):
    """Empty the lane's table: from the place of each set on, up to the next empty one."""
    mask = t.table.shape[1] - 1
    for i in range(int(t.lane[b]["sets"])):
        place = np.int64(t.set[b, i]["key"] & np.uint64(mask))
        while t.table[b, place] > 0:
            t.table[b, place] = 0
            place = (place + 1) & mask


@lean_kernel(types.int64(GROVE, SETTINGS, types.int64, types.uint64, types.int64, types.int64))
def meet_set(t, p, b, key, seat, n):
    """The set of `key`, made if it is new, with a slot for each of the `n` actions in `legal`; -1 for want of room.

    Without a network all priors are alike; with one they come with its answer.
    """
    lane, place = t.lane[b], find_set(t, b, key)
    i = int(t.table[b, place]) - 1
    if i >= 0:
        if t.set[b, i]["width"] != n:
            break_lane(t, b, ACTIONS_DIFFER)
        return i
    i, first = int(lane["sets"]), int(lane["slots"])
    if i >= t.set.shape[1] or first + n > t.slot.shape[1]:
        return -1
    lane["sets"], lane["slots"], t.table[b, place] = i + 1, first + n, i + 1
    found = t.set[b, i]
    found["key"], found["seat"], found["first"], found["width"] = key, seat, first, n
    found["reach"], found["count"] = 0.0, 0
    found["known"] = 0 if p[0]["leaf"] == NETWORK else 1
    for j in range(n):
        slot = t.slot[b, first + j]
        slot["regret"], slot["average"], slot["gain"], slot["action"] = 0.0, 0.0, 0.0, t.legal[j]
        slot["prior"] = slot["policy"] = 1.0 / n
    return i


@lean_kernel
def close(t, b, h):
    """Close every node from `h` up that can no longer grow."""
    while h > 0:
        node = t.node[b, h]
        first = int(node["first"])
        if first < 0 and node["closed"] == 0:
            return
        for e in range(first, first + int(node["width"])):
            child = int(t.edge[b, e]["child"])
            if child < 0 or t.node[b, child]["closed"] == 0:
                return
        node["closed"] = 1
        h = int(node["parent"])


@lean_kernel
def aim_at(t, b, h):
    """Note on the way to the root that a history of the searcher's set is known below."""
    while h >= 0 and t.node[b, h]["aimed"] == 0:
        t.node[b, h]["aimed"] = 1
        h = int(t.node[b, h]["parent"])
