"""Growing-tree CFR: a search that plays by an equilibrium of what it has looked at.

A lane grows one explicit tree of histories. A simulation expands one of them; in between, sweeps over the whole tree
update the policy of every information set by regret matching, and the answer is the average policy at the searcher's
(Schmid et al. 2023, "Student of Games", GT-CFR; Zinkevich et al. 2007; Tammelin 2014). Unlike a search that follows its
opponents' best replies, it does not model them as if they knew what it holds, where its tree covers what they believe.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orion_ai.search.gt_cfr_lanes import accept, advance, read_roots, start
from orion_ai.search.gt_cfr_tree import ACTIONS_DIFFER, Grove, allocate, settings
from orion_ai.search.search import Search

__all__ = ["GrowingTreeSearch"]

_FEWEST = 16
"""Least simulations after it was decided where a tree starts, whatever the clock says."""


class GrowingTreeSearch(Search):
    """A search with `algorithm=gt_cfr`; everything else is as in `Search`."""

    _grows = True
    _forest: Grove

    def _allocate(self) -> Grove:
        self._settings = settings(self.game, self.config)
        return allocate(self.game, self.config, self.lanes)

    def _start(self, count: int) -> None:
        self._begun, self._late = time.perf_counter(), False
        start(self.game.table, self._forest, self._settings, count)

    def _simulate(self, count: int, chunk: int) -> bool:
        if self._time_used() >= 1 and not self._late:  # a busy machine: the second half is as long as the first one was
            chunk = max(chunk, _FEWEST, int(self._forest.lane["done"][:count].max()))
            self._descend(count, 1)
        return self._descend(count, chunk) >= 0

    def _descend(self, count: int, chunk: int) -> int:
        self._late = self._time_used() >= 0.5
        return int(advance(self.game.table, self._forest, self._settings, count, chunk, self._late, self._observations))

    def _time_used(self) -> float:
        """The share of the milliseconds that is used up; 0 where they are no budget."""
        limit = self.config.milliseconds
        return (time.perf_counter() - self._begun) * 1000 / limit if limit > 0 else 0.0

    def _out_of_time(self, begun: float) -> bool:
        """In half of the time it is decided where the tree starts, even if a busy machine leaves no time after it."""
        return self._late and super()._out_of_time(begun)

    def _back_up(self, count: int, logits: NDArray[np.float32], values: NDArray[np.float32]) -> None:
        accept(self.game.table, self._forest, self._settings, count, logits, values)

    def _check(self, count: int) -> None:
        if (self._forest.lane["broken"][:count] == ACTIONS_DIFFER).any():
            raise RuntimeError(
                f"{self.game.name}: positions with the same information key for the seat to move offer it different "
                "actions"
            )
        super()._check(count)

    def tree(self, lane: int = 0) -> list[dict[str, Any]]:
        """The tree that the last `run` left in `lane`, as plain data: its histories in the order of their making.

        Every history has `seat` (the mover, CHANCE or TERMINAL), `set` (the number of its information set, 0 the
        searcher's; -1 for none), `parent`, `visits`, `value` (its own evaluation, by absolute seat) and `edges`:
        `action`, `child` (-1 for an outcome that did not come up) and `share`, its probability by the average policy.
        """
        f, nodes = self._forest, []
        for h in range(int(f.lane["nodes"][lane])):
            node = f.node[lane, h]
            first = max(int(node["first"]), 0)
            nodes.append(
                {
                    **{name: int(node[name]) for name in ("seat", "set", "parent", "visits")},
                    "value": f.value[lane, h].tolist(),
                    "edges": [
                        {"action": int(e["action"]), "child": int(e["child"]), "share": float(e["share"])}
                        for e in f.edge[lane, first : first + int(node["width"])]
                    ],
                }
            )
        return nodes

    def _read_roots(self, count: int, *into: NDArray[Any]) -> None:
        read_roots(self._forest, self._settings, count, *into)

    def _worlds_used(self, count: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        shares = self._forest.edge["share"][:count, : self.config.grow_worlds]
        effective = shares.sum(axis=1) ** 2 / np.maximum((shares**2).sum(axis=1), 1e-300)
        return self._forest.lane["worlds"][:count].copy(), effective.astype(np.float32)
