"""A whole game as flat arrays: every history, or every position, for solvers that need them all.

A game with secrets becomes its tree of histories; what a seat cannot tell apart (equal `info_key`) is one information
state. A game of perfect information becomes its graph of positions, where different ways to one position meet.

Solvers hardly ever look at the nodes. With perfect recall the probability that a seat's own choices lead somewhere is
that of its *sequence*, the choices it has made so far (von Stengel 1996, "Efficient computation of behavior
strategies"), so expected values, best responses and counterfactual values are sums over the ends of the game:

    value of seat p = sum over ends of weight * payoff[p] * product over seats q of reach[sequence of q]

A policy is `float64[slots]`: for every information state the probabilities of its actions, side by side.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game
from engines.errors import UsageError
from engines.state import State
from orion_ai.solve.walk import Watcher, unwatched, walk_whole

__all__ = ["DEFAULT_LIMIT", "Ends", "Tree", "enumerate_game"]

DEFAULT_LIMIT = 2_000_000
"""Most histories (or positions) of a game that is enumerated, unless more are asked for: about 400 MB."""
MOST_NODES = 2**31 - 1
"""No limit is higher: nodes are numbered by int32."""
PARTS = 12
"""Payoffs are taken to be multiples of 1 / PARTS of the game's unit where float32 cannot tell them from one."""


@dataclass(frozen=True)
class Ends:
    """The ends of a game of histories, those with the same sequences of all seats as one.

    Attributes:
        payoff: float64[ends, seats], weight of the end (the probability of its chance) times what each seat gets.
        sequence: int32[ends, seats], place of each seat's sequence in a reach array (`Tree.parent` says how).
    """

    payoff: NDArray[np.float64]
    sequence: NDArray[np.int32]


