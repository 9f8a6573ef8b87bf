"""Leduc poker is OpenSpiel's, history by history."""

from __future__ import annotations

import pytest

import engines
from tests.interop.openspiel import Pair, expected_value


def test_the_whole_tree_of_two_seats() -> None:
    pair = Pair(engines.load("leduc_poker"), "leduc_poker").whole_tree()
    assert len(pair.decided) == 936
    assert (pair.states, pair.ends) == (9457, 5520)


def test_uniform_play_with_two_seats() -> None:
    assert expected_value(engines.load("leduc_poker")) == pytest.approx([-0.078125, 0.078125], abs=1e-6)


def test_random_games_of_three_seats() -> None:
    Pair(engines.load("leduc_poker", players=3), "leduc_poker(players=3)").random_games(300)


@pytest.mark.slow
def test_many_random_games_of_three_seats() -> None:
    """`pytest -m slow tests/interop/test_leduc_poker_against_openspiel.py`."""
    Pair(engines.load("leduc_poker", players=3), "leduc_poker(players=3)").random_games(10_000, seed=1)
