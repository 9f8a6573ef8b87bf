"""What a process that plays is asking, told to the one that watches it.

Nothing inside a process can interrupt compiled code, nor say a word after a crash. So it writes into memory that it
shares with its watcher whom it asks about which decision, and until when: the watcher can end it, and read there who
held it up.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple, Protocol, overload

__all__ = ["Memory", "Move", "Pulse", "Question"]

NEVER = 2**63 - 1
"""The end of a question without a limit."""
GRACE_NS = 2 * 10**9
"""What a process that can still interrupt its agent itself has for doing so after the limit."""


class Move(NamedTuple):
    """A decision of a match: the number of its block, the place of its game there, whose seat it is, and how many
    decisions the game has had before.
    """

    block: int
    place: int
    seat: int
    decision: int


class Question(NamedTuple):
    """What an agent was asked: its number, about how many games at once, and the first of these decisions. About none:
    it was being made.
    """

    agent: int
    games: int
    first: Move


class Memory(Protocol):
    """Numbers that two processes see, as `multiprocessing.RawArray` has them."""

    def __setitem__(self, i: int, value: int, /) -> None: ...
    @overload
    def __getitem__(self, i: int, /) -> int: ...
    @overload
    def __getitem__(self, i: slice, /) -> list[int]: ...


class Pulse:
    """The question that is being asked, in shared memory. One process writes, one reads.

    `Pulse.SIZE` int64: the end of the question (nanoseconds of the system's monotonic clock; 0 = nobody is asked), the
    agent, the number of games, the fields of the first `Move`, how many questions there have been. The end is written
    last and is unlike any other's.
    """

    SIZE = 8

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def asks(self, agent: int, moves: Sequence[Move], seconds: float) -> None:
        """Agent number `agent` is asked about `moves`, for `seconds` at most; 0 = without a limit."""
        for i, number in enumerate((agent, len(moves), *moves[0])):
            self._memory[1 + i] = number
        self._memory[self.SIZE - 1] = self.asked + 1
        self._ends_in(seconds)

    def makes(self, agent: int, seconds: float) -> None:
        """Agent number `agent` is being made, in `seconds` at most; 0 = without a limit. That is no question."""
        for i in range(1, self.SIZE - 1):
            self._memory[i] = agent if i == 1 else 0
        self._ends_in(seconds)

    def _ends_in(self, seconds: float) -> None:
        now = time.monotonic_ns()
        self._memory[0] = now + int(min(seconds * 1e9, NEVER - now)) if seconds else NEVER

    @property
    def asked(self) -> int:
        """How many questions have been asked so far."""
        return self._memory[self.SIZE - 1]

    def answered(self) -> None:
        """Nobody is asked any more."""
        self._memory[0] = 0

    def overdue(self) -> int:
        """The end of a question that should have been answered some time ago; 0 = all is well."""
        end = self._memory[0]
        return end if end and time.monotonic_ns() > min(end + GRACE_NS, NEVER) else 0

    def question(self, end: int = 0) -> Question | None:
        """What is being asked (with `end`: if it is the question with that end); to be read once nobody writes."""
        now = self._memory[0]
        if not now or (end and now != end):
            return None
        agent, games, *first = self._memory[1 : self.SIZE - 1]
        return Question(agent, games, Move(*first))
