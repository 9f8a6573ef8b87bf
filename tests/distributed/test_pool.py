"""Self-play on a cluster: 1 one worker, three workers and threads of one process play the same games, bit for bit;
2 games that had landed are not played again, damaged and foreign parts are; 3 a worker that dies is replaced, its games
played elsewhere, each counted once; 4 a run trains to the same bits as locally, and goes on
either way; 5 overlap is one iteration late, no more, and as repeatable."""

import json
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engines.errors import UsageError
from orion_ai import checkpoint
from orion_ai.distributed.pool import RayPool
from orion_ai.identity import identity_of
from orion_ai.replay.shard import Shard, read_shard, write_shard
from orion_ai.runtime import RuntimeConfig
from tests.distributed.runs import after, locally, network, pool, same
from tests.learner.runs import CONFIG, bits, run
from tests.replay.games import kuhn


def pids(made: RayPool) -> list[int]:
    return [member.pid for member in made._crew.ready()]


def test_workers_play_what_one_process_plays(cluster: Any, tmp_path: Path) -> None:
    weights, wanted = network().weights(), locally(200)
    counted: list[int] = []
    with pool(cluster.address, tmp_path / "one", workers=1) as one:
        assert same(one.play(weights, 1, 0, 200, counted.append).episodes, wanted)
    assert sum(counted) == 200

    with pool(cluster.address, tmp_path / "three", workers=3) as three:
        played = three.play(weights, 1, 0, 200, lambda _: None)
        assert same(played.episodes, wanted)
        assert played.counts.games >= 200 and played.counts.evaluations > 0
        assert played.figures["runtime/workers"] >= 1 and played.figures["runtime/deaths"] == 0

        killed = after(20, lambda: os.kill(pids(three)[0], signal.SIGKILL))
        again = three.play(weights, 1, 1000, 600, killed)
        assert same(again.episodes, locally(600, first=1000))
        assert again.figures["runtime/deaths"] == 1

        numbers = sorted(n for p in (tmp_path / "three").iterdir() if (n := int(p.stem)) >= 1000)
        files = {n: (tmp_path / "three" / f"{n:09d}.npz") for n in numbers}
        files[numbers[0]].write_bytes(files[numbers[0]].read_bytes()[:100])
        write_shard(files[numbers[1]], Shard(locally(5, seed=9), "other weights"), identity_of(kuhn()))
        counted.clear()
        resumed = three.play(weights, 1, 1000, 600, counted.append)
        assert same(resumed.episodes, again.episodes)
        assert 10 <= resumed.counts.games <= 20  # those of two parts, and what the first round had left over
        assert sum(counted) == 600


def test_a_run_trains_to_the_same_bits_as_locally(cluster: Any, tmp_path: Path) -> None:
    def ray(**settings: Any) -> RuntimeConfig:
        return RuntimeConfig("ray", cluster.address, workers=2, **settings)

    local, far = tmp_path / "local", tmp_path / "ray"
    run(local, 3)
    path = run(far, 2, runtime=ray())
    assert not (far / "run" / "parts").exists()
    path = run(far, 3, runtime=ray(games_per_task=3))  # goes on with other settings of the runtime
    assert bits(path) == bits(local / "run")
    with pytest.raises(UsageError, match=r"runtime\.overlap is False there, True here"):
        run(far, 4, runtime=ray(overlap=True))
    run(far, 4)  # and in this process
    run(local, 4)
    assert bits(far / "run") == bits(local / "run")


def test_overlap_plays_with_the_weights_before_the_last(cluster: Any, tmp_path: Path) -> None:
    """It is as repeatable, interrupted or not, and not the same training as without."""
    ahead = RuntimeConfig("ray", cluster.address, workers=1, overlap=True, recycle=40)  # a new process after two rounds
    whole, halves = tmp_path / "whole", tmp_path / "halves"
    wide = replace(CONFIG.replay, window=10_000)
    run(whole, 4, runtime=ahead, replay=wide)
    shards = [read_shard(whole / "run" / "shards" / f"{i:06d}.npz", identity_of(kuhn())).weights for i in range(4)]
    playing = [checkpoint.read(whole / "run" / "checkpoints" / f"iteration-{i:06d}.json").weights for i in (0, 2)]
    assert shards[0] == shards[1] == playing[0] and shards[3] == playing[1]
    with (whole / "run" / "log.jsonl").open() as log:
        assert [json.loads(line)["runtime/staleness"] for line in log] == [0, 1, 1, 1]

    run(halves, 2, runtime=ahead, replay=wide)
    assert bits(run(halves, 4, runtime=ahead, replay=wide)) == bits(whole / "run")
    run(tmp_path / "local", 4, replay=wide)
    assert bits(whole / "run") != bits(tmp_path / "local" / "run")
