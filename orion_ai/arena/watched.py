"""Processes that play games, and the one that watches them: who hangs or dies is ended and replaced, and its games are
played again by another, without the decision at which it happened where that is an agent's fault.

- A process that is still at one decision after its limit is ended: the agent that was asked thought too long.
- A process that dies may have been killed by anybody. Its games are played again; at the second death at the same
  decision the agent that was asked is at fault, if it is not Orion's own. Who is killed with SIGKILL was killed from
  outside (a lack of memory strikes at the same place again), and nobody is at fault.
- Several games asked about at once have no culprit: the agent is asked about these games one by one.
- A process that dies twice while the same agent is being made: that agent is not made again, and loses its games. One
  that hangs while an agent is being made ends the match.

What goes through the pipes is JSON, since what a process says may come from anybody's code.
"""

from __future__ import annotations

import ctypes
import json
import math
import multiprocessing as mp
import os
import signal
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import connection
from typing import Any

from engines.errors import ContentError, FileError, UsageError
from orion_ai.arena.faults import Fault, Sentence, Tried, too_late
from orion_ai.arena.limits import Terms
from orion_ai.arena.match import GameRecord, Played
from orion_ai.arena.own_code import AgentFailure
from orion_ai.arena.pulse import GRACE_NS, Memory, Move, Pulse, Question
from orion_ai.attended import ending

__all__ = ["ArenaFailure", "Line", "Order", "Watched"]

TICK_SECONDS = 0.2
"""How often the clock is looked at while no process has anything to say."""
HELD_UP_SECONDS = 5 * TICK_SECONDS
"""Who has not looked for so long was held up."""
START_SECONDS = 600.0
"""From an order to its first question: for loading the game and making the agents."""
END_SECONDS = 1.0
"""What processes that are not needed any more have for ending by themselves."""
DEATHS = 2
"""So many deaths for each process, in a row, are borne of which nothing came: no game ended, nobody was found out."""
TRIES = 2
"""A process may be killed by anybody; with so many deaths at the same place the agent that was asked, or made, is at
fault."""
PLAYED, DONE, FAILED, REFUSED = "played", "done", "failed", "refused"
"""The first words of what a process says."""
MISTAKES = {kind.__name__: kind for kind in (AgentFailure, ContentError, FileError, UsageError)}
"""Mistakes of the user's that come out where agents are made."""
Work = Callable[[connection.Connection, Memory, int], None]
"""Given a pipe for a `Line`, the memory of a `Pulse`, and the number of the process that watches: plays what is ordered
until nothing more is."""


class ArenaFailure(UsageError):
    """Processes that play do not begin, or are killed again and again; nothing that a match could decide."""


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

    def as_data(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"match": self.match, "places": self.places, "games": self.games, "tried": self.tried.as_data()}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Order:
        """Inverse of `as_data`."""
        places, games = [tuple(place) for place in data["places"]], [(block, place) for block, place in data["games"]]
        return cls(data["match"], places, games, Tried.from_data(data["tried"]))


class Line:
    """Where a process hears what it is to play, and says what came of it; once nobody listens, with SystemExit."""

    def __init__(self, pipe: connection.Connection) -> None:
        self._pipe = pipe

    def orders(self) -> Iterator[Order]:
        """What it is told to play, one after another, until nothing more will come."""
        while True:
            try:
                said = self._pipe.recv_bytes()
            except (EOFError, OSError):
                return
            yield Order.from_data(json.loads(said))

    def played(self, played: Played) -> None:
        """A game of the order is over."""
        block, place, record = played
        self._say(PLAYED, block, place, record.as_data(history=True))

    def done(self) -> None:
        """All games of the order are over."""
        self._say(DONE)

    def failed(self, why: str) -> None:
        """It cannot go on."""
        self._say(FAILED, why)

    def refused(self, error: UsageError) -> None:
        """An agent cannot be made, by a mistake of the user's."""
        known = (kind.__name__ for kind in type(error).__mro__)
        self._say(REFUSED, next(name for name in known if name in MISTAKES), str(error))

    def _say(self, *words: Any) -> None:
        said = json.dumps(words).encode()
        try:
            self._pipe.send_bytes(said)
        except OSError:
            raise SystemExit(0) from None


@dataclass
class _Making:
    """What came of making the agents of a match, by their numbers: deaths, and who is not to be made again."""

    deaths: Counter[int] = field(default_factory=Counter)
    unmade: dict[int, Fault] = field(default_factory=dict)


@dataclass(eq=False)
class _Run:
    """Games that one process plays, and what came of earlier tries."""

    games: list[tuple[int, int]]
    making: _Making = field(default_factory=_Making)
    tried: Tried = field(init=False)
    deaths: Counter[Move] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.tried = Tried(unmade=self.making.unmade)


