"""Files that are whole or absent: written beside their place, then moved there."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from engines.errors import FileError

__all__ = ["write_text"]


def write_text(path: Path, text: str) -> None:
    """Write a text file (UTF-8), all or nothing: a reader sees the old file or the whole new one.

    Raises:
        FileError: the disk is full, read-only or denies us; nothing half-written stays behind.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        raise FileError(f"cannot write {str(path)!r}: {error.strerror or error}") from None
    finally:
        # After a success there is nothing to remove; after a failure (Ctrl-C included) the fragment goes.
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
