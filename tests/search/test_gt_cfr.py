"""Growing-tree CFR comes near an equilibrium where searches for best replies do not.

Exact numbers are those of docs/solve.md; a policy is asked for in every information state, as `orion exploit` does.
"""

import dataclasses
import itertools

import numpy as np
import pytest

import engines
from engines.errors import UsageError
from orion_ai.agents import AgentConfig, make_agent
from orion_ai.search import HashEvaluator, Search, SearchConfig, make_search
from orion_ai.solve.best_response import Judge
from orion_ai.solve.tabulate import tabulate
from orion_ai.solve.tree import enumerate_game
from tests.games import load, tree
from tests.games.safe_or_guess import GUESS, SAFE

KUHN = engines.load("kuhn_poker")
JACK, QUEEN, KING = 2, 3, 4
PASS, BET = 0, 1
CONFIG = SearchConfig(algorithm="gt_cfr", simulations=200)


def with_(**changes):
    return dataclasses.replace(CONFIG, **changes)


def searched(game, config, *actions, lanes=1, **more):
    """The report of a position: in Kuhn poker the first actions deal the cards."""
    state = game.start() if game.name == "kuhn_poker" else game.start(1)
    for action in actions:
        state.apply(action)
    search = make_search(game, config, HashEvaluator(game) if config.leaf == "network" else None, lanes)
    worlds, seats = np.tile(state.record, (lanes, 1)), np.full(lanes, state.to_play)
    return search.run(worlds, seats, np.arange(lanes, dtype=np.uint64), **more)


def exploitability(game, config):
    enumerated = enumerate_game(game)
    agent = make_agent(game, AgentConfig(search=config), lanes=64)
    return Judge(enumerated).exploitability(tabulate(enumerated, agent, seed=1))


def test_kuhn_poker_gets_better_with_more_simulations():
    measured = [exploitability(KUHN, with_(simulations=n)) for n in (30, 100, 1000, 10_000)]
    assert measured[1] <= 0.02
    assert all(later <= earlier + 1e-4 for earlier, later in itertools.pairwise(measured))
    assert measured[-1] <= 0.001


@pytest.mark.slow
@pytest.mark.parametrize("simulations", [10_000, 30_000])
def test_leduc_poker(simulations):
    """One and two minutes: `pytest -m slow tests/search/test_gt_cfr.py -k leduc`."""
    assert exploitability(engines.load("leduc_poker"), with_(simulations=simulations)) <= 0.02


def test_liars_dice_is_nearly_solved():
    assert exploitability(engines.load("liars_dice", faces=2), with_(simulations=300)) <= 0.01


def test_the_jack_bluffs_and_the_king_bets_three_times_as_often():
    """Kuhn 1950: seat 0 bets the jack with probability a in [0, 1/3], the king with 3 a."""
    jack, king = (searched(KUHN, CONFIG, mine, QUEEN).policy[0, BET] for mine in (JACK, KING))
    assert 0.02 < jack < 1 / 3 + 0.02
    assert king == pytest.approx(3 * jack, abs=0.05)


def test_what_an_opponent_would_have_done_before_counts():
    """The queen that faces a bet calls a third of the time, since jacks bet more rarely than kings.

    From worlds of the present the jack is taken for as likely as the king, and the call looks free.
    """
    lanes = [searched(KUHN, with_(grow_from=way), KING, QUEEN, BET).policy[0, BET] for way in ("game", "belief")]
    assert lanes[0] == pytest.approx(1 / 3, abs=0.02)
    assert lanes[1] > 0.9


@pytest.mark.parametrize(
    ("payoffs", "mixture"),
    [
        ("matching_pennies", (1 / 2, 1 / 2)),
        ("rps", (1 / 3, 1 / 3, 1 / 3)),
        ("biased_rps", (1 / 16, 10 / 16, 5 / 16)),
    ],
)
def test_simultaneous_choices_are_mixed(payoffs, mixture):
    game = engines.load("matrix", payoffs=payoffs)
    for moved in ((), (0,)):
        policy = searched(game, with_(simulations=1000), *moved).policy[0]
        assert policy == pytest.approx(mixture, abs=0.02)


def test_a_coin_that_nobody_sees_is_not_guessed():
    """Strategy fusion would find the guess worth 1; it is worth 0, and safe 1/4 (tests/games/safe_or_guess.py)."""
    report = searched(load("safe_or_guess", heads=5), with_(simulations=400))
    assert report.action[0] == SAFE
    assert report.policy[0, SAFE] > 0.95
    assert report.q[0, [SAFE, GUESS]] == pytest.approx([0.25, 0.0], abs=0.1)


def test_weighted_worlds_count_by_their_weight():
    """Of 10 coins 8 show heads: the guess is worth 0.6, though heads and tails are proposed alike."""
    report = searched(load("safe_or_guess", heads=8), with_(simulations=400))
    assert report.action[0] == GUESS
    assert report.q[0, GUESS] == pytest.approx(0.6, abs=0.05)


def test_public_worlds_help_where_the_tree_starts_from_beliefs():
    """In worlds that all hold the searcher's card its opponent learns it, whatever is searched: 1/6 is lost."""
    private, public = (
        exploitability(KUHN, with_(simulations=1000, grow_from="belief", worlds=worlds))
        for worlds in ("private", "public")
    )
    assert private == pytest.approx(1 / 6, abs=0.005)
    assert public < 0.13


def test_three_seats():
    game = engines.load("kuhn_poker", players=3)
    report = searched(game, with_(simulations=1000), JACK, QUEEN, KING)
    assert report.value[0].sum() == pytest.approx(0, abs=1e-5)
    assert report.policy[0].sum() == pytest.approx(1)
    assert exploitability(game, with_(simulations=1000)) < 0.01


