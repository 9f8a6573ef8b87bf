"""Requests through a local socket: 1 callers side by side get the answers to their own rows, bit for bit, however many;
2 words and errors come as such; 3 who asks for too much, or is another user, is left; 4 who goes in the middle of a
request disturbs nobody, and nobody waits for a server that says nothing, or has gone; 5 no door, no visitor; 6 a door
at which somebody could not be let in stays open."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from numpy.typing import NDArray

from orion_ai.distributed.batching import Answer
from orion_ai.distributed.door import REQUEST, Door, Visitor, visit
from orion_ai.search.evaluator import HashEvaluator
from tests.replay.games import kuhn

LIMIT = 100_000
SIZE = kuhn().observation_size


def rows(count: int, seed: int = 1) -> NDArray[np.int16]:
    return np.random.default_rng(seed).integers(0, 5, (count, SIZE)).astype(np.int16)


def hashed(caller: str, number: int, observations: NDArray[np.int16]) -> Answer:
    return HashEvaluator(kuhn(), number).evaluate(observations)


def visitor(ask: Callable[[str, int, Any], Answer | str] = hashed, limit: int = LIMIT, seconds: float = 60) -> Visitor:
    found = visit(Door(ask, SIZE, limit).name, seconds)
    assert found is not None
    return found


def test_callers_get_the_answers_to_their_own_rows() -> None:
    """Also to more than a socket holds at once."""
    name = Door(hashed, SIZE, LIMIT).name

    def ask(seed: int) -> None:
        asking = visit(name, 60)
        assert asking is not None
        for count in (1, 7, 300, LIMIT, 2):
            asked = rows(count, seed + count)
            answer, wanted = asking.ask(seed, asked), hashed("", seed, asked)
            for found, want in zip(answer, wanted, strict=True):
                assert isinstance(found, np.ndarray) and found.dtype == np.float32 and np.array_equal(found, want)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(ask, range(4)))


def test_words_and_errors() -> None:
    def ask(caller: str, number: int, observations: NDArray[np.int16]) -> str:
        if number < 0:
            raise ValueError(f"no round {number} of {caller}")
        return "später"

    asking = visitor(ask)
    assert asking.ask(1, rows(3)) == "später"
    with pytest.raises(RuntimeError, match="the inference server failed: ValueError: no round -1 of 1"):
        asking.ask(-1, rows(3))
    assert asking.ask(2, rows(3)) == "später"


def test_who_must_not_ask_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OSError):
        visitor(limit=10).ask(1, rows(11))
    name, user, asking = Door(hashed, SIZE, LIMIT).name, os.getuid(), threading.get_ident()
    for of_server in (False, True):

        def someone(of_server: bool = of_server) -> int:
            return user + ((threading.get_ident() == asking) != of_server)

        monkeypatch.setattr(os, "getuid", someone)
        found = visit(name, 60)
        if of_server:
            assert found is not None
            with pytest.raises(OSError):
                found.ask(1, rows(1))
        else:
            assert found is None


def test_who_goes_disturbs_nobody_and_nobody_waits_for_long() -> None:
    going = threading.Event()

    def ask(caller: str, number: int, observations: NDArray[np.int16]) -> Answer:
        if number:
            assert going.wait(60)
        return hashed(caller, number, observations)

    name = Door(ask, SIZE, LIMIT).name
    hasty, other = visit(name, 0.1), visit(name, 60)
    assert hasty is not None and other is not None
    hasty._socket.send(REQUEST.pack(0, LIMIT))  # and none of the rows
    hasty.close()
    hasty = visit(name, 0.1)
    assert hasty is not None
    with pytest.raises(TimeoutError):
        hasty.ask(1, rows(2))
    hasty.close()
    going.set()
    assert not isinstance(other.ask(0, rows(2)), str)


def test_no_door_no_visitor() -> None:
    assert visit("", 1) is None and visit("orion-nobody", 1) is None


def test_who_cannot_be_let_in_does_not_shut_the_door() -> None:
    door = Door(hashed, SIZE, LIMIT)
    listening, faults = door._socket, [OSError("too many open files")]

    def accept() -> Any:
        if faults:
            raise faults.pop()
        return listening.accept()

    door._socket = Mock(accept=accept)  # the door waits at the true one already, for the first who comes
    for _ in range(3):
        asking = visit(door.name, 10)
        assert asking is not None and not isinstance(asking.ask(1, rows(2)), str)
    assert not faults
