"""Comparisons with peers: fair turns, the same network on both sides, a report that says what was measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import engines
from engines.errors import UsageError
from orion_ai.bench.peers import measure, mlp, ours, rounds
from orion_ai.bench.peers.protocol import Comparison, require
from orion_ai.bench.peers.report import line, markdown, write_report
from orion_ai.bench.peers.rounds import Result
from orion_ai.cli import main

ROOT = Path(__file__).resolve().parents[2]


def reference(w: mlp.Weights, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    x = np.maximum(observations[:, : mlp.INPUTS].astype(np.float64) @ w.first + w.first_bias, 0)
    x = np.maximum(x @ w.second + w.second_bias, 0)
    y = x @ w.last + w.last_bias
    value = np.tanh(y[:, -1:])
    return y[:, :-1], np.concatenate([value, -value], 1)


@pytest.mark.parametrize("rows", [1, 5, 64])
def test_the_small_network_is_what_its_weights_say(rows: int) -> None:
    weights = mlp.make_weights(rows)
    observations = (np.random.default_rng(rows).random((rows, 86)) < 0.3).astype(np.int16)
    evaluator = mlp.MlpEvaluator(weights, 64)
    for found, expected in zip(evaluator.evaluate(observations), reference(weights, observations), strict=True):
        assert found == pytest.approx(expected, abs=1e-5)


def test_the_small_network_is_the_same_without_the_jit() -> None:
    code = (
        "import numpy as np; from orion_ai.bench.peers import mlp;"
        "x = (np.arange(3 * 86).reshape(3, 86) % 5 == 0).astype(np.int16);"
        "print([a.tolist() for a in mlp.MlpEvaluator(mlp.make_weights(), 3).evaluate(x)])"
    )
    answers = []
    for off in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": off}
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        answers.append([np.array(a) for a in json.loads(done.stdout.splitlines()[-1])])
    for compiled, plain in zip(*answers, strict=True):
        assert compiled == pytest.approx(plain, abs=1e-5)


def test_both_sides_of_the_search_have_the_same_positions_and_network() -> None:
    pytest.importorskip("jax")
    pgx = pytest.importorskip("pgx")
    from orion_ai.bench.peers import mctx_search

    game, lanes = engines.load("connect_four"), 24
    worlds = mctx_search.positions(game, lanes)
    observations = np.zeros((lanes, game.observation_size), np.int16)
    for world, row in zip(worlds, observations, strict=True):
        game.kernels.observe(world, game.kernels.to_play(world), row)
    theirs = mctx_search.their_positions(pgx.make("connect_four"), lanes)
    evaluator = mlp.MlpEvaluator(mlp.make_weights(), lanes)
    logits, values = evaluator.evaluate(observations)
    their_logits, their_values = mctx_search.network(theirs.observation)
    assert logits == pytest.approx(np.asarray(their_logits), abs=1e-4)
    assert values[:, 0] == pytest.approx(np.asarray(their_values), abs=1e-4)
    assert len({row.tobytes() for row in observations}) > 5


def test_random_games_are_whole_games_from_the_first_decision() -> None:
    games = ours.rollouts("kuhn_poker", {})
    assert games(100) == 100
    # From a fixed deal: pass-pass, pass-bet-any, bet-any, each choice a coin's: 2 + 1/4 decisions.
    assert ours.rollouts("kuhn_poker", {}, unit="decisions")(20_000) / 20_000 == pytest.approx(2.25, abs=0.02)
    watched = ours.rollouts("connect_four", {}, observe=True, unit="decisions")
    assert 20 < watched(2000) / 2000 < 22.5


def test_loops_play_whole_games() -> None:
    for work in (ours.python_loop("kuhn_poker", {}), ours.lane_loop("kuhn_poker", {}, lanes=8)):
        assert 2 <= work(50) / (50 if work.__qualname__.startswith("python") else 400) <= 3


def busy(seconds: float):
    def work(repeats: int) -> float:
        for _ in range(repeats):
            end = time.process_time() + seconds
            while time.process_time() < end:
                pass
        return float(repeats)

    return lambda: work


def test_the_ratio_is_that_of_processor_time() -> None:
    comparison = Comparison("kuhn_poker", "work", "units/s", "slow", busy(0.002), busy(0.001), goal=1.5)
    result = rounds.compare(comparison, "pgx", 3, 0.05)
    assert len(result.ratios) == 3
    assert result.ratio == pytest.approx(2.0, rel=0.1)
    assert 0 < result.busy <= 1.05


def a_result(ratio: float, goal: float | None) -> Result:
    return Result("pgx", "tic_tac_toe", "random play", "games/s", "batch 8", "kernel", [2.0, 1.0, 4.0],
                  [2.0 * ratio, ratio, 4.4 * ratio], goal, 0.9)  # fmt: skip


def test_the_report_says_what_was_met_and_what_missed(tmp_path: Path) -> None:
    results = [a_result(3.0, 2.0), a_result(1.5, 2.0), a_result(0.5, None)]
    memory = [
        {"memory": "trees", "peer": "mctx", "game": "connect_four", "theirs_by": "jax", "theirs": 8.0, "ours": 2.0}
    ]
    text = markdown({"cores": 2}, results, memory)
    assert "**3.00** (3.00 - 3.30) | 2: met" in text and "**1.50** (1.50 - 1.65) | 2: missed" in text
    assert "| 8 | 2 | 4.00 |" in text and "3 times" in text
    assert line(results[0]).endswith("3.00 (3.00 - 3.30, goal 2), kernel / pgx, batch 8")
    paths = write_report(tmp_path, {"cores": 2}, results, memory)
    assert [path.name for path in paths] == ["report.md", "report.json", "report.png"]
    assert paths[2].read_bytes().startswith(b"\x89PNG")
    data = json.loads(paths[1].read_text())
    assert data["comparisons"][1]["ratio"] == 1.5 and len(data["comparisons"][1]["ratios"]) == 3


def test_what_is_not_installed_is_named_with_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(measure, "missing", lambda modules: [m for m in modules if m in ("pgx", "mctx")])
    assert "pgx" not in measure.available([], print)
    said = capsys.readouterr().out
    assert "pgx is left out: pgx not installed (pip install 'orion-ai[peers]')" in said
    with pytest.raises(UsageError, match=r"no peer is installed; this installs them: pip install 'orion-ai\[peers\]'"):
        measure.available(["pgx"], print)
    with pytest.raises(UsageError, match="Did you mean 'mctx'"):
        measure.available(["mtcx"], print)
    with pytest.raises(UsageError, match=r"no_such_module is not installed; .*orion-ai\[peers\]"):
        require("no_such_module")


@pytest.mark.parametrize("words", [["peers"], ["--peers"]])
def test_the_command_measures_in_a_process_of_its_own(words: list[str], tmp_path: Path) -> None:
    asked = ["peers=[open_spiel]", "games=[kuhn_poker]", "rounds=2", "stretch=0.01", f"output={tmp_path}"]
    assert main(["bench", *words, *asked]) == 0
    data = json.loads((tmp_path / "report.json").read_text())
    assert {row["work"] for row in data["comparisons"]} == {"random play", "ismcts, 1000 simulations"}
    assert all(len(row["ratios"]) == 2 and row["ratio"] > 0 for row in data["comparisons"])
    assert data["machine"]["open_spiel"]


def test_a_wrong_number_of_rounds_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "peers", "rounds=0"]) == 2
    assert "rounds is 0: expected 1 or more" in capsys.readouterr().err
