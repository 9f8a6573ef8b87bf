"""One tree for the whole game.

1 A later search adds to what an earlier one has found out about the same information set, edge by edge. 2 It is fresh
where the earlier one never came, and where a new game begins. 3 It takes no more room than half of a lane. 4 Matches
with it do not depend on the games beside each other, and are the same without compilation. 5 What makes no sense is
refused by name.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import engines
from engines.contract import Game
from engines.errors import UsageError
from engines.state import State
from orion_ai.agents import AgentConfig, FollowingAgent, make_agent
from orion_ai.arena.match import play_blocks
from orion_ai.search import HashEvaluator, Search, SearchConfig
from orion_ai.search.kept import Kept
from orion_ai.trails import new_number, trail_of
from tests.games import load
from tests.search.remember import POLICIES, digest

KUHN = engines.load("kuhn_poker")
LEDUC = engines.load("leduc_poker")
PIG = load("pig", target=9)
CONFIGS = {
    "ismcts": SearchConfig(simulations=200, keep_tree=True),
    "puct": SearchConfig(algorithm="puct", leaf="network", simulations=200, keep_tree=True),
    "particles": SearchConfig(simulations=200, keep_tree=True, worlds="particles", particle_policy="uniform"),
    "public": SearchConfig(simulations=200, keep_tree=True, worlds="public"),
}


def searching(game: Game, config: SearchConfig, lanes: int = 1) -> Search:
    return Search(game, config, HashEvaluator(game) if config.leaf == "network" else None, lanes)


def searched(search: Search, state: State, kept: Kept | None, key: int = 3) -> Any:
    return search.run(state.record[None], [state.to_play], np.array([key], np.uint64), kept=[kept])


def test_a_position_that_comes_back_goes_on_with_its_tree() -> None:
    """In pig a seat's key does not cover the past: after two lost turns it stands where it stood before."""
    agent = FollowingAgent(Search(PIG, CONFIGS["ismcts"]))
    state, number, reports = PIG.start(), new_number(), []
    lost = [0, 3, 0, 2]  # roll a two, roll a one
    for step in (*lost, *lost, *lost):
        if state.to_play == 0 and len(state.legal_actions()) > 1:
            trail = trail_of(PIG, state.history or [], 0, np.uint64(5), number)
            for _ in range(2):  # asked again, the same
                key = np.array([len(reports) // 2], np.uint64)
                reports.append((state.info_key(0), agent.search_after([trail], state.record[None], np.array([0]), key)))
        state.apply(step)
    (known, first), (_, again), (after, later), (_, repeated) = reports
    assert known == after
    for one, other in ((first, again), (later, repeated)):
        assert (one.visits == other.visits).all() and (one.q == other.q).all()
    assert first.visits.sum() >= 200 and later.visits.sum() >= first.visits.sum() + 200


def two_decisions(game: Game) -> tuple[State, State]:
    """A decision, and the same seat's next one."""
    state = game.start(4)
    first = state.clone()
    seat = state.to_play
    while True:
        state.apply(state.legal_actions()[0])
        if state.to_play == seat and len(state.legal_actions()) > 1:
            return first, state


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("game", [LEDUC, PIG], ids=lambda g: g.name)
def test_a_later_search_adds_to_the_same_information_set(game: Game, name: str) -> None:
    if game is PIG and name in ("particles", "public"):
        return
    first, second = two_decisions(game)
    search = searching(game, CONFIGS[name])
    searched(search, first, None)
    kept = search.keep(0)
    assert len(kept.key) == kept.first.size - 1 == len(search.tree())
    key = int(search._forest.node_key[0, 0])  # of the first decision
    assert kept.key[0] == key
    fresh = searching(game, CONFIGS[name])
    searched(fresh, second, None)
    wanted = fresh._forest.node_key[0, 0]
    (place,) = np.flatnonzero(kept.key == wanted)
    edges = slice(kept.first[place], kept.first[place + 1])
    before = dict(
        zip(kept.action[edges].tolist(), zip(kept.visits[edges], kept.total[edges], strict=True), strict=True)
    )
    report = searched(search, second, kept, key=8)
    old = sum(visits for visits, _ in before.values())
    assert old > 1 and report.simulations[0] == 200
    came = report.visits[0].sum() - old
    if name == "public":  # in some worlds the seat holds another card
        assert 20 < came < 200
    elif game is PIG:  # a position can come back
        assert 200 <= came < 230
    else:
        assert came == pytest.approx(200)
    assert all(report.visits[0, action] >= visits for action, (visits, _) in before.items())
    assert report.action[0] in second.legal_actions()


def test_every_number_of_the_tree_is_taken_along() -> None:
    """One simulation more changes one path; all else is as it was."""
    config = SearchConfig(simulations=300, keep_tree=True)
    first, second = two_decisions(LEDUC)
    search = searching(LEDUC, config)
    searched(search, first, None)
    kept = search.keep(0)
    report = search.run(second.record[None], [second.to_play], np.array([9], np.uint64), [1], kept=[kept])
    forest, moved = search._forest, 0
    for node in range(int(report.nodes[0])):
        (place,) = np.flatnonzero(kept.key == forest.node_key[0, node]) if node < len(kept.key) else (-1,)
        edge, found = int(forest.node_first[0, node]), {}
        while edge >= 0:
            found[int(forest.edge_action[0, edge])] = edge
            edge = int(forest.edge_next[0, edge])
        for e in range(kept.first[place], kept.first[place + 1]) if place >= 0 else ():
            edge = found[int(kept.action[e])]
            same = forest.edge_visits[0, edge] == kept.visits[e]
            moved += not same
            if same:
                assert forest.edge_total[0, edge].tolist() == kept.total[e].tolist()
            assert forest.edge_prior[0, edge] == kept.prior[e]
    assert 1 <= moved <= report.max_depth[0]
    assert len(search.keep(0).key) <= moved + 2  # the root, what was passed, and the new leaf


def test_a_tree_that_never_came_here_is_not_used() -> None:
    first, _ = two_decisions(LEDUC)
    search, other = searching(LEDUC, CONFIGS["ismcts"]), LEDUC.start(9)
    searched(search, first, None)
    kept = search.keep(0)
    assert other.info_key(other.to_play) != first.info_key(first.to_play)
    again, fresh = searched(search, other, kept), searched(searching(LEDUC, CONFIGS["ismcts"]), other, None)
    assert again.q.tolist() == fresh.q.tolist() and again.nodes == fresh.nodes


def test_a_kept_tree_takes_half_of_a_lane_at_most() -> None:
    first, second = two_decisions(LEDUC)
    search = searching(LEDUC, SearchConfig(simulations=400, keep_tree=True, max_nodes=40, max_edges=50))
    searched(search, first, None)
    kept = search.keep(0)
    assert len(kept.key) == 40
    report = search.run(second.record[None], [second.to_play], np.array([9], np.uint64), [1], kept=[kept])
    assert 2 <= report.nodes[0] <= 21
    assert searching(LEDUC, CONFIGS["ismcts"])._forest.node_key.shape[1] == 2 * 201


def asked(agent: FollowingAgent, state: State, game: int, key: int = 5) -> Any:
    trail = trail_of(LEDUC, state.history or [], state.to_play, np.uint64(2), game)
    return agent.decide_after([trail], state.record[None], np.array([state.to_play]), np.array([key], np.uint64)).report


def test_an_agent_goes_on_within_a_game_and_begins_anew_with_the_next() -> None:
    first, second = two_decisions(LEDUC)
    agent = make_agent(LEDUC, AgentConfig(search=CONFIGS["ismcts"]))
    assert isinstance(agent, FollowingAgent)
    game, other = new_number(), new_number()
    asked(agent, first, game)
    more, again = asked(agent, second, game), asked(agent, second, game)
    assert more.visits.sum() > 200 and more.q.tolist() == again.q.tolist()
    assert asked(agent, second, other).visits.sum() == 200
    agent.forget([game])
    assert asked(agent, second, game).visits.sum() == 200


@pytest.mark.parametrize("name", ["ismcts", "puct", "particles"])
def test_matches_do_not_depend_on_the_games_beside_each_other(name: str) -> None:
    def match(lanes: int, made_for: int) -> Any:
        config = AgentConfig(search=CONFIGS[name])
        agents = [
            make_agent(LEDUC, config, made_for, HashEvaluator(LEDUC)),
            make_agent(LEDUC, AgentConfig(kind="random")),
        ]
        blocks = sorted(play_blocks(LEDUC, agents, range(4), 4, lanes=lanes), key=lambda b: b.number)
        return [(b.number, [(g.seats, g.returns, g.decisions) for g in b.games]) for b in blocks]

    assert match(1, 1) == match(8, 8) == match(5, 2)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"algorithm": "gumbel", "leaf": "network"}, "keep_tree is True, but search.algorithm is 'gumbel'"),
        ({"leaf": "network"}, "so a tree that is kept has none at its next one: use 'puct'"),
        ({"nodes": "public"}, "search.nodes is 'public': such nodes are numbered from the root"),
        ({"nodes": "observer"}, "search.nodes is 'observer'"),
    ],
)
def test_what_makes_no_sense_is_refused(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        Search(KUHN, SearchConfig(keep_tree=True, **changes), HashEvaluator(KUHN))


def test_trees_fit_the_search_they_are_given_to() -> None:
    state = KUHN.start(1)
    with pytest.raises(UsageError, match="trees are given, but"):
        Search(KUHN, SearchConfig(simulations=5)).run(state.record[None], [0], [1], kept=[None])
    with pytest.raises(UsageError, match="2 trees: expected one, or None, for each of 1 positions"):
        Search(KUHN, SearchConfig(simulations=5, keep_tree=True)).run(state.record[None], [0], [1], kept=[None] * 2)


def test_compiled_and_interpreted_agents_remember_alike() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.search.remember"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split() == [digest(name) for name in POLICIES]
