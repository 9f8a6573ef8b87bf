"""A grown tree, read off: it agrees with the answer, with `tree()`, and with sums taken over it by other means."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import engines
from engines.state import State
from orion_ai.search import HashEvaluator, SearchConfig, make_search
from orion_ai.search.grown import Grown, grown
from orion_ai.search.gt_cfr import GrowingTreeSearch
from orion_ai.search.report import SearchReport

LEDUC = ("deal queen of hearts", "deal king of spades", "call", "raise", "call", "deal queen of spades", "call")
CASES: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {
    "kuhn": ("kuhn_poker", ("deal jack", "deal king", "pass"), {"simulations": 200}),
    "leduc_start": ("leduc_poker", LEDUC, {"simulations": 3000, "grow_from": "game"}),
    "leduc_worlds": ("leduc_poker", LEDUC, {"simulations": 100, "grow_from": "belief"}),
    "leduc_public": ("leduc_poker", LEDUC[:3], {"simulations": 100, "grow_from": "belief", "worlds": "public"}),
    "leduc_network": ("leduc_poker", LEDUC, {"simulations": 60, "grow_from": "belief", "leaf": "network"}),
    "open": ("tic_tac_toe", ("mark b2", "mark a1"), {"simulations": 60}),
}
every_case = pytest.mark.parametrize("case", CASES)


@cache
def searched(case: str) -> tuple[State, SearchReport, list[dict[str, Any]], Grown]:
    name, steps, settings = CASES[case]
    game = engines.load(name)
    state = game.start()
    for step in steps:
        state.apply(step)
    config = SearchConfig(algorithm="gt_cfr", **settings)
    search = make_search(game, config, HashEvaluator(game) if config.leaf == "network" else None)
    assert isinstance(search, GrowingTreeSearch)
    report = search.run(state.record[None], np.array([state.to_play]), np.array([3], np.uint64))
    nodes = search.tree()
    tree = grown(search)
    assert search.tree() == nodes, "to be looked at changes nothing"
    return state, report, nodes, tree


@every_case
def test_the_searchers_set_is_the_answer(case: str) -> None:
    state, report, _, tree = searched(case)
    root, seat = tree.sets[0], tree.searcher
    assert seat == root.seat == state.to_play and root.actions.tolist() == state.legal_actions()
    weights = tree.weights(0)
    assert weights.sum() == pytest.approx(1)
    assert weights @ tree.worth[list(root.histories)] == pytest.approx(report.value[0], abs=1e-6)
    for j, action in enumerate(root.actions.tolist()):
        after = [tree.children(h)[j] for h in root.histories]
        assert root.average[j] == pytest.approx(report.policy[0, action], abs=1e-6)
        assert root.prior[j] == pytest.approx(report.prior[0, action], abs=1e-6)
        assert weights @ tree.worth[after, seat] == pytest.approx(report.q[0, action], abs=1e-6)
        assert sum(tree.came(h) for h in after) == report.visits[0, action]


@every_case
def test_strategies_are_those_of_the_edges(case: str) -> None:
    _, _, nodes, tree = searched(case)
    expanded = [h for h, node in enumerate(nodes) if node["set"] >= 0 and node["edges"]]
    assert expanded == sorted(h for found in tree.sets for h in found.histories)
    for number, found in enumerate(tree.sets):
        assert found.average.sum() == pytest.approx(1)
        assert found.current.sum() == pytest.approx(1) and (found.current >= 0).all()
        for h in found.histories:
            assert (nodes[h]["set"], nodes[h]["seat"]) == (number, found.seat)
            assert [edge["share"] for edge in nodes[h]["edges"]] == found.average.tolist()
            assert [edge["action"] for edge in nodes[h]["edges"]] == found.actions.tolist()


@every_case
def test_reaches_and_values_are_those_of_the_plain_tree(case: str) -> None:
    _, _, nodes, tree = searched(case)
    reach, own = np.zeros(len(nodes)), np.zeros(tree.worth.shape)
    reach[0], own[0] = 1.0, 1.0
    for h, node in enumerate(nodes):
        for edge in node["edges"]:
            if edge["child"] >= 0:
                reach[edge["child"]] = reach[h] * edge["share"]
                own[edge["child"]] = own[h]
                if node["seat"] >= 0:
                    own[edge["child"], node["seat"]] *= edge["share"]
    worth = np.array([node["value"] for node in nodes], float)
    for h in reversed(range(len(nodes))):
        if nodes[h]["edges"]:
            worth[h] = sum(edge["share"] * worth[edge["child"]] for edge in nodes[h]["edges"] if edge["child"] >= 0)
    np.testing.assert_allclose(tree.reach, reach, atol=1e-12)
    np.testing.assert_allclose(tree.others * own, np.broadcast_to(reach[:, None], own.shape), atol=1e-12)
    np.testing.assert_allclose(tree.worth, worth, atol=1e-9)


def test_chance_is_passed_over_on_the_way_to_what_comes_next() -> None:
    _, _, nodes, tree = searched("kuhn")
    firsts = tree.ways(0)
    assert len(firsts) == 6 and {nodes[h]["seat"] for h in firsts} == {0}
    assert all(tree.decided(h) for h in firsts)
    ends = [h for h, node in enumerate(nodes) if not node["edges"]]
    assert all(tree.ways(h) == [h] and not tree.decided(h) for h in ends)
