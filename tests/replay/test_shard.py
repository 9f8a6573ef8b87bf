"""Shards on disk: 1 what is read is what was written; 2 the same episodes give the same bytes; 3 a truncated, damaged,
foreign or missing file is refused by name; 4 a full disk leaves nothing behind."""

from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pytest

from engines.errors import FileError
from orion_ai.identity import identity_of
from orion_ai.replay import shard as shards
from orion_ai.replay.shard import Shard, read_shard, write_shard
from tests.replay.games import equal, kuhn, play

GAME = kuhn()


def written(folder: Path) -> tuple[Path, Shard]:
    shard = Shard([play(GAME, n) for n in range(7)], "abc")
    write_shard(folder / "one.npz", shard, identity_of(GAME))
    return folder / "one.npz", shard


def test_round_trip(tmp_path: Path) -> None:
    path, shard = written(tmp_path)
    again = read_shard(path, identity_of(GAME))
    assert again.weights == "abc" and again.samples == shard.samples > 0
    assert len(again.episodes) == 7
    assert all(equal(a, b) for a, b in zip(shard.episodes, again.episodes, strict=True))


def test_same_bytes(tmp_path: Path) -> None:
    path, shard = written(tmp_path)
    write_shard(tmp_path / "two.npz", shard, identity_of(GAME))
    assert path.read_bytes() == (tmp_path / "two.npz").read_bytes()


@pytest.mark.parametrize("keep", [0, 1, 100, 0.5, 0.99])
def test_truncated(tmp_path: Path, keep: float) -> None:
    path, _ = written(tmp_path)
    content = path.read_bytes()
    path.write_bytes(content[: int(keep * len(content)) if isinstance(keep, float) else keep])
    with pytest.raises(FileError, match=r"one\.npz' is damaged or no shard"):
        read_shard(path, identity_of(GAME))


def test_any_flipped_byte_is_noticed(tmp_path: Path) -> None:
    path, shard = written(tmp_path)
    content = path.read_bytes()
    for place in np.random.default_rng(1).choice(len(content), 60, replace=False):
        wrong = bytearray(content)
        wrong[place] ^= 0x55
        path.write_bytes(bytes(wrong))
        try:
            again = read_shard(path, identity_of(GAME))
        except FileError as error:
            assert "one.npz" in str(error)
        else:  # bytes that mean nothing (dates and flags of the archive's directory)
            assert all(equal(a, b) for a, b in zip(shard.episodes, again.episodes, strict=True))


def test_no_shard_at_all(tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("hello")
    np.savez(tmp_path / "other.npz", numbers=np.arange(3))
    np.save(tmp_path / "array.npz", np.arange(3))
    (tmp_path / "array.npz").write_bytes((tmp_path / "array.npz.npy").read_bytes())
    for name in ("text.npz", "other.npz", "array.npz"):
        with pytest.raises(FileError, match=f"{name}' is damaged or no shard"):
            read_shard(tmp_path / name, identity_of(GAME))
    with pytest.raises(FileError, match=r"cannot read shard '.*nowhere\.npz'"):
        read_shard(tmp_path / "nowhere.npz", identity_of(GAME))


def test_another_game(tmp_path: Path) -> None:
    path, _ = written(tmp_path)
    with pytest.raises(FileError, match=r"does not fit: .*options"):
        read_shard(path, identity_of(kuhn(3)))


def test_another_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, _ = written(tmp_path)
    monkeypatch.setattr(shards, "FORMAT", 2)
    with pytest.raises(FileError, match="has format 1; this version reads 2"):
        read_shard(path, identity_of(GAME))


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: BinaryIO, **_: Any) -> None:
        file.write(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.raises(FileError, match=r"cannot write .*one\.npz': No space left on device"):
        written(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot write"):
        written(tmp_path / "file")
