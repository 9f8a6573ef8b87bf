"""The folder of a training run: what was asked, what wrote it, and what came of it.

```
runs/<name>/config.yaml      the resolved configuration
            code.json        version and fingerprint of the code; code.diff: changes not committed, where git knows
            checkpoints/     see `orion_ai.checkpoint`
            shards/          episodes of the replay window
            parts/           games of the iteration in play, as Ray's workers hand them in
            log.jsonl        a line for each iteration and evaluation, for plots of one's own
            events.*         the same for TensorBoard
```
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import yaml

from engines import files
from engines.errors import FileError, UsageError
from orion_ai import __version__
from orion_ai.identity import sources
from orion_ai.settings import differences, filled

__all__ = ["RunFolder"]

FREE = (
    *("folder", "name", "iterations", "minutes", "keep", "keep_every", "evaluation"),
    *("evaluator", "selfplay.workers", "selfplay.lanes", "learner.threads", "learner.device"),
    "runtime",
)
"""Settings that may change when a run goes on: where it lies, how long, how it is watched, on what machines. The last
two lines move no more than rounding."""
BOUND = ("runtime.overlap",)
"""Settings below those that may not: it says which weights play."""


class RunFolder:
    """One run's folder, held by one process at a time. Use it in a `with` statement."""

    def __init__(self, path: Path, config: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
        """A run in the folder `path`.

        Args:
            path: the folder.
            config: the resolved configuration as plain data.
            defaults: of all settings: those of a run that was begun before a setting existed.
        """
        self.path, self.config, self._defaults = path, dict(config), defaults
        self.checkpoints, self.shards, self.parts = (path / name for name in ("checkpoints", "shards", "parts"))
        self._lock: int | None = None
        self._made = False

    def __enter__(self) -> RunFolder:
        """Make the folder, or open it if the same run was begun there.

        Raises:
            UsageError: another run lies there (names what differs), or another process is training in it.
            FileError: it cannot be written.
        """
        try:
            self._made = not self.path.exists()
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.path / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise FileError(f"cannot write the run's folder {str(self.path)!r}: {error.strerror or error}") from None
        try:
            self._hold()
            self._check_config()
            for fragment in self.path.rglob(".*.tmp"):  # of a write that SIGKILL cut short
                files.discard(fragment)
            files.write_text(self.path / "config.yaml", self._yaml())
            self._write_code()
        except BaseException:
            self._release()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        """Leave the folder; one that was made for a run that is refused before its first game has landed goes again."""
        games = (self.shards, self.parts, self.path / "log.jsonl")
        if isinstance(error, UsageError) and self._made and not any(path.exists() for path in games):
            shutil.rmtree(self.path, ignore_errors=True)
        self._release()

    def _hold(self) -> None:
        """Take the lock, which the system drops when this process ends, however it ends."""
        try:
            import fcntl
        except ImportError:  # no such locks on this system: two trainers in one folder go unnoticed
            return
        assert self._lock is not None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(
                f"another process is training in {str(self.path)!r}: wait for it, or choose another name="
            ) from None

    def _release(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _yaml(self) -> str:
        return yaml.safe_dump(self.config, sort_keys=False)

    def _check_config(self) -> None:
        """Refuse settings other than those of the run that was begun here, if it came as far as a checkpoint."""
        path = self.path / "config.yaml"
        if not path.exists() or not any(self.checkpoints.glob("iteration-*.json")):
            return
        try:
            before = yaml.safe_load(path.read_text())
        except (OSError, yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
            raise FileError(f"{str(path)!r} is no configuration of a run: {error}") from None
        if not isinstance(before, Mapping):
            raise FileError(f"{str(path)!r} is no configuration of a run: expected KEY: VALUE lines")
        there, here = (filled(config, self._defaults) for config in (before, yaml.safe_load(self._yaml())))
        differing = [
            f"{key} {how}"
            for key, how in differences(there, here).items()
            if key in BOUND or not any(key == f or key.startswith(f"{f}.") for f in FREE)
        ]
        if differing:
            raise UsageError(
                f"a run with other settings lies in {str(self.path)!r} ({'; '.join(differing[:5])}). "
                "Give the settings it was begun with to go on, or choose another name="
            )

    def _write_code(self) -> None:
        """Which code this run is made by; of a resumed run, the newest."""
        root = Path(__file__).resolve().parent.parent
        commit = _git(root, "rev-parse", "HEAD").decode().strip()
        data = {"version": __version__, "sources": sources(), "commit": commit or None}
        files.write_json(self.path / "code.json", data)
        difference = _git(root, "diff", "HEAD") if commit else b""
        if difference:
            files.write(self.path / "code.diff", lambda file: file.write(difference))
        else:
            files.discard(self.path / "code.diff")

    def shard(self, number: int) -> Path:
        """The file of the episodes of an iteration."""
        return self.shards / f"{number:06d}.npz"

    def prune_shards(self, oldest: int) -> None:
        """Remove the shards that left the window."""
        for path in self.shards.glob("*.npz"):
            if path.stem.isdigit() and int(path.stem) < oldest:
                files.discard(path)

    def prune_parts(self, first: int) -> None:
        """Remove the parts of iterations that are over: those whose games come before game `first`."""
        for path in self.parts.glob("*.npz"):
            if path.stem.isdigit() and int(path.stem) < first:
                files.discard(path)
        with contextlib.suppress(OSError):  # there is none, or parts of the next iteration are in it
            self.parts.rmdir()

    def log(self, entry: Mapping[str, Any]) -> None:
        """Append a line to the log.

        Raises:
            FileError: the disk is full or read-only.
        """
        try:
            with (self.path / "log.jsonl").open("ab") as file:
                file.write(json.dumps(entry).encode() + b"\n")
        except OSError as error:
            raise FileError(f"cannot write {str(self.path / 'log.jsonl')!r}: {error.strerror or error}") from None

    def entries(self) -> list[dict[str, Any]]:
        """The lines of the log; one that a crash cut short is left out."""
        path = self.path / "log.jsonl"
        found = []
        for line in path.read_bytes().splitlines() if path.exists() else ():
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(entry, dict):
                found.append(entry)
        return found

    def rewind_log(self, iteration: int) -> None:
        """Forget lines of later iterations, which will be made again."""
        kept = [e for e in self.entries() if e.get("iteration", 0) <= iteration]
        files.write_text(self.path / "log.jsonl", "".join(json.dumps(e) + "\n" for e in kept))


def _git(root: Path, *words: str) -> bytes:
    """What git says of the sources, "" where there is no git or no repository."""
    if not (root / ".git").exists():
        return b""
    try:
        done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return b""
    return done.stdout if done.returncode == 0 else b""
