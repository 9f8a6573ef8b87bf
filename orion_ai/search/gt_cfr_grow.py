# mypy: ignore-errors
"""How a tree grows: worlds at its root, the way down to a history, and the histories after it."""

import math

import numpy as np
from numba import types

from engines import contract as c
from engines.kernel import lean_kernel
from engines.rng import mix, uniform
from orion_ai.search.forest import (
    MOST_WEIGHT,
    NETWORK,
    NO_LEGAL,
    ORACLE,
    PUBLIC_WORLDS,
    TABLE,
    TOO_LONG,
    WORLD_DIFFERS,
)
from orion_ai.search.gt_cfr_parts import aim_at, break_lane, close, give_edges, meet_set, new_node
from orion_ai.search.gt_cfr_tree import GROVE, IDLE, SETTINGS
from orion_ai.search.nodes import set_key
from orion_ai.search.playout import draw_outcome, play_out
from orion_ai.search.rows import write_views

_WORLD, _CHILD, _START = np.uint64(0x776F726C64), np.uint64(0x6368696C64), np.uint64(0x7374617274)

_AIMED = 0.5
"""How often growth that aims at the searcher's set keeps to chance outcomes that are known to lead there; the others
may too, and what the searcher cannot see should not seem known because one history was found first."""


@lean_kernel
def copy(source, target):
    for i in range(source.shape[0]):
        target[i] = source[i]


@lean_kernel
def hash_of(record):
    key = np.uint64(0)
    for i in range(record.shape[0]):
        if record[i] != 0:
            key = mix(key, (np.uint64(i) << np.uint64(8)) | np.uint64(record[i]))
    return key


@lean_kernel(types.int64(TABLE, GROVE, types.int64, types.int64, types.int64))
def add_history(table, t, b, parent, e):
    """Make what comes below edge `e` of `parent` from the state at hand on: chance nodes, then a choice or the end.

    Returns its last node; -1 for want of room (the caller takes back what was made), or if the lane broke.
    """
    state, forced = t.state[b], 0
    for _ in range(table[c.T_MAX_LENGTH] + 1):
        seat = c.call_to_play(table[c.T_TO_PLAY], (state,))
        n = 0 if seat == c.TERMINAL else c.call_legal(table[c.T_LEGAL], (state, t.legal))
        if n < 1 and seat != c.TERMINAL:
            break_lane(t, b, NO_LEGAL)
            return -1
        if n == 1:
            forced += 1
            c.call_apply(table[c.T_APPLY], (state, np.int64(t.legal[0])))
            continue
        h = new_node(t, b, parent, seat)
        if h < 0:
            return -1
        t.edge[b, e]["child"], t.node[b, h]["forced"] = h, forced
        if seat == c.TERMINAL:
            t.node[b, h]["closed"] = 1
            c.call_returns(table[c.T_RETURNS], (state, t.value[b, h]))
        if seat != c.CHANCE:
            return h
        c.call_weights(table[c.T_WEIGHTS], (state, t.weights))
        if not give_edges(t, b, h, n):
            return -1
        j = draw_outcome(t.weights, n, t.rng[b])
        parent, e, forced = h, int(t.node[b, h]["first"]) + j, 0
        c.call_apply(table[c.T_APPLY], (state, np.int64(t.legal[j])))
    break_lane(t, b, TOO_LONG)
    return -1


@lean_kernel(types.int64(TABLE, GROVE, SETTINGS, *[types.int64] * 3, types.uint8[::1], types.int16[:, ::1]))
def write_rows(table, t, p, b, mover, rows, state, observations):
    """Write what values a state, from row `rows` on: the mover's view and those that `values` asks for besides."""
    return write_views(table, state, mover, int(t.lane[b]["seat"]), int(p[0]["values"]), rows, observations)


