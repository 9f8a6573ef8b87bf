"""Counterfactual regret minimisation: the published figures, convergence, and the same bytes without the compiler."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from engines.errors import UsageError
from orion_ai.solve import cfr
from orion_ai.solve.best_response import Judge
from orion_ai.solve.cfr import METHODS, make_solver
from tests.solve.games import matrix, tiny, tree

CURVES = [
    ("kuhn_poker", "cfr", {100: 0.008226, 1000: 0.000938}),
    ("kuhn_poker", "cfr_plus", {10: 0.0327, 100: 0.001194, 1000: 0.0000874}),
    ("leduc_poker", "cfr", {100: 0.095716, 1000: 0.011818}),
    ("leduc_poker", "cfr_plus", {10: 0.610, 50: 0.0341, 100: 0.013416}),
]
"""Exploitability after so many iterations, by OpenSpiel 2.0.2's CFRSolver and CFRPlusSolver (seats in turn too)."""


@pytest.mark.parametrize(("name", "method", "curve"), CURVES)
def test_exploitability_is_that_of_another_implementation(name: str, method: str, curve: dict[int, float]) -> None:
    judge, solver = Judge(tree(name)), make_solver(tree(name), method)
    for iterations, exploitability in curve.items():
        solver.run(iterations - solver.iterations)
        assert solver.iterations == iterations
        assert judge.exploitability(solver.policy()) == pytest.approx(exploitability, rel=2e-3)


def test_a_thousand_iterations_of_leduc_poker() -> None:
    judge, solver = Judge(tree("leduc_poker")), make_solver(tree("leduc_poker"))
    solver.run(1000)
    assert judge.exploitability(solver.policy()) < 0.0003
    assert judge.values(solver.policy())[0] == pytest.approx(-0.0856064241, abs=1e-4)


def test_discounting_converges() -> None:
    judge, solver = Judge(tree("leduc_poker")), make_solver(tree("leduc_poker"), "dcfr")
    solver.run(500)
    assert judge.exploitability(solver.policy()) < 0.002


@pytest.mark.parametrize(
    ("name", "method", "iterations", "most"),
    [
        ("kuhn_poker", "external", 30_000, 0.01),
        ("kuhn_poker", "outcome", 100_000, 0.02),
        ("leduc_poker", "external", 30_000, 0.25),
    ],
)
def test_sampling_converges(name: str, method: str, iterations: int, most: float) -> None:
    judge = Judge(tree(name))
    reached = []
    for seed in (1, 2):
        solver = make_solver(tree(name), method, seed)
        solver.run(iterations // 30)
        early = judge.exploitability(solver.policy())
        solver.run(iterations - iterations // 30)
        reached.append(judge.exploitability(solver.policy()))
        assert reached[-1] < min(most, early)
    assert reached[0] != reached[1]


@pytest.mark.parametrize("method", METHODS)
def test_matching_pennies_and_biased_rock_paper_scissors(method: str) -> None:
    for name, expected in (("matching_pennies", [1 / 2, 1 / 2]), ("biased_rps", [1 / 16, 10 / 16, 5 / 16])):
        found = matrix(name)
        solver = make_solver(found, method)
        solver.run(20_000)
        assert solver.policy() == pytest.approx(expected * 2, abs=0.03), name


@pytest.mark.parametrize("method", ["cfr", "cfr_plus", "dcfr", "external", "outcome"])
def test_three_seats(method: str) -> None:
    """There is no guarantee, but in Kuhn poker for three the average policy is hard to exploit."""
    judge, solver = Judge(tree("kuhn_poker", players=3)), make_solver(tree("kuhn_poker", players=3), method)
    solver.run(2000 if method in ("cfr", "cfr_plus", "dcfr") else 50_000)
    assert judge.nash_conv(solver.policy()) < 0.06
    assert judge.values(solver.policy()).sum() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_iterations_may_be_done_in_parts(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = make_solver(tree("kuhn_poker"), method)
    whole.run(60)
    monkeypatch.setattr(cfr, "CHUNK", 1)  # every kernel call does one iteration
    parts = make_solver(tree("kuhn_poker"), method)
    parts.run(0)
    parts.run(25)
    parts.run(35)
    assert parts.policy().tobytes() == whole.policy().tobytes()


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(UsageError, match=r"unknown method 'cfr\+'\. Did you mean 'cfr'"):
        make_solver(tree("kuhn_poker"), "cfr+")
    with pytest.raises(UsageError, match="iterations is -1"):
        make_solver(tree("kuhn_poker")).run(-1)
    with pytest.raises(UsageError, match="full_tree has none: use backward induction"):
        make_solver(tiny("full_tree", width=3))


def test_the_same_bytes_without_the_compiler() -> None:
    code = """
        import engines
        from orion_ai.solve.best_response import Judge
        from orion_ai.solve.cfr import METHODS, make_solver
        from orion_ai.solve.tree import enumerate_game
        for players in (2, 3):
            tree = enumerate_game(engines.load("kuhn_poker", players=players))
            print(tree.nodes, tree.key.tolist(), tree.payoff.tolist())
            for method in METHODS:
                solver = make_solver(tree, method)
                solver.run(7)
                print(solver.policy().tobytes().hex(), Judge(tree).gains(solver.policy()).tobytes().hex())
    """
    said = [
        subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    ]
    assert said[0] == said[1]
    assert len(said[0].splitlines()) == 2 * (1 + len(METHODS))


def test_policies_are_policies() -> None:
    for method in METHODS:
        solver = make_solver(tree("kuhn_poker"), method)
        tree("kuhn_poker").check_policy(solver.policy())
        solver.run(3)
        tree("kuhn_poker").check_policy(solver.policy())
        assert np.isfinite(solver.policy()).all()
