"""Several learners on a cluster, with the face of one: each takes a part of every batch.

Between two iterations all that they know is in the command's process, as with one learner, and so in its checkpoints.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from engines.errors import UsageError
from orion_ai.distributed.cluster import Cluster
from orion_ai.distributed.crew import COMPILING, DEATHS
from orion_ai.distributed.plan import Plan
from orion_ai.learner.config import LearnerConfig
from orion_ai.learner.learner import Learner
from orion_ai.learner.parallel import Share
from orion_ai.net.network import Network
from orion_ai.net.tensors import from_bytes, to_bytes
from orion_ai.replay.rows import Rows

__all__ = ["RayLearner", "parts_of"]


def parts_of(batch: Rows, count: int) -> list[Rows]:
    """A batch in `count` parts of about the same size, every `count`-th row in each."""
    return [batch.take(np.arange(rank, len(batch), count)) for rank in range(count)]


class _Died(Exception):
    """A learner is not there any more."""


class RayLearner(Learner):
    """A learner that lets others make the steps of an iteration. `open` starts them.

    Attributes:
        deaths: how often they had to be started again, because one of them died.
        pids: of their processes, by rank.
    """

    def __init__(self, network: Network, config: LearnerConfig, count: int) -> None:
        super().__init__(network, config)
        self._count = count
        self._others: list[Any] = []
        self.deaths = 0
        self.pids: list[int] = []

    def open(self, cluster: Cluster, plan: Plan) -> None:
        """Start the learners.

        Raises:
            UsageError: the cluster lacks CPUs or GPUs, or they did not find one another in time.
        """
        self._cluster, self._text = cluster, plan.as_text()
        gpus = int(self.config.device.startswith("cuda"))
        cluster.check(self._count * gpus, "GPU", f"runtime.learners={self._count} needs")
        cluster.check(self._count * self.config.threads, "CPU", f"runtime.learners={self._count} needs")
        self._start()

    def _start(self) -> None:
        from orion_ai.distributed.workers import LearnerActor

        cluster, config = self._cluster, self.config
        gpus = int(config.device.startswith("cuda"))
        kind = cluster.ray.remote(LearnerActor)
        options = {"num_cpus": 0 if gpus else config.threads, "num_gpus": gpus, "scheduling_strategy": "SPREAD"}
        names = [f"learner-{self.deaths * self._count + rank + 1}" for rank in range(self._count)]
        self._others = [
            kind.options(name=name, namespace=cluster.namespace, **options).remote(self._text) for name in names
        ]
        seconds = cluster.config.start_seconds
        try:
            address = cluster.ray.get(self._others[0].address.remote(), timeout=seconds)
            joined = [a.join.remote(address, rank, self._count, seconds) for rank, a in enumerate(self._others)]
            self.pids = cluster.ray.get(joined, timeout=2 * seconds)
        except (cluster.ray.exceptions.RayError, TimeoutError) as error:
            last = str(error).strip().splitlines()[-1]
            raise UsageError(f"runtime.learners={self._count} did not find one another: {last}") from None

    def train(self, batches: Iterable[Rows], samples: int) -> dict[str, float]:
        """See `Learner.train`. Where a learner dies, new ones make the steps of `batches` again, from the first.

        Raises:
            RuntimeError: they died again and again.
            UsageError: new ones could not be started; the same command goes on from the last checkpoint.
        """
        for _ in range(DEATHS):
            try:
                return self._train(batches, samples)
            except _Died as error:
                self.deaths += 1
                last = str(error)
            for other in self._others:
                self._cluster.ray.kill(other)
            self._start()
        raise RuntimeError(f"learners died {DEATHS} times in one iteration (out of memory?): {last}")

    def _train(self, batches: Iterable[Rows], samples: int) -> dict[str, float]:
        ray = self._cluster.ray
        state, average = ray.put(to_bytes(self.state())), ray.put(to_bytes(self.average))
        self._heard([other.load.remote(state, average) for other in self._others])
        sums: dict[str, float] = {}
        count = 0
        for batch in batches:
            parts = parts_of(batch, self._count)
            if not len(parts[-1]):
                raise UsageError(f"runtime.learners is {self._count}, but a batch has {len(batch)} rows: ask for fewer")
            shares = [Share.of(part, batch) for part in parts]
            tasks = [
                other.step.remote(part.__dict__, share.rows, share.policy, samples)
                for other, part, share in zip(self._others, parts, shares, strict=True)
            ]
            answers = self._heard(tasks)
            for losses in (losses for losses, _ in answers):
                for name, number in losses.items():
                    sums[name] = sums.get(name, 0.0) + number
            sums["gradient_norm"] = sums.get("gradient_norm", 0.0) + answers[0][1]  # the same for all of them
            count += 1
        ((state_now, average_now),) = self._heard([self._others[0].state.remote()])
        self.load(from_bytes(state_now), from_bytes(average_now))
        means: Mapping[str, float] = {name: total / count for name, total in sums.items()}
        return {**means, "learning_rate": self.learning_rate(samples), "steps": float(count)} if count else {}

    def _heard(self, tasks: list[Any]) -> list[Any]:
        """The answers of learners; an error of one is raised as if it had happened here.

        Raises:
            _Died: one has died, or hangs. Its fellows fail too, since they wait for it, perhaps before that is known.
        """
        ray, errors = self._cluster.ray, self._cluster.ray.exceptions
        failure: BaseException | None = None
        left = list(tasks)
        until = time.monotonic() + COMPILING * self._cluster.config.start_seconds
        while left and time.monotonic() < until:
            came, left = ray.wait(left, num_returns=1, timeout=1.0)
            for task in came:
                try:
                    ray.get(task)
                except errors.RayTaskError as error:
                    cause = error.cause if isinstance(error.cause, Exception) else error
                    if isinstance(cause, UsageError):
                        raise cause from None
                    failure = failure or cause
                    # Who is well waits no longer than start_seconds for the others of its group, and fails too.
                    until = min(until, time.monotonic() + 2 * self._cluster.config.start_seconds)
                except errors.RayActorError as error:
                    raise _Died(str(error)) from None
        if left:
            raise _Died(f"{len(left)} learners did not answer in time")
        if failure is not None:
            raise failure
        return list(ray.get(tasks))