@dataclass(frozen=True)
class Tree:
    """A game, enumerated. Nodes are numbered from the root (0) down: a node comes before all that follow it.

    Attributes:
        game: what was enumerated.
        positions: whether nodes are positions (perfect information) instead of histories.
        mover: int8[nodes], the seat to move, CHANCE or TERMINAL.
        index: int32[nodes], the information state of a decision, the end of a terminal node, -1 at chance.
        first: int32[nodes], the first of the node's edges, which stand side by side, ascending by action.
        width: int32[nodes], how many edges it has.
        action: int32[edges], the action or outcome.
        child: int32[edges], the node after it.
        chance: float64[edges], probability of an outcome; 1 for a decision.
        payoff: float64[ends, seats], what each seat gets, in the game's own unit (returns times `Game.stakes`).
        key: uint64[states], the mover's `info_key` in each information state.
        seat: int8[states], the mover.
        slot: int32[states + 1], the first of the state's slots; the last entry is their number.
        slot_action: int32[slots], the action of each slot.
        node: int32[states], the first node in each information state.
        parent: int32[states], place of the seat's sequence before it: the slot of its own last choice, or
            slots + seat where it has made none. Histories only.
        ends: the ends by sequences; None of positions.
    """

    game: Game
    positions: bool
    mover: NDArray[np.int8]
    index: NDArray[np.int32]
    first: NDArray[np.int32]
    width: NDArray[np.int32]
    action: NDArray[np.int32]
    child: NDArray[np.int32]
    chance: NDArray[np.float64]
    payoff: NDArray[np.float64]
    key: NDArray[np.uint64]
    seat: NDArray[np.int8]
    slot: NDArray[np.int32]
    slot_action: NDArray[np.int32]
    node: NDArray[np.int32]
    parent: NDArray[np.int32]
    ends: Ends | None
    _edge_to: NDArray[np.int32] = field(repr=False)
    _edge_from: NDArray[np.int32] = field(repr=False)

    @property
    def players(self) -> int:
        """Number of seats."""
        return self.game.players

    @property
    def nodes(self) -> int:
        """Number of histories or positions, ends included."""
        return len(self.mover)

    @property
    def states(self) -> int:
        """Number of information states."""
        return len(self.seat)

    @property
    def slots(self) -> int:
        """Number of (information state, action) pairs: the length of a policy."""
        return len(self.slot_action)

    @property
    def widths(self) -> NDArray[np.int32]:
        """int32[states], the number of actions in each information state."""
        return np.diff(self.slot)

    def uniform(self) -> NDArray[np.float64]:
        """The policy that takes every legal action alike."""
        return np.repeat(1.0 / self.widths, self.widths)

    def normalized(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights >= 0, `float64[slots]`, as a policy; uniform where a state's are all 0."""
        sums = np.add.reduceat(weights, self.slot[:-1])
        spread = np.repeat(np.where(sums > 0, sums, 1.0), self.widths)
        return np.where(np.repeat(sums > 0, self.widths), weights / spread, self.uniform())

    def check_policy(self, policy: NDArray[np.float64]) -> NDArray[np.float64]:
        """`policy` as contiguous float64.

        Raises:
            UsageError: it has another shape, or the probabilities of a state are negative or do not add up to 1.
        """
        policy = np.ascontiguousarray(policy, np.float64)
        if policy.shape != (self.slots,):
            raise UsageError(f"a policy of shape {list(policy.shape)}: expected one number for {self.slots} slots")
        sums = np.add.reduceat(policy, self.slot[:-1])
        wrong = np.flatnonzero(~(np.abs(sums - 1) < 1e-6) | (np.minimum.reduceat(policy, self.slot[:-1]) < 0))
        if len(wrong):
            given = policy[self.slot[wrong[0]] : self.slot[wrong[0] + 1]]
            raise UsageError(
                f"the policy of information state {wrong[0]} is {given.tolist()}: "
                "expected probabilities that add up to 1"
            )
        return policy

    def history(self, node: int) -> list[int]:
        """Actions and outcomes that lead to `node` (to a position: in one of the ways)."""
        found: list[int] = []
        while node:
            edge = int(self._edge_to[node])
            found.append(int(self.action[edge]))
            node = int(self._edge_from[edge])
        return found[::-1]

    def example(self, state: int) -> State:
        """A history of information state `state`, as a state of the game without a dealer."""
        position = self.game.start()
        for action in self.history(int(self.node[state])):
            position.apply(action)
        return position

    def require_histories(self, what: str) -> Ends:
        """The ends, for a method that works on sequences.

        Raises:
            UsageError: the tree is one of positions.
        """
        if self.ends is None:
            raise UsageError(f"{what} is for games with secrets, {self.game.name} has none: use backward induction")
        return self.ends

    def require_positions(self, what: str) -> None:
        """For a method that works on positions.

        Raises:
            UsageError: the tree is one of histories.
        """
        if not self.positions:
            raise UsageError(f"{what} is for games of perfect information, {self.game.name} has secrets: use CFR")


def enumerate_game(game: Game, limit: int = DEFAULT_LIMIT, watch: Watcher = unwatched) -> Tree:
    """Every history of `game` from its start (every position, if it has no secrets).

    Args:
        game: what to enumerate, with the options it was loaded with.
        limit: most histories or positions.
        watch: told every few milliseconds how far it is, in words.

    Raises:
        TooLarge: the game is larger than the limit.
        UsageError: a limit out of range, a seat forgets what it has done, or positions repeat.
    """
    if not 1 <= limit <= MOST_NODES:
        raise UsageError(f"limit is {limit}: expected 1 to {MOST_NODES:,}")
    return _tree(game, walk_whole(game, limit, watch), merge=not game.secrets)


def _payoffs(game: Game, utility: NDArray[np.float32]) -> NDArray[np.float64]:
    """Utilities in the game's unit, freed of float32's rounding where they are multiples of 1 / PARTS of it."""
    raw = utility.astype(np.float64) * game.stakes
    near = np.round(raw * PARTS) / PARTS
    return np.where(np.abs(near / game.stakes - utility) <= 2 * np.spacing(np.abs(utility)), near, raw)


def _tree(game: Game, draft: Any, merge: bool) -> Tree:
    nodes, edges, ends, states, slots = (int(n) for n in draft.count[:5])
    # Histories are met from the root down. Positions are sorted by when all below them was known, the last one first.
    rank = nodes - 1 - draft.order[:nodes] if merge else np.arange(nodes, dtype=np.int32)
    by = np.argsort(rank)
    width, child = draft.width[:nodes][by], rank[draft.child[:edges]].astype(np.int32)
    edge_to = np.zeros(nodes, np.int32)
    edge_to[child[::-1]] = np.arange(edges, dtype=np.int32)[::-1]
    edge_from = np.repeat(rank, draft.width[:nodes]).astype(np.int32)  # edges stand in the order the nodes were met
    payoff = _payoffs(game, draft.utility[:ends])
    sequence = draft.sequence[:ends]
    sequence = np.where(sequence < 0, slots - 1 - sequence, sequence).astype(np.int32)
    parent = draft.parent[:states]
    return Tree(
        game=game,
        positions=merge,
        mover=draft.mover[:nodes][by],
        index=draft.index[:nodes][by],
        first=draft.first[:nodes][by],
        width=width,
        action=draft.action[:edges].copy(),
        child=child,
        chance=draft.chance[:edges].copy(),
        payoff=payoff,
        key=draft.key[:states].copy(),
        seat=draft.seat[:states].copy(),
        slot=draft.slot[: states + 1].copy(),
        slot_action=draft.slot_action[:slots].copy(),
        node=rank[draft.node[:states]].astype(np.int32),
        parent=np.where(parent < 0, slots - 1 - parent, parent).astype(np.int32),
        ends=None if merge else _merged(payoff * draft.weight[:ends, None], sequence),
        _edge_to=edge_to,
        _edge_from=edge_from,
    )


def _merged(payoff: NDArray[np.float64], sequence: NDArray[np.int32]) -> Ends:
    """Ends with the same sequences added up."""
    order = np.lexsort(sequence.T[::-1])
    sequence, payoff = sequence[order], payoff[order]
    fresh = np.ones(len(sequence), bool)
    fresh[1:] = (sequence[1:] != sequence[:-1]).any(1)
    starts = np.flatnonzero(fresh)
    return Ends(np.add.reduceat(payoff, starts), np.ascontiguousarray(sequence[starts]))
