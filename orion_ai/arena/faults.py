"""Agents that fail: who raises, answers nothing usable, thinks too long or ends its process loses that game, and nobody
else does.

Agents are asked about many games at once. Where such a question fails it is put again game by game, so that only the
games with which an agent cannot cope are lost; by the contract of agents the other answers are the same alone.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from types import FrameType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from orion_ai.agents import Agent, Trail, decide_in_game, sealed
from orion_ai.arena.own_code import AgentFailure, actions_of, said_by
from orion_ai.arena.pulse import Move, Pulse

__all__ = ["Fault", "Sentence", "Tried", "Umpire", "forfeit", "too_late"]

T = TypeVar("T")
BATCH_SECONDS = 600.0
"""No question about several games takes longer than this, or than the limit of one: then they are asked one by one, so
an agent that hangs is found out soon, and one that is slow loses nothing but time."""


@dataclass(frozen=True)
class Fault:
    """What an agent did wrong: `how` ("failed", "answered illegally", "thought too long", "ended its process") and the
    particulars.
    """

    how: str
    what: str

    def __str__(self) -> str:
        return f"{self.how}: {self.what}"


@dataclass(frozen=True)
class Sentence:
    """A fault that came out when its game was played before: the seat loses at its first decision from number
    `decision` of the game on, for which `seconds` are charged.
    """

    decision: int
    seconds: float
    fault: Fault


@dataclass
class Tried:
    """What is known of games that a process has begun and not brought to an end.

    Attributes:
        alone: numbers of the agents that are asked game by game.
        lost: (block, place, seat) -> where the seat loses the game.
        unmade: number of an agent that cannot be made -> why: it loses at its first decision of every game.
    """

    alone: set[int] = field(default_factory=set)
    lost: dict[tuple[int, int, int], Sentence] = field(default_factory=dict)
    unmade: dict[int, Fault] = field(default_factory=dict)

    def sentence(self, block: int, place: int, seat: int, decision: int) -> Sentence | None:
        """What the seat has coming at this decision of the game."""
        known = self.lost.get((block, place, seat))
        return known if known and known.decision <= decision else None

    def as_data(self) -> dict[str, Any]:
        """Plain data for JSON."""
        lost = [[*where, asdict(known)] for where, known in self.lost.items()]
        unmade = [[number, asdict(fault)] for number, fault in self.unmade.items()]
        return {"alone": sorted(self.alone), "lost": lost, "unmade": unmade}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Tried:
        """Inverse of `as_data`."""
        lost = {}
        for block, place, seat, known in data["lost"]:
            lost[block, place, seat] = Sentence(**{**known, "fault": Fault(**known["fault"])})
        return cls(set(data["alone"]), lost, {number: Fault(**fault) for number, fault in data["unmade"]})


class _TimeOut(BaseException):
    """Raised into an agent that thinks too long; no `except Exception` of its own can hold it up."""


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    """Interrupt the body after `seconds` (0: never), where the system can: POSIX, main thread, between two steps of
    Python. Compiled code is not interrupted; `Umpire` looks at the clock after it, and who watches the process ends it.
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


def too_late(seconds: float, count: int = 1) -> Fault:
    """The fault of thinking too long about `count` decisions."""
    return Fault("thought too long", f"more than {seconds:g} s for {count} decision{'s' if count > 1 else ''}")


@dataclass(frozen=True)
class _Asked:
    """A question to an agent: as for `Agent.decide`, with keys that are not yet sealed."""

    agent: Agent
    worlds: NDArray[np.uint8]
    seats: NDArray[np.int64]
    keys: NDArray[np.uint64]
    trails: Sequence[Trail] | None

    def part(self, i: int) -> _Asked:
        one = slice(i, i + 1)
        told = None if self.trails is None else self.trails[one]
        return _Asked(self.agent, self.worlds[one], self.seats[one], self.keys[one], told)

    def put(self) -> NDArray[np.int32]:
        worlds, seats, keys = self.worlds.copy(), self.seats.copy(), sealed(self.keys)
        return actions_of(decide_in_game(self.agent, self.trails, worlds, seats, keys), len(worlds))


