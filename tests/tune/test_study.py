"""Studies.

1 A study finds the settings that are better, confirms them on fresh deals, and gives up those that are hopeless. 2
Where there is nothing to find, the best trial is not confirmed: the winner's curse. 3 Trials play the same deals, those
of the confirmation are others. 4 The same command gives the same files, whatever was interrupted where, and on however
many processes; more trials go on from there. 5 What acts only with certain choices is tried only with these.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.errors import FileError
from orion_ai.arena.entrants import resolve
from orion_ai.arena.match import deal_of
from orion_ai.arena.result import ArenaResult
from orion_ai.arena.sequence import ConfidenceSequence
from orion_ai.identity import load_game
from orion_ai.tune.config import TuneConfig
from orion_ai.tune.report import verdict, write_report
from orion_ai.tune.study import DOUBT, Study, Trial, confirm, plan, run_trials

pytest.importorskip("optuna")

PIG = {"name": "pig", "target": 30, "players": 2}
HOLDS = {"python": "tests.tune.agents:Holds", "at": 1}
CONFIG = TuneConfig(
    game=PIG,
    tuned=HOLDS,
    opponent={**HOLDS, "at": 8},
    space={"at": [1, 30]},
    trials=8,
    blocks=24,
    confirm=60,
    processes=1,
)
KUHN = TuneConfig(
    game={"name": "kuhn_poker"},
    opponent="ismcts",
    tuned={"agent": "ismcts", "search": {"simulations": 8}},
    space={"search.c_uct": [0.2, 4.0, "log"], "search.nodes": ["own", "public"]},
    trials=5,
    blocks=6,
    confirm=0,
    processes=1,
)


def nothing(*_: Any) -> None:
    pass


def study_of(config: TuneConfig, folder: Path, told: Any = nothing) -> Study:
    return run_trials(plan(config, load_game(config.game)), folder, told)


def whole(config: TuneConfig, folder: Path) -> tuple[Study, ArenaResult | None]:
    study = study_of(config, folder)
    confirmed = confirm(study, folder)
    write_report(study, confirmed, folder)
    return study, confirmed


@pytest.fixture(scope="module")
def pig(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, ArenaResult | None, Path]:
    folder = tmp_path_factory.mktemp("pig")
    return *whole(CONFIG, folder), folder


def test_it_finds_what_is_better_and_confirms_it(pig: tuple[Study, ArenaResult | None, Path]) -> None:
    study, confirmed, folder = pig
    assert study.trials[0].state == "done" and study.trials[0].mean < 0.4  # to hold at once is poor play
    assert study.best.number > 0 and int(study.best.values["at"]) >= 4
    assert confirmed is not None and confirmed.lead is not None
    assert confirmed.lead.low is not None and confirmed.lead.low > 0
    assert "Confirmed: it is stronger" in verdict(study, confirmed)
    report = (folder / "report.md").read_text()
    assert "| as it is |" in report and f"at: {study.best.values['at']}" in report
    assert (folder / "report.png").read_bytes().startswith(b"\x89PNG")


def test_the_best_agent_is_a_file_for_matches(pig: tuple[Study, ArenaResult | None, Path]) -> None:
    study, _, folder = pig
    (entrant,) = resolve([str(folder / "best.yaml")])
    assert entrant.settings == study.plan.entrant(study.best.values, "tuned").settings


def test_the_options_of_a_kind_of_ones_own_are_tuned_as_settings_of_a_callable_are(
    pig: tuple[Study, ArenaResult | None, Path], tmp_path: Path
) -> None:
    kind = {"module": "tests.tune.agents", "kind": "holds", "options": {"rule": {"at": 1}, "note": "kept"}}
    config = replace(CONFIG, tuned=kind, space={"options": {"rule": {"at": [1, 30]}}}, trials=2)
    study = study_of(config, tmp_path)
    for trial, same in zip(study.trials[1:], pig[0].trials[1:], strict=False):
        at = trial.values["options.rule.at"]
        assert study.plan.entrant(trial.values, "x").settings["options"] == {"rule": {"at": at}, "note": "kept"}
        assert at == same.values["at"] and trial.scores[:1] == same.scores[:1]
    assert study.plan.space.default() == {"options.rule.at": 1}


def test_hopeless_trials_are_given_up(tmp_path: Path) -> None:
    config = replace(CONFIG, tuned={**HOLDS, "at": 8}, space={"at": [1, 2]}, trials=3, blocks=80, confirm=0)
    study = study_of(config, tmp_path)
    assert study.best.number == 0
    assert all(t.state == "pruned" and 10 <= len(t.scores) < 80 for t in study.trials[1:])
    patient = study_of(replace(config, prune=False), tmp_path / "patient")
    assert all(t.state == "done" and len(t.scores) == 80 for t in patient.trials)
    for given_up, same in zip(study.trials, patient.trials, strict=True):
        assert given_up.scores == same.scores[: len(given_up.scores)]


def test_equal_trials_are_seldom_given_up() -> None:
    """The rule itself: of two that are equally good one is taken for worse in a tenth of cases at most."""
    rng, given_up = np.random.default_rng(3), 0
    for _ in range(300):
        sequence = ConfidenceSequence(DOUBT)
        for block, difference in enumerate(rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], 64), 1):
            sequence.add(0.5 + difference / 2)
            if block % 8 == 0 and sequence.high < 0.5:
                given_up += 1
                break
    assert 0 < given_up <= 30


def test_trials_play_the_same_deals(tmp_path: Path) -> None:
    """Settings that play alike score alike, block by block: only luck could tell them apart, and it is the same."""
    study = study_of(replace(CONFIG, tuned={**HOLDS, "at": 30}, space={"at": [30, 90]}, trials=3), tmp_path)
    assert len({t.values.get("at") for t in study.trials}) > 2
    assert len({t.scores for t in study.trials}) == 1 and len(set(study.trials[0].scores)) > 1
    assert study.best.number == 0  # of equal ones the agent as it is


def test_what_was_only_lucky_is_not_confirmed(tmp_path: Path) -> None:
    """The best of twelve equal coins looks better than par on its own deals, and is not called stronger."""
    colours = [f"colour {i}" for i in range(12)]
    coin = {"python": "tests.tune.agents:Coin", "colour": "red"}
    config = replace(CONFIG, tuned=coin, opponent=coin, space={"colour": colours}, blocks=16, confirm=100, seed=2)
    study, confirmed = whole(config, tmp_path)
    others = [t.mean for t in study.trials if t.number != study.best.number and t.state == "done"]
    assert study.best.mean > np.mean(others)
    assert confirmed is not None and "Not confirmed" in verdict(study, confirmed)
    assert confirmed.lead is not None and abs(confirmed.lead.mean) < 4 * study.best.mean - 2
    seen = {deal_of(config.seed, block) for block in range(config.blocks)}
    assert not seen & {deal_of(confirmed.seed, block) for block in range(config.confirm)}
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["confirmed"]["seed"] == confirmed.seed and report["best"] == study.best.number


def files(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.glob("*.*") if p.suffix in (".json", ".md", ".png", ".yaml")}


class Stop(Exception):
    pass


@pytest.mark.parametrize("lines", [0, 1, 9, 20])
def test_it_goes_on_where_it_was_interrupted(tmp_path: Path, lines: int) -> None:
    """Cut off after so many lines of the study's file, in the middle of the next."""
    whole(KUHN, tmp_path / "whole")
    content = (tmp_path / "whole" / "trials.jsonl").read_bytes().splitlines(keepends=True)
    assert len(content) > 22
    again = tmp_path / "again"
    again.mkdir()
    (again / "trials.jsonl").write_bytes(b"".join(content[:lines]) + content[lines][:7])
    whole(KUHN, again)
    assert files(again) == files(tmp_path / "whole")
    assert (again / "trials.jsonl").read_bytes() == b"".join(content)


