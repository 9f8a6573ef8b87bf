"""The tree of a watched search, in words: its nodes named by what is known there."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from engines.contract import PUBLIC, Game
from engines.rng import below, uniform
from engines.state import State
from orion_ai.explain.facts import holding
from orion_ai.explain.places import Branch, Place, counted, lay_out
from orion_ai.search.config import SearchConfig
from orion_ai.search.trace import Edge, Node, Origin, Trace

__all__ = ["outline"]

MOST_STEPS = 5000
"""Steps that may be tried to find the way to one node."""


def outline(game: Game, config: SearchConfig, seat: int, trace: Trace, most: int) -> list[Place]:
    """The root, and below it (or beside it, under `mix`) at most `most` nodes in all.

    Args:
        game: the game.
        config: of the search, which says whose knowledge keys a node.
        seat: who searched.
        trace: the search.
        most: nodes to show.
    """
    return lay_out(_Teller(game, config, seat, trace), most)


class _Teller:
    """Puts nodes into words: the tree as `lay_out` takes it."""

    def __init__(self, game: Game, config: SearchConfig, seat: int, trace: Trace) -> None:
        self.game, self.config, self.seat, self.trace = game, config, seat, trace
        self.apart = trace.from_start
        came = {0: int(trace.private.sum())} if trace.from_start else {}
        self.entries: Mapping[int, int] = {**trace.entries, 0: trace.entries[0], **came}
        first = int(np.argmax(trace.private)) if trace.private.any() else -1
        self.mine = holding(State(game, trace.worlds[first].copy()), seat) if first >= 0 else ""
        # Decisions that update no node: drawn as in a random playout, or by a rule that is not played again here.
        plain = config.opponents != "searched" or config.divided
        self.drawn = config.opponents == "random" and not config.divided
        self.unkept = plain and not self.drawn
        self._told: dict[int, tuple[tuple[str, ...], str]] = {}

    def branches(self, number: int) -> list[tuple[Branch, Mapping[int, int]]]:
        node = self.trace.nodes[number]
        edges = sorted(node.edges, key=lambda edge: (-(edge.average or 0.0), -edge.visits, -edge.prior, edge.action))
        return [(self._branch(edge, node.seat), edge.children) for edge in edges]

    def _branch(self, edge: Edge, seat: int) -> Branch:
        values = tuple(edge.q(p) for p in range(self.game.players))
        text = self.game.action_text(edge.action)
        return Branch(
            edge.action,
            text,
            edge.visits,
            edge.available,
            edge.prior,
            values[seat],
            values,
            ended=edge.ended,
            average=edge.average,
            current=edge.current,
        )

    def place(self, number: int, count: int) -> Place:
        node = self.trace.nodes[number]
        pooled = node.seat != self.seat and self.config.nodes in ("public", "observer")
        if number not in self._told:
            self._told[number] = self._tell(node, pooled)
        events, holds = self._told[number]
        return Place(number, count, node.seat, events, holds, pooled)

    def _tell(self, node: Node, pooled: bool) -> tuple[tuple[str, ...], str]:
        """What happened on the way to the node since the decision before it, and what its mover holds."""
        if node.origin is None:
            return (), ""
        viewer = node.seat if not pooled else PUBLIC if self.config.nodes == "public" else self.seat
        events = self._events(node.origin, viewer)
        alone = self.config.worlds in ("private", "oracle") and not self.trace.from_start
        if pooled or (node.seat == self.seat and alone):
            return events, ""
        holds = holding(State(self.game, node.origin.record), node.seat)
        return events, "" if node.seat == self.seat and holds == self.mine else holds

    def _events(self, origin: Origin, viewer: int) -> tuple[str, ...]:
        """What `viewer` sees between the last action at a node and this one; nothing where that cannot be found."""
        if origin.steps is not None:
            found, state = origin.steps, self.game.start()
        else:
            found, state = self._way_to(origin), State(self.game, self.trace.worlds[origin.simulation].copy())
        told: list[str] = []
        left = len(origin.path)
        for action, at_node in found:
            left -= at_node
            line = self.game.describe(state, action, viewer)
            if left == 0 and not at_node and line:
                told.append(line)
            state.apply(action)
        return counted(told)

    def _way_to(self, origin: Origin) -> tuple[tuple[int, bool], ...]:
        """The steps from the world of the simulation that made a node to that node, as (action, whether at a node).

        Played again with the simulation's own generator. How many numbers the decisions before a chance event drew
        (none or one each) is not kept, and so tried, as is what was played without updating a node; the state that must
        come out is known. Empty if no way is found.
        """
        start = State(self.game, self.trace.worlds[origin.simulation].copy())
        stack: list[tuple[State, int, int, int, tuple[tuple[int, bool], ...]]] = [(start, 0, int(origin.rng[1]), 0, ())]
        for _ in range(MOST_STEPS):
            if not stack:
                break
            state, at, counter, spare, way = stack.pop()
            if at == len(origin.path) and bytes(state.record) == bytes(origin.record):
                return way
            if state.is_over:
                continue
            if state.is_chance:
                for skipped in range(spare, -1, -1):
                    rng = np.array([origin.rng[0], counter + skipped], np.uint64)
                    outcome = _outcome(state, rng)
                    stack.append((_after(state, outcome), at, int(rng[1]), 0, (*way, (outcome, False))))
                continue
            legal = state.legal_actions()
            if len(legal) == 1 and way:
                stack.append((_after(state, legal[0]), at, counter, spare, (*way, (legal[0], False))))
                continue
            if self.drawn:
                for skipped in range(spare, -1, -1):
                    rng = np.array([origin.rng[0], counter + skipped], np.uint64)
                    action = legal[below(rng, len(legal))]
                    stack.append((_after(state, action), at, int(rng[1]), 0, (*way, (action, False))))
            for action in reversed(legal) if self.unkept else ():
                stack.append((_after(state, action), at, counter, spare + 1, (*way, (action, False))))
            if at < len(origin.path) and origin.path[at][0] == state.to_play and origin.path[at][1] in legal:
                action = origin.path[at][1]
                stack.append((_after(state, action), at + 1, counter, spare + 1, (*way, (action, True))))
        return ()


def _after(state: State, action: int) -> State:
    after = state.clone()
    after.apply(action)
    return after


def _outcome(state: State, rng: NDArray[np.uint64]) -> int:
    """The outcome that a simulation draws at a chance node (as `orion_ai.search.playout.play_chance`)."""
    _, odds = state.chance()
    left = uniform(rng) * float(sum(weight for _, weight in odds))
    for outcome, weight in odds:
        left -= float(weight)
        if left < 0.0:
            return outcome
    return odds[-1][0]
