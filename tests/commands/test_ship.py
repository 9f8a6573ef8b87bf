"""orion ship: a folder that others can play against."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orion_ai.cli import main
from orion_ai.data import checkpoints_dir

SHIPPED = sorted(folder.name for folder in checkpoints_dir().iterdir() if folder.is_dir())


def file_row(folder: Path) -> str:
    (manifest,) = folder.glob("iteration-*.json")
    assert (folder / json.loads(manifest.read_text())["weights"]).is_file()
    return f"\n| file | safetensors, named by its content; `{manifest.name}` is the manifest |\n"


@pytest.mark.parametrize("name", SHIPPED)
def test_cards_of_bots_that_ship_name_their_file_as_a_new_card_does(name: str) -> None:
    assert file_row(checkpoints_dir() / name) in (checkpoints_dir() / name / "README.md").read_text()


def test_from_a_run_to_a_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["train", "experiment=smoke", "iterations=1", "selfplay.games=4", "evaluation.final_blocks=0"]
    words.append("game.players=3")
    assert main([*words, f"folder={tmp_path}", "name=small"]) == 0
    bot = tmp_path / "bots" / "kuhn"
    assert main(["ship", str(tmp_path / "small"), f"output={bot}"]) == 0
    assert f"orion play kuhn_poker players=3 agents=[{bot}]" in capsys.readouterr().out
    card = bot / "README.md"
    assert card.read_text().startswith("# kuhn\n") and "| game | kuhn_poker, version 1; players=3 |" in card.read_text()
    assert "| learned from | 4 games" in card.read_text() and file_row(bot) in card.read_text()
    card.write_text("mine")
    assert main(["ship", str(tmp_path / "small"), f"output={bot}"]) == 0 and card.read_text() == "mine"
    before = sorted((tmp_path / "small").iterdir())
    for source, output, message in (
        (tmp_path / "small", tmp_path / "small", "holds the checkpoints of a run"),
        (bot, tmp_path / "small", "holds the checkpoints of a run"),
        (bot, bot, "is where the checkpoint lies"),
    ):
        assert main(["ship", str(source), f"output={output}"]) == 2 and message in capsys.readouterr().err
    assert sorted((tmp_path / "small").iterdir()) == before
    words = ["arena", "kuhn_poker", "players=3", f"agents=[{bot},random,random]", "blocks=2", "processes=1"]
    assert main([*words, f"output={tmp_path / 'match'}"]) == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["ship"], "the folder of a run is missing"),
        (["ship", "nowhere"], "no checkpoint at 'nowhere'"),
        (["ship", "nowhere", "outptu=x"], "Did you mean 'output'?"),
    ],
)
def test_mistakes_are_refused(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert message in capsys.readouterr().err
