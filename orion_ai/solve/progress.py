"""How a long computation is getting on: a live line on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.text import Text

__all__ = ["Progress"]

PLAIN_SECONDS = 10.0
"""Least time between two plain lines."""


class Progress:
    """A `Watcher` (of `solve.walk`), used in a `with` statement."""

    def __init__(self, console: Console) -> None:
        self._console, self._status = console, console.status("")
        self._said = time.monotonic()

    def __enter__(self) -> Progress:
        if self._console.is_terminal:
            self._status.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._status.stop()

    def __call__(self, text: str) -> None:
        """So far it is."""
        if self._console.is_terminal:
            self._status.update(Text(text))
        elif time.monotonic() - self._said >= PLAIN_SECONDS:
            self._said = time.monotonic()
            self._console.print(text, markup=False, highlight=False, soft_wrap=True)
