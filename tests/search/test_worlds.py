"""The same forest with other keys and other samples of worlds: pools of worlds, depths, opponents, redealt worlds.

1. PIMC fuses strategies, EPIMC from depth 2 does not; a pool's worlds come back in turn, their chance does not.
2. A bounded tree is as deep as it may be; flat Monte Carlo and one-ply values are the means that they should be.
3. A search that stops early plays what the whole search plays.
4. Opponents without nodes play by what was said; redealt worlds teach opponents what they cannot know.
5. What contradicts itself is refused.
"""

import dataclasses

import numpy as np
import pytest

import engines
from engines.errors import UsageError
from engines.rng import mix
from orion_ai.arena.entrants import make_agents, resolve
from orion_ai.bench.probe import Probe
from orion_ai.search import HashEvaluator, Search, SearchConfig, UniformEvaluator
from orion_ai.search.trace import trace
from orion_ai.solve.best_response import Judge
from orion_ai.solve.tabulate import tabulate
from orion_ai.solve.tree import enumerate_game
from tests.games import load, tree
from tests.games.safe_or_guess import GUESS, SAFE

KUHN, LEDUC = engines.load("kuhn_poker"), engines.load("leduc_poker")
JACK, QUEEN, KING = 2, 3, 4
PASS, BET = 0, 1
PUCT = {"algorithm": "puct", "leaf": "network"}
GUMBEL = {"algorithm": "gumbel", "leaf": "network"}
UNIFORM = {"algorithm": "uniform", "tree_depth": 1}
POOL = {"world_pool": 60, "simulations": 12_000}


def state_of(game, *actions):
    state = game.start()
    for action in actions:
        state.apply(action)
    return state


def search_of(game, config, lanes=1, evaluator=UniformEvaluator):
    return Search(game, config, evaluator(game) if config.leaf == "network" else None, lanes)


def run(state, config, lanes=1, evaluator=UniformEvaluator):
    search = search_of(state.game, config, lanes, evaluator)
    return search.run(np.tile(state.record, (lanes, 1)), [state.to_play] * lanes, np.arange(lanes, dtype=np.uint64))


def traced(state, config, evaluator=UniformEvaluator):
    return trace(search_of(state.game, config, 1, evaluator), state.record, state.to_play, 5)


# Pools of worlds


@pytest.mark.parametrize("choices", [{}, PUCT, GUMBEL], ids=["ismcts", "puct", "gumbel"])
def test_only_perfect_information_below_the_root_fuses_strategies(choices):
    """Nobody who moves can see the coin: a guess is worth 0, unless each world may have its own guess."""
    state = load("safe_or_guess").start(1)
    pimc = run(state, SearchConfig(**POOL, **choices, fusion_depth=1))
    assert pimc.action[0] == GUESS
    assert pimc.q[0, GUESS] > 0.9
    for honest in ({"fusion_depth": 2}, {"fusion_depth": 3}, {}):
        report = run(state, SearchConfig(**POOL, **choices, **honest))
        assert report.action[0] == SAFE
        assert report.q[0, GUESS] < 0.2
    assert report.worlds[0] == 60
    assert report.effective[0] == pytest.approx(60)


def test_the_worlds_of_a_pool_come_back_in_turn_and_their_chance_does_not():
    state = LEDUC.start(3)
    seen = traced(state, SearchConfig(simulations=300, world_pool=7))
    assert (seen.worlds[7:] == seen.worlds[:-7]).all()
    assert 1 < len(np.unique(seen.worlds, axis=0)) <= 7
    one = traced(state, SearchConfig(simulations=300, world_pool=1, fusion_depth=1))
    assert len(np.unique(one.worlds, axis=0)) == 1
    assert len(np.unique([node.origin.record for node in one.nodes[1:]], axis=0)) > 50  # the board's card, then bets
    cards = {tuple(node.origin.record.view(LEDUC.dtype)[0]["board"].reshape(-1)) for node in one.nodes[1:]}
    assert len(cards) > 2


def test_few_worlds_are_overfitted_to():
    """With one world a guess that cannot see the coin still learns it."""
    report = run(load("safe_or_guess").start(1), SearchConfig(simulations=2000, world_pool=1))
    assert report.action[0] == GUESS
    assert report.worlds[0] == 1
    assert report.effective[0] == 1


def test_every_round_of_a_halving_has_a_world_of_the_pool():
    seen = traced(state_of(KUHN, QUEEN, KING), SearchConfig(**GUMBEL, simulations=64, world_pool=3))
    assert len(np.unique(seen.worlds, axis=0)) <= 3


# Private and public worlds with importance weights


