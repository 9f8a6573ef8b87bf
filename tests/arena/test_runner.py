"""Matches on disk and over processes.

1 The number of processes does not matter. 2 A match goes on where it stopped, and can be extended. 3 A line that was
cut short is played again; a damaged, foreign or other match's file is refused by name and line. 4 A folder that cannot
be written is refused. 5 A failing agent loses its games and is named, from another process too; a match that is
killed goes on. 6 Recorded games
replay.
"""

from __future__ import annotations

import dataclasses
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from engines.errors import FileError, UsageError
from orion_ai.arena.entrants import resolve
from orion_ai.arena.games import game_of_match
from orion_ai.arena.journal import Journal
from orion_ai.arena.match import Block
from orion_ai.arena.result import summarize
from orion_ai.arena.runner import Match, run_match

KUHN = {"name": "kuhn_poker", "players": 2}


def nothing(*_: Any) -> None:
    pass


def a_match(*agents: Any, seed: int = 3, lanes: int = 4, keep: bool = False) -> Match:
    return Match(KUHN, resolve(agents or ("random", "ismcts")), seed, lanes, keep)


def outcome(blocks: list[Block]) -> list[Any]:
    ordered = sorted(blocks, key=lambda b: b.number)
    return [(b.number, [(g.seats, g.returns, g.scores, g.decisions) for g in b.games]) for b in ordered]


def test_processes_do_not_matter(tmp_path: Path) -> None:
    alone = run_match(a_match(), 40, tmp_path / "one", 1, nothing)
    three = run_match(a_match(), 40, tmp_path / "three", 3, nothing)
    assert len(alone) == 40
    assert outcome(alone) == outcome(three)


def test_a_match_goes_on_and_can_be_extended(tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop_after_five(journal: Any, block: Block) -> None:
        if len(journal.blocks) == 5:
            raise Stop

    with pytest.raises(Stop):
        run_match(a_match(), 12, tmp_path, 1, stop_after_five)
    played: list[int] = []
    run_match(a_match(), 12, tmp_path, 1, lambda _, block: played.append(block.number))
    assert len(played) == 7
    extended = run_match(a_match(), 20, tmp_path, 1, lambda _, block: played.append(block.number))
    assert len(played) == 15
    assert outcome(extended) == outcome(run_match(a_match(), 20, tmp_path / "whole", 1, nothing))


def test_a_line_cut_short_is_played_again(tmp_path: Path) -> None:
    whole = run_match(a_match(), 6, tmp_path, 1, nothing)
    path = tmp_path / "blocks.jsonl"
    path.write_bytes(path.read_bytes()[:-30])
    played: list[int] = []
    again = run_match(a_match(), 6, tmp_path, 1, lambda _, block: played.append(block.number))
    assert len(played) == 1
    assert outcome(again) == outcome(whole)
    header, *blocks = (json.loads(line) for line in path.read_text().splitlines())
    assert header["seed"] == 3 and len(blocks) == 6


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"hello\nworld\n", "is not a match file"),
        (b"\x00\xff\x00", "is not a match file"),
        (b'{"kind":"orion arena","format":99}\n', "has format 99"),
        (b'{"format": "orion game"}\n', "is not a match file"),
        (b"[" * 100_000 + b"\n", "is not a match file"),
    ],
)
def test_a_foreign_file_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "blocks.jsonl"
    path.write_bytes(content)
    with pytest.raises(FileError, match=message):
        run_match(a_match(), 2, tmp_path, 1, nothing)
    assert path.read_bytes() == content


def _game(**changes: Any) -> Callable[[dict[str, Any]], object]:
    return lambda block: block["games"][0].update(changes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_game(seats=[1, 0]), "its games are not in the seatings of this match"),
        (_game(seats=[0, -1]), "its games are not in the seatings"),
        (lambda b: b["games"].pop(), "its games are not in the seatings"),
        (_game(returns=[float("nan"), 1]), r"returns are \[nan, 1\]: expected 2 numbers"),
        (_game(returns=["a", "b"]), "returns are"),
        (_game(scores=[1]), "scores are"),
        (_game(decisions="ab"), "decisions are"),
        (_game(seconds=[None, 0.1]), "seconds are"),
        (_game(history=["deal"]), "history is"),
        (_game(colour="red"), "unexpected keyword argument 'colour'"),
        (lambda b: b.update(block=1), "block 1 stands there twice"),
        (lambda b: b.update(block=-1), "block -1: expected a number from 0 on"),
        (lambda b: b.update(block=0.5), "block 0.5"),
    ],
)
def test_a_block_that_is_not_of_this_match_is_named(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    run_match(a_match(), 2, tmp_path, 1, nothing)
    path = tmp_path / "blocks.jsonl"
    header, *blocks = (json.loads(line) for line in path.read_text().splitlines())
    blocks.sort(key=lambda b: -b["block"])  # 1 first
    change(blocks[1])
    path.write_text("".join(json.dumps(line) + "\n" for line in (header, *blocks)))
    with pytest.raises(FileError, match=rf"line 3 is damaged .*{message}"):
        run_match(a_match(), 2, tmp_path, 1, nothing)


@pytest.mark.parametrize(
    "line",
    [b"{\n", b'{"block": 1}\n', b'{"block": 0, "games": [{"seats": [0]}]}\n', b"[]\n", b"[" * 100_000 + b"\n"],
)
def test_a_damaged_line_is_named(tmp_path: Path, line: bytes) -> None:
    run_match(a_match(), 2, tmp_path, 1, nothing)
    path = tmp_path / "blocks.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + line + lines[2])
    with pytest.raises(FileError, match=r"line 2 is damaged"):
        run_match(a_match(), 2, tmp_path, 1, nothing)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (a_match(seed=4), "seed is 3 there, 4 here"),
        (a_match("random", "random"), "agents.0.name is 'random' there, 'random #1' here"),
        (
            Match({"name": "kuhn_poker", "players": 3}, resolve(["random", "ismcts"]), 3, 4),
            "game.options.players is 2 there, 3 here",
        ),
    ],
)
def test_another_matchs_file_is_refused(tmp_path: Path, other: Match, message: str) -> None:
    run_match(a_match(), 2, tmp_path, 1, nothing)
    with pytest.raises(FileError, match=f"belongs to another match: {message}"):
        run_match(other, 2, tmp_path, 1, nothing)


