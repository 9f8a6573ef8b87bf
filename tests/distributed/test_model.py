"""The model of the Ray experiment: 1 it foretells what was measured as well as the report says, and its calibration is
the best there is nearby; 2 the tables are what it says; 3 more workers never play less, and no more than each part
allows; 4 it saturates where the report says."""

import importlib
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from types import ModuleType
from typing import Any

import pytest

from tests.engines.subprocesses import ROOT

HERE = ROOT / "experiments" / "ray_scaling"
LIMIT, WAIT, TASK = 1024, 0.002, 4


@pytest.fixture(scope="module")
def modules() -> Iterator[tuple[ModuleType, ModuleType]]:
    """`model` and `run` of the experiment."""
    sys.path.insert(0, str(HERE))
    yield importlib.import_module("model"), importlib.import_module("run")
    sys.path.remove(str(HERE))
    for name in ("model", "run"):
        del sys.modules[name]


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE / "results" / "model.json").read_text())
    return found


def plain(model: Any) -> Any:
    return model.Costs(**json.loads((HERE / "results" / "costs.json").read_text())["costs"])


def test_it_foretells_what_was_measured(modules: Any, recorded: dict[str, Any]) -> None:
    model, run = modules
    told: dict[Any, list[float]] = {}
    lines = iter(recorded["check"])
    for by, fitted in recorded["calibration"].items():
        measured = run._measured(plain(model), by)
        for one in measured:
            line = next(lines)
            assert (line["by"], line["measured"]) == (by, one.requests)
            assert line["foretold"] == model.foretold(one, fitted)
            told.setdefault((by, one.calibrates), []).append(line["foretold"] / one.requests)
        calibrating = [one for one in measured if one.calibrates]
        best = model.misfit(calibrating, fitted)
        for name in fitted:
            for change in (0.4, 2.5):
                nearby = model.misfit(calibrating, {**fitted, name: change * fitted[name]})
                assert nearby > 0.97 * best  # requests are counted in whole numbers, so it is not smooth
    assert not list(lines)
    text = " ".join((HERE / "report.md").read_text().split())
    for (by, calibrates), what in {
        ("door", True): r"calibrated by (\d+) of them",
        ("door", False): r"foretells the other (\d+)",
        ("call", True): r"calibrated by (\d+) of calls",
    }.items():
        found = re.search(rf"{what} within ([-+]\d+) and ([-+]\d+) %", text)
        ratios = told.pop((by, calibrates))
        expected = [len(ratios), round(100 * min(ratios) - 100), round(100 * max(ratios) - 100)]
        assert found and [int(n) for n in found.groups()] == expected
    assert not told


def test_processes_share_the_cores_of_their_machine(modules: Any) -> None:
    """Work that needs no server: so many workers as cores, and no more, play at once; with cores enough, all do."""
    model, _ = modules
    costs = model.Costs(1, 1e-3, 0.0, 0.0, 0.0, 0.0, 1.0, 0)
    rates = {
        (n, cores): model.simulate(costs, n, 64, 0.0, 1.0, cores=cores).requests for n in (1, 2, 4) for cores in (2, 8)
    }
    assert rates[1, 2] == pytest.approx(1000, rel=0.01)
    for n, cores in rates:
        assert rates[n, cores] == pytest.approx(1000 * min(n, cores), rel=0.01)


def games(model: Any, costs: Any, servers: int, workers: int, seconds: float = 0.5) -> float:
    out = model.simulate(costs, -(-workers // servers), LIMIT, WAIT, seconds)
    return float(servers * out.requests / costs.requests_a_game)


@pytest.mark.parametrize("by", ["door", "call"])
def test_more_workers_play_more_up_to_where_the_report_says(modules: Any, recorded: dict[str, Any], by: str) -> None:
    model, _ = modules
    of_gpu = replace(plain(model), **recorded["calibration"][by], **recorded["gpu"])
    full = {}
    for lanes in (32, 256):
        costs = model.with_lanes(of_gpu, lanes / 32)
        counts = (1, 2, 4, 8, 16, 32, 64)
        rates = [games(model, costs, 1, count) for count in counts]
        assert all(b > 0.98 * a for a, b in pairwise(rates)) and rates[2] > 1.5 * rates[0]
        for count, rate in zip(counts, rates, strict=True):
            assert rate < 1.02 * min(model.bounds(costs, count, 1, LIMIT, TASK, None).values())
        full[lanes] = rates[-1]
        for row in recorded["rows"]:
            if (row["by"], row["lanes"], row["servers"]) == (by, lanes, 8) and row["workers"] < 500:
                most = min(row["bounds"].values())
                expected = pytest.approx(row["games/s"], rel=1e-9)
                assert min(most, games(model, costs, 8, row["workers"], 1.0)) == expected
    text = " ".join((HERE / "report.md").read_text().split())
    assert f"| {by} | {full[32]:.0f} | {full[256]:.0f} |" in text
    (busy,) = re.findall(rf"8 servers that are asked by {by} take about (\d+) workers", text)
    most, costs = 8 * full[256], model.with_lanes(of_gpu, 8)
    assert games(model, costs, 8, int(busy) // 2) < 0.8 * most and games(model, costs, 8, int(busy)) > 0.85 * most
