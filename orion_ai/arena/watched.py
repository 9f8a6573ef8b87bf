"""Processes that play games, and the one that watches them: who hangs or dies is ended and replaced, and its games are
played again by another, without the decision at which it happened where that is an agent's fault.

- A process that is still at one decision after its limit is ended: the agent that was asked thought too long.
- A process that dies may have been killed by anybody. Its games are played again; at the second death at the same
  decision the agent that was asked is at fault.
- Several games asked about at once have no culprit: the agent is asked about these games one by one.
"""

from __future__ import annotations

import ctypes
import multiprocessing as mp
import signal
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing import connection
from typing import Any

from orion_ai.arena.faults import Fault, Sentence, Tried, too_late
from orion_ai.arena.match import Played
from orion_ai.arena.pulse import Memory, Move, Pulse, Question

__all__ = ["DONE", "FAILED", "Order", "Watched", "die_with_parent"]

TICK_SECONDS = 0.2
"""How often the clock is looked at while no process has anything to say."""
DEATHS = 2
"""So many deaths for each process, in a row, in which no agent was asked and between which no game ended, are borne."""
DONE, FAILED = "done", "failed"
"""The first words of what a process says of itself."""
Work = Callable[[connection.Connection, Memory], None]
"""Given a pipe and the memory of a `Pulse`, takes an `Order` after another, sends each `Played`, then (DONE, "");
where it cannot go on (FAILED, why)."""


@dataclass(frozen=True)
class Order:
    """What a process is told to play.

    Attributes:
        match: see `Match.as_text`.
        places: the seatings of a block's games.
        games: (block, place) each.
        tried: what is known of them.
    """

    match: str
    places: Sequence[tuple[int, ...]]
    games: Sequence[tuple[int, int]]
    tried: Tried


@dataclass(eq=False)
class _Run:
    """Games that one process plays, and what came of earlier tries."""

    games: list[tuple[int, int]]
    tried: Tried = field(default_factory=Tried)
    deaths: Counter[Move] = field(default_factory=Counter)


class _Process:
    """A process that plays."""

    def __init__(self, work: Work) -> None:
        context = mp.get_context("spawn")  # started afresh: no state is shared but the pulse
        memory = context.RawArray(ctypes.c_int64, Pulse.SIZE)
        self.pipe, theirs = context.Pipe()
        self.pulse = Pulse(memory)
        self.run: _Run | None = None
        self._process = context.Process(target=work, args=(theirs, memory))
        self._process.start()
        theirs.close()
        self._deaf = False

    @property
    def lives(self) -> bool:
        """Whether more is to be heard of it."""
        return self._process.is_alive() and not self._deaf

    @property
    def handles(self) -> list[Any]:
        """What is ready when it has something to say."""
        return [self._process.sentinel] if self._deaf else [self._process.sentinel, self.pipe]

    def give(self, run: _Run, match: str, places: Sequence[tuple[int, ...]]) -> None:
        """Let it play; if it is dead, that comes out when it is looked at."""
        self.run = run
        try:
            self.pipe.send(Order(match, places, run.games, run.tried))
        except OSError:
            self._deaf = True

    def hear(self) -> Iterator[Played]:
        """The games that it has finished since.

        Raises:
            RuntimeError: it cannot go on.
        """
        while not self._deaf:
            try:
                if not self.pipe.poll():
                    return
                said = self.pipe.recv()
            except (EOFError, OSError):  # its end of the pipe is closed: it is dying
                self._deaf = True
                return
            if said[0] == FAILED:
                raise RuntimeError(f"a process of the arena failed:\n{said[1]}")
            assert self.run is not None
            if said[0] == DONE:
                self.run = None
            else:
                self.run.games.remove(said[:2])
                yield said

    def end(self) -> int:
        """End it, if it has not ended by itself; returns its exit code."""
        if not self._process.is_alive():
            self._process.join()
            return int(self._process.exitcode or 0)
        self._process.kill()
        self._process.join()
        return -int(signal.SIGKILL)

    def close(self) -> None:
        """Give back what it held."""
        self.pipe.close()
        self._process.close()


