"""The forest: the trees of all lanes as flat arrays, allocated once.

A lane is one search in progress. Its nodes are keyed by information (whose, is `SearchConfig.nodes`), found through an
open-addressing table; statistics stand on edges, which are linked per node, so that a node can gain edges when another
world offers other actions. Edges of a node that was expanded at once lie side by side in ascending order of action; the
root is node 0 and its edge j belongs to its j-th legal action.

All randomness of a simulation comes from (key of the lane, number of the simulation), and lanes share nothing but
scratch space, so a lane's result does not depend on which other lanes are searched with it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from engines.contract import Game
from orion_ai.search.config import (
    ALGORITHMS,
    LEAVES,
    NODES,
    OPPONENTS,
    SIMULTANEOUS,
    VALUES,
    WORLDS,
    SearchConfig,
)

__all__ = ["TABLE", "Forest", "allocate", "example", "parameters"]

ISMCTS, PUCT, GUMBEL, UNIFORM, REGRET_MATCHING, EXP3, OOS = range(7)
PRIVATE_WORLDS, PUBLIC_WORLDS, MIX, ORACLE, REDEAL, PARTICLES, WEIGHTED = range(7)
OWN, POOLED_PUBLIC, OBSERVER = range(3)
RANDOM, SCRIPTED, NETWORK, SEARCHED, AGENT = range(5)
_AUTO, ONE, TWO, ALL = range(4)
NO_BANDIT, _MATCHING, EXP3_BANDIT = range(3)
"""Numbers of the choices in `config.py`, in its order."""

IDLE, READY, WALKING, ROOT, LEAF, POLICY, ENDED, ASKED = range(8)
"""What a lane is doing: nothing (its budget is spent); about to start a simulation; in the middle of one; waiting for
the evaluation of its root, of a leaf, or of a decision that the network's policy plays; at an end, to be backed up;
waiting for a decision of another agent."""
SEEN, SECRET, AFTER_SECRET = range(3)
"""Choices at a node, where a bandit decides the simultaneous ones: seen by others at once, or not; or the first choice
after one of another seat that was not seen."""

MOST_WEIGHT = 40.0
"""Greatest ln of a world's weight over the mean: a sum of such weights still fits into float32."""

SOUND, WORLD_DIFFERS, TOO_LONG, NOT_FINITE, NO_LEGAL = range(5)
"""What is wrong with a lane, if anything; `Search.run` says it in words."""

Parameters = np.dtype(
    [
        (name, "f8")
        for name in (
            "mix_delta", "c_uct", "c_puct", "fpu", "c_visit", "c_scale", "gumbel_scale", "q_shrink", "noise_share",
            "noise_total", "temperature", "exploration", "mmd_step", "mmd_alpha", "oos_delta", "oos_exploration",
            "oos_baseline",
        )
    ]
    + [
        (name, "i8")
        for name in (
            "algorithm", "worlds", "nodes", "leaf", "values", "paranoid", "cutoff", "considered", "q_rescale",
            "evaluations", "open",
            "opponents", "world_pool", "fusion_depth", "tree_depth", "stop_early",
            "mmd", "uniform_magnet", "oos_public", "bandit", "simultaneous",
        )
    ],
    align=True,
)  # fmt: skip
"""The numbers of a `SearchConfig` that kernels read."""

