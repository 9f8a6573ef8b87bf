"""Throughput of self-play with inference servers, simulated request by request; and what bounds it.

A worker has one CPU and two half sets of lanes. A half set searches (it holds the CPU), sends the rows of a search step
to its server, waits for the answer, searches on. A server answers when its batch is full, when the oldest request has
waited long enough, or when everybody waits. Servers do not meet, so one with its workers is simulated and multiplied;
what all share (the command's process) bounds the sum.
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True)
class Costs:
    """Measured on one machine, or assumed of another; see the report.

    Attributes:
        rows: of a request.
        search_s: CPU seconds of a half set between two requests.
        call_s: seconds of a request's way to the server and back, both together.
        batch_s, row_s: a server's seconds for a batch: batch_s + row_s * rows.
        task_s: seconds of the command's process for a task (handing out, taking in, writing).
        requests_a_game: search steps of one game, of one half set of lanes, divided by the games in it.
        bytes_a_row: of a request and its answer.
    """

    rows: int
    search_s: float
    call_s: float
    batch_s: float
    row_s: float
    task_s: float
    requests_a_game: float
    bytes_a_row: int


@dataclass(frozen=True)
class Outcome:
    """Of one server and its workers: requests a second, share of the batch limit filled, mean latency, share busy."""

    requests: float
    fill: float
    latency_s: float
    busy: float


def simulate(costs: Costs, workers: int, limit: int, wait_s: float, seconds: float = 2.0) -> Outcome:
    """One server with so many workers, for `seconds` of simulated time after as long a warm-up."""
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
    for half in range(2 * workers):
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
            start = max(now, cpu_free[who // 2])
            cpu_free[who // 2] = start + costs.search_s
            at(start + costs.search_s, "send", who)
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
        if waiting < limit and len(queue) < 2 * workers and now - queue[0][0] < wait_s - 1e-12:
            continue
        batch = [queue.popleft() for _ in range(min(len(queue), max(1, limit // costs.rows)))]
        size = len(batch) * costs.rows
        busy_until = now + costs.batch_s + costs.row_s * size
        if now > seconds:
            batches += 1
            rows += size
            busy += busy_until - now
        for _, half in batch:
            at(busy_until + costs.call_s / 2, "answer", half)
        at(busy_until, "look", -1)
    return Outcome(done / seconds, rows / max(batches, 1) / limit, latency / max(done, 1), busy / seconds)


def bounds(
    costs: Costs, workers: int, servers: int, limit: int, games_per_task: int, bandwidth: float
) -> dict[str, float]:
    """Games a second that each part could do if nothing else held it up.

    Args:
        bandwidth: bytes a second of a server's network card.
    """
    a_batch = costs.batch_s + costs.row_s * limit
    return {
        "workers": workers / (costs.search_s * costs.requests_a_game),
        "servers": servers * limit / costs.rows / a_batch / costs.requests_a_game,
        "server's network": servers * bandwidth / (costs.bytes_a_row * costs.rows * costs.requests_a_game),
        "command": games_per_task / costs.task_s,
    }
