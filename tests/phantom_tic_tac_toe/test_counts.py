"""How many games of phantom tic-tac-toe there are, counted through positions that forget the order of tries."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

import engines
from engines.perft import perft

GAME = engines.load("phantom_tic_tac_toe")
ENDS = {5: 1440, 6: 5328, 7: 47_952, 8: 72_576, 9: 127_872}
"""Games of tic-tac-toe by number of marks."""


def ways(turns: int, first: int, met: int = 0) -> int:
    """In how many ways a seat runs into marks in its turns, with `first` marks of the other seat before the first."""
    if turns == 0:
        return 1
    more = range(first - met + 1)
    return sum(math.perm(first - met, n) * ways(turns - 1, first + 1, met + n) for n in more)


def games() -> int:
    """Where the marks go times what each seat runs into: the two do not depend on each other."""
    return sum(n * ways((marks + 1) // 2, 0) * ways(marks // 2, 1) for marks, n in ENDS.items())


def test_games_of_a_few_tries() -> None:
    counts = [perft(GAME.start(), tries) for tries in range(5)]
    assert [count.leaves for count in counts if count is not None] == [1, 9, 81, 648, 5112]


def test_games() -> None:
    assert games() == 9_829_101_024


@pytest.mark.slow
def test_games_by_the_rules() -> None:
    """`pytest -m slow tests/phantom_tic_tac_toe` (15 s)."""
    kernels, out = GAME.kernels, np.zeros(GAME.max_legal, np.int32)
    level, ended = {b"": (1, GAME.start().record)}, 0
    while level:
        following: dict[bytes, tuple[int, NDArray[np.uint8]]] = {}
        for count, record in level.values():
            legal = out[: kernels.legal(record, out)].tolist()
            ended += 0 if legal else count
            for action in legal:
                after = record.copy()
                kernels.apply(after, action)
                name = np.sort(after.view(GAME.dtype)[0]["tries"], axis=1).tobytes()
                following[name] = (following.get(name, (0, after))[0] + count, after)
        level = following
    assert ended == games()
