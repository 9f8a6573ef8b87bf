"""orion compare: two agents, a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orion_ai.cli import main


def test_it_stops_with_a_verdict_and_goes_on_when_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    passes = '{python: "tests.arena.agents:First", name: passes}'
    words = ["compare", "ismcts", passes, "connect_four", "budget.simulations=20", "processes=1"]
    assert main([*words, "blocks=3", f"output={tmp_path}"]) == 0
    assert "are not told apart (3 blocks" in capsys.readouterr().out
    assert main([*words, "blocks=200", f"output={tmp_path}"]) == 0
    assert "ismcts is stronger than passes" in capsys.readouterr().out
    report = json.loads((tmp_path / "report.json").read_text())
    assert 3 < report["blocks"] < 200 and report["watched"]["stops"]


def test_a_sequential_test_decides_instead(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", "random", "{agent: random, name: other}", "sprt.elo1=200", "blocks=500", "processes=1"]
    assert main([*words, f"output={tmp_path}"]) == 0
    out = capsys.readouterr().out
    assert "sequential test: H0: elo = 0, H1: elo = 200 (logistic), alpha 0.05, beta 0.05" in out
    assert "H0 accepted: random is stronger than other by 0 Elo rather than by 200" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["compare", "ismcts"], "B is missing: expected two agents"),
        (["compare", "ismcts", "radnom"], "unknown agent 'radnom'. Did you mean 'random'?"),
        (["compare", "ismcts", "random", "random"], "unknown game 'random'"),
        (["compare", "{agent: [", "random"], "cannot be read: expected {agent: NAME"),
        (["compare", "ismcts", "random", "sprt.elo1=-5"], "sprt.elo1 is -5"),
        (["compare", "ismcts", "random", "luck=nobody"], "'nobody': there is no such checkpoint"),
    ],
)
def test_mistakes_are_refused(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert message in capsys.readouterr().err
