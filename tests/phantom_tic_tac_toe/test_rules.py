"""The rules of phantom tic-tac-toe: tries, turns, the end; what each seat is shown; options; views."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import engines
from engines.contract import PUBLIC, TERMINAL
from engines.errors import IllegalAction, UsageError
from engines.phantom_tic_tac_toe.layout import NAMES
from engines.rng import below, generator
from engines.state import State

OBSTYPES = ("reveal-nothing", "reveal-numturns")
every_obstype = pytest.mark.parametrize("obstype", OBSTYPES)


def play(text: str, obstype: str = OBSTYPES[0]) -> State:
    """The state after tries, by the names of their cells."""
    state = engines.load("phantom_tic_tac_toe", obstype=obstype).start()
    for name in text.split():
        state.apply(NAMES.index(name))
    return state


# Tries and turns


def test_a_try_at_an_empty_cell_ends_the_turn() -> None:
    state = play("b2 a1")
    assert (state.to_play, int(state.fields["turn"])) == (0, 2)
    assert state.fields["tries"][0].tolist()[:2] == [5, 0] and state.fields["tries"][1].tolist()[:2] == [1, 0]


def test_a_try_at_a_taken_cell_keeps_the_turn() -> None:
    state = play("b2 b2")
    assert (state.to_play, int(state.fields["turn"])) == (1, 1)
    assert state.view(1)["state"]["tries"] == ["b2 taken"] and state.view(0)["state"]["tries"] == ["b2"]
    state.apply("mark a1")
    assert state.to_play == 0


def test_a_seat_tries_no_cell_that_it_knows() -> None:
    state = play("b2 b2 a1 a1")
    assert state.legal_actions() == [1, 2, 3, 5, 6, 7, 8], "its own mark and the one that it has run into"
    with pytest.raises(IllegalAction, match=r"action 0 \(mark a1\) is illegal here"):
        state.apply("mark a1")
    assert play("b2 b2 a1 b1").legal_actions() == [1, 2, 3, 5, 6, 7, 8], "cells of the other seat may be tried"


# The end


def test_three_in_a_line_win() -> None:
    state = play("a1 b2 b1 a2 c1")
    assert state.to_play == TERMINAL and state.legal_actions() == []
    assert state.returns() == [1.0, -1.0] and state.scores() == [1, -1]
    assert play("a1 b2 b1 a2 c3 c2").returns() == [-1.0, 1.0]


def test_a_full_board_is_a_draw() -> None:
    state = play("a1 b1 c1 b2 a2 c2 b3 a3 c3")
    assert state.is_over and state.returns() == [0.0, 0.0]


def test_the_longest_game_has_17_steps() -> None:
    state = play("a1 a1 b1 b1 c1 c1 b2 b2 a2 a2 c2 c2 b3 b3 a3 a3 c3")
    assert state.is_over and len(state.history or ()) == 17 == state.game.max_length


# What is shown


@every_obstype
def test_what_a_seat_is_shown_of_the_others_tries(obstype: str) -> None:
    one, two = play("b2 a1", obstype), play("b2 b2 c3", obstype)
    alike = obstype == OBSTYPES[0]
    for seat in (0, PUBLIC):
        assert (one.info_key(seat) == two.info_key(seat)) == alike
        assert (one.view(seat)["state"] == two.view(seat)["state"]) == alike
        assert (one.game.board(one, seat) == two.game.board(two, seat)) == alike
    assert (one.observe(0).tobytes() == two.observe(0).tobytes()) == alike
    assert one.info_key(1) != two.info_key(1)
    assert two.view(PUBLIC)["state"]["attempts"] == ([] if alike else [1, 2])


def test_boards() -> None:
    state = play("b2 b2 a1 a1")
    game = state.game
    assert str(state) == "  a b c\n1 o . .\n2 . x .\n3 . . .\n2 marks, seat 0 (x) to play"
    assert game.board(state, 0) == "  a b c\n1 o ? ?\n2 ? x ?\n3 ? ? ?\n2 marks, seat 0 (x) to play"
    assert game.board(play("b2 b2 a1"), 0).startswith("  a b c\n1 ? ? ?\n2 ? x ?")
    assert game.board(state, PUBLIC).startswith("  a b c\n1 ? ? ?\n2 ? ? ?")
    numbered = play("b2 b2 a1 a1", OBSTYPES[1])
    assert numbered.game.board(numbered, PUBLIC).splitlines()[4] == "tries by turn: 1 2 1"


def test_the_log() -> None:
    b2 = NAMES.index("b2")
    open_cell, taken = play("a1"), play("b2")
    assert [open_cell.notation(b2, seat) for seat in (1, 0, PUBLIC)] == ["seat 1: mark b2"] + [
        "seat 1 has made a mark"
    ] * 2
    assert [taken.notation(b2, seat) for seat in (1, 0, PUBLIC)] == ["seat 1: b2 is taken", "", ""]
    counted = play("b2", OBSTYPES[1])
    assert counted.notation(b2, 0) == counted.notation(b2) == "seat 1 has run into a mark"


def test_an_observation_says_what_was_tried() -> None:
    state = play("b2 b2 a1 a1", OBSTYPES[1])
    seen = {seat: parts(state, seat) for seat in range(2)}
    assert seen[0]["mover"].tolist() == [1, 0] and seen[1]["mover"].tolist() == [0, 1]
    assert seen[0]["turn"].tolist() == seen[1]["turn"].tolist() == [2]
    assert seen[0]["own"].argmax() == 4 and seen[0]["met"].argmax() == 0
    assert seen[1]["own"].argmax() == 0 and seen[1]["met"].argmax() == 4
    assert seen[0]["tries"].tolist()[:3] == [5, 10, 0] and seen[1]["tries"].tolist()[:3] == [14, 1, 0]
    assert seen[0]["attempts"].tolist() == seen[1]["attempts"].tolist() == [1, 2, 1, 0, 0, 0, 0, 0, 0]
    assert "attempts" not in parts(play("b2"), 0)


def parts(state: State, seat: int) -> dict[str, np.ndarray[Any, Any]]:
    seen = state.observe(seat)
    return {part.name: seen[part.start : part.start + part.size] for part in state.game.slices}


# Options and views


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"obstype": "reveal-numturn"}, "reveal-numturns"),
        ({"obstype": 1}, "obstype of phantom_tic_tac_toe"),
        ({"players": 3}, "players=3, expected 2 to 2"),
        ({"gameversion": "abrupt"}, "gameversion"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        engines.load("phantom_tic_tac_toe", **options)


@pytest.mark.parametrize(
    ("text", "obstype", "change", "message"),
    [
        ("b2 a1", 0, {"obstype": "reveal-numturns"}, "loaded with 'reveal-nothing'"),
        ("b2 a1", 0, {"turn": 9}, "cannot be 'still going on'"),
        ("b2 a1", 0, {"result": "seat 0 has won"}, "cannot be 'seat 0 has won'"),
        ("b2 a1", 0, {"result": "draw"}, "cannot be 'draw'"),
        ("b2 a1", 0, {"attempts": [1, 1]}, "reveal-nothing"),
        ("b2 a1", 1, {"attempts": [1, 0]}, "0 in turn 1, expected 1 to 2"),
        ("b2 a1", 1, {"attempts": [2, 1]}, "2 in turn 0, expected 1 to 1"),
        ("b2 a1", 1, {"attempts": [1, 3]}, "3 in turn 1, expected 1 to 2"),
        ("b2 a1", 1, {"attempts": [1, 1, 0, 1]}, "1 in turn 3, expected 0 to 0"),
        ("b2 a1", 1, {"attempts": [1, 1, 1]}, "do not fit 'attempts'"),
        ("b2 a1", 0, {"tries": ["b2", None, "a1 taken"]}, "without gaps"),
        ("b2 a1", 0, {"tries": ["b2", "b2 taken"]}, "b2 is tried twice"),
        ("b2 a1", 0, {"tries": ["b2", "a1"]}, "expected 1 marks"),
        ("b2", 0, {"tries": ["b2", "a1 taken"]}, "expected 1 marks, the last try among them"),
        ("b2 a1", 0, {"tries": ["b2", "a1 taken", "c1 taken"]}, "there is no game"),
        ("b2 a1", 0, {"tries": ["a1 taken", "b2"]}, "there is no game"),
        ("a1 b1 a2 b2 c3 c2", 0, {"tries": ["a1", "a2", "a3"]}, "there is no game"),
    ],
)
def test_a_view_that_cannot_be_is_refused(text: str, obstype: int, change: dict[str, Any], message: str) -> None:
    state = play(text, OBSTYPES[obstype])
    view = state.view(0)
    assert state.game.from_view(view).view(0) == view
    view["state"] = {**view["state"], **change}
    with pytest.raises(UsageError, match=message):
        state.game.from_view(view)


@every_obstype
def test_every_view_of_random_games_can_be(obstype: str) -> None:
    game, rng = engines.load("phantom_tic_tac_toe", obstype=obstype), generator("views")
    for _ in range(60):
        state = game.start()
        while legal := state.legal_actions():
            for seat in (PUBLIC, 0, 1):
                assert game.from_view(state.view(seat)).view(seat)["state"] == state.view(seat)["state"]
            state.apply(legal[below(rng, len(legal))])
        assert all(game.from_view(state.view(seat)).is_over for seat in (PUBLIC, 0, 1))
