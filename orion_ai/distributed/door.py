"""Requests to a server from processes of the same machine, through a local socket. A call of Ray is far dearer: it
takes what is asked and answered through its event loop, its serialisation and its store. Nothing here knows of Ray.

A request is its round, the number of its rows, and the observations; an answer the number of its rows, actions and
seats, then logits and values, or a text. Nobody listens to the network, and only processes of the same user are heard.
The socket has a name without a file, so nothing stays behind however its process ends.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orion_ai.distributed.batching import Answer

__all__ = ["Door", "Visitor", "visit"]

REQUEST = struct.Struct("<qq")
"""Round, rows."""
REPLY = struct.Struct("<qqqq")
"""Kind (an answer, a word, an error), rows or bytes of the text, actions, seats."""
ANSWER, WORD, ERROR = range(3)
CREDENTIALS = struct.Struct("3i")
"""Of the process at the other end: its number, its user, its group."""
FULL_SECONDS = 0.1
"""How long nobody is let in where the system has no room for another."""

Ask = Callable[[str, int, NDArray[np.int16]], Answer | str]
"""(caller, round, observations) -> the answer, or why there is none. Observations are only valid during the call."""


class Door:
    """Lets processes of this machine ask, each connection in a thread of its own.

    Attributes:
        name: what `Visitor` has to know; "" where the system has no such sockets.
    """

    def __init__(self, ask: Ask, width: int, limit: int) -> None:
        """A door.

        Args:
            ask: answers a request, in the thread of its connection.
            width: D of the observations int16[N, D].
            limit: most rows of a request.
        """
        self._ask, self._width, self._limit = ask, width, limit
        self.name = ""
        if sys.platform == "linux":
            self.name = f"orion-{secrets.token_hex(16)}"
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._socket.bind(f"\0{self.name}")
            self._socket.listen()
            threading.Thread(target=self._let_in, name="door", daemon=True).start()

    def _let_in(self) -> None:
        for number in itertools.count(1):
            try:
                connection, _ = self._socket.accept()
            except OSError:  # as many files are open as may be: others may still go
                time.sleep(FULL_SECONDS)
                continue
            try:
                threading.Thread(target=self._serve, args=(connection, f"{number}"), name="visit", daemon=True).start()
            except RuntimeError:  # as for threads; who came asks Ray's way, or again
                connection.close()

    def _serve(self, connection: socket.socket, caller: str) -> None:
        with connection, contextlib.suppress(OSError):  # the other end has gone
            if not _is_ours(connection):
                return
            rows = np.empty((self._limit, self._width), np.int16)
            header = bytearray(REQUEST.size)
            while True:
                _receive(connection, header)
                number, count = REQUEST.unpack(header)
                if not 0 < count <= self._limit:
                    return
                _receive(connection, rows[:count])
                self._reply(connection, caller, number, rows[:count])

    def _reply(self, connection: socket.socket, caller: str, number: int, rows: NDArray[np.int16]) -> None:
        try:
            found = self._ask(caller, number, rows)
        except Exception as error:
            _say(connection, ERROR, f"{type(error).__name__}: {error}")
            return
        if isinstance(found, str):
            _say(connection, WORD, found)
            return
        logits, values = found
        _send(connection, REPLY.pack(ANSWER, len(logits), logits.shape[1], values.shape[1]), logits, values)


def visit(name: str, seconds: float) -> Visitor | None:
    """A connection to the door of this name; None if it is on another machine, or there is none.

    Args:
        name: of the door.
        seconds: how long an answer may take.
    """
    if not name or sys.platform != "linux":
        return None
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(seconds)
    with contextlib.suppress(OSError):
        connection.connect(f"\0{name}")
        if _is_ours(connection):
            return Visitor(connection)
    connection.close()
    return None


class Visitor:
    """A connection to a door; see `visit`."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection

    def ask(self, number: int, observations: NDArray[np.int16]) -> Answer | str:
        """What the server says of `observations` (int16[N, D]) in round `number`; see `Ask`.

        Raises:
            OSError: it has gone, or did not answer in time. There is nothing more to be had from this connection.
            RuntimeError: it could not answer; says why.
        """
        _send(self._socket, REQUEST.pack(number, len(observations)), np.ascontiguousarray(observations))
        header = bytearray(REPLY.size)
        _receive(self._socket, header)
        kind, length, actions, seats = REPLY.unpack(header)
        if kind == ANSWER:
            logits, values = np.empty((length, actions), np.float32), np.empty((length, seats), np.float32)
            _receive(self._socket, logits)
            _receive(self._socket, values)
            return logits, values
        text = bytearray(length)
        _receive(self._socket, text)
        if kind == ERROR:
            raise RuntimeError(f"the inference server failed: {text.decode()}")
        return text.decode()

    def close(self) -> None:
        """Leave."""
        self._socket.close()


def _is_ours(connection: socket.socket) -> bool:
    """Whether the process at the other end is of the same user."""
    said = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    return bool(CREDENTIALS.unpack(said)[1] == os.getuid())


def _say(connection: socket.socket, kind: int, text: str) -> None:
    """Answer with a text: a word, or an error."""
    said = text.encode()
    _send(connection, REPLY.pack(kind, len(said), 0, 0), said)


def _send(connection: socket.socket, *parts: Any) -> None:
    """Send bytes and arrays, one after another."""
    left = [memoryview(part).cast("B") for part in parts]
    while left:
        sent = connection.sendmsg(left)
        while left and sent >= len(left[0]):
            sent -= len(left.pop(0))
        if left:
            left[0] = left[0][sent:]


def _receive(connection: socket.socket, into: Any) -> None:
    """Fill an array or bytes with what comes.

    Raises:
        ConnectionError: the other end has gone.
    """
    left = memoryview(into).cast("B")
    while len(left):
        count = connection.recv_into(left)
        if not count:
            raise ConnectionError("the other process has gone")
        left = left[count:]