@lean_kernel(types.void(TABLE, GROVE, SETTINGS, types.int64, types.int64))
def play_out_leaf(table, t, p, b, h):
    """Value a leaf by the mean of its playouts."""
    count = int(p[0]["playouts"])
    for _ in range(count):
        copy(t.state[b], t.played)
        leaf, cutoff = np.int64(p[0]["leaf"]), np.int64(p[0]["cutoff"])
        if not play_out(table, t.played, t.legal, t.weights, leaf, cutoff, t.rng[b], t.score):
            break_lane(t, b, TOO_LONG)
        for q in range(t.score.shape[0]):
            t.value[b, h, q] += t.score[q] / np.float32(count)


@lean_kernel
def value_history(table, t, p, b, h, rows, observations):
    """Value a new history by playouts, or write what the network needs for it; return the next row, -1 without room."""
    seat = np.int64(t.node[b, h]["seat"])
    if seat < 0:
        return rows
    if p[0]["leaf"] != NETWORK:
        play_out_leaf(table, t, p, b, h)
        return rows
    n = c.call_legal(table[c.T_LEGAL], (t.state[b], t.legal))
    t.node[b, h]["set"] = meet_set(t, p, b, set_key(table, t.state[b], seat), seat, n)
    if t.node[b, h]["set"] < 0:
        return -1
    return write_rows(table, t, p, b, seat, rows, t.state[b], observations)


@lean_kernel
def open_leaf(table, t, p, b, h):
    """Give a leaf, whose state is in `base`, its set and edges; whether there was room."""
    node = t.node[b, h]
    n, seat = c.call_legal(table[c.T_LEGAL], (t.base[b], t.legal)), np.int64(node["seat"])
    if node["set"] < 0:
        node["set"] = meet_set(t, p, b, set_key(table, t.base[b], seat), seat, n)
    return node["set"] >= 0 and give_edges(t, b, h, n)


@lean_kernel
def add_children(table, t, p, b, h, first, n, chosen, rows, observations):
    """Make the children of `n` edges of `h` from edge `first` on, all with the same luck; return the next row.

    `base` holds the state of `h`, or, where an edge is already `chosen`, what comes after its action. Returns -1 for
    want of room, or if the lane broke.
    """
    key = t.rng[b, 0]
    for j in range(n):
        copy(t.base[b], t.state[b])
        if not chosen:
            c.call_apply(table[c.T_APPLY], (t.state[b], np.int64(t.edge[b, first + j]["action"])))
        t.rng[b, 0], t.rng[b, 1] = key, np.uint64(0)
        child = add_history(table, t, b, h, first + j)
        rows = value_history(table, t, p, b, child, rows, observations) if child >= 0 else -1
        if rows < 0:
            break
    return rows


@lean_kernel
def grow_at(table, t, p, b, h, e, rows, observations):
    """Expand leaf `h` (`e` is -1), or make what comes after edge `e` of chance node `h`; return the next row.

    What does not fit is taken back; a leaf that cannot be expanded stays one for good.
    """
    lane, node, opened = t.lane[b], t.node[b, h], e < 0
    nodes, edges, first, n, after = int(lane["nodes"]), int(lane["edges"]), e, 1, -1
    if not opened or open_leaf(table, t, p, b, h):
        if opened:
            first, n = int(node["first"]), int(node["width"])
        after = add_children(table, t, p, b, h, first, n, not opened, rows, observations)
    if after < 0:
        lane["nodes"], lane["edges"], lane["refused"] = nodes, edges, int(lane["refused"]) + 1
        if opened:
            node["first"], node["width"], node["closed"] = -1, 0, 1
            close(t, b, int(node["parent"]))
        else:
            t.edge[b, e]["child"] = -1
        return rows
    if not opened:
        t.node[b, t.edge[b, e]["child"]]["visits"] = 1
    elif node["set"] == 0:
        lane["met"] = int(lane["met"]) + 1
        aim_at(t, b, h)
    for k in range(nodes, int(lane["nodes"])):
        if t.node[b, k]["closed"] != 0:
            close(t, b, int(t.node[b, k]["parent"]))
    return after


