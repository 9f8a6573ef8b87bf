"""Games out of all files that keep one, and what a game put aside does not show.

1 A match's folder, a recorded game and a saved game give the same game. 2 Files of other kinds, and settings for other
kinds of file, are refused by name. 3 While a saved game is not over, only its person's decisions are explained and only
its person's eyes are the default of `orion replay`; the page is the same whatever the others hold.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import engines
from engines.errors import FileError, UsageError
from orion_ai.arena.entrants import resolve
from orion_ai.arena.runner import Match, run_match
from orion_ai.cli import main
from orion_ai.explain.page import page
from orion_ai.explain.study import ExplainConfig, explain
from orion_ai.explain.subject import read_subject
from orion_ai.identity import identity_of
from orion_ai.play.recorded import read_recorded
from orion_ai.play.savefile import SavedGame

KUHN = {"name": "kuhn_poker", "players": 2}
OPEN = ("deal jack", "deal king", "pass", "bet")
OVER = (*OPEN, "pass")


def saved(path: Path, steps: Sequence[str], seat: int = 0) -> Path:
    identity = identity_of(engines.load("kuhn_poker")).as_json()
    SavedGame(KUHN, seat, 5, resolve(["random"]), True, tuple(steps), identity).write(path)
    return path


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("match")
    run_match(Match(KUHN, resolve(["random", "random"]), 1, 4, True), 3, folder, 1, lambda journal, block: None)
    return folder


def test_every_kind_of_file_gives_the_same_game(tmp_path: Path, match: Path) -> None:
    from_match = read_recorded(match, 2, 1)
    assert from_match.replay.actions == read_recorded(match / "blocks.jsonl", 2, 1).replay.actions
    assert from_match.source == f"{match.name} block 2 game 1" and from_match.person is None
    from_match.replay.write(tmp_path / "game.jsonl")
    assert read_recorded(tmp_path / "game.jsonl").replay.actions == from_match.replay.actions
    texts = [from_match.replay.game.action_text(a) for a in from_match.replay.actions]
    over = read_recorded(saved(tmp_path / "saved.json", texts))
    assert over.replay.actions == from_match.replay.actions and over.person is None
    assert read_recorded(saved(tmp_path / "open.json", OPEN, seat=0)).person == 0


def test_what_cannot_be_read_is_refused(tmp_path: Path, match: Path) -> None:
    (tmp_path / "empty").mkdir()
    game = tmp_path / "game.jsonl"
    read_recorded(match).replay.write(game)
    for path, named, said in (
        (tmp_path / "empty", {}, "is the folder of no match: it holds no blocks.jsonl"),
        (tmp_path / "nowhere", {}, "nowhere: does not exist$"),
        (tmp_path / "gaem.jsonl", {}, r"gaem.jsonl: does not exist. Did you mean '.*game.jsonl'\?$"),
        (game, {"block": 1}, "is one game; only a match has blocks"),
        (saved(tmp_path / "saved.json", OPEN), {"place": 1}, "is one game; only a match has blocks"),
        (saved(tmp_path / "saved.json", OPEN), {"content": "x.yaml"}, "a saved game names its own"),
        (saved(tmp_path / "wrong.json", ("deal jack", "deal jack")), {}, r"step 2: .* is illegal"),
        (saved(tmp_path / "seat.json", OPEN, seat=7), {}, "is damaged: seat 7 in a game of 2 seats"),
    ):
        with pytest.raises((FileError, UsageError), match=said):
            read_recorded(path, **named)  # type: ignore[arg-type]


def test_the_persons_own_decisions_are_explained_and_no_others(tmp_path: Path) -> None:
    path = saved(tmp_path / "saved.json", OPEN)
    subject = read_subject(path)
    assert (subject.seat, subject.ply, subject.played) == (0, 4, None)
    assert read_subject(path, 2).played == subject.game.parse("pass")
    with pytest.raises(UsageError, match=r"ply is 3: seat 1 decides there, and the saved game is not over: .* seat 0"):
        read_subject(path, 3)
    assert read_subject(path, 3, reveal=True).seat == 1
    assert read_subject(saved(tmp_path / "over.json", OVER), 3).seat == 1
    with pytest.raises(UsageError, match="its person, seat 1, has not decided anything yet"):
        read_subject(saved(tmp_path / "late.json", OPEN[:2], seat=1))


def test_the_page_of_a_saved_game_keeps_the_others_secrets(tmp_path: Path) -> None:
    pages = []
    for card in ("king", "queen"):
        path = saved(tmp_path / "saved.json", ("deal jack", f"deal {card}", "pass", "bet"))
        told = explain(ExplainConfig(str(path), agents=["ismcts"]))
        pages.append(page(told))
    assert pages[0] == pages[1] and "saved.json" in pages[0]


def test_a_saved_game_is_replayed_through_its_persons_eyes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = saved(tmp_path / "saved.json", OPEN)
    assert main(["replay", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "shown: 0" in shown and "jack" in shown and "king" not in shown
    assert main(["replay", str(path), "seat=all"]) == 0
    assert "king" in capsys.readouterr().out
    assert main(["replay", str(saved(tmp_path / "over.json", OVER))]) == 0
    assert "shown: all" in capsys.readouterr().out


def test_a_game_of_a_match_is_explained_by_block_and_place(
    tmp_path: Path, match: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["explain", str(match), "block=1", "place=1", "ply=2", "agents=[random]"]) == 0
    assert f"{match.name} block 1 game 1, after 2 steps" in capsys.readouterr().out
    assert (tmp_path / f"runs/explain/{match.name}-block-1-game-1-2.html").is_file()
    assert main(["explain", str(match), "block=9"]) == 2
    assert "has no block 9: the nearest is block=2" in capsys.readouterr().err
    view = tmp_path / "view.json"
    view.write_text(json.dumps(read_subject(match, 2).state.view(0)))
    assert main(["explain", str(view), "block=1"]) == 2
    assert "a view is one position; only a match has blocks" in capsys.readouterr().err
