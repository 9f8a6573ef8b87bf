"""How a match is getting on: a live bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from orion_ai.arena.journal import Journal
from orion_ai.arena.match import Block
from orion_ai.arena.stopping import Sequential

__all__ = ["MatchProgress"]

PLAIN_SECONDS = 10.0
"""Least time between two plain lines."""
BAR_SECONDS = 0.2
"""Least time between two states of the bar."""


class MatchProgress:
    """Told of each finished block, says how many there are, how fast they come, and who leads.

    Between two agents the lead is told as a score with an interval that holds at all times, with the state of the
    sequential test, if there is one.
    """

    def __init__(self, console: Console, blocks: int, stop: Sequential | None = None) -> None:
        """`blocks` is the length of the match, `stop` what watches it."""
        self._console, self._blocks, self._stop = console, blocks, stop
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
        self._played = 0

    def __enter__(self) -> MatchProgress:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._bar.stop()

    def __call__(self, journal: Journal, block: Block) -> None:
        """A block of `journal` is finished."""
        self._played += 1
        done, now = len(journal.blocks), time.monotonic()
        rate = self._played * len(block.games) / max(now - self._started, 1e-9)
        speed, last = f"{rate:.1f} games/s", done == self._blocks
        if not last and now - self._said < (BAR_SECONDS if self._console.is_terminal else PLAIN_SECONDS):
            return
        self._said, leads = now, self._standing()
        self._bar.update(self._task, completed=done, rate=speed, lead=leads)
        if not self._console.is_terminal:
            left = (self._blocks - done) * (now - self._started) / self._played
            parts = [f"blocks {done}/{self._blocks}", speed, leads, f"about {left:.0f} s left"]
            text = ", ".join(part for part in parts if part)
            self._console.print(text, markup=False, highlight=False)

    def _standing(self) -> str:
        if self._stop is None or not self._stop.blocks:
            return ""
        watched = self._stop.watched
        score = watched.score
        text = f"score {score.mean:.3f} [{score.low:.3f}, {score.high:.3f}] at all times"
        if watched.sprt is None:
            return text
        low, high = watched.sprt.test.bounds
        return f"{text}, LLR {watched.sprt.llr:+.2f} in [{low:.2f}, {high:.2f}]"
