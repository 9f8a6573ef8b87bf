"""Shards: files of episodes, compressed NumPy archives without pickle.

The arrays of all episodes stand one after another, with the lengths of each beside them; `manifest` holds JSON: the
format, the game's identity, the weights that played, and the counts. An archive carries a CRC for each array, so a
truncated or damaged shard is noticed, and a shard of another game is refused by its identity. A game of moo_board
(156 actions, 100 decisions, a quarter of them with a target) takes about 0.6 kB.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from engines import files
from engines.errors import FileError
from orion_ai.identity import GameIdentity
from orion_ai.replay.episode import Episode

__all__ = ["FORMAT", "Shard", "decode_shard", "encode_shard", "read_shard", "write_shard"]

FORMAT = 1
"""Raised when the arrays of a shard change."""

_JOINED = ("actions", "at", "seats", "full", "values", "ids", "shares")
_TYPES = {
    "number": np.int64,
    "actions": np.int32,
    "at": np.int32,
    "seats": np.int8,
    "full": np.bool_,
    "values": np.float32,
    "ids": np.int16,
    "shares": np.float32,
    "targets": np.int32,
    "returns": np.float32,
    "scores": np.int32,
}
_UNREADABLE = (
    *(ValueError, KeyError, EOFError, TypeError, IndexError, AttributeError),
    *(zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError),
)
"""What NumPy and zipfile raise over files that are no archives, or damaged ones (a flipped bit may say "encrypted")."""


@dataclass(frozen=True)
class Shard:
    """The episodes of one file, and which weights (by content name) played them."""

    episodes: list[Episode]
    weights: str

    @property
    def samples(self) -> int:
        """How many decisions can be trained on."""
        return sum(e.samples for e in self.episodes)


def write_shard(path: Path, shard: Shard, identity: GameIdentity) -> None:
    """Write a shard, all or nothing; the same episodes give the same bytes."""
    files.write(path, lambda file: file.write(encode_shard(shard, identity)))


def encode_shard(shard: Shard, identity: GameIdentity) -> bytes:
    """The content of a shard's file."""
    episodes = shard.episodes
    arrays: dict[str, NDArray[Any]] = {name: np.concatenate([getattr(e, name) for e in episodes]) for name in _JOINED}
    arrays["number"] = np.array([e.number for e in episodes], np.int64)
    arrays["steps"] = np.array([len(e.actions) for e in episodes], np.int64)
    arrays["samples"] = np.array([e.samples for e in episodes], np.int64)
    arrays["targets"] = np.concatenate([np.diff(e.first) for e in episodes])
    arrays["returns"] = np.stack([e.returns for e in episodes])
    arrays["scores"] = np.stack([e.scores for e in episodes])
    manifest = {
        "format": FORMAT,
        "identity": identity.as_json(),
        "weights": shard.weights,
        "episodes": len(episodes),
        "samples": shard.samples,
    }
    arrays["manifest"] = np.frombuffer(json.dumps(manifest, sort_keys=True).encode(), np.uint8)
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return file.getvalue()


def read_shard(path: Path, identity: GameIdentity) -> Shard:
    """Read a shard that was written for this very game.

    Raises:
        FileError: the file is missing, truncated, damaged, no shard, of another format or of another game.
    """
    try:
        with path.open("rb") as file:
            return _read(file, identity, f"shard {str(path)!r}")
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"cannot read shard {str(path)!r}: {error.strerror or error}") from None


def decode_shard(content: bytes, identity: GameIdentity, source: str) -> Shard:
    """Inverse of `encode_shard`; `source` says in messages where the bytes are from.

    Raises:
        FileError: see `read_shard`.
    """
    return _read(io.BytesIO(content), identity, source)


def _read(file: BinaryIO, identity: GameIdentity, source: str) -> Shard:
    try:
        with np.load(file, allow_pickle=False) as archive:
            manifest = json.loads(bytes(archive["manifest"]))
            if manifest["format"] != FORMAT:
                raise FileError(f"{source} has format {manifest['format']}; this version reads {FORMAT}")
            identity.check(manifest["identity"], source)
            arrays = {name: archive[name] for name in archive.files}
        return Shard(_split(arrays), str(manifest["weights"]))
    except FileError:
        raise
    except _UNREADABLE as error:
        raise FileError(f"{source} is damaged or no shard: {error}") from None


def _split(arrays: dict[str, NDArray[Any]]) -> list[Episode]:
    """The episodes of the arrays of a file."""
    for name, dtype in _TYPES.items():
        if arrays[name].dtype != dtype:
            raise ValueError(f"array {name!r} has dtype {arrays[name].dtype}, expected {np.dtype(dtype)}")
    steps, samples = _ends(arrays["steps"]), _ends(arrays["samples"])
    targets = _ends(arrays["targets"])
    for name, end in (("actions", steps[-1]), ("at", samples[-1]), ("targets", samples[-1]), ("ids", targets[-1])):
        if len(arrays[name]) != end:
            raise ValueError(f"array {name!r} has {len(arrays[name])} entries, expected {end}")
    episodes = []
    for i, number in enumerate(arrays["number"]):
        rows = slice(samples[i], samples[i + 1])
        first = targets[samples[i] : samples[i + 1] + 1]
        some = slice(first[0], first[-1])
        episodes.append(
            Episode(
                int(number),
                arrays["actions"][steps[i] : steps[i + 1]],
                arrays["at"][rows],
                arrays["seats"][rows],
                arrays["full"][rows],
                arrays["values"][rows],
                (first - first[0]).astype(np.int32),
                arrays["ids"][some],
                arrays["shares"][some],
                arrays["returns"][i],
                arrays["scores"][i],
            )
        )
    return episodes


def _ends(lengths: NDArray[Any]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
