"""Agents of somebody's own where no umpire is: in `orion play`, `explain`, `exploit`, and in the tree of another agent.

1 What they do wrong is a mistake of the user's: it names the agent, what it did and the place in its code. 2 Where they
may end the process, a command goes on in another, and tells of it; what it says itself and its exit code stay as they
are. 3 In a match the text says that it was the opponent in the tree. 4 A bot is measured against one, and goes on.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

import engines
from orion_ai import attended
from orion_ai.arena import runner
from orion_ai.arena.entrants import make_agents, resolve
from orion_ai.arena.own_code import AgentFailure
from orion_ai.arena.runner import Match, measure, run_match
from orion_ai.cli import main
from tests.commands.test_cli import run
from tests.explain.games import KUHN, recorded

WRONG = {
    "Raises": r"failed: ZeroDivisionError: no idea \(.*tests/arena/agents.py, line \d+\)",
    "Nothing": r"gave None: expected Decisions, with an action for each of 1 games",
    "Illegal": r"answered action \d+, which is not legal: legal were 0 \(pass\), 1 \(bet\)",
    "TooFew": r"gave int32\[0\] for the actions of 1 games",
    "Uneven": r"gave \[\[0\], \[0, 1\]\] for the actions of 1 games",
    "Vast": r"answered action 429496729\d, which no game has",
    "Scribbles": r"answered action \d+, which is not legal: legal were 0 \(pass\), 1 \(bet\)",
    "Wordless": r"failed: Dumb: \(its text cannot be had: ValueError\) \(.*agents.py, line \d+\)",
    "Cancelled": r"failed: GeneratorExit \(.*agents.py, line \d+\)",
    "Named": r"cannot be made: AttributeError: property 'name' of 'Named' object has no setter \(.*, line \d+\)",
    "Quits": r"failed: it asked the program to exit \(SystemExit: enough\) \(.*agents.py, line \d+\)",
    "Leaver": r"cannot be made: it asked the program to exit \(SystemExit: 0\) \(.*agents.py, line \d+\)",
}
COMMANDS = ["play", "explain", "exploit"]


def words(command: str, agent: str, folder: Path) -> list[str]:
    """A command that asks an agent."""
    recorded(folder, "kuhn_poker", KUHN)
    explained = ["explain", f"{folder}/game.jsonl", "ply=2", f"output={folder}/page.html"]
    exploited = ["exploit", "kuhn_poker", "lanes=1", "seeds=1", f"output={folder}"]
    start = {"play": ["play", "kuhn_poker", "seed=5"], "explain": explained, "exploit": exploited}[command]
    return [*start, f"agents=[{agent}]"]


def python(kind: str, more: str = "") -> str:
    return f"{{python: 'tests.arena.agents:{kind}'{more}}}"


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_agent_is_named_and_no_fault_of_ours(
    command: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n1\n1\n"))
    assert main(words(command, python(kind), tmp_path)) == 2
    (said,) = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("orion: comp")]
    assert re.fullmatch(rf"orion {command}: agent '{kind}' {WRONG[kind]}", said)


def test_a_hint_that_fails_does_not_end_the_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("hint\n1\n1\n1\n"))
    assert main(["play", "kuhn_poker", "seed=5", "agents=[random]", f"hint={python('Raises')}"]) == 0
    assert "hint: agent 'Raises' failed: ZeroDivisionError: no idea" in capsys.readouterr().out


def test_in_the_tree_of_another_it_is_named_as_the_opponent(tmp_path: Path) -> None:
    """In a match too, where the agent whose tree it is loses."""
    given = {"agent": "ismcts", "name": "mine", "opponent": {"python": "tests.arena.agents:Nothing"}}
    entrants = resolve(["random", given], simulations=9)
    text = "agent 'tests.arena.agents:Nothing, the opponent of mine' gave None: expected Decisions"
    game = engines.load("kuhn_poker")
    state = game.start(1)
    (agent,) = make_agents(game, entrants[1:], 1, guard=True)
    with pytest.raises(AgentFailure, match=f"^{text}"):
        agent.decide(state.record[None].copy(), [0], [1])
    (block,) = run_match(Match({"name": "kuhn_poker"}, entrants, 1, 4), 1, tmp_path, 1, lambda *_: None)
    faults = [game.fault for game in block.games]
    assert all(fault and fault[1].startswith(f"failed: {text}") for fault in faults)


def test_in_a_match_it_loses_whatever_it_raises_or_answers(tmp_path: Path) -> None:
    kinds = {
        "Wordless": "failed: Dumb: (its text",
        "Vast": "failed: answered action 4294",
        "Uneven": "failed: gave [[0]",
    }
    entrants = resolve([{"python": f"tests.arena.agents:{kind}"} for kind in kinds])
    match = Match({"name": "kuhn_poker", "players": 3}, entrants, 1, 4)
    (block,) = run_match(match, 1, tmp_path, 1, lambda *_: None)
    faults = [game.fault[1] for game in block.games if game.fault]
    assert len(faults) == len(block.games) and all(any(f.startswith(text) for text in kinds.values()) for f in faults)
    assert {text for text in kinds.values() for f in faults if f.startswith(text)} == {*kinds.values()}


# What no process survives

INTERRUPTED = "[signal.signal(2, lambda *_: os._exit(5)), os.kill(os.getppid(), 2), time.sleep(60)]"
"""By somebody who knows the number of the process that he started alone."""


@pytest.mark.parametrize(
    ("what", "code", "said"),
    [
        ("os._exit(0)", 2, "the program was ended (exit code 0) while agent 'it' was asked; expected it to answer"),
        ("os.kill(os.getpid(), 11)", 2, "the program was ended (SIGSEGV) while agent 'it' was asked"),
        ("os.kill(os.getpid(), 40)", 2, "the program was ended (signal 40) while agent 'it' was asked"),
        ("os.kill(os.getpid(), 9)", 2, "the program was ended (SIGKILL; out of memory?) while agent 'it' was asked"),
        ("os.kill(os.getppid(), 15); time.sleep(9)", 143, "the program was ended (SIGTERM)"),
        (INTERRUPTED, 2, "the program was ended (exit code 5) while agent 'it' was asked"),
        ("3", 3, ""),
    ],
)
def test_a_process_that_waits_tells_how_the_other_ended(what: str, code: int, said: str) -> None:
    program = f"""
