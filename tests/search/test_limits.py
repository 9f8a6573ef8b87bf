"""Budgets, space, and what is refused."""

import dataclasses

import numpy as np
import pytest

import engines
from engines.errors import UsageError
from orion_ai.search import HashEvaluator, Search, SearchConfig, UniformEvaluator
from tests.games import load, tree

KUHN = engines.load("kuhn_poker")
PIG = load("pig", target=30)


def started(game, seed=1):
    """A position with a choice (in pig the first roll leaves none) where the game has one."""
    state = game.start(seed)
    while game.name == "pig" and len(state.legal_actions()) == 1:
        state.apply(state.legal_actions()[0])
    return state


def run(config, game=PIG, lanes=1, **more):
    state = started(game)
    search = Search(game, config, HashEvaluator(game) if config.leaf == "network" else None, lanes)
    keys = np.arange(lanes, dtype=np.uint64)
    return search.run(np.tile(state.record, (lanes, 1)), [state.to_play] * lanes, keys, **more)


NETWORK = {"algorithm": "puct", "leaf": "network"}


def test_every_lane_has_its_own_budget():
    for config in (SearchConfig(simulations=50), SearchConfig(**NETWORK, simulations=50)):
        report = run(config, lanes=4, simulations=[1, 7, 50, 20])
        assert report.simulations.tolist() == [1, 7, 50, 20]
        assert report.worlds.tolist() == [1, 7, 50, 20]


def test_online_outcome_sampling_needs_perfect_recall():
    with pytest.raises(UsageError, match="in pig a seat's key does not tell all that it did"):
        Search(PIG, SearchConfig(algorithm="oos"))


@pytest.mark.parametrize("algorithm", ["ismcts", "puct", "gumbel"])
def test_one_simulation(algorithm):
    report = run(SearchConfig(algorithm=algorithm, leaf="network", simulations=1))
    assert report.visits.sum() == 1
    assert report.policy.sum() == pytest.approx(1)
    assert report.visits[0, report.action[0]] == 1


@pytest.mark.parametrize("leaf", ["random", "network"])
def test_a_full_pool_stops_growth_and_is_counted(leaf):
    algorithm = "puct" if leaf == "network" else "ismcts"
    config = SearchConfig(algorithm=algorithm, leaf=leaf, simulations=500, max_nodes=5)
    report = run(config, lanes=2)
    assert report.nodes.tolist() == [5, 5]
    assert report.simulations.tolist() == [500, 500]
    assert (report.refused > 0).all()
    free = run(dataclasses.replace(config, max_nodes=0), lanes=2)
    assert (free.nodes > 5).all()
    assert not free.refused.any()


@pytest.mark.parametrize("algorithm", ["ismcts", "puct", "gumbel", "regret_matching", "exp3"])
@pytest.mark.parametrize("nodes", ["own", "public"])
def test_a_lane_without_free_edges_goes_on(algorithm, nodes):
    game = load("safe_or_guess", pooled=1, heads=5)
    config = SearchConfig(algorithm=algorithm, leaf="network", nodes=nodes, simulations=200, max_edges=1)
    report = run(config, game=game, lanes=3)
    assert report.simulations.tolist() == [200] * 3
    assert report.policy.sum(axis=1) == pytest.approx([1, 1, 1])


def test_a_budget_of_milliseconds():
    for config in (
        SearchConfig(milliseconds=100),
        SearchConfig(**NETWORK, milliseconds=100),
        dataclasses.replace(SearchConfig(), milliseconds=100),
    ):
        run(config)  # what is loaded on first use takes time too
        report = run(config, lanes=2)
        assert (report.simulations > 100).all()
        assert report.seconds < 2


def test_a_budget_of_evaluations():
    config = SearchConfig(**NETWORK, evaluations=40)
    report = run(config, lanes=2)
    assert report.evaluations.tolist() == [40, 40]
    # A tree in which every simulation soon ends the game is given up after 16 simulations an evaluation.
    small = run(config, game=load("tree", root=tree.ONE_ACTION))
    assert small.simulations.tolist() == [640]


def test_without_any_budget_there_are_a_hundred_simulations():
    for algorithm in ("ismcts", "puct", "gumbel"):
        config = SearchConfig(algorithm=algorithm, leaf="network")
        assert run(config).simulations.tolist() == [100]
        assert config.node_pool == SearchConfig(algorithm=algorithm, leaf="network", simulations=100).node_pool


def test_the_first_budget_that_is_used_up_ends_a_search():
    assert run(SearchConfig(simulations=7, milliseconds=1e6)).simulations.tolist() == [7]
    assert run(SearchConfig(**NETWORK, simulations=10**6, evaluations=40)).evaluations.tolist() == [40]


def test_one_legal_action():
    game = load("tree", root=tree.ONE_ACTION)
    for algorithm in ("ismcts", "puct", "gumbel", "regret_matching", "exp3"):
        report = run(SearchConfig(algorithm=algorithm, leaf="network", simulations=5), game=game)
        assert report.action.tolist() == [0]
        assert report.policy.tolist() == [[1, 0, 0]]
        assert report.value[0] == pytest.approx([1, -0.5, -0.5])


def test_policies_are_policies():
    for name in ("ismcts", "puct", "gumbel"):
        report = run(SearchConfig(algorithm=name, leaf="network", simulations=60), game=KUHN, lanes=16)
        assert report.policy.sum(axis=1) == pytest.approx(np.ones(16))
        assert report.prior.sum(axis=1) == pytest.approx(np.ones(16))
        assert (report.mean_depth > 1).all()
        assert (report.max_depth <= 3).all()
        assert report.effective.tolist() == [60.0] * 16


