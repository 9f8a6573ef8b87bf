"""The actor that runs the network for several workers, and the evaluator by which a worker asks it.

A server that dies is started again by Ray, anywhere, and has forgotten the weights: it says so, and the first worker
that asks brings them. So the workers wait, ask again, and no game is lost.
"""

from __future__ import annotations

import dataclasses
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

    async def answer(self, caller: str, number: int, observations: NDArray[np.int16]) -> Answer | str:
        """What the network of round `number` says of `observations`; or why nothing is said."""
        if number != self._round:
            return NO_WEIGHTS if number > self._round else OUTDATED
        found: Answer = await answered(lambda answer: self._batcher.submit(caller, observations, answer))
        return found if number == self._round else OUTDATED  # it may have been answered by the next round's weights

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
        logits, values = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return logits, values

    def _evaluate(self, observations: NDArray[np.int16]) -> Answer:
        assert self._round is not None
        until = time.monotonic() + self._seconds
        while True:
            try:
                found = ray.get(self._ask(observations), timeout=max(0.1, until - time.monotonic()))
                if isinstance(found, str):
                    if found == OUTDATED:
                        raise Stopped
                    ray.get(self._server.load.remote(self._round.number, self._round.source), timeout=self._seconds)
                    continue
                answer: Answer = found
                return answer
            except (RayActorError, GetTimeoutError) as error:
                if self._round.stop.is_set():
                    raise Stopped from None
                if time.monotonic() >= until:
                    raise ServerAway(
                        f"the inference server did not answer within runtime.start_seconds={self._seconds:g}: {error}"
                    ) from None
                time.sleep(RETRY_SECONDS)

    def _ask(self, observations: NDArray[np.int16]) -> Any:
        assert self._round is not None
        return self._server.answer.remote(self._caller, self._round.number, observations)
