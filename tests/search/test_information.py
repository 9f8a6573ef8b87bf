"""What a search may know, and that it is the same search wherever it runs.

1. States that differ only in what the seat cannot know give the same report, to the bit.
2. A lane's answer does not depend on the lanes beside it, nor on their number.
3. Searching what everybody knows keeps bluffs that a search from one's own hand gives away.
4. Compiled and interpreted searches agree to the bit; golden trees have not moved.
"""

import dataclasses
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import engines
from orion_ai.search import HashEvaluator, Search, SearchConfig, make_search
from tests.search import record

KUHN = engines.load("kuhn_poker")
JACK, QUEEN, KING, ACE = 2, 3, 4, 5
TIMES = {"descent_seconds", "evaluation_seconds", "backup_seconds"}


def kuhn(*actions, players=2):
    game = KUHN if players == 2 else engines.load("kuhn_poker", players=players)
    state = game.start()
    for action in actions:
        state.apply(action)
    return state


def searched(state, config, lanes=1):
    evaluator = HashEvaluator(state.game) if config.leaf == "network" else None
    search = make_search(state.game, config, evaluator, lanes)
    worlds, seats = np.tile(state.record, (lanes, 1)), np.full(lanes, state.to_play)
    return search.run(worlds, seats, np.arange(lanes, dtype=np.uint64))


def same(one, other):
    for field in dataclasses.fields(one):
        if field.name not in TIMES:
            np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name), field.name)


@pytest.mark.parametrize("name", record.CONFIGS)
@pytest.mark.parametrize("betting", [(), (0,), (0, 1)])
def test_hidden_facts_do_not_matter(name, betting):
    # Seat 0 or 1 to act with the queen; the other seat holds the jack in one state and the king in the other.
    mine = len(betting) % 2
    deals = [(QUEEN, other) if mine == 0 else (other, QUEEN) for other in (JACK, KING)]
    one, other = (searched(kuhn(*deal, *betting), record.CONFIGS[name], 4) for deal in deals)
    same(one, other)


def test_an_oracle_sees_hidden_facts():
    config = SearchConfig(simulations=200, worlds="oracle", allow_oracle=True)
    one, other = (searched(kuhn(QUEEN, card), config) for card in (JACK, KING))
    assert abs(one.value[0, 0] - other.value[0, 0]) > 0.3


@pytest.mark.parametrize("name", record.CONFIGS)
def test_lanes_do_not_matter(name):
    for _, game, state in record.positions():
        config = record.fitting(game, record.CONFIGS[name])
        if config is None:
            continue
        _, alone = record.search(game, state, config)
        _, among = record.search(game, state, config, before=3, after=2)
        assert alone == among


@pytest.mark.parametrize("name", record.CONFIGS)
def test_a_search_can_be_repeated_and_its_key_matters(name):
    state = kuhn(QUEEN, KING)
    config = record.CONFIGS[name]
    search = make_search(KUHN, config, HashEvaluator(KUHN) if config.leaf == "network" else None, 8)
    worlds, seats = np.tile(state.record, (8, 1)), np.zeros(8, int)
    first = search.run(worlds, seats, np.arange(8, dtype=np.uint64))
    search.run(worlds, seats, np.arange(50, 58, dtype=np.uint64))
    same(first, search.run(worlds, seats, np.arange(8, dtype=np.uint64)))
    assert len({tuple(q) for q in first.q.tolist()}) > 1


def test_bluffs_survive_public_worlds_only():
    """A modelled opponent that only ever meets the true hand learns it: the jack then never bets. See Kuhn 1950: in
    equilibrium it bets up to a third of the time."""
    jack = kuhn(JACK, QUEEN)
    private = searched(jack, SearchConfig(simulations=30_000, c_uct=1.0), 8)
    public = searched(jack, SearchConfig(simulations=30_000, c_uct=1.0, worlds="public"), 8)
    assert private.policy[:, 1].mean() < 0.005
    assert 0.03 < public.policy[:, 1].mean() < 0.4


