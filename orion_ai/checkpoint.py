"""Checkpoints: all that a run needs to go on, and a bot needs to play. safetensors and JSON; nothing is ever unpickled.

A checkpoint is a manifest `iteration-000012.json` and the files that it names beside it, each named by a hash of its
content, so a damaged file is noticed and equal weights are stored once:

- the weights that play (the learner's moving average): with the manifest they are a whole bot;
- the learner's state (the weights in training, the optimiser's moments), which only resuming needs.

The manifest is written last: a process killed at any line leaves the checkpoint before it intact.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import engines
from engines import files
from engines.contract import Game
from engines.errors import FileError, UsageError, quoted
from orion_ai.identity import GameIdentity, identity_of
from orion_ai.net.config import NetConfig

if TYPE_CHECKING:  # a manifest is read without torch
    from torch import Tensor

    from orion_ai.net.network import Network

__all__ = ["FORMAT", "Checkpoint", "find", "game_of", "load_network", "prune", "read", "read_tensors", "ship", "write"]

FORMAT = 1
"""Raised when the manifest changes."""

T = TypeVar("T")


@dataclass(frozen=True)
class Checkpoint:
    """A manifest.

    Attributes:
        identity: the game it is for.
        net: the network's sizes.
        weights: file of the weights that play.
        learner: file of the learner's state, if kept.
        counters: how far the run is: iteration, games, samples, steps, seconds.
        streams: what names every random number of the run: seed; streams are counter-based, so the counters say the
            rest.
        config: the resolved configuration of the run.
        notes: anything else worth telling: what evaluated how, the version that wrote it.
    """

    identity: GameIdentity
    net: NetConfig
    weights: str
    learner: str | None
    counters: Mapping[str, float]
    streams: Mapping[str, int]
    config: Mapping[str, Any]
    notes: Mapping[str, Any] = field(default_factory=dict)


def write(
    folder: Path, checkpoint: Checkpoint, weights: Mapping[str, Tensor], learner: Mapping[str, Tensor] | None
) -> Path:
    """Write a checkpoint and return the path of its manifest; the names of its files are filled in.

    Raises:
        FileError: the disk is full or read-only; the checkpoints before are untouched.
    """
    checkpoint = dataclasses.replace(
        checkpoint,
        weights=_write_tensors(folder, weights),
        learner=None if learner is None else _write_tensors(folder, learner),
    )
    data = {"format": FORMAT, **dataclasses.asdict(checkpoint), "identity": checkpoint.identity.as_json()}
    path = folder / f"iteration-{int(checkpoint.counters['iteration']):06d}.json"
    files.write_json(path, data)
    return path


def _write_tensors(folder: Path, tensors: Mapping[str, Tensor]) -> str:
    from orion_ai.net.tensors import to_bytes

    content = to_bytes(tensors)
    name = f"{files.content_name(content)}.safetensors"
    if not (folder / name).exists():
        files.write(folder / name, lambda file: file.write(content))
    return name


def find(path: Path) -> Path:
    """The manifest that `path` means: itself, or the newest one of a run's folder or of a folder of checkpoints.

    Raises:
        FileError: there is none.
    """
    if path.is_file():
        return path
    for folder in (path / "checkpoints", path):
        manifests = sorted(folder.glob("iteration-*.json"))
        if manifests:
            return manifests[-1]
    raise FileError(f"no checkpoint at {str(path)!r}: expected a manifest (.json) or a folder that holds one")


def read(path: Path) -> Checkpoint:
    """The manifest at `path` (see `find`).

    Raises:
        FileError: missing, no checkpoint, or of another format.
    """
    path = find(path)
    data = files.read_json(path, "checkpoint")
    if not isinstance(data, dict) or "identity" not in data or "weights" not in data:
        raise FileError(f"{str(path)!r} is no checkpoint: it has no 'identity' and 'weights'")
    if data.pop("format", None) != FORMAT:
        raise FileError(f"checkpoint {str(path)!r} has another format; this version reads {FORMAT}")
    try:
        data["identity"] = _known(GameIdentity, data["identity"], "identity.")
        data["net"] = _known(NetConfig, data["net"], "net.")
        made = _known(Checkpoint, data, "")
        if not isinstance(made.weights, str) or not isinstance(made.learner, str | None):
            raise TypeError("expected 'weights' and 'learner' to name files")
        for key in ("counters", "streams", "config", "notes"):
            if not isinstance(getattr(made, key), Mapping):
                raise TypeError(f"expected keys below {key!r}")
        return made
    except (TypeError, KeyError, UsageError) as error:
        raise FileError(f"checkpoint {str(path)!r} is malformed or of another version of Orion: {error}") from None


def _known(kind: type[T], given: Any, where: str) -> T:
    """A dataclass from plain data; a key that it does not have is refused by name, one that lacks has its default."""
    if not isinstance(given, Mapping):
        raise TypeError(f"expected keys below {where.removesuffix('.')!r}")
    names = {f.name for f in dataclasses.fields(kind)}  # type: ignore[arg-type]
    for key, value in given.items():
        if key not in names:
            raise TypeError(f"{where}{key} is {quoted(value)} there, and is no setting here")
    return kind(**given)


def read_tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a file that is named by its content.

    Raises:
        FileError: missing, truncated or changed since it was written.
    """
    from orion_ai.net.tensors import from_bytes

    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read weights {str(path)!r}: {error.strerror or error}") from None
    if files.content_name(content) != path.stem:
        raise FileError(f"weights {str(path)!r} are damaged: the content does not match the name")
    try:
        return from_bytes(content)
    except ValueError as error:
        raise FileError(f"weights {str(path)!r} are no safetensors file: {error}") from None


