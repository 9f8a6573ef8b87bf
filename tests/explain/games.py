"""Recorded games for the tests of this folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import engines
from engines.replay import Replay

KUHN = ("deal jack", "deal king", "pass", "bet", "pass")
LEDUC = (
    *("deal queen of hearts", "deal king of spades", "call", "raise", "call"),
    *("deal queen of spades", "call", "raise", "raise", "call"),
)


def recorded(folder: Path, game: str, steps: Sequence[str], players: int = 2) -> Path:
    """A recorded game of these steps, always of the same name."""
    state = engines.load(game, players=players).start()
    for step in steps:
        state.apply(step)
    path = folder / "game.jsonl"
    Replay.of(state).write(path)
    return path
