"""A number of actors of one kind, kept alive: whoever dies is replaced, whoever is of another Orion is refused."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engines.errors import UsageError
from orion_ai.distributed.cluster import Cluster
from orion_ai.distributed.plan import check_greeting

__all__ = ["COMPILING", "Crew", "Member", "late", "refuse_unmade"]

LOOK_SECONDS = 1.0
"""How often the size of the crew is thought over."""
DEATHS = 5
"""So many deaths in a row for each place, without anything done between them, are no accident."""

COMPILING = 5.0
"""A first worker may take so many times `runtime.start_seconds`: on a new node it has to compile the game."""


def late(who: str, cluster: Cluster) -> UsageError:
    """The error that nobody was ready in time."""
    seconds = COMPILING * cluster.config.start_seconds
    return UsageError(
        f"{who} within {seconds:g} s ({COMPILING:g} x runtime.start_seconds): `ray status` shows what the "
        "cluster has and what is asked of it"
    )


def refuse_unmade(name: str, error: BaseException) -> None:
    """Raise UsageError if an actor did not die, but could not be made where it should run."""
    if "creation task" in str(error):
        last = [line for line in str(error).splitlines() if line.strip()][-1].strip()
        raise UsageError(f"{name} could not start: {last}") from None


@dataclass(eq=False)
class Member:
    """An actor.

    Attributes:
        name: under which Ray knows it.
        actor: its handle.
        hello: the reference to its greeting, until that has come; None = it is ready.
        node: where it runs, once known.
        pid: its process there.
        done: games or blocks that it has handed in.
        busy: tasks that it has been given and not handed in.
    """

    name: str
    actor: Any
    hello: Any
    node: str = ""
    pid: int = 0
    done: int = 0
    busy: int = 0


@dataclass
class Crew:
    """All actors of one kind.

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
    _looked: float = 0.0
    _alone_since: float = field(default_factory=time.monotonic)

    def refresh(self) -> None:
        """Start whoever is missing.

        Raises:
            UsageError: nobody was ready for too long.
        """
        now = time.monotonic()
        if any(m.hello is None for m in self.members.values()):
            self._alone_since = now
        if now - self._alone_since > COMPILING * self.cluster.config.start_seconds:
            raise late(f"no {self.kind} worker was ready", self.cluster)
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

    def ready(self) -> list[Member]:
        """Those who can be given work."""
        return [m for m in self.members.values() if m.hello is None]

    def arriving(self) -> dict[Any, Member]:
        """Those who have not said who they are yet, by the reference to what they will say."""
        return {m.hello: m for m in self.members.values() if m.hello is not None}

    def welcome(self, member: Member) -> None:
        """Hear the greeting of a member that has come.

        Raises:
            UsageError: it is of another Orion, or there is none where it should run.
        """
        errors = self.cluster.ray.exceptions
        try:
            said = self.cluster.ray.get(member.hello)
        except errors.RayActorError as error:
            refuse_unmade(member.name, error)
            self.lost(member, error)
            return
        member.node, member.pid = str(said["node"]), int(said["pid"])
        check_greeting(self.greeting, said, f"{member.name} on node {member.node}")
        member.hello = None

    def progress(self, member: Member, count: int) -> None:
        """A member has handed in so many games or blocks."""
        member.done += count
        self._in_a_row = 0

    def lost(self, member: Member, error: BaseException) -> None:
        """A member is dead, or as good as dead.

        Raises:
            RuntimeError: too many died without anything done between.
        """
        if self.members.pop(member.name, None) is None:
            return
        self.dismiss(member)
        self.deaths += 1
        self._in_a_row += 1
        self._looked = 0.0
        if self._in_a_row > DEATHS * max(1, self.size()):
            raise RuntimeError(
                f"{self._in_a_row} {self.kind} workers died in a row without anything done (out of memory?): {error}"
            ) from None

    def dismiss(self, member: Member) -> None:
        """End a member's process."""
        self.members.pop(member.name, None)
        self.cluster.ray.kill(member.actor)
        self._looked = 0.0
