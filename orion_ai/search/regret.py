# mypy: ignore-errors
"""Bandits at nodes: strategies from regrets, drawn from and learned by, whose average is the answer.

Where choices are simultaneous or hidden, a rule that always follows the best action can circle for ever; these do not
(Lisy, Kovarik, Lanctot and Bosansky 2013). A node's strategy comes from the regrets R of its actions:

- regret matching (Hart and Mas-Colell 2000): in proportion to what of R is above 0; the prior where nothing is;
- Exp3 (Auer, Cesa-Bianchi, Freund and Schapire 2002): prior exp(e R / K), e the exploration, K actions, rewards in
  [0, 1]. Regrets differ from the paper's sums of rewards by the same amount for all actions, which changes nothing.

Actions are drawn from b = (1 - e) strategy + e / K. A simulation that chose a and came back with u adds to R(a) u /
b(a), and takes strategy(a) u / b(a) from all that could have been chosen: unbiased estimates of u(a) - u(strategy).

But nobody shall learn to answer the others' exploration, which is not how they play (it moves the equilibrium that is
found: in biased rock-paper-scissors by 0.3 with e = 0.2). So u counts by how much likelier the strategies were to
play all that this seat did not choose here: what came after, and what others chose before, which may be hidden from
it.

On the path `path_facts` keeps the strategy's share of the chosen action, and b of it (1 and 1 where no bandit decides).
"""

import math

from engines.kernel import lean_kernel
from orion_ai.search.forest import EXP3_BANDIT
from orion_ai.search.nodes import is_mixed
from orion_ai.search.playout import draw_share

__all__ = ["average_strategy", "choose_mixed", "learn", "strategy"]


@lean_kernel
def strategy(f, p, b, n):
    """Fill `score` with the strategy over the edges in `edge_of`; return how many there are."""
    high, count, total = -math.inf, 0, 0.0
    for j in range(n):
        e = f.edge_of[j]
        if e >= 0:
            count += 1
            high = max(high, f.edge_regret[b, e])
    exp3, step = p[0]["bandit"] == EXP3_BANDIT, float(p[0]["exploration"]) / max(count, 1)
    for j in range(n):
        e = f.edge_of[j]
        f.score[j] = 0.0
        if e >= 0 and exp3:
            f.score[j] = float(f.edge_prior[b, e]) * math.exp(step * (f.edge_regret[b, e] - high))
        elif e >= 0:
            f.score[j] = max(f.edge_regret[b, e], 0.0) if high > 0.0 else float(f.edge_prior[b, e])
        total += f.score[j]
    for j in range(n):
        f.score[j] /= total
    return count


@lean_kernel
def draw(f, n, share, count, rng):
    """A place drawn from (1 - share) `score` + share / count over the edges in `edge_of`."""
    for j in range(n):
        f.q[j] = (1.0 - share) * f.score[j] + share / count if f.edge_of[j] >= 0 else 0.0
    return draw_share(f.q, n, rng)


@lean_kernel
def choose_mixed(f, p, b, node, n, updates, rng):
    """Draw an action of a node; if the simulation `updates` it, explore, count the strategy, note what was drawn."""
    lane = f.lane[b]
    count = strategy(f, p, b, n)
    share = float(p[0]["exploration"]) if updates else 0.0
    chosen = draw(f, n, share, count, rng)
    if updates:
        weight, stamp = float(lane["weight"]), int(lane["done"]) + 1
        for j in range(n):
            e = f.edge_of[j]
            if e >= 0:
                f.edge_stamp[b, e] = stamp
                f.edge_share[b, e] += weight * f.score[j]
        note(f, b, node, f.score[chosen], (1.0 - share) * f.score[chosen] + share / count)
    return chosen


@lean_kernel
def note(f, b, node, share, drawn):
    """Keep for the way up how probable the choice at the path's next node was."""
    d = int(f.lane[b]["length"])
    f.path_node[b, d] = node
    f.path_facts[b, d, 0], f.path_facts[b, d, 1] = share, drawn


@lean_kernel
def others_before(f, b, d, seat):
    """How much likelier the others' strategies were than their draws to choose as they did before entry `d`."""
    product = 1.0
    for k in range(d):
        if f.node_seat[b, f.path_node[b, k]] != seat:
            product *= f.path_facts[b, k, 0] / f.path_facts[b, k, 1]
    return product


@lean_kernel
def learn(f, p, b):
    """Update the regrets on the simulation's path by its value, times the world's weight."""
    lane = f.lane[b]
    searcher, stamp, after = int(lane["seat"]), int(lane["done"]) + 1, 1.0
    for d in range(int(lane["length"]) - 1, -1, -1):
        node, chosen = f.path_node[b, d], f.path[b, d]
        if not is_mixed(f, p, b, node):
            continue
        seat = int(f.node_seat[b, node])
        share, drawn = f.path_facts[b, d, 0], f.path_facts[b, d, 1]
        weight = float(lane["weight"]) * after * others_before(f, b, d, seat)
        after *= share / drawn
        if p[0]["paranoid"] != 0 and seat != searcher:
            u = -float(f.value[b, searcher])
        else:
            u = float(f.value[b, seat])
        if p[0]["bandit"] == EXP3_BANDIT:
            u = 0.5 * (u + 1.0)
        gain = weight * u / drawn
        loss = share * gain
        e = f.node_first[b, node]
        while e >= 0:
            if f.edge_stamp[b, e] == stamp:
                f.edge_regret[b, e] -= loss
            e = f.edge_next[b, e]
        f.edge_regret[b, chosen] += gain


@lean_kernel
def average_strategy(f, b, n):
    """Fill `score` with the average strategy of the root; the prior (in `prior`) where it has none."""
    total = 0.0
    for j in range(n):
        total += f.edge_share[b, j]
    for j in range(n):
        f.score[j] = f.edge_share[b, j] / total if total > 0.0 else f.prior[j]
