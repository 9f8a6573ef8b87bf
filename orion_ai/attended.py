"""A command that runs agents of somebody's own in its own process goes on in a child, so that it can still speak if one
of them ends that process: nothing inside can say a word after `os._exit` or a crash.

Only where the command line is the whole process, on systems that can fork (POSIX); elsewhere nothing changes.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["Ended", "asking", "attend", "die_with_parent", "enable", "ending", "finished"]

_ROOM = 512
"""Bytes of what the two processes share: whether the command is done, and whom it asks."""
INTERRUPTED_SECONDS = 3.0
"""Ctrl-C reaches both processes, `kill -INT` the waiting one alone: where the child goes on for so long, it is told."""
TICK_SECONDS = 0.05
"""How often a child is looked for: who waits without end misses a signal that comes just before."""
_enabled = False
_shared: mmap.mmap | None = None


class Ended(BaseException):
    """The child has ended: the exit code of the command, and what is to be said; "" if the child has said all."""

    def __init__(self, code: int, said: str = "") -> None:
        super().__init__(code, said)
        self.code, self.said = code, said


def enable() -> None:
    """This process is a command's own: it may be left to a child."""
    global _enabled
    _enabled = hasattr(os, "fork")


def attend() -> None:
    """Go on in a child process, once; this one waits for its end, which it then tells by raising `Ended`."""
    global _shared
    if not _enabled or _shared is not None:
        return
    _shared, parent = mmap.mmap(-1, _ROOM), os.getpid()
    sys.stdout.flush()
    sys.stderr.flush()
    ends = signal.SIGINT, signal.SIGTERM, signal.SIGHUP  # none is missed before it is known whom to tell of it
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    try:
        child = os.fork()
        if child:
            _pass_on(child)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if not child:
        die_with_parent(parent)
        return
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            raise _end(os.waitstatus_to_exitcode(status), _shared)
        time.sleep(TICK_SECONDS)


def _pass_on(child: int) -> None:
    """Let a child process have what is sent to this one."""

    def tell(number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(child, number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, frame: tell(number))
    signal.signal(signal.SIGALRM, lambda number, frame: tell(signal.SIGINT))
    signal.signal(signal.SIGINT, lambda number, frame: signal.setitimer(signal.ITIMER_REAL, INTERRUPTED_SECONDS))


def _end(code: int, shared: mmap.mmap) -> Ended:
    """What a child's exit code (of a signal: its negative number) means."""
    if shared[0]:
        return Ended(code if code >= 0 else 128 - code)
    asked = shared[1:].rstrip(b"\0").decode(errors="replace")
    how = ending(code)
    if code in (-signal.SIGTERM, -signal.SIGHUP) or not asked:
        return Ended(128 - code if code < 0 else 1, f"the program was ended ({how})")
    memory = "; out of memory?" if code == -signal.SIGKILL else ""
    return Ended(2, f"the program was ended ({how}{memory}) while {asked}; expected it to answer, or to raise")


def ending(code: int) -> str:
    """In words, how a process with this exit code (of a signal: its negative number) ended."""
    try:
        return f"exit code {code}" if code >= 0 else signal.Signals(-code).name
    except ValueError:  # one without a name of its own
        return f"signal {-code}"


@contextmanager
def asking(whom: str) -> Iterator[None]:
    """Within, code of somebody's own runs: `whom` says in words whose, "agent 'rogue' was asked"."""
    if _shared is None:
        yield
        return
    before = _shared[1:]
    _shared[1:] = whom.encode()[: _ROOM - 1].ljust(_ROOM - 1, b"\0")
    try:
        yield
    finally:
        _shared[1:] = before


def finished() -> None:
    """The command has ended by itself: whatever exit code follows is its own."""
    if _shared is not None:
        _shared[0] = 1


def die_with_parent(parent: int) -> None:
    """End this process when process number `parent`, which started it, ends, whatever it is at then; only where the
    system can (Linux).
    """
    if sys.platform == "linux":
        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
        if os.getppid() != parent:  # it had ended before
            raise SystemExit(1)
