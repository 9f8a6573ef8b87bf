"""What may be asked: the file and the ply, and what is said when they are wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import engines
from engines.errors import FileError, UsageError
from orion_ai.explain.study import ExplainConfig, explain
from orion_ai.explain.subject import read_subject
from tests.explain.games import KUHN, LEDUC, recorded


def test_a_decision_is_reduced_to_what_its_seat_knows(tmp_path: Path) -> None:
    subject = read_subject(recorded(tmp_path, "kuhn_poker", KUHN), 3)
    assert (subject.seat, subject.ply, subject.truth) == (1, 3, None)
    assert subject.state.viewer == 1
    assert subject.state.fields["card"].tolist() == [0, 3, 0]
    assert subject.log == ("seat 0 is dealt a card", "seat 1 is dealt the king", "seat 0: pass")
    assert subject.played == subject.game.parse("bet")


def test_the_last_decision_is_the_default(tmp_path: Path) -> None:
    assert read_subject(recorded(tmp_path, "kuhn_poker", KUHN)).ply == 4
    unfinished = read_subject(recorded(tmp_path, "kuhn_poker", KUHN[:4]))
    assert (unfinished.ply, unfinished.played) == (4, None)


def test_a_view_is_the_same_position_as_the_step_of_the_game(tmp_path: Path) -> None:
    from_game = read_subject(recorded(tmp_path, "leduc_poker", LEDUC), 7)
    (tmp_path / "view.json").write_text(json.dumps(from_game.state.view(1)))
    from_view = read_subject(tmp_path / "view.json")
    assert from_view.state == from_game.state
    assert (from_view.seat, from_view.ply, from_view.log, from_view.replay) == (1, None, (), None)


@pytest.mark.parametrize(
    ("ply", "said"),
    [
        (1, "ply is 1: chance moves there; the nearest decisions are ply=2 and ply=3"),
        (5, "ply is 5: the game is over there; the nearest decisions are ply=3 and ply=4"),
        (6, "ply 6: the game has steps 0 to 5"),
        (-2, "ply -2: the game has steps 0 to 5"),
    ],
)
def test_a_step_where_nobody_decides_is_refused(tmp_path: Path, ply: int, said: str) -> None:
    with pytest.raises(UsageError, match=f"^{said}$"):
        read_subject(recorded(tmp_path, "kuhn_poker", KUHN), ply)


def test_a_game_without_a_decision_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nobody decides anything in this game of 1 steps"):
        read_subject(recorded(tmp_path, "kuhn_poker", KUHN[:1]))


VIEW = engines.load("kuhn_poker").start(seed=7).view(0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no orion game file"),
        ("not json\n", "line 1: not JSON"),
        ('{"format": "orion game"}\n', "expected 'game'"),
        ("[1, 2]", "expected an object"),
        ('{"a": 1}', "neither a recorded game nor a view"),
        (json.dumps({**VIEW, "game": "kuhn_pokr"}), "Did you mean 'kuhn_poker'"),
        (json.dumps({**VIEW, "game": None}), "a view without 'game'"),
        (json.dumps({**VIEW, "version": 99}), "version is 99"),
        (json.dumps({**VIEW, "state": {**VIEW["state"], "card": "ten"}}), "unknown rank 'ten'"),
    ],
)
def test_a_file_that_is_neither_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(text)
    with pytest.raises(FileError, match=f"file.json.*{said}"):
        read_subject(path)


def test_a_missing_file_and_bytes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "game.jsonl").write_text("")
    with pytest.raises(FileError, match=r"gane.jsonl: does not exist. Did you mean '.*game.jsonl'\?$"):
        read_subject(tmp_path / "gane.jsonl")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="cannot be read as text"):
        read_subject(tmp_path / "bytes")


def test_the_view_of_who_does_not_decide_is_refused(tmp_path: Path) -> None:
    state, path = engines.load("kuhn_poker").start(seed=7), tmp_path / "view.json"
    path.write_text(json.dumps(state.view(1)))
    with pytest.raises(UsageError, match="a view of seat 1, but seat 0 decides"):
        read_subject(path)
    path.write_text(json.dumps(state.view(-1)))
    with pytest.raises(UsageError, match="a view of a spectator, but seat 0 decides"):
        read_subject(path)


def test_settings_of_the_other_kind_of_file_are_refused(tmp_path: Path) -> None:
    game, view = recorded(tmp_path, "kuhn_poker", KUHN), tmp_path / "view.json"
    view.write_text(json.dumps(VIEW))
    with pytest.raises(UsageError, match="ply is 2: a view is one position"):
        read_subject(view, 2)
    with pytest.raises(UsageError, match="reveal: a view holds nothing"):
        read_subject(view, reveal=True)
    with pytest.raises(UsageError, match="options: a recorded game names its own"):
        read_subject(game, options={"players": 2})


def test_options_say_what_game_a_view_is_of(tmp_path: Path) -> None:
    path = tmp_path / "view.json"
    path.write_text(json.dumps(engines.load("goofspiel", cards=3).start(seed=1).view(0)))
    assert read_subject(path, options={"cards": 3}).game.options.cards == 3  # type: ignore[attr-defined]
    with pytest.raises(FileError, match="cards"):
        read_subject(path)
    with pytest.raises(FileError, match="unknown option of goofspiel 'card'"):
        read_subject(path, options={"card": 3})


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"file": ""}, "what is to be explained"),
        ({"agents": []}, "agents names 0: expected one, or two"),
        ({"agents": ["random"] * 3}, "agents names 3: expected one, or two"),
        ({"agents": ["ismct"]}, "unknown agent 'ismct'. Did you mean 'ismcts'"),
        ({"agents": ["scripted"]}, "kuhn_poker has no scripted policy"),
        ({"every": -1}, "every is -1: expected at least 0"),
        ({"nodes": 0}, "nodes is 0: expected at least 1"),
        ({"depth": -1}, "depth is -1: expected at least 0"),
    ],
)
def test_wrong_settings_are_refused(tmp_path: Path, settings: dict[str, object], said: str) -> None:
    usual = {"file": str(recorded(tmp_path, "kuhn_poker", KUHN)), "agents": ["random"]}
    with pytest.raises(UsageError, match=said):
        explain(ExplainConfig(**{**usual, **settings}))  # type: ignore[arg-type]
