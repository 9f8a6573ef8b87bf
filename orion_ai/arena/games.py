"""The games of a match, step by step, out of its file: what `orion replay` and `orion explain` read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import engines
from engines.contract import Game
from engines.errors import ContentError, FileError, IllegalAction, UsageError
from engines.replay import Replay
from orion_ai.arena.journal import KIND
from orion_ai.arena.match import Block
from orion_ai.identity import identity_of
from orion_ai.lines import read_header, whole_lines

__all__ = ["game_of_match"]


def game_of_match(path: Path, block: int, place: int, content: Path | None = None) -> Replay:
    """One game of a match.

    Args:
        path: the match file.
        block: number of the block.
        place: place of the game in the block, from 0.
        content: the content file of the game, if it is not the game's own.

    Raises:
        FileError: no match file, or of a game that is not here; a block that is damaged or breaks the rules.
        UsageError: no such block or game in it, or its steps were not kept; says what there is.
    """
    try:
        lines, _ = whole_lines(path, KIND)
    except OSError as error:
        raise FileError(f"cannot read match file {str(path)!r}: {error.strerror or error}") from None
    if not lines:
        raise FileError(f"{str(path)!r} is empty: no block of this match is finished")
    game = _load(path, read_header(lines[0], path, KIND).get("game"), content)
    found = _block(path, lines[1:], block)
    if not 0 <= place < len(found.games):
        raise UsageError(f"place is {place}: block {block} has games 0 to {len(found.games) - 1}")
    history = found.games[place].history
    if not history:
        raise UsageError(
            f"{str(path)!r} holds no steps of block {block}: the match was played with replays=false, "
            "or the block lies beyond replay_blocks"
        )
    return _played_through(path, game, block, history)


def _load(path: Path, identity: Any, content: Path | None) -> Game:
    """The game that a match is of."""
    try:
        options = {key: value for key, value in identity["options"].items() if key not in ("name", "content")}
        game = engines.load(str(identity["game"]), content=content, **options)
    except ContentError:
        raise
    except (KeyError, TypeError, AttributeError):
        raise FileError(f"{str(path)!r}, line 1: expected 'game' with 'game' (a name) and 'options'") from None
    except UsageError as error:
        raise FileError(f"{str(path)!r}, line 1: {error}") from None
    identity_of(game).check(identity, f"match file {str(path)!r}")
    return game


def _block(path: Path, lines: list[bytes], wanted: int) -> Block:
    numbers = []
    for number, line in enumerate(lines, 2):
        try:
            data = json.loads(line)
            numbers.append(int(data["block"]))
            if numbers[-1] == wanted:
                return Block.from_data(data)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise FileError(
                f"{str(path)!r}, line {number} is damaged ({type(error).__name__}: {error}): expected a block"
            ) from None
    there = f"the nearest is block={min(numbers, key=lambda n: abs(n - wanted))}" if numbers else "there is none yet"
    raise UsageError(f"{str(path)!r} has no block {wanted}: {there}")


def _played_through(path: Path, game: Game, block: int, history: list[int]) -> Replay:
    """The steps as a recorded game, if the rules allow them."""
    state = game.start()
    for number, step in enumerate(history, 1):
        try:
            state.apply(step)
        except (IllegalAction, OverflowError) as error:
            raise FileError(f"{str(path)!r}, block {block}, step {number}: {error}") from None
    return Replay(game, tuple(history))
