"""Agents that do not search: a table of the root that says what they would do, and a page that says what it is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import engines
from engines.replay import Replay
from orion_ai.agents import PolicyAgent
from orion_ai.explain.page import page
from orion_ai.explain.study import ExplainConfig, Explanation, explain
from orion_ai.explain.unsearched import DRAWS, draw
from tests.explain.games import KUHN, LEDUC, recorded
from tests.explain.test_page import text_of


def told_of(folder: Path, *agents: object) -> Explanation:
    return explain(ExplainConfig(str(recorded(folder, "leduc_poker", LEDUC)), 3, agents=list(agents)))


def test_a_random_player_chooses_all_alike_and_a_script_one(tmp_path: Path) -> None:
    told = told_of(tmp_path, "random", "scripted")
    by_chance, by_script = told.answers
    assert by_chance.report is None and by_chance.draws == DRAWS and not by_chance.own_worlds
    assert [o.policy for o in by_chance.options] == pytest.approx([0.5, 0.5], abs=0.12)
    assert sorted(o.policy for o in by_script.options) == [0.0, 1.0]
    for answer in told.answers:
        assert sum(o.policy for o in answer.options) == pytest.approx(1.0) and answer.value == ()
    text, html = text_of(told), page(told)
    for said in (text, html):
        assert "It does not search: how often it chose each action in 200 draws." in said
    assert "its seat may believe (1,000 worlds)" in text and "it believes" not in text
    assert "There is no tree: this agent does not search" in html
    assert "1,000 worlds dealt from what the seat knows" in html
    assert html == page(told_of(tmp_path, "random", "scripted"))


def test_a_networks_policy_and_value_are_shown(tmp_path: Path) -> None:
    state = engines.load("connect_four").start()
    for _ in range(3):
        state.apply(state.legal_actions()[3])
    Replay.of(state).write(tmp_path / "game.jsonl")
    policy = {"agent": "policy", "checkpoint": "connect_four_small"}
    told = explain(ExplainConfig(str(tmp_path / "game.jsonl"), agents=[policy], every=0))
    (answer,) = told.answers
    assert sum(o.prior for o in answer.options) == pytest.approx(1.0)
    best = max(answer.options, key=lambda o: o.prior)
    assert best.action == answer.action and best.policy == 1.0  # temperature 0
    assert len(answer.value) == 2 and answer.value[0] == pytest.approx(-answer.value[1], abs=1e-5)
    assert "by its network" in text_of(told) and "<th>network" in page(told)


class _Network:
    """Says of every observation which of its entries are greatest, so that seats must be told apart to agree."""

    def evaluate(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n = len(observations)
        return np.tile(np.array([0.0, 1.0], np.float32), (n, 1)), np.tile(
            np.array([0.7, 0.1, -0.8], np.float32), (n, 1)
        )


def test_values_are_told_by_seat_and_temperature_draws() -> None:
    game = engines.load("kuhn_poker", players=3)
    state = game.start()
    for step in ("deal jack", "deal king", "deal queen", "pass"):
        state.apply(step)
    known = game.from_view(state.view(1))
    plain = draw(game, PolicyAgent(game, _Network(), temperature=1.0), known, 1)
    assert plain.value == pytest.approx((-0.8, 0.7, 0.1))  # own first, then clockwise: seats 1, 2, 0
    expected = np.exp([0.0, 1.0]) / np.exp([0.0, 1.0]).sum()
    assert [plain.prior[0], plain.prior[1]] == pytest.approx(expected)
    assert [plain.shares[0], plain.shares[1]] == pytest.approx(expected, abs=0.12)


def test_an_agent_of_ones_own_is_asked_once(tmp_path: Path) -> None:
    mine = {"python": "tests.arena.agents:First"}
    told = explain(ExplainConfig(str(recorded(tmp_path, "kuhn_poker", KUHN)), 2, agents=[mine]))
    (answer,) = told.answers
    assert answer.draws == 0 and "there are no numbers behind the choice" in page(told)
    assert [o.policy for o in answer.options] == [1.0, 0.0]
