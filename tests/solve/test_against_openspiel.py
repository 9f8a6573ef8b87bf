"""Exploitability and values are OpenSpiel's, for random policies, to 1e-9."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
import pytest
from numpy.typing import NDArray

from orion_ai.solve.best_response import Judge
from orion_ai.solve.cfr import make_solver
from orion_ai.solve.tree import Tree
from tests.solve.games import random_policy, tree

GAMES = [
    (("kuhn_poker", {"players": 2}), "kuhn_poker"),
    (("kuhn_poker", {"players": 3}), "kuhn_poker(players=3)"),
    (("leduc_poker", {}), "leduc_poker"),
    (("liars_dice", {"faces": 3}), "liars_dice(dice_sides=3)"),
]
Rows = dict[str, list[tuple[int, float]]]


def rows_of(found: Tree, policy: NDArray[np.float64], theirs: Any) -> Rows:
    """The policy by OpenSpiel's names: every information state is led up to there by one of its histories."""
    rows: Rows = {}
    for state in range(found.states):
        at = theirs.new_initial_state()
        for action in found.history(int(found.node[state])):
            at.apply_action(action - found.game.num_actions if at.is_chance_node() else action)
        slots = slice(found.slot[state], found.slot[state + 1])
        assert at.legal_actions() == found.slot_action[slots].tolist()
        rows[at.information_state_string()] = list(zip(at.legal_actions(), policy[slots].tolist(), strict=True))
    assert len(rows) == found.states
    return rows


@pytest.mark.parametrize(("ours", "theirs"), GAMES)
def test_random_policies(ours: tuple[str, dict[str, int]], theirs: str) -> None:
    found, other = tree(ours[0], **ours[1]), pyspiel.load_game(theirs)
    judge = Judge(found)
    for seed in range(5 if found.states < 100 else 2):
        policy = random_policy(found, seed)
        rows = rows_of(found, policy, other)
        assert judge.nash_conv(policy) == pytest.approx(pyspiel.nash_conv(other, rows), abs=1e-9)
        returns = pyspiel.expected_returns(other.new_initial_state(), pyspiel.TabularPolicy(rows), -1, True)
        assert judge.values(policy) == pytest.approx(returns, abs=1e-9)
        for seat in range(found.players) if found.states < 100 else ():
            best = pyspiel.TabularBestResponse(other, seat, rows)
            assert judge.best_response(policy, seat)[0] == pytest.approx(
                best.value_from_state(other.new_initial_state()), abs=1e-9
            )


@pytest.mark.parametrize(("name", "iterations"), [("kuhn_poker", 200), ("leduc_poker", 20)])
def test_cfr_plus_step_by_step(name: str, iterations: int) -> None:
    """The same average policy, not only the same exploitability."""
    found, other = tree(name), pyspiel.load_game(name)
    solver, their_solver = make_solver(found, "cfr_plus"), pyspiel.CFRPlusSolver(other)
    solver.run(iterations)
    for _ in range(iterations):
        their_solver.evaluate_and_update_policy()
    average = their_solver.average_policy()
    for text, row in rows_of(found, solver.policy(), other).items():
        said = dict(average.get_state_policy(text))
        assert [said[action] for action, _ in row] == pytest.approx([p for _, p in row], abs=1e-6), text
