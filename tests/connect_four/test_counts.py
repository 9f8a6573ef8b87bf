"""Exact counts of Connect Four: histories, positions, finished games.

Sources: J. Tromp, "John's Connect Four Playground"; OEIS A212693 (positions after n plies).
"""

from __future__ import annotations

import numpy as np
import pytest

import engines
from engines.perft import perft

GAME = engines.load("connect_four")
HISTORIES = (1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234, 39394572)
"""Games of so many plies."""
POSITIONS = (1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275, 558186)
WON = {7: 728, 8: 1892, 9: 19412}
"""Positions of so many plies in which the game has just been won; none is before."""


def histories(plies: int) -> int:
    """Games of exactly `plies` plies: leaves that ended earlier are no such games."""
    start = GAME.start()
    count, shorter = perft(start, plies), perft(start, max(0, plies - 1))
    assert count is not None and shorter is not None
    return count.leaves - shorter.ended


@pytest.mark.parametrize("plies", range(9))
def test_histories(plies: int) -> None:
    assert histories(plies) == HISTORIES[plies]


@pytest.mark.slow
def test_histories_of_nine_plies() -> None:
    """`pytest -m slow tests/connect_four` (15 s)."""
    assert histories(9) == HISTORIES[9]


def levels(plies: int) -> list[dict[int, bytes]]:
    """The positions after 0 to `plies` plies: records by `info_key`."""
    kernels, out = GAME.kernels, np.zeros(GAME.max_legal, np.int32)
    found = [{GAME.start().info_key(0): GAME.start().record.tobytes()}]
    for _ in range(plies):
        following: dict[int, bytes] = {}
        for record in found[-1].values():
            before = np.frombuffer(record, np.uint8).copy()
            for action in out[: kernels.legal(before, out)].tolist():
                after = before.copy()
                kernels.apply(after, action)
                following.setdefault(int(kernels.info_key(after, 0)), after.tobytes())
        found.append(following)
    return found


def check_positions(plies: int) -> None:
    for ply, positions in enumerate(levels(plies)):
        assert len(positions) == len({*positions.values()}) == POSITIONS[ply]
        results = [int(np.frombuffer(record, GAME.dtype)[0]["result"]) for record in positions.values()]
        assert sum(result > 0 for result in results) == WON.get(ply, 0)
        assert {*results} <= {0, 1 + (ply - 1) % 2}


def test_positions() -> None:
    check_positions(7)


@pytest.mark.slow
def test_positions_of_nine_plies() -> None:
    """`pytest -m slow tests/connect_four` (20 s)."""
    check_positions(9)