@pytest.mark.parametrize("choices", [{}, PUCT], ids=["ismcts", "puct"])
@pytest.mark.parametrize("delta", [0.2, 0.5, 0.8])
def test_weights_make_of_a_mix_what_opponents_know(delta, choices):
    """A jack passes in Kuhn poker. Its opponent has each card in a third of all worlds, as far as anybody knows, though
    `private` worlds never give it the jack and a half of these worlds give it the queen.
    """
    config = SearchConfig(**choices, worlds="weighted", mix_delta=delta, simulations=20_000)
    search, state = search_of(KUHN, config), state_of(KUHN, JACK, QUEEN)
    search.run(state.record[None], [0], np.array([3], np.uint64))
    f, mass = search._forest, []
    for card, other in ((JACK, QUEEN), (QUEEN, JACK), (KING, JACK)):
        nodes = [state_of(KUHN, other, card, action) for action in (PASS, BET)]
        keys = [int(mix(np.uint64(node.info_key(1)), np.uint64(1))) for node in nodes]
        edges = [e for key in keys for e in edges_of(f, int(np.flatnonzero(f.node_key[0] == np.uint64(key))[0]))]
        mass.append(f.edge_visits[0, edges].sum())
    assert np.array(mass) / sum(mass) == pytest.approx(1 / 3, abs=0.02)
    assert sum(mass) == pytest.approx(20_000, rel=0.03)


def edges_of(forest, node):
    edge = forest.node_first[0, node]
    while edge >= 0:
        yield edge
        edge = forest.edge_next[0, edge]


def test_with_weights_opponents_no_longer_know_the_hand():
    """Exploitability in Kuhn poker: 0.1099 to 0.1148 where worlds are public, 0.160 with a mix that is not weighted."""
    measured = {}
    for worlds in ("private", "mix", "weighted"):
        entrants = resolve([{"agent": "ismcts", "search": {"worlds": worlds, "simulations": 10_000}}])
        (agent,) = make_agents(KUHN, entrants, 16)
        enumerated = enumerate_game(KUHN)
        measured[worlds] = Judge(enumerated).exploitability(tabulate(enumerated, agent, seed=1))
    assert measured["weighted"] < 0.13 < 0.15 < min(measured["private"], measured["mix"])


# Bounded depth


@pytest.mark.parametrize("choices", [{}, PUCT, GUMBEL], ids=["ismcts", "puct", "gumbel"])
def test_a_tree_is_as_deep_as_it_may_be(choices):
    state = LEDUC.start(3)
    deepest = [
        run(state, SearchConfig(simulations=500, tree_depth=depth, **choices), evaluator=HashEvaluator)
        for depth in (1, 2, 3, 0)
    ]
    assert [int(report.max_depth[0]) for report in deepest[:3]] == [1, 2, 3]
    assert deepest[0].nodes[0] == 1
    assert deepest[0].nodes[0] < deepest[1].nodes[0] < deepest[2].nodes[0] < deepest[3].nodes[0]
    assert not any(report.refused[0] for report in deepest)


@pytest.mark.parametrize("choices", [{"c_uct": 20.0}, {"algorithm": "uniform"}], ids=["ismcts", "uniform"])
def test_flat_monte_carlo_values_are_those_of_random_play(choices):
    """The queen against a random player, who calls or folds, bets or passes, half of the time each."""
    config = SearchConfig(**choices, tree_depth=1, simulations=40_000)
    report = run(state_of(KUHN, QUEEN, KING), config)
    # Bet: folded to +1, or called for +-2. Pass: passed +-1; bet and then folded -1, or called +-2. In units of 2.
    assert report.q[0, BET] == pytest.approx(0.5 * 1 / 2, abs=0.03)
    assert report.q[0, PASS] == pytest.approx(0.5 * 0.5 * -1 / 2, abs=0.03)
    assert report.action[0] == BET


def test_one_ply_values_are_the_networks_judgement_of_each_child():
    game = engines.load("tic_tac_toe")
    state, evaluator = game.start(), HashEvaluator(game)
    report = run(state, SearchConfig(**UNIFORM, leaf="network", simulations=9), evaluator=HashEvaluator)
    for action in state.legal_actions():
        child = state.clone()
        child.apply(action)
        row = np.zeros((1, game.observation_size), np.int16)
        game.kernels.observe(child.record, 1, row[0])
        assert report.q[0, action] == evaluator.evaluate(row)[1][0, 1]  # the other seat than the observing one
    assert report.nodes[0] == 1
    assert report.action[0] == np.argmax(report.q[0])


