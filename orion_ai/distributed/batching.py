"""Joining the requests of many callers into batches of a network. Nothing here knows of Ray.

A batch is answered when it is full, when its first request has waited long enough, or when everybody who has asked
lately is waiting already: then nobody is left to fill it.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from orion_ai.search.evaluator import Evaluator

__all__ = ["Answer", "BatchFigures", "Batcher"]

LATELY = 0.25
"""Seconds for which a caller counts as one who will ask again."""

Answer = tuple[NDArray[np.float32], NDArray[np.float32]]


@dataclass
class BatchFigures:
    """What a server did since it was last asked.

    Attributes:
        batches: answered.
        rows: in all of them.
        waited: seconds from a request's arrival to its batch's start, summed over rows.
        busy: seconds spent answering.
    """

    batches: int = 0
    rows: int = 0
    waited: float = 0.0
    busy: float = 0.0


@dataclass
class _Request:
    caller: str
    observations: NDArray[np.int16]
    answer: Callable[[Answer | BaseException], object]
    since: float = field(default_factory=time.perf_counter)


class Batcher:
    """A thread that answers requests in batches."""

    def __init__(self, evaluator: Evaluator, limit: int, seconds: float) -> None:
        """A batcher.

        Args:
            evaluator: answers a batch, in the batcher's thread.
            limit: most rows of a batch; a single request may have more.
            seconds: how long a request waits for others.
        """
        self._evaluator, self._limit, self._seconds = evaluator, limit, seconds
        self._changed = threading.Condition()
        self._requests: deque[_Request] = deque()
        self._seen: dict[str, float] = {}
        self._figures = BatchFigures()
        threading.Thread(target=self._work, name="batcher", daemon=True).start()

    def submit(
        self, caller: str, observations: NDArray[np.int16], answer: Callable[[Answer | BaseException], object]
    ) -> None:
        """Have `answer` told, from the batcher's thread, what the network says of `observations` (int16[N, D])."""
        request = _Request(caller, observations, answer)
        with self._changed:
            self._requests.append(request)
            self._seen[caller] = request.since
            self._changed.notify()

    def figures(self) -> BatchFigures:
        """What was done since this was last asked."""
        with self._changed:
            found, self._figures = self._figures, BatchFigures()
        return found

    def _work(self) -> None:
        while True:
            batch = self._next()
            start = time.perf_counter()
            try:
                rows = [request.observations for request in batch]
                logits, values = self._evaluator.evaluate(rows[0] if len(rows) == 1 else np.concatenate(rows))
            except BaseException as error:
                for request in batch:
                    request.answer(error)
                continue
            end = time.perf_counter()
            row = 0
            for request in batch:
                own = slice(row, row + len(request.observations))
                row = own.stop
                request.answer((logits[own], values[own]))
            with self._changed:
                self._figures.batches += 1
                self._figures.rows += row
                self._figures.busy += end - start
                self._figures.waited += sum((start - r.since) * len(r.observations) for r in batch)

    def _next(self) -> list[_Request]:
        """The requests of the next batch, in the order in which they came."""
        with self._changed:
            while not self._requests:
                self._changed.wait()
            while not self._complete():
                left = self._requests[0].since + self._seconds - time.perf_counter()
                if left <= 0:
                    break
                self._changed.wait(min(left, LATELY))
            batch = [self._requests.popleft()]
            rows = len(batch[0].observations)
            while self._requests and rows + len(self._requests[0].observations) <= self._limit:
                batch.append(self._requests.popleft())
                rows += len(batch[-1].observations)
            return batch

    def _complete(self) -> bool:
        """Whether there is nothing to wait for."""
        if sum(len(r.observations) for r in self._requests) >= self._limit:
            return True
        now = time.perf_counter()
        waiting = {r.caller for r in self._requests}
        self._seen = {caller: seen for caller, seen in self._seen.items() if now - seen <= LATELY}
        return waiting.issuperset(self._seen)