class Umpire:
    """Puts questions to agents, and says what is wrong with what they do."""

    def __init__(
        self, limits: Sequence[float], *, one_by_one: bool, pulse: Pulse | None = None, tried: Tried | None = None
    ) -> None:
        """An umpire.

        Args:
            limits: by number of the agent, seconds for a decision, 0 = none; empty = none for anybody.
            one_by_one: after a fault ask again game by game.
            pulse: is told what is asked.
            tried: who is asked game by game from the first; who was late for several games at once is added.
        """
        self._limits, self._one_by_one, self._pulse = limits, one_by_one, pulse
        self._alone = tried.alone if tried else set[int]()

    def ask(
        self,
        number: int,
        agent: Agent,
        moves: Sequence[Move],
        worlds: NDArray[np.uint8],
        seats: NDArray[np.int64],
        keys: NDArray[np.uint64],
        trails: Sequence[Trail] | None = None,
    ) -> tuple[NDArray[np.int32], dict[int, Fault]]:
        """What an agent answers in n games, whether or not it is legal.

        Args:
            number: of the agent.
            agent: who is asked.
            moves: the n decisions.
            worlds: as for `Agent.decide`.
            seats: as for `Agent.decide`.
            keys: as for `Agent.decide`, not yet sealed.
            trails: what an agent that follows games is told first.

        Returns:
            int32[n] actions, and the faults by place; unless games are asked about one by one a fault is everybody's.
        """
        n, asked = len(moves), _Asked(agent, worlds, seats, keys, trails)
        if n == 1 or number not in self._alone:
            actions, fault = self._answer(number, moves, asked)
            if fault is None:
                return actions, {}
            if n == 1 or not self._one_by_one:
                return np.zeros(n, np.int32), dict.fromkeys(range(n), fault)
            if fault.how == too_late(0).how:
                self._alone.add(number)
        actions, faults = np.zeros(n, np.int32), {}
        for i in range(n):
            given, fault = self._answer(number, moves[i : i + 1], asked.part(i))
            if fault is None:
                actions[i] = given[0]
            else:
                faults[i] = fault
        return actions, faults

    def _answer(self, number: int, moves: Sequence[Move], asked: _Asked) -> tuple[NDArray[np.int32], Fault | None]:
        """The answers to one question, or what is wrong with them."""
        given, fault = self.let(number, moves, asked.put)
        return np.zeros(0, np.int32) if given is None else given, fault

    def let(self, number: int, moves: Sequence[Move], act: Callable[[], T]) -> tuple[T | None, Fault | None]:
        """Let an agent do something about `moves`, under its limit: what comes of it, or what is wrong."""
        allowed = self._allowed(number, len(moves))
        if self._pulse:
            self._pulse.asks(number, moves, allowed)
        started = time.perf_counter()
        try:
            with _limit(allowed):
                done = act()
        except _TimeOut:
            return None, too_late(allowed, len(moves))
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and self._pulse is None:
                raise  # Ctrl-C, to which a process with a pulse is deaf
            if isinstance(error, AgentFailure):
                return None, Fault("failed", str(error))
            return None, Fault("failed", said_by(error))
        finally:
            if self._pulse:
                self._pulse.answered()
        if allowed and time.perf_counter() - started > allowed:
            return None, too_late(allowed, len(moves))
        return done, None

    def _allowed(self, number: int, count: int) -> float:
        seconds = self._limits[number] if self._limits else 0.0
        together = seconds * count
        return min(together, max(seconds, BATCH_SECONDS)) if self._one_by_one else together


def forfeit(seat: int, scores: Sequence[int]) -> tuple[list[float], list[int]]:
    """Returns and scores of a game that `seat` has lost by a fault: -1 for it, the others share 1; points stay as they
    stand, but it has no more than the fewest at the table.
    """
    returns = [1.0 / (len(scores) - 1)] * len(scores)
    returns[seat] = -1.0
    points = list(scores)
    points[seat] = min(points)
    return returns, points
