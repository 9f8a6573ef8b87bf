"""What a comparison is: two sides that do the same work, and what is said about it."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engines.errors import UsageError

__all__ = ["INSTALL", "Comparison", "Memory", "Work", "missing", "require"]

INSTALL = "pip install 'orion-ai[peers]'"
"""The command that installs every peer."""

Work = Callable[[int], float]
"""`work(repeats)` does its work that often and returns the units done."""


@dataclass(frozen=True)
class Comparison:
    """The same work on two sides.

    Attributes:
        game: name of Orion's game.
        work: what is done.
        unit: what is counted.
        peer: the peer, as it is driven.
        theirs, ours: make the two sides' work; called once, on the core where it will run.
        by: how Orion is driven.
        goal: the least ratio of ours to theirs that is aimed at, if any.
    """

    game: str
    work: str
    unit: str
    peer: str
    theirs: Callable[[], Work]
    ours: Callable[[], Work]
    by: str = "kernel"
    goal: float | None = None


@dataclass(frozen=True)
class Memory:
    """The memory of the same search on two sides, in bytes; `theirs` and `ours` measure it once."""

    game: str
    what: str
    peer: str
    theirs: Callable[[], float]
    ours: Callable[[], float]


def missing(modules: Mapping[str, str]) -> list[str]:
    """The distributions that are not installed, of (distribution -> module)."""
    return [name for name, module in modules.items() if importlib.util.find_spec(module) is None]


def require(module: str) -> Any:
    """A peer's module.

    Raises:
        UsageError: it is not installed; names the command that installs it.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise UsageError(f"{module} is not installed; this installs it: {INSTALL}") from None
