# mypy: ignore-errors
"""Sweeps: one pass over a whole grown tree, which updates the policy of one seat in all its information sets."""

from numba import types

from engines import contract as c
from engines.kernel import lean_kernel
from orion_ai.search.forest import PUBLIC_WORLDS, TABLE
from orion_ai.search.gt_cfr_tree import GROVE, SETTINGS

_FORGET = 8.0
"""What was learned on a tree of n histories counts on one of m > n by (n / m) to this power: regrets and averages that
rest on values of leaves which are leaves no more must not outlast them. On a tree that has ceased to grow nothing is
forgotten, and the sweeps are those of CFR+."""
_LEAST_REACH = 1e-6
"""Least weight of a policy in the average of a set that the seat's own choices never lead to."""


@lean_kernel
def world_counts(t, b, e):
    """Whether a world of the root counts: one of the searcher's does when it has been expanded."""
    child, always = int(t.edge[b, e]["child"]), t.edge[b, e]["action"] == 0 or t.lane[b]["from_start"] != 0
    return child >= 0 and (always or t.node[b, child]["first"] >= 0)


@lean_kernel
def share_worlds(t, p, b):
    """Probabilities of the root's worlds.

    Of public worlds, those that agree with what the searcher knows are sampled more often than they come up; together
    they count by the share of such worlds among those that were sampled without regard to it.
    """
    lane, mine, others = t.lane[b], 0.0, 0.0
    for e in range(int(lane["worlds"])):
        if world_counts(t, b, e):
            if t.edge[b, e]["action"] == 0:
                others += float(t.edge[b, e]["weight"])
            else:
                mine += float(t.edge[b, e]["weight"])
    share = 1.0 if mine > 0.0 else 0.0
    if p[0]["worlds"] == PUBLIC_WORLDS and mine > 0.0 and others > 0.0:
        share = (float(lane["agreeing"]) + 0.5) / (float(lane["public"]) + 1.0)
    for e in range(int(lane["worlds"])):
        edge = t.edge[b, e]
        total, part = (mine, share) if edge["action"] == 1 else (others, 1.0 - share)
        edge["share"] = part * float(edge["weight"]) / total if world_counts(t, b, e) else 0.0


@lean_kernel
def share_outcomes(t, b, first, end):
    """Probabilities of a chance node's outcomes, those without a child left out."""
    total = 0.0
    for e in range(first, end):
        if t.edge[b, e]["child"] >= 0:
            total += float(t.edge[b, e]["weight"])
    for e in range(first, end):
        edge = t.edge[b, e]
        edge["share"] = float(edge["weight"]) / total if edge["child"] >= 0 else 0.0


@lean_kernel
def share_actions(t, b, node, own, sweeps):
    """The policy at a decision; `sweeps` if it is the sweeping seat's, whose reach is then noted in its set."""
    found, first = t.set[b, node["set"]], int(node["first"])
    for j in range(int(node["width"])):
        t.edge[b, first + j]["share"] = t.slot[b, int(found["first"]) + j]["policy"]
    if sweeps:
        found["reach"], found["count"] = float(found["reach"]) + own, int(found["count"]) + 1


@lean_kernel(types.void(GROVE, SETTINGS, types.int64, types.int64))
def reach_down(t, p, b, seat):
    """From the root down: the policy at every history, and how probably `seat` and everything else lead there."""
    t.node[b, 0]["own"], t.node[b, 0]["other"] = 1.0, 1.0
    for h in range(int(t.lane[b]["nodes"])):
        node = t.node[b, h]
        first, mover = int(node["first"]), int(node["seat"])
        if first < 0:
            continue
        end, own, other = first + int(node["width"]), float(node["own"]), float(node["other"])
        if h == 0:
            share_worlds(t, p, b)
        elif mover < 0:
            share_outcomes(t, b, first, end)
        else:
            share_actions(t, b, node, own, mover == seat)
        for e in range(first, end):
            edge = t.edge[b, e]
            if edge["child"] >= 0:
                child, x = t.node[b, edge["child"]], float(edge["share"])
                child["own"] = own * x if mover == seat else own
                child["other"] = other if mover == seat else other * x


