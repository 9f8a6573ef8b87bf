# mypy: ignore-errors
"""The way down: from a fresh world at the root to a new node, an end, or a decision that the network must play."""

import numpy as np
from numba import types

from engines import contract as c
from engines.kernel import lean_kernel
from engines.rng import below, mix
from orion_ai.search.backup import back_up, expand, set_node_value
from orion_ai.search.forest import (
    AFTER_SECRET,
    AGENT,
    ASKED,
    ENDED,
    GUMBEL,
    IDLE,
    ISMCTS,
    LEAF,
    MIX,
    NETWORK,
    NO_BANDIT,
    NO_LEGAL,
    OBSERVER,
    ONE,
    OOS,
    OWN,
    POLICY,
    READY,
    REDEAL,
    ROOT,
    SCRIPTED,
    SEARCHED,
    SECRET,
    SEEN,
    TOO_LONG,
    UNIFORM,
    WALKING,
    WEIGHTED,
    WORLD_DIFFERS,
)
from orion_ai.search.handle import HANDLE, opened
from orion_ai.search.nodes import add_edge, find_slot, is_mixed, match_edges, reach_leaf, recall_edges, stop_at_leaf
from orion_ai.search.oos import walk_from_start
from orion_ai.search.playout import play_chance, play_out, simple_action
from orion_ai.search.regret import choose_mixed, note
from orion_ai.search.rows import write_views
from orion_ai.search.secret import is_secret
from orion_ai.search.select import choose_gumbel, choose_puct, choose_ucb, choose_uniform
from orion_ai.search.worlds import begin, is_spent

_PUBLIC_SALT, _OBSERVER_SALT, _WORLD_SALT = np.uint64(1 << 32), np.uint64(2 << 32), np.uint64(3 << 32)


@lean_kernel
def node_key(table, p, state, seat, searcher, decisions):
    """The key of the decision at hand, by whose knowledge keys it; pooled keys count the decisions since the root."""
    if seat == searcher or p[0]["nodes"] == OWN:
        return mix(c.call_info_key(table[c.T_INFO_KEY], (state, np.int64(seat))), np.uint64(seat))
    pooled = p[0]["nodes"] == OBSERVER
    viewer = np.int64(searcher) if pooled else np.int64(c.PUBLIC)
    salt = (_OBSERVER_SALT if pooled else _PUBLIC_SALT) + np.uint64(seat)
    return mix(mix(c.call_info_key(table[c.T_INFO_KEY], (state, viewer)), salt), np.uint64(decisions))


@lean_kernel
def world_key(table, state, seat, world):
    """The key of a decision of which all is known: the number of its world, the mover, and what every seat knows.

    What no seat knows yet is left to chance; what it was at the root, the number of the world says.
    """
    key = mix(np.uint64(world), _WORLD_SALT + np.uint64(seat))
    for viewer in range(table[c.T_PLAYERS]):
        key = mix(c.call_info_key(table[c.T_INFO_KEY], (state, np.int64(viewer))), key)
    return key


@lean_kernel
def complete_edges(f, b, node, n):
    """Match the node's edges to the legal actions and give the lacking ones theirs; return how many have one."""
    lacking = match_edges(f, b, node, n)
    pooled = f.node_logits.shape[2] > 1
    for j in range(n if lacking > 0 else 0):
        if f.edge_of[j] < 0:
            a = f.legal[b, j]
            f.edge_of[j] = add_edge(f, b, node, a, float(f.node_logits[b, node, a]) if pooled else 0.0)
            if f.edge_of[j] >= 0:
                lacking -= 1
    return n - lacking


@lean_kernel
def weight_for(f, b, seat):
    """The weight of the world at hand at a node of a seat."""
    lane = f.lane[b]
    return float(lane["weight"]) * (1.0 if seat == lane["seat"] else float(lane["outweigh"]))