Lane = np.dtype(
    [
        ("key", "u8"),
        ("weight", "f8"),  # of the world at hand
        ("outweigh", "f8"),  # by how much more it counts at opponents' nodes; see `worlds.outweigh`
        ("reference", "f8", (2,)),  # ln of the mean weight of private and public worlds
        ("weights", "f8"),  # sum over the simulations, and of the squares
        ("weights_squared", "f8"),
        ("depths", "i8"),  # sum over the simulations
        ("seat", "i4"),  # the searcher
        ("budget", "i4"),
        ("done", "i4"),  # simulations finished
        ("status", "i4"),
        ("broken", "i4"),
        ("noisy", "i4"),  # whether the root's prior gets noise
        ("private", "i4"),  # whether the world at hand keeps the searcher's secrets
        ("publics", "i4"),  # public worlds so far, where they are weighed; in how many the searcher knew the same
        ("alike", "i4"),
        ("world", "i4"),  # its number in the pool, if there is one
        ("viewer", "i4"),  # whose nodes the simulation updates, where worlds are dealt anew
        ("required", "i4"),  # Gumbel: visits that the root's next action must have
        ("mover", "i4"),  # who decides at the state that waits for an evaluation
        ("legal", "i4"),  # how many legal actions it has
        ("leaf", "i4"),  # its new node, or -1
        ("row", "i4"),  # its first row in the batch
        ("length", "i4"),  # of the path
        ("depth", "i4"),  # decisions with a node, this simulation
        ("decisions", "i4"),  # all decisions, this simulation
        ("nodes", "i4"),
        ("edges", "i4"),
        ("root_actions", "i4"),
        ("max_depth", "i4"),
        ("evaluations", "i4"),
        ("refused", "i4"),  # leaves that got no node, for want of space
        ("secret", "i4"),  # 1 + seat if the simulation's last choice at a node was a secret one, else 0
        ("target", "i4"),  # OOS: steps from the game's start to the root
    ],
    align=True,
)


class Forest(NamedTuple):
    """Arrays of B lanes, M nodes and E edges a lane, for R bytes a record, A actions, P seats, L legal ids at most."""

    roots: NDArray[np.uint8]  # [B, R] the records handed in
    particle: NDArray[np.uint8]  # [B, N, R] N worlds handed in beside them; else [B, 1, 1]
    particle_sum: NDArray[np.float64]  # [B, N] sums of their weights up to each, the last one 1; else [B, 1]
    state: NDArray[np.uint8]  # [B, R] where the simulation is
    rng: NDArray[np.uint64]  # [B, 2] its generator
    lane: NDArray[Any]  # [B] Lane
    slot: NDArray[np.int32]  # [B, power of two] node or -1, by key
    node_key: NDArray[np.uint64]  # [B, M]
    node_seat: NDArray[np.int32]  # [B, M] who moves
    node_first: NDArray[np.int32]  # [B, M] first edge or -1
    node_legal: NDArray[np.int32]  # [B, M] legal actions when it was made
    node_kind: NDArray[np.uint8]  # [B, M] SEEN, SECRET or AFTER_SECRET, where that matters; else [B, 1]
    node_high: NDArray[np.float32]  # [B, M] greatest legal logit when it was made
    node_value: NDArray[np.float32]  # [B, M, P] its own evaluation
    node_logits: NDArray[np.float32]  # [B, M, A] unmasked, where nodes are pooled; else [B, 1, 1]
    edge_action: NDArray[np.int32]  # [B, E]
    edge_next: NDArray[np.int32]  # [B, E] next edge of the node or -1
    edge_child: NDArray[np.int32]  # [B, E] the node it always leads to, or -1 if that is not known
    edge_prior: NDArray[np.float32]  # [B, E] exp(logit - the node's high), to be normalised over what is legal
    edge_visits: NDArray[np.float32]  # [B, E] N: sum of weights
    edge_available: NDArray[np.float32]  # [B, E] N': sum of weights of the simulations in which it could be chosen
    edge_total: NDArray[np.float32]  # [B, E, P] W: sum of weighted values, by absolute seat
    edge_regret: NDArray[np.float64]  # [B, E] regret for not having chosen it; where no bandit decides, [B, 1]
    edge_share: NDArray[np.float64]  # [B, E] sum of the strategies' shares, for their average; or [B, 1]
    edge_stamp: NDArray[np.int32]  # [B, E] 1 + the last simulation in which it could be chosen; or [B, 1]
    root_count: NDArray[np.int32]  # [B, L] simulations through each root action
    root_noise: NDArray[np.float64]  # [B, L] Gumbel or Dirichlet noise
    root_start: NDArray[np.float64]  # [B, L] Gumbel: noise plus logarithm of the prior
    schedule: NDArray[np.int32]  # [B, simulations] Gumbel's sequential halving; else [B, 1]
    path: NDArray[np.int32]  # [B, longest game] edges to be updated
    path_node: NDArray[np.int32]  # [B, longest game] their nodes, for bandits; or [B, 1]
    path_facts: NDArray[np.float64]  # [B, longest game, 4] see `regret.py`, `oos.py`; `weighted`: weights; or [B, 1, 4]
    value: NDArray[np.float32]  # [B, P] of the simulation
    legal: NDArray[np.int32]  # [B, L] at the state that waits
    edge_of: NDArray[np.int32]  # [L] scratch: the edge of each legal action
    place: NDArray[np.int32]  # [ids] scratch: -1, or where an action stands in `legal`
    weights: NDArray[np.int64]  # [L] scratch: of chance outcomes
    mass: NDArray[np.float64]  # [L] scratch: visits
    prior: NDArray[np.float64]  # [L] scratch: normalised prior
    q: NDArray[np.float64]  # [L] scratch: action values
    score: NDArray[np.float64]  # [L] scratch
    no_logits: NDArray[np.float32]  # [A] zeros
    worth: NDArray[np.float64]  # [P] scratch: OOS, the estimated value on the way up
    state_worth: NDArray[np.float64]  # [P] scratch: OOS, the same one step further up
    reach: NDArray[np.float64]  # [P + 1] scratch: OOS, shares of the seats and of chance in reaching a state
    trial: NDArray[np.uint8]  # [R] scratch: OOS, a state after an action that is looked at
    opening: NDArray[np.uint8]  # [R] OOS: the game's start
    path_key: NDArray[np.uint64]  # [B, longest game] OOS: keys of the path's histories; else [B, 1]
    baseline_key: NDArray[np.uint64]  # [B, power of two] OOS: of a history and an action; else [B, 1]
    baseline: NDArray[np.float64]  # [B, power of two, P + 1] its mean values, and its visits; or [B, 1, P + 1]
    target: NDArray[np.uint64]  # [B, longest game] OOS: keys on the way to the root; else [B, 1]
    parameters: NDArray[Any]  # [1] Parameters
    table: Any  # the game's