def test_a_search_setting_that_came_later_counts_as_its_default(tmp_path: Path) -> None:
    whole = run_match(a_match(), 4, tmp_path, 1, nothing)
    path = tmp_path / "blocks.jsonl"
    header, *lines = path.read_text().splitlines()
    older = json.loads(header)
    del older["agents"][1]["settings"]["search"]["q_shrink"]
    path.write_text("\n".join([json.dumps(older), *lines]) + "\n")
    assert outcome(run_match(a_match(), 4, tmp_path, 1, nothing)) == outcome(whole)
    older["agents"][1]["settings"]["search"]["rollouts"] = 3
    path.write_text("\n".join([json.dumps(older), *lines]) + "\n")
    with pytest.raises(FileError, match=r"agents\.1\.settings\.search\.rollouts is 3 there, and is no setting here"):
        run_match(a_match(), 4, tmp_path, 1, nothing)


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match=r"cannot write .*file/match"):
        run_match(a_match(), 2, tmp_path / "file" / "match", 1, nothing)


def test_a_full_disk_is_said_and_the_match_goes_on_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Journal, block: Block, **named: bool) -> None:
        if block.number == 2:
            self._file = _FullDisk(self.path)
        add(self, block, **named)

    add = Journal.add
    with monkeypatch.context() as patched, pytest.raises(FileError, match=r"cannot write .*No space left on device"):
        patched.setattr(Journal, "add", full)
        run_match(a_match(), 6, tmp_path, 1, nothing)
    again = run_match(a_match(), 6, tmp_path, 1, nothing)
    assert outcome(again) == outcome(run_match(a_match(), 6, tmp_path / "whole", 1, nothing))


