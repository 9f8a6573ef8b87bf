"""The match on disk: a line of JSON a finished block, so that an interrupted match goes on where it stopped.

`blocks.jsonl` starts with a line that names the match (format, game, agents, seed, ...); each further line is a block.
Lines are appended and synced one by one: after a crash at most the last line is cut short, and is dropped on opening.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from engines.errors import FileError, quoted
from orion_ai.arena.match import Block
from orion_ai.settings import differences, filled

__all__ = ["Journal"]

FORMAT = 1
KIND = "orion arena"


class Journal:
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
        self.path = path
        self.blocks: list[Block] = []
        self._places, self._agents = places, len(identity["agents"])
        header = {"kind": KIND, "format": FORMAT, **identity}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: BinaryIO = path.open("ab")
            self._take_over(header, defaults)
        except OSError as error:
            raise FileError(f"cannot write {str(path)!r}: {error.strerror or error}") from None

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        with contextlib.suppress(OSError):  # of a full disk `_append` has told: what it could not write is still here
            self._file.close()

    def _take_over(self, header: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
        """Lock the file, then read what it holds (nobody else appends any more), and drop a line that was cut short."""
        try:
            self._lock()
            lines, whole = self._read()
            if whole:
                found = self._header(lines[0])
                self._refuse_other(filled(found, defaults), json.loads(json.dumps(header)))
                self._take_blocks(lines[1:])
            self._file.truncate(whole)
            if not whole:
                self._append(header)
        except BaseException:
            self._file.close()
            raise

    def add(self, block: Block) -> None:
        """Append a finished block and wait until it is on the disk; histories are not kept here."""
        self._append(block.as_data(history=False))
        self.blocks.append(block)

    def _lock(self) -> None:
        """Two matches must not write one file; the lock goes with the process, however it ends."""
        try:
            import fcntl
        except ImportError:  # not a POSIX system
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FileError(f"{str(self.path)!r} is in use: another arena is playing this match") from None

    def _append(self, data: Mapping[str, Any]) -> None:
        try:
            self._file.write(json.dumps(data, separators=(",", ":")).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise FileError(f"cannot write {str(self.path)!r}: {error.strerror or error}") from None

    def _read(self) -> tuple[list[bytes], int]:
        """The whole lines of the file, and how many bytes they are."""
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        lines = content[:whole].splitlines()
        begun = json.dumps({"kind": KIND}, separators=(",", ":")).encode()[:-1]
        if not lines and content and not begun.startswith(content[: len(begun)]):
            raise self._foreign()
        return lines, whole

    def _foreign(self) -> FileError:
        return FileError(f"{str(self.path)!r} is not a match file: expected a first line with kind {KIND!r}")

    def _header(self, line: bytes) -> dict[str, Any]:
        try:
            header = json.loads(line)
        except (ValueError, RecursionError):
            raise self._foreign() from None
        if not isinstance(header, dict) or header.get("kind") != KIND:
            raise self._foreign()
        if header.get("format") != FORMAT:
            raise FileError(
                f"{str(self.path)!r} has format {header.get('format')!r}; this version of Orion reads {FORMAT}"
            )
        return header

    def _refuse_other(self, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
        for key, how in differences(found, wanted).items():
            raise FileError(
                f"{str(self.path)!r} belongs to another match: {key} {how}. "
                "Choose another output folder, or remove the file"
            )

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
            self.blocks.append(block)


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
        if g.fault is not None and not 0 <= g.fault[0] < len(g.seats):
            raise ValueError(f"fault is {quoted(g.fault)}: expected a seat and a text")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