def test_what_was_played_is_not_played_again_and_more_trials_go_on(tmp_path: Path) -> None:
    def stop(trial: Trial, best: Trial) -> None:
        if trial.number == 2:
            raise Stop

    with pytest.raises(Stop):
        study_of(KUHN, tmp_path, stop)
    before = (tmp_path / "trials.jsonl").read_bytes()
    study_of(replace(KUHN, trials=3), tmp_path)
    after = (tmp_path / "trials.jsonl").read_bytes()
    assert after.startswith(before) and after.count(b'"values":{') == 4
    whole(KUHN, tmp_path)
    whole(KUHN, tmp_path / "whole")
    assert files(tmp_path) == files(tmp_path / "whole")


def test_processes_do_not_matter(tmp_path: Path) -> None:
    config = replace(KUHN, trials=2, lanes=2)
    whole(config, tmp_path / "one")
    whole(replace(config, processes=2), tmp_path / "two")
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_another_seed_is_another_study(tmp_path: Path) -> None:
    first = study_of(KUHN, tmp_path / "a")
    second = study_of(replace(KUHN, seed=2), tmp_path / "b")
    assert [t.values for t in first.trials[1:]] != [t.values for t in second.trials[1:]]
    with pytest.raises(FileError, match="belongs to another study: seed is 1 there, 2 here"):
        study_of(replace(KUHN, seed=2), tmp_path / "a")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2 is damaged"),
        ('{"trial": 4, "values": {}}', "trial 4: expected 0 to 0"),
        ('{"trial": 0, "block": 0, "score": 0.5}', "line 2 is damaged"),
        ("[]", "line 2 is damaged"),
        ('{"trial": 0, "values": {"search.c_uct": -1}}', "search.c_uct = -1 lies outside of the space"),
        ('{"trial": 0, "values": {"search.c_uct": "x"}}', "search.c_uct = 'x' lies outside of the space"),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    study_of(replace(KUHN, trials=1), tmp_path)
    path = tmp_path / "trials.jsonl"
    header, _, *rest = path.read_text().splitlines()
    path.write_text("\n".join([header, line, *rest]) + "\n")
    with pytest.raises(FileError, match=message):
        study_of(replace(KUHN, trials=1), tmp_path)


