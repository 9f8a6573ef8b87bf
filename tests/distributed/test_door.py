"""Requests through a local socket: 1 callers side by side get the answers to their own rows, bit for bit, however many;
2 words and errors come as such; 3 who asks for too much, or is another user, is left; 4 who goes in the middle of a
request disturbs nobody, and nobody waits for a server that says nothing, or has gone; 5 a server without room for
another caller has it again later; 6 no door, no visitor."""

import os
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

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


@pytest.mark.parametrize("full", [(socket.socket, "accept", OSError), (threading.Thread, "start", RuntimeError)])
def test_a_server_that_was_full_lets_in_others_later(full: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file, or no thread, is left for one of those who come."""
    kind, name, error = full
    door, able, tries = Door(hashed, SIZE, LIMIT), getattr(kind, name), []
    assert not isinstance(_let_in(door).ask(1, rows(2)), str)  # the door waits for the next one

    def unable(this: Any, *given: Any) -> Any:
        if (this.name == "visit" if kind is threading.Thread else this is door._socket) and len(tries) < 2:
            tries.append(this)
            raise error("full")
        return able(this, *given)

    monkeypatch.setattr(kind, name, unable)
    for _ in range(5):
        with suppress(OSError):
            _let_in(door).ask(1, rows(2))
    assert len(tries) == 2
    assert not isinstance(_let_in(door).ask(1, rows(2)), str)


def _let_in(door: Door) -> Visitor:
    found = visit(door.name, 5)
    assert found is not None
    return found


def test_no_door_no_visitor() -> None:
    assert visit("", 1) is None and visit("orion-nobody", 1) is None
