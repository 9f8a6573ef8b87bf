"""How a match is getting on: a live bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from orion_ai.arena.journal import Journal
from orion_ai.arena.match import Block

__all__ = ["Watch"]

PLAIN_SECONDS = 10.0
"""Least time between two plain lines."""


class Watch:
    """Told of each finished block, says how many there are, how fast they come, and who leads."""

    def __init__(self, console: Console, blocks: int) -> None:
        """`blocks` is the length of the match."""
        self._console, self._blocks = console, blocks
        self._bar = Progress(
            TextColumn("blocks"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[lead]}"),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("blocks", total=blocks, rate="", lead="")
        self._started = self._said = time.monotonic()
        self._played = self._counted = 0
        self._leads = 0.0  # summed over the first `_counted` blocks

    def __enter__(self) -> Watch:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._bar.stop()

    def __call__(self, journal: Journal, block: Block) -> None:
        """A block of `journal` is finished."""
        self._played += 1
        done, now = len(journal.blocks), time.monotonic()
        rate = self._played * len(block.games) / max(now - self._started, 1e-9)
        self._leads += sum(_lead(b) for b in journal.blocks[self._counted :])
        self._counted = done
        speed, leads = f"{rate:.1f} games/s", f"lead {self._leads / done:+.3f}"
        self._bar.update(self._task, completed=done, rate=speed, lead=leads)
        last = done == self._blocks
        if not self._console.is_terminal and (last or now - self._said >= PLAIN_SECONDS):
            self._said = now
            left = (self._blocks - done) * (now - self._started) / self._played
            text = f"blocks {done}/{self._blocks}, {speed}, {leads}, about {left:.0f} s left"
            self._console.print(text, markup=False, highlight=False)


def _lead(block: Block) -> float:
    """Mean utility of the first agent's seats less that of the second's."""
    means = []
    for agent in (0, 1):
        own = [u for g in block.games for a, u in zip(g.seats, g.returns, strict=True) if a == agent]
        means.append(sum(own) / len(own))
    return means[0] - means[1]
