"""What a policy is worth, and what somebody who knows it could get: best responses, NashConv, exploitability.

All exact, in the game's own unit. `nash_conv` is what all seats together could gain if each alone changed its play; an
equilibrium has 0. With two seats, half of it is the exploitability: what a player of the policy loses on average, over
both seats, to an opponent who knows it and plays to beat it, against the game's value.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engines.kernel import compiling
from orion_ai.solve.tree import Tree

with compiling("the solvers"):
    from orion_ai.solve import form as forms
    from orion_ai.solve import graph_kernels as graphs

__all__ = ["Judge", "backward_induction"]


class Judge:
    """Measures policies of one game. Making one sorts the tree's ends; after that each answer is a few sums."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        if tree.positions:
            self._graph = graphs.graph_of(tree)
            return
        places = tree.slots + tree.players
        self._form = forms.form_of(tree)
        self._reach, self._below, self._answer = np.zeros(places), np.zeros(places), np.zeros(tree.slots)

    def values(self, policy: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[seats]: what each seat gets where all play `policy` (`float64[slots]`)."""
        policy = self.tree.check_policy(policy)
        if self.tree.positions:
            found: NDArray[np.float64] = self._graph_values(policy, graphs.NOBODY)[0][0]
            return found
        forms.all_reach(self._form, policy, self._reach)
        return np.array([forms.expected(self._form, self._reach, seat) for seat in range(self.tree.players)])

    def best_response(self, policy: NDArray[np.float64], seat: int) -> tuple[float, NDArray[np.float64]]:
        """The most that `seat` can get where all others play `policy`, and how.

        Returns:
            the value, and `policy` with the seat's own part replaced by a best response (float64[slots]; the action
            with the lowest id among equals, also where the others' play never leads).
        """
        policy = self.tree.check_policy(policy)
        if self.tree.positions:
            values, answer = self._graph_values(policy, seat)
            return float(values[0, seat]), answer
        forms.all_reach(self._form, policy, self._reach)
        value = forms.best(self._form, self._reach, self._below, self._answer, seat)
        own = np.repeat(self.tree.seat == seat, self.tree.widths)
        return float(value), np.where(own, self._answer, policy)

    def gains(self, policy: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[seats]: what each seat could gain if it alone changed its play."""
        policy = self.tree.check_policy(policy)
        if self.tree.positions:
            answers = [self.best_response(policy, seat)[0] for seat in range(self.tree.players)]
            return np.array(answers) - self.values(policy)
        forms.all_reach(self._form, policy, self._reach)
        found = np.zeros(self.tree.players)
        for seat in range(self.tree.players):
            found[seat] = forms.best(self._form, self._reach, self._below, self._answer, seat)
            found[seat] -= forms.expected(self._form, self._reach, seat)
        return found

    def nash_conv(self, policy: NDArray[np.float64]) -> float:
        """Sum of the seats' gains."""
        return float(self.gains(policy).sum())

    def exploitability(self, policy: NDArray[np.float64]) -> float:
        """`nash_conv` divided by the number of seats."""
        return self.nash_conv(policy) / self.tree.players

    def _graph_values(self, policy: NDArray[np.float64], seat: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        values, answer = np.zeros((self.tree.nodes, self.tree.players)), policy.copy()
        graphs.back_up(self._graph, policy, seat, values, answer)
        return values, answer


def backward_induction(tree: Tree) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The solution of a game of perfect information: every mover takes what is best for itself.

    With two seats this is perfect play. With more it is one equilibrium among possibly several (max-n, Luckhardt and
    Irani 1986), by the lowest action id among equals.

    Returns:
        float64[nodes, seats], what each position is worth; float64[slots], the policy.

    Raises:
        UsageError: the game has secrets.
    """
    tree.require_positions("backward induction")
    values, answer = np.zeros((tree.nodes, tree.players)), tree.uniform()
    graphs.back_up(graphs.graph_of(tree), answer.copy(), graphs.EVERYBODY, values, answer)
    return values, answer
