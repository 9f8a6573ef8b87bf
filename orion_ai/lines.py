"""A file of JSON lines that grows: a header that says what it is, then a line an event, each on the disk at once.

Lines are appended and synced one by one: after a crash at most the last one is cut short, and is dropped on opening.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from engines.errors import FileError
from orion_ai.settings import differences, filled

__all__ = ["Kind", "LineFile", "read_header", "whole_lines"]


@dataclass(frozen=True)
class Kind:
    """What a file of lines is.

    Attributes:
        name: stands in the header ("orion arena").
        format: number of its layout, as well.
        what: what it holds, for messages: "match".
    """

    name: str
    format: int
    what: str


class LineFile:
    """Appends to a file that belongs to one thing, named by its header; held by one process at a time.

    Attributes:
        path: the file.
        lines: what it held, below the header, when it was opened.
    """

    def __init__(self, path: Path, kind: Kind, identity: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
        """Open or create the file.

        Args:
            path: the file.
            kind: what it is.
            identity: whose it is, as plain data: the header.
            defaults: of what `identity` holds: those of a file that was written before a setting existed.

        Raises:
            FileError: the file is of another kind, damaged, in use, or belongs to something else; says where and how.
        """
        self.path, self._kind = path, kind
        self.lines: list[bytes] = []
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: BinaryIO = path.open("ab")
            self._take_over({"kind": kind.name, "format": kind.format, **identity}, defaults)
        except OSError as error:
            raise FileError(f"cannot write {str(path)!r}: {error.strerror or error}") from None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let the file go; of a full disk `append` has told, and what it could not write is still here."""
        with contextlib.suppress(OSError):
            self._file.close()

    def append(self, data: Mapping[str, Any]) -> None:
        """Append a line and wait until it is on the disk.

        Raises:
            FileError: the disk is full or refuses.
        """
        try:
            self._file.write(json.dumps(data, separators=(",", ":")).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise FileError(f"cannot write {str(self.path)!r}: {error.strerror or error}") from None

    def _take_over(self, header: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
        """Lock the file, then read what it holds (nobody else appends any more), and drop a line that was cut short."""
        try:
            self._lock()
            lines, whole = whole_lines(self.path, self._kind)
            if whole:
                found = read_header(lines[0], self.path, self._kind)
                self._refuse_other(filled(found, defaults), json.loads(json.dumps(header)))
                self.lines = lines[1:]
            self._file.truncate(whole)
            if not whole:
                self.append(header)
        except BaseException:
            self._file.close()
            raise

    def _lock(self) -> None:
        """Two processes must not write one file; the lock goes with the process, however it ends."""
        try:
            import fcntl
        except ImportError:  # not a POSIX system
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            what = self._kind.what
            raise FileError(f"{str(self.path)!r} is in use: another {self._kind.name} plays this {what}") from None

    def _refuse_other(self, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
        for key, how in differences(found, wanted).items():
            raise FileError(
                f"{str(self.path)!r} belongs to another {self._kind.what}: {key} {how}. "
                "Choose another output folder, or remove the file"
            )


def whole_lines(path: Path, kind: Kind) -> tuple[list[bytes], int]:
    """The whole lines of a file, and how many bytes they are.

    Raises:
        FileError: it is no file of this kind, nor the beginning of one.
        OSError: it cannot be read.
    """
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    lines = content[:whole].splitlines()
    begun = json.dumps({"kind": kind.name}, separators=(",", ":")).encode()[:-1]
    if not lines and content and not begun.startswith(content[: len(begun)]):
        raise _foreign(path, kind)
    return lines, whole


def read_header(line: bytes, path: Path, kind: Kind) -> dict[str, Any]:
    """The header of a file, from its first line.

    Raises:
        FileError: it is of another kind or format.
    """
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        raise _foreign(path, kind) from None
    if not isinstance(header, dict) or header.get("kind") != kind.name:
        raise _foreign(path, kind)
    if header.get("format") != kind.format:
        raise FileError(f"{str(path)!r} has format {header.get('format')!r}; this version of Orion reads {kind.format}")
    return header


def _foreign(path: Path, kind: Kind) -> FileError:
    return FileError(f"{str(path)!r} is not a {kind.what} file: expected a first line with kind {kind.name!r}")
