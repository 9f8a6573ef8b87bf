"""The training loop can be stopped anywhere: 1 SIGKILL at random moments, then the same command: the same bits as a run
left alone; 2 the same after a crash at every single write; 3 a full disk is said clearly; 4 two trainers in one folder,
other settings, foreign and damaged files are refused; 5 evaluations happen once; 6 old files go."""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from engines import files
from engines.errors import FileError, UsageError
from orion_ai import checkpoint
from orion_ai.loop import Far
from orion_ai.run_folder import RunFolder
from tests.learner.runs import CONFIG, bits, run

ITERATIONS = 40


class Crash(BaseException):
    """Stands for a process that ends here."""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed")
    run(folder, 4)
    shutil.copytree(folder / "run", folder / "four")
    run(folder, ITERATIONS)
    return folder


def start(folder: Path) -> "subprocess.Popen[bytes]":
    words = [sys.executable, "-m", "tests.learner.runs", str(folder), str(ITERATIONS)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": "1"})


def iterations(folder: Path) -> int:
    """Those that the newest checkpoint of the run holds."""
    return int(checkpoint.find(folder / "run").stem.removeprefix("iteration-"))


def test_killed_at_random_moments(tmp_path: Path, undisturbed: Path) -> None:
    moments = random.Random(11)
    killed = 0
    for number in range(5):
        process = start(tmp_path)
        assert process.stdout is not None
        assert b"/run: " in process.stdout.readline()
        time.sleep(moments.uniform(0.0, 0.25))
        while number == 4 and not iterations(tmp_path) and process.poll() is None:
            time.sleep(0.01)  # on a busy machine all moments may have come before the end of an iteration
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        process.stdout.close()
    assert killed == 5
    assert 0 < iterations(tmp_path) < ITERATIONS
    run(tmp_path, ITERATIONS)
    assert bits(tmp_path / "run" / "checkpoints") == bits(undisturbed / "run" / "checkpoints")


def test_crash_at_every_write(tmp_path: Path, undisturbed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, left = os.replace, [0]

    def fragile(source: Path, target: Path) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise Crash
        real(source, target)
        left[0] -= 1
        if left[0] == 0:
            raise Crash

    monkeypatch.setattr(files.os, "replace", fragile)
    point = 0
    while True:
        point += 1
        folder = tmp_path / str(point)
        left[0] = point
        try:
            run(folder, 4)
            break
        except Crash:
            left[0] = 0
        assert bits(run(folder, 4)) == bits(undisturbed / "four" / "checkpoints"), point
    assert point > 2 * (2 + 4 * 4)  # config and code, then shard, weights, learner, manifest of each iteration


def test_landed_games_are_not_played_again(tmp_path: Path, undisturbed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> Path:
        raise Crash

    run(tmp_path, 1)
    with monkeypatch.context() as patched, pytest.raises(Crash):
        patched.setattr("orion_ai.loop._store", crash)
        run(tmp_path, 2)
    assert (tmp_path / "run" / "shards" / "000001.npz").exists()
    monkeypatch.setattr("orion_ai.loop.write_shard", crash)
    run(tmp_path, 2)
    assert checkpoint.read(tmp_path / "run").counters["iteration"] == 2


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path, 1)
    before = sorted(p.name for p in (tmp_path / "run" / "checkpoints").iterdir())

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched, pytest.raises(FileError, match=r"cannot write .* No space left on device"):
        patched.setattr(files.os, "fsync", full)
        run(tmp_path, 2)
    assert sorted(p.name for p in (tmp_path / "run" / "checkpoints").iterdir()) == before
    assert not list((tmp_path / "run").rglob("*.tmp"))
    run(tmp_path, 2)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("a file")
    with pytest.raises(FileError, match="cannot write the run's folder"):
        run(tmp_path, 1)


def test_other_settings_are_refused(tmp_path: Path) -> None:
    run(tmp_path, 1)
    with pytest.raises(UsageError, match=r"learner\.batch is 32 there, 64 here.*choose another name="):
        run(tmp_path, 2, learner=replace(CONFIG.learner, batch=64))
    run(tmp_path, 2, selfplay=replace(CONFIG.selfplay, workers=2), keep=1)


def _rewrite(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    data = yaml.safe_load(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def test_settings_that_came_later_count_as_their_defaults(tmp_path: Path) -> None:
    """The files of a run that an older version began: some settings are not in them, nor some options of the game."""

    def older(data: dict[str, Any]) -> None:
        config = data.get("config", data)  # of the manifest, or the whole file
        del config["learner"]["clip"], config["search"]["q_shrink"], config["replay"]["chunk"]
        del data["net"]["score"]
        data.get("counters", {}).pop("seconds", None)

    manifest = run(tmp_path, 1)
    files = [tmp_path / "run" / "config.yaml", manifest]
    for file in files:
        _rewrite(file, older)
    with pytest.raises(UsageError, match=r"learner\.clip is 1\.0 there, 2\.0 here"):
        run(tmp_path, 2, learner=replace(CONFIG.learner, clip=2.0))
    assert checkpoint.read(run(tmp_path, 2)).counters["iteration"] == 2


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        (
            "config.yaml",
            lambda d: d["learner"].update(momentum=0.9),
            r"learner\.momentum is 0\.9 there, and is no setting",
        ),
        ("config.yaml", lambda d: d["game"].update(jokers=2), r"game\.jokers is 2 there, and is no setting here"),
        ("config.yaml", lambda d: d.update(seed=[1]), r"seed is \[1\] there, 5 here"),
        ("checkpoints/iteration-000001.json", lambda d: d["counters"].update(epochs=3), "does not know.*'epochs'"),
        ("checkpoints/iteration-000001.json", lambda d: d["notes"].pop("evaluator"), "does not say in 'notes'"),
        ("checkpoints/iteration-000001.json", lambda d: d["net"].update(depth=3), r"net\.depth is 3 there.*no setting"),
        (
            "checkpoints/iteration-000001.json",
            lambda d: d["identity"]["options"].update(jokers=2),
            r"other options of the game \(options\.jokers is 2 there, and is no setting here",
        ),
    ],
)
def test_settings_that_are_gone_are_refused(
    tmp_path: Path, file: str, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    run(tmp_path, 1)
    _rewrite(tmp_path / "run" / file, change)
    with pytest.raises(UsageError, match=message):
        run(tmp_path, 2)


def test_before_the_first_checkpoint_settings_may_change(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", {"seed": 1}, {}):
        pass
    run(tmp_path, 1)


def test_a_run_can_be_moved(tmp_path: Path) -> None:
    run(tmp_path / "here", 1)
    (tmp_path / "here").rename(tmp_path / "there")
    (tmp_path / "there" / "run" / "shards" / ".000001.npz.77.tmp").write_text("of a write that was cut short")
    assert checkpoint.read(run(tmp_path / "there", 2)).counters["iteration"] == 2
    assert not list((tmp_path / "there").rglob("*.tmp"))


def test_two_trainers_in_one_folder(tmp_path: Path) -> None:
    first, second = (RunFolder(tmp_path / "run", {"seed": 1}, {}) for _ in range(2))
    with first, pytest.raises(UsageError, match="another process is training"), second:
        pass
    with second:
        assert (tmp_path / "run" / "config.yaml").read_text() == "seed: 1\n"


def test_damaged_files_are_named(tmp_path: Path) -> None:
    path = run(tmp_path, 2)
    found = checkpoint.read(path)
    assert found.learner is not None
    weights = path.parent / found.learner
    good = weights.read_bytes()
    weights.write_bytes(good[:-1])
    with pytest.raises(FileError, match=f"{found.learner}' are damaged"):
        run(tmp_path, 3)
    weights.write_bytes(good)
    shard = tmp_path / "run" / "shards" / "000001.npz"
    shard.write_bytes(shard.read_bytes()[:200])
    with pytest.raises(FileError, match=r"000001\.npz' is damaged"):
        run(tmp_path, 3)


def test_evaluations_happen_once(tmp_path: Path) -> None:
    asked: list[tuple[str, int]] = []

    def evaluate(path: Path, blocks: int, far: Far | None) -> dict[str, float]:
        asked.append((path.stem, blocks))
        if len(asked) == 1:
            raise Crash
        return {"arena/elo": 12.0}

    settings = replace(CONFIG.evaluation, every=2, blocks=5, final_blocks=9)
    with pytest.raises(Crash):
        run(tmp_path, 3, evaluate, evaluation=settings)
    for _ in range(2):
        run(tmp_path, 3, evaluate, evaluation=settings)
    assert asked == [("iteration-000002", 5), ("iteration-000002", 5), ("iteration-000003", 9)]


def test_the_log_has_each_iteration_once(tmp_path: Path) -> None:
    run(tmp_path, 3)
    with contextlib.closing((tmp_path / "run" / "log.jsonl").open("a")) as file:
        file.write(f'{{"iteration": 4, "samples": 1}}\n3\n[]\n{"[" * 100_000}\n{{"iteration": 4, "sam')
    run(tmp_path, 5)
    with RunFolder(tmp_path / "again", {}, {}) as again:
        shutil.copy(tmp_path / "run" / "log.jsonl", again.path)
        entries = again.entries()
    assert [e["iteration"] for e in entries] == [1, 2, 3, 4, 5]
    assert all(e["learner/total"] > 0 for e in entries)


def test_what_cannot_be_removed_stays(tmp_path: Path) -> None:
    path = run(tmp_path, 1)
    old = path.parent / "0123456789ab.safetensors"
    old.mkdir()
    assert checkpoint.read(run(tmp_path, 2)).counters["iteration"] == 2
    assert old.is_dir()


def test_old_files_go(tmp_path: Path) -> None:
    path = run(tmp_path, 12, keep=2, keep_every=5)
    names = sorted(int(p.stem[-6:]) for p in path.parent.glob("*.json"))
    assert names == [0, 5, 10, 11, 12]
    kept = {checkpoint.read(p).weights for p in path.parent.glob("*.json")}
    learners = {checkpoint.read(path.parent / f"iteration-0000{n}.json").learner for n in (11, 12)}
    assert {p.name for p in path.parent.glob("*.safetensors")} == kept | learners
    oldest = int(checkpoint.read(path).counters["oldest"])
    assert 0 < oldest < 11
    assert sorted(int(p.stem) for p in (tmp_path / "run" / "shards").iterdir()) == list(range(oldest, 12))
