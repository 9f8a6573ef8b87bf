"""Another agent plays the others in the tree.

1. Against a fixed policy the search finds the value of the best reply to it, where a search that thinks its opponents
   as good as itself finds the value of the game.
2. The opponent is handed worlds dealt from its own view, and keys that name its randomness.
3. Such agents take part in matches as any other: named with their opponent, also on another machine.
4. What would not be asked, what is missing, and what is not legal is refused.
"""

import functools

import numpy as np
import pytest

import engines
from engines.contract import TERMINAL
from engines.errors import FileError, UsageError
from orion_ai.agents import AgentConfig, Decisions, PolicyAgent, RandomAgent, SearchAgent, make_agent
from orion_ai.arena.entrants import make_agents, resolve
from orion_ai.arena.limits import is_foreign
from orion_ai.arena.runner import Match, measure
from orion_ai.data import checkpoints_dir
from orion_ai.distributed.luggage import pack, unpack
from orion_ai.search import HashEvaluator, SearchConfig, UniformEvaluator, make_search
from orion_ai.search.trace import trace
from orion_ai.tune.report import agent_yaml

TIC_TAC_TOE, KUHN = engines.load("tic_tac_toe"), engines.load("kuhn_poker")
JACK, QUEEN = 2, 3


def after(game, *actions):
    state = game.start()
    for action in actions:
        state.apply(action)
    return state


def weak(temperature):
    """A network that knows nothing and has its habits, playing by its policy."""
    return PolicyAgent(TIC_TAC_TOE, HashEvaluator(TIC_TAC_TOE, salt=3), temperature)


def searched(state, opponent, lanes=1, **choices):
    config = SearchConfig(**{"opponents": "agent", **choices})
    evaluator = UniformEvaluator(state.game) if config.leaf == "network" else None
    search = make_search(state.game, config, evaluator, lanes, opponent)
    worlds, seats = np.tile(state.record, (lanes, 1)), np.full(lanes, state.to_play)
    return search.run(worlds, seats, np.arange(lanes, dtype=np.uint64))


def best_reply(state, opponent):
    """Exact value, for the seat to move, of the best play against the policy of `opponent` at the other seat."""
    seat = state.to_play

    @functools.cache
    def value(board):
        now = engines.State(state.game, np.frombuffer(board, np.uint8).copy())
        if now.to_play == TERMINAL:
            return float(now.returns()[seat])
        worth = {}
        for action in now.legal_actions():
            child = now.clone()
            child.apply(action)
            worth[action] = value(child.record.tobytes())
        if now.to_play == seat:
            return max(worth.values())
        (policy,) = opponent.policies(now.record[None], np.array([now.to_play]))
        return sum(policy[action] * worth[action] for action in worth)

    return value(state.record.tobytes())


@pytest.mark.parametrize("choices", [{}, {"algorithm": "puct", "leaf": "network"}], ids=["ismcts", "puct"])
@pytest.mark.parametrize(
    ("moves", "temperature", "about"), [((4,), 0.0, 1.0), ((4, 1, 2, 3, 0), 1.0, -0.43), ((2, 4, 0, 5, 3), 1.0, 0.19)]
)
def test_it_finds_the_best_reply_to_a_network(choices, moves, temperature, about):
    state, opponent = after(TIC_TAC_TOE, *moves), weak(temperature)
    exact = best_reply(state, opponent)
    assert exact == pytest.approx(about, abs=0.01)
    report = searched(state, opponent, 4, simulations=3000, **choices)
    assert report.q[range(4), report.action] == pytest.approx(exact, abs=0.06)


def test_who_is_searched_is_not_so_weak():
    """From the empty board the game is a draw; against a policy that never looks it is nearly won."""
    opponent = weak(0.0)
    exact = best_reply(after(TIC_TAC_TOE), opponent)
    assert exact == 1.0
    weakly = searched(after(TIC_TAC_TOE), opponent, simulations=3000)
    assert weakly.q[0, weakly.action[0]] > 0.9
    equal = searched(after(TIC_TAC_TOE), None, simulations=3000, opponents="searched")
    assert equal.q[0, equal.action[0]] < 0.5


