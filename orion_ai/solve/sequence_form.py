"""An equilibrium by linear programming over sequences (Koller, Megiddo and von Stengel 1994; von Stengel 1996)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from engines.errors import UsageError
from orion_ai.solve.tree import Tree

__all__ = ["Equilibrium", "solve_sequence_form"]


@dataclass(frozen=True)
class Equilibrium:
    """A two-seat game's solution.

    Attributes:
        value: what seat 0 gets where both play well, in the game's own unit; seat 1 gets the opposite.
        policy: float64[slots], an equilibrium; uniform in information states that its own seat's play never reaches.
    """

    value: float
    policy: NDArray[np.float64]


def solve_sequence_form(tree: Tree) -> Equilibrium:
    """Value and an equilibrium of a two-seat game, exact to about 1e-9 of the stakes, by HiGHS.

    Seat 0's reach x of its sequences maximises the value that seat 1's best answer leaves; seat 1's reach is the
    program's dual solution.

    Raises:
        UsageError: the game has other than two seats, or no secrets.
        RuntimeError: the program was not solved; says what HiGHS reports.
    """
    ends = tree.require_histories("the sequence form")
    if tree.players != 2:
        raise UsageError(
            f"the sequence form solves games of two seats, {tree.game.name} has {tree.players}: use method=cfr_plus"
        )
    numbers, constraints = zip(*(_constraints(tree, seat) for seat in range(2)), strict=True)
    rows, columns = numbers[0][ends.sequence[:, 0]], numbers[1][ends.sequence[:, 1]]
    sizes = [c.shape[1] for c in constraints]
    payoff = sparse.coo_matrix((ends.payoff[:, 0], (rows, columns)), shape=sizes).tocsr()
    # Variables: seat 0's reach x >= 0, and a value v for each of seat 1's constraints (its information states, and the
    # start). Maximise the start's value, where no sequence of seat 1 may be worth less to it than v says.
    own, other = constraints
    cost = np.concatenate([np.zeros(sizes[0]), np.eye(1, other.shape[0])[0] * -1])
    upper = sparse.hstack([-payoff.T, other.T]).tocsr()
    equal = sparse.hstack([own, sparse.csr_matrix((own.shape[0], other.shape[0]))]).tocsr()
    bounds = np.array([[0, np.inf]] * sizes[0] + [[-np.inf, np.inf]] * other.shape[0])
    result = linprog(cost, upper, np.zeros(sizes[1]), equal, np.eye(1, own.shape[0])[0], bounds, method="highs")
    if result.status != 0:
        raise RuntimeError(f"{tree.game.name}: the linear program was not solved: {result.message}")
    reach = np.zeros(tree.slots + 2)
    for seat, found in ((0, result.x[: sizes[0]]), (1, -result.ineqlin.marginals)):
        mine = numbers[seat] >= 0
        reach[mine] = found[numbers[seat][mine]]
    return Equilibrium(-float(result.fun), tree.normalized(np.maximum(reach[: tree.slots], 0.0)))


def _constraints(tree: Tree, seat: int) -> tuple[NDArray[np.int64], sparse.csr_matrix]:
    """Number of each place among the seat's sequences (-1: not its own), and what makes a reach one.

    The first row says that the empty sequence has reach 1; each other one, for an information state, that its
    actions' reaches add up to that of the sequence before it.
    """
    own = np.flatnonzero(tree.seat == seat)
    slots = np.flatnonzero(np.repeat(tree.seat == seat, tree.widths))
    numbers = np.full(tree.slots + tree.players, -1, np.int64)
    numbers[tree.slots + seat] = 0
    numbers[slots] = np.arange(1, len(slots) + 1)
    states = np.repeat(np.arange(1, len(own) + 1), tree.widths[own])
    rows = np.concatenate([[0], states, np.arange(1, len(own) + 1)])
    columns = np.concatenate([[0], numbers[slots], numbers[tree.parent[own]]])
    data = np.concatenate([[1.0], np.ones(len(slots)), -np.ones(len(own))])
    return numbers, sparse.csr_matrix((data, (rows, columns)), shape=(len(own) + 1, len(slots) + 1))