import os, signal, sys, time
from orion_ai import attended
attended.INTERRUPTED_SECONDS = 0.2
attended.enable()
try:
    attended.attend()
    attended.attend()
    with attended.asking("agent 'it' was asked"):
        left = {what}
    attended.finished()
    sys.exit(left)
except attended.Ended as end:
    print(end.said)
    sys.exit(end.code)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (code, "") and done.stdout.startswith(said)


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_that_ask_foreign_code_leave_it_to_another_process(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leave() -> None:
        raise attended.Ended(77)

    monkeypatch.setattr(attended, "attend", leave)
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    assert main(words(command, python("First"), tmp_path)) == 77
    assert main(words(command, f"{{agent: ismcts, opponent: {python('First')}}}", tmp_path)) == 77
    assert main(words(command, "{kind: mine, module: tests.arena.broken}", tmp_path)) == 77  # before it is imported
    assert main(words(command, "random", tmp_path)) == 0


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_an_agent_that_ends_its_process_is_named(command: str, tmp_path: Path) -> None:
    """Half a minute: pytest -m slow tests/arena/test_own_code.py"""
    more = ["seat=1"] if command == "play" else []  # it moves first: nobody types
    done = run(*words(command, python("Ends"), tmp_path), *more)
    assert done.returncode == 2
    text = f"orion {command}: the program was ended (exit code 0) while agent 'Ends' was asked"
    assert done.stderr.splitlines()[-1].startswith(text) and "Traceback" not in done.stderr
    (tmp_path / "ends_early.py").write_text("import os\nos._exit(0)\n")
    done = run(*words(command, "{kind: mine, module: ends_early}", tmp_path), cwd=tmp_path)
    text = f"orion {command}: the program was ended (exit code 0) while module 'ends_early' was imported"
    assert done.returncode == 2 and done.stderr.splitlines()[-1].startswith(text)


def test_a_bot_is_measured_against_one_in_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in training: whatever it does there, the process that trains stays."""
    monkeypatch.setattr(runner, "Player", None)
    entrants = resolve(["random", {"python": "tests.arena.agents:Raises"}])
    match = Match({"name": "kuhn_poker"}, entrants, 1, 1)
    assert [agent.faults for agent in measure(match, match.load(), 1).agents] == [0, 2]