def allocate(game: Game, config: SearchConfig, lanes: int) -> Forest:
    """An empty forest of `lanes` lanes; pages that a search never reaches are never touched."""
    nodes, edges, legal = config.node_pool, config.edge_pool(game.max_legal), game.max_legal
    slots = 1 << max(4, (2 * nodes - 1).bit_length())
    pooled = config.nodes in ("public", "observer") and config.leaf == "network"
    return _arrays(
        lanes, nodes, edges, slots, legal, table=game.table, numbers=parameters(game, config),
        record=game.record_size, players=game.players, actions=game.num_actions, ids=game.num_ids,
        length=game.max_length + 1, logits=(nodes, game.num_actions) if pooled else (1, 1),
        schedule=config.most_simulations if config.algorithm == "gumbel" else 1,
        bandit=config.bandit != "none" or config.algorithm == "oos", oos=config.algorithm == "oos",
        weighted=config.worlds == "weighted",
        kinds=nodes if config.simultaneous != "none" else 1,
        particles=(config.particles, game.record_size) if config.worlds == "particles" else (1, 1),
    )  # fmt: skip


def _arrays(
    lanes: int, nodes: int, edges: int, slots: int, legal: int, *, table: Any, numbers: NDArray[Any],
    record: int, players: int, actions: int, ids: int, length: int, logits: tuple[int, int], schedule: int,
    bandit: bool, oos: bool, weighted: bool, kinds: int, particles: tuple[int, int],
) -> Forest:  # fmt: skip
    i4, f4, f8 = np.int32, np.float32, np.float64
    return Forest(
        roots=np.zeros((lanes, record), np.uint8),
        particle=np.zeros((lanes, *particles), np.uint8),
        particle_sum=np.zeros((lanes, particles[0]), f8),
        state=np.zeros((lanes, record), np.uint8),
        rng=np.zeros((lanes, 2), np.uint64),
        lane=np.zeros(lanes, Lane),
        slot=np.zeros((lanes, slots), i4),
        node_key=np.zeros((lanes, nodes), np.uint64),
        node_seat=np.zeros((lanes, nodes), i4),
        node_first=np.zeros((lanes, nodes), i4),
        node_legal=np.zeros((lanes, nodes), i4),
        node_kind=np.zeros((lanes, kinds), np.uint8),
        node_high=np.zeros((lanes, nodes), f4),
        node_value=np.zeros((lanes, nodes, players), f4),
        node_logits=np.zeros((lanes, *logits), f4),
        edge_action=np.zeros((lanes, edges), i4),
        edge_next=np.zeros((lanes, edges), i4),
        edge_child=np.zeros((lanes, edges), i4),
        edge_prior=np.zeros((lanes, edges), f4),
        edge_visits=np.zeros((lanes, edges), f4),
        edge_available=np.zeros((lanes, edges), f4),
        edge_total=np.zeros((lanes, edges, players), f4),
        root_count=np.zeros((lanes, legal), i4),
        root_noise=np.zeros((lanes, legal), f8),
        root_start=np.zeros((lanes, legal), f8),
        schedule=np.zeros((lanes, schedule), i4),
        path=np.zeros((lanes, length), i4),
        value=np.zeros((lanes, players), f4),
        legal=np.zeros((lanes, legal), i4),
        edge_of=np.zeros(legal, i4),
        place=np.full(ids, -1, i4),
        weights=np.zeros(legal, np.int64),
        mass=np.zeros(legal, f8),
        prior=np.zeros(legal, f8),
        q=np.zeros(legal, f8),
        score=np.zeros(legal, f8),
        no_logits=np.zeros(actions, f4),
        **_learned(lanes, edges, slots, record, players, length, bandit=bandit, oos=oos, weighted=weighted),
        parameters=numbers,
        table=table,
    )


