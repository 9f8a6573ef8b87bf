"""The matrix games with a name pay what OpenSpiel's do."""

from __future__ import annotations

import pytest

import engines
from tests.interop.openspiel import Pair


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("matching_pennies", "matrix_mp"),
        ("rps", "matrix_rps"),
        ("biased_rps", "matrix_brps"),
        ("rps_water", "matrix_rpsw"),
    ],
)
def test_the_whole_tree(ours: str, theirs: str) -> None:
    game = engines.load("matrix", payoffs=ours)
    pair = Pair(game, f"turn_based_simultaneous_game(game={theirs}())").whole_tree()
    assert len(pair.decided) == 2
    names = [pair.theirs.new_initial_state().action_to_string(a) for a in range(game.num_actions)]
    assert [game.action_text(a) for a in range(game.num_actions)] == [name.lower() for name in names]