class Watched:
    """Some processes of one kind, kept for further games."""

    def __init__(self, work: Work) -> None:
        """`work` is what each of them does; it must be importable."""
        self._work = work
        self._processes: list[_Process] = []
        self._deaths = 0

    def __bool__(self) -> bool:
        return bool(self._processes)

    def end(self) -> None:
        """End them all."""
        for process in self._processes:
            process.end()
            process.close()
        self._processes = []

    def play(
        self,
        match: str,
        places: Sequence[tuple[int, ...]],
        runs: Sequence[Sequence[tuple[int, int]]],
        limits: Sequence[float],
        count: int,
    ) -> Iterator[Played]:
        """Play games, and yield each as soon as it is over.

        Args:
            match: see `Match.as_text`.
            places: the seatings of a block's games.
            runs: what one process plays at a time: (block, place) each.
            limits: seconds for a decision, by number of the agent.
            count: processes at most.

        Raises:
            RuntimeError: a process cannot go on, or they die without any agent having been asked.
        """
        waiting = deque(_Run(list(games)) for games in runs)
        try:
            while waiting or any(p.run for p in self._processes):
                self._hand_out(match, places, waiting, count)
                connection.wait([h for p in self._processes for h in p.handles], TICK_SECONDS)
                for process in list(self._processes):
                    for played in process.hear():
                        self._deaths = 0
                        yield played
                    late = process.pulse.overdue()
                    if late or not process.lives:
                        yield from self._replace(process, late, limits, waiting, count)
        finally:
            for process in [p for p in self._processes if p.run]:  # nobody wants the rest
                self._processes.remove(process)
                process.end()
                process.close()

    def _hand_out(self, match: str, places: Sequence[tuple[int, ...]], waiting: deque[_Run], count: int) -> None:
        """Give every process something to do, and start those that are missing."""
        idle = [p for p in self._processes if p.run is None]
        for _ in range(min(count - len(self._processes), len(waiting) - len(idle))):
            idle.append(_Process(self._work))
            self._processes.append(idle[-1])
        for process in idle[: len(waiting)]:
            process.give(waiting.popleft(), match, places)

    def _replace(
        self, process: _Process, late: int, limits: Sequence[float], waiting: deque[_Run], count: int
    ) -> Iterator[Played]:
        """End a process that is late or dead; what it has left is played by another, which `_hand_out` starts."""
        code = process.end()
        yield from process.hear()
        question, run = process.pulse.question(late), process.run
        self._processes.remove(process)
        process.close()
        if run is None:
            return
        if question is None and not late:
            self._deaths += 1
            if self._deaths > DEATHS * count:
                raise RuntimeError(
                    f"a process of the arena died (exit code {code}; -9: out of memory?), and so did those in its "
                    "place; the same command goes on where the match stopped"
                )
        if question is not None:
            _judge(run, question, limits[question.agent] if late else None, code)
        waiting.appendleft(run)


def _judge(run: _Run, question: Question, late: float | None, code: int) -> None:
    """Note in `run` what is to be done about a question at which its process has ended.

    Args:
        run: the games.
        question: what was asked.
        late: the limit, if the process was ended for being beyond it; else it died.
        code: the exit code of the process.
    """
    if question.games > 1:
        run.tried.alone.add(question.agent)
        return
    move, fault = question.first, None
    if late is not None:
        fault = too_late(late)
    else:
        run.deaths[move] += 1
        if run.deaths[move] > 1:
            fault = Fault("ended its process", f"{_ending(code)}, twice at the same decision")
    if fault is not None:
        run.tried.lost[move.block, move.place] = Sentence(move.seat, move.decision, late or 0.0, fault)


def _ending(code: int) -> str:
    try:
        return f"exit code {code}" if code >= 0 else signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def die_with_parent() -> None:
    """End this process when that which started it ends, whatever it is at then; only where the system can (Linux)."""
    if sys.platform == "linux":
        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
