"""Replay files: whole, seedless, and refused with the reason wherever they are not what they say."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import engines
from engines.errors import FileError, UsageError
from engines.replay import Replay
from engines.state import State
from tests.engines.games import make, small


def played(name: str = "kuhn_poker", players: int = 2, seed: int = 7) -> State:
    state = make(name, players).start(seed=seed)
    while not state.is_over:
        state.apply(state.legal_actions()[-1])
    return state


@small
def test_a_game_comes_back_as_it_was(name: str, players: int, tmp_path: Path) -> None:
    state = played(name, players)
    path = tmp_path / "new" / "game.jsonl"
    Replay.of(state).write(path)
    back = Replay.read(path, make(name, players))
    assert list(back.actions) == state.history
    assert bytes(back.state_at().record) == bytes(state.record)
    assert back.state_at().returns() == state.returns()
    assert [p.name for p in path.parent.iterdir()] == ["game.jsonl"]


def test_the_header_alone_finds_the_game_and_nothing_holds_a_seed(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    Replay.of(played(players=3, seed=123456789)).write(path)
    replay = Replay.read(path)
    assert (replay.game.name, replay.game.players) == ("kuhn_poker", 3)
    text = path.read_text()
    assert "seed" not in text and 'deal"' not in text and "123456789" not in text
    header, *steps, end = (json.loads(line) for line in text.splitlines())
    assert header["options"] == {"players": 3}
    assert steps[0] == {"by": "chance", "action": steps[0]["action"]} and steps[3]["by"] == 0
    assert end["steps"] == len(steps) and end["over"]


def test_options_that_are_lists_come_back(tmp_path: Path) -> None:
    state = engines.load("moo_board", races=("alkari", "choose")).start(seed=1)
    for _ in range(30):
        state.apply(state.legal_actions()[0])
    Replay.of(state).write(tmp_path / "game.jsonl")
    assert Replay.read(tmp_path / "game.jsonl").state_at() == state


def test_any_state_on_the_way_and_an_unfinished_game(tmp_path: Path) -> None:
    state = played("duel", 3)
    replay = Replay.of(state)
    for ply in (0, 5, len(replay.actions)):
        assert replay.state_at(ply).history == list(replay.actions[:ply])
    with pytest.raises(UsageError, match=f"steps 0 to {len(replay.actions)}"):
        replay.state_at(len(replay.actions) + 1)
    Replay.of(replay.state_at(9)).write(tmp_path / "half")
    assert len(Replay.read(tmp_path / "half", state.game).actions) == 9


def test_a_game_goes_on_with_the_cards_it_would_have_had() -> None:
    game = make("duel", 3)
    state = game.start(seed=31)
    first = State(game, state.record.copy())
    while not state.is_over:
        state.apply(state.legal_actions()[0])
    replay = Replay.of(state)
    again = replay.state_at(4, deal=31)  # in the middle of the first deal
    assert bytes(again.record) == bytes(first.record)
    while not again.is_over:
        again.apply(again.legal_actions()[0])
    assert again.history == state.history
    assert replay.state_at(4, deal=32).history != again.history[: len(replay.state_at(4, deal=32).history or [])]


def test_worlds_have_no_past_to_write() -> None:
    with pytest.raises(UsageError, match="no past"):
        Replay.of(engines.load("kuhn_poker").start(seed=1).determinize(0, 1))


Change = Callable[[list[Any]], list[Any]]


def header(**changes: Any) -> Change:
    return lambda lines: [lines[0] | changes, *lines[1:]]


def line(number: int, **changes: Any) -> Change:
    return lambda lines: [row | changes if i == number else row for i, row in enumerate(lines)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines[:-1], "cut short after 5 steps"),
        (lambda lines: [*lines[:3], *lines[4:]], "4 steps, but the last line says 5"),
        (lambda lines: lines[1:], "no orion game file"),
        (lambda lines: [], "no orion game file"),
        (lambda lines: [*lines, 7], "line 8: expected an object"),
        (header(format="other"), "no orion game file"),
        (header(game="chess"), "unknown game 'chess'"),
        (header(version=2), "version is 2, but this game has 1"),
        (header(content="abc"), 'content is "abc", but this game has ""'),
        (header(options={"players": 9}), "players=9"),
        (header(options={}), "options is"),
        (header(options=None), "expected 'game'"),
        (line(1, action="deal ace"), "line 2: action 5 .deal ace. is illegal here"),
        (line(1, action="deal qeen"), "Did you mean 'deal queen'"),
        (line(2, action=3), "line 3: expected an action by chance"),
        (line(3, by=1), "line 4: expected an action by 0"),
        (line(-1), ""),
        (lambda lines: [*lines[:-1], lines[-1] | {"returns": [0.5, -0.5]}], "returns are"),
        (lambda lines: [*lines[:-1], lines[-1] | {"returns": ["half", "none"]}], "returns are"),
        (lambda lines: [*lines[:-1], lines[-1] | {"returns": [10**400, 1]}], "returns are"),
        (lambda lines: [*lines[:-1], lines[-1] | {"returns": [math.nan, math.nan]}], "returns are"),
        (lambda lines: [*lines[:-1], lines[-1] | {"steps": "5"}], '5 steps, but the last line says "5"'),
        (header(options={"players": "2"}), "players='2'"),
        (header(options={"player": 2}), "Did you mean 'players'"),
        (header(options={"players": 2, "content": "own.yaml"}), "'content' is no option"),
        (header(options={"players": 2, "name": "moo_board"}), "'name' is no option"),
        (header(game="moo_board", options={"players": 2, "races": 5}), "races=5"),
        (lambda lines: [*lines[:-1], lines[-1] | {"scores": [9, 9]}], "scores are"),
        (lambda lines: [*lines[:-1], lines[-1] | {"over": False}], "over: False"),
    ],
)
def test_a_file_that_is_not_what_it_says_is_refused(change: Change, message: str, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    state = engines.load("kuhn_poker").start()
    for text in ("deal jack", "deal queen", "pass", "bet", "bet"):
        state.apply(text)
    Replay.of(state).write(path)
    lines = change([json.loads(row) for row in path.read_text().splitlines()])
    path.write_text("".join(json.dumps(row) + "\n" for row in lines))
    if not message:  # the control: an unchanged file is read
        assert Replay.read(path).actions == tuple(state.history or ())
        return
    with pytest.raises(FileError, match=message) as caught:
        Replay.read(path)
    assert "game.jsonl" in str(caught.value)


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with pytest.raises(FileError, match="does not exist"):
        Replay.read(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="cannot be read"):
        Replay.read(path)
    for text in ("[" * 100_000, '{"steps": ' + "9" * 6000 + "}"):
        path.write_text(text)
        with pytest.raises(FileError, match=r"line 1: not JSON .a number or nesting too large"):
            Replay.read(path)
    Replay.of(played()).write(path)
    path.write_text(path.read_text()[:-9])
    with pytest.raises(FileError, match=r"line \d+: not JSON"):
        Replay.read(path)


def test_a_file_of_another_game_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    Replay.of(played()).write(path)
    with pytest.raises(FileError, match="options is"):
        Replay.read(path, engines.load("kuhn_poker", players=3))
    with pytest.raises(FileError, match='game is "kuhn_poker", but this game has "duel"'):
        Replay.read(path, make("duel", 2))


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    folder = tmp_path / "taken"
    folder.write_text("a file where a folder should be")
    with pytest.raises(FileError, match="cannot write"):
        Replay.of(played()).write(folder / "game.jsonl")
    assert [p.name for p in tmp_path.iterdir()] == ["taken"]
