"""Chance right below the root: searches of Pig find the best action and its value in every position with a choice.

The exact values come from the game's own transitions (`tests/pig/solve.py`): 6/7 and 216/271 from the start.
"""

import functools

import numpy as np
import pytest

import engines
from engines.pig.layout import HOLD, ROLL
from orion_ai.search import Search, SearchConfig, UniformEvaluator
from tests.pig.solve import Solved

SIMULATIONS = 20_000


@functools.cache
def choices(target):
    """Records of all positions of seat 0 with a choice, with the value and the best action of each."""
    game = engines.load("pig", target=target)
    solved, records, values, best = Solved(game), [], [], []
    held = [points for points in range(target) if points != 1]
    for own in held:
        for other in held:
            for total in [0, *range(2, target - own)]:
                state = game.start()
                state.fields["score"], state.fields["total"] = [own, other, 0, 0], total
                state.fields["turn"] = 2 if own or other else 0
                assert state.legal_actions() == [ROLL, HOLD]
                records.append(state.record)
                values.append(solved.values[solved.at(own, other, total)])
                best.append(solved.policy[solved.at(own, other, total)])
    return game, np.array(records), np.array(values), np.array(best)


@pytest.mark.parametrize(
    "config",
    [
        SearchConfig(simulations=SIMULATIONS),
        SearchConfig(algorithm="puct", leaf="network", simulations=SIMULATIONS),
        SearchConfig(algorithm="gumbel", leaf="network", simulations=SIMULATIONS, c_scale=0.02),
    ],
    ids=lambda config: config.algorithm,
)
@pytest.mark.parametrize(("target", "start"), [(2, 6 / 7), (5, 216 / 271)])
def test_the_best_action_and_its_value_are_found(config, target, start):
    game, records, values, best = choices(target)
    assert values[0] == pytest.approx(start, abs=1e-10)
    evaluator = UniformEvaluator(game) if config.leaf == "network" else None
    lanes = len(records)
    report = Search(game, config, evaluator, lanes).run(
        records, np.zeros(lanes, np.int64), np.arange(lanes, dtype=np.uint64)
    )
    assert report.action.tolist() == best.tolist()
    found = (report.q[np.arange(lanes), report.action] + 1) / 2
    assert found == pytest.approx(values, abs=0.015)


def test_more_simulations_come_closer():
    game, records, values, _ = choices(5)
    lanes, errors = len(records), []
    for simulations in (100, 1_000, 10_000):
        report = Search(game, SearchConfig(simulations=simulations), None, lanes).run(
            records, np.zeros(lanes, np.int64), np.arange(lanes, dtype=np.uint64)
        )
        errors.append(np.abs((report.value[:, 0] + 1) / 2 - values).mean())
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.02
