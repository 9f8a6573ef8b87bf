"""The tree that growing-tree CFR leaves, read off: its histories by information set, with their reaches and values.

All of it holds where everybody keeps to the average strategies, as what the search answers does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.contract import CHANCE
from orion_ai.search.gt_cfr import GrowingTreeSearch
from orion_ai.search.gt_cfr_sweep import reach_down, worth_up

__all__ = ["Grown", "InformationSet", "grown"]


@dataclass(frozen=True)
class InformationSet:
    """What histories share that their mover cannot tell apart; columns over its K actions, in the order of edges.

    Attributes:
        seat: the mover.
        histories: those that have been expanded, ascending.
        actions: `int32[K]`.
        prior: `float64[K]`.
        average: `float64[K]`, the average strategy; the prior where nothing was learned.
        current: `float64[K]`, the strategy that the next sweep would have started from, by the regrets.
    """

    seat: int
    histories: tuple[int, ...]
    actions: NDArray[np.int32]
    prior: NDArray[np.float64]
    average: NDArray[np.float64]
    current: NDArray[np.float64]


@dataclass(frozen=True)
class Grown:
    """A tree of N histories (numbered as by `GrowingTreeSearch.tree`) for P seats.

    Attributes:
        searcher: the seat that searched; its present information set is set 0.
        from_start: whether the tree starts at the start of the game, else at sampled worlds of the present.
        node: `Node[N]` of `gt_cfr_tree`.
        edge: `Edge[E]`, likewise.
        sets: all of them.
        reach: `float64[N]`, probability of coming to a history.
        others: `float64[N, P]`, that of everything but the choices of a seat leading there.
        worth: `float64[N, P]`, utility expected at a history by absolute seat.
        worlds: `uint8[K, record]`, what the root's edges lead to.
    """

    searcher: int
    from_start: bool
    node: NDArray[Any]
    edge: NDArray[Any]
    sets: tuple[InformationSet, ...]
    reach: NDArray[np.float64]
    others: NDArray[np.float64]
    worth: NDArray[np.float64]
    worlds: NDArray[np.uint8]

    def children(self, h: int) -> list[int]:
        """The histories after each edge of `h`, -1 for an outcome that did not come up; [] of a leaf."""
        first = int(self.node["first"][h])
        return [] if first < 0 else self.edge["child"][first : first + int(self.node["width"][h])].tolist()

    def came(self, h: int) -> int:
        """How often simulations came to a history; to be made and valued counts too."""
        return int(self.node["visits"][h]) + 1

    def decided(self, h: int) -> bool:
        """Whether a history is one of an information set's: a decision that has been expanded."""
        return int(self.node["set"][h]) >= 0 and int(self.node["first"][h]) >= 0

    def ways(self, h: int) -> list[int]:
        """The histories that come next from `h` on (itself included) when chance has had its way."""
        found, stack = [], [h]
        while stack:
            at = stack.pop()
            if int(self.node["seat"][at]) == CHANCE:
                stack += [child for child in reversed(self.children(at)) if child >= 0]
            else:
                found.append(at)
        return found

    def weights(self, number: int) -> NDArray[np.float64]:
        """How much each history of a set counts: by the probability that all but its mover lead there.

        All alike where nothing leads there.
        """
        found = self.sets[number]
        reach = self.others[list(found.histories), found.seat]
        mass = reach.sum()
        return reach / mass if mass > 0 else np.full(len(reach), 1 / max(len(reach), 1))


def grown(search: GrowingTreeSearch, lane: int = 0) -> Grown:
    """The tree that the last `run` left in `lane`."""
    f, seats = search._forest, search.game.players
    at = f.lane[lane]
    count, edges = int(at["nodes"]), int(at["edges"])
    others, worth = np.zeros((count, seats)), np.zeros((count, seats))
    for seat in range(seats):
        reach_down(f, search._settings, lane, seat)
        others[:, seat] = f.node["other"][lane, :count]
        worth_up(f, lane, seat)
        worth[:, seat] = f.node["worth"][lane, :count]
    node = f.node[lane, :count].copy()
    return Grown(
        searcher=int(at["seat"]),
        from_start=bool(at["from_start"]),
        node=node,
        edge=f.edge[lane, :edges].copy(),
        sets=_sets(search, lane, node),
        reach=node["own"] * node["other"],
        others=others,
        worth=worth,
        worlds=f.world[lane, : int(at["worlds"])].copy(),
    )


def _sets(search: GrowingTreeSearch, lane: int, node: NDArray[Any]) -> tuple[InformationSet, ...]:
    """The sets of a tree; that of a leaf which is valued by a network is known already, but without histories."""
    f = search._forest
    histories: list[list[int]] = [[] for _ in range(int(f.lane["sets"][lane]))]
    for h in np.flatnonzero((node["set"] >= 0) & (node["first"] >= 0)).tolist():
        histories[int(node["set"][h])].append(h)
    found = []
    for number, members in enumerate(histories):
        first, width, seat = (int(f.set[lane, number][name]) for name in ("first", "width", "seat"))
        slot = f.slot[lane, first : first + width]
        regret = slot["regret"].sum()
        current = slot["regret"] / regret if regret > 0 else slot["prior"].copy()
        columns = slot["action"].copy(), slot["prior"].copy(), slot["policy"].copy(), current
        found.append(InformationSet(seat, tuple(members), *columns))
    return tuple(found)