@lean_kernel(types.void(GROVE, types.int64, types.int64))
def worth_up(t, b, seat):
    """From the ends up: what every history is worth to `seat`, and the regrets of its actions, summed over its sets."""
    count = int(t.lane[b]["nodes"])
    for back in range(count):
        h = count - 1 - back
        node, worth = t.node[b, h], 0.0
        first, width = int(node["first"]), int(node["width"])
        if first < 0:
            node["worth"] = float(t.value[b, h, seat])
            continue
        for e in range(first, first + width):
            edge = t.edge[b, e]
            if edge["child"] >= 0:
                worth += float(edge["share"]) * float(t.node[b, edge["child"]]["worth"])
        node["worth"] = worth
        if node["seat"] == seat:
            other, slots = float(node["other"]), int(t.set[b, node["set"]]["first"])
            for j in range(width):
                slot, child = t.slot[b, slots + j], t.node[b, t.edge[b, first + j]["child"]]
                slot["gain"] = float(slot["gain"]) + other * (float(child["worth"]) - worth)


@lean_kernel
def average_set(t, b, i, weight, keep):
    """Add a set's policy to its average, by how probably the seat's own choices lead there."""
    found = t.set[b, i]
    reach = weight * max(float(found["reach"]) / float(found["count"]), _LEAST_REACH)
    for s in range(int(found["first"]), int(found["first"]) + int(found["width"])):
        slot = t.slot[b, s]
        slot["average"] = keep * float(slot["average"]) + reach * float(slot["policy"])


@lean_kernel
def match_regrets(t, b, i, keep):
    """Regret matching (Hart and Mas-Colell 2000) with regrets cut at 0 (Tammelin 2014); the prior where all are 0."""
    found, total = t.set[b, i], 0.0
    first, end = int(found["first"]), int(found["first"]) + int(found["width"])
    for s in range(first, end):
        slot = t.slot[b, s]
        slot["regret"] = max(keep * float(slot["regret"]) + float(slot["gain"]), 0.0)
        total += float(slot["regret"])
    for s in range(first, end):
        slot = t.slot[b, s]
        slot["policy"] = float(slot["regret"]) / total if total > 0.0 else float(slot["prior"])


@lean_kernel
def end_sweep(t, b, i):
    """Make a set ready for the next sweep."""
    found = t.set[b, i]
    found["reach"], found["count"] = 0.0, 0
    for s in range(int(found["first"]), int(found["first"]) + int(found["width"])):
        t.slot[b, s]["gain"] = 0.0


@lean_kernel(types.void(TABLE, GROVE, SETTINGS, types.int64))
def sweep(table, t, p, b):
    """Update the policy of the seat whose turn it is."""
    lane = t.lane[b]
    seat = int(lane["turn"])
    lane["turn"] = (seat + 1) % table[c.T_PLAYERS]
    turn = t.turn[b, seat]
    keep = (float(turn["nodes"]) / float(lane["nodes"])) ** _FORGET
    turn["time"], turn["nodes"] = keep * float(turn["time"]) + 1.0, int(lane["nodes"])
    reach_down(t, p, b, seat)
    worth_up(t, b, seat)
    for i in range(int(lane["sets"])):
        if t.set[b, i]["seat"] == seat and t.set[b, i]["count"] > 0:
            average_set(t, b, i, float(turn["time"]), keep)
            match_regrets(t, b, i, keep)
            end_sweep(t, b, i)


@lean_kernel
def run_sweeps(table, t, p, b):
    """Spend what a simulation may spend on sweeps: `sweep_nodes`, saved up until they pay for a whole sweep."""
    lane = t.lane[b]
    lane["credit"] = float(lane["credit"]) + float(p[0]["sweep_nodes"])
    while lane["credit"] >= lane["nodes"]:
        lane["credit"] = float(lane["credit"]) - float(lane["nodes"])
        sweep(table, t, p, b)


@lean_kernel
def settle_on_average(t, b):
    """Make the average policy of every set the current one; the prior where nothing was learned."""
    for i in range(int(t.lane[b]["sets"])):
        found, total = t.set[b, i], 0.0
        first, end = int(found["first"]), int(found["first"]) + int(found["width"])
        for s in range(first, end):
            total += float(t.slot[b, s]["average"])
        for s in range(first, end):
            slot = t.slot[b, s]
            slot["policy"] = float(slot["average"]) / total if total > 0.0 else float(slot["prior"])
