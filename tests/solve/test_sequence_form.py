"""The linear program gives the known values, and equilibria that nobody can exploit."""

from __future__ import annotations

import pytest

from engines.errors import UsageError
from orion_ai.solve.best_response import Judge
from orion_ai.solve.sequence_form import solve_sequence_form
from orion_ai.solve.tree import Tree
from tests.solve.games import matrix, tiny, tree

VALUES = [
    (("kuhn_poker", {}), -1 / 18),
    (("leduc_poker", {}), -0.0856064241),
    (("liars_dice", {"faces": 2}), 1 / 2),
    (("liars_dice", {"faces": 3}), 1 / 9),
    (("liars_dice", {"faces": 4}), 1 / 16),
    (("liars_dice", {"faces": 5}), 1 / 125),
    (("goofspiel", {"cards": 3, "prizes": "random"}), 0.0),
    (("goofspiel", {"cards": 4, "prizes": "descending", "hidden": True}), 0.0),
    (("goofspiel", {"cards": 4, "prizes": "ascending", "returns": "point_difference"}), 0.0),
]


def check(found: Tree, value: float) -> None:
    solution = solve_sequence_form(found)
    assert solution.value == pytest.approx(value, abs=1e-9)
    assert Judge(found).values(solution.policy)[0] == pytest.approx(value, abs=1e-9)
    assert Judge(found).nash_conv(solution.policy) < 1e-8


@pytest.mark.parametrize(("game", "value"), VALUES)
def test_values(game: tuple[str, dict[str, int]], value: float) -> None:
    check(tree(game[0], **game[1]), value)


def test_matrix_games() -> None:
    for name in ("matching_pennies", "rps", "biased_rps", "rpsw"):
        check(matrix(name), 0.0)
    assert solve_sequence_form(matrix("matching_pennies")).policy == pytest.approx([1 / 2] * 4)
    assert solve_sequence_form(matrix("rps")).policy == pytest.approx([1 / 3] * 6)
    assert solve_sequence_form(matrix("biased_rps")).policy == pytest.approx([1 / 16, 10 / 16, 5 / 16] * 2)


@pytest.mark.parametrize(("prizes", "best"), [("descending", "bid {cards}"), ("ascending", "bid 1")])
@pytest.mark.parametrize("cards", [3, 4])
def test_the_first_bid_of_goofspiel(cards: int, prizes: str, best: str) -> None:
    """Where bids are shown: the top card for the top prize, the lowest card for the lowest."""
    found = tree("goofspiel", cards=cards, prizes=prizes)
    policy = solve_sequence_form(found).policy
    first = {
        found.game.action_text(int(a)): p for a, p in zip(found.slot_action, policy[: found.slot[1]], strict=False)
    }
    assert first[best.format(cards=cards)] == pytest.approx(1, abs=1e-9)


def test_the_unseen_coin_is_worth_the_safe_choice() -> None:
    check(tiny("safe_or_guess"), 0.25)


def test_other_games_are_refused() -> None:
    with pytest.raises(UsageError, match="games of two seats, kuhn_poker has 3: use method=cfr_plus"):
        solve_sequence_form(tree("kuhn_poker", players=3))
    with pytest.raises(UsageError, match="full_tree has none: use backward induction"):
        solve_sequence_form(tiny("full_tree", width=3))