@lean_kernel
def count_available(f, p, b, n, seat, mixed):
    """N' of every action that could be chosen now grows by the world's weight (under UCB: of every tried one)."""
    weight = weight_for(f, b, seat)
    for j in range(n):
        e = f.edge_of[j]
        if e >= 0 and (mixed or p[0]["algorithm"] != ISMCTS or f.edge_visits[b, e] > 0.0):
            f.edge_available[b, e] = float(f.edge_available[b, e]) + weight


@lean_kernel
def choose(f, p, b, node, n, seat, rooted, updates):
    """The place in `legal` of the action to follow at a node; its edge is in `edge_of`, or -1 for want of space."""
    lane = f.lane[b]
    turned = p[0]["paranoid"] != 0 and seat != lane["seat"]
    entry, sign = (np.int64(lane["seat"]), -1.0) if turned else (seat, 1.0)
    mixed = is_mixed(f, p, b, node)
    if updates and p[0]["bandit"] != NO_BANDIT and not mixed:
        note(f, b, node, 1.0, 1.0)
    if mixed or p[0]["algorithm"] != ISMCTS:
        if p[0]["open"] != 0:
            recall_edges(f, b, node, n)
        elif complete_edges(f, b, node, n) == 0:
            return below(f.rng[b], n)
        if updates:
            count_available(f, p, b, n, seat, mixed)
        if mixed:
            return choose_mixed(f, p, b, node, n, updates, f.rng[b])
        if p[0]["algorithm"] == GUMBEL:
            return choose_gumbel(f, p, b, node, n, entry, sign, rooted)
        if p[0]["algorithm"] == UNIFORM:
            return choose_uniform(f, b, n)
        return choose_puct(f, p, b, node, n, entry, sign, rooted)
    match_edges(f, b, node, n)
    if updates:
        count_available(f, p, b, n, seat, mixed)
    j = choose_ucb(f, p, b, n, entry, sign, updates, f.rng[b])
    if updates and f.edge_of[j] < 0:
        f.edge_of[j] = add_edge(f, b, node, f.legal[b, j], 0.0)
    if updates and f.edge_of[j] >= 0 and f.edge_visits[b, f.edge_of[j]] == 0.0:
        f.edge_available[b, f.edge_of[j]] = weight_for(f, b, seat)
    return j


@lean_kernel
def move(table, f, p, b, action):
    """Apply a decision of the simulation."""
    f.lane[b]["decisions"] = int(f.lane[b]["decisions"]) + 1
    c.call_apply(table[c.T_APPLY], (f.state[b], np.int64(action)))


@lean_kernel
def follow(table, f, p, b, node, seat, n):
    """Choose at a node, note the edge for the way up, apply the action; return the edge, or -1 if it has none."""
    lane = f.lane[b]
    updates = p[0]["worlds"] != MIX or (lane["private"] != 0) == (seat == lane["seat"])
    if p[0]["worlds"] == REDEAL:
        updates = seat == lane["viewer"]
    # A position can come back later in the same simulation: only its first decision is the root's.
    rooted = node == 0 and lane["decisions"] == 0
    j = choose(f, p, b, node, n, seat, rooted, updates)
    e = f.edge_of[j]
    if updates and e >= 0:
        f.path[b, lane["length"]] = e
        if p[0]["worlds"] == WEIGHTED:
            f.path_facts[b, lane["length"], 0] = weight_for(f, b, seat)
        lane["length"] = int(lane["length"]) + 1
        if rooted:
            f.root_count[b, j] += 1
    if p[0]["simultaneous"] != 0:
        if f.node_kind[b, node] == SECRET:
            lane["secret"] = seat + 1
        elif lane["secret"] != seat + 1:  # an open choice of the same seat reveals nothing of its hidden one
            lane["secret"] = 0
    lane["depth"] = int(lane["depth"]) + 1
    move(table, f, p, b, f.edge_action[b, e] if e >= 0 else f.legal[b, j])
    return e


@lean_kernel
def play_plainly(table, f, p, b, seat, n):
    """A decision without a node: apply it and return False, or return True where the network or an agent plays it."""
    lane = f.lane[b]
    how = p[0]["leaf"] if seat == lane["seat"] else p[0]["opponents"]
    if how == NETWORK:
        lane["mover"], lane["legal"], lane["status"] = seat, n, POLICY
        return True
    if how == AGENT:
        lane["mover"], lane["legal"], lane["status"] = seat, n, ASKED
        return True
    move(table, f, p, b, simple_action(table, f.state[b], f.legal[b], n, how == SCRIPTED, f.rng[b]))
    return False