def game_of(path: Path) -> Game:
    """The game that the checkpoint at `path` plays, with its options.

    Raises:
        FileError: the game has changed since.
        UsageError: there is no such game any more.
    """
    wanted = read(path).identity
    game = engines.load(wanted.game, **wanted.options)
    identity_of(game).check(wanted.as_json(), f"checkpoint {str(find(path))!r}")
    return game


def load_network(path: Path, game: Game) -> Network:
    """The network that plays in the checkpoint at `path`, in evaluation mode.

    Raises:
        FileError: the checkpoint is for another game, version or options (the text says which; those that the game
            calls `free` may differ), or damaged.
    """
    from orion_ai.net.network import NetSpec, Network

    path = find(path)
    checkpoint = read(path)
    identity_of(game).check(checkpoint.identity.as_json(), f"checkpoint {str(path)!r}", network=True)
    network = Network(NetSpec.of(game), checkpoint.net)
    try:
        network.load_weights(read_tensors(path.parent / checkpoint.weights))
    except RuntimeError as error:
        raise FileError(f"checkpoint {str(path)!r} has weights of another architecture: {error}") from None
    return network.eval()


def ship(path: Path, folder: Path) -> Path:
    """Copy the checkpoint at `path` to `folder` as a bot that stands alone: without what only resuming needs.

    A bot that lay there before is removed once the new one is whole.

    Args:
        path: a manifest, the folder of a run or of checkpoints (then its newest).
        folder: made if it is missing.

    Returns:
        the manifest in `folder`.

    Raises:
        FileError: there is no checkpoint at `path`, it is damaged, or `folder` cannot be written; what lay there before
            is untouched.
        UsageError: `folder` holds the checkpoints of a run, or the one at `path`.
    """
    found = find(path)
    made = read(found)
    weights = read_tensors(found.parent / made.weights)
    before = {other: read(other) for other in folder.glob("iteration-*.json")}
    if found.parent.resolve() == folder.resolve():
        raise UsageError(f"{str(folder)!r} is where the checkpoint lies: name another folder for the bot")
    if any(bot.learner for bot in before.values()) or any((folder / "checkpoints").glob("iteration-*.json")):
        raise UsageError(f"{str(folder)!r} holds the checkpoints of a run: name another folder for the bot")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the folder {str(folder)!r}: {error.strerror or error}") from None
    manifest = write(folder, dataclasses.replace(made, config={**made.config, "folder": "runs"}), weights, None)
    old = {name for other, bot in before.items() for name in (other.name, bot.weights)}
    for name in old - {manifest.name, read(manifest).weights}:
        files.discard(folder / name)
    return manifest


def prune(folder: Path, keep: int, every: int) -> None:
    """Remove old checkpoints, save the first (the untrained bot), the newest `keep`, and every `every`-th iteration
    if > 0.

    Only the newest ones keep the learner's state.
    """
    manifests = sorted(folder.glob("iteration-*.json"))
    for path in manifests[1:-keep]:
        if not every or int(path.stem.rpartition("-")[2]) % every:
            files.discard(path)
    left = [read(path) for path in sorted(folder.glob("iteration-*.json"))]
    newest = left[-keep:]
    used = {c.weights for c in left} | {c.learner for c in newest}
    for path in folder.glob("*.safetensors"):
        if path.name not in used:
            files.discard(path)