def test_a_random_agent_is_the_choice_random():
    state = after(TIC_TAC_TOE, 0, 4, 8)
    asked = searched(state, RandomAgent(TIC_TAC_TOE), 8, simulations=1000)
    plain = searched(state, None, 8, simulations=1000, opponents="random")
    assert asked.value.mean(axis=0) == pytest.approx(plain.value.mean(axis=0), abs=0.03)


def test_any_agent_will_do_even_one_that_searches():
    opponent = SearchAgent(make_search(TIC_TAC_TOE, SearchConfig(simulations=200), None, 2))
    report = searched(after(TIC_TAC_TOE), opponent, 2, simulations=60)
    assert report.simulations.tolist() == [60, 60]
    # O that is searched blocks the two in a row that a policy of habits leaves open.
    threat = searched(after(TIC_TAC_TOE, 0, 4), opponent, 1, simulations=300)
    assert threat.q[0, threat.action[0]] < 0.3


class _Watching:
    """Passes, and keeps what it was handed."""

    name = "watching"

    def __init__(self, action=0):
        self.action, self.asked = action, []

    def decide(self, worlds, seats, keys):
        self.asked += zip(worlds.copy(), seats, keys, strict=True)
        return Decisions(np.full(len(worlds), self.action, np.int32))


@pytest.mark.parametrize("leaf", ["random", "network"])
def test_worlds_are_dealt_from_the_opponents_view(leaf):
    """The searcher holds the jack, so its opponent the queen or the king: and to that one the searcher may hold either
    of the other two."""
    watching = _Watching()
    algorithm = "ismcts" if leaf == "random" else "puct"
    searched(after(KUHN, JACK, QUEEN), watching, 2, simulations=200, leaf=leaf, algorithm=algorithm)
    cards = [tuple(world.view(KUHN.dtype)[0]["card"][:2].tolist()) for world, _, _ in watching.asked]
    assert {seat for _, seat, _ in watching.asked} == {1}
    assert len(set(cards)) == 4 and len({theirs for _, theirs in cards}) == 2 and len({mine for mine, _ in cards}) == 3
    assert len({int(key) for _, _, key in watching.asked}) == len(watching.asked)


def test_lanes_do_not_matter_and_a_watched_search_answers_alike():
    state, opponent = after(TIC_TAC_TOE, 4), weak(1.0)
    config = SearchConfig(simulations=300, opponents="agent")
    alone = make_search(TIC_TAC_TOE, config, None, 1, opponent)
    among = make_search(TIC_TAC_TOE, config, None, 3, opponent)
    one = alone.run(state.record[None], [1], [2])
    three = among.run(np.tile(state.record, (3, 1)), [1] * 3, [0, 2, 5])
    assert one.q[0].tolist() == three.q[1].tolist() != three.q[0].tolist()
    seen = trace(alone, state.record, 1, 2)
    assert seen.report.q[0].tolist() == one.q[0].tolist()
    assert {node.seat for node in seen.nodes} == {1}


# In a match


NETWORK = str(checkpoints_dir() / "connect_four_small")


def test_a_checkpoint_plays_in_the_tree_of_another_agent(tmp_path):
    given = {"agent": "ismcts", "opponent": {"agent": "policy", "checkpoint": NETWORK, "temperature": 1}}
    entrants = resolve([given, {"agent": "ismcts", "opponent": "random", "name": "mine"}], simulations=20)
    assert entrants[0].name.startswith("ismcts(opponent.agent=policy") and "opponents" not in entrants[0].name
    assert entrants[0].settings["search"]["opponents"] == "agent"
    assert entrants[0].settings["opponent"]["weights"] and not entrants[0].where
    match = Match({"name": "connect_four"}, entrants, seed=1, lanes=4)
    assert Match.from_text(match.as_text()) == match
    game = match.load()
    assert "where" not in str(match.identity(game)["agents"])
    moved = unpack(match, pack(match), tmp_path)
    assert str(tmp_path) in moved.entrants[0].opponent_where and not moved.entrants[1].opponent_where
    here, there = (measure(m, game, 2) for m in (match, moved))
    assert [a.utility.mean for a in here.agents] == [a.utility.mean for a in there.agents]
    assert not any(a.faults for a in here.agents)