@lean_kernel
def is_plain(f, p, b, seat):
    """Whether the decision has no node: an unsearched opponent's, or the searcher's in a world that is not for it."""
    lane = f.lane[b]
    if seat == lane["seat"]:
        return (p[0]["worlds"] == MIX and lane["private"] == 0) or (p[0]["worlds"] == REDEAL and lane["viewer"] != seat)
    return p[0]["opponents"] != SEARCHED


@lean_kernel
def kind_of(table, f, p, b, seat, n):
    """What kind of choice the decision at hand is, where a bandit decides simultaneous ones."""
    lane, fused = f.lane[b], 0 < p[0]["fusion_depth"] <= f.lane[b]["depth"]
    if p[0]["simultaneous"] == 0 or fused:
        return SEEN
    if is_secret(table, f.state[b], f.legal[b], n, seat, f.trial):
        return SECRET
    return AFTER_SECRET if lane["secret"] != 0 and lane["secret"] != seat + 1 else SEEN


@lean_kernel
def arrive(table, f, p, b, seat, n, edge):
    """The node of the decision at hand, or -1 where the lane must wait: a new leaf, or a world that is no world.

    `edge`, if there is one, is the edge that led here; where nothing is hidden it always will, and remembers the node.
    """
    lane, state = f.lane[b], f.state[b]
    if 0 < p[0]["tree_depth"] <= lane["depth"]:
        stop_at_leaf(f, b, seat, n)
        return -1
    if p[0]["worlds"] == REDEAL and seat == lane["viewer"] and seat != lane["seat"]:
        c.call_determinize(table[c.T_DETERMINIZE], (state, seat, f.rng[b]))
    if 0 < p[0]["fusion_depth"] <= lane["depth"]:
        key = world_key(table, state, seat, lane["world"])
    else:
        key = node_key(table, p, state, seat, np.int64(lane["seat"]), int(lane["decisions"]))
    slot = find_slot(f, b, key)
    node = f.slot[b, slot]
    if lane["decisions"] == 0 and lane["private"] != 0 and node != 0:
        lane["broken"], lane["status"] = WORLD_DIFFERS, IDLE
        return -1
    if node < 0:
        reach_leaf(f, p, b, slot, key, seat, n, kind_of(table, f, p, b, seat, n))
        node = int(lane["leaf"])
        if edge >= 0 and p[0]["open"] != 0:
            f.edge_child[b, edge] = node
        return -1
    if edge >= 0 and p[0]["open"] != 0:
        f.edge_child[b, edge] = node
    return node


@lean_kernel
def walk(table, f, p, b):
    """Follow the lane's simulation until it ends or must wait; its status says which."""
    lane, state = f.lane[b], f.state[b]
    lane["status"] = WALKING
    # The node at hand where it is known without asking the rules, and the edge that led to where we are, or -1.
    node = np.int64(0 if p[0]["open"] != 0 and lane["done"] > 0 and lane["decisions"] == 0 else -1)
    edge = np.int64(-1)
    steps = table[c.T_MAX_LENGTH] + 1
    if p[0]["worlds"] == REDEAL:  # a world that is dealt anew may take back what others have chosen in secret
        steps *= table[c.T_PLAYERS]
    for _ in range(steps):
        if node >= 0:
            seat, n = np.int64(f.node_seat[b, node]), np.int64(f.node_legal[b, node])
        else:
            seat = c.call_to_play(table[c.T_TO_PLAY], (state,))
            if seat == c.TERMINAL:
                c.call_returns(table[c.T_RETURNS], (state, f.value[b]))
                lane["status"] = ENDED
                return
            if seat == c.CHANCE:
                play_chance(table, state, f.legal[b], f.weights, f.rng[b])
                edge = np.int64(-1)
                continue
            n = c.call_legal(table[c.T_LEGAL], (state, f.legal[b]))
            if n < 1:
                lane["broken"], lane["status"] = NO_LEGAL, IDLE
                return
            if n == 1 and lane["decisions"] > 0:
                move(table, f, p, b, f.legal[b, 0])
                edge = np.int64(-1)
                continue
            if is_plain(f, p, b, seat):
                if play_plainly(table, f, p, b, seat, n):
                    return
                edge = np.int64(-1)
                continue
            node = np.int64(arrive(table, f, p, b, seat, n, edge))
            if node < 0:
                return
        edge = np.int64(follow(table, f, p, b, node, seat, n))
        node = np.int64(f.edge_child[b, edge] if edge >= 0 else -1)
        if node >= 0 and 0 < p[0]["tree_depth"] <= lane["depth"]:
            node = np.int64(-1)  # it was made on a shorter way, where ways meet: here it lies too far down
    lane["broken"], lane["status"] = TOO_LONG, IDLE


