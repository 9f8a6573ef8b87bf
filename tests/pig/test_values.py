"""Pig is worth what is published: the engine's own transitions, solved."""

import functools

import numpy as np
import pytest

import engines
from engines.pig.layout import HOLD, ROLL
from tests.pig.solve import Solved


@functools.cache
def solved(target, seat=0):
    return Solved(engines.load("pig", target=target), seat)


@pytest.mark.parametrize(
    ("target", "win"), [(2, 6 / 7), (5, 216 / 271), (10, 0.7094243226), (100, 0.5306)], ids=lambda x: f"{x:g}"
)
def test_the_first_seat_wins_as_often_as_published(target, win):
    # 100: Neller and Presser 2004, to four places.
    assert solved(target).values[0] == pytest.approx(win, abs=5e-5 if target == 100 else 1e-10)


def test_both_seats_have_the_same_rules():
    first, second = solved(10), solved(10, 1)
    assert np.array_equal(first.children, second.children) and np.array_equal(first.mine, second.mine)
    assert np.array_equal(first.scripted, second.scripted)


def test_perfect_play_is_not_holding_at_twenty():
    # Neller and Presser 2004: level at 0 it holds at 21; a seat that is about to lose rolls on.
    best = solved(100)
    holds = [k for k in range(2, 100) if best.policy[best.at(0, 0, k)] == HOLD]
    assert min(holds) == 21
    assert all(best.policy[best.at(0, 99, k)] == ROLL for k in range(100))
    assert best.policy[best.at(0, 0)] == ROLL


def test_the_scripted_policy_comes_close_to_perfect_play():
    # Neller and Presser 2010: perfect play wins 0.922 % more games than "keep pace and end race".
    best_first, scripted_first = solved(100).against_scripted()
    assert (best_first + 1 - scripted_first) / 2 - (scripted_first + 1 - best_first) / 2 == pytest.approx(
        0.00922, abs=5e-6
    )
