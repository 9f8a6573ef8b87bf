"""Tic-tac-toe is OpenSpiel's: at every position, and (slow) along every history."""

from __future__ import annotations

from typing import Any

import pytest

import engines
from engines.state import State
from tests.interop.openspiel import Pair, same_ids


def board(state: State, theirs: Any, seat: int) -> str:
    """OpenSpiel's information state is the whole history: of a position, its board."""
    return str(theirs)


def pair() -> Pair:
    return Pair(engines.load("tic_tac_toe"), "tic_tac_toe", info=board)


def test_every_position() -> None:
    """Every move from every pair of positions, ours and theirs: as good as the whole tree of histories."""
    both = pair()
    start = (State.start(both.game), both.theirs.new_initial_state())
    stack, met = [start], {(start[0].record.tobytes(), str(start[1]))}
    while stack:
        state, theirs = stack.pop()
        for action in both.compare(state, theirs):
            after, other = state.clone(), theirs.clone()
            same_ids(after, action, other)
            both.game.kernels.apply(after.record, action)
            name = (after.record.tobytes(), str(other))
            if name not in met:
                met.add(name)
                stack.append((after, other))
    assert both.states == 5478 and both.ends == 958


@pytest.mark.slow
def test_the_whole_tree() -> None:
    """`pytest -m slow tests/interop/test_tic_tac_toe_against_openspiel.py` (half a minute)."""
    both = pair().whole_tree()
    assert (both.states, both.ends) == (549_946, 255_168)
