"""The tree that is shown: every node once, named by what is known there, most visited first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

import engines
from engines.contract import Game
from engines.state import State
from orion_ai.explain.outline import _Teller, outline
from orion_ai.explain.places import Place
from orion_ai.search import Search, SearchConfig
from orion_ai.search.trace import Trace, trace


def searched(game: Game, state: State, config: SearchConfig) -> tuple[int, Trace]:
    seat = state.to_play
    world = state.determinize(seat, seed=3)
    return seat, trace(Search(game, config), world.record, seat, 11)


def leduc(config: SearchConfig) -> tuple[Game, int, Trace]:
    game = engines.load("leduc_poker")
    state = game.start()
    for step in ("deal queen of hearts", "deal king of spades", "call"):
        state.apply(step)
    return game, *searched(game, state, config)


def walk(places: list[Place]) -> Iterator[Place]:
    for place in places:
        yield place
        for branch in place.branches:
            yield from walk(branch.places)


CONFIGS = {
    "private": SearchConfig(simulations=400),
    "public": SearchConfig(simulations=400, worlds="public"),
    "pooled": SearchConfig(simulations=400, nodes="public"),
    "observer": SearchConfig(simulations=400, nodes="observer"),
    "alone": SearchConfig(simulations=400, opponents="random"),
    "mix": SearchConfig(simulations=400, worlds="mix"),
}
every_config = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)


@every_config
def test_every_node_is_shown_once_and_nothing_is_lost(config: SearchConfig) -> None:
    game, seat, seen = leduc(config)
    roots = outline(game, config, seat, seen, most=10**6)
    shown = Counter(place.node for place in walk(roots) if not place.again)
    assert shown == Counter(range(len(seen.nodes)))
    for place in walk(roots):
        edges = {edge.action: edge for edge in seen.nodes[place.node].edges}
        for branch in place.branches:
            edge = edges[branch.action]
            assert {p.node: p.count for p in branch.places} == edge.children
            assert (branch.unshown, branch.ended, branch.visits) == (0, edge.ended, edge.visits)
            assert branch.q == edge.q(place.seat)


@pytest.mark.parametrize("most", [1, 2, 7])
def test_no_more_than_asked_for_is_shown_and_the_rest_is_counted(most: int) -> None:
    config = CONFIGS["private"]
    game, seat, seen = leduc(config)
    roots = outline(game, config, seat, seen, most)
    places = list(walk(roots))
    assert len([place for place in places if not place.again]) == most
    for place in places:
        for branch in place.branches:
            assert sum(p.count for p in branch.places) + branch.unshown + branch.ended == branch.visits
    counts = [branch.visits for branch in roots[0].branches]
    assert counts == sorted(counts, reverse=True)


@every_config
def test_the_way_to_every_node_is_found_again(config: SearchConfig) -> None:
    game, seat, seen = leduc(config)
    teller = _Teller(game, config, seat, seen)
    for node in seen.nodes[1:]:
        assert node.origin is not None
        state = State(game, seen.worlds[node.origin.simulation].copy())
        way = teller._way_to(node.origin)
        for action, _ in way:
            state.apply(action)
        assert bytes(state.record) == bytes(node.origin.record)
        assert [action for action, at_node in way if at_node] == [action for _, action in node.origin.path]


@pytest.mark.parametrize("name", ["liars_dice", "goofspiel", "phantom_tic_tac_toe", "pig", "backgammon"])
def test_the_way_is_found_in_other_games(name: str) -> None:
    game = engines.load(name)
    state, config = game.start(seed=4), SearchConfig(simulations=60, max_edges=1000)
    seat, seen = searched(game, state, config)
    teller = _Teller(game, config, seat, seen)
    assert all(node.origin is not None and teller._way_to(node.origin) for node in seen.nodes[1:])


def test_nodes_are_named_by_what_is_known_there() -> None:
    game, seat, seen = leduc(CONFIGS["private"])
    places = list(walk(outline(game, CONFIGS["private"], seat, seen, 10**6)))
    others = [place for place in places if place.seat != seat]
    assert {place.holds for place in others} == {
        f"card {rank} of {suit}" for rank in ("jack", "queen", "king") for suit in ("spades", "hearts")
    } - {"card king of spades"}
    assert {place.holds for place in places if place.seat == seat} == {""}
    assert any(event.startswith("the board is the ") for place in places for event in place.events)


def test_pooled_nodes_tell_nothing_of_their_movers_hand() -> None:
    for name in ("pooled", "observer"):
        game, seat, seen = leduc(CONFIGS[name])
        places = list(walk(outline(game, CONFIGS[name], seat, seen, 10**6)))
        assert all(place.pooled == (place.seat != seat) for place in places)
        assert {place.holds for place in places} == {""}


def test_public_worlds_begin_at_other_hands_too() -> None:
    game, seat, seen = leduc(CONFIGS["public"])
    roots = outline(game, CONFIGS["public"], seat, seen, 10**6)
    assert {place.holds for place in roots[1:]} >= {"card jack of hearts", "card queen of spades"}
    assert sum(place.count for place in roots) == 400