@pytest.mark.parametrize(
    ("choices", "named"),
    [
        ({"algorithm": "ucb"}, "algorithm"),
        ({"worlds": "privat"}, "Did you mean 'private'"),
        ({"leaf": "network"}, "there is no network"),
        ({"algorithm": "gumbel"}, "must be 'network'"),
        ({"leaf": "scripted"}, "no scripted policy"),
        ({"worlds": "oracle"}, "allow_oracle"),
        ({"simulations": -1}, "search.simulations is -1"),
        ({"simulations": 2**24}, "search.simulations"),
        ({"milliseconds": float("nan")}, "search.milliseconds"),
        ({"evaluations": 5}, "search.evaluations is 5, but search.leaf is 'random' and only 'network' would use it"),
        ({"noise_share": 0.25}, "search.noise_share is 0.25, but search.algorithm is 'ismcts' and only 'puct'"),
        ({"c_puct": 2.0}, "only 'puct' would use it: expected its default, 1.25"),
        ({"considered": 8}, "search.considered is 8, but .* only 'gumbel'"),
        ({"mix_delta": 0.25}, "search.mix_delta is 0.25, but search.worlds is 'private' and only 'mix'"),
        ({"values": "all"}, "search.values is all, but search.leaf is 'random'"),
        ({"allow_oracle": True}, "search.allow_oracle is True, but search.worlds is 'private'"),
        ({"worlds": "mix", "mix_delta": 0.0}, "search.mix_delta"),
        ({"worlds": "mix", "mix_delta": 0.1, "simulations": 5}, "no private world"),
        ({"considered": 0}, "search.considered"),
        ({"exploration": 0.1}, "search.exploration is 0.1, but .* only 'regret_matching' and 'exp3'"),
        ({"algorithm": "exp3", "exploration": 0.0}, "search.exploration is 0.0: expected more than 0 and at most 1"),
        ({"algorithm": "exp3", "c_uct": 1.0}, "only 'ismcts' and 'auto' would use it"),
        ({"algorithm": "oos", "exploration": 0.1}, "only 'regret_matching' and 'exp3'"),
        ({"oos_delta": 0.9}, "search.oos_delta is 0.9, but .* only 'oos'"),
        ({"algorithm": "oos", "oos_delta": 1.0}, "search.oos_delta is 1.0"),
        ({"algorithm": "oos", "worlds": "public"}, "search.worlds is public, but search.algorithm is 'oos'"),
        ({"algorithm": "oos", "nodes": "public"}, "search.nodes is public, but search.algorithm is 'oos'"),
        ({"algorithm": "oos", "backup": "paranoid"}, "search.backup is paranoid, but search.algorithm is 'oos'"),
        ({"algorithm": "oos", "oos_target": "own"}, "search.oos_target"),
        ({"algorithm": "exp3", "answer": "mmd"}, "search.answer is mmd, but .* only 'ismcts' and 'puct'"),
        ({"mmd_step": 1.0}, "search.mmd_step is 1.0, but search.answer is 'visits' and only 'mmd'"),
        ({"answer": "mmd", "mmd_step": 0.0}, "search.mmd_step is 0.0"),
        ({"answer": "mmd", "mmd_magnet": "none"}, "search.mmd_magnet"),
        ({"c_uct": -1.0}, "search.c_uct"),
    ],
)
def test_contradictions_are_refused(choices, named):
    with pytest.raises(UsageError, match=named):
        Search(KUHN, SearchConfig(**choices))


@pytest.mark.parametrize(
    "choices",
    [{"worlds": "public"}, {"milliseconds": 5.0}, {"evaluations": 100}, {"c_uct": 1.0}, {"fpu": 0.0}, {"cutoff": 9}],
)
def test_what_gumbel_cannot_do_is_refused(choices):
    with pytest.raises(UsageError, match=r"umbel|only 'random' and 'scripted' would use it"):
        Search(KUHN, SearchConfig(algorithm="gumbel", leaf="network", **choices), UniformEvaluator(KUHN))


def test_wrong_arguments_are_refused():
    state, search = started(KUHN), Search(KUHN, SearchConfig(simulations=10), lanes=2)
    world, key = state.record[None], np.array([1], np.uint64)
    for arguments, named in (
        ((np.tile(world, (3, 1)), [0] * 3, [1] * 3), "2 lanes"),
        ((world[:, :-1], [0], key), "expected uint8"),
        ((world, [1], key), "to_play is 0"),
        ((world, [0, 0], key), "expected one of each"),
        ((world, [0], key, [11]), "expected 1 to 10"),
        ((world, [0], key, [0]), "expected 1 to 10"),
    ):
        with pytest.raises(UsageError, match=named):
            search.run(*arguments)
    with pytest.raises(UsageError, match="lanes is 0"):
        Search(KUHN, SearchConfig(), lanes=0)


class _Broken:
    def __init__(self, logits, values):
        self.logits, self.values = logits, values

    def evaluate(self, observations):
        rows = len(observations)
        return np.full((rows, 2), self.logits, np.float32), np.full((rows, self.values), 0.0, np.float32)


def test_a_broken_evaluator_is_an_error():
    state, config = started(KUHN), SearchConfig(**NETWORK, simulations=10)
    for evaluator, named in ((_Broken(np.nan, 2), "not finite"), (_Broken(0.0, 3), "values")):
        with pytest.raises(RuntimeError, match=named):
            Search(KUHN, config, evaluator).run(state.record[None], [0], np.array([1], np.uint64))
