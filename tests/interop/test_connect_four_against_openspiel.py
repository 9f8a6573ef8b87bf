"""Connect Four is OpenSpiel's, move by move; positions are alike just where its boards are."""

from __future__ import annotations

from typing import Any

import pytest

import engines
from engines.state import State
from tests.interop.openspiel import Pair


def board(state: State, theirs: Any, seat: int) -> str:
    """OpenSpiel's information state is the whole history: of a position, its board."""
    return str(theirs)


def pair() -> Pair:
    return Pair(engines.load("connect_four"), "connect_four", info=board)


def test_random_games() -> None:
    assert pair().random_games(300).ends == 300


@pytest.mark.slow
def test_many_random_games() -> None:
    """`pytest -m slow tests/interop/test_connect_four_against_openspiel.py`."""
    assert pair().random_games(10_000, seed=1).ends == 10_000
