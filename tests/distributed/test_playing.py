"""A worker between its messages, without Ray: 1 tasks are answered when all their games are over, whatever the order;
2 a game that two tasks ask for is played once; 3 a later round ends those before it; 4 an error reaches everybody who
waits, and the next round plays; 5 answers come from threads to an event loop."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from orion_ai.distributed.answers import answered
from orion_ai.distributed.playing import Hand, Players, Round
from orion_ai.identity import identity_of
from orion_ai.replay.episode import Episode
from orion_ai.replay.shard import decode_shard
from orion_ai.search.evaluator import HashEvaluator
from orion_ai.selfplay.worker import Worker
from tests.distributed.runs import SEARCH, SELFPLAY, same
from tests.replay.games import kuhn

SECONDS = 60.0


def worker(lanes: int = 4) -> Worker:
    game = kuhn()
    return Worker(game, replace(SELFPLAY, lanes=lanes), SEARCH, HashEvaluator(game))


def players(hands: int = 1, prepare: Callable[[Round], None] = lambda _: None) -> Players:
    return Players(identity_of(kuhn()), [Hand(worker(), prepare) for _ in range(hands)])


def wanted(numbers: range) -> list[Episode]:
    return worker().play(1, numbers, lambda _: None, threading.Event())


class Inbox:
    """The answers to some tasks, by the task's place."""

    def __init__(self) -> None:
        self.found: dict[int, bytes | BaseException] = {}
        self._changed = threading.Condition()

    def slot(self, place: int) -> Callable[[bytes | BaseException], None]:
        def answer(found: bytes | BaseException) -> None:
            with self._changed:
                assert place not in self.found
                self.found[place] = found
                self._changed.notify_all()

        return answer

    def wait(self, count: int) -> dict[int, bytes | BaseException]:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.found) >= count, SECONDS)
            return self.found


def episodes(content: bytes | BaseException) -> list[Episode]:
    assert isinstance(content, bytes)
    shard = decode_shard(content, identity_of(kuhn()), "an answer")
    assert shard.weights == "w"
    return shard.episodes


@pytest.mark.parametrize("hands", [1, 2])
def test_tasks_are_answered(hands: int) -> None:
    playing, inbox = players(hands), Inbox()
    tasks = [range(0, 7), range(7, 8), range(5, 12), range(20, 26)]
    for place, numbers in enumerate(tasks):
        playing.submit(Round(0, "w", None, 1), numbers, inbox.slot(place))
    found = inbox.wait(len(tasks))
    for place, numbers in enumerate(tasks):
        assert same(episodes(found[place]), wanted(numbers))
    assert playing.done()[0].games == 12 + 6  # games 5 to 7 once
    assert playing.done()[0].games == 0


def test_answers_that_are_kept_do_not_outlive_the_round() -> None:
    """The second round plays as workers do that knew no other weights, though its searches keep answers."""
    kept = replace(SEARCH, cache=5000)

    class Changing:
        """An evaluator whose weights are the number of the round."""

        def __init__(self, number: int = 0) -> None:
            self.now = HashEvaluator(kuhn(), number)

        def evaluate(self, observations: NDArray[np.int16]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            return self.now.evaluate(observations)

        def prepare(self, round_: Round) -> None:
            self.now = HashEvaluator(kuhn(), round_.number)

    evaluator, inbox = Changing(), Inbox()
    playing = Players(identity_of(kuhn()), [Hand(Worker(kuhn(), SELFPLAY, kept, evaluator), evaluator.prepare)])
    for number in range(2):
        playing.submit(Round(number, "w", None, 1), range(12), inbox.slot(number))
        inbox.wait(number + 1)
    fresh = Worker(kuhn(), SELFPLAY, SEARCH, Changing(1)).play(1, range(12), lambda _: None, threading.Event())
    assert same(episodes(inbox.found[1]), fresh)
    assert not same(episodes(inbox.found[0]), fresh)


def test_a_later_round_ends_those_before_it() -> None:
    started, go_on, inbox = threading.Event(), threading.Event(), Inbox()

    def prepare(round_: Round) -> None:
        started.set()
        if round_.number == 0:
            assert go_on.wait(SECONDS)

    playing = players(prepare=prepare)
    playing.submit(Round(0, "w", None, 1), range(5), inbox.slot(0))
    assert started.wait(SECONDS)
    playing.submit(Round(1, "w", None, 1), range(10, 14), inbox.slot(1))
    playing.submit(Round(0, "w", None, 1), range(5), inbox.slot(2))
    go_on.set()
    found = inbox.wait(3)
    assert found[0] == found[2] == b""
    assert same(episodes(found[1]), wanted(range(10, 14)))


def test_an_error_reaches_everybody_who_waits() -> None:
    inbox = Inbox()

    def prepare(round_: Round) -> None:
        if round_.number == 0:
            raise ValueError("no such weights")

    playing = players(prepare=prepare)
    playing.submit(Round(0, "w", None, 1), range(3), inbox.slot(0))
    assert str(inbox.wait(1)[0]) == "no such weights"
    playing.submit(Round(1, "w", None, 1), range(3), inbox.slot(1))
    assert same(episodes(inbox.wait(2)[1]), wanted(range(3)))


def test_answers_reach_an_event_loop() -> None:
    def later(found: object) -> Callable[[Callable[[object], object]], None]:
        return lambda answer: threading.Timer(0.01, answer, [found]).start()

    assert asyncio.run(answered(later(7))) == 7
    with pytest.raises(KeyError, match="nine"):
        asyncio.run(answered(later(KeyError("nine"))))
