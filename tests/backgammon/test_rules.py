"""The rules of backgammon, chapter by chapter."""

from __future__ import annotations

import math
from collections import Counter

import pytest

import engines
from engines.contract import CHANCE, TERMINAL
from engines.errors import IllegalAction
from engines.rng import below, generator
from engines.state import State
from tests.backgammon.positions import START, after, moves, place, plays, where

either_seat = pytest.mark.parametrize("mover", [0, 1])


# The board and the start


def test_the_start() -> None:
    state = engines.load("backgammon").start()
    for seat in range(2):
        assert where(state, seat) == {"6": 5, "8": 3, "13": 5, "24": 2}
    assert str(state).count("167 pips") == 2
    assert state.to_play == CHANCE


def test_the_start_is_the_same_from_both_sides() -> None:
    game = engines.load("backgammon")
    for high in range(2, 7):
        for low in range(1, high):
            first, second = game.start(), game.start()
            first.apply(f"opening roll {high}-{low}")
            second.apply(f"opening roll {low}-{high}")
            assert (first.to_play, second.to_play) == (0, 1)
            assert plays(first) == plays(second)


def test_a_position_is_the_same_from_both_sides() -> None:
    """Seats exchanged: the same legal moves, keys of their own, the same positions after them, utilities reversed."""
    game, rng = engines.load("backgammon", scoring="points"), generator("mirror")
    for number in range(20):
        state = game.start(seed=number)
        for _ in range(below(rng, 120)):
            if not state.is_over:
                legal = state.legal_actions()
                state.apply(legal[below(rng, len(legal))])
        other = mirrored(state)
        assert other.legal_actions() == state.legal_actions()
        assert other.returns() == state.returns()[::-1]
        for seat in range(2):
            assert other.observe(1 - seat).tolist() == state.observe(seat).tolist()
        for action in state.legal_actions():
            assert mirrored(after(state, game.action_text(action))) == after(other, game.action_text(action))


def mirrored(state: State) -> State:
    other = state.clone()
    other.fields["mover"] = 1 - int(state.fields["mover"])
    other.fields["checkers"] = state.fields["checkers"][::-1]
    return other


# The opening roll, and rolls


def test_the_opening_roll_is_no_double_and_the_higher_die_begins() -> None:
    state = engines.load("backgammon").start()
    stream, outcomes = state.chance()
    assert stream == 2 and len(outcomes) == 30 and {weight for _, weight in outcomes} == {1}
    began: Counter[int] = Counter()
    for outcome, _ in outcomes:
        rolled = after(state, state.game.action_text(outcome))
        first, second = (int(die) for die in state.game.action_text(outcome).removeprefix("opening roll ").split("-"))
        assert rolled.to_play == (0 if first > second else 1)
        assert rolled.fields["dice"].tolist() == [max(first, second), min(first, second), 0, 0]
        began[rolled.to_play] += 1
    assert began == {0: 15, 1: 15}


@either_seat
def test_there_are_21_rolls_and_36_ways_to_roll_them(mover: int) -> None:
    state = place(START, START, mover=mover)
    stream, outcomes = state.chance()
    weights = {state.game.action_text(outcome): weight for outcome, weight in outcomes}
    assert stream == mover and len(weights) == 21
    doubles = {f"roll {n}-{n}" for n in range(1, 7)}
    assert all(weight == (1 if text in doubles else 2) for text, weight in weights.items())
    assert sum(weights[text] for text in weights.keys() - doubles) == 30 and doubles < weights.keys()
    assert sum(weights.values()) == 36


# Moving checkers


@either_seat
def test_a_checker_moves_to_any_point_that_is_not_blocked(mover: int) -> None:
    # The other seat holds the mover's 19 and 12, and has a blot on its 5.
    state = place("24:2 13:1 6:12", "6:2 13:2 20:1 1:10", "5-1", mover)
    assert moves(state) == ["13/8", "24/23", "6/1", "6/5"]  # 24/19 and 13/12 are blocked
    assert moves(after(state, "24/23")) == ["13/8", "23/18", "6/1"]


def test_both_dice_may_be_played_in_any_order_by_one_checker_or_two() -> None:
    state = place("20:1 10:1 6:1 5:12", "1:2 2:13", "4-1")
    assert {"20/16 16/15", "20/19 19/15", "20/16 10/9", "10/9 20/16", "10/6 6/5"} < plays(state)
    assert after(state, "20/16", "16/15") == after(state, "20/19", "19/15")
    assert after(state, "20/16", "10/9") == after(state, "10/9", "20/16")


