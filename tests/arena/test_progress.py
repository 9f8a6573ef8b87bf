"""What is said of a match while it runs.

1 On a terminal a bar, elsewhere a line every ten seconds and at the end. 2 How many blocks there are, how fast games
come, how long it will take; a match that goes on counts what it had, but not as speed. 3 Between two agents who leads,
with the state of a sequential test.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from orion_ai.arena import progress
from orion_ai.arena.entrants import resolve
from orion_ai.arena.progress import MatchProgress
from orion_ai.arena.runner import Match, run_match
from orion_ai.arena.sprt import Sprt
from orion_ai.arena.stopping import Sequential

MATCH = Match({"name": "kuhn_poker", "players": 2}, resolve(["random", "random"]), 3, 1)


class Clock:
    """Four seconds pass between two looks."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        self.now += 4.0
        return self.now


@pytest.fixture
def _clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(progress, "time", Clock())
    yield


def shown(folder: Path, blocks: int, stop: Sequential | None = None, *, terminal: bool = False) -> list[str]:
    """What there is to be read after each block, before the next is played."""
    console = Console(file=io.StringIO(), force_terminal=terminal, width=200)
    read: list[str] = []
    with MatchProgress(console, blocks, stop) as told:

        def on_block(journal: Any, block: Any) -> None:
            told(journal, block)
            told._bar.refresh()
            text = console.file.getvalue()  # type: ignore[attr-defined]
            read.append(text[len("".join(read)) :])

        run_match(MATCH, blocks, folder, 1, on_block, stop=stop)
    return read


@pytest.mark.usefixtures("_clock")
def test_elsewhere_than_on_a_terminal_a_line_comes_now_and_then(tmp_path: Path) -> None:
    """Blocks end after 4, 8, 12, ... seconds: the third is the first of which a line is due, the last always."""
    said = shown(tmp_path, 7)
    assert [i for i, text in enumerate(said) if text] == [2, 5, 6]
    assert said[2] == "blocks 3/7, 0.5 games/s, about 16 s left\n"
    assert said[6] == "blocks 7/7, 0.5 games/s, about 0 s left\n"
    assert shown(tmp_path, 10)[2] == "blocks 10/10, 0.5 games/s, about 0 s left\n"


@pytest.mark.usefixtures("_clock")
def test_it_says_who_leads(tmp_path: Path) -> None:
    plain = shown(tmp_path / "plain", 3, Sequential(Sprt(), False))[2]
    assert " at all times, about 0 s left" in plain and plain.startswith("blocks 3/3, 0.5 games/s, score 0.")
    tested = shown(tmp_path / "tested", 3, Sequential(Sprt(elo1=50.0), False))[2]
    assert " at all times, LLR " in tested and "in [-2.94, 2.94]" in tested


@pytest.mark.usefixtures("_clock")
def test_a_terminal_has_a_bar_that_moves(tmp_path: Path) -> None:
    said = shown(tmp_path, 4, Sequential(Sprt(), False), terminal=True)
    for number, text in enumerate(said, 1):
        assert f"{number}/4" in text and "games/s" in text and "━" in text and "at all times" in text