def test_uniform_tries_all_actions_alike_in_the_same_worlds():
    state = state_of(KUHN, QUEEN, KING)
    seen = traced(state, SearchConfig(**UNIFORM, simulations=101))
    assert seen.actions.tolist() == [PASS, BET] * 50 + [PASS]
    assert (seen.worlds[0:100:2] == seen.worlds[1:101:2]).all()
    assert len(np.unique(seen.worlds, axis=0)) == 2
    best = int(np.argmax(seen.report.q[0]))
    assert seen.report.action[0] == best
    assert seen.report.policy[0].tolist() == [float(a == best) for a in range(KUHN.num_actions)]
    few = run(state, SearchConfig(**UNIFORM, simulations=1))
    assert few.visits[0, few.action[0]] == 1


# Stopping early


@pytest.mark.parametrize("choices", [{"algorithm": "ismcts"}, PUCT], ids=["ismcts", "puct"])
@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "kuhn_poker", "leduc_poker"])
def test_a_search_that_stops_early_plays_the_same_action(name, choices):
    game = engines.load(name)
    probe = Probe(game, 128)
    config = SearchConfig(**choices, simulations=150)
    full, early = (
        search_of(game, dataclasses.replace(config, stop_early=stop), 128, HashEvaluator).run(
            probe.states, probe.seats(128), np.arange(128, dtype=np.uint64)
        )
        for stop in (False, True)
    )
    assert (full.action == early.action).all()
    assert (early.simulations <= full.simulations).all()
    assert (early.simulations < full.simulations).mean() > 0.5
    # The last simulation was the first after which nothing could change (of one action nothing ever can).
    visits = np.sort(early.visits, axis=1)
    lead, left = visits[:, -1] - visits[:, -2], 150 - early.simulations
    stopped = (left > 0) & ((full.prior > 0).sum(axis=1) > 1)
    assert (lead[stopped] > left[stopped]).all()
    assert (lead[stopped] <= left[stopped] + 2).all()


def test_a_search_with_one_action_stops_at_once_and_weighted_worlds_never_do():
    one = load("tree", root=tree.ONE_ACTION)
    assert run(one.start(), SearchConfig(simulations=50, stop_early=True)).simulations[0] == 1
    weighted = load("safe_or_guess", heads=9)
    assert run(weighted.start(1), SearchConfig(simulations=50, stop_early=True)).simulations[0] == 50


# Opponents


@pytest.mark.parametrize(
    "choices",
    [
        {"opponents": "random"},
        {"opponents": "random", **PUCT},
        {"opponents": "network", **PUCT},
        {"opponents": "network", **GUMBEL, "c_scale": 0.01},
    ],
    ids=["playouts", "beside a network", "network", "gumbel"],
)
def test_opponents_without_nodes_play_by_what_was_said(choices):
    """A random opponent, or one by a network that knows nothing, calls the king's bet half of the time."""
    search = search_of(KUHN, SearchConfig(**choices, simulations=4000))
    report = search.run(state_of(KUHN, KING, QUEEN).record[None], [0], np.array([1], np.uint64))
    assert report.q[0, BET] == pytest.approx(0.75, abs=0.05)
    assert {node["seat"] for node in search.tree()} == {0}


def test_scripted_opponents_follow_the_script():
    """The script of pig holds at once: who must reach 4 first wins more against it than against a random player."""
    game = load("pig", target=12)
    script, random = (
        run(game.start(1), SearchConfig(opponents=who, simulations=6000), 4).value[:, 0].mean()
        for who in ("scripted", "random")
    )
    assert abs(script - random) > 0.02


def test_the_setting_of_earlier_versions_still_means_the_same():
    for leaf in ("random", "scripted", "network"):
        old = SearchConfig(algorithm="puct", leaf=leaf, nodes="none")
        assert old == SearchConfig(algorithm="puct", leaf=leaf, opponents=leaf)


# Worlds dealt anew


def test_redealt_worlds_update_the_nodes_they_are_for():
    for choices in ({}, PUCT, GUMBEL):
        config = SearchConfig(**choices, worlds="redeal", mix_delta=0.9, simulations=1000)
        search = search_of(KUHN, config)
        report = search.run(state_of(KUHN, JACK, KING).record[None], [0], np.array([1], np.uint64))
        assert report.visits[0].sum() == 900
        opponent = sum(edge["visits"] for node in search.tree() if node["seat"] == 1 for edge in node["edges"])
        assert 80 <= opponent <= 100


def test_redealt_worlds_take_back_secret_choices_and_still_end():
    """In a world dealt from an opponent's view its bid comes first: the searcher's is made again, every round."""
    game = engines.load("goofspiel", cards=4, prizes="descending", hidden=True)
    report = run(game.start(), SearchConfig(worlds="redeal", simulations=2000), lanes=4)
    assert (report.simulations == 2000).all()


