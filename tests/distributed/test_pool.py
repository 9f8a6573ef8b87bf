"""Self-play on a cluster: 1 one worker, four workers and threads of one process play the same games, bit for bit;
2 games that had landed are not played again, damaged and foreign parts are; 3 a worker that dies is replaced, its games
played elsewhere, each counted once; 4 a run trains to the same bits as locally, and goes on
either way; 5 overlap is one iteration late, no more, and as repeatable; 6 what is under way is bounded, by tasks and by
bytes."""

import json
import os
import signal
from collections import deque
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from engines.errors import UsageError
from orion_ai import checkpoint
from orion_ai.distributed.crew import Member
from orion_ai.distributed.plan import Plan
from orion_ai.distributed.pool import RayPool, _Round
from orion_ai.identity import identity_of
from orion_ai.replay.shard import Shard, read_shard, write_shard
from orion_ai.runtime import RuntimeConfig
from tests.distributed.runs import NET, SEARCH, SELFPLAY, TORCH, after, locally, network, pool, same
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

    with pool(cluster.address, tmp_path / "four", workers=4) as four:
        played = four.play(weights, 1, 0, 200, lambda _: None)
        assert same(played.episodes, wanted)
        assert played.counts.games >= 200 and played.counts.evaluations > 0
        assert played.figures["runtime/workers"] >= 1 and played.figures["runtime/deaths"] == 0

        killed = after(20, lambda: os.kill(pids(four)[0], signal.SIGKILL))
        again = four.play(weights, 1, 1000, 600, killed)
        assert same(again.episodes, locally(600, first=1000))
        assert again.figures["runtime/deaths"] == 1

        numbers = sorted(n for p in (tmp_path / "four").iterdir() if (n := int(p.stem)) >= 1000)
        files = {n: (tmp_path / "four" / f"{n:09d}.npz") for n in numbers}
        files[numbers[0]].write_bytes(files[numbers[0]].read_bytes()[:100])
        write_shard(files[numbers[1]], Shard(locally(5, seed=9), "other weights"), identity_of(kuhn()))
        counted.clear()
        resumed = four.play(weights, 1, 1000, 600, counted.append)
        assert same(resumed.episodes, again.episodes)
        assert 10 <= resumed.counts.games <= 20  # those of two parts, and what the first round had left over
        assert sum(counted) == 600


def member(name: str) -> Member:
    """One whose actor takes whatever it is given, and never answers."""
    return Member(name, SimpleNamespace(play=SimpleNamespace(remote=lambda *_: object())), None)


def test_what_is_under_way_is_bounded(tmp_path: Path) -> None:
    """Tasks given out: as many as fill the lanes, and some; by bytes fewer, but one for everybody."""

    def given(largest: int, mb: float) -> list[int]:
        runtime = RuntimeConfig("ray", games_per_task=2, tasks_ahead=1, in_flight_mb=mb)
        made = RayPool(kuhn(), Plan({"name": "kuhn_poker"}, NET, TORCH, SEARCH, SELFPLAY, runtime), tmp_path)
        members = [member(str(i)) for i in range(3)]
        made._crew = Mock(ready=lambda: members)
        made._largest = largest
        now = _Round(1, "w", [], 1, 0, 200, waiting=deque([2 * i, 2 * i + 1] for i in range(100)))
        made._hand_out(now)
        made._hand_out(now)
        assert len(now.flights) + len(now.waiting) == 100
        return [member.busy for member in members]

    assert SELFPLAY.lanes == 8
    assert given(0, 0.1) == given(10, 0.1) == [5, 5, 5]  # 8 lanes, 2 games a task, 1 ahead
    assert sum(given(2**20, 7.5)) == 8
    assert given(2**20, 2.0) == [1, 1, 1]


def test_what_is_late_is_given_to_others_until_it_has_landed(tmp_path: Path) -> None:
    """If the member that was given the copy dies, another gets one."""
    plan = Plan({"name": "kuhn_poker"}, NET, TORCH, SEARCH, SELFPLAY, RuntimeConfig("ray"))
    made, late, idle = RayPool(kuhn(), plan, tmp_path), member("late"), member("idle")
    made._crew = Mock(ready=lambda: [late, idle], late_after=lambda longest: 100.0 + longest)
    now = _Round(1, "w", [], 1, 0, 4)
    made._send(now, late, [0, 1])
    made._send(now, late, [2, 3])
    for flight in now.flights.values():
        flight.since -= 99.0
    made._hand_out(now)
    assert not idle.busy and not now.retries
    first, second = now.flights.values()
    first.since -= 2.0
    for tries in (1, 2):
        made._hand_out(now)
        made._hand_out(now)
        assert [f.numbers for f in now.flights.values() if f.member is idle] == [[0, 1]] and now.retries == tries
        assert idle.busy == 1 and first.copied and not second.copied
        made._all_again(now, now.flights.pop(next(ref for ref, f in now.flights.items() if f.member is idle)))
        assert [*now.flights.values()] == [first, second] and not now.waiting
        idle.busy = 0


def test_a_run_trains_to_the_same_bits_as_locally(cluster: Any, tmp_path: Path) -> None:
    def ray(workers: int = 1, **settings: Any) -> RuntimeConfig:
        return RuntimeConfig("ray", cluster.address, workers=workers, **settings)

    local, far = tmp_path / "local", tmp_path / "ray"
    run(local, 3)
    path = run(far, 2, runtime=ray(workers=2))
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
    ahead = RuntimeConfig("ray", cluster.address, workers=1, overlap=True)
    whole, halves = tmp_path / "whole", tmp_path / "halves"
    wide = replace(CONFIG.replay, window=10_000)
    run(whole, 4, runtime=replace(ahead, recycle=40), replay=wide)  # a new process after two rounds
    shards = [read_shard(whole / "run" / "shards" / f"{i:06d}.npz", identity_of(kuhn())).weights for i in range(4)]
    playing = [checkpoint.read(whole / "run" / "checkpoints" / f"iteration-{i:06d}.json").weights for i in (0, 2)]
    assert shards[0] == shards[1] == playing[0] and shards[3] == playing[1]
    with (whole / "run" / "log.jsonl").open() as log:
        assert [json.loads(line)["runtime/staleness"] for line in log] == [0, 1, 1, 1]

    run(halves, 2, runtime=ahead, replay=wide)
    assert bits(run(halves, 4, runtime=ahead, replay=wide)) == bits(whole / "run")
    run(tmp_path / "local", 4, replay=wide)
    assert bits(whole / "run") != bits(tmp_path / "local" / "run")
