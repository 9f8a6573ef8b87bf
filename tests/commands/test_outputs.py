"""An output that cannot be written is refused before the work: what would do the work is never called."""

from __future__ import annotations

from pathlib import Path

import pytest

from orion_ai.cli import main
from tests.explain.games import KUHN, recorded

WORK = {
    "arena": ("orion_ai.commands.arena.run_match", ["kuhn_poker", "agents=[random,random]"]),
    "compare": ("orion_ai.commands.arena.run_match", ["random", "random", "kuhn_poker"]),
    "tune": ("orion_ai.commands.tune.run_trials", ["ismcts", "random", "space={search.c_uct: [0.5, 2.0]}"]),
    "solve": ("orion_ai.commands.solve.enumerate_game", ["kuhn_poker"]),
    "exploit": ("orion_ai.commands.exploit.enumerate_game", ["kuhn_poker"]),
    "explain": ("orion_ai.explain.study.make_agents", ["game.jsonl", "agents=[random]"]),
    "bench": ("orion_ai.bench.signature.game_signature", ["signature", "games=[kuhn_poker]"]),
}
"""Command -> its work, and what it is told beside `output`."""


@pytest.mark.parametrize("command", WORK)
def test_an_output_that_cannot_be_written_costs_no_work(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if command == "tune":
        pytest.importorskip("optuna")
    work, words = WORK[command]

    def worked(*given: object, **more: object) -> None:
        raise AssertionError("the work has begun")

    monkeypatch.setattr(work, worked)
    monkeypatch.chdir(tmp_path)
    recorded(tmp_path, "kuhn_poker", KUHN)
    (tmp_path / "file").write_text("")
    assert main([command, *words, "output=file/x"]) == 2
    assert "cannot write 'file/x" in capsys.readouterr().err
    assert (tmp_path / "file").read_text() == ""


def test_a_folder_in_the_place_of_a_page_is_found_before_any_page_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["kuhn_poker", "blocks=2", "processes=1", f"output={tmp_path}/match"]
    assert main(["arena", "agents=[random,random]", *words]) == 0
    (tmp_path / "pages/report.png").mkdir(parents=True)
    capsys.readouterr()
    assert main(["report", f"{tmp_path}/match", f"output={tmp_path}/pages"]) == 2
    assert "report.png': Is a directory" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "pages").iterdir()] == ["report.png"]


def test_golden_files_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("orion_ai.bench.signature.game_signature", lambda game: pytest.fail("the work has begun"))
    (tmp_path / "file").write_text("")
    words = ["signature", "games=[kuhn_poker]", "write=true", f"golden={tmp_path}/file/x.json"]
    assert main(["bench", *words, f"output={tmp_path}"]) == 2
    assert "cannot write" in capsys.readouterr().err
