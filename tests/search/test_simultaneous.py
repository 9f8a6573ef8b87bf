"""Simultaneous choices mixed by a bandit, and the others made by the search's own rule.

1. Which choices are simultaneous follows from who knows what; in a game with none the setting is refused.
2. Where all choices are, the search is that of the bandit; where some are, only those are mixed.
3. Mixtures are found that no rule of best actions finds, and they are played as they are.
"""

import os
import subprocess
import sys

import numpy as np
import pytest

import engines
from engines.errors import UsageError
from orion_ai.agents import SearchAgent
from orion_ai.search import HashEvaluator, SearchConfig, UniformEvaluator, make_search, secret
from orion_ai.search.forest import AFTER_SECRET, SECRET, SEEN
from orion_ai.search.secret import has_secret_choices
from orion_ai.search.trace import trace
from orion_ai.solve.best_response import Judge
from orion_ai.solve.tabulate import tabulate
from orion_ai.solve.tree import enumerate_game
from tests.games import duel, load
from tests.games.duel import DUEL, LEAVE, MIXTURE, SHOW

BANDITS = ["regret_matching", "exp3"]
SEARCHES = {
    "ismcts": {"algorithm": "ismcts"},
    "puct": {"algorithm": "puct", "leaf": "network"},
    "gumbel": {"algorithm": "gumbel", "leaf": "network"},
}
every_search = pytest.mark.parametrize("search", SEARCHES)


def made(game, config, lanes=1):
    return make_search(game, config, UniformEvaluator(game) if config.leaf == "network" else None, lanes)


def run(state, lanes=8, **choices):
    search = made(state.game, SearchConfig(**choices), lanes)
    worlds, keys = np.tile(state.record, (lanes, 1)), np.arange(lanes, dtype=np.uint64)
    return search.run(worlds, [state.to_play] * lanes, keys)


# Which choices they are


@pytest.mark.parametrize(
    ("name", "options", "some"),
    [
        ("matrix", {}, True),
        ("goofspiel", {"cards": 4}, True),
        ("kuhn_poker", {}, False),
        ("leduc_poker", {}, False),
        ("liars_dice", {}, False),
    ],
)
def test_the_rules_say_whether_a_choice_is_simultaneous(name, options, some):
    game = engines.load(name, **options)
    assert has_secret_choices(game) is some
    config = SearchConfig(simultaneous="exp3")
    if some:
        config.validate(game, has_network=False)
    else:
        with pytest.raises(UsageError, match=f"every choice in {name} is seen at once"):
            config.validate(game, has_network=False)


def test_what_the_rules_say_is_found_out_once(monkeypatch):
    game = engines.load("liars_dice", faces=4)
    found = [has_secret_choices(game)]
    monkeypatch.setattr(secret, "look_through", None)
    monkeypatch.setattr(secret, "find_secret_choice", None)
    assert [*found, has_secret_choices(engines.load("liars_dice", faces=4))] == [False, False]


def test_a_secret_choice_that_no_game_at_random_shows_is_found_or_left_open(monkeypatch):
    """In a game that can be looked through it is found; in one that is too large nothing is refused."""
    monkeypatch.setattr(secret, "PROBED_GAMES", 0)
    monkeypatch.setattr(secret, "_KNOWN", {})
    game = engines.load("goofspiel", cards=3, prizes="descending")
    assert has_secret_choices(game) is True
    monkeypatch.setattr(secret, "_KNOWN", {})
    monkeypatch.setattr(secret, "PROBED_STATES", 0)
    assert has_secret_choices(game) is None
    SearchConfig(simultaneous="exp3").validate(game, has_network=False)


@every_search
def test_kinds_of_nodes(search):
    """The root is seen. In a duel seat 0 chooses in secret and seat 1 after it; who shows is seen, and answered so."""
    game = load("duel")
    search = made(game, SearchConfig(**SEARCHES[search], simultaneous="regret_matching", simulations=400))
    seen = trace(search, game.start().record, 0, 1)
    kinds = {}
    for number, node in enumerate(seen.nodes):
        stage, hand = "start", 0
        if node.origin is not None:
            fields = node.origin.record.view(duel.State)[0]
            stage, hand = ("leave", "duel", "show")[int(fields["stage"]) - 1], int(fields["hand"][0])
        kinds[stage, node.seat, hand > 0] = int(search._forest.node_kind[0, number])
        mixed = kinds[stage, node.seat, hand > 0] != SEEN
        assert all((edge.average is not None) == mixed for edge in node.edges)
    assert kinds == {
        ("start", 0, False): SEEN,
        ("duel", 0, False): SECRET,
        ("duel", 1, True): AFTER_SECRET,
        ("show", 0, False): SEEN,
        ("show", 1, True): SEEN,
    }
    duels = [node for node in seen.nodes if node.origin and node.origin.record.view(duel.State)[0]["stage"] == 1 + DUEL]
    assert len(duels) == 2  # seat 1 cannot tell the hands apart


# What is found


@every_search
@pytest.mark.parametrize("bandit", BANDITS)
def test_where_all_choices_are_simultaneous_the_bandit_searches(search, bandit):
    """Goofspiel: node by node the same strategies as with the bandit for its algorithm, to the bit."""
    state = engines.load("goofspiel", cards=4, prizes="descending").start()
    leaf = SEARCHES[search].get("leaf", "random")
    mixed = run(state, **SEARCHES[search], simultaneous=bandit, simulations=200, temperature=1.0)
    plain = run(state, algorithm=bandit, leaf=leaf, simulations=200, temperature=1.0)
    for part in ("policy", "action", "q", "visits", "nodes"):
        assert getattr(mixed, part).tolist() == getattr(plain, part).tolist(), part


