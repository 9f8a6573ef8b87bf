"""Perft counts what a plain recursion counts, and what it counted when the golden files were written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import engines
from engines.contract import TERMINAL
from engines.errors import UsageError
from engines.perft import divide, main, perft, position, write_golden
from engines.state import State
from tests.engines.games import GOLDEN, counts, every_shipped, make, small


def plain(state: State, depth: int) -> tuple[int, int]:
    if depth == 0 or state.to_play == TERMINAL:
        return 1, int(state.to_play == TERMINAL)
    leaves = ended = 0
    for action in state.legal_actions():
        after = state.clone()
        after.apply(action)
        below = plain(after, depth - 1)
        leaves, ended = leaves + below[0], ended + below[1]
    return leaves, ended


@small
def test_perft_agrees_with_a_plain_recursion(name: str, players: int) -> None:
    game = make(name, players)
    for ply in (0, 3):
        state = position(game, 2, ply)
        assert state is not None
        for depth in range(6):
            count = perft(state, depth)
            assert count is not None and (count.leaves, count.ended) == plain(state, depth)


def test_kuhn_poker_is_counted_whole() -> None:
    # 6 deals x 5 endings; with three seats 24 deals x 13 endings.
    for players, leaves in ((2, 30), (3, 312)):
        count = perft(engines.load("kuhn_poker", players=players).start(), 20)
        assert count is not None and (count.leaves, count.ended) == (leaves, leaves)


def test_divide_adds_up_and_the_digest_tells_records_apart() -> None:
    state = make("duel", 2).start()
    parts, whole = divide(state, 5), perft(state, 5)
    assert whole is not None
    assert sum(part.leaves for part in parts.values()) == whole.leaves
    assert sum(int(part.digest, 16) for part in parts.values()) % 2**64 == int(whole.digest, 16)
    changed = state.clone()
    changed.record[-1] += 1
    other = perft(changed, 1)
    assert other is not None and other.digest != getattr(perft(state, 1), "digest", None)


def test_counting_stops_at_the_cap() -> None:
    state = make("duel", 3).start()
    full = perft(state, 4)
    assert full is not None
    assert perft(state, 4, full.leaves) == full
    assert perft(state, 4, full.leaves - 1) is None
    with pytest.raises(UsageError, match="depth is -1"):
        perft(state, -1)


@every_shipped
def test_golden_counts(name: str) -> None:
    rows = json.loads((GOLDEN / "perft" / f"{name}.json").read_text())
    kind = type(engines.load(name))
    assert {row["players"] for row in rows} == set(counts(name))
    for row in rows:
        assert row["version"] == kind.version
        state = position(engines.load(name, players=row["players"]), row["seed"], row["ply"])
        assert state is not None
        now = {text: [c.leaves, c.ended, c.digest] for text, c in divide(state, row["depth"]).items()}
        moved = {t: (row["divide"].get(t), now.get(t)) for t in now.keys() | row["divide"].keys()}
        moved = {text: pair for text, pair in moved.items() if pair[0] != pair[1]}
        where = f"{name}, {row['players']} players, seed {row['seed']}, ply {row['ply']}, depth {row['depth']}"
        assert not moved, f"{where}: golden and present counts by first step: {moved}"
        count = perft(state, row["depth"])
        assert count is not None and [count.leaves, count.ended, count.digest] == [
            row["leaves"],
            row["ended"],
            row["digest"],
        ]


def test_golden_files_are_written_again_by_one_call(tmp_path: Path) -> None:
    kept = (GOLDEN / "perft" / "kuhn_poker.json").read_text()
    assert write_golden("kuhn_poker", tmp_path).read_text() == kept
    assert [path.name for path in tmp_path.iterdir()] == ["kuhn_poker.json"]


def test_golden_files_go_where_they_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["kuhn_poker", "--all", "--folder", str(tmp_path)]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["kuhn_poker.json"]
    monkeypatch.chdir(tmp_path)
    assert main(["kuhn_poker", "--all"]) == 2
    assert "'tests/golden/perft' is no folder: run this at the top of a checkout" in capsys.readouterr().err
    assert not (tmp_path / "tests").exists()


def test_the_command_prints_a_divide(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kuhn_poker", "--depth", "2"]) == 0
    out = capsys.readouterr().out
    assert "deal queen: 2 leaves" in out and "total: 6 leaves" in out
    assert main(["kuhn_poker", "--ply", "50"]) == 2
    assert main(["no_such_game"]) == 2
    assert "unknown game 'no_such_game'. Valid: " in capsys.readouterr().err
