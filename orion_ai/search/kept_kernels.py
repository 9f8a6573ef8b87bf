# mypy: ignore-errors
"""A tree taken out of a lane and put back under another root, compiled."""

from numba import types

from engines import contract as c
from engines.kernel import lean_kernel
from orion_ai.search.forest import READY
from orion_ai.search.handle import HANDLE, opened
from orion_ai.search.nodes import add_node, find_slot, write_edge

__all__ = ["choose_kept", "load_kept", "pack_kept"]

I4, F4, F8, ROWS = types.int32[::1], types.float32[::1], types.float64[::1], types.float32[:, ::1]


@lean_kernel(types.void(HANDLE, types.int64, F8, I4, types.int64[::1]))
def choose_kept(handle, b, before, chosen, out):
    """Mark the nodes that a lane's last search has made or passed; `out` gets their number and that of their edges.

    Args:
        before: float64[m], the visits that the first m nodes came with.
        chosen: int32[nodes], gets 1 or 0.
    """
    f = opened(handle)
    out[0], out[1] = 0, 0
    for node in range(int(f.lane[b]["nodes"])):
        visits, edges, e = 0.0, 0, f.node_first[b, node]
        while e >= 0:
            visits += float(f.edge_visits[b, e])
            edges += 1
            e = f.edge_next[b, e]
        chosen[node] = 0 if node < before.shape[0] and visits == before[node] else 1
        if chosen[node] == 1:
            out[0] += 1
            out[1] += edges


PACK = types.void(HANDLE, types.int64, I4, types.uint64[::1], I4, I4, F4, ROWS, I4, I4, F4, F4, F4, ROWS)


@lean_kernel(PACK)
def pack_kept(handle, b, chosen, key, seat, legal, high, value, first, action, prior, visits, available, total):
    """Copy the chosen nodes of a lane and their edges into the arrays of a `Kept`."""
    f = opened(handle)
    node, edge = 0, 0
    for old in range(chosen.shape[0]):
        if chosen[old] == 0:
            continue
        key[node], seat[node], legal[node] = f.node_key[b, old], f.node_seat[b, old], f.node_legal[b, old]
        high[node], first[node] = f.node_high[b, old], edge
        for q in range(value.shape[1]):
            value[node, q] = f.node_value[b, old, q]
        e = f.node_first[b, old]
        while e >= 0:
            action[edge], prior[edge] = f.edge_action[b, e], f.edge_prior[b, e]
            visits[edge], available[edge] = f.edge_visits[b, e], f.edge_available[b, e]
            for q in range(total.shape[1]):
                total[edge, q] = f.edge_total[b, e, q]
            edge += 1
            e = f.edge_next[b, e]
        node += 1
        first[node] = edge


@lean_kernel
def put_edge(f, b, e, k, prior, visits, available, total):
    """Give edge `e`, which has been written for its action, the numbers of the kept edge `k`."""
    f.edge_prior[b, e], f.edge_visits[b, e], f.edge_available[b, e] = prior[k], visits[k], available[k]
    for q in range(total.shape[1]):
        f.edge_total[b, e, q] = total[k, q]


@lean_kernel
def put_node(f, b, node, k, legal, high, value):
    f.node_legal[b, node], f.node_high[b, node] = legal[k], high[k]
    for q in range(value.shape[1]):
        f.node_value[b, node, q] = value[k, q]


@lean_kernel
def put_root(f, b, k, n, first, action, prior, visits, available, total):
    """The root's edges: one for each legal action, in their order; return its visits."""
    came = 0.0
    for j in range(n):
        write_edge(f, b, j, f.legal[b, j], 0.0, 0.0)
        for e in range(first[k], first[k + 1]):
            if action[e] == f.legal[b, j]:
                put_edge(f, b, j, e, prior, visits, available, total)
                came += float(visits[e])
        f.edge_next[b, j] = j + 1 if j < n - 1 else -1
    f.node_first[b, 0], f.node_legal[b, 0], f.lane[b]["edges"] = 0, n, n
    return came


@lean_kernel
def put_others(f, b, root, key, seat, legal, high, value, first, action, prior, visits, available, total, before):
    """The other nodes, as many as half of the lane has room for; `before` gets their visits."""
    lane, e = f.lane[b], int(f.lane[b]["edges"])
    for k in range(key.shape[0]):
        edges = first[k + 1] - first[k]
        if k == root or 2 * int(lane["nodes"]) >= f.node_key.shape[1] or 2 * (e + edges) > f.edge_action.shape[1]:
            continue
        node, came = add_node(f, b, find_slot(f, b, key[k]), key[k], seat[k]), 0.0
        put_node(f, b, node, k, legal, high, value)
        for i in range(first[k], first[k + 1]):
            write_edge(f, b, e, action[i], 0.0, 0.0)
            put_edge(f, b, e, i, prior, visits, available, total)
            f.edge_next[b, e] = e + 1 if i < first[k + 1] - 1 else -1
            came += float(visits[i])
            e += 1
        if edges > 0:
            f.node_first[b, node] = e - edges
        before[node] = came
    lane["edges"] = e


LOAD = types.int64(HANDLE, types.int64, types.uint64[::1], I4, I4, F4, ROWS, I4, I4, F4, F4, F4, ROWS, F8)


@lean_kernel(LOAD)
def load_kept(handle, b, key, seat, legal, high, value, first, action, prior, visits, available, total, before):
    """Put a kept tree into a lane that has been started, if it has a node for the decision at hand: that is its root.

    Args:
        before: float64[kept nodes], gets the visits that each node of the lane comes with.

    Returns:
        how many nodes the lane has now; 0 where the decision had none, and the lane is as it was.
    """
    f = opened(handle)
    table, lane = f.table, f.lane[b]
    wanted = f.node_key[b, 0]
    root = -1
    for k in range(key.shape[0]):
        if key[k] == wanted:
            root = k
            break
    if root < 0:
        return 0
    n = c.call_legal(table[c.T_LEGAL], (f.roots[b], f.legal[b]))
    for i in range(f.slot.shape[1]):
        f.slot[b, i] = -1
    lane["nodes"] = 0
    add_node(f, b, find_slot(f, b, wanted), wanted, seat[root])
    put_node(f, b, 0, root, legal, high, value)
    before[0] = put_root(f, b, root, n, first, action, prior, visits, available, total)
    put_others(f, b, root, key, seat, legal, high, value, first, action, prior, visits, available, total, before)
    lane["status"] = READY
    return int(lane["nodes"])
