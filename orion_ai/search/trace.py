"""One search, watched: the same answer as `Search.run`, with its tree linked up and the world of every simulation.

The compiled search keeps no parents and no worlds, since it needs neither. Here it is driven one simulation at a time,
which changes nothing in it, and what each simulation did is read off in between.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from orion_ai.search.backup import expand_and_back_up
from orion_ai.search.config import BANDITS
from orion_ai.search.descend import descend, simulate
from orion_ai.search.forest import IDLE, LEAF, ROOT, SEEN, Forest
from orion_ai.search.oos_way import Ways
from orion_ai.search.particles import Belief
from orion_ai.search.report import SearchReport
from orion_ai.search.search import Search
from orion_ai.search.stepping import begin_next
from orion_ai.search.worlds import start

__all__ = ["Edge", "Node", "Origin", "Trace", "trace", "traceable"]

OUTSIDE = -1
"""As the edge that leads to a node: none (the root; under `mix`, opponents' nodes that a public world came to)."""


@dataclass
class Edge:
    """An action at a node; numbers as in `SearchReport`.

    Attributes:
        prior: normalised over the node's edges.
        total: sum of the weighted values, by absolute seat.
        children: how many simulations went from here to which node.
        ended: how many simulations ended after this action, or found no room for another node.
        average: of a bandit, which mixes: the action's probability by the average strategy; None of other searches.
        current: likewise by the strategy at the end of the search.
    """

    action: int
    visits: float
    available: float
    prior: float
    total: list[float]
    children: Counter[int] = field(default_factory=Counter)
    ended: int = 0
    average: float | None = None
    current: float | None = None

    def q(self, seat: int) -> float:
        """Mean value for `seat`; 0 without a visit."""
        return self.total[seat] / self.visits if self.visits > 0 else 0.0


@dataclass(frozen=True)
class Origin:
    """How a node was met for the first time.

    Attributes:
        simulation: in which one.
        rng: `uint64[2]`, its generator when its world had been sampled.
        path: the actions at nodes on the way, as (seat, action).
        record: `uint8[record]`, the state there.
        steps: the way there from the start of the game, as (action, whether at a node), if simulations begin there.
    """

    simulation: int
    rng: NDArray[np.uint64]
    path: tuple[tuple[int, int], ...]
    record: NDArray[np.uint8]
    steps: tuple[tuple[int, bool], ...] | None = None


@dataclass(frozen=True)
class Node:
    """An information set of the tree, its edges ascending by action; the root has no origin."""

    seat: int
    value: list[float]
    edges: list[Edge]
    origin: Origin | None


@dataclass(frozen=True)
class Trace:
    """A search of one position by S simulations.

    Those of `oos` begin at the start of the game. What is said of their worlds is then said of the states in which they
    came to the root, `private` of those that did, and their weights are the others' share in coming there over how
    often the search does.

    Attributes:
        report: what `Search.run` would have answered (one lane), save for the seconds.
        nodes: the tree, node 0 the root.
        entries: nodes that simulations came to without an edge before them, and how often.
        worlds: `uint8[S, record]`, the world of each simulation.
        weights: `float64[S]`, theirs.
        private: `bool[S]`, whether it kept all that the searcher knows.
        actions: `int32[S]`, the root's action, -1 where the simulation did not update the root.
        values: `float64[S, P]`, the value that it came back with (`oos`: to the root).
        from_start: whether the simulations begin at the start of the game (`oos`).
        history: `int32[S]`, by which of H ways from the start of the game a simulation came to the root, -1 if it did
            not; H is 0 where none begins there.
        reach: `float64[H]`, how probably chance and the others' average strategies lead along each.
    """

    report: SearchReport
    nodes: list[Node]
    entries: Counter[int]
    worlds: NDArray[np.uint8]
    weights: NDArray[np.float64]
    private: NDArray[np.bool_]
    actions: NDArray[np.int32]
    values: NDArray[np.float64]
    from_start: bool
    history: NDArray[np.int32]
    reach: NDArray[np.float64]


def traceable(search: object) -> bool:
    """Whether `trace` can watch this search: one with a forest of information-set trees."""
    return isinstance(search, Search) and isinstance(getattr(search, "_forest", None), Forest)


def trace(
    search: Search, world: NDArray[np.uint8], seat: int, key: int, beliefs: Sequence[Belief] | None = None
) -> Trace:
    """Search one position as `search.run(world[None], [seat], [key], beliefs=beliefs)` does, and keep what happened.

    Raises:
        as `Search.run`.
    """
    watched = _Watched(search, world, seat, key, beliefs)
    watched.go()
    return watched.result()


class _Watched:
    """The forest of a search, driven one simulation of lane 0 at a time."""

    def __init__(
        self, search: Search, world: NDArray[np.uint8], seat: int, key: int, beliefs: Sequence[Belief] | None
    ) -> None:
        search._set_up(np.asarray(world)[None], np.array([seat]), np.array([key], np.uint64), None, None)
        search._take_beliefs(1, beliefs)
        self.search, self.forest, self.handle = search, search._forest, search._handle
        self.network = search.config.leaf == "network"
        rows = search.config.leaf_rows(search.game)
        self.rows = search._observations if self.network else np.zeros((rows, search.game.observation_size), np.int16)
        self.begun = time.perf_counter()
        self.ways = Ways(search.game, search.config, self.forest) if search.config.algorithm == "oos" else None
        self.worlds: list[NDArray[np.uint8]] = []
        self.paths: list[NDArray[np.int32]] = []
        self.weights: list[float] = []
        self.private: list[bool] = []
        self.values: list[NDArray[np.float64]] = []
        self.leaves: list[int] = []
        self.met: dict[int, tuple[int, NDArray[np.uint64], NDArray[np.uint8]]] = {}

    def go(self) -> None:
        """Search until the budget is spent."""
        start(self.handle, 1)
        self._settle(descend(self.handle, 1, 1, self.rows))
        while not self.search._out_of_time(self.begun):
            if begin_next(self.handle, 0) == IDLE:
                break
            if not self._simulate():
                break
        self.search._check(1)

    def _simulate(self) -> bool:
        """Walk one simulation that has begun to its end; whether all went well."""
        f, lane = self.forest, self.forest.lane[0]
        rng, number = f.rng[0].copy(), len(self.worlds)
        self.worlds.append(f.state[0].copy())
        self.weights.append(float(lane["weight"]))
        self.private.append(bool(lane["private"]))
        leaf = -1
        while int(lane["done"]) == number:
            rows = descend(self.handle, 1, 1, self.rows)
            self.search.ask_opponent(1)
            if lane["status"] == LEAF and lane["leaf"] >= 0:
                leaf = int(lane["leaf"])
                self.met[leaf] = number, rng, f.state[0].copy()
            if lane["status"] == IDLE:
                return False
            self._settle(rows)
        path = f.path[0, : int(lane["length"])].copy()
        self.paths.append(path[path >= 0])
        self.values.append(f.value[0].astype(np.float64))
        self.leaves.append(leaf)
        if self.ways is not None:
            arrival = self.ways.add(rng, path)
            self.private[number] = arrival is not None
            if arrival is not None:
                self.worlds[number], self.weights[number], self.values[number] = arrival
        return True

    def _settle(self, rows: int) -> None:
        """Answer what the lane waits for: by the network, or by a playout."""
        if rows <= 0:
            return
        if self.network:
            logits, values = self.search._answer(rows)
            expand_and_back_up(self.handle, 1, logits, values)
            return
        lane = self.forest.lane[0]
        lane["evaluations"] = 0  # `descend` has written rows, but nobody reads them
        simulate(self.handle, 1, 0 if lane["status"] == ROOT else 1)

    def result(self) -> Trace:
        """What was seen."""
        seconds = (time.perf_counter() - self.begun, 0.0, 0.0)
        done, seats = len(self.paths), self.search.game.players
        chains = [self._chain(node) for node in range(int(self.forest.lane["nodes"][0]))]
        owner = {e: node for node, chain in enumerate(chains) for e in chain}
        edges = {
            e: edge for n, chain in enumerate(chains) for e, edge in zip(chain, self._edges(n, chain), strict=True)
        }
        entries: Counter[int] = Counter()
        for path, leaf in zip(self.paths, self.leaves, strict=True):
            for before, after in zip([OUTSIDE, *path], [*(owner[int(e)] for e in path), leaf], strict=True):
                if before == OUTSIDE:
                    entries[after] += after >= 0
                elif after >= 0:
                    edges[int(before)].children[after] += 1
                else:
                    edges[int(before)].ended += 1
        nodes = [self._node(n, [edges[e] for e in chain], owner, edges) for n, chain in enumerate(chains)]
        rooted = [next((int(e) for e in path if owner[int(e)] == 0), -1) for path in self.paths]
        actions = [edges[e].action if e >= 0 else -1 for e in rooted]
        worlds = np.array(self.worlds[:done], np.uint8).reshape(done, self.search.game.record_size)
        return Trace(
            report=self.search._report(1, seconds),
            nodes=nodes,
            entries=entries,
            worlds=worlds,
            weights=np.array(self.weights[:done]),
            private=np.array(self.private[:done], bool),
            actions=np.array(actions, np.int32),
            values=np.array(self.values, np.float64).reshape(done, seats),
            from_start=self.ways is not None,
            history=np.array(self.ways.history if self.ways else [-1] * done, np.int32),
            reach=np.array(self.ways.reach({e: edge.average or 0.0 for e, edge in edges.items()}) if self.ways else []),
        )

    def _chain(self, node: int) -> list[int]:
        """Numbers of a node's edges, ascending by action."""
        f, chain = self.forest, []
        e = int(f.node_first[0, node])
        while e >= 0:
            chain.append(e)
            e = int(f.edge_next[0, e])
        return sorted(chain, key=lambda e: int(f.edge_action[0, e]))

    def _edges(self, node: int, chain: list[int]) -> list[Edge]:
        f = self.forest
        mass = sum(float(f.edge_prior[0, e]) for e in chain)
        average, current = self._strategies(node, chain)
        return [
            Edge(
                action=int(f.edge_action[0, e]),
                visits=float(f.edge_visits[0, e]),
                available=float(f.edge_available[0, e]),
                prior=float(f.edge_prior[0, e]) / mass,
                total=f.edge_total[0, e].tolist(),
                average=average[place],
                current=current[place],
            )
            for place, e in enumerate(chain)
        ]

    def _strategies(self, node: int, chain: list[int]) -> tuple[list[float | None], list[float | None]]:
        """The average and the last strategy of a bandit over a node's edges (as `regret.strategy`); None of others."""
        f, config = self.forest, self.search.config
        mixed = config.algorithm in BANDITS or (config.simultaneous != "none" and f.node_kind[0, node] != SEEN)
        if not mixed or not chain:
            return [None] * len(chain), [None] * len(chain)
        prior, regret = f.edge_prior[0, chain].astype(np.float64), f.edge_regret[0, chain]
        if config.bandit == "exp3":
            current = prior * np.exp(config.exploration / len(chain) * (regret - regret.max()))
        else:
            current = np.maximum(regret, 0.0) if regret.max() > 0.0 else prior
        share = f.edge_share[0, chain]
        average = share if share.sum() > 0.0 else prior
        return (average / average.sum()).tolist(), (current / current.sum()).tolist()

    def _node(self, number: int, mine: list[Edge], owner: dict[int, int], edges: dict[int, Edge]) -> Node:
        f, origin = self.forest, None
        if number in self.met:
            simulation, rng, record = self.met[number]
            path = self.paths[simulation].tolist() if simulation < len(self.paths) else []
            steps = tuple((int(f.node_seat[0, owner[e]]), edges[e].action) for e in path)
            origin = Origin(simulation, rng, steps, record, self.ways.steps[simulation] if self.ways else None)
        return Node(int(f.node_seat[0, number]), f.node_value[0, number].tolist(), mine, origin)