@lean_kernel
def add_world(table, t, p, b, ln, private):
    """Count the world in `state` by its weight, as a child of the root if it is new and there is room."""
    lane, state = t.lane[b], t.state[b]
    count, seat = int(lane["worlds"]), np.int64(lane["seat"])
    if ln == -math.inf:
        return
    if lane["public"] == 0.0 and count == 0:
        lane["reference"] = ln
    weight = math.exp(min(ln - float(lane["reference"]), MOST_WEIGHT))
    if lane["from_start"] == 0 and p[0]["worlds"] != ORACLE:
        agrees = set_key(table, state, seat) == t.set[b, 0]["key"]
        if private and not agrees:
            break_lane(t, b, WORLD_DIFFERS)
            return
        if not private:
            lane["public"] = float(lane["public"]) + weight
            if agrees:
                lane["agreeing"] = float(lane["agreeing"]) + weight
                return
    key = hash_of(state)
    for k in range(count):
        if t.world_hash[b, k] == key:
            t.edge[b, k]["weight"] = float(t.edge[b, k]["weight"]) + weight
            return
    if count < t.world.shape[1] and lane["nodes"] < t.node.shape[1]:
        copy(state, t.world[b, count])
        t.world_hash[b, count] = key
        t.edge[b, count]["action"], t.edge[b, count]["weight"] = private, weight
        t.node[b, 0]["width"], lane["worlds"] = count + 1, count + 1
        if lane["from_start"] == 0 and private:
            t.edge[b, count]["child"] = new_node(t, b, 0, seat)


@lean_kernel(types.void(TABLE, GROVE, SETTINGS, types.int64))
def sample_world(table, t, p, b):
    """Sample a world for the root, by the choice `worlds`; one is all there is where that is known."""
    lane = t.lane[b]
    done = int(lane["done"])
    known = lane["from_start"] != 0 or p[0]["worlds"] == ORACLE or p[0]["open"] != 0
    if known and lane["worlds"] > 0:
        return
    copy(t.start if lane["from_start"] != 0 else t.roots[b], t.state[b])
    ln, private = 0.0, p[0]["worlds"] != PUBLIC_WORLDS or done % 2 == 0 or lane["from_start"] != 0
    if not known:
        t.rng[b, 0], t.rng[b, 1] = mix(mix(lane["key"], _WORLD), np.uint64(done)), np.uint64(0)
        seat = np.int64(lane["seat"]) if private else np.int64(c.PUBLIC)
        ln = c.call_determinize(table[c.T_DETERMINIZE], (t.state[b], seat, t.rng[b]))
    add_world(table, t, p, b, ln, private)


@lean_kernel
def pick_outcome(t, b, h, kind, aim):
    """The open outcome that has been visited least for its weight, ties broken by a fraction drawn by chance; -1: none.

    Of the root's worlds only those of the `kind` (1: they agree with the searcher; -1: any); under `aim` only outcomes
    after which a history of the searcher's set is known.
    """
    best, least, first = -1, math.inf, int(t.node[b, h]["first"])
    for e in range(first, first + int(t.node[b, h]["width"])):
        edge, visits = t.edge[b, e], 0.0
        child = int(edge["child"])
        if (kind >= 0 and edge["action"] != kind) or (aim and (child < 0 or t.node[b, child]["aimed"] == 0)):
            continue
        if child >= 0:
            if t.node[b, child]["closed"] != 0:
                continue
            visits = float(t.node[b, child]["visits"])
        score = (visits + uniform(t.rng[b])) / float(edge["weight"])
        if score < least:
            best, least = e, score
    return best