def test_points_between_the_dice_must_be_open_for_one_checker_to_play_both() -> None:
    # The other seat holds the mover's 14 and 18 of 20, which has nothing else that could move by 6 or 2.
    blocked = place("20:1", "11:2 7:2 24:11", "6-2")
    assert where(blocked, 0) == {"off": 14, "20": 1} and blocked.to_play == CHANCE
    assert plays(place("20:1", "11:2 24:13", "6-2")) == {"20/18 18/12"}


@either_seat
def test_the_turn_goes_to_the_other_seat(mover: int) -> None:
    state = place(START, START, "3-1", mover)
    assert state.to_play == mover and int(state.fields["turn"]) == 20
    state = after(state, "8/5")
    assert state.to_play == mover and state.fields["dice"].tolist() == [1, 0, 0, 0]
    state = after(state, "6/5")
    assert state.to_play == CHANCE and int(state.fields["turn"]) == 21
    assert state.chance()[0] == 1 - mover
    assert after(state, "roll 2-1").to_play == 1 - mover


# Hitting


@either_seat
def test_a_blot_that_is_hit_goes_to_the_bar(mover: int) -> None:
    state = place("8:2 6:13", "20:1 6:14", "3-1", mover)
    hit = after(state, "8/5")
    assert where(hit, mover) == {"5": 1, "6": 13, "8": 1}
    assert where(hit, 1 - mover) == {"6": 14, "bar": 1}
    assert state.notation(state.game.parse("8/5")) == f"seat {mover}: 8/5*"
    assert state.notation(state.game.parse("8/7")) == f"seat {mover}: 8/7"


def test_hit_and_run() -> None:
    state = after(place("8:1 6:14", "20:1 6:14", "3-1"), "8/5", "5/4")
    assert where(state, 0) == {"4": 1, "6": 14} and where(state, 1) == {"6": 14, "bar": 1}


def test_several_blots_may_be_hit_in_a_turn() -> None:
    state = after(place("8:2 6:13", "20:1 18:1 6:13", "3-1"), "8/5", "8/7")
    assert where(state, 1)["bar"] == 2


# The bar


@either_seat
def test_a_checker_on_the_bar_must_enter_first(mover: int) -> None:
    state = place("bar:1 8:14", "3:2 1:13", "6-4", mover)
    assert moves(state) == ["bar/19", "bar/21"]
    assert moves(after(state, "bar/19")) == ["19/15", "8/4"]
    assert moves(after(state, "bar/21")) == ["21/15", "8/2"]


def test_a_die_whose_point_is_blocked_cannot_bring_it_in() -> None:
    state = place("bar:1 8:14", "6:2 1:13", "6-4")
    assert moves(state) == ["bar/21"]
    assert moves(after(state, "bar/21")) == ["21/15", "8/2"]


def test_every_checker_on_the_bar_must_be_in_before_others_move() -> None:
    state = place("bar:2 8:13", "1:15", "6-4")
    assert plays(state) == {"bar/19 bar/21", "bar/21 bar/19"}
    assert plays(place("bar:3 8:12", "1:15", "6-4")) == plays(state)
    # With one way in blocked, the other die has nothing to play.
    assert plays(place("bar:2 8:13", "4:2 1:13", "6-4")) == {"bar/19"}


def test_entering_may_hit() -> None:
    state = after(place("bar:1 8:14", "4:1 1:14", "4-3"), "bar/21")
    assert where(state, 1) == {"1": 14, "bar": 1}


@either_seat
def test_who_cannot_enter_loses_the_turn(mover: int) -> None:
    before = place("bar:1 6:14", "6:2 4:2 1:11", mover=mover)
    state = after(before, "roll 6-4")
    assert state.to_play == CHANCE and state.chance()[0] == 1 - mover and int(state.fields["turn"]) == 21
    assert before.notation(before.game.parse("roll 6-4")) == f"seat {mover} rolls 6-4: no move"
    assert before.notation(before.game.parse("roll 6-5")) == f"seat {mover} rolls 6-5"


def test_a_closed_board_keeps_a_seat_out_whatever_it_rolls() -> None:
    closed = place("bar:1 6:14", "1:2 2:2 3:2 4:2 5:2 6:5")
    for outcome, _ in closed.chance()[1]:
        assert after(closed, closed.game.action_text(outcome)).chance()[0] == 1


# Doubles


