"""Spaces and the command: what may be asked, and what is said of mistakes, before anything is written."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from orion_ai.cli import main
from orion_ai.tune.space import Parameter, read_space

pytest.importorskip("optuna")


def test_bounds_and_choices_are_told_apart() -> None:
    space = read_space(
        {
            "search": {"c_uct": [1, 2], "cutoff": [1, 8, "log"], "nodes": ["own", "public"]},
            "search.simulations": {"choices": [10, 20]},
            "search.max_nodes": [5, 6, 7],
        },
        {"agent": "ismcts"},
        {"algorithm": "ismcts", "leaf": "random"},
    )
    found = {p.key: p for p in space.parameters}
    assert found["search.c_uct"] == Parameter(
        "search.c_uct", 1.0, 2.0, acts_with=(("search.algorithm", ("ismcts", "auto")),)
    )
    assert found["search.cutoff"].whole and found["search.cutoff"].log and found["search.cutoff"].extremes == (1, 8)
    assert found["search.nodes"].choices == ("own", "public")
    assert found["search.simulations"].choices == (10, 20) and found["search.max_nodes"].choices == (5, 6, 7)


VS = "opponent=ismcts"
WORDS = ["tune", "kuhn_poker", "processes=1", "trials=1", "blocks=4"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["space={search.c_uct: [1, 2]}"], "opponent is missing: expected an agent"),
        (["tuned={agent: [", VS], "cannot understand"),
        (["{agent: [", "ismcts"], "cannot be read: expected {agent: NAME"),
        ([VS], "space is empty: expected settings to tune"),
        ([VS, "space={}"], "space is empty"),
        ([VS, "space={search.c_uct: [1, 2], search: {c_uct: [1, 3]}}"], "space.search.c_uct is given twice"),
        ([VS, "space={search.c_utc: [1, 2]}"], "'search.c_utc'. Did you mean 'search.c_uct'"),
        ([VS, "space={c_uct: [1, 2]}"], "Did you mean 'search.c_uct'?"),
        ([VS, "space={search.c_uct: [4.0, 0.2]}"], "from 4.0 to 0.2: expected the lower bound first"),
        ([VS, "space={search.c_uct: [0, 2, log]}"], "from 0 on: expected a bound above 0"),
        ([VS, "space={search.c_uct: 3}"], "space.search.c_uct is 3: expected [low, high]"),
        ([VS, "space={search.c_uct: [one, two]}"], "space.search.c_uct holds 'one': expected numbers"),
        ([VS, "space={search.c_uct: [0.5, -1]}"], "expected the lower bound first"),
        ([VS, "space={search.c_uct: [-1, 1]}"], "search.c_uct is -1.0: expected 0 to 1e+06"),
        ([VS, "space={search.cutoff: [0.5, 3]}"], "goes from 0.5 to 3: expected whole numbers"),
        ([VS, "space={search.nodes: [own]}"], "expected two choices or more"),
        ([VS, "space={search.nodes: [own, own]}"], "expected two choices or more, all different"),
        ([VS, "space={search.nodes: [own, publik]}"], "Did you mean 'public'?"),
        ([VS, "space={search.c_puct: [1, 2]}"], "only 'puct' would use it"),
        ([VS, "space={temperature: [0, 2]}"], "which has no use for 'temperature'"),
        ([VS, "space={options.keep: [0.1, 0.9]}"], "which has no use for 'options': it takes search"),
        (["opponent=ismtcs", "space={search.c_uct: [1, 2]}"], "unknown agent 'ismtcs'. Did you mean 'ismcts'?"),
        (["opponent=scripted", "space={search.c_uct: [1, 2]}"], "kuhn_poker has no scripted policy"),
        (
            ["opponent=ismcts", "space={search.simulations: [5, 20]}", "budget.simulations=9"],
            "space.search.simulations: the match's budget replaces it",
        ),
        ([VS, "space={search.c_uct: [1, 2]}", "trials=0"], "trials is 0: expected 1 to 100000"),
        ([VS, "space=[search.c_uct]"], "'space=[search.c_uct]': expected"),
    ],
)  # fmt: skip
def test_mistakes_are_refused(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*WORDS, *words]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_without_optuna_it_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    assert main([*WORDS, "opponent=ismcts", "space={search.c_uct: [1, 2]}"]) == 2
    assert "needs Optuna, which is not installed: pip install 'orion-ai[tune]'" in capsys.readouterr().err


def test_the_command_tunes_and_ctrl_c_leaves_what_was_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [*WORDS, "opponent=ismcts", "space.search.c_uct=[0.2, 4.0, log]", "budget.simulations=5", "confirm=4"]
    with monkeypatch.context() as patched:
        patched.setattr("orion_ai.commands.tune.confirm", _interrupt)
        assert main(words) == 130
    assert "the same command goes on" in capsys.readouterr().err
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "as it is: 0." in out and "trial 1/1: " in out and "1 trials of ismcts against ismcts" in out
    (folder,) = (tmp_path / "runs" / "tune").iterdir()
    assert {"trials.jsonl", "report.json", "report.md", "report.png", "best.yaml"} <= {p.name for p in folder.iterdir()}


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
