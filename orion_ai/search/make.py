"""The one place where a config becomes a search."""

from __future__ import annotations

from engines.contract import Game
from orion_ai.search.config import SearchConfig
from orion_ai.search.evaluator import Evaluator
from orion_ai.search.gt_cfr import GrowingTreeSearch
from orion_ai.search.search import Search

__all__ = ["make_search"]


def make_search(game: Game, config: SearchConfig, evaluator: Evaluator | None = None, lanes: int = 1) -> Search:
    """The search that `config` asks for: its algorithm decides the class, all have the face of `Search`.

    Raises:
        UsageError: as `Search`.
    """
    kind = GrowingTreeSearch if config.algorithm == "gt_cfr" else Search
    return kind(game, config, evaluator, lanes)