def test_a_double_is_played_four_times() -> None:
    state = place("13:5 6:10", "1:15", "3-3")
    assert state.fields["dice"].tolist() == [3, 3, 3, 3]
    assert after(state, "13/10", "13/10", "10/7", "6/3").to_play == CHANCE
    assert after(state, "13/10", "10/7", "7/4").fields["dice"].tolist() == [3, 0, 0, 0]
    assert "13/10 10/7 7/4 4/1" in plays(state)


@pytest.mark.parametrize(
    ("mine", "theirs", "play"),
    [
        ("24:1 13:1", "7:8 18:7", None),
        ("24:1", "13:15", "24/18"),
        ("bar:2", "12:15", "bar/19 bar/19"),
        ("bar:2 7:1", "12:15", "bar/19 bar/19 7/1"),
        ("24:1", "18:15", "24/18 18/12 12/6 6/off"),
    ],
)
def test_of_a_double_as_much_is_played_as_can_be(mine: str, theirs: str, play: str | None) -> None:
    state = place(mine, theirs, "6-6")
    assert state.to_play == (CHANCE if play is None else 0)
    assert play is None or (play in plays(state) and len({text.count("/") for text in plays(state)}) == 1)


# Playing as many dice as possible


@either_seat
def test_a_first_move_that_leaves_the_other_die_unplayed_is_barred_where_both_can_be_played(mover: int) -> None:
    # The other seat holds the mover's 3 and 18: after 10/9 there would be no 6.
    state = place("24:1 10:1 4:1", "22:2 7:2 13:11", "6-1", mover)
    assert plays(state) == {"10/4 24/23", "24/23 10/4", "24/23 23/17"}
    assert moves(place("24:1 10:1 4:1", "7:2 13:13", "6-1", mover)) == ["10/4", "10/9", "24/23", "4/3"]


def test_the_move_that_brings_the_last_checker_home_lets_the_other_die_bear_off() -> None:
    # With the mover's 1 blocked, 7/6 first leaves 6/off for the 6; 7/1 cannot be played, nor can 2/1.
    assert plays(place("7:1 2:1", "24:2 23:13", "6-1")) == {"7/6 6/off"}


@either_seat
def test_of_two_dice_that_cannot_both_be_played_the_larger_is(mover: int) -> None:
    # The other seat holds the mover's 13, where both ways lead.
    state = place("24:1", "12:2 13:13", "6-5", mover)
    assert plays(state) == {"24/18"}
    assert after(state, "24/18").to_play == CHANCE
    # And its 18 too: the smaller.
    assert plays(place("24:1", "12:2 7:2 13:11", "6-5", mover)) == {"24/19"}


def test_a_die_that_cannot_be_played_does_not_bar_the_other() -> None:
    # No checker has a 6 before or after a 1: the 1 may be played by either.
    assert plays(place("24:1 7:1 2:1", "7:2 24:2 8:2 13:9", "6-1")) == {"24/23", "7/6"}


def test_the_dice_are_left_if_none_can_be_played() -> None:
    assert place("24:1", "7:2 6:2 1:11", "6-5").to_play == CHANCE


def test_what_is_barred_is_refused() -> None:
    with pytest.raises(IllegalAction, match=r"24/19.*illegal here; legal for seat 0: .*24/18"):
        place("24:1", "12:2 13:13", "6-5").apply("24/19")


# Bearing off


def test_a_checker_is_borne_off_by_the_die_of_its_point() -> None:
    state = place("6:2 3:1 2:1", "1:15", "6-3")
    assert {"6/off 3/off", "3/off 6/off", "6/off 6/3", "6/3 6/off"} == plays(state)
    assert where(after(state, "6/off"), 0) == {"off": 12, "6": 1, "3": 1, "2": 1}


def test_nobody_bears_off_while_a_checker_is_not_home() -> None:
    assert moves(place("7:1 5:2 2:2", "1:15", "5-2")) == ["5/3", "7/2", "7/5"]
    assert moves(place("bar:1 5:2 2:2", "1:15", "5-2")) == ["bar/20", "bar/23"]
    # The last one comes home with one die, then the other may bear off.
    state = place("7:1 2:2", "1:15", "5-2")
    assert "7/5 5/off" in plays(state) and "7/2 2/off" in plays(state)
    assert "2/off 7/2" not in plays(state)


def test_without_a_checker_on_the_point_one_farther_back_must_move() -> None:
    assert moves(place("6:1 3:2 1:1", "1:15", "5-4")) == ["6/1", "6/2"]
    assert moves(place("6:1 2:2", "1:15", "5-5")) == ["6/1"]


