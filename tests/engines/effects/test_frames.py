"""The stack of pending effects: how it grows, where it ends, what stays of it, compiled and not."""

from __future__ import annotations

import hashlib
import random
from typing import Any

import numpy as np
import pytest

from engines.effects.checks import check_stack
from engines.effects.frames import make_frames
from engines.errors import UsageError
from engines.kernel import JIT
from tests.engines.effects import toy
from tests.engines.effects import toy_ops as ops
from tests.engines.subprocesses import code

FRAMES = ("frame_pc", "frame_seat", "frame_n", "frame_from")


def begun(card: str, seat: int = 0) -> tuple[Any, Any]:
    """The record and its fields after a seat has played a card."""
    record = toy.start()
    toy.play(record, toy.CARDS[card], seat)
    return record, record.view(toy.State)[0]


def test_a_program_runs_to_its_end_and_leaves_nothing_behind() -> None:
    _, s = begun("mint", 2)
    assert s["coins"].tolist() == [0, 0, 9] and int(s["depth"]) == 0
    assert not any(s[name].any() for name in FRAMES)


def test_a_frame_waits_where_its_op_asks_and_counts_down() -> None:
    record, s = begun("gift", 1)
    assert (int(s["node"]), int(s["mover"]), int(s["depth"]), int(s["frame_n"][0])) == (ops.NODE_GIVE, 1, 1, 2)
    toy.give(record, 0, 1)
    assert (int(s["node"]), int(s["frame_n"][0])) == (ops.NODE_GIVE, 1)
    toy.give(record, 2, 1)
    assert s["coins"].tolist() == [1, -1, 1] and int(s["depth"]) == 0 and not any(s[name].any() for name in FRAMES)


def test_no_program_is_begun_beyond_the_room_there_is() -> None:
    record, s = begun("tower")
    assert s["coins"].tolist() == [toy.DEPTH, 0, 0], "as many frames as there are places, each with its coin"
    for name in (*FRAMES, "depth"):
        assert not s[name].any()
    s["depth"], s["frame_seat"][:] = toy.DEPTH, 2
    before = record.tobytes()
    assert toy.push(s, toy.CARDS["mint"], 1) == -1 and record.tobytes() == before


def test_fields_of_the_games_own_stay_until_the_frame_ends() -> None:
    s = toy.start().view(toy.State)[0]
    frame = toy.push(s, toy.CARDS["gift"], 1)
    s["frame_from"][frame] = 3
    toy.go_on(s)
    assert (frame, int(s["frame_pc"][0]), int(s["frame_n"][0]), int(s["frame_from"][0])) == (0, 5, 0, 3)
    toy.pop(s)
    assert not any(s[name].any() for name in FRAMES)


def test_a_game_has_three_fields_of_its_own_at_most() -> None:
    with pytest.raises(ValueError, match="4 fields of its own, expected at most 3"):
        make_frames(__name__, toy.COUNTS, toy.DEPTH, "a", "b", "c", "d")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, None),
        ({"frame_pc": [4, 0, 0, 0], "depth": 1, "frame_n": [2, 0, 0, 0]}, None),
        ({"frame_n": [0, 0, 0, 1]}, "'frame_n': more entries than 'depth', 0"),
        ({"frame_from": [0, 1, 0, 0], "frame_pc": [4, 0, 0, 0], "depth": 1}, "'frame_from': more entries than 'depth'"),
        ({"depth": 1}, "'frame_pc': entry 0: 0, expected 1 to 13"),
        ({"frame_pc": [4, 14, 0, 0], "depth": 2}, "'frame_pc': entry 1: 14, expected 1 to 13"),
        ({"frame_pc": [4, 0, 0, 0], "frame_seat": [3, 0, 0, 0], "depth": 1}, "entry 0: 3, expected a seat below 3"),
    ],
)
def test_stacks_that_no_game_can_have_are_refused(change: dict[str, Any], message: str | None) -> None:
    s = toy.start().view(toy.State)[0]
    for name, value in change.items():
        s[name] = value
    for fields in (s, {name: s[name].tolist() for name in toy.State.names or ()}):
        if message is None:
            assert check_stack(fields, toy.PROGRAM, "frame_from") == [ops.GIVE] * int(s["depth"])
        else:
            with pytest.raises(UsageError, match=message):
                check_stack(fields, toy.PROGRAM, "frame_from")


def digest() -> str:
    """Sha256 of the records along random plays of the toy."""
    rng, record, total = random.Random(7), toy.start(), hashlib.sha256()
    s = record.view(toy.State)[0]
    for _ in range(300):
        if int(s["node"]) == ops.NODE_GIVE:
            toy.give(record, rng.randrange(3), int(s["mover"]))
        else:
            toy.play(record, rng.choice([pc for pc in toy.CARDS.values() if pc]), rng.randrange(3))
        total.update(record.tobytes())
    assert np.abs(s["coins"]).max() > 100
    return total.hexdigest()


@pytest.mark.skipif(not JIT, reason="compares this process, compiled, with a plain one")
def test_the_same_bytes_with_and_without_the_jit() -> None:
    said = code("from tests.engines.effects.test_frames import digest\nprint(digest())", NUMBA_DISABLE_JIT="1")
    assert said.strip() == digest()


@pytest.mark.skipif(not JIT, reason="plain functions are not cached")
def test_the_kernels_of_a_stack_are_cached_as_its_games() -> None:
    assert {f.py_func.__module__ for f in (toy.push, toy.go_on, toy.pop)} == {toy.__name__}
    s = toy.start().view(toy.State)[0]
    toy.push(s, toy.CARDS["mint"], 1)
    script = """
        from tests.engines.effects import toy
        toy.push(toy.start().view(toy.State)[0], toy.CARDS["mint"], 1)
        print(sum(toy.push.stats.cache_misses.values()))
    """
    assert code(script).strip() == "0", "a second process loads what the first one compiled"
