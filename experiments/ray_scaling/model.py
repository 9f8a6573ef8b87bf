"""Throughput of self-play with inference servers, simulated request by request; and what bounds it.

A worker has one CPU and two half sets of lanes. A half set searches (it holds the CPU), sends the rows of a search step
to its server, waits for the answer, searches on. A server answers when its batch is full, when the oldest request has
waited long enough, or when everybody waits. A request costs both processors time: its worker's while it is packed and
sent and its answer taken in, its server's before the batch is answered. Every process has a core of its own, or all of
them share the few of one machine. Servers that share nothing do not meet, so one with its workers is simulated and
multiplied; what all share (the command's process) bounds the sum.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.stats.qmc import Sobol


@dataclass(frozen=True)
class Costs:
    """Measured on one machine, or assumed of another; see the report.

    Attributes:
        rows: of a request.
        search_s: CPU seconds of a half set between two requests.
        call_s: seconds of a request's way to the server and back, both together, beside what it costs the processors.
        batch_s, row_s: a server's seconds for a batch: batch_s + row_s * rows.
        task_s: seconds of the command's process for a task (handing out, taking in, writing).
        requests_a_game: search steps of one game, of one half set of lanes, divided by the games in it.
        bytes_a_row: of a request and its answer.
        cpu_s, cpu_row_s: a request's cost to the processor of its worker, and as much to its server's:
            cpu_s + cpu_row_s * rows.
        aside_s, aside_row_s: what it costs other processes and threads of the machine, for which neither waits:
            aside_s + aside_row_s * rows. Where every process has a core of its own, nobody notices.
    """

    rows: int
    search_s: float
    call_s: float
    batch_s: float
    row_s: float
    task_s: float
    requests_a_game: float
    bytes_a_row: int
    cpu_s: float = 0.0
    cpu_row_s: float = 0.0
    aside_s: float = 0.0
    aside_row_s: float = 0.0

    @property
    def request_s(self) -> float:
        """What a request costs each of the two processors."""
        return self.cpu_s + self.cpu_row_s * self.rows


@dataclass(frozen=True)
class Outcome:
    """Of servers and their workers: requests a second, share of the batch limit filled, mean latency, share of the
    time in which a server has a batch to answer."""

    requests: float
    fill: float
    latency_s: float
    busy: float


class Cores:
    """Cores that pieces of work take in the order in which they ask; the clock, and what happens when."""

    def __init__(self, count: int | None) -> None:
        """So many cores; None: as many as are asked for."""
        self.now = 0.0
        self._free = count if count is not None else 1 << 60
        self._waiting: deque[tuple[float, Callable[[], None]]] = deque()
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._serial = 0

    def after(self, seconds: float, what: Callable[[], None]) -> None:
        self._serial += 1
        heapq.heappush(self._events, (self.now + seconds, self._serial, what))

    def work(self, seconds: float, then: Callable[[], None]) -> None:
        """Do `then` when so many seconds of a core's time have been had."""
        self._waiting.append((seconds, then))
        self._hand_out()

    def run(self, until: float) -> None:
        while self._events and self._events[0][0] <= until:
            self.now, _, what = heapq.heappop(self._events)
            what()

    def _hand_out(self) -> None:
        while self._free and self._waiting:
            self._free -= 1
            seconds, then = self._waiting.popleft()
            self.after(seconds, lambda then=then: self._give_back(then))

    def _give_back(self, then: Callable[[], None]) -> None:
        self._free += 1
        then()
        self._hand_out()


