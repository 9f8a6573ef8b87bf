"""Goofspiel is OpenSpiel's, asked seat by seat by its own wrapper, history by history.

Where bids are shown, OpenSpiel's information state is the hands and who won; ours is what a seat has seen, in order. So
there the bids that were shown are added to its string.
"""

from __future__ import annotations

from typing import Any

import pytest

import engines
from engines.state import State
from tests.interop.openspiel import Pair, expected_value, information_state


def with_the_bids_shown(state: State, theirs: Any, seat: int) -> str | None:
    name = information_state(state, theirs, seat)
    return None if name is None else f"{name} {state.fields['shown'].tolist()}"


def pair(cards: int, prizes: str, hidden: bool, players: int = 2, returns: str = "win_loss") -> Pair:
    game = engines.load("goofspiel", players=players, cards=cards, prizes=prizes, hidden=hidden, returns=returns)
    options = f"num_cards={cards},points_order={prizes},imp_info={hidden},players={players},returns_type={returns}"
    theirs = f"turn_based_simultaneous_game(game=goofspiel({options}))"
    return Pair(game, theirs, info=information_state if hidden else with_the_bids_shown)


@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize(
    ("cards", "prizes", "players", "returns", "ends"),
    [
        (3, "random", 2, "win_loss", 6 * 36),
        (3, "random", 3, "point_difference", 6 * 216),
        (4, "ascending", 2, "point_difference", 24**2),
        (4, "descending", 2, "win_loss", 24**2),
        (4, "random", 2, "win_loss", 24**3),
        (3, "descending", 4, "win_loss", 6**4),
    ],
)
def test_the_whole_tree(cards: int, prizes: str, players: int, returns: str, ends: int, hidden: bool) -> None:
    assert pair(cards, prizes, hidden, players, returns).whole_tree().ends == ends


@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize(("players", "returns"), [(2, "win_loss"), (3, "point_difference"), (4, "win_loss")])
def test_random_games(players: int, returns: str, hidden: bool) -> None:
    pair(13, "random", hidden, players, returns).random_games(100)


@pytest.mark.slow
@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize(("players", "prizes"), [(2, "random"), (3, "descending")])
def test_many_random_games(players: int, prizes: str, hidden: bool) -> None:
    """`pytest -m slow tests/interop/test_goofspiel_against_openspiel.py`."""
    pair(13, prizes, hidden, players).random_games(10_000, seed=1)


def test_the_number_of_information_states() -> None:
    walked = pair(3, "descending", True).whole_tree()
    theirs = set()

    def visit(state: Any) -> None:
        if not state.is_terminal():
            theirs.add((state.current_player(), state.information_state_string(state.current_player())))
            for action in state.legal_actions():
                visit(state.child(action))

    visit(walked.theirs.new_initial_state())
    assert len(walked.decided) == len(theirs)


def test_uniform_play_is_fair() -> None:
    game = engines.load("goofspiel", cards=3, players=3, hidden=True)
    assert expected_value(game) == pytest.approx([0, 0, 0], abs=1e-6)
