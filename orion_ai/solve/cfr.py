"""Counterfactual regret minimisation: policies whose average goes to an equilibrium.

With two seats (the games are zero-sum) the average policy's exploitability goes to 0. With more seats there is no such
promise: what comes out is often hard to exploit, and `nash_conv` says how hard, but need not be an equilibrium.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engines.errors import UsageError, choose_from
from engines.kernel import compiling
from engines.rng import generator
from orion_ai.solve.tree import Tree

with compiling("the solvers"):
    from orion_ai.solve import cfr_kernels as kernels
    from orion_ai.solve.form import all_reach, form_of
    from orion_ai.solve.graph_kernels import graph_of

__all__ = ["METHODS", "Solver", "checkpoints", "make_solver"]

EXPLORE = 0.6
"""Share of any action in outcome sampling (Lanctot et al. 2009, section 4, find 0.6 good)."""
CHUNK = 1 << 27
"""Work of one kernel call in terms and slots, at most about half a second: Ctrl-C waits for its end."""

METHODS = {
    "cfr": 'Zinkevich et al. 2007, "Regret minimization in games with incomplete information"; seats in turn',
    "cfr_plus": 'Tammelin 2014, "Solving large imperfect information games using CFR+": linear averages',
    "dcfr": 'Brown and Sandholm 2019, "Solving imperfect-information games via discounted regret minimization": '
    "alpha 3/2, beta 0, gamma 2",
    "external": 'external-sampling MCCFR, Lanctot et al. 2009, "Monte Carlo sampling for regret minimization"',
    "outcome": "outcome-sampling MCCFR, same paper",
}
"""The methods of `make_solver`, and where they come from."""


class Solver(Protocol):
    """Comes closer to an equilibrium with every iteration."""

    iterations: int
    """Iterations done."""

    def run(self, iterations: int) -> None:
        """Do more iterations."""
        ...

    def policy(self) -> NDArray[np.float64]:
        """The average policy so far, `float64[slots]`."""
        ...


def make_solver(tree: Tree, method: str = "cfr_plus", seed: int = 1) -> Solver:
    """A solver of `METHODS` at its beginning, where all regrets are 0.

    Args:
        tree: a game of histories.
        method: which one.
        seed: names the randomness of the sampling ones.

    Raises:
        UsageError: an unknown method, or a game without secrets (`backward_induction` solves those).
    """
    choose_from("method", method, METHODS)
    tree.require_histories(f"method={method}")
    return _Sampling(tree, method, seed) if method in ("external", "outcome") else _Whole(tree, method)


def checkpoints(iterations: int) -> list[int]:
    """1, 2, 5, 10, ... up to `iterations`, which is the last one."""
    grid = {step * 10**power for power in range(len(str(iterations))) for step in (1, 2, 5)}
    return sorted({*(n for n in grid if n < iterations), *([iterations] if iterations else [])})


def _sums(tree: Tree) -> kernels.Sums:
    places = tree.slots + tree.players
    regret, average = np.zeros(tree.slots), np.zeros(tree.slots)
    return kernels.Sums(regret, average, tree.uniform(), np.ones(places), np.zeros(places))


class _Whole:
    """CFR, CFR+ and discounted CFR: every iteration looks at the whole game."""

    def __init__(self, tree: Tree, method: str) -> None:
        self.iterations = 0
        self._tree, self._method, self._form = tree, method, form_of(tree)
        self._sums = _sums(tree)
        all_reach(self._form, self._sums.policy, self._sums.reach)

    def run(self, iterations: int) -> None:
        """See `Solver.run`."""
        _check(iterations)
        work = len(self._form.value) + 8 * self._tree.slots
        while iterations:
            now = min(iterations, max(1, CHUNK // work))
            kernels.iterate(self._form, self._sums, self._schedule(now))
            self.iterations += now
            iterations -= now

    def _schedule(self, iterations: int) -> NDArray[np.float64]:
        t = np.arange(self.iterations + 1, self.iterations + iterations + 1, dtype=np.float64)
        one = np.ones_like(t)
        if self._method == "cfr":
            columns = (one, one, one)
        elif self._method == "cfr_plus":
            columns = (one, 0 * one, t)
        else:
            columns = (t**1.5 / (t**1.5 + 1), one / 2, t**2)
        return np.ascontiguousarray(np.stack(columns, 1))

    def policy(self) -> NDArray[np.float64]:
        """See `Solver.policy`."""
        return self._tree.normalized(self._sums.average)


class _Sampling:
    """Monte Carlo CFR: an iteration follows a sample of the game for every seat."""

    def __init__(self, tree: Tree, method: str, seed: int) -> None:
        self.iterations = 0
        self._tree, self._method = tree, method
        self._sums = _sums(tree)
        self._graph = graph_of(tree)
        depth = tree.game.max_length
        self._scratch = np.zeros(max((depth + 1) * tree.game.max_legal, tree.players + 1))
        self._path = np.zeros((2, depth + 1), np.int32)
        self._rng = generator("solve", method, seed)

    def run(self, iterations: int) -> None:
        """See `Solver.run`."""
        _check(iterations)
        most = max(1, CHUNK // (64 * self._tree.game.max_length))
        while iterations:
            now = min(iterations, most)
            if self._method == "external":
                kernels.external(self._graph, self._sums, self._path, self._scratch, now, self._rng)
            else:
                kernels.outcome(self._graph, self._sums, self._path, self._scratch, EXPLORE, now, self._rng)
            self.iterations += now
            iterations -= now

    def policy(self) -> NDArray[np.float64]:
        """See `Solver.policy`."""
        return self._tree.normalized(self._sums.average)


def _check(iterations: int) -> None:
    if iterations < 0:
        raise UsageError(f"iterations is {iterations}: expected 0 or more")
