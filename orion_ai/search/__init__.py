"""Searches for every game, many positions at once: numpy and numba only, no game and no torch."""

from engines.kernel import compiling

with compiling("the search"):
    from orion_ai.search.config import SearchConfig
    from orion_ai.search.evaluator import Evaluator, HashEvaluator, UniformEvaluator
    from orion_ai.search.make import make_search
    from orion_ai.search.report import SearchReport
    from orion_ai.search.search import Search

__all__ = ["Evaluator", "HashEvaluator", "Search", "SearchConfig", "SearchReport", "UniformEvaluator", "make_search"]