def test_without_one_farther_back_the_highest_is_borne_off() -> None:
    assert plays(place("3:1 2:1 1:1", "1:15", "6-5")) == {"3/off 2/off"}
    assert plays(place("4:2 1:1", "1:15", "5-5")) == {"4/off 4/off 1/off"}
    # With the 6 the highest goes; with the 1 anything may move before.
    assert plays(place("4:1 2:1", "1:15", "6-1")) == {"4/off 2/1", "4/3 3/off", "2/1 4/off"}


def test_nobody_must_bear_off_who_can_move() -> None:
    assert {"4/off", "6/2"} <= set(moves(place("6:1 4:1", "1:15", "4-1")))


def test_a_high_point_that_is_blocked_keeps_the_lower_ones_in() -> None:
    # 6/1 is blocked by the other seat's anchor; 3 and 2 may not be borne off by a 5 while a checker stands on 6.
    assert place("6:2 3:1 2:1", "24:2 23:13", "5-5").to_play == CHANCE
    assert moves(place("6:2 5:1 3:1", "24:2 23:13", "5-5")) == ["5/off"]


def test_either_die_bears_off_a_checker_lower_than_both_and_it_does_not_matter_which() -> None:
    state = place("3:2 1:1", "1:15", "6-4")
    assert moves(state) == ["3/off"]
    assert after(state, "3/off").fields["dice"].tolist() == [6, 0, 0, 0]
    assert plays(state) == {"3/off 3/off"}


def test_a_checker_that_is_hit_must_come_home_again() -> None:
    state = place("bar:1 6:14", "24:1 1:14", "5-4")
    assert moves(state) == ["bar/20", "bar/21"]
    state = place("6:1 1:3", "20:1 bar:1 1:13", "1-1")
    assert moves(state) == ["1/off", "6/5"]
    assert where(after(state, "6/5"), 1)["bar"] == 2


def test_the_last_checker_plays_both_dice_too() -> None:
    # 3/off by the 6 would leave the 1 unplayed.
    assert plays(place("3:1", "1:15", "6-1")) == {"3/2 2/off"}
    assert plays(place("3:1", "1:15", "6-3")) == {"3/off"}
    assert plays(place("3:1", "1:15", "5-5")) == {"3/off"}


# The end, and what it is worth


@either_seat
@pytest.mark.parametrize(
    ("theirs", "points"),
    [("1:14", 1), ("bar:1 19:13", 1), ("1:15", 2), ("18:15", 2), ("1:14 19:1", 3), ("24:1 1:14", 3), ("bar:1 1:14", 3)],
)
def test_game_gammon_backgammon(theirs: str, points: int, mover: int) -> None:
    sign = 1 if mover == 0 else -1
    for scoring, utility in (("win", 1.0), ("points", points / 3)):
        state = place("1:1", theirs, "2-1", mover, scoring=scoring)
        name = {1: "the game", 2: "a gammon", 3: "a backgammon"}[points]
        assert state.notation(state.game.parse("1/off")) == f"seat {mover}: 1/off and wins {name}"
        state = after(state, "1/off")
        assert state.to_play == TERMINAL and state.legal_actions() == []
        assert state.returns() == pytest.approx([sign * utility, -sign * utility])
        assert state.scores() == ([points, 0] if mover == 0 else [0, points])
        assert state.returns()[mover] * state.game.stakes == pytest.approx(points if scoring == "points" else 1)
        assert f"seat {mover} has won {name}" in str(state)


def test_after_the_last_turn_it_is_a_draw() -> None:
    state = place(START, START, "2-1", max_turns=21)
    state = after(state, "13/11", "6/5")
    assert state.to_play == TERMINAL and state.returns() == [0, 0] and state.scores() == [0, 0]
    assert "a draw after 21 turns" in str(state)
    assert after(place("1:1", "1:15", "2-1", max_turns=21), "1/off").returns() == [1, -1]
    stuck = place("bar:1 6:14", "6:2 4:2 1:11", "6-4", max_turns=21)
    assert stuck.to_play == TERMINAL and stuck.returns() == [0, 0]


def test_before_the_end_the_race_stands() -> None:
    assert place(START, START).returns() == [0, 0]
    state = place("1:10", "1:15 ", scoring="points")
    assert state.returns() == pytest.approx([5 / math.sqrt(25 + 25) / 3, -5 / math.sqrt(25 + 25) / 3])
    assert place("bar:1 1:14", "1:15").returns()[0] == pytest.approx(-24 / math.sqrt(24**2 + 54))
