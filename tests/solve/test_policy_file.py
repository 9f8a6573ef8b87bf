"""A policy written, read, and played."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import engines
from engines.errors import FileError, UsageError
from engines.state import State
from orion_ai.solve.cfr import make_solver
from orion_ai.solve.policy_file import PolicyFileAgent, write_policy
from orion_ai.solve.tabulate import tabulate
from tests.solve.games import tiny, tree


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tree("kuhn_poker")
    solver = make_solver(found)
    solver.run(100)
    write_policy(tmp_path / "policy.json", found, solver.policy(), {"method": "cfr_plus"})
    return tmp_path / "policy.json"


def test_what_is_played_is_what_was_written(file: Path) -> None:
    found = tree("kuhn_poker")
    solver = make_solver(found)
    solver.run(100)
    agent = PolicyFileAgent(found.game, 1, str(file))
    assert tabulate(found, agent) == pytest.approx(solver.policy(), abs=1e-12)
    played = tabulate(found, agent, answer="action", draws=4000)
    assert played == pytest.approx(solver.policy(), abs=0.05)


def test_positions_too(tmp_path: Path) -> None:
    found = tiny("full_tree", width=3)
    policy = found.normalized(np.arange(found.slots, dtype=np.float64))
    write_policy(tmp_path / "p.json", found, policy, {})
    assert tabulate(found, PolicyFileAgent(found.game, 1, str(tmp_path / "p.json"))) == pytest.approx(policy)


def test_a_file_says_what_the_mover_sees(file: Path) -> None:
    states = json.loads(file.read_text())["states"]
    assert len(states) == 12
    assert {s["sees"] for s in states if s["seat"] == 0} >= {"cards jack ? | no bets yet", "cards king ? | pass bet"}
    assert all(list(s["policy"]) == ["pass", "bet"] for s in states)


def change(file: Path, how: str) -> None:
    data = json.loads(file.read_text())
    if how == "kind":
        data["kind"] = "other"
    elif how == "states":
        data["states"] = None
    elif how == "sum":
        data["states"][3]["policy"]["pass"] += 0.5
    elif how == "action":
        data["states"][3]["policy"]["raise"] = 0.0
    elif how == "key":
        del data["states"][3]["key"]
    elif how == "outcome":
        data["states"][3]["policy"] = {"deal ace": 1.0}
    elif how == "infinite":
        data["states"][3]["policy"]["pass"] = float("inf")
    elif how == "huge":
        data["states"][3]["policy"]["pass"] = 10**400
    elif how == "text":
        data["states"][3]["policy"]["pass"] = "x" * 5000
    elif how == "nan":
        data["states"][3]["policy"]["pass"] = float("nan")
    elif how == "seat":
        data["states"][3]["seat"] = float("inf")
    elif how == "empty":
        data["states"][3]["policy"] = {}
    elif how == "entry":
        data["states"][3] = None
    file.write_text(json.dumps(data))


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("kind", "is no policy: expected kind"),
        ("states", "is damaged: expected 'game' and 'states'"),
        ("sum", "damaged at entry 3 of 'states': its probabilities do not add up to 1"),
        ("action", "damaged at entry 3 of 'states': unknown action 'raise'"),
        ("key", "damaged at entry 3 of 'states': 'key' is None, expected 16 hexadecimal digits"),
        ("outcome", "damaged at entry 3 of 'states': 'deal ace' is an outcome of chance"),
        ("infinite", "its policy is {'pass': inf, .*expected probabilities"),
        ("huge", "expected probabilities"),
        ("text", "its policy is .{60}..., expected probabilities"),
        ("nan", "expected probabilities"),
        ("seat", "'seat' is inf, expected 0 to 1"),
        ("empty", "its probabilities do not add up to 1"),
        ("entry", "expected an object with 'seat', 'key' and 'policy', found None"),
    ],
)
def test_a_file_that_is_wrong_is_refused(file: Path, how: str, why: str) -> None:
    change(file, how)
    with pytest.raises(FileError, match=why):
        PolicyFileAgent(engines.load("kuhn_poker"), 1, str(file))


def test_a_file_for_another_game_is_refused(file: Path) -> None:
    with pytest.raises(FileError, match="other options of the game"):
        PolicyFileAgent(engines.load("kuhn_poker", players=3), 1, str(file))


def test_an_action_that_is_not_legal_there_is_named(tmp_path: Path) -> None:
    found = tree("leduc_poker")
    write_policy(tmp_path / "policy.json", found, found.uniform(), {})
    data = json.loads((tmp_path / "policy.json").read_text())
    for entry in data["states"]:
        entry["policy"] = {"fold": 1.0}  # where there is nothing to call nobody may
    (tmp_path / "policy.json").write_text(json.dumps(data))
    agent = PolicyFileAgent(found.game, 1, str(tmp_path / "policy.json"))
    with pytest.raises(UsageError, match=r"its file plays 'fold' at key [0-9a-f]{16}: it is not legal"):
        tabulate(found, agent)


def test_a_place_that_the_file_lacks_is_named(file: Path) -> None:
    data = json.loads(file.read_text())
    data["states"] = data["states"][1:]
    file.write_text(json.dumps(data))
    found = tree("kuhn_poker")
    agent = PolicyFileAgent(found.game, 1, str(file))
    state: State = found.example(0)
    with pytest.raises(UsageError, match="its file has no entry for seat 0"):
        agent.decide(state.record[None], np.array([0]), np.array([1], np.uint64))
