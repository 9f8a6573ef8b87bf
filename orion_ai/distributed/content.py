"""A content file of one's own, on its way to processes that need not find it at its path: its bytes travel in the
settings of the game, and each machine keeps them under a name made from them, beside the kernels compiled from them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engines import files
from engines.errors import FileError
from engines.kernel import cache_root

__all__ = ["carried", "settled"]


def carried(game: Mapping[str, Any]) -> Mapping[str, Any]:
    """Settings of a game, for sending: `content` is no path but {"text": what the file holds}; it may be so already.

    Raises:
        FileError: the content file cannot be read.
    """
    path = game.get("content")
    if path is None or isinstance(path, Mapping):
        return game
    try:
        # Undecodable bytes travel too: it is the game that says what is wrong with a file.
        text = Path(path).read_bytes().decode(errors="surrogateescape")
    except OSError as error:
        raise FileError(f"content file {str(path)!r} cannot be read: {error.strerror or error}") from None
    return {**game, "content": {"text": text}}


def settled(game: Mapping[str, Any]) -> Mapping[str, Any]:
    """Inverse of `carried`, on this machine: `content` is the path of a file that holds the same bytes.

    Raises:
        FileError: it can be written nowhere.
    """
    content = game.get("content")
    if not isinstance(content, Mapping):
        return game
    data = str(content["text"]).encode(errors="surrogateescape")
    name = f"{files.content_name(data)}.yaml"
    path = cache_root() / "content" / name
    try:
        _keep(path, data)
    except FileError:  # a home that cannot be written
        path = Path(tempfile.mkdtemp(prefix="orion-")) / name  # of this process alone: nobody else can change it
        _keep(path, data)
    return {**game, "content": str(path)}


def _keep(path: Path, data: bytes) -> None:
    """Have a file hold these bytes, whatever became of it since it was last written."""
    if not path.is_file() or path.read_bytes() != data:
        files.write(path, lambda file: file.write(data))
