"""A match on a cluster: workers play whole runs of blocks, as the processes of one machine do, and hand in each block.

Results depend on the match alone. The journal is written by the command, so a match goes on after any interruption,
with or without a cluster. `RayMatches` has workers of its own; `BorrowedMatches` has those of self-play, for the
matches by which a training run measures its bot. `_blocks` is what both do.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from types import TracebackType
from typing import Any

from engines.errors import UsageError
from orion_ai.arena.match import Block
from orion_ai.arena.runner import Match
from orion_ai.arena.schedule import Places
from orion_ai.distributed.cluster import Cluster
from orion_ai.distributed.crew import Crew, Member
from orion_ai.distributed.luggage import pack, sent
from orion_ai.distributed.plan import greeting
from orion_ai.runtime import RuntimeConfig

__all__ = ["BorrowedMatches", "RayMatches"]

WAIT_SECONDS = 0.2
OF_MATCHES = {"kind", "address", "workers", "in_flight_mb", "object_store_mb", "dashboard", "start_seconds"}
"""The settings of a runtime that a match has a use for."""
UNKNOWN_BYTES = 2**20
"""What a block is taken for until one has come."""

Send = Callable[[Member, list[int], int], Any]
"""Gives a member a run to play, of which so many blocks may wait to be taken in; returns the stream of its blocks."""


@dataclass(eq=False)
class _Flight:
    """A run that a member plays.

    Attributes:
        member: who plays it.
        left: the blocks that it has not handed in.
        heard: when it last handed one in, or was given the run.
        copied: whether another member has been given these blocks too.
    """

    member: Member
    left: list[int]
    heard: float
    copied: bool = False


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
            FileError: a checkpoint, or the content file, cannot be read.
        """
        self._cluster.__enter__()
        try:
            self._cluster.check(max(1, self._config.workers), "CPU", f"runtime.workers={self._config.workers} needs")
            self._text = sent(self._match)
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

    def _most(self) -> int:
        """Workers, if there is something to play for each."""
        return self._config.workers or max(1, int(self._cluster.resources().get("CPU", 1.0)))

    def _size(self) -> int:
        return min(self._most(), self._runs)

    def _make(self, name: str) -> Any:
        from orion_ai.distributed.match_worker import GREETINGS, MatchWorker

        kind = self._cluster.ray.remote(concurrency_groups={GREETINGS: 1})(MatchWorker)
        options = {"num_cpus": 1, "num_gpus": 0, "scheduling_strategy": "SPREAD", "name": name}
        return kind.options(namespace=self._cluster.namespace, **options).remote(self._text, self._luggage)

    def play(self, places: Places, runs: Sequence[Sequence[int]]) -> Iterator[Block]:
        """See `Elsewhere.play`. Every worker gets a part, where there are fewer runs than workers. A run whose worker
        dies, or is late while another is idle, is played on by another, from the blocks that are missing.

        Raises:
            UsageError: the cluster has no room for a worker, a worker is of another Orion or cannot read a checkpoint.
        """
        parts = _cut(runs, self._most())
        self._runs = max(self._runs, len(parts))

        def send(member: Member, run: list[int], ahead: int) -> Any:
            return member.actor.play.options(**_stream(ahead)).remote(places, run)

        yield from _blocks(self._crew, send, parts)


class BorrowedMatches:
    """A match played by the workers of self-play, between their rounds or beside one."""

    def __init__(self, match: Match, crew: Crew) -> None:
        """A match for the members of `crew`, whose actors are `SelfPlayWorker`s.

        Raises:
            FileError: a checkpoint, or the content file, cannot be read.
        """
        self._text, self._crew = sent(match), crew
        self._luggage = [crew.cluster.ray.put(pack(match))]

    def play(self, places: Places, runs: Sequence[Sequence[int]]) -> Iterator[Block]:
        """See `RayMatches.play`."""

        def send(member: Member, run: list[int], ahead: int) -> Any:
            return member.actor.match.options(**_stream(ahead)).remote(self._text, self._luggage, places, run)

        yield from _blocks(self._crew, send, _cut(runs, self._crew.size()))


