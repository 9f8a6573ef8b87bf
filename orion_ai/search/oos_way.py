"""The ways of the simulations of online outcome sampling, played again: the search itself notes but their decisions.

Every step drew one number, so the generator says what chance did, and the path where an aimed simulation kept to the
target's keys (`oos.walk_from_start`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engines.contract import CHANCE, PUBLIC, TERMINAL, Game
from engines.rng import uniform
from orion_ai.search.config import SearchConfig
from orion_ai.search.forest import Forest

__all__ = ["Arrival", "Step", "Target", "Ways", "retrace"]


class Step(NamedTuple):
    """An action on the way, from the state `record`; `entry` is its place in the path, -1 for none.

    `odds` is its probability if chance chose it, 1 otherwise.
    """

    record: NDArray[np.uint8]
    action: int
    entry: int
    odds: float


class Target(NamedTuple):
    """What aimed simulations keep to: the keys of `history.keys_to`, whose they are, and the share that is aimed."""

    keys: Sequence[int]
    viewer: int
    delta: float


class Arrival(NamedTuple):
    """How a simulation came to the root.

    Attributes:
        record: `uint8[record]`, the state there.
        weight: the others' share in coming there, over how often the search does.
        values: `float64[P]`, what it came back with to the root.
    """

    record: NDArray[np.uint8]
    weight: float
    values: NDArray[np.float64]


class Ways:
    """The simulations of lane 0, one after another.

    Attributes:
        steps: the way of each, as (action, whether at a node).
        history: by which way each came to the root, numbered as they were found; -1 if it did not.
    """

    def __init__(self, game: Game, config: SearchConfig, forest: Forest) -> None:
        self.game, self.forest, lane = game, forest, forest.lane[0]
        keys, self.seat = forest.target[0, : int(lane["target"]) + 1].tolist(), int(lane["seat"])
        self.target = Target(keys, PUBLIC if config.oos_target == "public" else self.seat, config.oos_delta)
        self.steps: list[tuple[tuple[int, bool], ...]] = []
        self.history: list[int] = []
        self._found: dict[tuple[int, ...], tuple[int, float, list[int]]] = {}
        self._totals: dict[int, NDArray[np.float64]] = {}

    def add(self, rng: NDArray[np.uint64], path: NDArray[np.int32]) -> Arrival | None:
        """Note the simulation that has just ended: its generator at its beginning, the edges of its path (-1: none)."""
        f = self.forest
        nodes, actions = f.path_node[0, : len(path)].tolist(), f.edge_action[0, path].tolist()
        steps, _ = retrace(self.game, self.target, rng, nodes, actions)
        self.steps.append(tuple((step.action, step.entry >= 0 and nodes[step.entry] >= 0) for step in steps))
        if 0 not in nodes:
            self.history.append(-1)
            return None
        entry = nodes.index(0)
        here = next(number for number, step in enumerate(steps) if step.entry == entry)
        self.history.append(self._number(steps[:here], path[:entry].tolist(), nodes))
        edge = int(path[entry])
        total = f.edge_total[0, edge].astype(np.float64)
        came = total - self._totals.get(edge, 0.0)
        self._totals[edge] = total
        weight = float(f.path_facts[0, entry, 3] / f.path_facts[0, entry, 0])
        return Arrival(steps[here].record, weight, came / weight if weight > 0 else np.zeros_like(came))

    def _number(self, steps: Sequence[Step], path: Sequence[int], nodes: Sequence[int]) -> int:
        way = tuple(step.action for step in steps)
        if way not in self._found:
            seats = self.forest.node_seat[0]
            others = [e for e, n in zip(path, nodes, strict=False) if n >= 0 and int(seats[n]) != self.seat]
            self._found[way] = len(self._found), math.prod(step.odds for step in steps), others
        return self._found[way][0]

    def reach(self, shares: Mapping[int, float]) -> list[float]:
        """Of every way to the root: the odds of chance times the others' `shares`, by edge."""
        return [odds * math.prod(shares[e] for e in others) for _, odds, others in self._found.values()]


def retrace(
    game: Game, target: Target, rng: NDArray[np.uint64], nodes: Sequence[int], actions: Sequence[int]
) -> tuple[list[Step], NDArray[np.uint8]]:
    """The steps of a simulation from the game's start on, and the state where it ended or came to a new leaf.

    Args:
        game: the game.
        target: of the search.
        rng: `uint64[2]`, the generator that the simulation began with; it is left alone.
        nodes: of the path's entries; -1 for a chance event that was aimed.
        actions: what was chosen at each entry that has a node.
    """
    kernels, rng, state = game.kernels, rng.copy(), game.start().record.copy()
    legal, steps, entry = np.zeros(game.max_legal, np.int32), [], 0
    targeted = uniform(rng) < target.delta
    for number in range(game.max_length + 1):
        mover = kernels.to_play(state)
        if mover == TERMINAL:
            break
        choices = legal[: kernels.legal(state, legal)].tolist()
        node, odds = nodes[entry] if entry < len(nodes) else None, 1.0
        if mover == CHANCE:
            noted = node == -1
            shares = kept = _odds(game, state, len(choices))
            if noted and targeted:
                kept = np.where([_key(game, target, state, a) == target.keys[number + 1] for a in choices], kept, 0.0)
            place = _draw(kept / kept.sum(), rng)
            action, odds = choices[place], float(shares[place])
        else:
            # A decision without a choice has a node at the end of the way to the target alone.
            noted = node is not None and node >= 0 and (len(choices) > 1 or number == len(target.keys) - 1)
            if len(choices) > 1 and not noted:
                break
            uniform(rng)
            action = actions[entry] if noted else choices[0]
        steps.append(Step(state.copy(), action, entry if noted else -1, odds))
        entry += noted
        kernels.apply(state, action)
    return steps, state


def _odds(game: Game, state: NDArray[np.uint8], count: int) -> NDArray[np.float64]:
    weights = np.zeros(game.max_legal, np.int64)
    game.kernels.weights(state, weights)
    return weights[:count] / float(weights[:count].sum())


def _key(game: Game, target: Target, state: NDArray[np.uint8], action: int) -> int:
    """The target's viewer's key after an action."""
    after = state.copy()
    game.kernels.apply(after, action)
    return int(game.kernels.info_key(after, target.viewer))


def _draw(shares: NDArray[np.float64], rng: NDArray[np.uint64]) -> int:
    """A place drawn by its share, as the search draws it."""
    left, chosen = uniform(rng), -1
    for place, share in enumerate(shares.tolist()):
        if share > 0.0:
            chosen, left = place, left - share
            if left < 0.0:
                break
    return chosen
