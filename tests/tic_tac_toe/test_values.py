"""Tic-tac-toe counted whole: positions, games, what random and best play are worth.

The counts are well known (e.g. S. Schaefer, "MathRec Solutions (Tic-Tac-Toe)", 2002); those of random play follow from
the numbers of games of each length.
"""

from __future__ import annotations

import functools
from fractions import Fraction

import numpy as np
import pytest

import engines
from engines.perft import perft
from engines.state import State

GAME = engines.load("tic_tac_toe")
Level = dict[bytes, tuple[int, Fraction]]
"""Positions after so many plies: how many histories lead there, and the chance that random play does."""


def state_of(record: bytes) -> State:
    return State(GAME, np.frombuffer(record, np.uint8).copy())


def children(record: bytes) -> list[bytes]:
    state = state_of(record)
    found = []
    for action in state.legal_actions():
        after = state.record.copy()
        GAME.kernels.apply(after, action)
        found.append(after.tobytes())
    return found


@pytest.fixture(scope="module")
def levels() -> list[Level]:
    found: list[Level] = [{GAME.start().record.tobytes(): (1, Fraction(1))}]
    while found[-1]:
        following: Level = {}
        for record, (count, chance) in found[-1].items():
            below = children(record)
            for child in below:
                so_far, likely = following.get(child, (0, Fraction(0)))
                following[child] = (so_far + count, likely + chance / len(below))
        found.append(following)
    return found[:-1]


def result(record: bytes) -> int:
    return int(state_of(record).fields["result"])


def test_positions(levels: list[Level]) -> None:
    assert [len(level) for level in levels] == [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    assert sum(len(level) for level in levels) == 5478
    records = [record for level in levels for record in level]
    assert len({state_of(record).info_key(0) for record in records}) == 5478


def test_histories(levels: list[Level]) -> None:
    assert sum(count for level in levels for count, _ in level.values()) == 549_946
    ends = {r: sum(n for level in levels for record, (n, _) in level.items() if result(record) == r) for r in (1, 2, 3)}
    assert ends == {1: 131_184, 2: 77_904, 3: 46_080}
    won = [sum(n for record, (n, _) in level.items() if result(record) in (1, 2)) for level in levels]
    assert won[5:] == [1440, 5328, 47952, 72576, 81792]


def test_perft_agrees() -> None:
    count = perft(GAME.start(), 9)
    assert count is not None
    assert (count.leaves, count.ended) == (255_168, 255_168)


def test_random_play(levels: list[Level]) -> None:
    shares = {
        r: sum(p for level in levels for record, (_, p) in level.items() if result(record) == r) for r in (1, 2, 3)
    }
    assert shares == {1: Fraction(737, 1260), 2: Fraction(121, 420), 3: Fraction(8, 63)}
    assert [float(share) for share in shares.values()] == pytest.approx([0.5849206349, 0.2880952381, 0.1269841270])


@functools.cache
def value(record: bytes) -> float:
    """What the position is worth to seat 0 if both play best."""
    state = state_of(record)
    if state.is_over:
        return state.returns()[0]
    return (max, min)[state.to_play](value(child) for child in children(record))


def test_best_play_is_a_draw_whatever_the_first_mark() -> None:
    start = GAME.start().record.tobytes()
    assert value(start) == 0.0
    assert [value(child) for child in children(start)] == [0.0] * 9
    corner = state_of(children(start)[0])
    replies = {
        GAME.action_text(a): value(r)
        for a, r in zip(corner.legal_actions(), children(corner.record.tobytes()), strict=True)
    }
    assert [text for text, worth in replies.items() if worth == 0.0] == ["mark b2"], "only the centre holds a corner"
