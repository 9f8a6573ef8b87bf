"""The match on disk: a line of JSON a finished block, so that an interrupted match goes on where it stopped.

`blocks.jsonl` starts with a line that names the match (format, game, agents, seed, ...); each further line is a block.
Lines are appended and synced one by one: after a crash at most the last line is cut short, and is dropped on opening.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from engines.errors import FileError
from orion_ai.arena.match import Block

__all__ = ["Journal", "read_blocks"]

FORMAT = 1
KIND = "orion arena"


class Journal:
    """Appends blocks to a match's file; opened with the identity of the match that is to be played.

    Attributes:
        blocks: the finished blocks that the file held when it was opened.
    """

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        """Open or create the file.

        Raises:
            FileError: the file is no match file, is damaged, in use, or belongs to another match; says where and how.
        """
        self.path = path
        self.blocks: list[Block] = []
        header = {"kind": KIND, "format": FORMAT, **identity}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: BinaryIO = path.open("ab")
            self._take_over(header)
        except OSError as error:
            raise FileError(f"cannot write {str(path)!r}: {error.strerror or error}") from None

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._file.close()

    def _take_over(self, header: Mapping[str, Any]) -> None:
        """Lock the file, then read what it holds (nobody else appends any more), and drop a line that was cut short."""
        try:
            self._lock()
            found, self.blocks, whole = read_blocks(self.path)
            if whole:
                _same_match(self.path, found, json.loads(json.dumps(header)))
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


def read_blocks(path: Path) -> tuple[dict[str, Any], list[Block], int]:
    """The header of a match file, its blocks, and how many bytes of it are whole lines.

    Raises:
        FileError: it cannot be read, or a line is no block of a match.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {str(path)!r}: {error.strerror or error}") from None
    whole = content.rfind(b"\n") + 1
    lines = content[:whole].splitlines()
    if not lines:
        if not content or json.dumps({"kind": KIND}, separators=(",", ":")).encode()[:-1].startswith(content[:20]):
            return {}, [], 0
        raise FileError(f"{str(path)!r} is not a match file: expected a first line with kind {KIND!r}")
    header = _header(path, lines[0])
    return header, [_block(path, number, line) for number, line in enumerate(lines[1:], 2)], whole


def _header(path: Path, line: bytes) -> dict[str, Any]:
    try:
        header = json.loads(line)
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("kind") != KIND:
        raise FileError(f"{str(path)!r} is not a match file: expected a first line with kind {KIND!r}")
    if header.get("format") != FORMAT:
        raise FileError(f"{str(path)!r} has format {header.get('format')!r}; this version of Orion reads {FORMAT}")
    return header


def _block(path: Path, number: int, line: bytes) -> Block:
    try:
        block = Block.from_data(json.loads(line))
        if len({len(part) for g in block.games for part in (g.seats, g.returns, g.scores)}) != 1:
            raise ValueError("games of unequal numbers of seats")
        return block
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise FileError(
            f"{str(path)!r}, line {number} is damaged ({type(error).__name__}: {error}): expected a block of a match; "
            "remove that line to play the block again"
        ) from None


def _same_match(path: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    for key in [*wanted, *found]:
        if found.get(key) != wanted.get(key):
            raise FileError(
                f"{str(path)!r} belongs to another match: {key} is {_short(found.get(key))} there, "
                f"{_short(wanted.get(key))} here. Choose another output folder, or remove the file"
            )


def _short(value: Any, limit: int = 120) -> str:
    text = json.dumps(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."
