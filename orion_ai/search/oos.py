# mypy: ignore-errors
"""Online outcome sampling: every simulation goes from the game's start, a share of them aimed at where the game stands.

What a seat should believe at the root depends on how all would have played until there, so that is learned too (Lisy,
Lanctot and Bowling 2015). A simulation follows one history. The seat whose turn it is to learn (they take turns)
draws from (1 - e) strategy + e / K, the others from their strategies; an aimed simulation draws, until it is at the
root, only from what keeps to the target's keys (`target`). With s1, s2 the probabilities that an aimed and a free
simulation come to a state, l = delta s1 + (1 - delta) s2 is how often it is sampled.

On the way up (Schmid et al. 2019, section 4) an action k is worth its baseline, the mean value that it had after this
history (its edge's mean, where that has been forgotten), and the one that was chosen is corrected by the difference
of what came back, divided by its probability; the state is worth the strategy over these values. The estimates are
right on average whatever the baselines are, so these stand in a table where a new one replaces an old one. The
regrets of the seat that learns get, weighted by the others' share in reaching the state over l, the differences to
it, and are kept at 0 or above (Tammelin 2014); the average strategies of the others get their strategy, weighted by
their own share over l and by the number of the simulation.

The path has an entry for each decision with a node, and one with node -1 for each chance event on the way to the
target, where the probabilities of sampling and of the game differ. `path_facts` holds l before and after, the seat's
share in reaching the state, and the others'; for a chance event l before and after, and the outcome's probability.
"""

import numpy as np

from engines import contract as c
from engines.kernel import lean_kernel
from engines.rng import mix, uniform
from orion_ai.search.forest import ENDED, IDLE, NO_LEGAL, SEEN, TOO_LONG
from orion_ai.search.nodes import find_slot, reach_leaf, recall_edges, set_key
from orion_ai.search.playout import draw_share
from orion_ai.search.regret import strategy

__all__ = ["learn_from_start", "walk_from_start"]

BEYOND, AIMED, ASTRAY = range(3)
"""Where a history is: past the target (or lost on the way to it), on the way to it, or where no aimed one comes."""


@lean_kernel
def learns(f, b, seat):
    """Whether the simulation is one of those in which `seat` explores and learns regrets: the seats take turns."""
    return int(f.lane[b]["done"]) % f.worth.shape[0] == seat


@lean_kernel
def chance_shares(table, f, b, n):
    """Fill `score` with the probabilities of the outcomes at hand, `q` with those of sampling them."""
    c.call_weights(table[c.T_WEIGHTS], (f.state[b], f.weights))
    total = 0
    for j in range(n):
        total += f.weights[j]
    for j in range(n):
        f.score[j] = float(f.weights[j]) / float(total)
        f.q[j] = f.score[j]


@lean_kernel
def decision_shares(f, p, b, node, n):
    """Fill `score` with the strategy of the node at hand (-1: a single action), `q` with probabilities of sampling."""
    if node < 0:
        f.score[0], f.q[0] = 1.0, 1.0
        return
    recall_edges(f, b, node, n)
    strategy(f, p, b, n)
    explore = float(p[0]["oos_exploration"]) if learns(f, b, f.node_seat[b, node]) else 0.0
    for j in range(n):
        f.q[j] = (1.0 - explore) * f.score[j] + explore / n


@lean_kernel
def aim(table, f, b, step, viewer, n):
    """Fill `mass` with `q` over the actions that keep to the target, normalised; return the sum of their `q`."""
    total = 0.0
    for j in range(n):
        for i in range(f.trial.shape[0]):
            f.trial[i] = f.state[b, i]
        c.call_apply(table[c.T_APPLY], (f.trial, np.int64(f.legal[b, j])))
        key = c.call_info_key(table[c.T_INFO_KEY], (f.trial, viewer))
        f.mass[j] = f.q[j] if key == f.target[b, step + 1] else 0.0
        total += f.mass[j]
    for j in range(n if total > 0.0 else 0):
        f.mass[j] /= total
    return total