class _Process:
    """A process that plays."""

    def __init__(self, work: Work) -> None:
        self._start_by, self._asked = 0.0, 0
        context = mp.get_context("spawn")  # started afresh: no state is shared but the pulse
        memory = context.RawArray(ctypes.c_int64, Pulse.SIZE)
        self.pipe, theirs = context.Pipe()
        self.pulse = Pulse(memory)
        self.run: _Run | None = None
        self._process = context.Process(target=work, args=(theirs, memory, os.getpid()))
        with _deaf_to_ctrl_c():
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

    def give(self, run: _Run, match: str, places: Sequence[tuple[int, ...]], now: float) -> None:
        """Let it play; if it is dead, that comes out when it is looked at."""
        self.run = run
        self._start_by, self._asked = now + START_SECONDS, self.pulse.asked
        try:
            self.pipe.send_bytes(json.dumps(Order(match, places, run.games, run.tried).as_data()).encode())
        except OSError:
            self._deaf = True

    def starts_too_late(self, now: float) -> bool:
        """Whether it has an order, and has neither asked anybody nor ended a game since for too long."""
        return self.run is not None and now > self._start_by and self.pulse.asked == self._asked

    def hear(self) -> Iterator[Played]:
        """The games that it has finished since.

        Raises:
            RuntimeError: it cannot go on, or says what makes no sense.
            UsageError: an agent cannot be made.
        """
        while not self._deaf:
            try:
                if not self.pipe.poll():
                    return
                said = self.pipe.recv_bytes()
            except (EOFError, OSError):  # its end of the pipe is closed: it is dying
                self._deaf = True
                return
            played = self._understand(said)
            if played is not None:
                self._start_by = math.inf
                yield played

    def _understand(self, said: bytes) -> Played | None:
        try:
            word, *rest = json.loads(said)
            mistake = MISTAKES[rest[0]](str(rest[1])) if word == REFUSED else None
            if word == PLAYED and self.run is not None:
                block, place, record = rest
                self.run.games.remove((block, place))
                return block, place, GameRecord.from_data(record)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise RuntimeError(f"a process of the arena says what makes no sense: {said[:200]!r}") from error
        if mistake is not None:
            raise mistake
        if word != DONE:
            raise RuntimeError("a process of the arena failed:\n" + "\n".join(map(str, rest)))
        self.run = None
        return None

    def end(self, seconds: float) -> int:
        """End it, if it does not end by itself within some seconds; returns its exit code."""
        self._process.join(seconds)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        return int(self._process.exitcode or 0)

    def close(self) -> None:
        """Give back what it held; it has ended."""
        self.pipe.close()
        self._process.close()


class _Clock:
    """The time in which this process looked after the others. While it was held up, stopped with Ctrl-Z or busy with
    what came of games, they may have been stopped too: what looks late then has a little longer.
    """

    def __init__(self) -> None:
        self._looked, self._held_up, self._patient_until = time.monotonic(), 0.0, 0.0

    def look(self) -> float:
        """Seconds from some point on, without those in which nobody looked."""
        now = time.monotonic()
        if now - self._looked > HELD_UP_SECONDS:
            self._held_up += now - self._looked
            self._patient_until = now + GRACE_NS / 1e9
        self._looked = now
        return now - self._held_up

    @property
    def patient(self) -> bool:
        """Whether nobody is to be called late yet."""
        return self._looked < self._patient_until