@every_search
def test_biased_rock_paper_scissors(search):
    """The mixture with a bandit; without it the actions that were best lately."""
    state = engines.load("matrix", payoffs="biased_rps").start()
    matching, exp3, plain = (
        run(state, **SEARCHES[search], simultaneous=bandit, simulations=60_000).policy for bandit in (*BANDITS, "none")
    )
    assert matching == pytest.approx(np.tile(MIXTURE, (8, 1)), abs=0.05)
    assert exp3.mean(axis=0) == pytest.approx(MIXTURE, abs=0.05)
    assert np.abs(plain - MIXTURE).max(axis=1).mean() > (0.05 if search == "puct" else 0.1)


@every_search
def test_a_duel_among_open_choices(search):
    """The duel is worth more than to leave, and is fought by the mixture; to leave would be better than to be seen."""
    game = load("duel")
    report = run(game.start(), **SEARCHES[search], simultaneous="regret_matching", simulations=30_000, exploration=0.1)
    assert (report.action == DUEL).all()
    assert report.q[:, LEAVE] == pytest.approx(-0.1, abs=1e-4)
    assert report.q[:, DUEL] == pytest.approx(0.0, abs=0.03)
    assert (report.q[:, SHOW] < -0.4).all()
    state = game.start()
    state.apply(DUEL)
    report = run(state, **SEARCHES[search], simultaneous="regret_matching", simulations=30_000)
    assert report.policy[:, 3:] == pytest.approx(np.tile(MIXTURE, (8, 1)), abs=0.08)


def test_the_mixture_is_played():
    """At temperature 0 too, where the actions at other roots are the best ones."""
    state = engines.load("matrix", payoffs="matching_pennies").start()
    report = run(state, 200, algorithm="puct", leaf="network", simultaneous="regret_matching", simulations=500)
    assert report.action.mean() == pytest.approx(0.5, abs=0.12)
    plain = run(load("duel").start(), 50, simultaneous="regret_matching", simulations=500)
    assert (plain.action == plain.policy.argmax(axis=1)).all()


def test_goofspiel_is_less_exploitable():
    """Four cards, prizes from the highest: a search of 500 simulations in every information state."""
    game = engines.load("goofspiel", cards=4, prizes="descending")
    whole = enumerate_game(game)
    judge, loss = Judge(whole), {}
    for bandit in ("none", "regret_matching"):
        agent = SearchAgent(made(game, SearchConfig(simultaneous=bandit, simulations=500), 64), bandit)
        loss[bandit] = judge.exploitability(tabulate(whole, agent))
    assert loss["regret_matching"] < 0.25 < 0.3 < loss["none"]


def test_what_is_hidden_does_not_matter_and_neither_do_lanes():
    game = engines.load("matrix", payoffs="biased_rps")
    config = SearchConfig(simultaneous="exp3", simulations=200, algorithm="puct", leaf="network")
    reports = []
    for row in range(3):
        state = game.start()
        state.apply(row)
        world = state.determinize(1, seed=5)
        reports.append(make_search(game, config, HashEvaluator(game), 1).run(world.record[None], [1], [7]))
    assert len({report.policy.tobytes() + report.q.tobytes() for report in reports}) == 1
    among = make_search(game, config, HashEvaluator(game), 3).run(np.tile(world.record, (3, 1)), [1] * 3, [1, 7, 2])
    assert among.policy[1].tobytes() == reports[0].policy.tobytes()


PRINTED = """
import numpy as np
from tests.search.test_simultaneous import SEARCHES, load, run
for choices in SEARCHES.values():
    for bandit in ("regret_matching", "exp3"):
        report = run(load("duel").start(), 2, **choices, simultaneous=bandit, simulations=60)
        print(report.policy.tobytes().hex(), report.q.tobytes().hex(), report.visits.tobytes().hex())
"""


@pytest.mark.slow
def test_the_same_bytes_without_the_compiler():
    """Half a minute: `pytest -m slow tests/search/test_simultaneous.py`."""
    answers = []
    for disabled in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled}
        done = subprocess.run(
            [sys.executable, "-c", PRINTED], capture_output=True, env=environment, check=True, text=True
        )
        answers.append(done.stdout)
    assert answers[0] == answers[1] != ""


# What is refused


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"nodes": "observer"}, "with search.nodes 'observer' an opponent's node knows"),
        ({"keep_tree": True}, "search.keep_tree keeps no strategies"),
        ({"worlds": "mix"}, "with search.worlds 'mix' some of a seat's choices are made without a node"),
        ({"worlds": "redeal"}, "with search.worlds 'redeal' some of a seat's choices are made without a node"),
        ({"algorithm": "regret_matching"}, "search.simultaneous is exp3, but search.algorithm is 'regret_matching'"),
        ({"algorithm": "gt_cfr"}, "search.simultaneous is exp3, but search.algorithm is 'gt_cfr'"),
        ({"opponents": "random"}, "search.simultaneous is exp3, but search.opponents is 'random'"),
        ({"answer": "mmd"}, "search.simultaneous is exp3, but search.answer is 'mmd'"),
        ({"simultaneous": "none", "exploration": 0.1}, "only 'regret_matching' and 'exp3'"),
        ({"simultaneous": "ucb"}, "search.simultaneous"),
    ],
)
def test_what_makes_no_sense_is_refused(choices, said):
    with pytest.raises(UsageError, match=said):
        SearchConfig(**{"simultaneous": "exp3", **choices}).validate(engines.load("matrix"), has_network=True)


def test_where_nothing_is_hidden_nothing_is_simultaneous():
    with pytest.raises(UsageError, match="every choice in tic_tac_toe is seen at once"):
        SearchConfig(simultaneous="exp3").validate(engines.load("tic_tac_toe"), has_network=True)
