"""Self-play on a cluster, with the face of `orion_ai.selfplay.pool.Pool`: the loop does not see the difference.

A task is (round, weights, numbers of games), its answer a shard of these games, written at once beside the run. A task
whose worker dies is given to another; a game counts once, by its number, whoever played it first.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from engines import files
from engines.contract import Game
from engines.errors import FileError, UsageError
from orion_ai.arena.runner import Elsewhere, Match
from orion_ai.distributed.cluster import Cluster
from orion_ai.distributed.content import carried
from orion_ai.distributed.crew import Crew, Member, ServerAway
from orion_ai.distributed.matches import BorrowedMatches
from orion_ai.distributed.plan import Plan, greeting
from orion_ai.distributed.staff import Staff
from orion_ai.identity import identity_of
from orion_ai.net.tensors import to_bytes
from orion_ai.replay.episode import Episode
from orion_ai.replay.shard import decode_shard, read_shard
from orion_ai.selfplay.pool import Played
from orion_ai.selfplay.searches import Searches
from orion_ai.selfplay.worker import Counts

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["RayPool", "check"]

WAIT_SECONDS = 0.2
"""How long the dispatcher waits for something to happen before it looks at the crew again."""


@dataclass(eq=False)
class _Flight:
    """A task that a member was given."""

    member: Member
    numbers: list[int]
    since: float
    copied: bool = False


@dataclass(eq=False)
class _Round:
    """An iteration in play."""

    number: int
    weights: str
    source: list[Any]
    seed: int
    first: int
    count: int
    landed: dict[int, Episode] = field(default_factory=dict)
    waiting: deque[list[int]] = field(default_factory=deque)
    flights: dict[Any, _Flight] = field(default_factory=dict)
    counts: Counts = field(default_factory=Counts)
    searches: Searches = field(default_factory=Searches)
    finished: Callable[[int], None] | None = None
    told: int = 0
    began: float = field(default_factory=time.perf_counter)
    seconds: float = 0.0
    longest: float = 0.0
    retries: int = 0
    rss_mb: float = 0.0
    error: BaseException | None = None
    over: threading.Event = field(default_factory=threading.Event)
    stop: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None

    def named(self, weights: str, seed: int, first: int, count: int) -> bool:
        return (self.weights, self.seed, self.first, self.count) == (weights, seed, first, count)


class RayPool:
    """Workers on a cluster. Use it in a `with` statement, which holds the cluster.

    Attributes:
        cluster: where they live.
    """

    def __init__(self, game: Game, plan: Plan, parts: Path) -> None:
        """A pool.

        Args:
            game: what is played.
            plan: how; `plan.evaluator.backend` is decided.
            parts: folder for games of an iteration that is not over.

        Raises:
            UsageError: settings that do not go together.
            FileError: a content file of one's own cannot be read.
        """
        check(game, plan)
        # What a content file holds now is what everybody plays with, whatever becomes of the file.
        self._game, self._plan, self._parts = game, replace(plan, game=carried(plan.game)), parts
        self._identity = identity_of(game)
        self.cluster = Cluster(plan.runtime)
        self._round: _Round | None = None
        self._rounds = 0
        self._largest = 0  # bytes of an answer
        self._longest = 0.0  # seconds of a task of the last round

    def __enter__(self) -> RayPool:
        """Start or join the cluster, and let the crew come.

        Raises:
            UsageError: see `Cluster`; more is asked for than the cluster has.
        """
        self.cluster.__enter__()
        try:
            self._staff = Staff(self.cluster, self._plan, greeting(self._game))
            self._crew: Crew = self._staff.workers
            self._staff.refresh()
        except BaseException:
            self.cluster.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._abandon()
        self._staff.close()
        self.cluster.__exit__(kind, error, tb)

    def start(self, weights: Mapping[str, Tensor], seed: int, first: int, count: int) -> None:
        """Begin to play these games (see `play`, which waits for them), and return at once."""
        self._abandon()
        content = to_bytes(weights)
        name = f"{files.content_name(content)}.safetensors"
        self._rounds += 1
        now = _Round(self._rounds, name, [self.cluster.ray.put(content)], seed, first, count)
        self._read_parts(now)
        left = [n for n in range(first, first + count) if n not in now.landed]
        size = self._plan.runtime.games_per_task
        now.waiting.extend(left[i : i + size] for i in range(0, len(left), size))
        self._round = now
        for member in self._crew.members.values():
            member.busy = 0  # what is left of the round before is dropped as soon as a task of this one comes
        self._crew.reset_clock()
        now.thread = threading.Thread(target=self._dispatch, args=(now,), name="dispatcher", daemon=True)
        now.thread.start()

    def play(
        self, weights: Mapping[str, Tensor], seed: int, first: int, count: int, finished: Callable[[int], None]
    ) -> Played:
        """Play games `first` to `first + count - 1` of the run named `seed` with these weights.

        Those that an earlier process had landed are read instead; those that `start` began are waited for.

        Args:
            weights, seed, first, count: see `Pool.play`.
            finished: called, from any thread, with the number of games that have just landed.

        Raises:
            UsageError: the cluster has no room for a worker, or a worker is of another Orion.
            FileError: a part cannot be written.
        """
        name = f"{files.content_name(to_bytes(weights))}.safetensors"
        if self._round is None or not self._round.named(name, seed, first, count):
            self.start(weights, seed, first, count)
        now = self._round
        assert now is not None
        now.finished = finished
        try:
            while not now.over.wait(WAIT_SECONDS):
                pass
            if now.error is not None:
                raise now.error
        except BaseException:
            self._abandon()
            raise
        self._round, self._longest = None, now.longest or self._longest
        self._tell(now)
        episodes = [now.landed[n] for n in range(first, first + count)]
        return Played(episodes, now.counts, now.seconds, now.searches, self._figures(now))

    def elsewhere(self, match: Match) -> Elsewhere:
        """What plays a match of this game on the workers, between two rounds or beside one.

        Raises:
            FileError: a checkpoint cannot be read.
        """
        return BorrowedMatches(replace(match, game=self._plan.game), self._crew)

    def _abandon(self) -> None:
        """Leave a round that is under way: its workers go on until the next one begins, nobody listens."""
        if self._round is not None:
            self._round.stop.set()
            if self._round.thread is not None:
                self._round.thread.join()
            self._round = None

    def _read_parts(self, now: _Round) -> None:
        for path in sorted(self._parts.glob("*.npz")):
            try:
                shard = read_shard(path, self._identity)
            except FileError:
                continue  # no shard counts on it: its games are played again
            if shard.weights == now.weights:
                wanted = range(now.first, now.first + now.count)
                now.landed.update((e.number, e) for e in shard.episodes if e.number in wanted)

    def _dispatch(self, now: _Round) -> None:
        """The thread of a round: hands out, takes in, until every game has landed."""
        try:
            while len(now.landed) < now.count and not now.stop.is_set():
                self._staff.refresh()
                self._hand_out(now)
                self._take_in(now)
                self._crew.look_after([f.member for f in now.flights.values()], self._usual(now))
            now.seconds = time.perf_counter() - now.began
        except BaseException as error:
            now.error = error
        finally:
            now.over.set()

    def _hand_out(self, now: _Round) -> None:
        runtime = self._plan.runtime
        most = -(-self._plan.selfplay.lanes // runtime.games_per_task) + runtime.tasks_ahead
        in_all = runtime.in_flight_mb * 2**20 / max(1, self._largest)
        ready = self._crew.ready()
        while now.waiting and ready:
            member = min(ready, key=lambda m: m.busy)
            if member.busy >= most or (member.busy and len(now.flights) >= in_all):
                return
            self._send(now, member, now.waiting.popleft())
        if not now.waiting:
            self._copy_late(now, [m for m in ready if not m.busy])

    def _usual(self, now: _Round) -> float:
        """Seconds of the longest task that is known: of this round, or the last one."""
        return max(now.longest, self._longest)

    def _copy_late(self, now: _Round, idle: list[Member]) -> None:
        """Give what a slow worker keeps us waiting for to others as well: whoever is first counts."""
        least = self._crew.late_after(self._usual(now))
        late = [f for f in now.flights.values() if not f.copied and time.perf_counter() - f.since > least]
        for member, flight in zip(idle, late, strict=False):
            flight.copied = True
            self._send(now, member, flight.numbers)
            now.retries += 1

    def _send(self, now: _Round, member: Member, numbers: list[int]) -> None:
        if not member.busy:
            member.heard = time.monotonic()
        ref = member.actor.play.remote(now.number, now.weights, now.source, now.seed, numbers)
        now.flights[ref] = _Flight(member, numbers, time.perf_counter())
        member.busy += 1

    def _take_in(self, now: _Round) -> None:
        """Wait for something to come, and take in all that has."""
        ray, arriving = self.cluster.ray, self._staff.arriving()
        refs = [*arriving, *now.flights]
        if not refs:
            time.sleep(WAIT_SECONDS)
            return
        came, _ = ray.wait(refs, num_returns=1, timeout=WAIT_SECONDS)
        if came and len(refs) > 1:
            came, _ = ray.wait(refs, num_returns=len(refs), timeout=0)
        for ref in came:
            if ref in arriving:
                crew, member = arriving[ref]
                crew.welcome(member)
            elif ref in now.flights:  # else its worker was found dead just now
                self._receive(now, ref)
        self._tell(now)

    def _receive(self, now: _Round, ref: Any) -> None:
        """The answer of a task, or the news that there will be none."""
        errors = self.cluster.ray.exceptions
        flight = now.flights.pop(ref)
        flight.member.busy -= 1
        try:
            content, said = self.cluster.ray.get(ref)
        except errors.RayActorError as error:
            self._all_again(now, flight)
            self._crew.lost(flight.member, error)
        except errors.RayTaskError as error:
            if not isinstance(error.cause, ServerAway):
                raise error.cause if isinstance(error.cause, Exception) else error from None
            self._all_again(now, flight)
            self._staff.without_server(flight.member, error.cause)
        except errors.RayError:  # the answer was lost on its way: the store of its node, say
            self._again(now, flight)
        else:
            self._land(now, flight, content, said)

    def _all_again(self, now: _Round, flight: _Flight) -> None:
        """Whatever the member of this task has been given goes to others."""
        lost = [r for r, f in now.flights.items() if f.member is flight.member]
        for other in [flight, *(now.flights.pop(r) for r in lost)]:
            self._again(now, other)

    def _again(self, now: _Round, flight: _Flight) -> None:
        left = [n for n in flight.numbers if n not in now.landed]
        for other in now.flights.values():
            if any(n in other.numbers for n in left):
                other.copied = False  # it may be the one that was late
                left = [n for n in left if n not in other.numbers]
        if left:
            now.waiting.appendleft(left)
            now.retries += 1

    def _land(self, now: _Round, flight: _Flight, content: bytes, said: Mapping[str, Any]) -> None:
        now.counts += Counts(**said["counts"])
        now.searches += Searches(**said["searches"])
        now.rss_mb = max(now.rss_mb, said["rss_mb"])
        if not content:
            return
        shard = decode_shard(content, self._identity, f"the answer of {flight.member.name}")
        fresh = {e.number: e for e in shard.episodes if e.number not in now.landed}
        self._largest = max(self._largest, len(content))
        now.longest = max(now.longest, time.perf_counter() - flight.since)
        if fresh:
            files.write(self._parts / f"{min(fresh):09d}.npz", lambda file: file.write(content))
            now.landed.update(fresh)
        member, runtime = flight.member, self._plan.runtime
        self._staff.progress(member, len(shard.episodes))
        if runtime.recycle and member.done >= runtime.recycle and not member.busy and not member.matches:
            self._crew.dismiss(member)

    def _tell(self, now: _Round) -> None:
        if now.finished is not None and len(now.landed) > now.told:
            fresh, now.told = len(now.landed) - now.told, len(now.landed)
            now.finished(fresh)

    def _figures(self, now: _Round) -> dict[str, float]:
        """What a round is remembered by; see docs/distributed.md."""
        workers = len(self._crew.ready())
        served = self._staff.server_figures()
        figures = {
            "runtime/workers": float(workers),
            "runtime/games_a_second_a_worker": now.counts.games / now.seconds / max(workers, 1),
            "runtime/retries": float(now.retries),
            "runtime/deaths": float(self._staff.deaths()),
            "runtime/worker_rss_mb": now.rss_mb,
        }
        return figures | served


def check(game: Game, plan: Plan) -> None:
    """Refuse settings of the runtime that contradict others.

    Raises:
        UsageError: names them, and what goes together.
    """
    runtime, device = plan.runtime, plan.evaluator.device
    on_gpu = device.startswith("cuda")
    if on_gpu and not runtime.gpus_per_server:
        raise UsageError(
            f"evaluator.device is {device!r}, but runtime.ray gives GPUs to inference servers alone: expected "
            "runtime.inference=server runtime.gpus_per_server=1, or evaluator.device=cpu"
        )
    if runtime.gpus_per_server and not on_gpu:
        raise UsageError(
            f"runtime.gpus_per_server is {runtime.gpus_per_server:g}, but evaluator.device is {device!r}: "
            "expected evaluator.device=cuda"
        )
    if runtime.learners > plan.learner.batch:
        raise UsageError(
            f"runtime.learners is {runtime.learners}, but learner.batch is {plan.learner.batch}: expected a row for "
            "each, or more"
        )
    rows = plan.search.leaf_rows(game) * -(-plan.selfplay.lanes // 2)
    if runtime.inference == "server" and rows > runtime.batch_limit:
        raise UsageError(
            f"runtime.batch_limit is {runtime.batch_limit}: expected {rows} or more, the rows that one half of a "
            f"worker's lanes ask for at once (selfplay.lanes={plan.selfplay.lanes})"
        )
