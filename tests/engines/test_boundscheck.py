"""No kernel reaches outside an array: the suite and perft under NUMBA_BOUNDSCHECK=1, which has kernels of its own.

Here the smallest games; every other one in test_option_sets.py.
"""

from __future__ import annotations

import pytest

from tests.engines.subprocesses import code

SUITE = """
    from engines.conformance import check
    from engines.perft import perft
    from tests.engines.games import make
    for players in {players}:
        game = make({name!r}, players)
        report = check(game, games={games}, seed=9, rate={rate})
        assert report.ok, str(report)
        assert perft(game.start(), 4).leaves > 0
    print("in bounds")
"""


@pytest.mark.parametrize(
    ("name", "players", "games", "rate"),
    [
        ("kuhn_poker", (2, 3), 20, 1.0),
        ("duel", (2, 3), 10, 1.0),
    ],
)
def test_kernels_stay_in_bounds(name: str, players: tuple[int, ...], games: int, rate: float) -> None:
    program = SUITE.format(name=name, players=players, games=games, rate=rate)
    assert code(program, NUMBA_BOUNDSCHECK="1").strip() == "in bounds"


def test_the_flag_reaches_the_kernels() -> None:
    """A dispatcher-level proof that the run above would have noticed: an observation one entry too short."""
    program = """
        import numpy as np
        from tests.engines.games import make
        game = make("kuhn_poker", 2)
        try:
            game.kernels.observe(game.start(seed=1).record, 0, np.zeros(2, np.int16))
        except IndexError as error:
            print("caught")
    """
    assert code(program, NUMBA_BOUNDSCHECK="1").strip() == "caught"
