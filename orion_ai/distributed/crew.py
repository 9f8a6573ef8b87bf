"""A number of actors of one kind, kept alive: whoever dies is replaced, whoever is of another Orion is refused."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engines.errors import UsageError
from orion_ai import __version__
from orion_ai.distributed.cluster import Cluster
from orion_ai.distributed.plan import check_greeting

__all__ = ["ANSWER_SECONDS", "COMPILING", "DEATHS", "LATE", "LATE_SECONDS", "Crew", "Member", "ServerAway"]

LOOK_SECONDS = 1.0
"""How often the size of the crew is thought over."""
DEATHS = 5
"""So many deaths in a row for each place, without anything done between them, are no accident."""

LATE, LATE_SECONDS = 3.0, 2.0
"""What has taken so many times as long as anything of its kind has, and so many seconds, goes to an idle member too."""

ANSWER_SECONDS = 10.0
"""Who is late is asked whether it is there, and has so long to say so: a process that hangs says nothing."""

COMPILING = 5.0
"""A first worker may take so many times `runtime.start_seconds`: on a new node it has to compile the game."""


class ServerAway(RuntimeError):
    """An inference server did not come back in time."""


def refuse_unmade(name: str, error: BaseException) -> None:
    """Raise UsageError if an actor did not die, but could not be made where it should run: it says why."""
    text = re.sub(r"\x1b\[\d*m", "", str(error))
    if "creation task" in text or "failed to import on the worker" in text:
        node = re.search(r"\bip=([^,\s)]+)", text)
        last = [line for line in text.splitlines() if line.strip()][-1].strip()
        hint = f": install Orion {__version__} on every node" if "ModuleNotFoundError: No module" in last else ""
        raise UsageError(f"{name} could not start{f' on node {node[1]}' if node else ''}: {last}{hint}") from None


@dataclass(eq=False)
class Member:
    """An actor.

    Attributes:
        name: under which Ray knows it.
        actor: its handle.
        hello: the reference to its greeting, until that has come; None = it is ready.
        node, node_id: where it runs, once known: the address, and Ray's own name.
        pid: its process there.
        done: games or blocks that it has handed in.
        busy: tasks that it has been given and not handed in.
        matches: runs of blocks likewise.
        heard: when it last handed something in, said that it is there, or was given work after a rest.
        asked, since: the reference to its answer to whether it is there, and when it was asked; None = it was not.
    """

    name: str
    actor: Any
    hello: Any
    node: str = ""
    node_id: str = ""
    pid: int = 0
    done: int = 0
    busy: int = 0
    matches: int = 0
    heard: float = field(default_factory=time.monotonic)
    asked: Any = None
    since: float = 0.0


@dataclass
class Crew:
    """All actors of one kind. Games and blocks may be handed out from different threads.

    Attributes:
        cluster: where they live.
        kind: the first word of their names.
        make: makes the actor of a name.
        size: how many there shall be, asked now and then.
        greeting: what each must say of itself.
        deaths: how many died, in all.
    """

    cluster: Cluster
    kind: str
    make: Callable[[str], Any]
    size: Callable[[], int]
    greeting: Mapping[str, Any]
    members: dict[str, Member] = field(default_factory=dict)
    deaths: int = 0
    _made: int = 0
    _in_a_row: int = 0
    _came: bool = False
    _looked: float = 0.0
    _listened: float = 0.0
    _alone_since: float = field(default_factory=time.monotonic)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def refresh(self) -> None:
        """Start whoever is missing.

        Raises:
            UsageError: nobody was ready for too long.
        """
        with self._lock:
            now, limit = time.monotonic(), COMPILING * self.cluster.config.start_seconds
            if any(m.hello is None for m in self.members.values()):
                self._alone_since = now
            if now - self._alone_since > limit:
                raise UsageError(
                    f"no {self.kind} worker was ready within {limit:g} s ({COMPILING:g} x runtime.start_seconds): "
                    "`ray status` shows what the cluster has and what is asked of it"
                )
            if now - self._looked < LOOK_SECONDS and self._looked:
                return
            self._looked = now
            for _ in range(self.size() - len(self.members)):
                self._made += 1
                name = f"{self.kind}-{self._made}"
                actor = self.make(name)
                self.members[name] = Member(name, actor, actor.greet.remote())

    def reset_clock(self) -> None:
        """Somebody begins to wait for the crew now."""
        self._alone_since = time.monotonic()

    def late_after(self, longest: float) -> float:
        """Seconds after which somebody is late whose like have taken `longest` at most; 0: nothing is known."""
        return max(LATE_SECONDS, LATE * longest) if longest else self.cluster.config.start_seconds

    def ready(self) -> list[Member]:
        """Those who can be given work."""
        with self._lock:
            return [m for m in self.members.values() if m.hello is None]

    def arriving(self) -> dict[Any, Member]:
        """Those who have not said who they are yet, by the reference to what they will say."""
        with self._lock:
            return {m.hello: m for m in self.members.values() if m.hello is not None}

    def welcome(self, member: Member) -> None:
        """Hear the greeting of a member that has come.

        Raises:
            UsageError: it is of another Orion, or there is none where it should run.
        """
        errors = self.cluster.ray.exceptions
        with self._lock:
            if member.hello is None:  # another thread has heard it
                return
            try:
                said = self.cluster.ray.get(member.hello)
            except (errors.RayActorError, errors.RayTaskError) as error:
                refuse_unmade(member.name, error)
                self.lost(member, error)
                return
            member.node, member.node_id, member.pid = str(said["node"]), str(said["node_id"]), int(said["pid"])
            check_greeting(self.greeting, said, f"{member.name} on node {member.node}")
            member.hello, self._came = None, True

    def look_after(self, working: Iterable[Member], longest: float) -> None:
        """Ask those who are late whether they are there; who does not say so is lost, and its work fails.

        Args:
            working: who has work.
            longest: see `late_after`.
        """
        now, limit = time.monotonic(), self.late_after(longest)
        if now - self._listened < LOOK_SECONDS:
            return
        with self._lock:
            self._listened = now
            for member in {m.name: m for m in working if m.name in self.members}.values():
                if member.asked is None:
                    if now - member.heard > limit:
                        member.asked, member.since = member.actor.greet.remote(), now
                elif self.cluster.ray.wait([member.asked], timeout=0)[0]:  # if it has died its work says so
                    member.asked, member.heard = None, now
                elif now - member.since > ANSWER_SECONDS:
                    self.lost(member, TimeoutError(f"{member.name} did not answer within {ANSWER_SECONDS:g} s"))

    def progress(self, member: Member, count: int) -> None:
        """A member has handed in so many games or blocks."""
        with self._lock:
            member.heard = time.monotonic()
            member.done += count
            self._in_a_row = 0

    def lost(self, member: Member, error: BaseException) -> None:
        """A member is dead, or as good as dead.

        Raises:
            UsageError: none has ever been able to say who it is.
            RuntimeError: too many died without anything done between.
        """
        with self._lock:
            if self.members.pop(member.name, None) is None:
                return
            self.dismiss(member)
            self.deaths += 1
            self._in_a_row += 1
            self._looked = 0.0
            if self._in_a_row > DEATHS and not self._came:
                raise UsageError(
                    f"{self.kind} workers cannot start: {self._in_a_row} ended before they could say who they are. Is "
                    f"Orion {__version__} whole on every node? Ray says: {' '.join(str(error).split())}"
                ) from None
            if self._in_a_row > DEATHS * max(1, self.size()):
                raise RuntimeError(
                    f"{self._in_a_row} {self.kind} workers died in a row without anything done (out of memory?): "
                    f"{error}"
                ) from None

    def dismiss(self, member: Member) -> None:
        """End a member's process."""
        with self._lock:
            self.members.pop(member.name, None)
            self.cluster.ray.kill(member.actor)
            self._looked = 0.0