def test_a_tuned_agent_keeps_its_opponent(tmp_path):
    given = {"agent": "ismcts", "opponent": {"agent": "policy", "checkpoint": NETWORK}, "search": {"c_uct": 2.0}}
    (entrant,) = resolve([given])
    (tmp_path / "best.yaml").write_text(agent_yaml(entrant, "found"))
    (again,) = resolve([str(tmp_path / "best.yaml")])
    assert (again.settings, again.opponent_where) == (entrant.settings, entrant.opponent_where)


def test_its_code_is_somebodys_own_if_its_opponents_is():
    plain, own = resolve(
        [{"agent": "ismcts", "opponent": "random"}, {"agent": "ismcts", "opponent": {"python": "a:b"}}]
    )
    assert not is_foreign(plain)
    assert is_foreign(own) and own.runs == "a:b"


# What is refused


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"agent": "ismcts", "search": {"opponents": "agent"}}, "there is none to ask: name one"),
        ({"agent": "ismcts", "opponent": "random", "search": {"opponents": "random"}}, "leave one of them out"),
        ({"agent": "ismcts", "opponent": "random", "search": {"nodes": "public"}}, "search.nodes is public, but"),
        ({"agent": "ismcts", "opponent": "random", "search": {"backup": "paranoid"}}, "search.backup is paranoid, but"),
        ({"agent": "gt_cfr", "opponent": "random"}, "search.opponents is agent, but search.algorithm is 'gt_cfr'"),
        ({"agent": "oos", "opponent": "random"}, "search.opponents is agent, but search.algorithm is 'oos'"),
        ({"agent": "default", "opponent": "random"}, "search.opponents is agent, but search.algorithm is 'auto'"),
        ({"agent": "random", "opponent": "random"}, "has no use for 'opponent'"),
        ({"agent": "ismcts", "opponent": "nobody"}, "nobody"),
        ({"agent": "ismcts", "opponent": {"agent": "ismcts", "opponent": "random"}}, "no opponent|opponent of its own"),
        ({"agent": "ismcts", "opponent": {"agent": "policy"}}, "needs a network"),
        ({"agent": "ismcts", "opponent": {"agent": "policy", "checkpoint": "no/such/file"}}, "no such checkpoint"),
        ({"agent": "ris", "opponent": "random"}, "search.worlds is 'redeal'"),
    ],
)
def test_mistakes_are_named(given, said):
    with pytest.raises(UsageError, match=said):
        make_agents(KUHN, resolve([given]), 1)


def test_the_checkpoint_of_another_game_is_refused():
    given = {"agent": "ismcts", "opponent": {"agent": "policy", "checkpoint": NETWORK}}
    with pytest.raises(FileError, match="connect_four"):
        make_agents(KUHN, resolve([given]), 1)


def test_an_opponent_that_nobody_asks_is_refused():
    for config, said in (
        (AgentConfig(search=SearchConfig()), "an opponent is given, but search.opponents is 'searched'"),
        (AgentConfig(kind="random"), "has no tree to ask it in"),
    ):
        with pytest.raises(UsageError, match=said):
            make_agent(KUHN, config, 1, None, RandomAgent(KUHN))


def test_an_illegal_choice_is_an_error():
    with pytest.raises(RuntimeError, match="the opponent in the tree chose 77"):
        searched(after(KUHN, JACK, QUEEN), _Watching(77), simulations=10)
