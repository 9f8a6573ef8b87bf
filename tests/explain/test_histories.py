"""What is shown of searches that mix: the sets of their histories in words, and the worlds that they believe in.

1 Words and numbers of the tree. 2 The worlds of the root. 3 The page and the text, which tell nothing hidden.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engines
from engines.contract import Game
from engines.state import State
from orion_ai.arena.runner import Budget
from orion_ai.explain.histories import GrownTree, _walk, root_sample
from orion_ai.explain.page import page
from orion_ai.explain.places import Place, lay_out
from orion_ai.search import SearchConfig, make_search
from orion_ai.search.grown import Grown, grown
from orion_ai.search.gt_cfr import GrowingTreeSearch
from orion_ai.search.report import SearchReport
from tests.explain.games import KUHN, LEDUC
from tests.explain.test_outline import walk
from tests.explain.test_page import Checker, kuhn, text_of, told

CASES: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {
    "kuhn": ("kuhn_poker", KUHN[:3], {"simulations": 200}),
    "leduc": ("leduc_poker", LEDUC[:7], {"simulations": 3000, "grow_from": "game"}),
    "worlds": ("leduc_poker", LEDUC[:7], {"simulations": 100, "grow_from": "belief"}),
    "public": ("leduc_poker", LEDUC[:3], {"simulations": 100, "grow_from": "belief", "worlds": "public"}),
    "dice": ("liars_dice", (), {"simulations": 60, "grow_from": "belief"}),
}
every_case = pytest.mark.parametrize("case", CASES)


@cache
def searched(case: str) -> tuple[Game, State, SearchReport, Grown]:
    name, steps, settings = CASES[case]
    game = engines.load(name)
    state = game.start() if steps else game.start(seed=4)
    for step in steps:
        state.apply(step)
    search = make_search(game, SearchConfig(algorithm="gt_cfr", **settings))
    assert isinstance(search, GrowingTreeSearch)
    report = search.run(state.record[None], np.array([state.to_play]), np.array([3], np.uint64))
    return game, state, report, grown(search)


def shown(case: str, most: int = 10**6) -> list[Place]:
    game, _, _, tree = searched(case)
    return lay_out(GrownTree(game, tree), most)


# 1


@every_case
def test_histories_of_a_set_are_what_their_mover_cannot_tell_apart(case: str) -> None:
    game, _, _, tree = searched(case)
    for found in tree.sets:
        walked = [_walk(game, tree, h) for h in found.histories[:5]]
        states = [state for state, _ in walked]
        assert all(state.to_play == found.seat for state in states)
        assert all(state.legal_actions() == found.actions.tolist() for state in states)
        assert len({int(game.kernels.info_key(state.record, found.seat)) for state in states}) <= 1
        assert len({events for _, events in walked}) <= 1, "nor does it see other things happen"


@every_case
def test_every_set_is_shown_once_with_what_came_after_it(case: str) -> None:
    tree = searched(case)[3]
    places = list(walk(shown(case)))
    known = {number for number, found in enumerate(tree.sets) if found.histories}
    assert Counter(place.node for place in places if not place.again) == Counter(known)
    for place in places:
        found = tree.sets[place.node]
        assert place.mixture is not None and place.mixture.histories == len(found.histories)
        assert place.mixture.reach == pytest.approx(sum(tree.reach[h] for h in found.histories))
        for branch in place.branches:
            j = found.actions.tolist().index(branch.action)
            after = [tree.children(h)[j] for h in found.histories]
            assert (branch.average, branch.current) == (found.average[j], found.current[j])
            assert branch.visits == sum(tree.came(h) for h in after)
            below = [h for child in after for h in tree.ways(child)]
            assert {p.node for p in branch.places} == {int(tree.node["set"][h]) for h in below if tree.decided(h)}
            came = sum(p.count for p in branch.places) + branch.ended
            assert came == sum(tree.came(h) for h in below) and branch.unshown == 0
            assert min(tree.worth[after, place.seat]) - 1e-9 <= branch.q <= max(tree.worth[after, place.seat]) + 1e-9
        if not place.again:
            values = sum((b.average or 0.0) * np.array(b.values) for b in place.branches)
            np.testing.assert_allclose(values, place.mixture.values, atol=1e-9)


def test_what_lies_below_the_root_is_shown_before_its_past() -> None:
    assert searched("leduc")[3].from_start
    everything = shown("leduc")
    below = {place.node for place in walk(everything[:1])}
    few = shown("leduc", most=len(below) + 3)
    assert {place.node for place in walk(few[:1])} == below
    assert sum(not place.again for place in walk(few[1:])) == 3
    assert all(place.node in below for place in walk(shown("leduc", most=5)))


def test_sets_are_named_by_what_is_known_there() -> None:
    names = {(place.seat, place.holds) for place in walk(shown("kuhn")[:1])}
    assert names == {(1, ""), (0, "card jack"), (0, "card queen")}
    assert any("the board is the queen of spades" in place.events for place in walk(shown("leduc")))
    assert {place.holds for place in shown("public")} >= {"", "card jack of hearts", "card queen of spades"}


# 2


@every_case
def test_the_worlds_of_the_root_explain_the_answer(case: str) -> None:
    game, state, report, tree = searched(case)
    legal = state.legal_actions()
    sample = root_sample(game, tree, legal)
    assert sample is not None
    key = game.kernels.info_key(state.record, state.to_play)
    assert all(game.kernels.info_key(world, state.to_play) == key for world in sample.worlds)
    everywhere = sample.actions(np.arange(len(sample.worlds)))
    assert [visits for visits, _ in everywhere] == report.visits[0, legal].tolist()
    assert [q for _, q in everywhere] == pytest.approx(report.q[0, legal].tolist(), abs=1e-6)


def test_what_is_believed_follows_from_the_others_strategies() -> None:
    """Kuhn poker, a king after a pass: the first player has a jack or a queen, by how often it passes with each."""
    game, _, _, tree = searched("kuhn")
    sample = root_sample(game, tree, [0, 1])
    assert sample is not None
    passes = {}
    for found in tree.sets:
        state = _walk(game, tree, found.histories[0])[0]
        if found.seat == 0 and len(found.histories) == 2 and "no bets yet" in game.board(state):
            passes[int(state.fields["card"][0])] = found.average[0]
    held = [int(State(game, world).fields["card"][0]) for world in sample.worlds]
    assert len(passes) == 3 and len(set(held)) == 2
    mass = sum(passes[card] for card in held)
    assert sample.weights == pytest.approx([passes[card] / mass for card in held])


# 3


@pytest.mark.parametrize("agent", ["gt_cfr", "oos", "regret_matching"])
def test_the_page_and_the_text_of_a_search_that_mixes(tmp_path: Path, agent: str) -> None:
    explanation = told(tmp_path, "kuhn_poker", KUHN, ply=3, agents=[agent])
    (answer,) = explanation.answers
    text, printed = Checker(page(explanation)).text, text_of(explanation)
    assert answer.own_worlds and answer.places and len(answer.root_worlds) == len(answer.conditions) == 2
    assert sum(world.share for world in answer.root_worlds) == pytest.approx(1)
    assert {w.text: w.share for w in answer.root_worlds} == {f"seat 0: card {b.what}": b.share for b in answer.beliefs}
    policy = {branch.action: branch.average for branch in answer.places[0].branches}
    assert policy == pytest.approx({o.action: o.policy for o in answer.options}, abs=1e-6)
    for option in answer.options:
        shares = [condition.belief.share for condition in answer.conditions]
        weights = shares if answer.from_start else [c.actions[option.action][0] for c in answer.conditions]
        values = [condition.actions[option.action][1] for condition in answer.conditions]
        if agent != "oos":  # there Q counts worlds by how often simulations came to them
            assert np.average(values, weights=weights) == pytest.approx(option.q, abs=1e-5)
    assert "World by world" in text and " now " in text
    assert ("weighted by how probably" in text) == ("weighted by how probably" in printed) == answer.from_start
    assert "seat 0: card jack" in printed and " now " in printed
    assert ("reach " in printed) == (agent == "gt_cfr")


def mixed(folder: Path, game: str, steps: Any, ply: int, **settings: Any) -> tuple[str, str]:
    agents = ["gt_cfr", "oos"]
    made = told(folder, game, steps, ply=ply, agents=agents, budget=Budget(simulations=60), every=0, **settings)
    return page(made), text_of(made)


@pytest.mark.parametrize(("place", "plies"), [(0, (2, 4)), (1, (3,))])
@pytest.mark.parametrize("own", ["jack", "queen", "king"])
def test_hidden_cards_of_kuhn_poker_change_no_byte(
    tmp_path: Path, own: str, place: int, plies: tuple[int, ...]
) -> None:
    for ply in plies:
        one, other = (mixed(tmp_path, "kuhn_poker", steps, ply) for steps in kuhn(own, place))
        assert one == other
        one, other = (mixed(tmp_path, "kuhn_poker", steps, ply, reveal=True) for steps in kuhn(own, place))
        assert one[0] != other[0] and one[1] != other[1]


@pytest.mark.parametrize("ply", [3, 7])
def test_hidden_cards_of_leduc_poker_change_no_byte(tmp_path: Path, ply: int) -> None:
    others = ["jack of spades", "jack of hearts", "queen of hearts", "king of hearts"]
    assert len({mixed(tmp_path, "leduc_poker", [f"deal {other}", *LEDUC[1:]], ply) for other in others}) == 1


def test_a_search_that_never_came_here_believes_nothing(tmp_path: Path) -> None:
    agent = {"agent": "oos", "search": {"oos_delta": 0.0, "simulations": 3}}
    explanation = told(tmp_path, "leduc_poker", LEDUC, ply=9, agents=[agent], every=0)
    (answer,) = explanation.answers
    assert not answer.own_worlds and answer.places and not answer.root_worlds and answer.worlds == 1000
    assert "dealt from what the seat knows" in Checker(page(explanation)).text
    assert "its seat may believe" in text_of(explanation)


def test_the_page_is_whole(tmp_path: Path) -> None:
    html, _ = mixed(tmp_path, "leduc_poker", LEDUC, 7)
    checked = Checker(html)
    assert {reference[1:] for reference in checked.references} <= set(checked.ids)
    assert len(checked.ids) == len(set(checked.ids))
    assert "the search begins: the start of the game" in checked.text
