"""Agents that fail: who raises, answers nothing usable or thinks too long loses that game, and nobody else does.

Agents are asked about many games at once. Where such a question fails it is put again game by game, so that only the
games with which an agent cannot cope are lost; by the contract of agents the other answers are the same alone.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

import numpy as np
from numpy.typing import NDArray

from orion_ai.agents import Agent, Trail, decide_in_game, sealed

__all__ = ["Fault", "answers", "forfeit"]


@dataclass(frozen=True)
class Fault:
    """What an agent did wrong: `how` ("failed", "answered illegally", "thought too long") and the particulars."""

    how: str
    what: str

    def __str__(self) -> str:
        return f"{self.how}: {self.what}"


class _TimeOut(BaseException):
    """Raised into an agent that thinks too long; no `except Exception` of its own can hold it up."""


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    """Interrupt the body after `seconds` (0: never), where the system can: POSIX, main thread, between two steps of
    Python. Compiled code is not interrupted; `answers` looks at the clock after it.
    """
    able = seconds > 0 and hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not able:
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise _TimeOut

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def answers(
    agent: Agent,
    worlds: NDArray[np.uint8],
    seats: NDArray[np.int64],
    keys: NDArray[np.uint64],
    seconds: float,
    *,
    one_by_one: bool,
    trails: Sequence[Trail] | None = None,
) -> tuple[NDArray[np.int32], dict[int, Fault]]:
    """What an agent answers in n games, whether or not it is legal.

    Args:
        agent: who is asked.
        worlds: as for `Agent.decide`.
        seats: as for `Agent.decide`.
        keys: as for `Agent.decide`, not yet sealed.
        seconds: the limit for a decision, n times as much for n of them; 0 = none.
        one_by_one: after a fault ask again game by game.
        trails: what an agent that follows games is told first.

    Returns:
        int32[n] actions, and the faults by place; without `one_by_one` a fault is everybody's.
    """
    actions, fault = _ask(agent, trails, worlds, seats, keys, seconds)
    if fault is None:
        return actions, {}
    n = len(worlds)
    if n == 1 or not one_by_one:
        return np.zeros(n, np.int32), dict.fromkeys(range(n), fault)
    actions, faults = np.zeros(n, np.int32), {}
    for i in range(n):
        told = None if trails is None else trails[i : i + 1]
        given, fault = _ask(agent, told, worlds[i : i + 1], seats[i : i + 1], keys[i : i + 1], seconds)
        if fault is None:
            actions[i] = given[0]
        else:
            faults[i] = fault
    return actions, faults


def _ask(
    agent: Agent,
    trails: Sequence[Trail] | None,
    worlds: NDArray[np.uint8],
    seats: NDArray[np.int64],
    keys: NDArray[np.uint64],
    seconds: float,
) -> tuple[NDArray[np.int32], Fault | None]:
    """The answers to one question, or what is wrong with them."""
    n, nothing = len(worlds), np.zeros(0, np.int32)
    allowed, started = seconds * n, time.perf_counter()
    late = Fault("thought too long", f"more than {allowed:g} s for {n} decision{'s' if n > 1 else ''}")
    try:
        with _limit(allowed):
            given = np.asarray(decide_in_game(agent, trails, worlds.copy(), seats.copy(), sealed(keys)).actions)
    except _TimeOut:
        return nothing, late
    except (Exception, SystemExit) as error:
        return nothing, Fault("failed", f"{type(error).__name__}: {error}")
    if allowed and time.perf_counter() - started > allowed:
        return nothing, late
    if given.shape != (n,) or given.dtype.kind not in "iu":
        return nothing, Fault("failed", f"gave {given.dtype}{list(given.shape)} for the actions of {n} games")
    return given.astype(np.int32), None


def forfeit(seat: int, scores: Sequence[int]) -> tuple[list[float], list[int]]:
    """Returns and scores of a game that `seat` has lost by a fault: -1 for it, the others share 1; points stay as they
    stand, but it has no more than the fewest at the table.
    """
    returns = [1.0 / (len(scores) - 1)] * len(scores)
    returns[seat] = -1.0
    points = list(scores)
    points[seat] = min(points)
    return returns, points