class Server:
    """A process that answers the requests of some sets of lanes in batches."""

    def __init__(self, cores: Cores, costs: Costs, callers: int, limit: int, wait_s: float) -> None:
        self.batches = self.rows = 0
        self.busy = 0.0
        self._cores, self._costs, self._callers, self._limit, self._wait_s = cores, costs, callers, limit, wait_s
        self._queue: deque[tuple[float, Callable[[], None]]] = deque()
        self._answering = False

    def ask(self, answer: Callable[[], None]) -> None:
        self._queue.append((self._cores.now, answer))
        self._cores.after(self._wait_s, self._look)
        self._look()

    def _look(self) -> None:
        if self._answering or not self._queue:
            return
        costs, now = self._costs, self._cores.now
        full = len(self._queue) * costs.rows >= self._limit or len(self._queue) >= self._callers
        if not full and now - self._queue[0][0] < self._wait_s - 1e-12:
            return
        count = min(len(self._queue), max(1, self._limit // costs.rows))
        batch = [self._queue.popleft()[1] for _ in range(count)]
        self._answering = True

        def done() -> None:
            self.batches, self.rows, self.busy = self.batches + 1, self.rows + size, self.busy + self._cores.now - now
            self._answering = False
            for answer in batch:
                self._cores.after(costs.call_s / 2, answer)
            self._look()

        size = count * costs.rows
        self._cores.work(count * costs.request_s + costs.batch_s + costs.row_s * size, done)


class Worker:
    """A process whose sets of lanes take turns: one searches while others wait for their answers."""

    def __init__(self, cores: Cores, costs: Costs, server: Server, halves: int) -> None:
        self.answers, self.latency = 0, 0.0
        self._cores, self._costs, self._server = cores, costs, server
        self._ready: deque[None] = deque()
        self._searching = False
        for half in range(halves):  # not all in step
            cores.after(costs.search_s * (half % 7) / 7, self._go_on)

    def _go_on(self) -> None:
        self._ready.append(None)
        self._search()

    def _search(self) -> None:
        if self._searching or not self._ready:
            return
        self._ready.popleft()
        self._searching = True
        self._cores.work(self._costs.search_s + self._costs.request_s, self._ask)

    def _ask(self) -> None:
        sent = self._cores.now

        def answered() -> None:
            self.answers += 1
            self.latency += self._cores.now - sent
            self._go_on()

        self._searching = False
        self._cores.work(self._costs.aside_s + self._costs.aside_row_s * self._costs.rows, lambda: None)
        self._cores.after(self._costs.call_s / 2, lambda: self._server.ask(answered))
        self._search()


def simulate(
    costs: Costs,
    workers: int,
    limit: int,
    wait_s: float,
    seconds: float = 2.0,
    halves: int = 2,
    servers: int = 1,
    cores: int | None = None,
) -> Outcome:
    """So many workers of `halves` sets of lanes and their servers, for `seconds` of simulated time after a warm-up.

    Args:
        cores: of the one machine on which they all run; None: each has a core of its own.
    """
    machine = Cores(cores)
    of_server = [len(range(number, workers, servers)) for number in range(servers)]
    answering = [Server(machine, costs, halves * count, limit, wait_s) for count in of_server]
    playing = [Worker(machine, costs, answering[number % servers], halves) for number in range(workers)]
    machine.run(seconds)
    before = _sums(playing, answering)
    machine.run(2 * seconds)
    done, latency, batches, rows, busy = (b - a for a, b in zip(before, _sums(playing, answering), strict=True))
    fill = rows / max(batches, 1) / limit
    return Outcome(done / seconds, fill, latency / max(done, 1), busy / seconds / servers)


def _sums(playing: Sequence[Worker], answering: Sequence[Server]) -> tuple[float, ...]:
    of_workers = sum(w.answers for w in playing), sum(w.latency for w in playing)
    return *of_workers, *(sum(getattr(s, key) for s in answering) for key in ("batches", "rows", "busy"))


@dataclass(frozen=True)
class Measured:
    """Workers and servers of one machine that have been measured: what the model has to foretell.

    Attributes:
        costs: but for call_s, cpu_s and cpu_row_s, which are not read.
        halves: of a worker: sets of lanes, or askers without any search, that take turns.
        limit: of a batch, in rows.
        requests: a second.
        workers, servers: processes.
        cores: that they share.
    """

    costs: Costs
    halves: int
    limit: int
    requests: float
    workers: int = 1
    servers: int = 1
    cores: int = 2

    @property
    def calibrates(self) -> bool:
        """Whether the model is told; the others it has to foretell."""
        return self.workers <= 2 and self.servers == 1


FITTED = {"call_s": 1e-3, "cpu_s": 3e-4, "cpu_row_s": 2e-5, "aside_s": 3e-4, "aside_row_s": 2e-5}
"""What cannot be measured alone, and where the search for it begins."""


def foretold(one: Measured, fitted: Mapping[str, float]) -> float:
    """Requests a second."""
    costs = replace(one.costs, **fitted)
    return simulate(costs, one.workers, one.limit, 0.002, 0.5, one.halves, one.servers, one.cores).requests


def misfit(measured: Sequence[Measured], fitted: Mapping[str, float]) -> float:
    """The sum of the squared logs of foretold over measured."""
    return sum(log(foretold(one, fitted) / one.requests) ** 2 for one in measured)


def calibrated(measured: Sequence[Measured], names: Sequence[str] = tuple(FITTED)) -> dict[str, float]:
    """Those FITTED values that come nearest to what was measured; those that are not named are 0."""

    def point(logs: NDArray[np.float64]) -> dict[str, float]:
        return dict(zip(names, map(float, np.exp(logs)), strict=True))

    centre = np.log([FITTED[name] for name in names])
    spread = centre + log(30.0) * (2 * Sobol(len(names), seed=1).random(128) - 1)
    spread = sorted(spread, key=lambda at: misfit(measured, point(at)))
    tried = (
        minimize(lambda at: misfit(measured, point(at)), start, method="Nelder-Mead", options={"maxiter": 400})
        for start in spread[:4]
    )
    return point(min(tried, key=lambda result: result.fun).x)


def with_lanes(costs: Costs, more: float) -> Costs:
    """The same for half sets of `more` times the lanes: more rows a request, and as many fewer requests a game."""
    return replace(
        costs,
        rows=round(costs.rows * more),
        search_s=costs.search_s * more,
        requests_a_game=costs.requests_a_game / more,
    )


def bounds(
    costs: Costs, workers: int, servers: int, limit: int, games_per_task: int, bandwidth: float | None
) -> dict[str, float]:
    """Games a second that each part could do if nothing else held it up.

    Args:
        bandwidth: bytes a second of a server's network card; None: its workers are on its machine.
    """
    a_batch = limit / costs.rows * costs.request_s + costs.batch_s + costs.row_s * limit
    found = {
        "workers": workers / ((costs.search_s + costs.request_s) * costs.requests_a_game),
        "servers": servers * limit / costs.rows / a_batch / costs.requests_a_game,
        "command": games_per_task / costs.task_s,
    }
    if bandwidth:
        found["server's network"] = servers * bandwidth / (costs.bytes_a_row * costs.rows * costs.requests_a_game)
    return found
