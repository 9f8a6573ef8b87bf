"""The actor that runs the network for several workers, and the evaluator by which a worker asks it.

A server that dies is started again by Ray, anywhere, and has forgotten the weights: it says so, and the first worker
that asks brings them. So the workers wait, ask again, and no game is lost.
"""

from __future__ import annotations

import dataclasses
import queue
import threading
import time
from typing import Any

import numpy as np
import ray
from numpy.typing import NDArray
from ray.exceptions import GetTimeoutError, RayActorError

from orion_ai.distributed.answers import answered
from orion_ai.distributed.batching import Answer, Batcher
from orion_ai.distributed.crew import ServerAway
from orion_ai.distributed.door import Door, Visitor, visit
from orion_ai.distributed.plan import Plan, introduction
from orion_ai.distributed.playing import Round
from orion_ai.net.evaluators import NetworkEvaluator, make_evaluator
from orion_ai.net.network import make_network
from orion_ai.net.tensors import from_bytes
from orion_ai.selfplay.worker import Stopped

__all__ = ["InferenceServer", "RemoteEvaluator"]

RETRY_SECONDS = 0.2
NO_WEIGHTS, OUTDATED = "no weights", "outdated"
"""What a server answers to a request of a later round than its own, and of an earlier one."""


class InferenceServer:
    """Answers requests of the newest round that it knows of, joined into batches."""

    def __init__(self, plan_text: str) -> None:
        plan = Plan.from_text(plan_text)
        self._game = plan.load()
        runtime = plan.runtime
        self._evaluator: NetworkEvaluator = make_evaluator(
            make_network(self._game, plan.net), plan.evaluator, runtime.batch_limit
        )
        self._round = -1
        self._loading = threading.Lock()
        self._batcher = Batcher(self, runtime.batch_limit, runtime.wait_ms / 1000)
        self._door = Door(self._answer, self._game.observation_size, runtime.batch_limit)

    def evaluate(self, observations: NDArray[np.int16]) -> Answer:
        """What the batcher calls."""
        with self._loading:
            return self._evaluator.evaluate(observations)

    async def greet(self) -> dict[str, Any]:
        """See `introduction`."""
        return introduction(self._game)

    async def load(self, number: int, source: list[Any]) -> None:
        """Answer for round `number` from now on, with the weights that the reference in `source` stands for."""
        if number <= self._round:
            return
        weights = from_bytes(await source[0])
        with self._loading:
            if number > self._round:
                self._evaluator.load(weights)
                self._round = number

    async def door(self) -> str:
        """Where processes of this machine ask; see `Door`."""
        return self._door.name

    async def answer(self, caller: str, number: int, observations: NDArray[np.int16]) -> Answer | str:
        """What the network of round `number` says of `observations`; or why nothing is said."""
        if word := self._refusal(number):
            return word
        found: Answer = await answered(lambda answer: self._batcher.submit(caller, observations, answer))
        return self._refusal(number) or found  # it may have been answered by the next round's weights

    def _answer(self, caller: str, number: int, observations: NDArray[np.int16]) -> Answer | str:
        """The same for those who come through the door, in a thread of theirs."""
        if word := self._refusal(number):
            return word
        box: queue.SimpleQueue[Answer | BaseException] = queue.SimpleQueue()
        self._batcher.submit(caller, observations, box.put)
        found = box.get()
        if isinstance(found, BaseException):
            raise found
        return self._refusal(number) or found

    def _refusal(self, number: int) -> str:
        """Why a request of round `number` is not answered; "" if it is."""
        return "" if number == self._round else NO_WEIGHTS if number > self._round else OUTDATED

    async def figures(self) -> dict[str, float]:
        """What was done since the last time; see `BatchFigures`."""
        return dataclasses.asdict(self._batcher.figures())


class RemoteEvaluator:
    """An evaluator that asks a server, and waits for one that has died to come back."""

    def __init__(self, server: Any, caller: str, limit: int, seconds: float) -> None:
        """An evaluator.

        Args:
            server: the handle of its actor.
            limit: most rows of a request; more are asked for in several, one after another.
            caller: who asks, unlike any other.
            seconds: how long it may be away.
        """
        self._server, self._caller, self._limit, self._seconds = server, caller, limit, seconds
        self._round: Round | None = None
        self._visitor: Visitor | None = None
        self._far = False

    def load(self, round_: Round) -> None:
        """Ask for answers by the weights of this round from now on."""
        self._round = round_

    def evaluate(self, observations: NDArray[np.int16]) -> Answer:
        """See `Evaluator.evaluate`.

        Raises:
            Stopped: a later round has begun.
            ServerAway: it did not come back in time.
        """
        starts = range(0, len(observations), self._limit)
        found = [self._evaluate(observations[i : i + self._limit]) for i in starts]
        if len(found) == 1:
            return found[0]
        logits, values = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return logits, values

    def _evaluate(self, observations: NDArray[np.int16]) -> Answer:
        assert self._round is not None
        until = time.monotonic() + self._seconds
        while True:
            try:
                found = self._ask(observations, max(0.1, until - time.monotonic()))
                if not isinstance(found, str):
                    return found
                if found == OUTDATED:
                    raise Stopped
                ray.get(self._server.load.remote(self._round.number, self._round.source), timeout=self._seconds)
            except (RayActorError, GetTimeoutError, OSError) as error:
                self._leave()
                if self._round.stop.is_set():
                    raise Stopped from None
                if time.monotonic() >= until:
                    raise ServerAway(
                        f"the inference server did not answer within runtime.start_seconds={self._seconds:g}: {error}"
                    ) from None
                time.sleep(RETRY_SECONDS)

    def _ask(self, observations: NDArray[np.int16], seconds: float) -> Answer | str:
        """Ask once, through the server's door if that is on this machine."""
        assert self._round is not None
        if self._visitor is None and not self._far:
            self._visitor = visit(ray.get(self._server.door.remote(), timeout=seconds), self._seconds)
            self._far = self._visitor is None
        if self._visitor is not None:
            return self._visitor.ask(self._round.number, observations)
        found: Answer | str = ray.get(
            self._server.answer.remote(self._caller, self._round.number, observations), timeout=seconds
        )
        return found if isinstance(found, str) else (found[0].copy(), found[1].copy())  # Ray's own are read-only

    def _leave(self) -> None:
        """Look for the server anew next time."""
        if self._visitor is not None:
            self._visitor.close()
        self._visitor, self._far = None, False
