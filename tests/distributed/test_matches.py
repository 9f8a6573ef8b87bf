"""Matches on a cluster: 1 the results are those of one process, also when a worker is killed, or hangs; 2 a match begun
there goes on here; 3 checkpoints travel; 4 settings without effect, and more workers than there are CPUs, are refused;
5 an agent that ends its process loses a game; 6 the workers of self-play play matches too, beside their games, and may
die; 7 a run that they evaluate has the figures of a local one; 8 blocks that nobody takes in are bounded, by bytes.
"""

import json
import os
import signal
import time
from collections import deque
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import psutil
import pytest
import ray
from ray.exceptions import RayActorError

from engines.errors import UsageError
from orion_ai.arena.entrants import resolve
from orion_ai.arena.match import Block, play_blocks, seatings
from orion_ai.arena.runner import ArenaConfig, Match, run_match
from orion_ai.arena.schedule import Schedule
from orion_ai.cli import main
from orion_ai.distributed import crew as crews
from orion_ai.distributed.crew import Member
from orion_ai.distributed.matches import RayMatches, _Play
from orion_ai.runtime import RuntimeConfig
from tests.arena.agents import First
from tests.distributed.runs import locally, names_of_actors, network, pool, same
from tests.learner.runs import run

MATCH = Match(
    {"name": "kuhn_poker"},
    resolve([{"agent": "ismcts", "search": {"simulations": 2000}}, "random"]),
    seed=1,
    lanes=8,
    keep_history=True,
)


def results(blocks: list[Any], history: bool = True) -> list[Any]:
    """All of the blocks but the time they took, and of those from a journal the histories."""
    games = [block.as_data(history=history) for block in sorted(blocks, key=lambda b: b.number)]
    for block in games:
        for game in block["games"]:
            del game["seconds"]
    return games


def rest(far: RayMatches) -> None:
    """Wait until no worker works, since nobody takes what it has finished; much is left to play."""
    processes, until, worked = [psutil.Process(m.pid) for m in far._crew.ready()], time.monotonic() + 20, 1.0
    while worked > 0.1:
        assert time.monotonic() < until
        before = sum(p.cpu_times().user for p in processes)
        time.sleep(1.0)
        worked = sum(p.cpu_times().user for p in processes) - before


def test_what_waits_to_be_taken_in_is_bounded() -> None:
    """By the largest block that has come; a worker may always have one."""
    given: list[int] = []

    def send(member: Member, run: list[int], ahead: int) -> Stream:
        given.append(ahead)
        return Stream(*run)

    crew = Mock(ready=lambda: [Member("one", None, None)], late_after=lambda longest: 10.0)
    for mb, length in ((4.0, 2**10), (0.01, 2**20)):
        of_ray = Mock(get=lambda said, n=length: said.ljust(n), exceptions=ray.exceptions)
        crew.cluster = Mock(ray=of_ray, config=RuntimeConfig("ray", in_flight_mb=mb))
        crew.size.return_value = 2
        play = _Play(crew, send, deque([[0], [1]]))
        play.hand_out()
        play.take_in(next(iter(play.flights)))
        play.hand_out()
    assert given == [2, 2048, 1, 1]