@lean_kernel
def advance(table, f, p, b):
    """Let a lane that is ready start its next simulation, if its budget allows, and walk on; return its status."""
    lane = f.lane[b]
    if lane["status"] == READY:
        if is_spent(f, p, b):
            lane["status"] = IDLE
        else:
            begin(table, f, p, b)
    if lane["status"] == WALKING and p[0]["algorithm"] == OOS:
        walk_from_start(table, f, p, b)
    elif lane["status"] == WALKING:
        walk(table, f, p, b)
    return np.int64(lane["status"])


@lean_kernel
def write_rows(table, f, p, b, row, observations):
    """Write what the waiting lane needs evaluated from `row` on; return how many rows."""
    lane = f.lane[b]
    values = int(p[0]["values"]) if lane["status"] != POLICY else ONE
    lane["row"] = row
    rows = write_views(table, f.state[b], int(lane["mover"]), int(lane["seat"]), values, row, observations) - row
    lane["evaluations"] = int(lane["evaluations"]) + rows
    return rows


@lean_kernel(types.int64(HANDLE, types.int64, types.int64, types.int16[:, ::1]))
def descend(handle, lanes, limit, observations):
    """Bring the first `lanes` lanes to where each needs an evaluation, and write what is to be evaluated.

    Simulations that end without one are backed up on the way, at most `limit` of a lane in one call.

    Returns:
        rows written to `observations`; -1 when all lanes are idle.
    """
    f = opened(handle)
    table, p = f.table, f.parameters
    rows, idle = 0, 0
    for b in range(lanes):
        for _ in range(limit):
            if advance(table, f, p, b) != ENDED:
                break
            back_up(f, b)
        status = f.lane[b]["status"]
        if status in (ROOT, LEAF, POLICY):
            rows += write_rows(table, f, p, b, rows, observations)
        elif status == IDLE:
            idle += 1
    return -1 if idle == lanes else rows


@lean_kernel(types.int64(HANDLE, types.int64, types.int64))
def simulate(handle, lanes, limit):
    """Run up to `limit` whole simulations of every lane, each valued by a playout; return how many lanes go on."""
    f = opened(handle)
    table, p = f.table, f.parameters
    going = 0
    for b in range(lanes):
        lane = f.lane[b]
        if lane["status"] == ROOT:
            expand(f, p, b, f.no_logits)
            lane["status"] = READY
        for _ in range(limit):
            status = advance(table, f, p, b)
            if status == LEAF:
                leaf, cutoff = np.int64(p[0]["leaf"]), np.int64(p[0]["cutoff"])
                if lane["leaf"] >= 0:  # before the playout, which writes over `legal`
                    expand(f, p, b, f.no_logits)
                if not play_out(table, f.state[b], f.legal[b], f.weights, leaf, cutoff, f.rng[b], f.value[b]):
                    lane["broken"], lane["status"] = TOO_LONG, IDLE
                    break
                set_node_value(f, b)
            elif status != ENDED:
                break
            back_up(f, b)
        if lane["status"] != IDLE:
            going += 1
    return going
