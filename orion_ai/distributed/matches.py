"""A match on a cluster: workers play whole runs of blocks, as the processes of one machine do, and hand in each block.

Results depend on the match alone. The journal is written by the command, so a match goes on after any interruption,
with or without a cluster.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from types import TracebackType
from typing import Any

from engines.errors import UsageError
from orion_ai.arena.match import Block
from orion_ai.arena.runner import Match
from orion_ai.arena.schedule import Places
from orion_ai.distributed.cluster import Cluster
from orion_ai.distributed.crew import Crew, Member
from orion_ai.distributed.luggage import pack
from orion_ai.distributed.plan import greeting
from orion_ai.runtime import RuntimeConfig

__all__ = ["RayMatches"]

WAIT_SECONDS = 0.2
OF_MATCHES = {"kind", "address", "workers", "object_store_mb", "dashboard", "start_seconds"}
"""The settings of a runtime that a match has a use for."""


@dataclass(eq=False)
class _Flight:
    """A run that a member plays: the blocks that it has not handed in."""

    member: Member
    left: list[int]


class RayMatches:
    """Workers that play blocks. Use it in a `with` statement, which holds the cluster."""

    def __init__(self, match: Match, config: RuntimeConfig) -> None:
        """Workers for a match.

        Raises:
            UsageError: a setting that a match has no use for.
        """
        for name, default in ((f.name, f.default) for f in fields(config)):
            if name not in OF_MATCHES and getattr(config, name) != default:
                raise UsageError(f"runtime.{name} is for training; a match expects its default, {default}")
        self._match, self._config, self._cluster = match, config, Cluster(config)
        self._runs = 1

    def __enter__(self) -> RayMatches:
        """Start or join the cluster.

        Raises:
            UsageError: see `Cluster`; more workers are asked for than the cluster has CPUs.
            FileError: a checkpoint cannot be read.
        """
        self._cluster.__enter__()
        try:
            self._cluster.check(max(1, self._config.workers), "CPU", f"runtime.workers={self._config.workers} needs")
            self._luggage = [self._cluster.ray.put(pack(self._match))]
            self._crew = Crew(self._cluster, "match", self._make, self._size, greeting(self._match.load()))
        except BaseException:
            self._cluster.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        for member in list(self._crew.members.values()):
            self._crew.dismiss(member)
        self._cluster.__exit__(kind, error, tb)

    def _size(self) -> int:
        most = self._config.workers or max(1, int(self._cluster.resources().get("CPU", 1.0)))
        return min(most, self._runs)

    def _make(self, name: str) -> Any:
        from orion_ai.distributed.workers import MatchWorker

        kind = self._cluster.ray.remote(MatchWorker)
        options = {"num_cpus": 1, "num_gpus": 0, "scheduling_strategy": "SPREAD", "name": name}
        return kind.options(namespace=self._cluster.namespace, **options).remote(self._match.as_text(), self._luggage)

    def play(self, places: Places, runs: Sequence[Sequence[int]]) -> Iterator[Block]:
        """See `Elsewhere.play`. A run whose worker dies is played on by another, from the blocks that are missing.

        Raises:
            UsageError: the cluster has no room for a worker, a worker is of another Orion or cannot read a checkpoint.
        """
        waiting = deque(list(run) for run in runs)
        self._runs = max(self._runs, len(runs))
        flights: dict[Any, _Flight] = {}
        self._crew.reset_clock()
        while waiting or flights:
            self._crew.refresh()
            for member in self._crew.ready():
                if waiting and not member.busy:
                    run = waiting.popleft()
                    member.busy = 1
                    flights[member.actor.play.options(num_returns="streaming").remote(places, run)] = _Flight(
                        member, run
                    )
            arriving = self._crew.arriving()
            came, _ = self._cluster.ray.wait([*arriving, *flights], num_returns=1, timeout=WAIT_SECONDS)
            for stream in came:
                if stream in arriving:
                    self._crew.welcome(arriving[stream])
                else:
                    block = self._next(stream, flights, waiting)
                    if block is not None:
                        yield block

    def _next(self, stream: Any, flights: dict[Any, _Flight], waiting: deque[list[int]]) -> Block | None:
        """The next block of a run; None if it is over, or its worker dead."""
        errors, flight = self._cluster.ray.exceptions, flights[stream]
        try:
            block = Block.from_data(json.loads(self._cluster.ray.get(next(stream))))
        except StopIteration:
            flight.member.busy = 0
            del flights[stream]
            return None
        except errors.RayTaskError as error:
            raise error.cause if isinstance(error.cause, Exception) else error from None
        except errors.RayError as error:
            del flights[stream]
            if flight.left:
                waiting.appendleft(flight.left)
            self._crew.lost(flight.member, error)
            return None
        flight.left = [number for number in flight.left if number != block.number]
        self._crew.progress(flight.member, 1)
        return block
