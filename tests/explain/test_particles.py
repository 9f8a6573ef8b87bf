"""An agent that follows games is told a recorded one up to the decision, and its belief is what is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orion_ai.explain.study import Answer, ExplainConfig, explain
from tests.explain.games import LEDUC, recorded

AGENT = {
    "agent": "ismcts",
    "search": {"worlds": "particles", "particle_policy": "scripted", "particles": 400, "simulations": 400},
}


def answer(path: Path, ply: int, agent: object = AGENT) -> Answer:
    return explain(ExplainConfig(file=str(path), ply=ply, agents=[agent])).answers[0]


def share(told: Answer, card: str) -> float:
    return sum(b.share for b in told.beliefs if b.whose == "seat 1" and card in b.what)


def test_what_the_opponent_did_is_evidence(tmp_path: Path) -> None:
    """After a raise the scripted player holds no jack; a view does not tell how the game went."""
    path = recorded(tmp_path, "leduc_poker", LEDUC)
    followed, plain = answer(path, 4), answer(path, 4, {"agent": "ismcts", "search": {"simulations": 400}})
    assert share(followed, "king") > share(plain, "king") + 0.15
    assert followed.report is not None and followed.report.effective[0] < 400
    told = explain(ExplainConfig(file=str(path), ply=4, agents=[AGENT]))
    (tmp_path / "view.json").write_text(json.dumps(told.subject.state.view(0)))
    assert share(answer(tmp_path / "view.json", -1), "king") == pytest.approx(share(plain, "king"), abs=0.1)
    assert [p.ply for p in told.points] == sorted(p.ply for p in told.points)
