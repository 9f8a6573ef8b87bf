"""What is explained: one decision, as the seat that makes it knows it.

A recorded game spells out everything. It is reduced here to what the seat knows: its view of the position, the log as
it saw it, what it played. What others held goes no further, unless it was asked for (`reveal`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import engines
from engines.contract import Game
from engines.errors import ContentError, FileError, UsageError
from engines.files import read_text
from engines.replay import Replay
from engines.state import State
from orion_ai.play.recorded import Recorded, read_recorded

__all__ = ["Subject", "read_subject"]

LAST = -1
"""As `ply`: the last decision of the game."""


@dataclass(frozen=True)
class Subject:
    """One decision.

    Attributes:
        source: name of the file.
        game: the game.
        state: the position, made from the view of the seat to move: what it does not know is not in there.
        ply: steps before it; None for a view.
        log: what the seat saw happen, a line an event; empty for a view.
        played: the action that the seat chose in the game; None for a view, or at the end of an unfinished game.
        replay: the game, for the values of other decisions; None for a view.
        truth: the true position, where it is to be revealed.
    """

    source: str
    game: Game
    state: State
    ply: int | None = None
    log: tuple[str, ...] = ()
    played: int | None = None
    replay: Replay | None = None
    truth: State | None = None

    @property
    def seat(self) -> int:
        """Whose decision it is."""
        return self.state.to_play


def read_subject(
    path: Path,
    ply: int = LAST,
    *,
    block: int = 0,
    place: int = 0,
    content: str = "",
    options: Mapping[str, Any] | None = None,
    reveal: bool = False,
) -> Subject:
    """The decision after `ply` steps of a game that was kept, or that of a view.

    Args:
        path: a recorded game, a match, a saved game, or a view (docs/formats.md).
        ply: steps before the decision, of a game; -1: its last decision (of a saved game the person's last one).
        block: of a match: the number of the block.
        place: of a match: the place of the game in the block.
        content: file of the content that the game was played with, if not its own.
        options: options of the game that a view is of (a recorded game names them itself).
        reveal: keep the true position of a recorded game.

    Raises:
        FileError: no such file, or neither a game nor a view.
        UsageError: no seat decides there, or one whose secrets a saved game still keeps; or a setting that acts on
            another kind of file.
    """
    view = None if path.is_dir() else _as_view(path)
    if view is not None:
        if block or place:
            raise UsageError(f"block={block} place={place}: a view is one position; only a match has blocks")
        return _of_view(path, view, ply, content, dict(options or {}), reveal)
    if options:
        raise UsageError("options: a recorded game names its own; expected none")
    return _of_game(read_recorded(path, block, place, content), ply, reveal)


def _as_view(path: Path) -> dict[str, Any] | None:
    """The object of a file that holds one, if it is neither a recorded game of one line nor a saved game."""
    text = read_text(path)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or ({"format", "kind"} & {*data} and "state" not in data):
        return None
    if "state" not in data:
        raise FileError(f"{path}: neither a recorded game nor a view: it has no 'state'")
    return data


def _of_view(
    path: Path, view: dict[str, Any], ply: int, content: str, options: dict[str, Any], reveal: bool
) -> Subject:
    if ply != LAST:
        raise UsageError(f"ply is {ply}: a view is one position; only a recorded game has steps to choose from")
    if reveal:
        raise UsageError("reveal: a view holds nothing that its seat does not know; it needs a recorded game")
    if not isinstance(view.get("game"), str):
        raise FileError(f"{path}: a view without 'game': expected the name of one")
    if "players" in view:
        options.setdefault("players", view["players"])
    try:
        game = engines.load(view["game"], content=Path(content) if content else None, **options)
        state = game.from_view(view)
    except ContentError:
        raise
    except UsageError as error:
        raise FileError(f"{path}: {error}") from None
    seat = state.viewer
    if state.to_play != seat:
        raise UsageError(f"{path}: a view of {_who(seat)}, but {_mover(state)}: a search needs the view of who decides")
    return Subject(path.name, game, state)


def _of_game(found: Recorded, ply: int, reveal: bool) -> Subject:
    replay, movers = found.replay, _movers(found.replay)
    decisions = [n for n, mover in enumerate(movers) if mover >= 0]
    if not decisions:
        raise UsageError(f"{found.source}: nobody decides anything in this game of {len(replay.actions)} steps")
    if found.person is not None and not reveal:
        decisions = [n for n in decisions if movers[n] == found.person]
        if not decisions:
            raise UsageError(f"{found.source}: its person, seat {found.person}, has not decided anything yet")
    ply = decisions[-1] if ply == LAST else ply
    truth = replay.state_at(ply)
    if ply not in decisions:
        near = sorted(sorted(decisions, key=lambda n: abs(n - ply))[:2])
        nearest = " and ".join(f"ply={n}" for n in near)
        if movers[ply] >= 0:
            raise UsageError(
                f"ply is {ply}: {_mover(truth)} there, and the saved game is not over: expected a decision of its "
                f"person, seat {found.person}; the nearest are {nearest} (reveal=true shows all)"
            )
        raise UsageError(f"ply is {ply}: {_mover(truth)} there; the nearest decisions are {nearest}")
    seat, game = truth.to_play, replay.game
    state, log = game.start(), []
    for action in replay.actions[:ply]:
        log.append(game.describe(state, action, seat))
        state.apply(action)
    return Subject(
        source=found.source,
        game=game,
        state=game.from_view(truth.view(seat)),
        ply=ply,
        log=tuple(line for line in log if line),
        played=replay.actions[ply] if ply < len(replay.actions) else None,
        replay=replay,
        truth=truth if reveal else None,
    )


def _movers(replay: Replay) -> list[int]:
    """`to_play` before each step, and at the end."""
    state, movers = replay.game.start(), []
    for action in replay.actions:
        movers.append(state.to_play)
        state.apply(action)
    return [*movers, state.to_play]


def _who(seat: int | None) -> str:
    return "a spectator" if seat is None or seat < 0 else f"seat {seat}"


def _mover(state: State) -> str:
    if state.is_over:
        return "the game is over"
    return "chance moves" if state.is_chance else f"seat {state.to_play} decides"
