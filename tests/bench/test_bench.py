"""The signature repeats, is the same with the JIT off, and a difference is named; the speed tables are complete."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import engines
from orion_ai.bench import signature, speed
from orion_ai.cli import main

ROOT = Path(__file__).resolve().parents[2]


def test_the_signature_repeats_and_counts_the_tree() -> None:
    game = engines.load("kuhn_poker")
    first = signature.game_signature(game)
    assert first == signature.game_signature(engines.load("kuhn_poker"))
    assert [int(count.split()[0]) for count in first["perft"]] == [3, 6, 12, 24, 30]
    assert signature.game_signature(engines.load("kuhn_poker", players=3)) != first


def test_a_difference_from_the_golden_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    golden = tmp_path / "golden.json"
    words = ["bench", "signature", "games=[kuhn_poker]", f"golden={golden}", f"output={tmp_path}"]
    assert main(words) == 2
    assert "does not exist; write=true makes it" in capsys.readouterr().err
    assert main([*words, "write=true"]) == 0
    assert main(words) == 0
    assert "same as" in capsys.readouterr().out
    data = json.loads(golden.read_text())
    data["games"]["other_game"] = data["games"]["kuhn_poker"]
    golden.write_text(json.dumps(data))
    assert main([*words, "write=true"]) == 0  # only its own part is written anew
    data = json.loads(golden.read_text())
    assert list(data["games"]) == ["kuhn_poker", "other_game"]
    assert data["signature"] == signature.total(data["games"])
    data["games"]["kuhn_poker"]["play"] += 1
    golden.write_text(json.dumps(data))
    assert main(words) == 1
    assert "kuhn_poker.play: " in capsys.readouterr().out


def test_the_signature_is_the_same_without_the_jit(tmp_path: Path) -> None:
    words = ["bench", "signature", "games=[kuhn_poker]", f"golden={tmp_path}/golden.json", f"output={tmp_path}"]
    assert main([*words, "write=true"]) == 0
    plain = subprocess.run(
        [sys.executable, "-m", "orion_ai.cli", *words],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert plain.returncode == 0, plain.stdout + plain.stderr


def test_the_speed_tables_are_complete() -> None:
    game = engines.load("kuhn_poker")
    rows = speed.game_rows(game, 0.2) + speed.search_rows(game, 0.2)
    assert all(row.figure > 0 for row in rows)
    named = {row.what for row in rows}
    assert {"random play", "random games", "clone", "legal", "observe", "info_key", "determinize"} <= named
    assert len(rows) == 13  # kuhn_poker has no scripted player, so no search with it
    memory = {row.what: row.figure for row in speed.memory_rows(game)}
    assert memory["state"] == game.record_size and memory["trees, gumbel 32"] < memory["trees, puct 800"]


def test_learning_tables_are_complete() -> None:
    from orion_ai.bench.learning_speed import network_rows, selfplay_rows

    game = engines.load("kuhn_poker")
    rows = network_rows(game, 0.2)
    assert len(rows) == 9 and all(row.figure > 0 for row in rows)
    played = selfplay_rows(game, games=4, lanes=4)
    shares = {row.what.rpartition(": ")[2]: row.figure for row in played if row.unit == "% of time"}
    assert set(shares) == {"network", "search", "worlds", "rules", "driver"}
    assert sum(shares.values()) == pytest.approx(100) and min(shares.values()) > 0


def test_rates_are_right_on_work_of_known_length() -> None:
    import time

    def work(repeats: int) -> int:
        time.sleep(0.002 * repeats)
        return repeats

    assert speed.rate(work, 0.3) == pytest.approx(500, rel=0.2)


def test_compile_times_are_those_of_an_empty_cache_and_of_a_full_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "compile", "games=[tic_tac_toe]", f"output={tmp_path}"]) == 0
    rows = json.loads((tmp_path / "bench.json").read_text())["speed"]
    cold, warm = (row["figure"] for row in rows)
    assert cold > warm > 0 and "load, nothing compiled" in capsys.readouterr().out
    assert main(["bench", "compile", "write=true"]) == 2
