"""The part of a search's tree that is shown, whatever kind of tree it is: the nodes that most simulations came to.

A node is an information set: many states share it, and it can be come to in several ways. It is shown once, where most
simulations came to it, and referred to elsewhere.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Protocol

__all__ = ["Branch", "Mixture", "Place", "Shown", "counted", "lay_out"]


@dataclass
class Branch:
    """An action at a node that is shown; q is the mover's own.

    `average` and `current` are its probabilities by the mover's strategies, of a search that mixes; None of others.
    """

    action: int
    text: str
    visits: float
    available: float
    prior: float
    q: float
    values: tuple[float, ...]
    places: list[Place] = field(default_factory=list)
    ended: int = 0
    unshown: int = 0
    """Simulations that went on to nodes which are not shown here, and how many nodes these are."""
    unshown_nodes: int = 0
    average: float | None = None
    current: float | None = None


@dataclass(frozen=True)
class Mixture:
    """What is known of a node of a search by histories, where all keep to their average strategies.

    Attributes:
        reach: how probably they come there from where the tree starts.
        histories: how many of its histories the tree has.
        values: utility expected there, by absolute seat.
    """

    reach: float
    histories: int
    values: tuple[float, ...]


@dataclass
class Place:
    """A node that is shown, or referred to.

    Attributes:
        node: its number.
        count: simulations that came to it this way.
        seat: who decides.
        events: what the mover saw happen since the action before it.
        holds: what the mover alone knows, where that is not the searcher.
        pooled: whether the node is shared by all that its mover may know.
        again: whether it is shown elsewhere, and so without its branches.
        mixture: of a search by histories.
    """

    node: int
    count: int
    seat: int
    events: tuple[str, ...] = ()
    holds: str = ""
    pooled: bool = False
    again: bool = False
    branches: list[Branch] = field(default_factory=list)
    mixture: Mixture | None = None


class Shown(Protocol):
    """A tree of information sets, node 0 the root."""

    @property
    def entries(self) -> Mapping[int, int]:
        """Nodes that simulations began at, without an action before them, and how many did; the root among them."""
        ...

    @property
    def apart(self) -> bool:
        """Whether the other entries matter less than anything below the root: they lie in its past, not beside it."""
        ...

    def place(self, number: int, count: int) -> Place:
        """A node in words, still without branches."""
        ...

    def branches(self, number: int) -> Sequence[tuple[Branch, Mapping[int, int]]]:
        """The actions at a node, best first, and how many simulations went from each to which node."""
        ...


def lay_out(tree: Shown, most: int) -> list[Place]:
    """The root, and below it (or beside it: other entries) at most `most` nodes in all."""
    root = tree.place(0, tree.entries[0])
    shown, roots = {0}, [root]
    queue: list[tuple[int, int, int, int, Branch | None]] = []
    numbers = iter(range(2**62))  # ties in the queue are taken in the order of being found

    def add(past: int, branch: Branch | None, children: Mapping[int, int]) -> None:
        for child, count in sorted(children.items(), key=lambda item: (-item[1], item[0])):
            heapq.heappush(queue, (past, -count, next(numbers), child, branch))

    def open_up(place: Place, past: int) -> None:
        for branch, children in tree.branches(place.node):
            place.branches.append(branch)
            add(past, branch, children)

    open_up(root, 0)
    add(int(tree.apart), None, {node: count for node, count in tree.entries.items() if node > 0})
    while queue:
        past, negative, _, node, above = heapq.heappop(queue)
        again = node in shown
        if not again and len(shown) >= most:
            if above is not None:
                above.unshown, above.unshown_nodes = above.unshown - negative, above.unshown_nodes + 1
            continue
        if again and above is None:
            continue
        place = tree.place(node, -negative)
        place.again = again
        (roots if above is None else above.places).append(place)
        if not again:
            shown.add(node)
            open_up(place, past)
    return roots


def counted(lines: Sequence[str]) -> tuple[str, ...]:
    """Events in words, those that happen again and again in one line."""
    runs = [(line, len(list(same))) for line, same in groupby(lines)]
    return tuple(line if times == 1 else f"{line} ({times} times)" for line, times in runs)
