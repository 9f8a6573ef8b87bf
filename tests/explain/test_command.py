"""`orion explain` from the command line: text and page, and mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orion_ai.cli import main
from orion_ai.explain.subject import read_subject
from tests.explain.games import KUHN, LEDUC, recorded


def said(capsys: pytest.CaptureFixture[str]) -> str:
    lines = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("orion: comp")]
    assert len(lines) == 1
    return lines[0]


def test_it_prints_a_tree_and_writes_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    recorded(tmp_path, "leduc_poker", LEDUC)
    assert main(["explain", "game.jsonl", "ply=3", "budget.simulations=150"]) == 0
    out = capsys.readouterr().out
    assert "Leduc poker: seat 1 decides (game.jsonl, after 3 steps)" in out
    assert "150 simulations" in out
    assert "written: runs/explain/game-3.html" in out
    written = (tmp_path / "runs/explain/game-3.html").read_text()
    assert written.startswith("<!doctype html>")
    assert main(["explain", "--replay", "game.jsonl", "--ply=3", "budget.simulations=150", "output=same.html"]) == 0
    assert (tmp_path / "same.html").read_text() == written


def test_a_view_is_explained_as_the_game_it_comes_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    game = recorded(tmp_path, "kuhn_poker", KUHN)
    view = tmp_path / "view.json"
    view.write_text(json.dumps(read_subject(game, 2).state.view(0)))
    assert main(["explain", "view.json", "output=page.html", "agents=[random]"]) == 0
    assert "Kuhn poker: seat 0 decides (view.json)" in capsys.readouterr().out
    text = (tmp_path / "page.html").read_text()
    assert "Value over the game" not in text and "What it saw happen" not in text


def test_the_options_of_a_views_game_can_be_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    view = read_subject(recorded(tmp_path, "kuhn_poker", ("deal jack", "deal king", "deal queen"), 3)).state.view(0)
    del view["players"]
    (tmp_path / "view.json").write_text(json.dumps(view))
    assert main(["explain", "view.json", "options={players: 3}", "agents=[random]"]) == 0
    assert "seat 2" in capsys.readouterr().out
    assert main(["explain", "view.json", "options={plyers: 3}", "agents=[random]"]) == 2
    assert "Did you mean 'players'?" in said(capsys)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["game.jsonl", "ply=0"], "ply is 0: chance moves there; the nearest decisions are ply=2 and ply=3"),
        (["--replay", "game.jsonl", "--ply"], "--ply says nothing: expected a number after it"),
        (["game.jsonl", "ply=two"], "'ply=two': expected a whole number"),
        (["game.jsonl", "pley=2"], "unknown key 'pley'. Did you mean 'ply'"),
        (["game.jsonl", "agents=[ismct]"], "unknown agent 'ismct'. Did you mean 'ismcts'"),
        (["none.jsonl"], "none.jsonl: does not exist"),
        (["game.jsonl", "other.jsonl"], "cannot understand 'other.jsonl'"),
        ([], "what is to be explained"),
    ],
)
def test_mistakes_are_named(
    words: list[str], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    recorded(tmp_path, "kuhn_poker", KUHN)
    assert main(["explain", *words]) == 2
    assert expected in said(capsys)
    assert not (tmp_path / "runs").exists()
