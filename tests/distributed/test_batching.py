"""Joining requests: 1 everybody gets the answers to the own rows; 2 a batch is no larger than the limit, but a single
request may be; 3 a full batch, and one for which nobody is left, do not wait; others wait no longer than allowed; 4 an
error reaches everybody in the batch, and the next one is answered."""

import threading
import time

import numpy as np
from numpy.typing import NDArray

from orion_ai.distributed.batching import LATELY, Answer, Batcher
from orion_ai.search.evaluator import HashEvaluator
from tests.replay.games import kuhn

SECONDS = 60.0


class Recorder:
    """Answers as HashEvaluator does, and remembers the sizes of its batches; the first waits for `open`."""

    def __init__(self) -> None:
        self.inner, self.sizes, self.open = HashEvaluator(kuhn()), list[int](), threading.Event()

    def evaluate(self, observations: NDArray[np.int16]) -> Answer:
        assert self.open.wait(SECONDS)
        self.sizes.append(len(observations))
        if (observations[0] == -1).all():
            raise ValueError("these rows")
        return self.inner.evaluate(observations)


def rows(count: int, seed: int) -> NDArray[np.int16]:
    return np.random.default_rng(seed).integers(0, 5, (count, kuhn().observation_size)).astype(np.int16)


class Asker:
    """A request, and its answer."""

    def __init__(self, batcher: Batcher, caller: str, observations: NDArray[np.int16]) -> None:
        self.observations, self.done, self.at = observations, threading.Event(), 0.0
        self.found: Answer | BaseException | None = None
        batcher.submit(caller, observations, self._answer)

    def _answer(self, found: Answer | BaseException) -> None:
        self.found, self.at = found, time.perf_counter()
        self.done.set()

    def wait(self) -> Answer | BaseException | None:
        assert self.done.wait(SECONDS)
        return self.found


def test_everybody_gets_the_own_rows_in_batches_within_the_limit() -> None:
    recorder = Recorder()
    batcher = Batcher(recorder, limit=10, seconds=5.0)
    first = Asker(batcher, "0", rows(10, 0))  # full: taken at once, and held up
    while batcher._requests:
        time.sleep(0.001)
    others = [Asker(batcher, str(i), rows(n, i)) for i, n in enumerate((4, 5, 3, 12, 10), 1)]
    recorder.open.set()
    for asker in (first, *others):
        found = asker.wait()
        assert isinstance(found, tuple)
        for got, want in zip(found, recorder.inner.evaluate(asker.observations), strict=True):
            assert np.array_equal(got, want)
    assert recorder.sizes == [10, 9, 3, 12, 10]
    figures = batcher.figures()
    assert (figures.batches, figures.rows) == (5, 44) and figures.waited > 0 and figures.busy > 0
    assert batcher.figures().batches == 0


def test_nobody_waits_for_those_who_will_not_come() -> None:
    recorder = Recorder()
    recorder.open.set()
    batcher = Batcher(recorder, limit=100, seconds=30.0)
    began = time.perf_counter()
    Asker(batcher, "a", rows(2, 1)).wait()  # nobody else has ever asked
    Asker(batcher, "b", rows(2, 1)).wait()  # "a" asked a moment ago, but is forgotten soon
    assert time.perf_counter() - began < 15


def test_a_request_waits_for_others_but_not_for_long() -> None:
    recorder = Recorder()
    recorder.open.set()
    batcher = Batcher(recorder, limit=100, seconds=0.1)
    Asker(batcher, "a", rows(2, 1)).wait()
    began = time.perf_counter()
    late = Asker(batcher, "b", rows(2, 2))
    late.wait()
    assert late.at - began >= min(0.1, LATELY) - 0.01
    assert recorder.sizes == [2, 2]


def test_an_error_reaches_everybody_in_the_batch() -> None:
    recorder = Recorder()
    batcher = Batcher(recorder, limit=10, seconds=5.0)
    first = Asker(batcher, "0", rows(10, 0))
    while batcher._requests:
        time.sleep(0.001)
    broken = np.full((2, kuhn().observation_size), -1, np.int16)
    bad, neighbour, good = (Asker(batcher, c, r) for c, r in (("1", broken), ("2", rows(3, 2)), ("3", rows(6, 3))))
    recorder.open.set()
    assert isinstance(first.wait(), tuple)
    assert str(bad.wait()) == str(neighbour.wait()) == "these rows"
    assert isinstance(good.wait(), tuple)
