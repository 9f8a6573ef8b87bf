"""A game that was kept, whatever keeps it: a recorded game, a match of the arena, a game put aside in `orion play`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from engines.errors import FileError, IllegalAction, UsageError
from engines.files import read_text
from engines.replay import Replay
from orion_ai.arena import journal
from orion_ai.arena.games import game_of_match
from orion_ai.identity import load_game
from orion_ai.play import savefile

__all__ = ["Recorded", "read_recorded"]


@dataclass(frozen=True)
class Recorded:
    """A game out of a file.

    Attributes:
        source: name of the file, with block and place where it holds a match.
        replay: the game.
        person: the seat of the person who put the game aside, while it is not over: others hold secrets in it still.
    """

    source: str
    replay: Replay
    person: int | None = None


def read_recorded(path: Path, block: int = 0, place: int = 0, content: str = "") -> Recorded:
    """The game in a file, played through by the rules.

    Args:
        path: a recorded game; a match file of the arena, or its folder; a saved game (docs/formats.md).
        block: of a match: the number of the block.
        place: of a match: the place of the game in the block.
        content: file of the content that the game was played with, if not its own.

    Raises:
        FileError: no such file, or one that is damaged, of another kind, or of another version of the game.
        UsageError: a block or place that is not there, or a setting that acts on another kind of file.
    """
    if path.is_dir():
        path = path / journal.MATCH_FILE
        if not path.is_file():
            raise FileError(f"{str(path.parent)!r} is the folder of no match: it holds no {journal.MATCH_FILE}")
    kind = _kind(path)
    if kind == journal.KIND.name:
        replay = game_of_match(path, block, place, Path(content) if content else None)
        return Recorded(f"{path.parent.name or path.name} block {block} game {place}", replay)
    if block or place:
        raise UsageError(f"block={block} place={place}: {path} is one game; only a match has blocks to choose from")
    if kind == savefile.KIND:
        if content:
            raise UsageError("content: a saved game names its own; expected none")
        return _saved(path)
    return Recorded(path.name, Replay.read(path, content=Path(content) if content else None))


def _kind(path: Path) -> object:
    """The `kind` that a file's first line, or the whole of it, names."""
    text = read_text(path)
    for part in (text.partition("\n")[0], text):
        try:
            data = json.loads(part)
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict):
            return data.get("kind")
    return None


def _saved(path: Path) -> Recorded:
    saved = savefile.SavedGame.read(path)
    game = load_game(saved.game)
    steps = saved.past(game, path)
    state = game.start()
    for number, step in enumerate(steps, 1):
        try:
            state.apply(step)
        except IllegalAction as error:
            raise FileError(f"{str(path)!r}, step {number}: {error}") from None
    if not 0 <= saved.seat < game.players:
        raise FileError(f"{str(path)!r} is damaged: seat {saved.seat} in a game of {game.players} seats")
    return Recorded(path.name, Replay(game, tuple(steps)), None if state.is_over else saved.seat)
