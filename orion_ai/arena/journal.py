"""The match on disk: a line of JSON a finished block, so that an interrupted match goes on where it stopped.

`blocks.jsonl` starts with a line that names the match (format, game, agents, seed, ...); each further line is a block
with its games, and what happened in them (`orion_ai.arena.games`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engines.errors import FileError, quoted
from orion_ai.arena.match import Block
from orion_ai.lines import Kind, LineFile

__all__ = ["KIND", "MATCH_FILE", "Journal"]

MATCH_FILE = "blocks.jsonl"
"""Its name in the folder of a match."""
KIND = Kind("orion arena", 1, "match")


class Journal(LineFile):
    """Appends blocks to a match's file; opened with the identity of the match that is to be played.

    Attributes:
        blocks: the finished blocks that the file held when it was opened.
    """

    def __init__(
        self,
        path: Path,
        identity: Mapping[str, Any],
        defaults: Mapping[str, Any],
        places: Callable[[int, Sequence[Block]], Sequence[tuple[int, ...]]],
    ) -> None:
        """Open or create the file.

        Args:
            path: the file.
            identity: what the match is, as plain data.
            defaults: of what `identity` holds: those of a file that was written before a setting existed.
            places: who sits where in the games of a block, from its number and the blocks before it in the file
                (see `Schedule.places`).

        Raises:
            FileError: the file is no match file, is damaged, in use, or belongs to another match; says where and how.
        """
        self.blocks: list[Block] = []
        self._places, self._agents = places, len(identity["agents"])
        super().__init__(path, KIND, identity, defaults)
        try:
            self._take_blocks(self.lines)
        except BaseException:
            self.close()
            raise
        self.lines = []

    def __enter__(self) -> Journal:
        return self

    def add(self, block: Block, *, history: bool = False) -> None:
        """Append a finished block, with or without the histories of its games, and wait until it is on the disk."""
        self.append(block.as_data(history=history))
        self.blocks.append(_light(block))

    def _take_blocks(self, lines: Sequence[bytes]) -> None:
        known: set[int] = set()
        for number, line in enumerate(lines, 2):
            try:
                block = Block.from_data(json.loads(line))
                if type(block.number) is not int or block.number < 0:
                    raise ValueError(f"block {block.number!r}: expected a number from 0 on")
                _check(block, self._places(block.number, self.blocks), self._agents)
                if block.number in known:
                    raise ValueError(f"block {block.number} stands there twice")
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                raise FileError(
                    f"{str(self.path)!r}, line {number} is damaged ({type(error).__name__}: {error}): expected a block "
                    "of this match; remove that line to play the block again"
                ) from None
            known.add(block.number)
            self.blocks.append(_light(block))


def _light(block: Block) -> Block:
    """The block without histories: they are kept in the file, not in memory, since a match may be long."""
    for game in block.games:
        game.history = []
    return block


def _check(block: Block, places: Sequence[tuple[int, ...]], agents: int) -> None:
    """ValueError where a block cannot have come out of the match with these seatings."""
    if [g.seats for g in block.games] != list(places):
        raise ValueError("its games are not in the seatings of this match")
    for g in block.games:
        for name, count in (
            ("returns", len(g.seats)),
            ("scores", len(g.seats)),
            ("decisions", agents),
            ("seconds", agents),
        ):
            numbers = getattr(g, name)
            if not isinstance(numbers, list) or len(numbers) != count or not all(map(_is_number, numbers)):
                raise ValueError(f"{name} are {quoted(numbers)}: expected {count} numbers")
        by_seat: dict[str, Any] = {"luck": g.luck, **g.traits}
        for name, numbers in by_seat.items():
            if numbers and (len(numbers) != len(g.seats) or not all(map(_is_number, numbers))):
                raise ValueError(f"{name} are {quoted(numbers)}: expected {len(g.seats)} numbers")
        if not isinstance(g.history, list) or not all(type(step) is int for step in g.history):
            raise ValueError(f"history is {quoted(g.history)}: expected the steps of the game, by id")
        if g.fault is not None and not 0 <= g.fault[0] < len(g.seats):
            raise ValueError(f"fault is {quoted(g.fault)}: expected a seat and a text")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
