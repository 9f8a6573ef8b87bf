# mypy: ignore-errors
"""Nodes and edges of a lane: found by key, made, and matched to what is legal in the world at hand."""

import math

import numpy as np

from engines import contract as c
from engines.kernel import lean_kernel
from engines.rng import mix
from orion_ai.search.forest import ISMCTS, LEAF, NO_BANDIT, SEEN


@lean_kernel
def set_key(table, state, seat):
    """The key of an information set: whose it is, and all that this seat knows."""
    return mix(c.call_info_key(table[c.T_INFO_KEY], (state, np.int64(seat))), np.uint64(seat))


@lean_kernel
def find_slot(f, b, key):
    """Where `key` stands in the lane's table, or the empty slot where it would."""
    mask = f.slot.shape[1] - 1
    i = np.int64(key & np.uint64(mask))
    while f.slot[b, i] >= 0 and f.node_key[b, f.slot[b, i]] != key:
        i = (i + 1) & mask
    return i


@lean_kernel
def add_node(f, b, slot, key, seat):
    """A new node without edges, its number put into `slot`."""
    lane = f.lane[b]
    node = int(lane["nodes"])
    lane["nodes"] = node + 1
    f.slot[b, slot] = node
    f.node_key[b, node] = key
    f.node_seat[b, node] = seat
    f.node_first[b, node] = -1
    if node < f.node_kind.shape[1]:
        f.node_kind[b, node] = SEEN
    return node


@lean_kernel
def is_mixed(f, p, b, node):
    """Whether a bandit decides at a node."""
    if p[0]["simultaneous"] != 0:
        return f.node_kind[b, node] != SEEN
    return p[0]["bandit"] != NO_BANDIT


@lean_kernel
def stop_at_leaf(f, b, seat, n):
    """Let the lane wait for the value of a decision, which gets no node."""
    lane = f.lane[b]
    lane["mover"], lane["legal"], lane["status"], lane["leaf"] = seat, n, LEAF, -1


@lean_kernel
def reach_leaf(f, p, b, slot, key, seat, n, kind):
    """The same with a node, for a key met for the first time, if there is room for it and its edges."""
    lane = f.lane[b]
    stop_at_leaf(f, b, seat, n)
    wanted = 0 if p[0]["algorithm"] == ISMCTS and kind == SEEN else n
    if lane["nodes"] < f.node_key.shape[1] and lane["edges"] + wanted <= f.edge_action.shape[1]:
        lane["leaf"] = add_node(f, b, slot, key, seat)
        if kind != SEEN:
            f.node_kind[b, lane["leaf"]] = kind
    else:
        lane["refused"] = int(lane["refused"]) + 1


@lean_kernel
def write_edge(f, b, e, action, logit, high):
    """Make `e` a fresh edge for `action`."""
    f.edge_action[b, e] = action
    f.edge_child[b, e] = -1
    f.edge_prior[b, e] = max(math.exp(min(float(logit) - float(high), 60.0)), 1e-37)
    f.edge_visits[b, e] = 0.0
    f.edge_available[b, e] = 0.0
    for p in range(f.edge_total.shape[2]):
        f.edge_total[b, e, p] = 0.0
    if f.edge_regret.shape[1] > 1:
        f.edge_regret[b, e], f.edge_share[b, e], f.edge_stamp[b, e] = 0.0, 0.0, 0


@lean_kernel
def add_edges(f, b, node, n, logits):
    """Give a new node an edge for each of its `n` legal actions, side by side; the caller has checked the space."""
    lane = f.lane[b]
    first, high = int(lane["edges"]), -math.inf
    for j in range(n):
        high = max(high, float(logits[f.legal[b, j]]))
    for j in range(n):
        write_edge(f, b, first + j, f.legal[b, j], logits[f.legal[b, j]], high)
        f.edge_next[b, first + j] = first + j + 1 if j < n - 1 else -1
    f.node_first[b, node] = first
    f.node_legal[b, node] = n
    f.node_high[b, node] = high
    lane["edges"] = first + n


@lean_kernel
def add_edge(f, b, node, action, logit):
    """One more edge of a node: its number, or -1 where the lane's edges are used up."""
    lane = f.lane[b]
    e = int(lane["edges"])
    if e == f.edge_action.shape[1]:
        return -1
    lane["edges"] = e + 1
    write_edge(f, b, e, action, logit, f.node_high[b, node])
    f.edge_next[b, e] = f.node_first[b, node]
    f.node_first[b, node] = e
    return e


@lean_kernel
def recall_edges(f, b, node, n):
    """Fill `edge_of` at a node that has an edge for each of its `n` legal actions, side by side."""
    first = f.node_first[b, node]
    for j in range(n):
        f.edge_of[j] = first + j


@lean_kernel
def match_edges(f, b, node, n):
    """Fill `edge_of` with the node's edge for each of the `n` legal actions, -1 for none; return how many lack one."""
    e, j = f.node_first[b, node], 0
    while j < n and e >= 0 and f.edge_action[b, e] == f.legal[b, j]:
        f.edge_of[j] = e
        e = f.edge_next[b, e]
        j += 1
    if j == n:
        return 0
    start, lacking = j, n - j
    for j in range(start, n):
        f.edge_of[j] = -1
        f.place[f.legal[b, j]] = j
    while e >= 0:
        j = f.place[f.edge_action[b, e]]
        if j >= 0:
            f.edge_of[j] = e
            lacking -= 1
        e = f.edge_next[b, e]
    for j in range(start, n):
        f.place[f.legal[b, j]] = -1
    return lacking
