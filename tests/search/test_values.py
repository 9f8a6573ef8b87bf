"""Searches of games whose values are known.

1. Safe or guess: no strategy fusion; an oracle, which cheats, does fuse. Weighted worlds.
2. Trees: max^n and paranoid values differ; a seat moves twice; a seat is skipped; every seat's terminal sign.
3. Pig: chance at every other step, positions that repeat, 6/7 and 216/271.
"""

import numpy as np
import pytest

from orion_ai.search import Search, SearchConfig, UniformEvaluator
from tests.games import load, tree
from tests.games.safe_or_guess import GUESS, SAFE

ALGORITHMS = [
    SearchConfig(algorithm="ismcts", simulations=3000),
    SearchConfig(algorithm="puct", leaf="network", simulations=3000),
    SearchConfig(algorithm="gumbel", leaf="network", simulations=600),
]
names = [config.algorithm for config in ALGORITHMS]


def run(game, state, config, lanes=1):
    evaluator = UniformEvaluator(game) if config.leaf == "network" else None
    worlds, seats = np.tile(state.record, (lanes, 1)), np.full(lanes, state.to_play)
    return Search(game, config, evaluator, lanes).run(worlds, seats, np.arange(lanes, dtype=np.uint64))


@pytest.mark.parametrize("config", ALGORITHMS, ids=names)
def test_no_strategy_fusion(config):
    game = load("safe_or_guess")
    for seed in range(2):
        report = run(game, game.start(seed), config)
        assert report.action[0] == SAFE
        assert report.q[0, SAFE] == pytest.approx(0.25)
        assert report.q[0, GUESS] < 0.2


def test_an_oracle_fuses_strategies():
    game = load("safe_or_guess")
    config = SearchConfig(simulations=2000, worlds="oracle", allow_oracle=True)
    report = run(game, game.start(1), config)
    assert report.action[0] == GUESS
    assert report.q[0, GUESS] > 0.95


@pytest.mark.parametrize("config", ALGORITHMS, ids=names)
def test_worlds_count_by_their_weight(config):
    # Nine coins of ten show heads, and determinize proposes both alike: guessing is worth 0.8.
    game = load("safe_or_guess", heads=9)
    report = run(game, game.start(1), config)
    assert report.action[0] == GUESS
    assert report.q[0, GUESS] == pytest.approx(0.8, abs=0.06)
    share = report.effective[0] / report.worlds[0]
    # E[w]^2 / E[w^2] for weights 1.8 and 0.2.
    assert share == pytest.approx(1 / (0.5 * 1.8**2 + 0.5 * 0.2**2), abs=0.05)


@pytest.mark.parametrize("config", ALGORITHMS, ids=names)
@pytest.mark.parametrize(
    ("root", "action", "values"),
    [
        (tree.MAXN, 1, (0.4, 0.5, -0.9)),
        (tree.TWICE, 1, (0.3, -0.3, 0.0)),
        (tree.SKIPPED, 1, (0.2, -0.4, 0.2)),
        (tree.DEPTH_ONE, 1, (1.0, -0.5, -0.5)),
        (tree.DEPTH_ONE + 1, 1, (-0.5, 1.0, -0.5)),
        (tree.DEPTH_ONE + 2, 1, (-0.5, -0.5, 1.0)),
        (tree.ONE_ACTION, 0, (1.0, -0.5, -0.5)),
    ],
)
def test_trees(config, root, action, values):
    game = load("tree", root=root)
    report = run(game, game.start(), config)
    assert report.action[0] == action
    assert report.value[0] == pytest.approx(values, abs=0.06)


@pytest.mark.parametrize(
    "choices",
    [
        {"algorithm": "ismcts", "c_uct": 0.5},
        {"algorithm": "puct"},
        {"algorithm": "gumbel", "leaf": "network"},
        {"algorithm": "regret_matching", "exploration": 0.05},
        {"algorithm": "exp3", "exploration": 0.1, "simulations": 30_000},
    ],
    ids=lambda choices: choices["algorithm"],
)
def test_paranoid_opponents_hurt_themselves_to_hurt_the_searcher(choices):
    game = load("tree", root=tree.MAXN)
    config = SearchConfig(**{"simulations": 4000, "backup": "paranoid", **choices})
    report = run(game, game.start(), config)
    assert report.action[0] == 0
    assert report.q[0, :2] == pytest.approx((-0.4, -0.6), abs=0.13)


@pytest.mark.parametrize(
    "config",
    [
        SearchConfig(simulations=60_000),
        SearchConfig(simulations=60_000, leaf="scripted"),
        SearchConfig(simulations=60_000, cutoff=1),
        SearchConfig(algorithm="puct", leaf="network", simulations=60_000),
        SearchConfig(algorithm="gumbel", leaf="network", simulations=20_000, c_scale=0.02),
    ],
    ids=["ismcts", "scripted", "cutoff", "puct", "gumbel"],
)
@pytest.mark.parametrize(("target", "win"), [(2, 6 / 7), (5, 216 / 271)])
def test_pig(config, target, win):
    game = load("pig", target=target)
    report = run(game, game.start(seed=1), config)
    assert (report.q[0, 0] + 1) / 2 == pytest.approx(win, abs=0.008)


def test_a_cut_playout_is_valued_by_the_present_standing():
    # A finished game of pig has a winner; after a few decisions it often stands at nothing all.
    game = load("pig", target=20)
    cut, finished = (
        run(game, game.start(1), SearchConfig(simulations=1, cutoff=cutoff), lanes=32).value for cutoff in (1, 0)
    )
    assert (cut == 0).any()
    assert (finished != 0).all()


def test_a_scripted_playout_follows_the_script():
    # The script holds at once; with target 7 it never rolls on, a random player does half of the time.
    game = load("pig", target=7)
    few = {"simulations": 1, "cutoff": 2}
    scripted = run(game, game.start(1), SearchConfig(leaf="scripted", **few), lanes=64)
    random = run(game, game.start(1), SearchConfig(leaf="random", **few), lanes=64)
    assert scripted.value.tolist() != random.value.tolist()
