"""What a worker process does between its messages: games of several tasks side by side, in one or two threads.

Nothing here knows of Ray. Tasks are groups of game numbers; their games share the lanes, so a worker never waits for
the last game of one task before it begins the next.
"""

from __future__ import annotations

import functools
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from orion_ai.identity import GameIdentity
from orion_ai.replay.episode import Episode
from orion_ai.replay.shard import Shard, encode_shard
from orion_ai.selfplay.searches import Searches
from orion_ai.selfplay.worker import Counts, Stopped, Worker

__all__ = ["Hand", "Players", "Round"]

Answer = Callable[[bytes | BaseException], object]
"""Is told the shard of a task's games, b"" if nobody wants it any more, or what went wrong; from any thread."""


@dataclass(frozen=True, eq=False)
class Round:
    """An iteration's games.

    Attributes:
        number: of the iteration; a later one puts an end to those before it.
        weights: content name of the weights that play.
        source: where the weights are to be had.
        seed: names the run.
    """

    number: int
    weights: str
    source: Any
    seed: int
    stop: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True)
class Hand:
    """A worker that plays in a thread of its own, and how its network takes over the weights of a round."""

    worker: Worker
    prepare: Callable[[Round], None]


@dataclass(eq=False)
class _Task:
    numbers: Sequence[int]
    answer: Answer
    episodes: dict[int, Episode] = field(default_factory=dict)


class Players:
    """All hands of a process, and the games that wait for them."""

    def __init__(self, identity: GameIdentity, hands: Sequence[Hand]) -> None:
        self._identity, self._hands = identity, hands
        self._changed = threading.Condition()
        self._round = Round(-1, "", None, 0)
        self._waiting: deque[int] = deque()
        self._owners: dict[int, list[_Task]] = {}
        self._told = Counts(), Searches()
        for number, hand in enumerate(hands):
            threading.Thread(target=self._work, args=(hand,), name=f"hand {number}", daemon=True).start()

    def submit(self, round_: Round, numbers: Sequence[int], answer: Answer) -> None:
        """Play the games with these numbers, some time; a game that is under way already is played once."""
        with self._changed:
            if round_.number > self._round.number:
                dropped = self._begin(round_)
            elif round_.number == self._round.number:
                dropped = []
            else:
                answer(b"")
                return
            task = _Task(list(numbers), answer)
            for number in numbers:
                owners = self._owners.setdefault(number, [])
                if not owners:
                    self._waiting.append(number)
                owners.append(task)
            self._changed.notify_all()
        for old in dropped:
            old.answer(b"")

    def done(self) -> tuple[Counts, Searches]:
        """What was done since this was last asked, and what was searched for it."""
        counts = sum((hand.worker.counts for hand in self._hands), Counts())
        searches = sum((hand.worker.searches for hand in self._hands), Searches())
        told, self._told = self._told, (counts, searches)
        return counts - told[0], searches - told[1]

    def _begin(self, round_: Round) -> list[_Task]:
        """Leave the games of earlier rounds; returns their tasks."""
        dropped = list({id(task): task for owners in self._owners.values() for task in owners}.values())
        self._round.stop.set()
        self._waiting.clear()
        self._owners.clear()
        self._round = round_
        return dropped

    def _work(self, hand: Hand) -> None:
        prepared: Round | None = None
        while True:
            with self._changed:
                while not self._waiting:
                    self._changed.wait()
                now = self._round
            following = functools.partial(self._following, now)
            try:
                if prepared is not now:
                    hand.prepare(now)
                    hand.worker.forget()
                    prepared = now
                for episodes in hand.worker.stream(now.seed, following, now.stop):
                    for episode in episodes:
                        self._land(now, episode)
            except Stopped:
                continue
            except BaseException as error:
                self._fail(now, error)

    def _following(self, now: Round) -> int | None:
        with self._changed:
            return self._waiting.popleft() if self._waiting and self._round is now else None

    def _land(self, now: Round, episode: Episode) -> None:
        with self._changed:
            owners = self._owners.pop(episode.number, []) if self._round is now else []
            for task in owners:
                task.episodes[episode.number] = episode
            complete = [task for task in owners if len(task.episodes) == len(task.numbers)]
        for task in complete:
            shard = Shard([task.episodes[number] for number in task.numbers], now.weights)
            task.answer(encode_shard(shard, self._identity))

    def _fail(self, now: Round, error: BaseException) -> None:
        with self._changed:
            if self._round is not now:
                return
            dropped = self._begin(Round(now.number, now.weights, now.source, now.seed))
        for task in dropped:
            task.answer(error)
