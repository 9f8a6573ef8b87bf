"""One agent for games with secrets: an equilibrium where a tree holds the game, a strong tree search elsewhere."""

import dataclasses
import itertools

import numpy as np
import pytest

import engines
from engines.errors import UsageError
from orion_ai.agents import make_agent
from orion_ai.arena.entrants import make_agents, resolve
from orion_ai.search import Search, SearchConfig, make_search
from orion_ai.search.make import decide
from orion_ai.search.size import count_histories
from orion_ai.solve.best_response import Judge
from orion_ai.solve.tabulate import tabulate
from orion_ai.solve.tree import enumerate_game

HISTORIES = {
    ("kuhn_poker", ()): 58,
    ("leduc_poker", ()): 9457,
    ("liars_dice", (("faces", 4),)): 6133,
    ("goofspiel", (("cards", 4),)): 26_773,
}
"""As a tree has them: a decision with a single action is none."""
LARGE = {
    "moo_board": {},
    "conquest": {"max_rounds": 10},
    "goofspiel": {"cards": 13, "hidden": True},
    "phantom_tic_tac_toe": {},
}


def settings(agent, **changes):
    """The search of an agent of configs/agent, its budget replaced."""
    (entrant,) = resolve([{"agent": agent, "search": changes}] if changes else [agent])
    return SearchConfig(**entrant.settings["search"])


def position(name, steps, **options):
    """A state some way into a game, with a choice."""
    state, rng = engines.load(name, **options).start(3), np.random.default_rng(5)
    while steps > 0 or len(state.legal_actions()) < 2:
        state.apply(int(rng.choice(state.legal_actions())))
        steps -= 1
    return state


def exploitability(game, simulations):
    (agent,) = make_agents(game, resolve(["default"], simulations=simulations), 64)
    enumerated = enumerate_game(game)
    return Judge(enumerated).exploitability(tabulate(enumerated, agent, seed=1))


@pytest.mark.parametrize(("name", "options"), HISTORIES, ids=[name for name, _ in HISTORIES])
def test_in_a_small_game_it_is_gt_cfr_to_the_last_setting(name, options):
    """So all that was measured of `gt_cfr` in these games holds: the answers are those of the same search."""
    game = engines.load(name, **dict(options))
    for budget in ({"simulations": 300}, {"milliseconds": 20.0}):
        assert decide(game, settings("default", **budget)) == settings("gt_cfr", **budget)
    assert count_histories(game, 2**17) == HISTORIES[name, options]
    assert make_search(game, settings("default")).config.algorithm == "gt_cfr"


def test_of_two_answers_in_a_small_game_none_differs():
    state = position("leduc_poker", 1)
    searches = [make_search(state.game, settings(agent, simulations=200)) for agent in ("default", "gt_cfr")]
    reports = [search.run(state.record[None], [state.to_play], np.array([9], np.uint64)) for search in searches]
    for field in dataclasses.fields(reports[0]):
        if not field.name.endswith("_seconds"):
            np.testing.assert_array_equal(*(getattr(report, field.name) for report in reports), field.name)
    assert reports[0].algorithm == "gt_cfr"


@pytest.mark.parametrize("name", LARGE)
def test_in_a_large_game_it_is_a_tree_search(name):
    """The best action, not a mixture; legal, and no other for what the seat cannot know."""
    state = position(name, 40 if name in ("moo_board", "conquest") else 4, **LARGE[name])
    search, seat = make_search(state.game, settings("default", simulations=60), lanes=2), state.to_play
    other = state.determinize(seat, seed=11)
    assert other.record.tobytes() != state.record.tobytes()
    report = search.run(np.stack([state.record, other.record]), [seat] * 2, np.array([4, 4], np.uint64))
    assert report.algorithm == "ismcts"
    assert search.config.temperature == 0 and search.config.keep_tree
    assert report.action[0] in state.legal_actions()
    assert report.action[0] == report.visits[0].argmax()
    assert report.visits[0].sum() == 60
    for part in ("action", "policy", "value", "q", "visits"):
        one, two = getattr(report, part)
        np.testing.assert_array_equal(one, two, part)
    again = search.run(state.record[None], [seat], np.array([4], np.uint64))
    np.testing.assert_array_equal(again.q[0], report.q[0])


def test_size_is_what_decides():
    leduc = engines.load("leduc_poker")
    auto = SearchConfig(algorithm="auto", c_uct=0.5, playouts=4)
    assert decide(leduc, dataclasses.replace(auto, max_nodes=9457)).algorithm == "gt_cfr"
    small = decide(leduc, dataclasses.replace(auto, max_nodes=9456))
    assert small == SearchConfig(algorithm="ismcts", c_uct=0.5, max_nodes=9456)
    assert count_histories(leduc, 100) == 101
    assert decide(leduc, small) is small
    assert decide(engines.load("tic_tac_toe"), auto).algorithm == "ismcts"  # keys do not cover the past


def test_kuhn_poker_gets_no_worse_with_more_simulations():
    """Up to 100,000; exact, by best responses to the policies in all information states."""
    measured = [exploitability(engines.load("kuhn_poker"), n) for n in (100, 1000, 100_000)]
    assert all(later <= earlier + 1e-6 for earlier, later in itertools.pairwise(measured))
    assert measured[0] <= 0.02 and measured[-1] <= 1e-4


def test_leduc_poker_gets_better_with_more_simulations():
    measured = [exploitability(engines.load("leduc_poker"), n) for n in (100, 300)]
    assert measured[1] < measured[0] < 1.0


@pytest.mark.slow
def test_leduc_poker_is_nearly_solved():
    """A minute: `pytest -m slow tests/search/test_default.py`."""
    assert exploitability(engines.load("leduc_poker"), 10_000) <= 0.2


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"temperature": 1.0}, "search.temperature is 1.0, but search.algorithm is 'auto'"),
        ({"worlds": "public"}, "search.worlds is public, but search.algorithm is 'auto'"),
        ({"c_puct": 2.0}, "only 'puct' would use it: expected its default, 1.25, or search.algorithm=puct"),
        ({"temperature": 1.0}, "expected its default, 0.0, or search.algorithm=ismcts"),
        ({"grow_from": "belief"}, "only 'gt_cfr' would use it"),
        ({"nodes": "public"}, "search.nodes is public"),
        ({"stop_early": True}, "search.stop_early is True"),
        ({"exploration": 0.5}, "search.exploration is 0.5"),
        ({"c_uct": -1.0}, "search.c_uct is -1"),
        ({"leaf": "network"}, "there is no network"),
    ],
)
def test_what_neither_search_would_use_is_refused(changes, text):
    with pytest.raises(UsageError, match=text):
        make_search(engines.load("kuhn_poker"), SearchConfig(algorithm="auto", **changes))


def test_it_has_to_be_decided_first():
    with pytest.raises(TypeError, match="make_search"):
        Search(engines.load("kuhn_poker"), SearchConfig(algorithm="auto"))


def test_agents_are_named_by_what_was_asked_for():
    from orion_ai.agents import AgentConfig

    agent = make_agent(engines.load("kuhn_poker"), AgentConfig(search=SearchConfig(algorithm="auto")))
    assert agent.name == "auto"
