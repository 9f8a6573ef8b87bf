"""`orion solve` and `orion exploit`, from the words to the files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orion_ai.cli import main
from orion_ai.solve import progress
from orion_ai.solve.cfr import checkpoints


def test_solve_writes_a_policy_that_exploit_measures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "kuhn_poker", "iterations=200", f"output={tmp_path}"]) == 0
    said = capsys.readouterr().out
    assert "kuhn_poker, 2 players: 12 information states, 58 histories" in said
    assert "200 iterations: exploitability 0.000" in said
    assert "values by cfr_plus: seat 0 -0.055" in said
    written = json.loads((tmp_path / "policy.json").read_text())
    assert [p["iterations"] for p in written["notes"]["points"]] == [1, 2, 5, 10, 20, 50, 100, 200]
    agents = f'agents=[{{python: "orion_ai.solve.policy_file:PolicyFileAgent", file: {tmp_path}/policy.json}},random]'
    assert main(["exploit", "kuhn_poker", agents, "seeds=2", f"output={tmp_path}"]) == 0
    rows = json.loads((tmp_path / "exploit.json").read_text())["rows"]
    assert [row["agent"] for row in rows] == ["PolicyFileAgent", "random"]
    assert rows[0]["exploitability"] == pytest.approx(written["notes"]["points"][-1]["exploitability"])
    assert rows[1]["pooled"] == pytest.approx(0.458333, abs=1e-6)


def test_exploit_measures_searches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["agent=ismcts", "simulations=[10,100]", "seeds=3", "iterations=100", f"output={tmp_path}"]
    assert main(["exploit", "kuhn_poker", *words]) == 0
    said = capsys.readouterr().out
    assert "uniform play 0.4583" in said and "0.00119 after 100 iterations" in said
    data = json.loads((tmp_path / "exploit.json").read_text())
    assert [row["simulations"] for row in data["rows"]] == [10, 100]
    for row in data["rows"]:
        assert len(row["values"]) == 3 and len(set(row["values"])) == 3
        assert row["interval"][0] < row["exploitability"] < row["interval"][1]
        assert row["pooled"] <= row["exploitability"] + 1e-12
        assert sum(row["gains"]) / 2 == pytest.approx(row["pooled"])
    assert data["reference"]["cfr_plus"][-1][0] == 100
    assert data["agents"]["ismcts"]["search"]["algorithm"] == "ismcts"
    assert (tmp_path / "exploit.png").read_bytes().startswith(b"\x89PNG")


def test_exploit_bounds_what_it_cannot_enumerate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["agents=[random,ismcts]", "simulations=[10]", "seeds=2", "learn=3000", "games=1000", f"output={tmp_path}"]
    assert main(["exploit", "kuhn_poker", "method=approximate", *words]) == 0
    said = capsys.readouterr().out
    assert "lower bounds, 3,000 games to learn and 1,000 to measure in each seat" in said
    data = json.loads((tmp_path / "exploit.json").read_text())
    assert data["method"] == "approximate" and data["learn"] == 3000 and data["reference"] == {}
    assert [(row["agent"], row["simulations"]) for row in data["rows"]] == [("random", None), ("ismcts", 10)]
    for row in data["rows"]:
        assert row["interval"][0] < row["exploitability"] < row["interval"][1]
        assert row["exploitability"] == pytest.approx(sum(row["values"]) / 2)
        assert row["exploitability"] == pytest.approx(sum(row["gains"]) / 2)
        assert row["asked"] == 12 and row["pooled"] is None
    assert data["rows"][0]["interval"][0] < 0.458333 < data["rows"][0]["interval"][1] + 0.05
    assert (tmp_path / "exploit.png").read_bytes().startswith(b"\x89PNG")


def test_agents_of_one_name_are_told_apart(tmp_path: Path) -> None:
    words = ["agents=[ismcts,ismcts]", "simulations=[10]", "seeds=1", "iterations=0", f"output={tmp_path}"]
    assert main(["exploit", "kuhn_poker", *words]) == 0
    rows = json.loads((tmp_path / "exploit.json").read_text())["rows"]
    assert [row["agent"] for row in rows] == ["ismcts #1", "ismcts #2"]
    assert rows[0]["interval"] == [None, None]


def test_three_seats(tmp_path: Path) -> None:
    assert main(["exploit", "kuhn_poker", "players=3", "simulations=[20]", "seeds=2", f"output={tmp_path}"]) == 0
    data = json.loads((tmp_path / "exploit.json").read_text())
    assert len(data["rows"][0]["gains"]) == 3
    assert data["reference"]["uniform"] == pytest.approx(2.0625 / 3)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["exploit", "agent=ismtcs"], "Did you mean 'ismcts'"),
        (["exploit", "agent=[]"], "agents is empty"),
        (["exploit", "simulations=[10,0]"], "simulations is [10, 0]: expected numbers of 1 or more"),
        (["exploit", "seeds=0"], "seeds is 0: expected 1 or more"),
        (["exploit", "answer=acton"], "Did you mean 'action'"),
        (["exploit", "limit=50"], "too large to be solved exactly: more than 50 histories"),
        (["exploit", "limit=50"], "limit=50. Shrink it by its options"),
        (["exploit", "limit=50"], "or set method=approximate: a lower bound for games of any size"),
        (["solve", "limit=50"], "`orion exploit kuhn_poker method=approximate`"),
        (["exploit", "method=approx"], "Did you mean 'approximate'"),
        (["exploit", "learn=10"], "learn does nothing with method=exact: set method=approximate"),
        (["exploit", "method=approximate", "limit=10"], "limit does nothing with method=approximate"),
        (["exploit", "method=approximate", "games=1"], "games is 1: expected 2 or more"),
        (["exploit", "method=approximate", "agent=scripted"], "kuhn_poker has no scripted policy"),
        (["exploit", "agent=scripted"], "kuhn_poker has no scripted policy"),
        (["solve", "method=cfrplus"], "Did you mean 'cfr_plus'"),
        (["solve", "limit=99999999999999999999"], "expected 1 to 2,147,483,647"),
        (["exploit", "limit=99999999999999999999"], "expected 1 to 2,147,483,647"),
        (["solve", "iterations=0"], "iterations is 0: expected 1 or more"),
        (["solve", "players=3", "method=sequence_form"], "kuhn_poker has 3: use method=cfr_plus"),
        (["solve", "method=backward_induction"], "kuhn_poker has secrets: use CFR"),
    ],
)
def test_mistakes_are_named(words: list[str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, f"output={tmp_path}"]) == 2
    assert why in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_what_takes_long_says_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "PLAIN_SECONDS", 0.0)
    words = ["kuhn_poker", "agent=ismcts", "simulations=[10]", "seeds=1", "iterations=1", f"output={tmp_path}"]
    assert main(["exploit", *words]) == 0
    said = capsys.readouterr().out
    assert "counting: 58 histories (12 information states), limit=2,000,000" in said
    assert "ismcts, 10 simulations, seed 1 of 1: question 0 of 12" in said
    words = [*words[:-2], "method=approximate", "learn=100", "games=100", words[-1]]
    assert main(["exploit", *words]) == 0
    said = capsys.readouterr().out
    assert "ismcts, 10 simulations, seed 1 of 1: seat 1 learns: game" in said and "information states asked" in said


def test_unknown_agents_are_refused_before_the_game_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("orion_ai.commands.exploit.load_game", lambda game: pytest.fail("the game was loaded"))
    assert main(["exploit", "kuhn_poker", "agent=ismtcs"]) == 2


def test_the_values_of_many_seats_stand_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "kuhn_poker", "players=3", "iterations=10", f"output={tmp_path}"]) == 0
    values = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("values"))
    assert "seat 2" in values and "nash_conv" in values


def test_iterations_that_are_looked_at() -> None:
    assert checkpoints(1000) == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
    assert checkpoints(30) == [1, 2, 5, 10, 20, 30]
    assert checkpoints(0) == []