def _cut(runs: Sequence[Sequence[int]], parts: int) -> list[list[int]]:
    """The same blocks in `parts` runs of about the same length, where there are fewer than that."""
    blocks = [block for run in runs for block in run]
    size = max(1, -(-len(blocks) // max(1, parts)))
    return [list(run[i : i + size]) for run in runs for i in range(0, len(run), size)]


def _stream(ahead: int) -> dict[str, Any]:
    """Options of a call that hands in one thing after another, and rests while so many have not been taken."""
    return {"num_returns": "streaming", "_generator_backpressure_num_objects": ahead}


def _blocks(crew: Crew, send: Send, runs: Sequence[Sequence[int]]) -> Iterator[Block]:
    """Have the members of a crew play these runs: the blocks as they come.

    Args:
        crew: who plays.
        send: see `Send`.
        runs: of blocks.
    """
    play = _Play(crew, send, deque(list(run) for run in runs))
    crew.reset_clock()
    try:
        while play.missing or play.ending():
            crew.refresh()
            play.hand_out()
            play.look_after()
            arriving = crew.arriving()
            if not arriving and not play.flights:
                time.sleep(WAIT_SECONDS)
                continue
            came, _ = crew.cluster.ray.wait([*arriving, *play.flights], num_returns=1, timeout=WAIT_SECONDS)
            for stream in came:
                if stream in arriving:
                    crew.welcome(arriving[stream])
                else:
                    block = play.take_in(stream)
                    if block is not None:
                        yield block
    finally:  # also where the match was decided early
        play.leave()


class _Play:
    """Runs of blocks among the members of a crew. A block counts once, whoever hands it in first.

    Attributes:
        missing: blocks that nobody has handed in.
        flights: what is being played, by the stream of its blocks.
    """

    def __init__(self, crew: Crew, send: Send, waiting: deque[list[int]]) -> None:
        self._crew, self._send, self._waiting = crew, send, waiting
        self.missing = {number for run in waiting for number in run}
        self.flights: dict[Any, _Flight] = {}
        self._longest, self._largest = 0.0, 0

    def ending(self) -> bool:
        """Whether a member that has handed in all its blocks is about to say that these were all."""
        limit, now = self._crew.late_after(self._longest), time.monotonic()
        return any(not f.left and now - f.heard < limit for f in self.flights.values())

    def leave(self) -> None:
        """Let go of who still plays what nobody waits for; who was silent for too long is ended."""
        limit, now = self._crew.late_after(self._longest), time.monotonic()
        for flight in self.flights.values():
            if now - flight.heard > limit:
                self._crew.dismiss(flight.member)
            else:
                flight.member.matches = 0

    def look_after(self) -> None:
        """See `Crew.look_after`."""
        self._crew.look_after([flight.member for flight in self.flights.values()], self._longest)

    def hand_out(self) -> None:
        """Give those who have nothing to do a run, or what is left of one whose member is silent for too long."""
        idle = [member for member in self._crew.ready() if not member.matches]
        for member in idle[: len(self._waiting)]:
            self._give(member, self._waiting.popleft())
        limit, now = self._crew.late_after(self._longest), time.monotonic()
        late = [f for f in self.flights.values() if not f.copied and now - f.heard > limit]
        late = [f for f in late if self.missing.intersection(f.left)]
        for member, flight in zip([m for m in idle if not m.matches], late, strict=False):
            flight.copied = True
            self._give(member, [number for number in flight.left if number in self.missing])

    def _give(self, member: Member, run: list[int]) -> None:
        member.matches, member.heard = 1, time.monotonic()
        self.flights[self._send(member, run, self._ahead())] = _Flight(member, run, member.heard)

    def _ahead(self) -> int:
        """How many blocks a member may have finished that were not taken in: together `runtime.in_flight_mb`."""
        each = self._crew.cluster.config.in_flight_mb * 2**20 / max(1, self._crew.size())
        return max(1, int(each / (self._largest or UNKNOWN_BYTES)))

    def take_in(self, stream: Any) -> Block | None:
        """The next block of a stream; None if it has come before, the stream is over, or its member dead."""
        crew, errors, flight = self._crew, self._crew.cluster.ray.exceptions, self.flights[stream]
        try:
            said = crew.cluster.ray.get(next(stream))
            block = Block.from_data(json.loads(said))
        except StopIteration:
            flight.member.matches = 0
            del self.flights[stream]
            return None
        except errors.RayTaskError as error:
            raise error.cause if isinstance(error.cause, Exception) else error from None
        except errors.RayError as error:
            del self.flights[stream]
            left = self.missing.intersection(flight.left)
            for other in self.flights.values():
                if left.intersection(other.left):
                    other.copied = False  # it may be the one that was late
                    left.difference_update(other.left)
            if again := sorted(left):
                self._waiting.appendleft(again)
            crew.lost(flight.member, error)
            return None
        now = time.monotonic()
        self._longest, flight.heard = max(self._longest, now - flight.heard), now
        self._largest = max(self._largest, len(said))
        flight.left = [number for number in flight.left if number != block.number]
        crew.progress(flight.member, 1)
        if block.number not in self.missing:
            return None
        self.missing.remove(block.number)
        return block