def test_a_match_has_the_results_of_one_process(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when a worker dies, or hangs: its blocks go to others, each counts once, and it does not stay."""
    monkeypatch.setattr(crews, "LATE_SECONDS", 1.0)
    wanted, places = run_match(MATCH, 60, tmp_path / "here", 1, lambda *_: None), seatings(2, 2)
    seen: list[int] = []
    with RayMatches(MATCH, RuntimeConfig("ray", cluster.address, workers=2, in_flight_mb=0.01)) as far:

        def on_block(journal: Any, block: Any) -> None:
            seen.append(block.number)
            if len(seen) == 5:
                os.kill(far._crew.ready()[0].pid, signal.SIGKILL)

        blocks = run_match(MATCH, 40, tmp_path / "far", 0, on_block, elsewhere=far)
        while len(far._crew.ready()) < 2:
            list(far.play(places, [range(100, 104)]))
        assert far._crew.deaths == 1
        assert set(names_of_actors(far._cluster)) == {f"match-{m.name[-1]}" for m in far._crew.ready()}
        hanging, late = psutil.Process(far._crew.ready()[0].pid), list[Block]()
        for block in far.play(places, [range(60)]):
            if not late:
                hanging.suspend()
            late.append(block)
        assert far._crew.deaths == 1
        assert psutil.wait_procs([hanging], timeout=60)[1] == []
        assert len(list(far.play(places, [range(100, 104)]))) == 4
        untaken = far.play(places, [range(10**5)])
        next(untaken)
        rest(far)
        untaken.close()  # type: ignore[attr-defined]
    assert sorted(seen) == list(range(40))
    assert results(blocks) == results(wanted)[:40]
    assert results(late, history=False) == results(wanted, history=False)
    whole = run_match(MATCH, 60, tmp_path / "far", 1, lambda *_: None)
    assert results(whole, history=False) == results(wanted, history=False)


def test_checkpoints_are_taken_along(cluster: Any, tmp_path: Path) -> None:
    path = run(tmp_path, 1)
    given = [{"agent": "gumbel", "checkpoint": str(path), "search": {"simulations": 8}}, "random"]
    match = Match({"name": "kuhn_poker"}, resolve(given), 1, 8, luck=str(path))
    wanted = run_match(match, 10, tmp_path / "here", 1, lambda *_: None)
    with RayMatches(match, RuntimeConfig("ray", cluster.address, workers=1)) as far:
        schedule = Schedule("round_robin", 2, 2, 10, 0)
        (tmp_path / "run").rename(tmp_path / "elsewhere")
        found = list(far.play(schedule.places(0, []), [range(10)]))
    assert results(found) == results(wanted) and found[0].games[0].luck


@pytest.mark.slow
def test_an_agent_that_ends_its_process_loses_a_game_and_no_worker(cluster: Any, tmp_path: Path) -> None:
    """At one of its decisions; the other games are those of an agent that does not, the worker goes on.

    `test_foreign.py` has it without a cluster. `pytest -m slow tests/distributed/test_matches.py`: half a minute.
    """
    first = {"python": "tests.arena.agents:First"}
    sound = Match({"name": "kuhn_poker"}, resolve([first, first]), 1, 4)
    agent = First(sound.load(), 1)
    places = Schedule("round_robin", 2, 2, 4, 0).places(0, [])
    wanted = results(list(play_blocks(sound.load(), [First(sound.load(), 1), agent], range(4), 1, lanes=1)))
    rogue = {"python": "tests.arena.agents:Breaks", "how": "exit", "key": agent.seen[0][2]}
    match = Match({"name": "kuhn_poker"}, resolve([first, rogue]), 1, 4)
    with RayMatches(match, RuntimeConfig("ray", cluster.address, workers=1)) as far:
        found = results(list(far.play(places, [range(4)])))
        assert far._crew.deaths == 0
    pairs = [(a, b) for one, other in zip(wanted, found, strict=True) for a, b in zip(one["games"], other["games"])]
    (lost,) = [b for a, b in pairs if a["returns"] != b["returns"] or a["decisions"] != b["decisions"] or "fault" in b]
    assert lost["fault"][1] == "ended its process: exit code 0, twice at the same decision"


def test_what_a_match_cannot_use_is_refused(cluster: Any) -> None:
    for change, text in (
        ({"overlap": True}, r"runtime\.overlap is for training"),
        ({"inference": "server"}, r"runtime\.inference is for training"),
    ):
        with pytest.raises(UsageError, match=text):
            RayMatches(MATCH, RuntimeConfig("ray", **change))
    with pytest.raises(UsageError, match=r"processes is 2, but runtime=ray: use runtime\.workers"):
        ArenaConfig(agents=["random", "random"], processes=2, runtime=RuntimeConfig("ray"))
    config = RuntimeConfig("ray", cluster.address, workers=500)
    with (
        pytest.raises(UsageError, match=r"runtime\.workers=500 needs 500 CPUs, but the cluster has \d"),
        RayMatches(MATCH, config),
    ):
        pass


def test_the_workers_of_self_play_play_matches_too(cluster: Any, tmp_path: Path) -> None:
    path = run(tmp_path, 1)
    given = [{"agent": "gumbel", "checkpoint": str(path), "search": {"simulations": 8}}, "random"]
    match = Match({"name": "kuhn_poker"}, resolve(given), 1, 8)
    wanted = run_match(match, 40, tmp_path / "here", 1, lambda *_: None)
    weights = network().weights()
    with pool(cluster.address, tmp_path / "parts", workers=2) as made:
        made.play(weights, 1, 0, 40, lambda _: None)
        made.start(weights, 1, 1000, 300)
        found = []
        for block in made.elsewhere(match).play(seatings(2, 2), [range(40)]):
            found.append(block)
            if len(found) == 3:
                os.kill(made._crew.ready()[0].pid, signal.SIGKILL)
        assert results(found, history=False) == results(wanted, history=False)
        beside = made.play(weights, 1, 1000, 300, lambda _: None)
        assert same(beside.episodes, locally(300, first=1000)) and beside.figures["runtime/deaths"] == 1


def test_a_run_is_evaluated_as_locally(cluster: Any, tmp_path: Path) -> None:
    words = "train experiment=kuhn selfplay.games=16 selfplay.lanes=8 iterations=3 evaluation.every=2"
    words += f" evaluation.blocks=4 evaluation.final_blocks=6 folder={tmp_path}"
    far = f"name=far runtime=ray runtime.workers=1 runtime.overlap=false runtime.address={cluster.address}"
    found = {}
    for name, more in (("here", "name=here"), ("far", far)):
        assert main([*words.split(), *more.split()]) == 0
        lines = (tmp_path / name / "log.jsonl").read_text().splitlines()
        found[name] = [line for line in map(json.loads, lines) if "blocks" in line]
    assert [line["blocks"] for line in found["here"]] == [4, 6] and found["here"] == found["far"]


class Stream:
    """What a member hands in: blocks, then the end, or its death."""

    def __init__(self, *said: Any) -> None:
        self.said = list(said)

    def __next__(self) -> Any:
        if not self.said:
            raise StopIteration
        said = self.said.pop(0)
        if isinstance(said, Exception):
            raise said
        return json.dumps(Block(said, []).as_data(history=True))


def test_a_block_counts_once_and_a_late_run_is_given_to_others_until_it_has_come() -> None:
    streams = [Stream(0, 1), Stream(RayActorError()), Stream(1, 2)]
    members = [Member(name, None, None) for name in ("late", "dies", "idle")]
    ready = members[:2]
    given: list[tuple[str, list[int]]] = []

    def send(member: Member, run: list[int], ahead: int) -> Stream:
        given.append((member.name, run))
        return streams[members.index(member)]

    crew = Mock(ready=lambda: ready, late_after=lambda longest: 10.0)
    crew.cluster = Mock(ray=Mock(get=lambda said: said, exceptions=ray.exceptions), config=RuntimeConfig("ray"))
    crew.size.return_value = 2
    play = _Play(crew, send, deque([[0, 1, 2]]))
    play.hand_out()
    late = play.flights[streams[0]]
    block = play.take_in(streams[0])
    assert block is not None and block.number == 0
    play.hand_out()
    assert given == [("late", [0, 1, 2])]
    late.heard -= 11.0
    play.hand_out()
    play.hand_out()
    assert given[1:] == [("dies", [1, 2])]
    assert play.take_in(streams[1]) is None  # dead
    ready[1:] = members[2:]
    play.hand_out()
    assert given[2:] == [("idle", [1, 2])]
    found = [play.take_in(stream) for stream in (streams[2], streams[0], streams[2])]
    assert [block and block.number for block in found] == [1, None, 2]
    assert not play.missing and play.ending()
    assert play.take_in(streams[2]) is None and not play.ending()
    assert [*play.flights.values()] == [late] and not members[2].matches
    late.heard -= 11.0
    members[2].matches = 0
    play.hand_out()
    assert len(given) == 3  # nothing of it is missing
