"""Pig is OpenSpiel's, for every number of seats: who plays, what is legal, what the die does, what it pays."""

from __future__ import annotations

from typing import Any

import pytest

import engines
from engines.state import State
from tests.interop.openspiel import Pair


def position_and_turn(state: State, theirs: Any, seat: int) -> str:
    """OpenSpiel's position (the same for every seat), and how many turns are over, which it does not show."""
    return f"{theirs.observation_string(seat)}after {int(state.fields['turn'])} turns"


def pair(players: int, target: int, horizon: int = 100_000, **options: int) -> Pair:
    game = engines.load("pig", players=players, target=target, utility="win", **options)
    theirs = f"pig(players={players},winscore={target},horizon={horizon})"
    return Pair(game, theirs, info=position_and_turn)


@pytest.mark.parametrize(("players", "target", "games"), [(2, 100, 200), (2, 10, 200), (3, 30, 200), (4, 20, 100)])
def test_random_games(players: int, target: int, games: int) -> None:
    assert pair(players, target).random_games(games).ends == games


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 4])
def test_many_random_games(players: int) -> None:
    """`pytest -m slow tests/interop/test_pig_against_openspiel.py`."""
    assert pair(players, 20).random_games(5_000, seed=1).ends == 5_000


def test_a_game_that_nobody_wins_is_a_draw_in_both() -> None:
    # Twelve holds: OpenSpiel's horizon counts decisions, ours turns.
    compared = pair(players=3, target=100, horizon=12, max_turns=12)
    state, theirs = compared.game.start(), compared.theirs.new_initial_state()
    while 1 in compared.compare(state, theirs):
        state.apply(1)
        theirs.apply_action(1)
    assert state.returns() == theirs.returns() == [0, 0, 0]
