"""The tree of a search that mixes, in words: the information sets of growing-tree CFR, and the worlds of its root."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from engines.contract import Game
from engines.state import State
from orion_ai.explain.facts import holding
from orion_ai.explain.places import Branch, Mixture, Place, counted
from orion_ai.explain.samples import Sample
from orion_ai.search.grown import Grown

__all__ = ["GrownTree", "root_sample"]


def root_sample(game: Game, tree: Grown, legal: list[int]) -> Sample | None:
    """The histories of the searcher's set as worlds, by how probably all but its own choices lead to each.

    None where the others' average strategies never lead there, so that the search believes nothing.
    """
    found = tree.sets[0]
    histories = list(found.histories)
    if not tree.others[histories, tree.searcher].sum() > 0:
        return None
    weights = tree.weights(0)
    place = [legal.index(action) for action in found.actions.tolist()]
    visits, q = np.zeros((len(histories), len(legal))), np.zeros((len(histories), len(legal)))
    for row, h in enumerate(histories):
        children = tree.children(h)
        visits[row, place] = [tree.came(child) for child in children]
        q[row, place] = tree.worth[children, tree.searcher]
    return Sample(
        worlds=np.array([_walk(game, tree, h)[0].record for h in histories]),
        weights=weights,
        mass=np.repeat(weights[:, None], len(legal), axis=1),
        visits=visits,
        q=q,
        once=False,
    )


class GrownTree:
    """A grown tree as `lay_out` takes it: a node is an information set."""

    def __init__(self, game: Game, tree: Grown) -> None:
        self.game, self.tree, self.apart = game, tree, tree.from_start
        self.entries: Counter[int] = Counter()
        for h in tree.ways(0):
            if tree.decided(h):
                self.entries[int(tree.node["set"][h])] += tree.came(h)
        self.entries[0] = sum(tree.came(h) for h in tree.sets[0].histories)
        first = tree.sets[0].histories
        self._mine = holding(_walk(game, tree, first[0])[0], tree.searcher) if first else ""
        self._told: dict[int, tuple[tuple[str, ...], str]] = {}

    def place(self, number: int, count: int) -> Place:
        """See `Shown.place`."""
        found = self.tree.sets[number]
        if number not in self._told:
            self._told[number] = self._tell(number)
        histories = list(found.histories)
        values = self.tree.weights(number) @ self.tree.worth[histories]
        mixture = Mixture(float(self.tree.reach[histories].sum()), len(histories), tuple(values.tolist()))
        return Place(number, count, found.seat, *self._told[number], mixture=mixture)

    def _tell(self, number: int) -> tuple[tuple[str, ...], str]:
        """What the mover saw since the decision before, and what it holds, at the history that most came to."""
        found = self.tree.sets[number]
        if not found.histories:
            return (), ""
        most = max(found.histories, key=lambda h: (self.tree.came(h), -h))
        state, events = _walk(self.game, self.tree, most)
        holds = holding(state, found.seat)
        own = found.seat == self.tree.searcher and holds == self._mine
        return () if number == 0 else events, "" if own else holds

    def branches(self, number: int) -> list[tuple[Branch, Mapping[int, int]]]:
        """See `Shown.branches`; the likeliest by the average strategy comes first."""
        found = self.tree.sets[number]
        came = float(sum(self.tree.came(h) for h in found.histories))
        rows = [self._branch(number, j, came) for j in range(len(found.actions) if found.histories else 0)]
        return sorted(rows, key=lambda row: (-(row[0].average or 0.0), -row[0].visits, row[0].action))

    def _branch(self, number: int, j: int, came: float) -> tuple[Branch, Mapping[int, int]]:
        """Edge `j` of a set: its numbers, and what came after it in any of the set's histories."""
        tree, found = self.tree, self.tree.sets[number]
        after = [tree.children(h)[j] for h in found.histories]
        values = tree.weights(number) @ tree.worth[after]
        below: Counter[int] = Counter()
        ended = 0
        for h in (way for child in after for way in tree.ways(child)):
            if tree.decided(h):
                below[int(tree.node["set"][h])] += tree.came(h)
            else:
                ended += tree.came(h)
        action = int(found.actions[j])
        branch = Branch(
            action=action,
            text=self.game.action_text(action),
            visits=float(sum(tree.came(child) for child in after)),
            available=came,
            prior=float(found.prior[j]),
            q=float(values[found.seat]),
            values=tuple(values.tolist()),
            ended=ended,
            average=float(found.average[j]),
            current=float(found.current[j]),
        )
        return branch, below


def _walk(game: Game, tree: Grown, h: int) -> tuple[State, tuple[str, ...]]:
    """The state of a history, and what its mover sees happen on the way there since the decision before it."""
    viewer, chain = int(tree.node["seat"][h]), [h]
    while int(tree.node["parent"][chain[-1]]) > 0:
        chain.append(int(tree.node["parent"][chain[-1]]))
    chain.append(0)
    state = State(game, tree.worlds[tree.children(0).index(chain[-2])].copy())
    told: list[str] = []
    for above, below in zip(chain[:0:-1], chain[-2::-1], strict=True):
        if above > 0:
            action = int(tree.edge["action"][int(tree.node["first"][above]) + tree.children(above).index(below)])
            chance = int(tree.node["seat"][above]) < 0
            told = [*told, game.describe(state, action, viewer)] if chance else []
            state.apply(action)
        for _ in range(int(tree.node["forced"][below])):
            action = state.legal_actions()[0]
            told.append(game.describe(state, action, viewer))
            state.apply(action)
    return state, counted([line for line in told if line])
