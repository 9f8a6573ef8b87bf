# mypy: ignore-errors
"""The way up: new nodes get what the evaluator said, values go to every edge of the path, the root is read off."""

import math

import numpy as np
from numba import types

from engines import contract as c
from engines.kernel import lean_kernel
from engines.rng import mix, uniform
from orion_ai.search.forest import (
    GUMBEL,
    IDLE,
    ISMCTS,
    LEAF,
    NO_BANDIT,
    NOT_FINITE,
    OOS,
    POLICY,
    READY,
    ROOT,
    UNIFORM,
    WALKING,
    WEIGHTED,
)
from orion_ai.search.gumbel import improve, root_choice
from orion_ai.search.handle import HANDLE, opened
from orion_ai.search.mirror import mirror_step
from orion_ai.search.nodes import add_edges, is_mixed
from orion_ai.search.oos import learn_from_start
from orion_ai.search.playout import draw_from_logits
from orion_ai.search.regret import average_strategy, learn
from orion_ai.search.rows import read_views
from orion_ai.search.select import completed_values, gather

__all__ = ["expand_and_back_up", "read_roots"]

MATRIX = types.float32[:, ::1]
_ACT = np.uint64(0x616374)


@lean_kernel
def start_root(f, b, n):
    """Gumbel: what a root action's score starts from, its noise plus the logarithm of its prior."""
    total = 0.0
    for j in range(n):
        total += float(f.edge_prior[b, j])
    for j in range(n):
        f.root_start[b, j] = f.root_noise[b, j] + math.log(max(float(f.edge_prior[b, j]) / total, 1e-37))


@lean_kernel
def expand(f, p, b, logits):
    """Give the lane's new node its edges (UCB makes its own one by one, save the root's) and, if pooled, its logits."""
    lane = f.lane[b]
    node = int(lane["leaf"])
    if p[0]["algorithm"] != ISMCTS or node == 0 or is_mixed(f, p, b, node):
        add_edges(f, b, node, int(lane["legal"]), logits)
    if node == 0 and p[0]["algorithm"] == GUMBEL:
        start_root(f, b, int(lane["legal"]))
    for q in range(f.node_value.shape[2]):
        f.node_value[b, node, q] = 0.0
    if f.node_logits.shape[2] > 1:
        for a in range(f.node_logits.shape[2]):
            f.node_logits[b, node, a] = logits[a]


@lean_kernel
def set_node_value(f, b):
    """The new node's own value is that of the simulation which made it."""
    node = int(f.lane[b]["leaf"])
    for q in range(f.node_value.shape[2] if node >= 0 else 0):
        f.node_value[b, node, q] = f.value[b, q]


@lean_kernel
def back_up(f, b):
    """Add the simulation's value, times the world's weight there, to every edge of its path; the lane is then ready."""
    lane, p = f.lane[b], f.parameters
    weight = float(lane["weight"])
    if p[0]["algorithm"] == OOS:
        learn_from_start(f, p, b)
    elif p[0]["bandit"] != NO_BANDIT:
        learn(f, p, b)
    for d in range(lane["length"] if p[0]["algorithm"] != OOS else 0):
        e = f.path[b, d]
        if p[0]["worlds"] == WEIGHTED:
            weight = float(f.path_facts[b, d, 0])
        f.edge_visits[b, e] = float(f.edge_visits[b, e]) + weight
        for q in range(f.value.shape[1]):
            f.edge_total[b, e, q] = float(f.edge_total[b, e, q]) + weight * float(f.value[b, q])
    lane["done"] = int(lane["done"]) + 1
    weight = float(lane["weight"])
    lane["weights"] = float(lane["weights"]) + weight
    lane["weights_squared"] = float(lane["weights_squared"]) + weight * weight
    lane["depths"] = int(lane["depths"]) + int(lane["depth"])
    lane["max_depth"] = max(int(lane["max_depth"]), int(lane["depth"]))
    lane["status"] = READY


@lean_kernel
def finite_logits(f, b, logits):
    for j in range(f.lane[b]["legal"]):
        if not math.isfinite(logits[f.legal[b, j]]):
            return False
    return True


@lean_kernel(types.void(HANDLE, types.int64, MATRIX, MATRIX))
def expand_and_back_up(handle, lanes, logits, values):
    """Hand every waiting lane its rows of the evaluator's answer: new nodes are expanded and simulations backed up."""
    f = opened(handle)
    table, p = f.table, f.parameters
    for b in range(lanes):
        lane = f.lane[b]
        status = int(lane["status"])
        if status not in (ROOT, LEAF, POLICY):
            continue
        row, n, after = int(lane["row"]), int(lane["legal"]), 0
        if status != POLICY:
            kind = int(p[0]["values"])
            after = read_views(values, row, int(lane["mover"]), int(lane["seat"]), kind, f.value[b])
        if after < 0 or not finite_logits(f, b, logits[row]):
            lane["broken"], lane["status"] = NOT_FINITE, IDLE
            continue
        if status == POLICY:
            action = draw_from_logits(logits[row], f.legal[b], n, 1.0, f.rng[b])
            lane["decisions"] = int(lane["decisions"]) + 1
            c.call_apply(table[c.T_APPLY], (f.state[b], np.int64(action)))
            lane["status"] = WALKING
            continue
        if lane["leaf"] >= 0:
            expand(f, p, b, logits[row])
            set_node_value(f, b)
        if status == LEAF:
            back_up(f, b)
        lane["status"] = READY


