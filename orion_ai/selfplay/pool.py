"""All workers of a run on this machine: threads, since kernels and networks release the interpreter's lock."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engines.contract import Game
from orion_ai.net.config import EvaluatorConfig
from orion_ai.net.evaluators import make_evaluator
from orion_ai.replay.episode import Episode
from orion_ai.search.config import SearchConfig
from orion_ai.selfplay.config import SelfPlayConfig
from orion_ai.selfplay.searches import Searches
from orion_ai.selfplay.worker import Counts, Stopped, Worker

if TYPE_CHECKING:
    from torch import Tensor

    from orion_ai.net.network import Network

__all__ = ["Played", "Pool", "batch_of"]


@dataclass(frozen=True)
class Played:
    """The episodes of an iteration, in the order of their numbers, and what they took.

    Attributes:
        searches: what was searched for them.
        figures: of what played them, under the names that TensorBoard shows.
    """

    episodes: list[Episode]
    counts: Counts
    seconds: float
    searches: Searches = field(default_factory=Searches)
    figures: Mapping[str, float] = field(default_factory=dict)


def batch_of(game: Game, config: SelfPlayConfig, search: SearchConfig) -> int:
    """Most rows of an evaluation: all that every lane may ask for at once."""
    return config.lanes * search.lane_rows(game)


class Pool:
    """`config.workers` workers; game n of an iteration goes to worker n modulo their number, whatever their speed."""

    def __init__(
        self,
        game: Game,
        config: SelfPlayConfig,
        search: SearchConfig,
        network: Network,
        evaluator: EvaluatorConfig,
    ) -> None:
        batch = batch_of(game, config, search)
        self._evaluators = [make_evaluator(network, evaluator, batch) for _ in range(config.workers)]
        self._workers = [Worker(game, config, search, e) for e in self._evaluators]
        self._stop = threading.Event()

    def play(
        self, weights: Mapping[str, Tensor], seed: int, first: int, count: int, finished: Callable[[int], None]
    ) -> Played:
        """Play games `first` to `first + count - 1` of the run named `seed` with these weights.

        `finished` is called, from any thread, with the number of games that have just ended. On Ctrl-C the workers stop
        within a decision, and the interrupt goes on to the caller.
        """
        start = time.perf_counter()
        for evaluator in self._evaluators:
            evaluator.load(weights)
        for worker in self._workers:
            worker.forget()
        numbers = list(range(first, first + count))
        shares = [numbers[i :: len(self._workers)] for i in range(len(self._workers))]
        if len(self._workers) == 1:
            self._stop.clear()
            found = [self._workers[0].play(seed, shares[0], finished, self._stop)]
        else:
            found = self._play_in_threads(seed, shares, finished)
        episodes = sorted((e for part in found for e in part), key=lambda e: e.number)
        counts = sum((w.counts for w in self._workers), Counts())
        searches = sum((w.searches for w in self._workers), Searches())
        return Played(episodes, counts, time.perf_counter() - start, searches)

    def _play_in_threads(
        self, seed: int, shares: list[list[int]], finished: Callable[[int], None]
    ) -> list[list[Episode]]:
        self._stop.clear()
        with ThreadPoolExecutor(len(self._workers), "selfplay") as threads:
            tasks = [
                threads.submit(worker.play, seed, share, finished, self._stop)
                for worker, share in zip(self._workers, shares, strict=True)
            ]
            try:
                for task in wait(tasks, return_when=FIRST_EXCEPTION).done:
                    task.result()
            except BaseException:
                self._stop.set()
                for task in tasks:
                    if isinstance(error := task.exception(), Exception) and not isinstance(error, Stopped):
                        raise error from None
                raise
        return [task.result() for task in tasks]