def test_what_does_not_act_is_not_tried(tmp_path: Path) -> None:
    space = {"search": {"c_puct": [0.5, 3.0], "algorithm": ["ismcts", "puct"], "c_uct": [0.2, 4.0, "log"]}}
    study = study_of(replace(KUHN, space=space, trials=8, blocks=4), tmp_path)
    for trial in study.trials[1:]:
        own = "search.c_uct" if trial.values["search.algorithm"] == "ismcts" else "search.c_puct"
        assert set(trial.values) == {"search.algorithm", own} and trial.state != "refused"
        settings = study.plan.entrant(trial.values, "x").settings["search"]
        assert settings["algorithm"] == trial.values["search.algorithm"] and settings["simulations"] == 8
    assert {t.values["search.algorithm"] for t in study.trials[1:]} == {"ismcts", "puct"}


def test_combinations_that_make_no_agent_are_refused_with_the_reason(tmp_path: Path) -> None:
    space = {"search.worlds": ["private", "mix"], "search.mix_delta": [0.05, 0.9], "search.simulations": [1, 3]}
    agent = {"agent": "ismcts", "search": {"simulations": 20}}
    study = study_of(replace(KUHN, tuned=agent, space=space, trials=12, blocks=4), tmp_path)
    refused = [t for t in study.trials if t.state == "refused"]
    assert refused and all("no private world among" in t.why for t in refused)
    write_report(study, None, tmp_path)
    assert "no private world among" in (tmp_path / "report.md").read_text()


def test_faults_are_told(tmp_path: Path) -> None:
    rogue = {"python": "tests.arena.agents:Raises"}
    study = study_of(replace(CONFIG, opponent=rogue, trials=1, blocks=4), tmp_path)
    assert all(t.scores == (1.0,) * 4 for t in study.trials)
    assert "4 blocks with a fault, the first: Raises failed: ZeroDivisionError: no idea" in study.trials[1].why
    again = study_of(replace(CONFIG, opponent=rogue, trials=1, blocks=4), tmp_path)
    assert [t.why for t in again.trials] == [t.why for t in study.trials]