class Watched:
    """Some processes of one kind, kept for further games."""

    def __init__(self, work: Work) -> None:
        """`work` is what each of them does; it must be importable."""
        self._work = work
        self._processes: list[_Process] = []
        self._match, self._making = "", _Making()
        self._deaths, self._clock = 0, _Clock()

    def __bool__(self) -> bool:
        return bool(self._processes)

    def end(self) -> None:
        """End them all."""
        for process in self._processes:
            process.pipe.close()  # who waits for an order ends then
        end = time.monotonic() + END_SECONDS
        for process in self._processes:
            process.end(max(0.0, end - time.monotonic()))
            process.close()
        self._processes = []

    def play(
        self,
        match: str,
        places: Sequence[tuple[int, ...]],
        runs: Sequence[Sequence[tuple[int, int]]],
        terms: Sequence[Terms],
        count: int,
    ) -> Iterator[Played]:
        """Play games, and yield each as soon as it is over.

        Args:
            match: see `Match.as_text`.
            places: the seatings of a block's games.
            runs: what one process plays at a time: (block, place) each. With no games the agents are made.
            terms: of each agent, by its number.
            count: processes at most.

        Raises:
            RuntimeError: a process cannot go on.
            ArenaFailure: one does not begin, or they die again and again and nothing comes of it.
            UsageError: an agent cannot be made, by a mistake of the user's, or is not made in time.
        """
        if match != self._match:
            self._match, self._making = match, _Making()
        waiting = deque(_Run(list(games), self._making) for games in runs)
        try:
            while waiting or any(p.run for p in self._processes):
                self._hand_out(match, places, waiting, count)
                connection.wait([h for p in self._processes for h in p.handles], TICK_SECONDS)
                for process in list(self._processes):
                    yield from self._hear(process)
                    now = self._clock.look()
                    if not process.lives:
                        yield from self._replace(process, 0, terms, waiting, count)
                    elif not self._clock.patient and (late := process.pulse.overdue()):
                        _refuse_unmade(process.pulse.question(late), terms)
                        yield from self._replace(process, late, terms, waiting, count)
                    elif process.starts_too_late(now):
                        made = process.pulse.question()
                        names = [t.name for t in terms] if made is None else [terms[made.agent].name]
                        one = f"one of {', '.join(sorted(set(names)))}" if made is None else names[0]
                        raise ArenaFailure(f"agents were not made within {START_SECONDS:g} s: {one}")
        finally:
            for process in [p for p in self._processes if p.run]:  # nobody wants the rest
                self._processes.remove(process)
                process.end(0.0)
                process.close()

    def _hear(self, process: _Process) -> Iterator[Played]:
        for played in process.hear():
            self._deaths = 0
            yield played

    def _hand_out(self, match: str, places: Sequence[tuple[int, ...]], waiting: deque[_Run], count: int) -> None:
        """Give every process something to do, and start those that are missing."""
        idle = [p for p in self._processes if p.run is None]
        for _ in range(min(count - len(self._processes), len(waiting) - len(idle))):
            idle.append(_Process(self._work))
            self._processes.append(idle[-1])
        for process in idle[: len(waiting)]:
            process.give(waiting.popleft(), match, places, self._clock.look())

    def _replace(
        self, process: _Process, late: int, terms: Sequence[Terms], waiting: deque[_Run], count: int
    ) -> Iterator[Played]:
        """End a process that is late or dead; what it has left is played by another, which `_hand_out` starts."""
        code = process.end(0.0 if late else END_SECONDS)
        if code != -signal.SIGKILL:
            late = 0  # it was dying by itself
        yield from self._hear(process)
        question, run = process.pulse.question(late), process.run
        self._processes.remove(process)
        process.close()
        if run is None:
            return
        asked = terms[question.agent] if question else None
        if asked and not late and (code == -signal.SIGKILL or not asked.foreign):
            question = None
        if question and _judge(run, question, terms[question.agent].seconds if late else None, code):
            self._deaths = 0
        else:
            self._deaths += 1
            if self._deaths > DEATHS * count:
                memory = "; out of memory?" if code == -signal.SIGKILL else ""
                where = f" while agent {asked.name!r} was asked or made" if asked else ""
                raise ArenaFailure(
                    f"a process of the arena died ({ending(code)}{memory}){where}, and so did those in its place; the "
                    "same command goes on where the match stopped"
                )
        waiting.appendleft(run)


def _refuse_unmade(late: Question | None, terms: Sequence[Terms]) -> None:
    """An agent that is still being made after its limit ends the match."""
    if late and not late.games:
        agent = terms[late.agent]
        raise AgentFailure(
            f"agent {agent.name!r} was not made within {agent.making:g} s; where it needs longer, a greater "
            "move_seconds is its limit for that too"
        )


def _judge(run: _Run, question: Question, late: float | None, code: int) -> bool:
    """Note in `run` what is to be done about a question at which its process has ended; returns whether there is
    anything new.

    Args:
        run: the games.
        question: what was asked.
        late: the limit, if the process was ended for being beyond it; else it died.
        code: the exit code of the process.
    """
    if not question.games:
        run.making.deaths[question.agent] += 1
        if run.making.deaths[question.agent] < TRIES:
            return False
        run.making.unmade[question.agent] = Fault("ended its process", f"{ending(code)}, twice while it was made")
        return True
    if question.games > 1:
        new = question.agent not in run.tried.alone
        run.tried.alone.add(question.agent)
        return new
    move, fault = question.first, None
    if late is not None:
        fault = too_late(late)
    else:
        run.deaths[move] += 1
        if run.deaths[move] >= TRIES:
            fault = Fault("ended its process", f"{ending(code)}, twice at the same decision")
    if fault is not None:
        run.tried.lost[move.block, move.place, move.seat] = Sentence(move.decision, late or 0.0, fault)
    return fault is not None


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """A process that is started here is deaf to Ctrl-C from its first moment on; one that comes meanwhile reaches this
    process afterwards. Only where the system can (POSIX).
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
