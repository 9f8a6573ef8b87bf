"""Luck taken out of results.

1 Over all games that there can be, weighted by how likely they are, luck has mean zero exactly, whatever the players do
and whatever the value: so nothing is added on average. 2 Taking it out makes results vary less where the value knows
something, does no harm where it knows nothing, and keeps the mean. 3 A match carries it from the games to the report.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engines
from engines.contract import CHANCE
from engines.rng import key_of
from engines.state import State
from orion_ai.agents import RandomAgent, ScriptedAgent
from orion_ai.arena.entrants import resolve
from orion_ai.arena.luck import adjusted, luck_of, make_luck, standing_value
from orion_ai.arena.match import Rules, play_blocks
from orion_ai.arena.result import summarize
from orion_ai.arena.runner import Match, run_match


def arbitrary(records: np.ndarray) -> np.ndarray:
    """A value that is nonsense, but always the same of the same position."""
    return np.array(
        [[key_of(record.tobytes().hex(), seat) % 1000 / 500 - 1 for seat in range(2)] for record in records]
    )


@pytest.mark.parametrize(("name", "options"), [("kuhn_poker", {}), ("pig", {"target": 6})])
@pytest.mark.parametrize("kind", ["standing", "arbitrary"])
def test_luck_has_mean_zero_over_all_games(name: str, options: dict[str, int], kind: str) -> None:
    """Every history with its probability under lopsided players that look at everything they may."""
    game = engines.load(name, **options)
    value = standing_value(game) if kind == "standing" else arbitrary
    total, expected, spread = 0.0, np.zeros(game.players), 0.0
    stack: list[tuple[State, tuple[int, ...], float]] = [(game.start(), (), 1.0)]
    while stack:
        state, history, chance = stack.pop()
        if state.is_over or len(history) >= 7:  # a long game of pig is cut: what is past cannot lean on what comes
            luck = np.array(luck_of(game, history, value))
            total, expected, spread = total + chance, expected + chance * luck, spread + chance * luck[0] ** 2
            continue
        if state.to_play == CHANCE:
            outcomes = state.chance()[1]
            weights = np.array([w for _, w in outcomes], float)
            steps = [(o, w) for (o, _), w in zip(outcomes, weights / weights.sum(), strict=True)]
        else:
            legal = state.legal_actions()
            tilt = np.array([1.0 + key_of(state.info_key(state.to_play), a) % 7 for a in legal])
            steps = list(zip(legal, tilt / tilt.sum(), strict=True))
        for action, p in steps:
            child = state.clone()
            child.apply(action)
            stack.append((child, (*history, action), chance * float(p)))
    assert total == pytest.approx(1, abs=1e-9)
    assert expected == pytest.approx(np.zeros(game.players), abs=1e-9)
    if kind == "arbitrary":
        assert spread > 1e-3


def test_results_less_luck_keep_their_mean_and_vary_less() -> None:
    rng = np.random.default_rng(1)
    raw, less, useless = [], [], []
    for _ in range(3000):
        luck = rng.normal(size=12)
        results = 0.3 + 0.8 * luck + rng.normal(0, 0.4, 12)
        raw.append(results.mean())
        less.append(adjusted(results, luck).mean())
        useless.append(adjusted(results, rng.normal(size=12)).mean())
    error = np.std(raw) / np.sqrt(3000)
    assert np.mean(less) == pytest.approx(0.3, abs=4 * error) and np.mean(useless) == pytest.approx(0.3, abs=5 * error)
    assert np.std(less) < 0.65 * np.std(raw) and np.std(useless) < 1.25 * np.std(raw)
    assert adjusted(np.ones(5), np.zeros(5)).tolist() == [1.0] * 5


def nothing(*_: Any) -> None:
    pass


def test_a_match_carries_luck_from_its_games_to_its_report(tmp_path: Path) -> None:
    entrants = resolve(["scripted", "random"])
    match = Match({"name": "pig", "target": 30}, entrants, 2, 32, luck="standing")
    blocks = run_match(match, 60, tmp_path, 1, nothing)
    game = match.load()
    assert all(len(g.luck) == 2 and not g.history for b in blocks for g in b.games)
    result = summarize(game, ["scripted", "random"], blocks, 2)
    assert result.lead is not None and result.lead_adjusted is not None
    raw, less = result.lead, result.lead_adjusted
    assert raw.low is not None and raw.high is not None and less.low is not None and less.high is not None
    assert "In points: " in result.verdict()
    assert less.low < raw.mean < less.high and "Luck taken out" in result.verdict()
    again = {b.number: b for b in run_match(match, 60, tmp_path, 1, nothing)}
    assert all([g.luck for g in again[b.number].games] == [g.luck for g in b.games] for b in blocks)
    plain = Match({"name": "pig", "target": 30}, entrants, 2, 32)
    others = run_match(plain, 60, tmp_path / "plain", 1, nothing)
    assert {b.number: [g.returns for g in b.games] for b in others} == {
        b.number: [g.returns for g in b.games] for b in blocks
    }
    assert summarize(game, ["scripted", "random"], others, 2).lead_adjusted is None


def test_luck_is_taken_out_of_points_without_a_bias() -> None:
    """Over many short matches the lead in points has the same mean with and without its luck, and varies less."""
    game = engines.load("pig", target=20)

    def ahead(records: np.ndarray) -> np.ndarray:
        """How far each seat is ahead, the points of the turn included: what dice change at once."""
        states = records.view(game.dtype)[:, 0]
        points = states["score"][:, :2].astype(float)
        points[np.arange(len(states)), states["turn"] % 2] += states["total"]
        return (points - points[:, ::-1]) / 20

    agents, rules = [ScriptedAgent(game), RandomAgent(game)], Rules(luck=lambda history: luck_of(game, history, ahead))
    blocks = sorted(play_blocks(game, agents, range(480), 5, rules=rules), key=lambda b: b.number)
    raw, less = [], []
    for first in range(0, len(blocks), 8):
        result = summarize(game, ["scripted", "random"], blocks[first : first + 8], 5)
        assert result.points_lead is not None and result.points_lead_adjusted is not None
        raw.append(result.points_lead.mean)
        less.append(result.points_lead_adjusted.mean)
    moved = np.array(less) - np.array(raw)
    assert abs(moved.mean()) < 3.5 * moved.std(ddof=1) / np.sqrt(len(moved)) and moved.std() > 0.1
    assert np.std(less) < 0.9 * np.std(raw)
    means = [
        [np.mean([g.scores[p] for g in b.games for p, a in enumerate(g.seats) if a == agent]) for b in blocks]
        for agent in (0, 1)
    ]
    assert np.mean(raw) == pytest.approx(np.mean(means[0]) - np.mean(means[1]))


def test_a_network_measures_luck_too(tmp_path: Path) -> None:
    from tests.learner.runs import run

    run(tmp_path, 1)
    game = engines.load("kuhn_poker")
    measure = make_luck(game, str(next((tmp_path / "run").rglob("iteration-000001.json"))))
    assert measure is not None
    deals = [(a, b) for a in range(3) for b in range(3) if a != b]
    first = game.start().chance()[1][0][0]
    lucks = np.array([measure((first + a, first + b)) for a, b in deals])
    assert lucks.mean(0) == pytest.approx(np.zeros(2), abs=1e-6) and np.abs(lucks).max() > 1e-4
