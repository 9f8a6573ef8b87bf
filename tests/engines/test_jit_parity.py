"""Compiled and plain Python runs of the kernels give the same bytes (every game: test_option_sets.py)."""

from __future__ import annotations

import pytest

from engines.kernel import JIT
from tests.engines.games import make
from tests.engines.subprocesses import python
from tests.engines.trace import trace

RUNS = [
    ("kuhn_poker", 2, 20, 8),
    ("kuhn_poker", 3, 20, 8),
    ("duel", 3, 8, 24),
]


@pytest.mark.skipif(not JIT, reason="compares this process, compiled, with a plain one")
@pytest.mark.parametrize(("name", "players", "games", "steps"), RUNS)
def test_the_same_bytes_with_and_without_the_jit(name: str, players: int, games: int, steps: int) -> None:
    compiled = trace(make(name, players), games, steps)
    plain = python("-m", "tests.engines.trace", name, *map(str, (players, games, steps)), NUMBA_DISABLE_JIT="1")
    assert plain.returncode == 0, plain.stderr
    assert plain.stdout.strip() == compiled


def test_the_digest_tells_games_apart() -> None:
    game = make("kuhn_poker", 2)
    assert trace(game, 3, 8) == trace(game, 3, 8)
    assert len({trace(game, 3, 8), trace(game, 4, 8), trace(game, 3, 2), trace(make("kuhn_poker", 3), 3, 8)}) == 4
