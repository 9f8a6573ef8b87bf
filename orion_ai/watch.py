"""Watching a training run: a live display on a terminal, plain lines elsewhere, and TensorBoard in both cases."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Column

from engines.errors import FileError
from orion_ai.calibration import Reliability, reliability_image

__all__ = ["Watch"]

PLAIN_SECONDS = 5.0
"""Least time between two plain lines."""


class Watch:
    """Told by the loop of what happens. Use it in a `with` statement (the loop does)."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar = Progress(
            TextColumn("{task.description}", table_column=Column(no_wrap=True, min_width=13)),
            BarColumn(10, table_column=Column(min_width=10)),
            TextColumn("{task.completed:.0f}/{task.total:.0f} games", table_column=Column(no_wrap=True, min_width=13)),
            TimeElapsedColumn(Column(min_width=7)),
            TextColumn("{task.fields[state]}", table_column=Column(no_wrap=True, overflow="ellipsis")),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("starting", total=1, state="")
        self._board: Any = None
        self._counting = threading.Lock()
        self._began = self._said = time.monotonic()
        self._share_at_start: float | None = None
        self._left = self._last_evaluation = ""

    def __enter__(self) -> Watch:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._bar.stop()
        if self._board is not None:
            self._board.close()

    def begin(self, folder: Path, weights: int, evaluator: str, samples: int, iteration: int) -> None:
        """The run of a network of so many weights starts, or goes on after `samples` samples."""
        from torch.utils.tensorboard import SummaryWriter

        self._board = SummaryWriter(str(folder), purge_step=samples + 1 if samples else None)  # type: ignore[no-untyped-call]
        again = f"goes on after iteration {iteration} ({samples} samples)" if iteration else "begins"
        self._say(f"{folder}: {again}; {weights:,} weights, evaluated by {evaluator}")
        self._began = time.monotonic()

    def iteration(self, number: int, games: int, share: float | None) -> None:
        """An iteration of `games` games starts; `share` of the run is over."""
        if share is not None:
            if self._share_at_start is None:
                self._share_at_start = share
            done = share - self._share_at_start
            if done > 0:
                left = (time.monotonic() - self._began) * (1 - share) / done
                self._left = f", about {_time(left)} left"
        self._bar.update(self._task, description=f"iteration {number + 1}", total=games, completed=0)

    def games(self, count: int) -> None:
        """So many more games have ended (called from any thread)."""
        with self._counting:
            self._bar.advance(self._task, count)

    def report(self, samples: int, iteration: int, figures: Mapping[str, float]) -> None:
        """An iteration is over."""
        self._write(samples, figures)
        rate = figures.get("selfplay/games_a_second", 0.0)
        self._bar.update(self._task, state=f"{rate:.1f} games/s{self._left}{self._last_evaluation}")
        if not self._console.is_terminal and time.monotonic() - self._said >= PLAIN_SECONDS:
            self._said = time.monotonic()
            self._say(
                f"iteration {iteration}, {samples:,} samples{_rate(figures)}: "
                f"policy {figures['fresh/policy']:.3f} (least {figures['fresh/target_entropy']:.3f}), "
                f"value {figures['fresh/value']:.3f}{self._last_evaluation}{self._left}"
            )

    def evaluated(self, samples: int, figures: Mapping[str, float], curves: Mapping[str, Reliability]) -> None:
        """The bot has been measured; `curves` are values against outcomes, drawn as a picture."""
        self._write(samples, figures)
        if curves:
            self._draw("calibration", samples, reliability_image(curves))
        names = [name.partition("/")[2].replace("_", " ") for name in figures]
        shown = ", ".join(f"{name} {number:+.2f}" for name, number in zip(names, figures.values(), strict=True))
        self._last_evaluation = f", {shown}"
        self._say(f"evaluation at {samples:,} samples: {shown}")

    def _write(self, samples: int, figures: Mapping[str, float]) -> None:
        try:
            for name, number in figures.items():
                self._board.add_scalar(name, number, samples)
            self._board.flush()
        except OSError as error:
            raise _unwritten(error) from None

    def _draw(self, name: str, samples: int, image: NDArray[np.uint8]) -> None:
        try:
            self._board.add_image(name, image, samples, dataformats="HWC")
            self._board.flush()
        except OSError as error:
            raise _unwritten(error) from None

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


def _unwritten(error: OSError) -> FileError:
    return FileError(f"cannot write TensorBoard's events: {error.strerror or error}")


def _rate(figures: Mapping[str, float]) -> str:
    games = figures.get("selfplay/games_a_second")
    if games is None:
        return ""
    return f", {games:.1f} games/s, {figures['selfplay/evaluations_a_second'] / 1000:.1f} k evaluations/s"


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
