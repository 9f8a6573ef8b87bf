"""Phantom tic-tac-toe is OpenSpiel's, try by try, and its information states are the same."""

from __future__ import annotations

from typing import Any

import pytest

import engines
from engines.state import State
from tests.interop.openspiel import Pair, same_ids

OBSTYPES = ("reveal-nothing", "reveal-numturns")
every_obstype = pytest.mark.parametrize("obstype", OBSTYPES)


def information_state(state: State, theirs: Any, seat: int) -> str | None:
    """OpenSpiel leaves out whose turn it is; here everybody knows."""
    return None if state.is_over else f"{theirs.current_player()} {theirs.information_state_string(seat)}"


def pair(obstype: str) -> Pair:
    game = engines.load("phantom_tic_tac_toe", obstype=obstype)
    return Pair(game, f"phantom_ttt(obstype={obstype})", info=information_state)


def tree(obstype: str, depth: int) -> Pair:
    """All histories of at most `depth` tries."""
    both = pair(obstype)
    stack = [(State.start(both.game), both.theirs.new_initial_state(), 0)]
    while stack:
        state, theirs, tries = stack.pop()
        legal = both.compare(state, theirs)
        for action in legal if tries < depth else []:
            after, other = state.clone(), theirs.clone()
            same_ids(after, action, other)
            both.game.kernels.apply(after.record, action)
            stack.append((after, other, tries + 1))
    return both


@every_obstype
def test_all_histories_of_four_tries(obstype: str) -> None:
    assert tree(obstype, 4).states == 1 + 9 + 81 + 648 + 5112


@pytest.mark.slow
@every_obstype
def test_all_histories_of_six_tries(obstype: str) -> None:
    """`pytest -m slow tests/interop/test_phantom_tic_tac_toe_against_openspiel.py` (two minutes)."""
    assert tree(obstype, 6).ends > 0


@every_obstype
def test_random_games(obstype: str) -> None:
    assert pair(obstype).random_games(300).ends == 300


@pytest.mark.slow
@every_obstype
def test_many_random_games(obstype: str) -> None:
    """`pytest -m slow tests/interop/test_phantom_tic_tac_toe_against_openspiel.py` (two minutes)."""
    assert pair(obstype).random_games(10_000, seed=1).ends == 10_000