@lean_kernel
def note(f, b, node, edge, before, after, own, others):
    """One more entry of the path."""
    lane = f.lane[b]
    d = int(lane["length"])
    f.path_node[b, d], f.path[b, d] = node, edge
    f.path_facts[b, d, 0], f.path_facts[b, d, 1] = before, after
    f.path_facts[b, d, 2], f.path_facts[b, d, 3] = own, others
    lane["length"] = d + 1


@lean_kernel
def others_reach(f, seat):
    """The product of everybody's share in reaching the state, chance's included, but for one seat's."""
    product = 1.0
    for q in range(f.reach.shape[0]):
        if q != seat:
            product *= f.reach[q]
    return product


@lean_kernel
def node_at(table, f, p, b, seat, n):
    """The node of the decision at hand, or -1 where the history ends at a new leaf."""
    key = set_key(table, f.state[b], seat)
    slot = find_slot(f, b, key)
    node = f.slot[b, slot]
    if node < 0:
        reach_leaf(f, p, b, slot, key, seat, n, SEEN)
    return np.int64(node)


@lean_kernel
def walk_from_start(table, f, p, b):
    """Follow the lane's simulation from the game's start to its end or to a new leaf; its status says which."""
    lane, state, rng = f.lane[b], f.state[b], f.rng[b]
    delta, chance = float(p[0]["oos_delta"]), f.reach.shape[0] - 1
    viewer = np.int64(c.PUBLIC) if p[0]["oos_public"] != 0 else np.int64(lane["seat"])
    for q in range(f.reach.shape[0]):
        f.reach[q] = 1.0
    history = np.uint64(1)
    targeted, s1, s2 = uniform(rng) < delta, 1.0, 1.0
    where = AIMED if lane["target"] > 0 else BEYOND
    for step in range(table[c.T_MAX_LENGTH] + 1):
        seat = c.call_to_play(table[c.T_TO_PLAY], (state,))
        if seat == c.TERMINAL:
            c.call_returns(table[c.T_RETURNS], (state, f.value[b]))
            lane["status"] = ENDED
            return
        n, node = c.call_legal(table[c.T_LEGAL], (state, f.legal[b])), np.int64(-1)
        if n < 1:
            lane["broken"], lane["status"] = NO_LEGAL, IDLE
            return
        if seat == c.CHANCE:
            chance_shares(table, f, b, n)
        else:
            if n > 1 or (where == BEYOND and step == lane["target"]):
                node = node_at(table, f, p, b, seat, n)
                if node < 0:
                    return
            decision_shares(f, p, b, node, n)
        if where == AIMED and aim(table, f, b, step, viewer, n) == 0.0:
            where = BEYOND
        aimed, before = where == AIMED, delta * s1 + (1.0 - delta) * s2
        j = draw_share(f.mass if aimed and targeted else f.q, n, rng)
        s1 *= f.mass[j] if aimed else f.q[j]
        s2 *= f.q[j]
        after = delta * s1 + (1.0 - delta) * s2
        if aimed and f.mass[j] == 0.0:
            where = ASTRAY
        elif aimed and step + 1 == lane["target"]:
            where = BEYOND
        if node >= 0:
            f.path_key[b, lane["length"]] = history
            note(f, b, node, f.edge_of[j], before, after, f.reach[seat], others_reach(f, seat))
            lane["depth"] = int(lane["depth"]) + 1
        elif aimed and seat == c.CHANCE:
            note(f, b, -1, -1, before, after, f.score[j], 0.0)
        if seat != c.CHANCE:
            lane["decisions"] = int(lane["decisions"]) + 1
        f.reach[chance if seat == c.CHANCE else seat] *= f.score[j]
        history = mix(history, np.uint64(f.legal[b, j]))
        c.call_apply(table[c.T_APPLY], (state, np.int64(f.legal[b, j])))
    lane["broken"], lane["status"] = TOO_LONG, IDLE


@lean_kernel
def mean(f, b, e, q):
    """The mean value of an edge for seat `q`; 0 without a visit."""
    visits = np.float64(f.edge_visits[b, e])  # compiled, float() would leave it in 32 bits
    return f.edge_total[b, e, q] / visits if visits > 0.0 else 0.0


@lean_kernel
def baseline_at(f, b, d, e):
    """The key of an action after the history of entry `d`, and its place in the table."""
    key = mix(f.path_key[b, d], np.uint64(f.edge_action[b, e]))
    return key, np.int64(key & np.uint64(f.baseline_key.shape[1] - 1))


