# mypy: ignore-errors
"""Walking a whole game through its table: every history, or every position, once. And guessing how many there are."""

from typing import NamedTuple

import numpy as np
from numba import types

from engines import contract as c
from engines.kernel import lean_kernel
from engines.rng import RNG, below, mix

__all__ = [
    "BROKEN_ACTIONS",
    "BROKEN_END",
    "CYCLE",
    "DONE",
    "FULL",
    "NODES",
    "NO_RECALL",
    "OVER_LIMIT",
    "STATES",
    "STATUS",
    "STUCK",
    "TOO_LONG",
    "UNDER_WAY",
    "Draft",
    "begin",
    "draft",
    "guess",
    "walk",
]

DONE, UNDER_WAY, FULL, OVER_LIMIT, NO_RECALL, CYCLE, BROKEN_ACTIONS, BROKEN_END, TOO_LONG, STUCK = range(10)
"""How far a walk is; anything after FULL is a reason to refuse the game."""
NODES, EDGES, ENDS, STATES, SLOTS, FINISHED, FRESH, STATUS, DEPTH = range(9)
"""Places in `Draft.count`: how many of each there are, what the last step found, and how high the stack is."""
HUGE = 1e300
"""No guess is higher."""


class Draft(NamedTuple):
    """The arrays that a walk fills, and its stack. `Tree` says what they mean; capacities are those of the arrays."""

    mover: np.ndarray
    index: np.ndarray
    first: np.ndarray
    width: np.ndarray
    order: np.ndarray
    action: np.ndarray
    child: np.ndarray
    chance: np.ndarray
    utility: np.ndarray
    weight: np.ndarray
    sequence: np.ndarray
    node_key: np.ndarray
    key: np.ndarray
    seat: np.ndarray
    parent: np.ndarray
    slot: np.ndarray
    slot_action: np.ndarray
    node: np.ndarray
    hashed: np.ndarray
    stack_record: np.ndarray
    stack_node: np.ndarray
    stack_next: np.ndarray
    stack_sequence: np.ndarray
    stack_weight: np.ndarray
    legal: np.ndarray
    weights: np.ndarray
    returns: np.ndarray
    count: np.ndarray


def draft(game, nodes):
    """An empty draft with room for `nodes` nodes of `game`."""
    edges, depth, players, size = 2 * nodes + game.max_legal, game.max_length + 2, game.players, game.record_size
    hashes = 1 << (2 * nodes - 1).bit_length()
    return Draft(
        mover=np.zeros(nodes, np.int8),
        index=np.zeros(nodes, np.int32),
        first=np.zeros(nodes, np.int32),
        width=np.zeros(nodes, np.int32),
        order=np.zeros(nodes, np.int32),
        action=np.zeros(edges, np.int32),
        child=np.zeros(edges, np.int32),
        chance=np.zeros(edges, np.float64),
        utility=np.zeros((nodes, players), np.float32),
        weight=np.zeros(nodes, np.float64),
        sequence=np.zeros((nodes, players), np.int32),
        node_key=np.zeros(nodes, np.uint64),
        key=np.zeros(nodes, np.uint64),
        seat=np.zeros(nodes, np.int8),
        parent=np.zeros(nodes, np.int32),
        slot=np.zeros(nodes + 1, np.int32),
        slot_action=np.zeros(edges, np.int32),
        node=np.zeros(nodes, np.int32),
        hashed=np.full(hashes, -1, np.int32),
        stack_record=np.zeros((depth, size), np.uint8),
        stack_node=np.zeros(depth, np.int32),
        stack_next=np.zeros(depth, np.int32),
        stack_sequence=np.zeros((depth, players), np.int32),
        stack_weight=np.zeros(depth, np.float64),
        legal=np.zeros(game.max_legal, np.int32),
        weights=np.zeros(game.max_legal, np.int64),
        returns=np.zeros(players, np.float32),
        count=np.zeros(9, np.int64),
    )


_I1, _I4, _I8, _F4, _F8 = types.int8, types.int32, types.int64, types.float32, types.float64
DRAFT = types.NamedTuple(
    (
        *(_I1[::1], _I4[::1], _I4[::1], _I4[::1], _I4[::1], _I4[::1], _I4[::1], _F8[::1]),
        *(_F4[:, ::1], _F8[::1], _I4[:, ::1]),
        *(types.uint64[::1], types.uint64[::1], _I1[::1], _I4[::1], _I4[::1], _I4[::1], _I4[::1], _I4[::1]),
        *(types.uint8[:, ::1], _I4[::1], _I4[::1], _I4[:, ::1], _F8[::1]),
        *(_I4[::1], _I8[::1], _F4[::1], _I8[::1]),
    ),
    Draft,
)


@lean_kernel
def find_state(d, key, seat):
    """Where the information state stands in the hash table, or the empty place where it would."""
    mask = d.hashed.shape[0] - 1
    i = np.int64(mix(key, np.uint64(seat)) & np.uint64(mask))
    while d.hashed[i] >= 0 and (d.key[d.hashed[i]] != key or d.seat[d.hashed[i]] != seat):
        i = (i + 1) & mask
    return i


