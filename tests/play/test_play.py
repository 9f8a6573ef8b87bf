"""Playing in the terminal.

1 A whole game runs from piped input. 2 Nothing that is printed depends on what the person cannot know. 3 Undo goes back
to the person's last decision, and chance and bots answer the same again. 4 A saved game goes on as it would have; a
damaged, foreign or illegal file is refused by name. 5 Mistyped actions are answered, not fatal. 6 Hints come from the
person's view; casual=false turns hints and undo off.
"""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import engines
from orion_ai.cli import main
from orion_ai.play.choices import menu, pick
from orion_ai.play.session import Session
from tests.arena.agents import First


class Player:
    """Runs `orion play` on typed lines and returns (exit code, output, errors)."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def __call__(self, lines: str, *words: str) -> tuple[int, str, str]:
        self.monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        code = main(["play", *words])
        out, err = self.capsys.readouterr()
        return code, out, err


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Player:
    return Player(monkeypatch, capsys)


FIRST = 'agents=[{python: "tests.arena.agents:First", name: first}]'


@pytest.mark.parametrize("players", [2, 3])
def test_a_game_from_piped_input(play: Player, players: int) -> None:
    code, out, _ = play("1\n1\n1\n", f"players={players}", "agents=[random]", "seed=5")
    assert code == 0
    assert "You are seat 0 of Kuhn poker" in out and "Your options:" in out and "the end" in out
    assert len(re.findall(r"^seat \d.*points", out, re.MULTILINE)) == players


def test_the_end_of_input_leaves_the_game(play: Player) -> None:
    code, out, _ = play("", "seed=5", "agents=[random]")
    assert code == 0 and "not saved" in out


def test_nothing_printed_depends_on_what_is_hidden(play: Player) -> None:
    """The opponent always passes, so games with the same own card must read the same to the end, save the result."""
    transcripts: dict[str, set[str]] = {}
    hidden: dict[str, set[int]] = {}
    game = engines.load("kuhn_poker")
    for seed in range(1, 25):
        session = Session(game, 0, {1: First(game, 1)}, seed)
        own = session.view()["state"]["card"]  # type: ignore[index]
        hidden.setdefault(own, set()).add(session.history[1])
        _, out, _ = play("hint\nlog\nboard\nbet\n", f"seed={seed}", FIRST, "hint={agent: random}")
        before_hint, after_hint = out.split("(this bot does not search")
        shown = before_hint.split("random would play")[0] + after_hint.split("seat 0 (you):")[0]
        transcripts.setdefault(own, set()).add(shown)
    assert any(len(cards) > 1 for cards in hidden.values())
    assert all(len(texts) == 1 for texts in transcripts.values())


def test_undo_goes_back_to_the_last_decision_and_the_rest_answers_the_same(play: Player) -> None:
    seed = next(s for s in range(1, 99) if _second_choice(s))
    _, straight, _ = play("pass\nbet\n", f"seed={seed}", "players=3", "agents=[random]")
    code, undone, _ = play("pass\nundo\npass\nbet\n", f"seed={seed}", "players=3", "agents=[random]")
    assert code == 0 and "Back to your last decision" in undone
    assert undone.split("the end")[1] == straight.split("the end")[1]
    _, refused, _ = play("undo\nquit\n", f"seed={seed}", "players=3", "agents=[random]")
    assert "no decision of yours to take back" in refused


def _second_choice(seed: int) -> bool:
    """Whether passing first in three-handed Kuhn poker against random bots leads to another choice."""
    from orion_ai.agents import RandomAgent

    game = engines.load("kuhn_poker", players=3)
    session = Session(game, 0, {p: RandomAgent(game) for p in (1, 2)}, seed)
    session.act(0)
    return not session.is_over


def test_a_saved_game_goes_on_as_it_would_have(play: Player, tmp_path: Path) -> None:
    seed = next(s for s in range(1, 99) if _second_choice(s))
    file = tmp_path / "game.json"
    _, whole, _ = play("pass\nbet\n", f"seed={seed}", "players=3", "agents=[random]")
    code, out, _ = play(f"pass\nsave {file}\nquit\n", f"seed={seed}", "players=3", "agents=[random]")
    assert code == 0 and f"orion play {file}" in out
    saved = json.loads(file.read_text())
    assert "spoils" in saved["warning"] and saved["steps"][3] == "pass"
    code, resumed, _ = play("undo\npass\nbet\n", str(file))
    assert code == 0
    assert resumed.split("the end")[1] == whole.split("the end")[1]


def _saved(tmp_path: Path, play: Player) -> tuple[Path, dict[str, Any]]:
    file = tmp_path / "game.json"
    play(f"save {file}\nquit\n", "seed=4", "agents=[random]")
    return file, json.loads(file.read_text())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "something else"}, "is no saved game"),
        ({"format": 2}, "has format 2"),
        ({"steps": ["deal king", "deal kign"]}, "step 2: unknown action 'deal kign'. Did you mean 'deal king'"),
        ({"steps": ["deal king", "deal king"]}, "step 2 of the game, 'deal king', breaks the rules"),
        ({"seat": 9}, "seat is 9: expected 0 to 1"),
        ({"seat": "x"}, "is damaged"),
        ({"seat": True}, "is damaged .*expected a int, found True"),
        ({"seed": float("inf")}, "is damaged"),
        ({"casual": "no"}, "expected a bool, found 'no'"),
        ({"steps": [1, 2]}, "expected a str, found 1"),
        ({"entrants": [{"name": 3, "settings": {"kind": "random"}}]}, "expected a str, found 3"),
        ({"entrants": [{"name": "x", "settings": {"kind": "search", "search": 3}}]}, "search of an agent is 3"),
        (
            {"entrants": [{"name": "x", "settings": {"kind": "search", "search": {"foo": 1}}}]},
            "unknown key of search 'foo'",
        ),
        ({"entrants": [{"name": "x", "settings": {"kind": "policy", "temperature": "hot"}}]}, "temperature is 'hot'"),
        ({"entrants": [{"name": "x", "settings": {"kind": "policy"}, "where": 3}]}, "expected a str, found 3"),
        ({"entrants": []}, "is damaged: 0 bots in a game of 2 seats"),
        ({"entrants": [{"name": "x", "settings": {"kind": "python", "python": "builtins:print"}}]}, "none is run"),
        ({"entrants": [{"name": "x", "settings": {"kind": "print", "module": "builtins"}}]}, "none is run"),
        ({"entrants": [{"name": "x", "settings": {"opponent": {"python": "builtins:print"}}}]}, "none is run"),
        ({"entrants": [{"name": "x", "settings": {"opponent": 3}}]}, "is damaged"),
        ({"identity": {"game": "kuhn_poker", "version": 0}}, "the rules of the game have changed"),
        ({"game": {"name": "kuhn_pokre"}}, "unknown game 'kuhn_pokre'. Did you mean 'kuhn_poker'"),
    ],
)
def test_a_bad_saved_game_is_refused(play: Player, tmp_path: Path, change: dict[str, Any], message: str) -> None:
    file, saved = _saved(tmp_path, play)
    file.write_text(json.dumps({**saved, **change}))
    code, _, err = play("", str(file))
    assert code == 2 and re.search(message, err)


def test_a_file_that_is_no_json_is_refused(play: Player, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    for text in ('{"kind": ', "[" * 100_000, '{"kind": ' + "9" * 5000 + "}"):
        file.write_text(text)
        code, _, err = play("", str(file))
        assert code == 2 and str(file) in err
    code, _, err = play("", str(tmp_path / "none.json"))
    assert code == 2 and "none.json" in err


def test_mistakes_are_answered_and_the_game_goes_on(play: Player, tmp_path: Path) -> None:
    lines = f"9\nbte\nhelp\nsave {tmp_path}/x.json\n\npass\npass\n"
    code, out, _ = play(lines, "seed=5", FIRST)
    assert code == 0 and "the end" in out
    assert "there is no option 9: expected 1 to 2" in out
    assert "'bte' is not possible now. Did you mean 'bet' (2)?" in out
    assert "Pick an action by its number" in out
    assert "an agent of one's own" in out and not (tmp_path / "x.json").exists()
    (tmp_path / "file").write_text("")
    code, out, _ = play(f"save\nsave {tmp_path}/file/x.json\nquit\n", "seed=5", "agents=[random]")
    assert code == 0 and "save where?" in out and "cannot write" in out


def test_whatever_is_typed_is_answered(play: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    for typed in ("²", "9" * 5000, "x" * 100_000, "save a\0b", "\x1b[31m", f"save {'y' * 400}", "save /dev/full/x"):
        code, out, _ = play(f"{typed}\npass\npass\n", "seed=5", FIRST)
        assert code == 0 and "the end" in out and len(out) < 200_000
    raw = io.TextIOWrapper(io.BytesIO(b"\xff\xfe\npass\npass\n"), encoding="utf-8")
    monkeypatch.setattr(io, "StringIO", lambda _: raw)
    code, out, _ = play("", "seed=5", FIRST)
    assert code == 0 and "is not possible now" in out and "the end" in out


def test_hints_show_values_and_can_be_off(play: Player) -> None:
    code, out, _ = play("hint\nquit\n", "seed=5", "agents=[random]", "budget.simulations=50")
    assert code == 0 and "default would play" in out and re.search(r"value [+-]\d\.\d\d  weight .*visits", out)
    _, out, _ = play("hint\nundo\nquit\n", "seed=5", "agents=[random]", "casual=false")
    assert "hint is off in this game" in out and "undo is off in this game" in out


def test_options_are_listed_by_what_the_log_would_say_where_that_is_more(play: Player) -> None:
    code, out, _ = play("roll\nquit\n", "pig", "seed=3", "agents=[random]")
    assert code == 0 and re.search(r"2 hold \(hold \d+, now at \d+\)", out) and re.search(r"1 roll\s", out)


def test_what_an_option_is_called_never_tells_what_is_hidden() -> None:
    session = Session(engines.load("phantom_tic_tac_toe"), 1, {0: First(engines.load("phantom_tic_tac_toe"), 1)}, 1)
    (taken,) = session.history
    assert taken in session.legal() and session.said() == {}
    session.act(taken)
    assert session.log[-1].endswith("is taken")


@pytest.mark.parametrize("game", ["kuhn_poker", "pig", "phantom_tic_tac_toe", "leduc_poker"])
def test_the_texts_of_recorded_games_pick_what_they_are(game: str) -> None:
    state = engines.load(game).start(seed=2)
    while not state.is_over:
        options = menu(state.game, state.legal_actions())
        assert [pick(options, state.game.action_text(o.action)).action for o in options] == [o.action for o in options]
        state.apply(options[-1].action)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["seat=2"], "seat is 2: expected 0 to 1"),
        (["agents=[]"], "agents is empty"),
        (["agents=[random,random]"], "agents names 2 bots, but there are 1 other seats"),
        (["agents=[randmo]"], "unknown agent 'randmo'. Did you mean 'random'"),
        (["players=4"], "players=4, expected 2 to 3"),
        (["hint=nobody"], "unknown agent 'nobody'"),
        (["hint=policy"], "hint: agent 'policy' needs a network: name a checkpoint, {agent: NAME, checkpoint: PATH}"),
        (["hint=gumbel"], "hint: agent 'gumbel': search.leaf is 'network', but there is no network"),
        (["hint=scripted"], "hint: agent 'scripted': kuhn_poker has no scripted policy"),
        (["hint=random", "casual=false"], "hint is 'random', but this game has no hints (casual=false): leave it out"),
    ],
)
def test_bad_settings_are_refused(
    play: Player, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    if not message.startswith("hint: "):  # what only the loaded game can tell
        monkeypatch.setattr("orion_ai.commands.play.load_game", lambda game: pytest.fail("the game was compiled"))
    code, _, err = play("", *words)
    assert code == 2 and message in err