@lean_kernel
def baseline(f, b, d, e, q):
    """What seat `q` may expect of an action after the history of entry `d`."""
    key, i = baseline_at(f, b, d, e)
    return f.baseline[b, i, q] if f.baseline_key[b, i] == key else mean(f, b, e, q)


@lean_kernel
def learn_values(f, p, b, d, e):
    """Count a visit of the edge and what came back from it (`worth`), in its mean and in its baseline.

    In the mean a visit counts by how much likelier the others and chance were to come here than the simulations, so
    that it is what the seat can expect.
    """
    weight = f.path_facts[b, d, 3] / f.path_facts[b, d, 0]
    key, i = baseline_at(f, b, d, e)
    seats = f.worth.shape[0]
    if f.baseline_key[b, i] != key:
        f.baseline_key[b, i], f.baseline[b, i, seats] = key, 0.0
    f.baseline[b, i, seats] += 1.0
    share = max(1.0 / f.baseline[b, i, seats], float(p[0]["oos_baseline"]))
    for q in range(seats):
        old = f.baseline[b, i, q] if f.baseline[b, i, seats] > 1.0 else 0.0
        f.baseline[b, i, q] = old + share * (f.worth[q] - old)
        f.edge_total[b, e, q] = float(f.edge_total[b, e, q]) + weight * f.worth[q]
    f.edge_visits[b, e] = float(f.edge_visits[b, e]) + weight


@lean_kernel
def pass_chance(f, p, b, d):
    """The way up through a chance event that was not drawn by its probability: correct the value for that."""
    ratio = f.path_facts[b, d, 2] * f.path_facts[b, d, 0] / f.path_facts[b, d, 1]
    above = d - 1
    while above >= 0 and f.path_node[b, above] < 0:
        above -= 1
    for q in range(f.worth.shape[0]):
        expected = 0.0
        if above >= 0 and p[0]["oos_baseline"] > 0.0:
            expected = baseline(f, b, above, f.path[b, above], q)
        f.worth[q] = expected + (f.worth[q] - expected) * ratio


@lean_kernel
def learn_at(f, p, b, d):
    """The way up through a decision: what is learned from `worth`, which is then that of the state."""
    node, chosen = f.path_node[b, d], f.path[b, d]
    n, seat = int(f.node_legal[b, node]), int(f.node_seat[b, node])
    before, after = f.path_facts[b, d, 0], f.path_facts[b, d, 1]
    least, correct = float(p[0]["oos_baseline"]), before / after
    recall_edges(f, b, node, n)
    strategy(f, p, b, n)
    for q in range(f.worth.shape[0]):
        f.state_worth[q] = 0.0
        for j in range(n):
            e = f.edge_of[j]
            worth = baseline(f, b, d, e, q) if least > 0.0 else 0.0
            if e == chosen:
                worth += (f.worth[q] - worth) * correct
            if q == seat:
                f.q[j] = worth
            f.state_worth[q] += f.score[j] * worth
    learn_values(f, p, b, d, chosen)
    for q in range(f.worth.shape[0]):
        f.worth[q] = f.state_worth[q]
    others, own = f.path_facts[b, d, 3] / before, f.path_facts[b, d, 2] / before
    for j in range(n):
        e = f.edge_of[j]
        if learns(f, b, seat):
            f.edge_regret[b, e] = max(f.edge_regret[b, e] + others * (f.q[j] - f.worth[seat]), 0.0)
        else:
            f.edge_share[b, e] += (float(f.lane[b]["done"]) + 1.0) * own * f.score[j]
        f.edge_available[b, e] = float(f.edge_available[b, e]) + 1.0


@lean_kernel
def learn_from_start(f, p, b):
    """Learn from the simulation that is at its end, on the whole of its path."""
    for q in range(f.worth.shape[0]):
        f.worth[q] = float(f.value[b, q])
    for d in range(int(f.lane[b]["length"]) - 1, -1, -1):
        if f.path_node[b, d] < 0:
            pass_chance(f, p, b, d)
        else:
            learn_at(f, p, b, d)