@lean_kernel
def find_node(d, key):
    """As `find_state`, for the node of a position."""
    mask = d.hashed.shape[0] - 1
    i = np.int64(key & np.uint64(mask))
    while d.hashed[i] >= 0 and d.node_key[d.hashed[i]] != key:
        i = (i + 1) & mask
    return i


@lean_kernel
def add_edges(table, d, node, depth, n):
    """Give `node` its `n` edges; those of a chance node with their probabilities."""
    first = d.count[EDGES]
    d.first[node], d.width[node] = first, n
    total = 0.0
    if d.mover[node] == c.CHANCE:
        c.call_weights(table[c.T_WEIGHTS], (d.stack_record[depth], d.weights))
        for k in range(n):
            total += float(d.weights[k])
    for k in range(n):
        d.action[first + k] = d.legal[k]
        d.child[first + k] = -1
        d.chance[first + k] = float(d.weights[k]) / total if d.mover[node] == c.CHANCE else 1.0
    d.count[EDGES] = first + n


@lean_kernel
def add_state(table, d, depth, node, seat, n):
    """A new information state of `seat`: its slots, and the seat's sequence that leads to it."""
    number, slot = d.count[STATES], d.count[SLOTS]
    d.key[number] = c.call_info_key(table[c.T_INFO_KEY], (d.stack_record[depth], np.int64(seat)))
    d.node[number], d.seat[number], d.parent[number] = node, seat, d.stack_sequence[depth, seat]
    d.slot[number], d.slot[number + 1] = slot, slot + n
    for k in range(n):
        d.slot_action[slot + k] = d.legal[k]
    d.count[STATES], d.count[SLOTS] = number + 1, slot + n
    return number


@lean_kernel
def same_actions(d, number, n):
    """Whether the information state `number` has the `n` legal actions at hand."""
    slot = d.slot[number]
    if d.slot[number + 1] - slot != n:
        return False
    for k in range(n):
        if d.slot_action[slot + k] != d.legal[k]:
            return False
    return True


@lean_kernel
def state_of(table, d, depth, node, seat, n):
    """The information state of the mover in the history at hand, made if new; -1 where it contradicts itself."""
    key = c.call_info_key(table[c.T_INFO_KEY], (d.stack_record[depth], np.int64(seat)))
    place = find_state(d, key, seat)
    if d.hashed[place] < 0:
        d.hashed[place] = add_state(table, d, depth, node, seat, n)
    number = np.int64(d.hashed[place])
    if not same_actions(d, number, n):
        d.count[STATUS] = BROKEN_ACTIONS
        return -1
    if d.parent[number] != d.stack_sequence[depth, seat]:
        d.count[STATUS] = NO_RECALL
        return -1
    return number


@lean_kernel
def add_end(table, d, node, depth):
    """A terminal node: what each seat gets, how likely chance makes it, and the seats' sequences."""
    end = d.count[ENDS]
    d.index[node], d.first[node], d.width[node] = end, d.count[EDGES], 0
    c.call_returns(table[c.T_RETURNS], (d.stack_record[depth], d.utility[end]))
    d.weight[end] = d.stack_weight[depth]
    for p in range(d.sequence.shape[1]):
        d.sequence[end, p] = d.stack_sequence[depth, p]
    d.count[ENDS] = end + 1


@lean_kernel
def met(table, d, node, depth, n):
    """Look at a position for a second time: it must not be under way, and be what it was."""
    d.count[FRESH] = 0
    if d.order[node] < 0:
        d.count[STATUS] = CYCLE
        return -1
    if d.mover[node] == c.TERMINAL:
        c.call_returns(table[c.T_RETURNS], (d.stack_record[depth], d.returns))
        for p in range(d.returns.shape[0]):
            if d.returns[p] != d.utility[d.index[node], p]:
                d.count[STATUS] = BROKEN_END
                return -1
    elif d.width[node] != n:
        d.count[STATUS] = BROKEN_ACTIONS
        return -1
    else:
        for k in range(n):
            if d.action[d.first[node] + k] != d.legal[k]:
                d.count[STATUS] = BROKEN_ACTIONS
                return -1
    return node


