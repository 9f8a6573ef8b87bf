"""A watched search: it answers what the unwatched one does, and what was seen of it adds up."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Any

import numpy as np
import pytest

import engines
from engines.state import State
from orion_ai.search import HashEvaluator, Search, SearchConfig, make_search
from orion_ai.search.trace import Trace, trace, traceable
from tests.search import record

TIMES = {"descent_seconds", "evaluation_seconds", "backup_seconds"}
POSITIONS = {name: (game, state) for name, game, state in record.positions()}
CONFIGS = {n: config for n, config in (record.CONFIGS | record.FROM_START).items() if not n.startswith("gt_cfr")}
SEARCHES = [
    (p, name)
    for p in POSITIONS
    for name in CONFIGS
    if record.fitting(POSITIONS[p][0], CONFIGS[name])
    and (name not in record.FROM_START or POSITIONS[p][0].perfect_recall)
]
every_search = pytest.mark.parametrize(("position", "config"), SEARCHES)


def made(position: str, config: str) -> tuple[Search, State]:
    game, state = POSITIONS[position]
    settings = record.fitting(game, CONFIGS[config])
    return Search(game, settings, HashEvaluator(game) if settings.leaf == "network" else None), state


def watched(position: str, config: str) -> Trace:
    search, state = made(position, config)
    return trace(search, state.record, state.to_play, 7)


@every_search
def test_the_answer_is_that_of_the_search(position: str, config: str) -> None:
    search, state = made(position, config)
    seen = trace(search, state.record, state.to_play, 7)
    tree = search.tree()
    report = search.run(state.record[None], [state.to_play], [7])
    for field in dataclasses.fields(report):
        if field.name not in TIMES:
            np.testing.assert_array_equal(getattr(seen.report, field.name), getattr(report, field.name), field.name)
    assert search.tree() == tree
    assert [[e.action for e in node.edges] for node in seen.nodes] == [
        [e["action"] for e in node["edges"]] for node in tree
    ]


@pytest.mark.parametrize(
    ("position", "config"), [(p, name) for p, name in SEARCHES if p != "coin" and name not in record.FROM_START]
)
def test_what_goes_into_an_action_comes_out_of_it(position: str, config: str) -> None:
    seen, seat = watched(position, config), POSITIONS[position][1].to_play
    weighted = record.CONFIGS[config].worlds == "weighted"  # then visits at opponents' nodes have weights
    simulations = len(seen.actions)
    assert simulations == int(seen.report.simulations[0])
    into = Counter(seen.entries)
    assert (seen.weights == 1).all()
    for node in seen.nodes:
        for edge in node.edges:
            assert edge.children.total() + edge.ended == edge.visits or (weighted and node.seat != seat)
            into.update(edge.children)
        if node.edges:
            assert sum(edge.prior for edge in node.edges) == pytest.approx(1)
    for number, node in enumerate(seen.nodes):
        out = sum(edge.visits for edge in node.edges)
        assert into[number] - out in (0, 1) or (weighted and node.seat != seat), "it loses at most the one that made it"
        assert (node.origin is None) == (number == 0)
    root = Counter(seen.actions.tolist())
    assert all(root[edge.action] == edge.visits for edge in seen.nodes[0].edges)


@every_search
def test_the_simulations_with_their_weights_explain_the_root(position: str, config: str) -> None:
    seen, seat = watched(position, config), POSITIONS[position][1].to_play
    for edge in seen.nodes[0].edges:
        through = seen.actions == edge.action
        weights = seen.weights[through]
        assert weights.sum() == pytest.approx(edge.visits, rel=1e-5)
        assert weights @ seen.values[through, seat] == pytest.approx(edge.total[seat], rel=1e-4, abs=1e-4)


def test_private_worlds_keep_what_the_searcher_knows() -> None:
    game, state = POSITIONS["kuhn_2"]
    seat = state.to_play
    mixed = watched("kuhn_2", "ismcts_mix")
    assert mixed.private.sum() == 20
    own = mixed.worlds.view(game.dtype)[:, 0]["card"][:, seat]
    assert set(own[mixed.private].tolist()) == {int(state.fields["card"][seat])}
    assert len(set(own[~mixed.private].tolist())) > 1


def test_the_origin_of_a_node_is_a_state_of_it() -> None:
    seen = watched("kuhn_2", "ismcts")
    for node in seen.nodes[1:]:
        assert node.origin is not None
        game = POSITIONS["kuhn_2"][0]
        state = State(game, seen.worlds[node.origin.simulation].copy())
        for seat, action in node.origin.path:
            assert state.to_play == seat
            state.apply(action)
        assert bytes(state.record) == bytes(node.origin.record)
        assert state.to_play == node.seat


def test_a_budget_in_time_ends_a_watched_search() -> None:
    game, state = POSITIONS["kuhn_2"]
    seen = trace(Search(game, SearchConfig(milliseconds=20)), state.record, state.to_play, 7)
    assert len(seen.actions) == int(seen.report.simulations[0]) > 0


def test_a_full_lane_goes_on_without_new_nodes() -> None:
    game = engines.load("leduc_poker")
    state = game.start(seed=3)
    search = Search(game, SearchConfig(simulations=300, max_nodes=5))
    seen = trace(search, state.record, state.to_play, 7)
    assert len(seen.nodes) == 5 and seen.report.refused[0] > 0
    assert all(e.children.total() + e.ended == e.visits for node in seen.nodes for e in node.edges)


def test_only_a_search_with_a_forest_can_be_watched() -> None:
    assert traceable(made("kuhn_2", "ismcts")[0])
    assert traceable(made("kuhn_2", "oos")[0])
    assert not traceable(object())
    assert not traceable(make_search(POSITIONS["kuhn_2"][0], SearchConfig(algorithm="gt_cfr")))


def from_start(name: str, *steps: str, **settings: Any) -> tuple[State, Trace]:
    """A search that begins at the start of the game, some way into it."""
    game = engines.load(name)
    state = game.start()
    for step in steps:
        state.apply(step)
    config = SearchConfig(algorithm="oos", **{"simulations": 300, **settings})
    evaluator = HashEvaluator(game) if config.leaf == "network" else None
    return state, trace(Search(game, config, evaluator), state.record, state.to_play, 7)


LEDUC = ("deal queen of hearts", "deal king of spades", "call", "raise", "call", "deal queen of spades", "call")


@pytest.mark.parametrize("settings", [{}, {"oos_target": "public"}, {"leaf": "network"}, {"oos_delta": 0.0}])
@pytest.mark.parametrize("steps", [LEDUC, LEDUC[:3]])
def test_the_ways_from_the_start_of_the_game_lead_to_the_nodes(
    steps: tuple[str, ...], settings: dict[str, Any]
) -> None:
    root, seen = from_start("leduc_poker", *steps, **settings)
    for node in seen.nodes[1:]:
        assert node.origin is not None and node.origin.steps is not None
        state = root.game.start()
        for action, _ in node.origin.steps:
            state.apply(action)
        assert bytes(state.record) == bytes(node.origin.record)
        assert [action for action, at_node in node.origin.steps if at_node] == [a for _, a in node.origin.path]
    key = root.game.kernels.info_key(root.record, root.to_play)
    assert (seen.private == (seen.history >= 0)).all()
    assert seen.private.any() or settings == {"oos_delta": 0.0}
    assert all(root.game.kernels.info_key(world, root.to_play) == key for world in seen.worlds[seen.private])
    assert seen.entries.total() == 300


def test_what_is_believed_follows_from_the_others_average_strategies() -> None:
    """Kuhn poker, a king after a pass: the first player has a jack or a queen, by how often it passes with each."""
    root, seen = from_start("kuhn_poker", "deal jack", "deal king", "pass")
    passes: dict[int, float | None] = {}
    for node in seen.nodes[1:]:
        assert node.origin is not None
        state = State(root.game, node.origin.record)
        if node.seat == 0 and len(node.origin.path) == 0:
            passes[int(state.fields["card"][0])] = next(edge.average for edge in node.edges if edge.action == 0)
    assert len(seen.reach) == 2 and len(passes) == 3
    for way, reach in enumerate(seen.reach):
        world = State(root.game, seen.worlds[seen.history == way][0])
        assert reach == pytest.approx(1 / 6 * (passes[int(world.fields["card"][0])] or 0.0))


@pytest.mark.parametrize("config", ["regret_matching", "exp3", "oos"])
def test_bandits_tell_their_strategies(config: str) -> None:
    seen = watched("kuhn_2", config)
    for edge in seen.nodes[0].edges:
        assert edge.average == pytest.approx(float(seen.report.policy[0, edge.action]), abs=1e-6)
    for node in seen.nodes:
        for shares in ([edge.average for edge in node.edges], [edge.current for edge in node.edges]):
            assert all(share is not None and share >= 0 for share in shares)
            assert not node.edges or sum(share or 0.0 for share in shares) == pytest.approx(1)
    assert all(edge.average is edge.current is None for edge in watched("kuhn_2", "puct").nodes[0].edges)
