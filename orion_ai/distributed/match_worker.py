"""The actor that plays runs of blocks. In a module of its own: a match of agents without networks needs no torch, whose
import takes a second and 200 MB in every process.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import ray

from engines.contract import Game
from orion_ai.arena.runner import Player
from orion_ai.arena.schedule import Places
from orion_ai.distributed.foreign import ForeignPlayer
from orion_ai.distributed.luggage import Luggage, received, unpack
from orion_ai.distributed.plan import introduction

__all__ = ["GREETINGS", "MatchWorker", "player_of"]

GREETINGS = "greetings"
"""Threads of its own for them: `MatchWorker` is to be made with `concurrency_groups={GREETINGS: 1}`."""


class MatchWorker:
    """Plays runs of blocks."""

    def __init__(self, match_text: str, luggage: list[Any]) -> None:
        """A worker.

        Args:
            match_text: see `sent`.
            luggage: holds the reference to the match's checkpoints; see `pack`.
        """
        self._player = player_of(match_text, ray.get(luggage[0]))

    @ray.method(concurrency_group=GREETINGS)
    def greet(self) -> dict[str, Any]:
        """See `introduction`. It can be asked while a run is played."""
        return introduction(self._player.game)

    def play(self, places: Places, run: Sequence[int]) -> Iterator[str]:
        """The blocks of a run as they are finished, as JSON."""
        for block in self._player.play([tuple(seats) for seats in places], run):
            yield json.dumps(block.as_data(history=True))


def player_of(match_text: str, luggage: Luggage, game: Game | None = None) -> Player | ForeignPlayer:
    """What plays a match with these checkpoints; `game`: the match's, if it is loaded."""
    match = received(match_text)
    if match.is_foreign:
        return ForeignPlayer(match, luggage)
    with tempfile.TemporaryDirectory(prefix="orion-") as folder:
        return Player(unpack(match, luggage, Path(folder)), game or match.load())
