"""Matches on disk and over processes.

1 The number of processes does not matter. 2 A match goes on where it stopped, and can be extended. 3 A line that was
cut short is played again; a damaged, foreign or other match's file is refused by name and line. 4 A folder that cannot
be written is refused. 5 A failing agent ends the match with its name, from another process too. 6 Recorded games
replay.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engines.errors import FileError, UsageError
from engines.replay import Replay
from orion_ai.arena.entrants import resolve
from orion_ai.arena.journal import read_blocks
from orion_ai.arena.match import AgentError, Block
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
    header, blocks, _ = read_blocks(path)
    assert header["seed"] == 3 and len(blocks) == 6


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"hello\nworld\n", "is not a match file"),
        (b"\x00\xff\x00", "is not a match file"),
        (b'{"kind":"orion arena","format":99}\n', "has format 99"),
        (b'{"format": "orion game"}\n', "is not a match file"),
    ],
)
def test_a_foreign_file_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "blocks.jsonl"
    path.write_bytes(content)
    with pytest.raises(FileError, match=message):
        run_match(a_match(), 2, tmp_path, 1, nothing)
    assert path.read_bytes() == content


@pytest.mark.parametrize("line", [b"{\n", b'{"block": 1}\n', b'{"block": 0, "games": [{"seats": [0]}]}\n', b"[]\n"])
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
        (a_match("random", "random"), "agents is"),
        (Match({"name": "kuhn_poker", "players": 3}, resolve(["random", "ismcts"]), 3, 4), "game is"),
    ],
)
def test_another_matchs_file_is_refused(tmp_path: Path, other: Match, message: str) -> None:
    run_match(a_match(), 2, tmp_path, 1, nothing)
    with pytest.raises(FileError, match=f"belongs to another match: {message}"):
        run_match(other, 2, tmp_path, 1, nothing)


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match=r"cannot write .*file/match"):
        run_match(a_match(), 2, tmp_path / "file" / "match", 1, nothing)


def test_two_matches_cannot_write_one_file(tmp_path: Path) -> None:
    def again(*_: Any) -> None:
        run_match(a_match(), 4, tmp_path, 1, nothing)

    with pytest.raises(FileError, match="in use"):
        run_match(a_match(), 4, tmp_path, 1, again)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_failing_agent_is_named_whatever_process_it_is_in(tmp_path: Path, processes: int) -> None:
    match = a_match("random", {"python": "tests.arena.agents:Illegal", "name": "rogue"}, lanes=1)
    with pytest.raises(AgentError, match="agent 'rogue' answered illegally"):
        run_match(match, 20, tmp_path, processes, nothing)


@pytest.mark.timeout(60)
def test_processes_that_end_without_a_word_end_the_match(tmp_path: Path) -> None:
    match = a_match("random", {"python": "tests.arena.agents:Leaves"}, lanes=1)
    with pytest.raises(RuntimeError, match="a process of the arena died"):
        run_match(match, 20, tmp_path, 2, nothing)


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("scripted", "agent 'scripted': kuhn_poker has no scripted policy"),
        ("gumbel", "agent 'gumbel'.*name a checkpoint"),
        ({"python": "no.such:thing"}, r"python: 'no.such:thing' cannot be imported .*expected 'module:callable'"),
        ({"python": "tests.arena.agents:First", "colour": "red"}, "unexpected keyword argument 'colour'"),
    ],
)
def test_an_agent_that_cannot_play_is_refused_before_anything_is_written(
    tmp_path: Path, agent: Any, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        run_match(a_match("random", agent), 2, tmp_path / "match", 1, nothing)
    assert not (tmp_path / "match").exists()


def test_recorded_games_replay(tmp_path: Path) -> None:
    match = a_match(keep=True)
    blocks = run_match(match, 3, tmp_path, 1, nothing)
    for block in blocks:
        for place, game in enumerate(block.games):
            replay = Replay.read(tmp_path / "replays" / f"{block.number:05d}-{place}.jsonl")
            assert replay.state_at().returns() == pytest.approx(game.returns)
    assert "history" not in (tmp_path / "blocks.jsonl").read_text()


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
