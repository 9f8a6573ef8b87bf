"""The signature: integers that change when, and only when, what the code computes has changed.

A change that is meant to keep behaviour (speed, refactoring) keeps them; they are the same on every machine, and with
the JIT off.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.contract import Game
from engines.perft import perft
from engines.rng import key_of
from orion_ai.bench.probe import Probe
from orion_ai.search.config import SearchConfig
from orion_ai.search.evaluator import HashEvaluator
from orion_ai.search.report import SearchReport
from orion_ai.search.search import Search

__all__ = ["compare", "game_signature", "total"]

LEAVES = 20_000
"""Perft goes as deep as it finds at most so many leaves."""
GAMES = 2
LANES = 4
SEARCHES = {
    "ismcts": SearchConfig(algorithm="ismcts", simulations=64),
    "puct": SearchConfig(algorithm="puct", leaf="network", simulations=32),
    "gumbel": SearchConfig(algorithm="gumbel", leaf="network", simulations=32),
}


def game_signature(game: Game) -> dict[str, Any]:
    """The integers of one game.

    Returns:
        `perft`: leaves and digest after 1, 2, ... steps; `play`: hash of what all kernels say in random games; for each
        search algorithm a hash of visits and choices on fixed positions with a fixed evaluator.
    """
    probe = Probe(game, LANES)
    return {"perft": _perft(game), "play": probe.play_hash(GAMES), **_trees(probe)}


def _perft(game: Game) -> list[str]:
    """Leaves and digest after 1, 2, ... steps from the start, as deep as `LEAVES` allows and games last."""
    counts: list[str] = []
    for depth in range(1, game.max_length + 1):
        count = perft(game.start(), depth, LEAVES)
        if count is None:
            break
        counts.append(f"{count.leaves} {count.digest}")
        if count.ended == count.leaves:
            break
    return counts


def _trees(probe: Probe) -> dict[str, int]:
    hashes = {}
    for name, config in SEARCHES.items():
        evaluator = HashEvaluator(probe.game) if config.leaf == "network" else None
        keys = np.array([key_of("bench", "tree", lane) for lane in range(LANES)], np.uint64)
        report = Search(probe.game, config, evaluator, LANES).run(probe.states, probe.seats(LANES), keys)
        hashes[name] = _hash(report)
    return hashes


def _hash(report: SearchReport) -> int:
    parts = [*report.action.tolist(), *report.simulations.tolist(), *report.nodes.tolist()]
    for lane, action in np.argwhere(report.visits > 0):
        parts += [int(lane), int(action), round(float(report.visits[lane, action]))]
    return key_of(*parts)


def total(signatures: Mapping[str, Mapping[str, Any]]) -> int:
    """One integer for all games."""
    parts: list[int | str] = []
    for name in sorted(signatures):
        parts.append(name)
        for key, value in sorted(signatures[name].items()):
            parts += [key, *(value if isinstance(value, list) else [value])]
    return key_of(*parts)


def compare(found: Mapping[str, Mapping[str, Any]], golden: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What differs from the golden signature, a line each; empty if nothing does."""
    lines = []
    for name, parts in found.items():
        if name not in golden:
            lines.append(f"{name}: not in the golden file")
            continue
        for key, value in parts.items():
            if golden[name].get(key) != value:
                lines.append(f"{name}.{key}: {value} here, {golden[name].get(key)} in the golden file")
    return lines