@pytest.mark.parametrize("algorithm", ["ismcts", "puct", "gumbel"])
def test_mixed_worlds_update_the_nodes_they_are_for(algorithm):
    """Nine of ten worlds are private: they alone update the root, and the others alone the opponent's nodes."""
    config = SearchConfig(algorithm=algorithm, leaf="network", worlds="mix", mix_delta=0.9, simulations=1000)
    search = Search(KUHN, config, HashEvaluator(KUHN))
    report = search.run(kuhn(JACK, KING).record[None], [0], np.array([1], np.uint64))
    assert report.visits[0].sum() == 900
    opponent = sum(edge["visits"] for node in search.tree() if node["seat"] == 1 for edge in node["edges"])
    assert 80 <= opponent <= 100


def test_the_king_is_never_folded():
    report = searched(kuhn(KING, QUEEN, 0, 1), SearchConfig(simulations=1000))
    assert report.action[0] == 1
    assert report.q[0] == pytest.approx([-0.5, 1.0])


def test_three_seats_get_a_value_each():
    state = kuhn(ACE, QUEEN, JACK, players=3)
    for name in ("ismcts", "puct", "gumbel"):
        report = searched(state, record.CONFIGS[name], 2)
        assert report.value.shape == (2, 3)
    report = searched(state, SearchConfig(simulations=5000))
    assert report.value[0].sum() == pytest.approx(0, abs=1e-5)
    assert report.value[0, 0] > 0


@pytest.mark.parametrize(("values", "rows"), [("one", 1), ("two", 2), ("all", 3)])
def test_rows_of_a_leaf(values, rows):
    """The root is evaluated for the searcher (`all`: for everybody), an opponent's leaf by as many rows as set."""
    state = kuhn(KING, QUEEN, JACK, players=3)
    config = SearchConfig(algorithm="puct", leaf="network", simulations=1, values=values)
    report = searched(state, config)
    assert report.evaluations[0] == (3 if values == "all" else 1) + rows


class _Rows:
    """Answers 1/4 for the observing seat, -1/8 for the next and -1/16 for the one after, whoever observes."""

    def evaluate(self, observations):
        values = np.tile(np.array([0.25, -0.125, -0.0625], np.float32), (len(observations), 1))
        return np.zeros((len(observations), 2), np.float32), values


def test_values_are_read_from_the_seat_that_observes():
    """After seat 0's first action seat 1 is to move: its row alone says (-1/16, 1/4, -1/8); with the searcher's own row
    its entry is 1/4 too, and with everybody's all three are."""
    state = kuhn(KING, QUEEN, JACK, players=3)
    expected = {"one": (-0.0625, 0.25, -0.125), "two": (0.25, 0.25, -0.125), "all": (0.25, 0.25, 0.25)}
    for values, vector in expected.items():
        config = SearchConfig(algorithm="puct", leaf="network", simulations=1, values=values)
        report = Search(state.game, config, _Rows()).run(state.record[None], [0], np.array([1], np.uint64))
        assert report.value[0].tolist() == list(vector)


def test_golden_trees():
    """Trees of every algorithm with arbitrary evaluations; the other lanes search something else."""
    for name, answer in record.everything(before=2, after=1).items():
        golden = json.loads((record.GOLDEN / f"{name}.json").read_text())
        assert answer["action"] == golden["action"], name
        for part in ("policy", "value", "effective"):
            assert answer[part] == pytest.approx(golden[part], abs=1e-5), (name, part)
        assert len(answer["tree"]) == len(golden["tree"]), name
        for node, kept in zip(answer["tree"], golden["tree"], strict=True):
            assert _rounded(node) == _rounded(kept), name


def _rounded(node):
    if "visits" in node:  # a history of a growing tree
        edges = [[e["action"], e["child"], round(e["share"], 4)] for e in node["edges"]]
        return [node["parent"], node["set"], node["visits"], node["seat"], [round(v, 4) for v in node["value"]], edges]
    edges = [[e["action"], *(round(x, 4) for x in (e["visits"], e["available"], *e["total"]))] for e in node["edges"]]
    return [node["seat"], [round(v, 4) for v in node["value"]], edges]


def test_compiled_and_interpreted_searches_agree_to_the_bit():
    answers = []
    for disabled in ("0", "1"):
        command = [sys.executable, "-m", "tests.search.record"]
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled}
        done = subprocess.run(command, capture_output=True, env=environment, check=True, text=True)
        answers.append(json.loads(done.stdout))
    assert answers[0] == answers[1]
