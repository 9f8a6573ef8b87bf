"""The one place where a config becomes a search."""

from __future__ import annotations

import dataclasses
from typing import Any

from engines.contract import Game
from orion_ai.search.config import MOST_GROWN_NODES, SearchConfig
from orion_ai.search.evaluator import Evaluator, Opponent
from orion_ai.search.gt_cfr import GrowingTreeSearch
from orion_ai.search.search import Search
from orion_ai.search.size import count_histories
from orion_ai.search.validation import ACTS_WITH

__all__ = ["decide", "make_search"]


def decide(game: Game, config: SearchConfig) -> SearchConfig:
    """The config that is searched by: `config` itself, or what `algorithm=auto` comes to in this game.

    `gt_cfr` where keys cover the past and the game has at most `max_nodes` (2^17) histories, so that a tree can hold
    it; else `ismcts`. What a seat should play goes along with that: the mixture of an equilibrium, or the action that
    was found to be best. Settings of the other algorithm are dropped. The answer depends on the game alone, not on a
    budget or a position.

    Args:
        game: what will be searched.
        config: any search.
    """
    if config.algorithm != "auto":
        return config
    most = config.max_nodes or MOST_GROWN_NODES
    small = game.perfect_recall and count_histories(game, most) <= most
    chosen = "gt_cfr" if small else "ismcts"
    defaults: dict[str, Any] = {f.name: f.default for f in dataclasses.fields(SearchConfig)}
    idle = [name for key, users, names in ACTS_WITH if key == "algorithm" and chosen not in users for name in names]
    changes = {name: defaults[name] for name in idle}
    changes |= {"algorithm": chosen, "temperature": 1.0 if small else 0.0}
    return dataclasses.replace(config, **changes)


def make_search(
    game: Game,
    config: SearchConfig,
    evaluator: Evaluator | None = None,
    lanes: int = 1,
    opponent: Opponent | None = None,
) -> Search:
    """The search that `config` asks for: its algorithm decides the class, all have the face of `Search`.

    The search's own `config` says what `algorithm=auto` was decided to be.

    Raises:
        UsageError: as `Search`.
    """
    config.validate(game, evaluator is not None, opponent is not None)
    decided = decide(game, config)
    kind = GrowingTreeSearch if decided.algorithm == "gt_cfr" else Search
    return kind(game, decided, evaluator, lanes, opponent)
