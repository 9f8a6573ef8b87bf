"""The worlds behind an answer: what they held, what the root's actions were worth in them, by fact and by world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game
from engines.state import State
from orion_ai.explain.facts import HIDDEN, Facts, hidden_facts
from orion_ai.search.trace import Trace

__all__ = ["Belief", "Condition", "RootWorld", "Sample", "beliefs", "conditions", "root_worlds", "sampled"]

MOST_LETTERS = 120
"""Of a world's name."""


@dataclass(frozen=True)
class Belief:
    """A fact that the seat cannot see: the share of the worlds that hold it, and how often they do on average.

    `true` says how often it holds in truth, where that is to be revealed.
    """

    field: str
    whose: str
    what: str
    share: float
    mean: float
    true: int | None = None


@dataclass(frozen=True)
class Condition:
    """The root's actions in those worlds alone that hold a fact: (visits, q) in the order of `Answer.options`."""

    belief: Belief
    actions: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class RootWorld:
    """A world that the seat may be in, named by what tells it from the others; some may look alike.

    Attributes:
        text: what it holds that others do not.
        worlds: how many look so.
        share: of the weight of all.
        value: expected there by the answer's policy, of the actions that were tried.
        actions: as of `Condition`.
    """

    text: str
    worlds: int
    share: float
    value: float
    actions: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Sample:
    """W worlds of the root, and what came of its A legal actions in each.

    Attributes:
        worlds: `uint8[W, record]`.
        weights: `float64[W]`.
        mass: `float64[W, A]`, how much the value of an action in a world counts in its mean over worlds.
        visits: `float64[W, A]`.
        q: `float64[W, A]`, value of an action in a world to the searcher.
        once: whether each is of one simulation, so that a world which came up once or twice says nothing by itself.
    """

    worlds: NDArray[np.uint8]
    weights: NDArray[np.float64]
    mass: NDArray[np.float64]
    visits: NDArray[np.float64]
    q: NDArray[np.float64]
    once: bool

    def actions(self, kept: NDArray[Any]) -> tuple[tuple[float, float], ...]:
        """Visits and mean value of every action in some of the worlds; they count alike where all their mass is 0."""
        mass, visits = self.mass[kept], self.visits[kept].sum(axis=0)
        mass = np.where(mass.sum(axis=0) > 0, mass, self.visits[kept] > 0)
        total = mass.sum(axis=0)
        q = np.divide((mass * self.q[kept]).sum(axis=0), total, out=np.zeros_like(visits), where=total > 0)
        return tuple(zip(visits.tolist(), q.tolist(), strict=True))


def sampled(trace: Trace, legal: Sequence[int], seat: int) -> Sample | None:
    """The worlds of a watched search that keep what its searcher knows, each one simulation's; None without any.

    Where simulations begin at the start of the game, each is a history by which some came to the root, and counts by
    how probably chance and the others' average strategies lead there.
    """
    if trace.from_start:
        return _reached(trace, legal, seat)
    kept = np.flatnonzero(trace.private)
    weights, values = trace.weights[kept], trace.values[kept, seat]
    if not weights.sum() > 0:
        return None
    chosen = trace.actions[kept][:, None] == np.array(legal)
    mass = weights[:, None] * chosen
    return Sample(trace.worlds[kept], weights, mass, mass, values[:, None] * chosen, once=True)


def _reached(trace: Trace, legal: Sequence[int], seat: int) -> Sample | None:
    if not trace.reach.sum() > 0:
        return None
    shape = len(trace.reach), len(legal)
    worlds, visits, totals = np.zeros((shape[0], trace.worlds.shape[1]), np.uint8), np.zeros(shape), np.zeros(shape)
    for number in np.flatnonzero(trace.private):
        place = trace.history[number], legal.index(int(trace.actions[number]))
        worlds[place[0]] = trace.worlds[number]
        visits[place] += trace.weights[number]
        totals[place] += trace.weights[number] * trace.values[number, seat]
    q = np.divide(totals, visits, out=np.zeros(shape), where=visits > 0)
    return Sample(worlds, trace.reach, trace.reach[:, None] * (visits > 0), visits, q, once=False)


def beliefs(game: Game, facts: Facts, weights: NDArray[np.float64], truth: State | None, seat: int) -> list[Belief]:
    """The facts of worlds with their shares, and how often they hold in `truth` where that is given."""
    if not facts.names:
        return []
    shares, means = facts.shares(weights), facts.means(weights)
    true: dict[tuple[str, str, str], int] = {}
    if truth is not None:
        held = hidden_facts(game, truth.record[None], seat)
        true = dict(zip(held.names, held.amounts[0].tolist(), strict=True))
    return [
        Belief(*name, float(share), float(mean), None if truth is None else true.get(name, 0))
        for name, share, mean in zip(facts.names, shares, means, strict=True)
    ]


def conditions(facts: Facts, told: Sequence[Belief], sample: Sample) -> list[Condition]:
    """The root's actions by fact: those facts that some worlds hold and others do not."""
    return [
        Condition(belief, sample.actions(amounts > 0))
        for belief, amounts in zip(told, facts.amounts.T, strict=True)
        if 0.0 < belief.share < 1.0
    ]


def root_worlds(facts: Facts, sample: Sample, policy: NDArray[np.float64]) -> list[RootWorld]:
    """The worlds one by one, the likeliest first; those that differ only in what no seat sees are one.

    Empty where there is only one, or where most came up but once or twice. `policy` is that over the actions.
    """
    alike: dict[str, list[int]] = {}
    for row, name in enumerate(_names(facts)):
        alike.setdefault(name, []).append(row)
    if len(alike) < 2 or (sample.once and 3 * len(alike) > len(sample.worlds)):
        return []
    total, found = sample.weights.sum(), []
    for name, rows in alike.items():
        kept = np.array(rows)
        share = float(sample.weights[kept].sum() / total)
        actions = sample.actions(kept)
        odds = policy * [visits > 0 for visits, _ in actions]
        value = float(odds @ [q for _, q in actions] / odds.sum()) if odds.sum() > 0 else 0.0
        found.append(RootWorld(name, len(rows), share, value, actions))
    return sorted(found, key=lambda world: (-world.share, world.text))


def _names(facts: Facts) -> list[str]:
    """What tells the worlds apart: what seats hold in some and not in others; if nothing, then what no seat sees."""
    differ = np.flatnonzero((facts.amounts != facts.amounts[:1]).any(axis=0)).tolist()
    held = [f for f in differ if facts.names[f][1] != HIDDEN] or differ
    names = []
    for amounts in facts.amounts:
        parts: dict[str, list[str]] = {}
        for f in held:
            if amounts[f]:
                field, whose, what = facts.names[f]
                often = f" x{amounts[f]}" if amounts[f] > 1 else ""
                parts.setdefault(f"{whose}: {field.replace('_', ' ')}", []).append(f"{what}{often}")
        name = "; ".join(f"{whose} {', '.join(things)}" for whose, things in parts.items())
        names.append(name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1]}…")
    return names