@pytest.mark.parametrize(("worlds", "least"), [("private", 1.0), ("redeal", 0.0)])
def test_in_redealt_worlds_an_opponent_does_not_know_the_searchers_hand(worlds, least):
    """The searcher holds the jack. An opponent with the queen who knows that calls for a sure win; one who is dealt
    worlds of its own meets the king as often."""
    search = search_of(KUHN, SearchConfig(worlds=worlds, simulations=8000, c_uct=5.0))
    search.run(state_of(KUHN, JACK, KING).record[None], [0], np.array([1], np.uint64))
    calls = [
        call["total"][1] / call["visits"]
        for node in search.tree()
        if node["seat"] == 1 and len(node["edges"]) == 2
        for fold, call in [node["edges"]]
        if fold["total"][1] == -0.5 * fold["visits"]  # a fold, not a pass
    ]
    assert len(calls) == 2
    assert min(calls) == pytest.approx(least, abs=0.15)
    assert max(calls) == 1.0


def test_with_three_seats_each_opponent_has_its_simulations():
    game = engines.load("kuhn_poker", players=3)
    seen = traced(state_of(game, 3, 4, 5), SearchConfig(worlds="redeal", simulations=2000))
    visits = np.zeros(3)
    for node in seen.nodes:
        visits[node.seat] += sum(edge.visits for edge in node.edges)
    assert visits[0] >= 1000
    assert (visits[1:] > 300).all()


# Refusals


@pytest.mark.parametrize(
    ("choices", "named"),
    [
        ({"fusion_depth": 1}, "set search.world_pool"),
        ({"fusion_depth": 1, "world_pool": 9, "worlds": "mix"}, "search.fusion_depth is 1, but search.worlds is 'mix'"),
        ({"world_pool": 9, "worlds": "oracle", "allow_oracle": True}, "search.world_pool is 9"),
        ({"world_pool": -1}, "search.world_pool is -1"),
        ({"fusion_depth": 2, "world_pool": 9, "tree_depth": 2}, "expected less"),
        ({"tree_depth": 1, "nodes": "public"}, "search.nodes is 'public' for opponents' nodes"),
        ({"tree_depth": 1, "worlds": "redeal"}, "with search.tree_depth 1 there are none"),
        ({"tree_depth": 1, "backup": "paranoid"}, "search.backup is 'paranoid'"),
        ({"fusion_depth": 1, "world_pool": 9, "nodes": "observer"}, "search.nodes is 'observer', but"),
        ({"algorithm": "uniform"}, "search.tree_depth must be 1"),
        ({"algorithm": "uniform", "tree_depth": 1, "worlds": "public"}, "'private'"),
        ({"stop_early": True, "temperature": 1.0}, "search.stop_early"),
        ({"stop_early": True, "milliseconds": 5.0}, "search.simulations must be set"),
        ({"stop_early": True, "keep_tree": True}, "search.stop_early is true, but with search.keep_tree"),
        ({"stop_early": True, "algorithm": "gumbel", "leaf": "network"}, "search.stop_early is True"),
        ({"stop_early": True, **UNIFORM}, "search.stop_early is True"),
        ({"opponents": "network"}, "search.opponents is 'network', but search.leaf is 'random'"),
        ({"opponents": "scripted"}, "no scripted policy"),
        ({"opponents": "randm"}, "Did you mean 'random'"),
        ({"opponents": "random", "nodes": "public"}, "search.nodes is public, but search.opponents is 'random'"),
        ({"opponents": "random", "backup": "paranoid"}, "search.backup is paranoid"),
        ({"opponents": "random", "worlds": "redeal"}, "search.worlds is 'redeal'"),
        ({"worlds": "weighted", "mix_delta": 0.0}, "search.mix_delta is 0.0: 'weighted' expects more than 0"),
        ({"worlds": "weighted", "algorithm": "exp3"}, "search.worlds is 'weighted', but search.algorithm is 'exp3'"),
        ({"worlds": "weighted", "opponents": "random"}, "search.worlds is 'weighted' for opponents' nodes, but"),
        ({"worlds": "redeal", "mix_delta": 1.0}, "search.mix_delta is 1"),
        ({"worlds": "redeal", "mix_delta": 0.1, "simulations": 5}, "no private world"),
        ({"cache": 100}, "search.cache is 100, but search.leaf is 'random'"),
    ],
)
def test_contradictions_are_refused(choices, named):
    config = SearchConfig(**choices)
    with pytest.raises(UsageError, match=named):
        search_of(KUHN, config)