def _learned(
    lanes: int, edges: int, slots: int, record: int, players: int, length: int, *, bandit: bool, oos: bool,
    weighted: bool,
) -> dict[str, NDArray[Any]]:  # fmt: skip
    """The arrays of algorithms that learn strategies; of others as small as can be."""
    i4, f8 = np.int32, np.float64
    learning, walked = (edges, length) if bandit else (1, 1)
    steps, lines = (length, 2 * slots) if oos else (1, 1)
    return {
        "edge_regret": np.zeros((lanes, learning), f8),
        "edge_share": np.zeros((lanes, learning), f8),
        "edge_stamp": np.zeros((lanes, learning), i4),
        "path_node": np.zeros((lanes, walked), i4),
        "path_facts": np.zeros((lanes, length if weighted else walked, 4), f8),
        "worth": np.zeros(players, f8),
        "state_worth": np.zeros(players, f8),
        "reach": np.zeros(players + 1, f8),
        "trial": np.zeros(record, np.uint8),
        "opening": np.zeros(record, np.uint8),
        "path_key": np.zeros((lanes, steps), np.uint64),
        "baseline_key": np.zeros((lanes, lines), np.uint64),
        "baseline": np.zeros((lanes, lines, players + 1), f8),
        "target": np.zeros((lanes, steps), np.uint64),
    }


def example() -> Forest:
    """A forest of the smallest sizes, for the types of its arrays, which are the same for all games."""
    return _arrays(
        1, 1, 1, 1, 1, table=np.zeros(1, np.int64), numbers=np.zeros(1, Parameters),
        record=1, players=1, actions=1, ids=1, length=1, logits=(1, 1), schedule=1,
        bandit=False, oos=False, weighted=False, kinds=1, particles=(1, 1),
    )  # fmt: skip


def parameters(game: Game, config: SearchConfig) -> NDArray[Any]:
    """`Parameters[1]`: the numbers of `config` for kernels."""
    p = np.zeros(1, Parameters)
    for name in Parameters.names or ():
        if hasattr(config, name) and not isinstance(getattr(config, name), str):
            p[name] = getattr(config, name)
    p["algorithm"] = ALGORITHMS.index(config.algorithm)
    p["worlds"] = WORLDS.index(config.worlds)
    p["nodes"] = NODES.index(config.nodes)
    p["leaf"] = LEAVES.index(config.leaf)
    p["values"] = VALUES.index(config.value_rows(game))
    p["paranoid"] = config.backup == "paranoid"
    p["opponents"] = OPPONENTS.index(config.opponents)
    # Nothing is hidden and every node has all its edges: an edge leads to the same node each time, if not to chance.
    p["open"] = not game.secrets and config.nodes == "own" and config.algorithm not in ("ismcts", "oos")
    p["mmd"], p["uniform_magnet"] = config.answer == "mmd", config.mmd_magnet == "uniform"
    p["oos_public"] = config.oos_target == "public"
    p["bandit"], p["simultaneous"] = SIMULTANEOUS.index(config.bandit), config.simultaneous != "none"
    return p


TABLE = types.int64[::1]
