"""Every search of `configs/agent`, and two choices of worlds besides, on games whose answers are known by reasoning.

1. The list is whole: an agent that is added there says here what is true of it.
2. Safe or guess: only perfect information below the root fuses strategies; unlikely worlds count less.
3. Trees and pig, where nothing is hidden: max^n values, a seat that moves twice, one that is out, chance. What looks no
   further than one action finds the values of random play; what is about hidden things is refused.
4. Kuhn's jack: searches from one's own hand stop bluffing, those that ask what another hand would do go on.
5. Biased rock-paper-scissors: who learns strategies finds the mixture, who follows the best action does not.
6. Visits, values and policies add up.
"""

import numpy as np
import pytest

import engines
from engines.contract import CHANCE, TERMINAL
from engines.errors import UsageError
from orion_ai.arena.entrants import resolve
from orion_ai.data import configs_dir
from orion_ai.search import SearchConfig, UniformEvaluator, make_search
from orion_ai.search.trace import trace, traceable
from tests.games import load, tree
from tests.games.safe_or_guess import GUESS, SAFE

JACK, QUEEN, BET = 2, 3, 1
WORLDS = {"mix", "public", "weighted"}
"""Searches that are `ismcts` with other worlds."""
NO_SEARCH = {"policy", "random", "scripted"}
FUSES = {"pimc"}
NEAR = {"flat_mc", "one_ply"}
"""They look at one action and no further."""
HIDDEN = {"epimc", "pimc", "particles", "ris", "mix", "public", "weighted"}
"""They are about what is hidden."""
LEARNS = {"regret_matching", "exp3", "oos", "gt_cfr", "default"}
"""Their answer is a strategy that they have learned."""
DIVIDED = {"mix", "ris"}
"""Half of their simulations are for the nodes of others."""
WAYS = sorted(LEARNS | NEAR | HIDDEN | {"ismcts", "puct", "gumbel", "mmd"})
QUIET = {"exploration": 0.05}
SHARP = {"regret_matching": QUIET, "exp3": QUIET, "mmd": {"mmd_step": 50.0}, "gumbel": {"c_scale": 0.02}}
"""Settings under which what a search adds of its own (exploring, softening, hasty halving) is small."""


def settings(way, **changes):
    """The search of an agent, the best action played."""
    if way in WORLDS:
        way, changes = "ismcts", {"worlds": way, **changes}
    (entrant,) = resolve([{"agent": way, "search": {"temperature": 0.0, **changes}}])
    return SearchConfig(**entrant.settings["search"])


def made(game, way, lanes=1, **changes):
    config = settings(way, **changes)
    return make_search(game, config, UniformEvaluator(game) if config.leaf == "network" else None, lanes)


def run(state, way, lanes=1, **changes):
    worlds, seats = np.tile(state.record, (lanes, 1)), np.full(lanes, state.to_play)
    return made(state.game, way, lanes, **changes).run(worlds, seats, np.arange(lanes, dtype=np.uint64))


def recalled(name, **options):
    """A game of these tests whose keys do cover the past, though it does not say so."""
    game = load(name, **options)
    game.perfect_recall = True
    return game


def test_every_agent_that_searches_is_here():
    agents = {path.stem for path in (configs_dir() / "agent").glob("*.yaml")}
    assert set(WAYS) - WORLDS | NO_SEARCH == agents


# Safe or guess


def guessed(way, heads):
    pool = {"world_pool": 1000} if way == "epimc" else {}  # few worlds are overfitted to
    return run(recalled("safe_or_guess", heads=heads).start(1), way, 2, simulations=12_000, **pool)


@pytest.mark.parametrize("way", WAYS)
def test_only_perfect_information_below_the_root_fuses_strategies(way):
    report = guessed(way, heads=5)
    assert report.q[:, SAFE] == pytest.approx(0.25)
    if way in FUSES:
        assert (report.action == GUESS).all()
        assert (report.q[:, GUESS] > 0.9).all()
    else:
        assert (report.action == SAFE).all()
        assert (report.q[:, GUESS] < 0.24).all()
        assert (report.policy[:, SAFE] > 0.6).all()


@pytest.mark.parametrize("way", WAYS)
def test_worlds_count_by_their_weight(way):
    """Nine coins of ten show heads, and both are proposed alike: to guess is worth 0.8, at random 0."""
    report = guessed(way, heads=9)
    if way in NEAR:
        assert (report.action == SAFE).all()
        assert report.q[:, GUESS] == pytest.approx(0, abs=0.2)
        return
    assert (report.action == GUESS).all()
    worth = {"pimc": 1.0, "exp3": 0.64, "regret_matching": 0.64}.get(way, 0.8)  # a tenth of these guesses is not meant
    assert report.q[:, GUESS] == pytest.approx(worth, abs=0.09)


# Where nothing is hidden


def random_play(state):
    """Exact values of play at random, by seat, where there is no chance."""
    if state.to_play == TERMINAL:
        return np.array(state.returns())
    assert state.to_play != CHANCE
    return np.mean([random_play(after(state, action)) for action in state.legal_actions()], axis=0)