class _FullDisk(io.FileIO):
    """A file that takes twenty bytes more, as a disk may before it is full, and fails again when it is closed."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "ab")

    def write(self, content: Any) -> int:
        super().write(content[:20])
        raise OSError(28, "No space left on device")

    def close(self) -> None:
        super().close()
        raise OSError(28, "No space left on device")


def test_two_matches_cannot_write_one_file(tmp_path: Path) -> None:
    def again(*_: Any) -> None:
        run_match(a_match(), 4, tmp_path, 1, nothing)

    with pytest.raises(FileError, match="in use"):
        run_match(a_match(), 4, tmp_path, 1, again)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_failing_agent_loses_and_is_named_whatever_process_it_is_in(tmp_path: Path, processes: int) -> None:
    match = a_match("random", {"python": "tests.arena.agents:Illegal", "name": "rogue"}, lanes=1, keep=True)
    blocks = run_match(match, 8, tmp_path, processes, nothing)
    assert len(blocks) == 8
    result = summarize(match.load(), ["random", "rogue"], blocks, 3)
    assert result.agents[0].faults == 0 and result.agents[1].faults >= 8
    assert result.agents[1].utility.mean == -1
    assert "rogue lost 16 games; the first: block 0, rogue answered illegally" in result.verdict()
    again = run_match(match, 8, tmp_path, processes, nothing)
    assert [b.as_data(history=False) for b in again] == [b.as_data(history=False) for b in blocks]
    unfinished = game_of_match(tmp_path / "blocks.jsonl", 0, 0)
    assert not unfinished.state_at().is_over


def test_a_match_that_was_killed_goes_on(tmp_path: Path) -> None:
    """kill -9 in the middle; the same match goes on, ends as one that was left alone, and no process stays behind."""
    match = a_match("random", {"python": "tests.arena.agents:Slow", "name": "slow"}, lanes=1)
    code = (
        "from pathlib import Path\nfrom orion_ai.arena.runner import Match, run_match\n"
        "if __name__ == '__main__':\n"
        f"    match = Match.from_text({match.as_text()!r})\n"
        f"    run_match(match, 24, Path({str(tmp_path / 'match')!r}), 2, lambda *_: None)\n"
    )
    (tmp_path / "play.py").write_text(code)
    root = str(Path(__file__).resolve().parents[2])
    child = subprocess.Popen(
        [sys.executable, str(tmp_path / "play.py")], env={**os.environ, "PYTHONPATH": root}, cwd=root
    )
    path = tmp_path / "match" / "blocks.jsonl"
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and (not path.exists() or len(path.read_bytes().splitlines()) < 3):
        time.sleep(0.05)
    workers = psutil.Process(child.pid).children(recursive=True)
    child.send_signal(signal.SIGKILL)
    child.wait()
    written = len(path.read_bytes().splitlines()) - 1
    assert 2 <= written < 24 and workers
    played: list[int] = []
    went_on = run_match(match, 24, tmp_path / "match", 1, lambda _, block: played.append(block.number))
    assert len(played) == 24 - written
    assert outcome(went_on) == outcome(run_match(match, 24, tmp_path / "whole", 1, nothing))
    assert psutil.wait_procs(workers, timeout=15)[1] == []


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("scripted", "agent 'scripted': kuhn_poker has no scripted policy"),
        ("gumbel", "agent 'gumbel'.*name a checkpoint"),
        ({"python": "no.such:thing"}, r"python: 'no.such:thing' cannot be imported .*expected 'module:callable'"),
        ({"python": "tests.arena.agents:First", "colour": "red"}, "unexpected keyword argument 'colour'"),
        ({"python": "operator:is_"}, "python: 'operator:is_' makes a bool without `decide`: expected an agent"),
    ],
)
def test_an_agent_that_cannot_play_is_refused_before_anything_is_written(
    tmp_path: Path, agent: Any, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        run_match(a_match("random", agent), 2, tmp_path / "match", 1, nothing)
    assert not (tmp_path / "match").exists()


def test_the_games_of_a_match_are_kept_and_replay(tmp_path: Path) -> None:
    """In the match file, some bytes a step; those beyond the bound are not, and neither are any on request."""
    match = dataclasses.replace(a_match(keep=True), replay_blocks=2)
    blocks = run_match(match, 3, tmp_path / "kept", 1, nothing)
    path = tmp_path / "kept" / "blocks.jsonl"
    for block in blocks:
        for place, game in enumerate(block.games):
            assert not game.history  # not in memory
            if block.number < 2:
                assert game_of_match(path, block.number, place).state_at().returns() == pytest.approx(game.returns)
    with pytest.raises(UsageError, match=r"holds no steps of block 2: .* beyond replay_blocks"):
        game_of_match(path, 2, 0)
    run_match(a_match(), 3, tmp_path / "bare", 1, nothing)
    bare = (tmp_path / "bare" / "blocks.jsonl").read_text()
    assert "history" not in bare and len(path.read_text()) - len(bare) < 4 * 40
    again = run_match(match, 4, tmp_path / "kept", 1, nothing)
    assert outcome(again)[:3] == outcome(blocks)


@pytest.mark.parametrize(
    ("block", "place", "message"),
    [(7, 0, "has no block 7: the nearest is block=1"), (0, 2, "place is 2: block 0 has games 0 to 1")],
)
def test_a_game_that_is_not_there_is_refused(tmp_path: Path, block: int, place: int, message: str) -> None:
    run_match(a_match(keep=True), 2, tmp_path, 1, nothing)
    with pytest.raises(UsageError, match=message):
        game_of_match(tmp_path / "blocks.jsonl", block, place)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_game(history=[99]), r"block 0, step 1: action 99 .* is illegal"),
        (_game(history=[2, 0]), r"block 0, step 2: action 0 \(pass\) is illegal"),
        (lambda b: b.update(games=3), "line 2 is damaged"),
    ],
)
def test_a_game_that_breaks_the_rules_is_named(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    run_match(a_match(keep=True), 1, tmp_path, 1, nothing)
    path = tmp_path / "blocks.jsonl"
    header, block = (json.loads(line) for line in path.read_text().splitlines())
    change(block)
    path.write_text(f"{json.dumps(header)}\n{json.dumps(block)}\n")
    with pytest.raises(FileError, match=message):
        game_of_match(path, 0, 0)


def test_figures_agree_with_the_games(tmp_path: Path) -> None:
    match = a_match()
    blocks = run_match(match, 30, tmp_path, 1, nothing)
    result = summarize(match.load(), ["random", "ismcts"], blocks, 3)
    games = [g for b in blocks for g in b.games]
    own = [g.returns[g.seats.index(1)] for g in games]
    points = [g.scores[g.seats.index(1)] - g.scores[g.seats.index(0)] for g in games]
    assert result.agents[1].utility.mean == pytest.approx(sum(own) / len(own))
    assert result.agents[1].margin.mean == pytest.approx(sum(points) / len(points))
    assert result.agents[1].win_share.mean == pytest.approx(sum(u > 0 for u in own) / len(own))
    json.dumps(result.as_json(), allow_nan=False)
