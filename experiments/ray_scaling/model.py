"""Throughput of self-play with inference servers, simulated request by request; and what bounds it.

A worker has one CPU and two half sets of lanes. A half set searches (it holds the CPU), sends the rows of a search step
to its server, waits for the answer, searches on. A server answers when its batch is full, when the oldest request has
waited long enough, or when everybody waits. A request costs both processors time: its worker's while it is packed and
sent and its answer taken in, its server's before the batch is answered. Servers do not meet, so one with its workers is
simulated and multiplied; what all share (the command's process) bounds the sum.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize


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

    @property
    def request_s(self) -> float:
        """What a request costs each of the two processors."""
        return self.cpu_s + self.cpu_row_s * self.rows


@dataclass(frozen=True)
class Outcome:
    """Of one server and its workers: requests a second, share of the batch limit filled, mean latency, share busy."""

    requests: float
    fill: float
    latency_s: float
    busy: float


def simulate(costs: Costs, workers: int, limit: int, wait_s: float, seconds: float = 2.0, halves: int = 2) -> Outcome:
    """One server with so many workers of `halves` sets of lanes, for `seconds` of simulated time after a warm-up."""
    events: list[tuple[float, int, str, int]] = []
    serial = 0

    def at(time: float, what: str, who: int) -> None:
        nonlocal serial
        serial += 1
        heapq.heappush(events, (time, serial, what, who))

    cpu_free = [0.0] * workers
    queue: deque[tuple[float, int]] = deque()
    busy_until = 0.0
    sent: dict[int, float] = {}
    done = rows = batches = 0
    latency = busy = 0.0
    for half in range(halves * workers):
        at(costs.search_s * (half % 7) / 7, "answer", half)  # not all in step
    end = 2 * seconds
    while events:
        now, _, what, who = heapq.heappop(events)
        if now > end:
            break
        if what == "answer":
            if who in sent and now > seconds:
                done += 1
                latency += now - sent[who]
            start = max(now, cpu_free[who // halves])
            cpu_free[who // halves] = start + costs.search_s + costs.request_s
            at(cpu_free[who // halves], "send", who)
            continue
        if what == "send":
            sent[who] = now
            at(now + costs.call_s / 2, "arrive", who)
            continue
        if what == "arrive":
            queue.append((now, who))
            at(now + wait_s, "look", -1)
        if not queue or now < busy_until:
            continue
        waiting = len(queue) * costs.rows
        if waiting < limit and len(queue) < halves * workers and now - queue[0][0] < wait_s - 1e-12:
            continue
        batch = [queue.popleft() for _ in range(min(len(queue), max(1, limit // costs.rows)))]
        size = len(batch) * costs.rows
        busy_until = now + len(batch) * costs.request_s + costs.batch_s + costs.row_s * size
        if now > seconds:
            batches += 1
            rows += size
            busy += busy_until - now
        for _, half in batch:
            at(busy_until + costs.call_s / 2, "answer", half)
        at(busy_until, "look", -1)
    return Outcome(done / seconds, rows / max(batches, 1) / limit, latency / max(done, 1), busy / seconds)


@dataclass(frozen=True)
class Measured:
    """One worker process and one server that have been measured: what the model has to foretell.

    Attributes:
        costs: but for call_s, cpu_s and cpu_row_s, which are not read.
        halves: of the worker: sets of lanes, or askers without any search, that take turns.
        limit: of a batch, in rows.
        requests: a second.
    """

    costs: Costs
    halves: int
    limit: int
    requests: float


def foretold(one: Measured, call_s: float, cpu_s: float, cpu_row_s: float) -> float:
    """Requests a second."""
    costs = replace(one.costs, call_s=call_s, cpu_s=cpu_s, cpu_row_s=cpu_row_s)
    return simulate(costs, 1, one.limit, 0.002, 0.5, one.halves).requests


def calibrated(measured: Sequence[Measured]) -> tuple[float, float, float]:
    """The call_s, cpu_s and cpu_row_s that come nearest to what was measured, by the sum of squared ratios (logs)."""

    def error(point: NDArray[np.float64]) -> float:
        return sum(log(foretold(one, *np.exp(point)) / one.requests) ** 2 for one in measured)

    starts = [np.log([way, cpu, cpu / 16]) for way in (1e-4, 1e-3) for cpu in (1e-4, 3e-4, 1e-3)]
    found = min((minimize(error, start, method="Nelder-Mead") for start in starts), key=lambda result: result.fun)
    call_s, cpu_s, cpu_row_s = (float(value) for value in np.exp(found.x))
    return call_s, cpu_s, cpu_row_s


def with_lanes(costs: Costs, more: float) -> Costs:
    """The same for half sets of `more` times the lanes: more rows a request, and as many fewer requests a game."""
    return replace(
        costs,
        rows=round(costs.rows * more),
        search_s=costs.search_s * more,
        requests_a_game=costs.requests_a_game / more,
    )


def bounds(
    costs: Costs, workers: int, servers: int, limit: int, games_per_task: int, bandwidth: float
) -> dict[str, float]:
    """Games a second that each part could do if nothing else held it up.

    Args:
        bandwidth: bytes a second of a server's network card.
    """
    a_batch = limit / costs.rows * costs.request_s + costs.batch_s + costs.row_s * limit
    return {
        "workers": workers / ((costs.search_s + costs.request_s) * costs.requests_a_game),
        "servers": servers * limit / costs.rows / a_batch / costs.requests_a_game,
        "server's network": servers * bandwidth / (costs.bytes_a_row * costs.rows * costs.requests_a_game),
        "command": games_per_task / costs.task_s,
    }