def after(state, action):
    child = state.clone()
    child.apply(action)
    return child


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("root", "action", "values"),
    [
        (tree.MAXN, 1, (0.4, 0.5, -0.9)),
        (tree.TWICE, 1, (0.3, -0.3, 0.0)),
        (tree.SKIPPED, 1, (0.2, -0.4, 0.2)),
        (tree.DEPTH_ONE + 2, 1, (-0.5, -0.5, 1.0)),
        (tree.ONE_ACTION, 0, (1.0, -0.5, -0.5)),
    ],
)
def test_trees(way, root, action, values):
    state = recalled("tree", root=root).start()
    if way in HIDDEN:
        with pytest.raises(UsageError, match="nothing is hidden in tree"):
            run(state, way)
        return
    report = run(state, way, simulations=3000, **SHARP.get(way, {}))
    if way in NEAR:
        for a in state.legal_actions():
            child = after(state, a)
            judged = 0.0 if way == "one_ply" and child.to_play != TERMINAL else random_play(child)[state.to_play]
            assert report.q[0, a] == pytest.approx(judged, abs=0.08)
        return
    assert report.action[0] == action
    assert report.value[0] == pytest.approx(values, abs=0.12 if way in SHARP else 0.06)


@pytest.mark.parametrize("way", sorted({*WAYS} - HIDDEN - NEAR))
@pytest.mark.parametrize(("target", "win"), [(2, 6 / 7), (5, 216 / 271)])
def test_pig(way, target, win):
    """Chance at every other step; positions come back, so keys do not cover the past."""
    state = load("pig", target=target).start(1)
    if way == "oos":
        with pytest.raises(UsageError, match="no perfect recall"):
            run(state, way)
        return
    # Where simulations explore on purpose their mean is that of two players who err.
    most = {"gt_cfr": 3000}.get(way, 20_000)
    report = run(state, way, 2, simulations=most, **SHARP.get(way, {}))
    assert (report.q[:, 0] + 1) / 2 == pytest.approx(win, abs=0.02)


# What is hidden, and what is chosen at the same time


@pytest.mark.parametrize("way", WAYS)
def test_the_jack_bluffs_where_other_hands_are_asked(way):
    """Kuhn 1950: in equilibrium it bets up to a third of the time. Opponents that only ever meet the true hand learn
    it, and then never pass a better one."""
    state = engines.load("kuhn_poker").start()
    for card in (JACK, QUEEN):
        state.apply(card)
    report = run(state, way, 8, simulations=5000)
    bluffs = float(report.policy[:, BET].mean())
    if way in ("default", "gt_cfr", "oos", "public", "weighted"):
        assert 0.05 < bluffs < 0.35
    elif way == "flat_mc":  # the others fold half of the time
        assert bluffs > 0.9
    elif way == "mmd":  # one step from a prior that bets half of the time
        assert bluffs < 0.25
        assert (report.q[:, BET] < report.q[:, 0]).all()
    else:
        assert bluffs < (0.1 if way in DIVIDED | FUSES else 0.03)


@pytest.mark.parametrize("way", WAYS)
def test_who_learns_strategies_finds_a_mixture(way):
    state = engines.load("matrix", payoffs="biased_rps").start()
    report = run(state, way, 8, simulations=3000 if way in ("gt_cfr", "default") else 20_000)
    error = np.abs(report.policy - np.array([1, 10, 5]) / 16).max(axis=1)
    if way == "exp3":  # its steps are small
        assert error.mean() < 0.15
    elif way in LEARNS:
        assert error.max() < 0.08
    else:
        assert error.mean() > 0.08


# What adds up


@pytest.mark.parametrize("way", WAYS)
def test_visits_values_and_policies_add_up(way):
    state = engines.load("leduc_poker").start(3)
    report, lanes = run(state, way, 3, simulations=600, **({"max_nodes": 4000} if way == "default" else {})), range(3)
    legal = np.isin(np.arange(state.game.num_actions), state.legal_actions())
    assert report.policy.sum(axis=1) == pytest.approx(1)
    assert not report.policy[:, ~legal].any() and not report.visits[:, ~legal].any()
    if way == "public":  # a sixth of its worlds deal the seat's own card
        assert report.visits.sum(axis=1) == pytest.approx(100, abs=40)
    elif way == "weighted":  # and half of these are private
        assert report.visits.sum(axis=1) == pytest.approx(350, abs=40)
    elif way not in ("oos", "gt_cfr"):  # there visits are weighed by how the position is come to
        assert report.visits.sum(axis=1) == pytest.approx(300 if way in DIVIDED else 600)
        assert (report.availability >= report.visits).all()
    tried = report.visits > 0
    value = (report.policy * report.q * tried).sum(axis=1) / (report.policy * tried).sum(axis=1)
    assert report.value[lanes, state.to_play] == pytest.approx(value, abs=1e-5)
    assert report.value.sum(axis=1) == pytest.approx(0, abs=1e-5)
    best = report.policy[lanes, report.action]
    assert (best == report.policy.max(axis=1)).all() or way == "gumbel"


@pytest.mark.parametrize("way", sorted({*WAYS} - {"gt_cfr"}))
def test_what_comes_to_a_node_goes_on_from_it(way):
    """Along every edge: its visits are the simulations that passed it, and values of two seats sum to zero."""
    state = engines.load("leduc_poker").start(3)
    search = made(state.game, way, simulations=300, **({"max_nodes": 4000} if way == "default" else {}))
    assert traceable(search)
    seen = trace(search, state.record, state.to_play, 5)
    for node in seen.nodes:
        for edge in node.edges:
            if way != "oos" and (way != "weighted" or node.seat == state.to_play):  # opponents' visits have weights
                assert edge.children.total() + edge.ended == edge.visits
            assert sum(edge.total) == pytest.approx(0, abs=1e-4)
    root = [edge.visits for edge in seen.nodes[0].edges]
    passed = [seen.weights[seen.actions == edge.action].sum() for edge in seen.nodes[0].edges]
    assert root == pytest.approx(passed, rel=1e-5)
