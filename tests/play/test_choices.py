"""Picking an action: by number, by its text, by the start of its words; mistakes name what was meant."""

from __future__ import annotations

import pytest

from engines.errors import IllegalAction
from orion_ai.play.choices import Option, pick

OPTIONS = [
    Option(1, 10, "build frigate 0"),
    Option(2, 11, "build frigate 1"),
    Option(3, 12, "build farm"),
    Option(4, 3, "attack red"),
    Option(5, 0, "pass"),
]


@pytest.mark.parametrize(
    ("typed", "action"),
    [
        ("1", 10),
        (" 5 ", 0),
        ("pass", 0),
        ("PASS", 0),
        ("p", 0),
        ("bu fa", 12),
        ("build frigate 1", 11),
        ("b f 1", 11),
        ("at", 3),
    ],
)
def test_what_is_meant(typed: str, action: int) -> None:
    assert pick(OPTIONS, typed).action == action


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("0", "there is no option 0: expected 1 to 5"),
        ("77", "there is no option 77"),
        ("bu fr", "may mean 'build frigate 0', 'build frigate 1': type more"),
        ("buidl farm", r"'buidl farm' is not possible now. Did you mean 'build farm' \(3\)"),
        ("xyzzy", "'xyzzy' is not possible now. Type a number from 1 to 5"),
        ("build frigate 7", "not possible now. Did you mean 'build frigate"),
    ],
)
def test_what_is_not(typed: str, message: str) -> None:
    with pytest.raises(IllegalAction, match=message):
        pick(OPTIONS, typed)


SAID = [
    Option(1, 1, "play 0", "plays Farmer"),
    Option(2, 2, "play 1", "plays Miner"),
    Option(3, 3, "miner", "plays dead"),
]


@pytest.mark.parametrize(
    ("typed", "action"), [("plays miner", 2), ("plays f", 1), ("play 1", 2), ("miner", 3), ("m", 3)]
)
def test_what_the_log_would_say_is_understood_too(typed: str, action: int) -> None:
    assert pick(SAID, typed).action == action


def test_both_texts_are_named_where_several_are_meant() -> None:
    with pytest.raises(IllegalAction, match=r"'play 0 \(plays Farmer\)', 'play 1 \(plays Miner\)'"):
        pick(SAID, "pl")
    with pytest.raises(IllegalAction, match=r"Did you mean 'plays Farmer' \(1\)"):
        pick(SAID, "plays Farnser")


def test_a_text_that_begins_another_is_found_whole() -> None:
    options = [Option(1, 1, "move 1"), Option(2, 2, "move 1 2")]
    assert pick(options, "move 1").action == 1
