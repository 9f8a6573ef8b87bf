# mypy: ignore-errors
"""Choosing an action at a node, from the statistics on its edges.

`edge_of` lists the edges of the legal actions of the world at hand (-1: none). A seat's own entry of the value vectors
counts, or, for a paranoid search at opponents' nodes, the searcher's with its sign turned: `entry`, `sign` say which.
"""

import math

from engines.kernel import lean_kernel
from engines.rng import below
from orion_ai.search.gumbel import complete, improve, inner_choice, root_choice, sigma_scale

__all__ = ["choose_gumbel", "choose_puct", "choose_ucb", "choose_uniform"]


@lean_kernel
def gather(f, b, node, n, entry, sign):
    """Fill `mass`, `prior` (renormalised over the legal actions) and `q` of the node's legal actions."""
    total = 0.0
    for j in range(n):
        e = f.edge_of[j]
        f.mass[j], f.prior[j], f.q[j] = 0.0, 0.0, 0.0
        if e >= 0:
            f.mass[j] = float(f.edge_visits[b, e])
            f.prior[j] = float(f.edge_prior[b, e])
            total += f.prior[j]
            if f.mass[j] > 0.0:
                f.q[j] = sign * float(f.edge_total[b, e, entry]) / f.mass[j]
    for j in range(n):
        f.prior[j] /= total


@lean_kernel
def choose_ucb(f, p, b, n, entry, sign, explore, rng):
    """UCB with availability counts: q + c sqrt(ln N' / N), where N' counts how often the action could be chosen.

    Untried actions come first, in random order; without `explore` (this world does not update the node) only if no
    action has been tried.
    """
    untried = 0
    for j in range(n):
        if f.edge_of[j] < 0 or f.edge_visits[b, f.edge_of[j]] == 0.0:
            untried += 1
    if untried == n or (untried > 0 and explore):
        pick = below(rng, untried)
        for j in range(n):
            if f.edge_of[j] < 0 or f.edge_visits[b, f.edge_of[j]] == 0.0:
                if pick == 0:
                    return j
                pick -= 1
    best, best_score, c = -1, -math.inf, float(p[0]["c_uct"])
    for j in range(n):
        e = f.edge_of[j]
        if e < 0 or f.edge_visits[b, e] == 0.0:
            continue
        visits = float(f.edge_visits[b, e])
        score = sign * float(f.edge_total[b, e, entry]) / visits
        score += c * math.sqrt(math.log(max(float(f.edge_available[b, e]), 1.0)) / visits)
        if score > best_score:
            best, best_score = j, score
    return best


@lean_kernel
def choose_puct(f, p, b, node, n, entry, sign, rooted):
    """PUCT: q + c P sqrt(N') / (1 + N); an unvisited action is worth the node's own value less `fpu`."""
    gather(f, b, node, n, entry, sign)
    share = float(p[0]["noise_share"]) if rooted and f.lane[b]["noisy"] != 0 else 0.0
    unvisited = sign * float(f.node_value[b, node, entry]) - float(p[0]["fpu"])
    best, best_score, c = -1, -math.inf, float(p[0]["c_puct"])
    for j in range(n):
        e = f.edge_of[j]
        if e < 0:
            continue
        prior = f.prior[j]
        if share > 0.0:
            prior = (1.0 - share) * prior + share * f.root_noise[b, j]
        q = f.q[j] if f.mass[j] > 0.0 else unvisited
        score = q + c * prior * math.sqrt(max(float(f.edge_available[b, e]), 1.0)) / (1.0 + f.mass[j])
        if score > best_score:
            best, best_score = j, score
    return best


@lean_kernel
def completed_values(f, p, b, node, n, entry, sign):
    """Fill `mass`, `prior` and `q` of a node, `q` with completed values on [0, 1]; return sigma's factor."""
    gather(f, b, node, n, entry, sign)
    value = sign * float(f.node_value[b, node, entry])
    complete(n, f.mass, f.prior, f.q, value, float(p[0]["q_shrink"]), p[0]["q_rescale"] != 0)
    return sigma_scale(n, f.mass, float(p[0]["c_visit"]), float(p[0]["c_scale"]))


@lean_kernel
def choose_gumbel(f, p, b, node, n, entry, sign, rooted):
    """At the root what the halving requires next; below it what brings the visits closest to the improved policy."""
    scale = completed_values(f, p, b, node, n, entry, sign)
    if rooted:
        return root_choice(n, f.root_start[b], f.q, scale, f.root_count[b], f.lane[b]["required"])
    improve(n, f.mass, f.prior, f.q, scale, f.score)
    return inner_choice(n, f.score, f.mass)


@lean_kernel
def choose_uniform(f, b, n):
    """At the only node there is, the root: the action that was tried least often, the first of these."""
    best = 0
    for j in range(1, n):
        if f.root_count[b, j] < f.root_count[b, best]:
            best = j
    return best
