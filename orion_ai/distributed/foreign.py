"""A match with agents that are not Orion's own, played by a worker of a cluster: in a process beside it, which it
watches as the command does on its own machine. So a worker neither hangs nor dies with an agent.
"""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from orion_ai.arena.match import Block
from orion_ai.arena.runner import Match, Players
from orion_ai.arena.schedule import Places
from orion_ai.distributed.luggage import Luggage, unpack

__all__ = ["ForeignPlayer"]


class ForeignPlayer:
    """Plays runs of blocks, as `Player` does."""

    def __init__(self, match: Match, luggage: Luggage) -> None:
        """A player of `match`, whose checkpoints are in `luggage`.

        Raises:
            UsageError: an agent cannot be made.
            FileError: a checkpoint does not fit the game.
        """
        self.game = match.load()
        self._match, self._luggage, self._players = match, luggage, Players(1)
        self._folder = Path(tempfile.gettempdir()) / f"orion-{uuid.uuid4().hex}"
        with self._unpacked() as here:
            self._players.prepare(here, self.game)

    def play(self, places: Places, run: Sequence[int]) -> Iterator[Block]:
        """The blocks of a run as they are finished."""
        with self._unpacked() as here:
            yield from self._players.play(here, self.game, places, run, size=len(run))

    def end(self) -> None:
        """End the process beside this one."""
        self._players.end()

    @contextmanager
    def _unpacked(self) -> Iterator[Match]:
        """The match with its checkpoints in a folder, always the same one, that is there for a run: the worker may be
        killed at any time, most likely between two.
        """
        self._folder.mkdir(mode=0o700)
        try:
            yield unpack(self._match, self._luggage, self._folder)
        finally:
            shutil.rmtree(self._folder)
