"""Seats, seeds, actions and options of the wrong kind: a clear refusal, never a traceback out of a kernel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import engines
from engines.errors import IllegalAction, UsageError
from engines.state import State

ODD: list[Any] = [99, -2, None, "0", True, 1.0, [0], math.nan, 10**30]


def state() -> State:
    return engines.load("kuhn_poker").start(seed=1)


@pytest.mark.parametrize("seat", ODD)
def test_seats(seat: Any) -> None:
    start = state()
    asks = (
        start.view,
        start.observe,
        start.info_key,
        lambda s: start.determinize(s, 1),
        lambda s: start.notation(0, s),
    )
    for ask in asks:
        with pytest.raises(UsageError, match="does not exist: expected 0 to 1"):
            ask(seat)
    assert start.view(np.int64(0)) == start.view(0)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", ["x", 1.5, True, [1]])
def test_seeds(seed: Any) -> None:
    for ask in (engines.load("kuhn_poker").start, lambda s: state().determinize(0, s)):
        with pytest.raises(UsageError, match="expected an integer"):
            ask(seed)


@pytest.mark.parametrize("action", [None, 1.5, True, [1], b"pass", math.nan, 10**12, -1, "frobnicate", ""])
def test_actions(action: Any) -> None:
    start = state()
    before = bytes(start.record)
    with pytest.raises(IllegalAction, match="action"):
        start.apply(action)
    if not isinstance(action, str):
        with pytest.raises(IllegalAction, match="action"):
            start.notation(action)
    assert bytes(start.record) == before
    start.apply(np.int32(0))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [None, 3, b"pass", ["pass"], "", "frobnicate"])
def test_texts(text: Any) -> None:
    with pytest.raises(IllegalAction, match="action"):
        engines.load("kuhn_poker").parse(text)


def test_after_the_end() -> None:
    end = state()
    for _ in range(2):
        end.apply("pass")
    with pytest.raises(IllegalAction, match="the game is over"):
        end.apply("pass")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *(({"players": odd}, "expected 2 to 4") for odd in ("2", True, 2.0, -1, 0, None, [2], math.nan, 10**30)),
        *(({"races": odd}, "expected a race or a list") for odd in (5, None, {"a": 1}, b"humans")),
        ({"races": ["humans"]}, "races has 1 entries, expected one for each of 2"),
        ({"races": ["humans", 3]}, "unknown race of moo_board 3"),
        ({"races": "humens"}, "Did you mean 'humans'"),
        ({"races": ["alkari", "alkari"]}, "'alkari' twice"),
        ({"variant": None}, "unknown variant of moo_board None"),
        ({"advisors": 1}, "advisors=1, expected true or false"),
        ({"utility": 3}, "unknown utility of moo_board 3"),
        ({"race": "humans"}, "Did you mean 'races'"),
    ],
)
def test_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        engines.load("moo_board", **options)


@pytest.mark.parametrize("name", [None, 3, "", "moo", ["x"]])
def test_names_of_games(name: Any) -> None:
    with pytest.raises(UsageError, match="unknown game"):
        engines.load(name)
