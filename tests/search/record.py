"""Searches a set of small positions in several ways and prints what came out, as one JSON object.

Run as a module by the parity test (with and without the JIT), and imported by the golden test. `python -m
tests.search.record --write` writes the golden trees anew.
"""

import dataclasses
import json
import sys
from pathlib import Path

import numpy as np

import engines
from orion_ai.search import HashEvaluator, SearchConfig, make_search
from tests.games import load

GOLDEN = Path(__file__).parents[1] / "golden" / "trees"
CONFIGS = {
    "ismcts": SearchConfig(simulations=40),
    "ismcts_public": SearchConfig(simulations=40, worlds="public", nodes="observer"),
    "ismcts_mix": SearchConfig(simulations=40, worlds="mix", nodes="public"),
    "ismcts_weighted": SearchConfig(simulations=40, worlds="weighted"),
    "puct": SearchConfig(algorithm="puct", leaf="network", simulations=32, noise_share=0.25),
    "puct_pooled": SearchConfig(algorithm="puct", leaf="network", nodes="public", simulations=32, values="all"),
    "puct_paranoid": SearchConfig(algorithm="puct", leaf="network", backup="paranoid", simulations=32),
    "gumbel": SearchConfig(algorithm="gumbel", leaf="network", simulations=24),
    "gumbel_policy": SearchConfig(algorithm="gumbel", leaf="network", opponents="network", simulations=24),
    "pimc": SearchConfig(simulations=40, world_pool=5, fusion_depth=1),
    "puct_epimc": SearchConfig(algorithm="puct", leaf="network", world_pool=5, fusion_depth=2, simulations=32),
    "puct_redeal": SearchConfig(algorithm="puct", leaf="network", worlds="redeal", tree_depth=2, simulations=32),
    "uniform": SearchConfig(algorithm="uniform", tree_depth=1, simulations=24),
    "puct_mmd": SearchConfig(algorithm="puct", leaf="network", simulations=32, answer="mmd", mmd_magnet="prior"),
    "regret_matching": SearchConfig(algorithm="regret_matching", simulations=40),
    "regret_network": SearchConfig(algorithm="regret_matching", leaf="network", worlds="mix", simulations=40),
    "exp3": SearchConfig(algorithm="exp3", worlds="public", nodes="observer", simulations=40),
    "gt_cfr": SearchConfig(algorithm="gt_cfr", grow_from="belief", leaf="network", simulations=12),
    "gt_cfr_public": SearchConfig(algorithm="gt_cfr", grow_from="belief", worlds="public", simulations=12),
}
FROM_START = {
    "oos": SearchConfig(algorithm="oos", simulations=40),
    "oos_network": SearchConfig(algorithm="oos", oos_target="public", leaf="network", simulations=40),
}
"""Searches that go from the game's start, so only in games with perfect recall."""


def fitting(game, config):
    """A config as the game allows it: where nothing is hidden there are no other worlds, and no pool. None: that is
    another one of the list.
    """
    if game.secrets:
        return config
    delta = SearchConfig().mix_delta
    plain = dataclasses.replace(config, worlds="private", mix_delta=delta, world_pool=0, fusion_depth=0)
    return None if config.worlds != "private" and plain in CONFIGS.values() else plain


def positions():
    """Name, game and state of each position."""
    yield "kuhn_2", *_started(engines.load("kuhn_poker"), 5)
    yield "kuhn_3", *_started(engines.load("kuhn_poker", players=3), 6, 1)
    yield "coin", *_started(load("safe_or_guess", heads=8, pooled=1), 1)
    yield "pig", *_started(load("pig", target=9), 2)


def _started(game, seed, decisions=0):
    state = game.start(seed)
    for _ in range(decisions):
        state.apply(state.legal_actions()[-1])
    return game, state


def search(game, state, config, *, before=0, after=0):
    """The report and the tree of one lane, among `before` and `after` lanes that search with other keys."""
    lanes = before + 1 + after
    evaluator = HashEvaluator(game) if config.leaf == "network" else None
    engine = make_search(game, config, evaluator, lanes)
    keys = np.arange(1000, 1000 + lanes, dtype=np.uint64)
    keys[before] = 7
    simulations = np.full(lanes, max(config.simulations // 2, 2))
    simulations[before] = config.simulations
    report = engine.run(np.tile(state.record, (lanes, 1)), np.full(lanes, state.to_play), keys, simulations)
    answer = {
        "action": int(report.action[before]),
        "policy": report.policy[before].tolist(),
        "value": report.value[before].tolist(),
        "effective": float(report.effective[before]),
        "tree": engine.tree(before),
    }
    return report, answer


def everything(**lanes):
    """Every position searched in every way."""
    return {
        f"{place}_{name}": search(game, state, fitting(game, config), **lanes)[1]
        for place, game, state in positions()
        for name, config in (CONFIGS | FROM_START if game.perfect_recall else CONFIGS).items()
        if fitting(game, config) is not None
    }


def write_golden():
    """Write the golden trees, one file a position and config."""
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name, answer in everything().items():
        nodes = ",\n".join(json.dumps(node) for node in answer.pop("tree"))
        (GOLDEN / f"{name}.json").write_text(f'{json.dumps(answer)[:-1]}, "tree": [\n{nodes}\n]}}\n')


if __name__ == "__main__":
    if "--write" in sys.argv:
        write_golden()
    else:
        print(json.dumps(everything()))
