"""Files that are whole or absent: everything a run leaves on disk is written beside its place and then moved there."""

from __future__ import annotations

import contextlib
import difflib
import errno
import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from engines.errors import FileError

__all__ = [
    "content_name",
    "discard",
    "golden_folder",
    "read_json",
    "read_text",
    "refuse_unwritable",
    "write",
    "write_json",
    "write_text",
]


def write(path: Path, save: Callable[[BinaryIO], object]) -> None:
    """Let `save` write a file at `path`, all or nothing: a reader sees the old file or the whole new one.

    Raises:
        FileError: the disk is full, read-only or denies us; nothing half-written stays behind.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("wb") as file:
            save(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)  # noqa: PTH105
    except OSError as error:
        raise FileError(f"cannot write {str(path)!r}: {error.strerror or error}") from None
    finally:
        # After a success there is nothing to remove; after a failure (Ctrl-C included) the fragment goes.
        discard(beside)


def refuse_unwritable(*paths: Path) -> None:
    """Refuse files that could not be written, before the long work begins whose outcome goes there.

    Nothing is left behind: folders that are missing are made when there is something to be written.

    Raises:
        FileError: as `write` would say it.
    """
    for path in paths:
        try:
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            there = path.parent
            while not there.exists():
                there = there.parent
            with tempfile.TemporaryFile(dir=there):
                pass
        except OSError as error:
            raise FileError(f"cannot write {str(path)!r}: {error.strerror or error}") from None


def discard(path: Path) -> None:
    """Remove a file that is of no use any more, if that can be done."""
    with contextlib.suppress(OSError):
        path.unlink()


def write_text(path: Path, text: str) -> None:
    """Write a text file (UTF-8), all or nothing; see `write`."""
    write(path, lambda file: file.write(text.encode()))


def write_json(path: Path, data: Any) -> None:
    """Write plain data as indented JSON, all or nothing; see `write`."""
    write_text(path, json.dumps(data, indent=1) + "\n")


def read_json(path: Path, what: str) -> Any:
    """The data of a JSON file.

    Raises:
        FileError: it is missing or no JSON; `what` says in the message what was expected there.
    """
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise FileError(f"cannot read {what} {str(path)!r}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise FileError(f"{str(path)!r} is no {what}: not valid JSON ({error})") from None


def read_text(path: Path) -> str:
    """The text of a file (UTF-8).

    Raises:
        FileError: it does not exist (the nearest name in its folder is told), is a folder, or no text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        names = [there.name for there in path.parent.glob("*")]
        near = difflib.get_close_matches(path.name, names, 1, 0.5)
        hint = f". Did you mean {str(path.with_name(near[0]))!r}?" if near else ""
        raise FileError(f"{path}: does not exist{hint}") from None
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: cannot be read as text: {error}") from None


def golden_folder(path: Path) -> Path:
    """`path`, the folder of golden files, which must be there: only a checkout has its own.

    Raises:
        FileError: it is not.
    """
    if not path.is_dir():
        raise FileError(f"{str(path)!r} is no folder: run this at the top of a checkout, or name one with --folder")
    return path


def content_name(content: bytes) -> str:
    """Twelve hex digits that name a file by what is in it."""
    return hashlib.sha256(content).hexdigest()[:12]