@lean_kernel
def enter(table, d, depth, merge, limit):
    """The node of the state on top of the stack, made if it is new; -1 where the walk must end."""
    state, n = d.stack_record[depth], np.int64(0)
    mover = c.call_to_play(table[c.T_TO_PLAY], (state,))
    if mover != c.TERMINAL:
        n = c.call_legal(table[c.T_LEGAL], (state, d.legal))
        if n < 1:
            d.count[STATUS] = STUCK
            return -1
    place, key = np.int64(0), np.uint64(0)
    if merge:
        key = mix(c.call_info_key(table[c.T_INFO_KEY], (state, np.int64(c.PUBLIC))), np.uint64(mover + 2))
        place = find_node(d, key)
        if d.hashed[place] >= 0:
            return met(table, d, np.int64(d.hashed[place]), depth, n)
    node = d.count[NODES]
    if node >= limit:
        d.count[STATUS] = OVER_LIMIT
        return -1
    if node == d.mover.shape[0] or d.count[EDGES] + n > d.action.shape[0]:
        d.count[STATUS] = FULL
        return -1
    if merge:
        d.hashed[place], d.node_key[node] = node, key
    d.count[NODES], d.count[FRESH] = node + 1, 1
    d.mover[node], d.order[node], d.index[node] = mover, -1, -1
    if mover == c.TERMINAL:
        add_end(table, d, node, depth)
        return node
    add_edges(table, d, node, depth, n)
    if mover >= 0:
        number = add_state(table, d, depth, node, mover, n) if merge else state_of(table, d, depth, node, mover, n)
        d.index[node] = number
        if number < 0:
            return -1
    return node


@lean_kernel
def advance(table, d, depth, edge, k):
    """Put the state after the `k`-th `edge` of the node at `depth` on top of the stack."""
    node, size = d.stack_node[depth], d.stack_record.shape[1]
    for j in range(size):
        d.stack_record[depth + 1, j] = d.stack_record[depth, j]
    for p in range(d.stack_sequence.shape[1]):
        d.stack_sequence[depth + 1, p] = d.stack_sequence[depth, p]
    d.stack_weight[depth + 1] = d.stack_weight[depth] * d.chance[edge]
    if d.mover[node] >= 0:
        d.stack_sequence[depth + 1, d.mover[node]] = d.slot[d.index[node]] + k
    c.call_apply(table[c.T_APPLY], (d.stack_record[depth + 1], np.int64(d.action[edge])))


@lean_kernel(types.void(types.int64[::1], DRAFT, _I4[::1], types.boolean, _I8))
def begin(table, d, options, merge, limit):
    """Begin a walk in an empty draft.

    Args:
        table: the game's.
        d: the draft.
        options: what `setup` gets.
        merge: one node for each position (perfect information) instead of one for each history.
        limit: most nodes.
    """
    c.call_setup(table[c.T_SETUP], (d.stack_record[0], options))
    for p in range(d.stack_sequence.shape[1]):
        d.stack_sequence[0, p] = -1 - p
    d.stack_weight[0] = 1.0
    d.count[STATUS] = UNDER_WAY
    enter(table, d, 0, merge, limit)


@lean_kernel(types.void(types.int64[::1], DRAFT, types.boolean, _I8, _I8))
def walk(table, d, merge, limit, steps):
    """Go on with a walk, depth first, for at most so many steps; `count[STATUS]` says how far it is.

    Args:
        table: the game's.
        d: the draft, begun; its walk is under way.
        merge: as it was begun.
        limit: as it was begun.
        steps: most edges to look at.
    """
    depth = d.count[DEPTH]
    while depth >= 0 and steps > 0:
        node, k = np.int64(d.stack_node[depth]), np.int64(d.stack_next[depth])
        if k == d.width[node]:
            d.order[node] = d.count[FINISHED]  # all below it is numbered
            d.count[FINISHED] += 1
            depth -= 1
            continue
        if depth == table[c.T_MAX_LENGTH]:
            d.count[STATUS] = TOO_LONG
            return
        d.stack_next[depth] = k + 1
        edge = np.int64(d.first[node]) + k
        advance(table, d, depth, edge, k)
        child = enter(table, d, depth + 1, merge, limit)
        if child < 0:
            return
        d.child[edge] = child
        steps -= 1
        if d.count[FRESH] == 1:
            depth += 1
            d.stack_node[depth], d.stack_next[depth] = child, 0
    d.count[DEPTH] = depth
    if depth < 0:
        d.count[STATUS] = DONE


@lean_kernel(types.float64(types.int64[::1], DRAFT, _I4[::1], RNG))
def guess(table, d, options, rng):
    """Histories of a game as one random game tells: 1 + b1 + b1 b2 + ..., where bN is the choice at its step N.

    On average over random games that is exactly their number (Knuth 1975, "Estimating the efficiency of backtrack
    programs"). A game that goes on longer than its rules say, or whose guess is huge, is left where it is.
    """
    state, total, product = d.stack_record[0], 1.0, 1.0
    c.call_setup(table[c.T_SETUP], (state, options))
    for _ in range(table[c.T_MAX_LENGTH]):
        if total >= HUGE or c.call_to_play(table[c.T_TO_PLAY], (state,)) == c.TERMINAL:
            break
        n = c.call_legal(table[c.T_LEGAL], (state, d.legal))
        if n < 1:
            break
        product *= float(n)
        total += product
        c.call_apply(table[c.T_APPLY], (state, np.int64(d.legal[below(rng, n)])))
    return total