@lean_kernel
def only_best(f, n):
    """Fill `score` with 1 for the action of greatest mean value among those tried, the first of equals; else 0."""
    best = -1
    for j in range(n):
        f.score[j] = 0.0
        if f.mass[j] > 0.0 and (best < 0 or f.q[j] > f.q[best]):
            best = j
    f.score[max(best, 0)] = 1.0


@lean_kernel
def root_policy(f, p, b, n):
    """Fill `score` with the policy that the search answers with; `mass`, `prior` and `q` with the root's statistics.

    Returns:
        sigma's factor under Gumbel (`q` then holds completed values on [0, 1]), else 0.
    """
    for j in range(n):
        f.edge_of[j] = j
    seat, mixed = np.int64(f.lane[b]["seat"]), is_mixed(f, p, b, 0)
    if p[0]["algorithm"] == GUMBEL and not mixed:
        scale = completed_values(f, p, b, 0, n, seat, 1.0)
        improve(n, f.mass, f.prior, f.q, scale, f.score)
        return scale
    gather(f, b, 0, n, seat, 1.0)
    if p[0]["algorithm"] == UNIFORM:
        only_best(f, n)
        return 0.0
    if p[0]["mmd"] != 0:
        uniform_magnet = p[0]["uniform_magnet"] != 0
        step, alpha = float(p[0]["mmd_step"]), float(p[0]["mmd_alpha"])
        value = float(f.node_value[b, 0, seat])
        mirror_step(n, f.mass, f.prior, f.q, value, step, alpha, uniform_magnet, f.score)
        return 0.0
    if mixed or p[0]["algorithm"] == OOS:
        average_strategy(f, b, n)
        return 0.0
    visits = 0.0
    for j in range(n):
        visits += f.mass[j]
    for j in range(n):
        f.score[j] = f.mass[j] / visits if visits > 0.0 else f.prior[j]
    return 0.0


@lean_kernel
def best_action(f, p, b, n, scale):
    """The place of the action that the algorithm likes best: the policy's first, Gumbel's among the most visited."""
    if p[0]["algorithm"] == GUMBEL and not is_mixed(f, p, b, 0):
        most = 0
        for j in range(n):
            most = max(most, f.root_count[b, j])
        return root_choice(n, f.root_start[b], f.q, scale, f.root_count[b], most)
    best = 0
    for j in range(1, n):
        if f.score[j] > f.score[best] or (f.score[j] == f.score[best] and f.q[j] > f.q[best]):
            best = j
    return best


@lean_kernel
def draw_action(f, b, n, temperature):
    """A place drawn from `score` to the power 1 / temperature."""
    f.rng[b, 0], f.rng[b, 1] = mix(f.lane[b]["key"], _ACT), np.uint64(0)
    high, total = 0.0, 0.0
    for j in range(n):
        high = max(high, f.score[j])
    for j in range(n):
        total += (f.score[j] / high) ** (1.0 / temperature)
    left, chosen = uniform(f.rng[b]) * total, n - 1
    for j in range(n):
        left -= (f.score[j] / high) ** (1.0 / temperature)
        if left < 0.0:
            chosen = j
            break
    return chosen


@lean_kernel
def root_value(f, b, n, out):
    """The value vector of the root: the policy in `score` over the values of the visited actions, else its own."""
    share = 0.0
    for j in range(n):
        if f.edge_visits[b, j] > 0.0:
            share += f.score[j]
    for q in range(out.shape[0]):
        total = 0.0
        for j in range(n):
            if f.edge_visits[b, j] > 0.0:
                total += f.score[j] * float(f.edge_total[b, j, q]) / float(f.edge_visits[b, j])
        out[q] = total / share if share > 0.0 else float(f.node_value[b, 0, q])


READ_ROOTS = types.void(HANDLE, types.int64, types.int32[::1], *[MATRIX] * 6)


@lean_kernel(READ_ROOTS)
def read_roots(handle, lanes, action, policy, value, visits, q, available, prior):
    """Read every root off into arrays over all action ids (zeroed by the caller); `value` by absolute seat."""
    f = opened(handle)
    p = f.parameters
    for b in range(lanes):
        n = int(f.lane[b]["root_actions"])
        scale = root_policy(f, p, b, n)
        best = best_action(f, p, b, n, scale)
        temperature = float(p[0]["temperature"])
        if temperature == 0.0 and p[0]["simultaneous"] != 0 and is_mixed(f, p, b, 0):
            temperature = 1.0  # a mixture is played as it is
        if temperature > 0.0:
            best = draw_action(f, b, n, temperature)
        action[b] = f.edge_action[b, best]
        root_value(f, b, n, value[b])
        seat = np.int64(f.lane[b]["seat"])
        for j in range(n):
            a = f.edge_action[b, j]
            policy[b, a], prior[b, a] = f.score[j], f.prior[j]
            visits[b, a], available[b, a] = f.edge_visits[b, j], f.edge_available[b, j]
            if f.edge_visits[b, j] > 0.0:
                q[b, a] = float(f.edge_total[b, j, seat]) / float(f.edge_visits[b, j])