@lean_kernel
def pick_action(t, p, b, h, aim):
    """The open action that lags most behind the mixture of policy and prior; -1: none. `aim`: as above."""
    node, best, most, explore = t.node[b, h], -1, -1.0, float(p[0]["grow_explore"])
    first, slots = int(node["first"]), int(t.set[b, node["set"]]["first"])
    for j in range(int(node["width"])):
        child, slot = t.node[b, t.edge[b, first + j]["child"]], t.slot[b, slots + j]
        if child["closed"] == 0 and (not aim or child["aimed"] != 0):
            wanted = explore * float(slot["prior"]) + (1.0 - explore) * float(slot["policy"])
            score = wanted / (1.0 + float(child["visits"]))
            if score > most:
                best, most = first + j, score
    return best


@lean_kernel
def pick_edge(t, p, b, h):
    """The edge to go down at `h`, -1 where nothing is left to grow.

    Late in a search from the start of the game only histories matter that can lead to the searcher's set, as far as
    they are known. Of public worlds every second one agrees with the searcher. Where nothing of the kind is left,
    anything will do.
    """
    lane, node, e, kind = t.lane[b], t.node[b, h], -1, -1
    aim = lane["from_start"] != 0 and lane["late"] != 0 and node["aimed"] != 0 and node["set"] != 0
    if node["seat"] < 0 and aim:
        aim = uniform(t.rng[b]) < _AIMED
    if h == 0 and p[0]["worlds"] == PUBLIC_WORLDS and lane["from_start"] == 0:
        kind = 1 - lane["done"] % 2
    for narrow in range(1, -1, -1):
        if e < 0 and (narrow == 0 or aim or kind >= 0):
            if node["seat"] >= 0:
                e = pick_action(t, p, b, h, aim and narrow == 1)
            else:
                e = pick_outcome(t, b, h, kind if narrow == 1 else -1, aim and narrow == 1)
    return e


@lean_kernel
def replay(table, t, b, h, e):
    """Bring `base` from `h` along edge `e` to its child, or, if it has none, to what comes after the edge's action."""
    if h == 0:
        copy(t.world[b, e], t.base[b])
    else:
        c.call_apply(table[c.T_APPLY], (t.base[b], np.int64(t.edge[b, e]["action"])))
    child = int(t.edge[b, e]["child"])
    for _ in range(int(t.node[b, child]["forced"]) if child >= 0 else 0):
        c.call_legal(table[c.T_LEGAL], (t.base[b], t.legal))
        c.call_apply(table[c.T_APPLY], (t.base[b], np.int64(t.legal[0])))


@lean_kernel(types.int64(TABLE, GROVE, SETTINGS, types.int64, types.int64, types.int16[:, ::1]))
def grow(table, t, p, b, rows, observations):
    """One simulation: sample a world, go down to a history and expand it; return the next row of the batch.

    From the start of the game all searches grow the same tree, whatever their key: solutions that differ do not fit
    together, and what is answered at one decision shall belong to what is answered at the next.
    """
    lane = t.lane[b]
    lane["depth"] = 0
    sample_world(table, t, p, b)
    lane["fresh"] = int(lane["nodes"])
    key = _START if lane["from_start"] != 0 else lane["key"]
    t.rng[b, 0], t.rng[b, 1] = mix(key, np.uint64(lane["done"])), np.uint64(0)
    h, e, depth = 0, 0, 0
    while lane["status"] != IDLE:
        e = pick_edge(t, p, b, h)
        if e < 0:
            return rows
        depth += 1 if t.node[b, h]["seat"] >= 0 else 0
        replay(table, t, b, h, e)
        child = int(t.edge[b, e]["child"])
        if child < 0:
            break
        h, e = child, -1
        t.node[b, h]["visits"] = int(t.node[b, h]["visits"]) + 1
        if t.node[b, h]["first"] < 0:
            break
    if lane["status"] == IDLE:
        return rows
    lane["depth"] = depth
    t.rng[b, 0], t.rng[b, 1] = mix(t.rng[b, 0], _CHILD), np.uint64(0)
    return grow_at(table, t, p, b, h, e, rows, observations)