def test_a_game_with_chance_and_without_secrets():
    """Pig to 5: who moves first wins with 216/271 (docs/games/pig.md), and nothing but the present is looked at."""
    game = engines.load("pig", target=5)
    state = game.start(1)
    while len(state.legal_actions()) == 1:
        state.apply(state.legal_actions()[0])
    search = make_search(game, with_(simulations=2000))
    report = search.run(state.record[None], [state.to_play], np.array([1], np.uint64))
    assert report.worlds.tolist() == [1]
    assert report.value[0].sum() == pytest.approx(0, abs=1e-5)
    assert report.value[0, state.to_play] > 0.4


@pytest.mark.parametrize("simulations", [1, 2, 50])
def test_one_action_and_few_simulations(simulations):
    config = with_(simulations=simulations)
    assert searched(load("tree", root=tree.ONE_ACTION), config).policy[0].max() == 1
    report = searched(KUHN, config, JACK, KING)
    assert report.policy[0].sum() == pytest.approx(1)
    assert report.simulations.tolist() == [simulations]


def test_a_tree_that_is_mostly_leaves_is_given_up():
    """Leduc poker has 9,457 histories: a few simulations see more from worlds of the present than from the start."""
    leduc = engines.load("leduc_poker")
    assert searched(leduc, with_(simulations=40)).worlds[0] > 1
    assert searched(leduc, with_(simulations=6000)).worlds[0] == 1


def test_a_clock_that_jumps_leaves_a_second_half(monkeypatch):
    """A machine that is busy with other work for longer than the budget: where to start is decided all the same."""
    looks = itertools.count()
    monkeypatch.setattr("time.perf_counter", lambda: 0.0 if next(looks) < 25 else 1.0)
    report = searched(engines.load("leduc_poker"), with_(simulations=0, milliseconds=20))
    assert report.worlds[0] > 1
    assert report.simulations[0] >= 32
    assert report.policy[0].max() > 0.5


def test_nothing_to_decide_is_refused():
    state = KUHN.start(1)
    for action in (PASS, PASS):
        state.apply(action)
    with pytest.raises(UsageError, match="to_play"):
        make_search(KUHN, CONFIG).run(state.record[None], [0], np.array([1], np.uint64))


def test_the_tree_is_the_one_of_the_answer():
    search = make_search(KUHN, CONFIG)
    state = KUHN.start()
    for card in (JACK, KING):
        state.apply(card)
    report = search.run(state.record[None], [0], np.array([1], np.uint64))
    nodes = search.tree()
    assert len(nodes) == report.nodes[0] == 59  # all 58 histories of the game, and the one world that it starts from
    mine = [node for node in nodes if node["set"] == 0]
    assert len(mine) == 2  # the jack against the queen and against the king
    for node in mine:
        assert [edge["share"] for edge in node["edges"]] == pytest.approx(report.policy[0].tolist())
    assert all(nodes[node["parent"]]["edges"] for node in nodes[1:])


def test_space_that_is_used_up_is_counted():
    leduc = engines.load("leduc_poker")
    for leaf in ("random", "network"):
        report = searched(leduc, with_(simulations=300, max_nodes=50, leaf=leaf, playouts=CONFIG.playouts), lanes=2)
        assert (report.nodes <= 50).all()
        assert (report.refused > 0).all()
        assert report.simulations.tolist() == [300, 300]
        assert not searched(leduc, with_(simulations=100, leaf=leaf)).refused.any()


def test_budgets():
    evaluations = with_(simulations=0, evaluations=60, leaf="network")
    report = searched(engines.load("leduc_poker"), evaluations, lanes=2)
    assert ((report.evaluations >= 60) & (report.evaluations < 60 + 2 * 6)).all()
    timed = searched(engines.load("leduc_poker"), with_(simulations=0, milliseconds=60), lanes=2)
    assert (timed.simulations > 100).all()
    assert timed.seconds < 2
    assert searched(KUHN, CONFIG, JACK, KING, lanes=3, simulations=[1, 5, 200]).simulations.tolist() == [1, 5, 200]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"worlds": "mix"}, "does not know"),
        ({"nodes": "public"}, "would use it"),
        ({"backup": "paranoid"}, "would use it"),
        ({"world_pool": 5}, "would use it"),
        ({"tree_depth": 2}, "would use it"),
        ({"opponents": "random"}, "would use it"),
        ({"sweep_nodes": 0.5}, "sweep_nodes is 0.5"),
        ({"grow_worlds": 0}, "grow_worlds is 0"),
        ({"grow_explore": 1.5}, "grow_explore is 1.5"),
        ({"playouts": 0}, "playouts is 0"),
        ({"grow_from": "gam"}, "Did you mean 'game'"),
        ({"grow_from": "game", "worlds": "public"}, "no world is sampled"),
        ({"leaf": "network", "playouts": 3}, "playouts"),
        ({"algorithm": "ismcts", "playouts": 3}, "'gt_cfr'"),
        ({"algorithm": "ismcts", "grow_from": "belief"}, "'gt_cfr'"),
    ],
)
def test_what_contradicts_itself_is_refused(changes, text):
    with pytest.raises(UsageError, match=text):
        with_(**changes).validate(KUHN, has_network=True)


def test_a_game_that_forgets_cannot_be_searched_from_its_start():
    with pytest.raises(UsageError, match="do not cover the past"):
        with_(grow_from="game").validate(engines.load("connect_four"), has_network=False)


def test_only_the_right_class_runs_it():
    with pytest.raises(TypeError, match="make_search"):
        Search(KUHN, CONFIG)
