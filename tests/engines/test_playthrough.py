"""Every game has a golden playthrough for every number of players, and still plays it."""

from __future__ import annotations

from pathlib import Path

import pytest

import engines
from engines.playthrough import golden_path, main, playthrough, write_golden
from tests.engines.games import GOLDEN, counts, every_shipped, make

KEPT = GOLDEN / "playthroughs"


@every_shipped
def test_golden_playthroughs(name: str) -> None:
    for players in counts(name):
        path = golden_path(name, players, KEPT)
        assert path.is_file(), f"{path.name} is missing: python -m engines.playthrough {name} --write"
        now, then = playthrough(make(name, players)).splitlines(), path.read_text().splitlines()
        changed = [f"line {i}:\n- {a}\n+ {b}" for i, (a, b) in enumerate(zip(then, now, strict=False), 1) if a != b]
        assert not changed, f"{path.name}: {len(changed)} lines changed; the first:\n{changed[0]}"
        assert len(now) == len(then)


def test_a_playthrough_shows_what_each_seat_learns() -> None:
    text = playthrough(engines.load("kuhn_poker", players=2))
    assert 'seat 0 knows card: "jack"' in text and "public knows card: null" in text
    assert "told seat 0 is dealt a card | seat 0 is dealt the jack" in text
    assert text.splitlines()[-3].startswith("over after") and "returns -1.0000 +1.0000" in text


def test_another_seed_is_another_game_and_the_same_one_the_same() -> None:
    game = make("duel", 3)
    assert playthrough(game, 1) == playthrough(game, 1) != playthrough(game, 2)


def test_writing_and_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_golden("kuhn_poker", 3, tmp_path)
    assert path.read_text() == golden_path("kuhn_poker", 3, KEPT).read_text()
    assert main(["kuhn_poker", "--players", "2"]) == 0
    assert capsys.readouterr().out.strip() == golden_path("kuhn_poker", 2, KEPT).read_text().strip()
    assert main([]) == 2


def test_golden_files_go_where_they_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["kuhn_poker", "--players", "2", "--write", "--folder", str(tmp_path)]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["kuhn_poker_2.txt"]
    monkeypatch.chdir(tmp_path)
    assert main(["kuhn_poker", "--write"]) == 2
    assert "'tests/golden/playthroughs' is no folder: run this at the top of a" in capsys.readouterr().err
