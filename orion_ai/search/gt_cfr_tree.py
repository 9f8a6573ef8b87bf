"""The arrays of growing-tree CFR: for each lane one tree of histories, and the information sets over it.

Nodes are numbered as they are made, so that a parent comes before its children. Node 0 is a chance event over the
worlds that the tree starts from. The edges of a node lie side by side; those of a chance node get their children one by
one, those of a decision all at once. A decision without edges is a leaf, valued when it was made. What histories of one
information set share are the set's slots, one a legal action in its order: regret, policy, average and prior; so edge j
of a decision belongs to slot j of its set. Set 0 is the searcher's present one. Lanes share nothing but scratch space.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import typeof, types
from numpy.typing import NDArray

from engines.contract import Game
from engines.kernel import JIT
from orion_ai.search.config import LEAVES, VALUES, WORLDS, SearchConfig

__all__ = ["GROVE", "SETTINGS", "Grove", "allocate", "settings"]

IDLE, READY, ROOT, WAITING, VALUED = range(5)
"""What a lane is doing: nothing; about to start a simulation; waiting for the evaluation of its root, or of new leaves;
about to end its simulation by sweeps."""

ACTIONS_DIFFER = 16
"""A fault besides those of `forest`: the same information, and other legal actions."""

_NUMBERS = ("grow_explore", "sweep_nodes", "temperature")
_COUNTS = ("playouts", "cutoff", "evaluations")
Settings = np.dtype(
    [(name, "f8") for name in _NUMBERS]
    + [(name, "i8") for name in (*_COUNTS, "worlds", "leaf", "values", "whole_game", "open")],
    align=True,
)
"""The numbers of a `SearchConfig` that kernels read. `whole_game`: whether a tree starts at the start of the game;
`open`: whether nothing is secret."""

Lane = np.dtype(
    [
        ("key", "u8"),
        ("credit", "f8"),  # histories that sweeps may still visit
        ("reference", "f8"),  # ln of the first world's weight
        ("agreeing", "f8"),  # weight of the public worlds that agree with what the searcher knows
        ("public", "f8"),  # and of all of them
        ("depths", "i8"),  # sum over the simulations
        ("seat", "i4"),  # the searcher
        ("budget", "i4"),
        ("done", "i4"),  # simulations finished
        ("status", "i4"),
        ("broken", "i4"),
        ("noisy", "i4"),  # not used: there is no noise at the root
        ("from_start", "i4"),  # whether the tree starts at the start of the game
        ("late", "i4"),  # whether half of the budget is used up
        ("met", "i4"),  # expanded histories of set 0
        ("turn", "i4"),  # whose policy the next sweep updates
        ("worlds", "i4"),
        ("nodes", "i4"),
        ("edges", "i4"),
        ("sets", "i4"),
        ("slots", "i4"),
        ("fresh", "i4"),  # first node that this simulation made
        ("row", "i4"),  # its first row in the batch
        ("depth", "i4"),  # decisions on the way to what it expanded
        ("max_depth", "i4"),
        ("evaluations", "i4"),
        ("refused", "i4"),  # simulations that found no room
    ],
    align=True,
)

Turn = np.dtype([("time", "f8"), ("nodes", "i4")], align=True)
"""Of a seat: its sweeps, those over smaller trees discounted; the nodes that its last one met."""

Node = np.dtype(
    [
        ("own", "f8"),  # probability that the choices of the seat whose sweep it is lead here
        ("other", "f8"),  # probability that everything else does
        ("worth", "f8"),  # to the seat whose sweep it is
        ("parent", "i4"),
        ("set", "i4"),  # or -1
        ("first", "i4"),  # edge, or -1
        ("width", "i4"),  # edges
        ("visits", "i4"),
        ("forced", "i4"),  # steps without a choice between its edge's action and it
        ("seat", "i4"),  # the mover, CHANCE or TERMINAL
        ("closed", "i2"),  # whether nothing here or below can be expanded
        ("aimed", "i2"),  # whether a history of set 0 is known here or below
    ],
    align=True,
)

Edge = np.dtype(
    [
        ("weight", "f8"),  # of a chance outcome
        ("share", "f8"),  # its probability in the last sweep
        ("action", "i4"),  # of node 0: whether the world agrees with what the searcher knows
        ("child", "i4"),  # node, or -1
    ],
    align=True,
)

Set = np.dtype(
    [
        ("key", "u8"),
        ("reach", "f8"),  # sum over its histories of the own reach, this sweep
        ("seat", "i4"),
        ("first", "i4"),  # slot
        ("width", "i4"),  # slots
        ("count", "i4"),  # expanded histories that this sweep met
        ("known", "i4"),  # whether its prior is
    ],
    align=True,
)

Slot = np.dtype(
    [
        ("regret", "f8"),
        ("policy", "f8"),
        ("average", "f8"),  # not normalised
        ("gain", "f8"),  # regret of this sweep
        ("prior", "f8"),
        ("action", "i4"),
    ],
    align=True,
)


class Grove(NamedTuple):
    """Arrays of B lanes with N nodes, E edges, N sets, E slots, K worlds each; R bytes a record, P seats."""

    lane: NDArray[Any]  # [B] Lane
    turn: NDArray[Any]  # [B, P] Turn
    node: NDArray[Any]  # [B, N] Node
    value: NDArray[np.float32]  # [B, N, P] of ends and leaves, by absolute seat
    edge: NDArray[Any]  # [B, E] Edge
    set: NDArray[Any]  # [B, N] Set
    slot: NDArray[Any]  # [B, E] Slot
    table: NDArray[np.int32]  # [B, power of two] number of a set + 1, or 0, by key
    roots: NDArray[np.uint8]  # [B, R] the records handed in
    start: NDArray[np.uint8]  # [R] the start of the game
    world: NDArray[np.uint8]  # [B, K, R]
    world_hash: NDArray[np.uint64]  # [B, K]
    base: NDArray[np.uint8]  # [B, R] the history that is expanded
    state: NDArray[np.uint8]  # [B, R] one after it
    played: NDArray[np.uint8]  # [R] scratch: a playout
    score: NDArray[np.float32]  # [P] scratch: what it came to
    rng: NDArray[np.uint64]  # [B, 2]
    legal: NDArray[np.int32]  # [L] scratch
    weights: NDArray[np.int64]  # [L] scratch: of chance outcomes


def allocate(game: Game, config: SearchConfig, lanes: int) -> Grove:
    """Empty trees for `lanes` lanes; pages that a search never reaches are never touched."""
    grove = _arrays(
        lanes, config.node_pool, config.edge_pool(game.max_legal), config.grow_worlds,
        record=game.record_size, players=game.players, legal=game.max_legal,
    )  # fmt: skip
    grove.start[:] = game.start().record
    return grove


def _arrays(b: int, nodes: int, edges: int, worlds: int, *, record: int, players: int, legal: int) -> Grove:
    return Grove(
        lane=np.zeros(b, Lane),
        turn=np.zeros((b, players), Turn),
        node=np.zeros((b, nodes), Node),
        value=np.zeros((b, nodes, players), np.float32),
        edge=np.zeros((b, edges), Edge),
        set=np.zeros((b, nodes), Set),
        slot=np.zeros((b, edges), Slot),
        table=np.zeros((b, 1 << max(4, (2 * nodes - 1).bit_length())), np.int32),
        roots=np.zeros((b, record), np.uint8),
        start=np.zeros(record, np.uint8),
        world=np.zeros((b, worlds, record), np.uint8),
        world_hash=np.zeros((b, worlds), np.uint64),
        base=np.zeros((b, record), np.uint8),
        state=np.zeros((b, record), np.uint8),
        played=np.zeros(record, np.uint8),
        score=np.zeros(players, np.float32),
        rng=np.zeros((b, 2), np.uint64),
        legal=np.zeros(legal, np.int32),
        weights=np.zeros(legal, np.int64),
    )


def settings(game: Game, config: SearchConfig) -> NDArray[Any]:
    """`Settings[1]`: the numbers of `config` for kernels."""
    p = np.zeros(1, Settings)
    for name in (*_NUMBERS, *_COUNTS):
        p[name] = getattr(config, name)
    p["worlds"] = WORLDS.index(config.worlds)
    p["leaf"] = LEAVES.index(config.leaf)
    p["values"] = VALUES.index(config.value_rows(game))
    p["whole_game"] = config.grows_from_start(game)
    p["open"] = not game.secrets
    return p


if JIT:
    GROVE: Any = typeof(_arrays(1, 1, 1, 1, record=1, players=1, legal=1))
    SETTINGS: Any = typeof(np.zeros(1, Settings))
else:
    GROVE, SETTINGS = types.none, types.none  # signatures are not looked at
