"""Liar's dice is OpenSpiel's, history by history; all dice of a seat are one event here, one event each there."""

from __future__ import annotations

from typing import Any

import pytest

import engines
from engines.state import State
from tests.interop.openspiel import Pair, expected_value


def roll_one_by_one(state: State, action: int, theirs: Any) -> None:
    if state.is_chance:
        for face in state.game.action_text(action).split()[1:]:
            theirs.apply_action(int(face) - 1)
    else:
        theirs.apply_action(action)


def pair(dice: int, faces: int) -> Pair:
    game = engines.load("liars_dice", dice=dice, faces=faces)
    return Pair(game, f"liars_dice(numdice={dice},dice_sides={faces})", follow=roll_one_by_one, chances=False)


@pytest.mark.parametrize(("dice", "faces"), [(1, 2), (1, 3), (1, 4), (1, 5), (2, 2)])
def test_the_whole_tree(dice: int, faces: int) -> None:
    walked = pair(dice, faces).whole_tree()
    bids, rolls = 2 * dice * faces, {(1, 2): 2, (1, 3): 3, (1, 4): 4, (1, 5): 5, (2, 2): 3}[dice, faces]
    # Every rising sequence of bids but the empty one can be called.
    assert walked.ends == rolls**2 * (2**bids - 1)
    assert len(walked.decided) == rolls * 2**bids


@pytest.mark.parametrize(("dice", "faces"), [(1, 6), (2, 3), (3, 6), (5, 6)])
def test_random_games(dice: int, faces: int) -> None:
    pair(dice, faces).random_games(300)


@pytest.mark.slow
@pytest.mark.parametrize(("dice", "faces"), [(1, 6), (5, 6)])
def test_many_random_games(dice: int, faces: int) -> None:
    """`pytest -m slow tests/interop/test_liars_dice_against_openspiel.py`."""
    pair(dice, faces).random_games(10_000, seed=1)


def test_uniform_play_is_worth_what_openspiel_says() -> None:
    from open_spiel.python.algorithms.expected_game_score import policy_value
    from open_spiel.python.policy import UniformRandomPolicy

    walked = pair(1, 3)
    uniform = UniformRandomPolicy(walked.theirs)
    wanted = policy_value(walked.theirs.new_initial_state(), [uniform, uniform])
    assert expected_value(walked.game) == pytest.approx(list(wanted), abs=1e-6)
