"""The rules of Pig, chapter by chapter: turns, dice, holding, the end, what it pays; options; views."""

from __future__ import annotations

import json

import pytest

import engines
from engines.contract import CHANCE, TERMINAL
from engines.errors import UsageError
from engines.pig.layout import FIRST_FACE, HOLD, ROLL
from engines.state import State


def play(text: str, players: int = 2, **options: object) -> State:
    """The state after a line: "r" rolls, "h" holds, a digit is what the die shows."""
    state = engines.load("pig", players=players, **options).start()
    for letter in text:
        state.apply({"r": ROLL, "h": HOLD}.get(letter, FIRST_FACE - 1 + int(letter) if letter.isdigit() else -1))
    return state


def facts(state: State) -> tuple[list[int], int, int]:
    return state.scores(), int(state.fields["total"]), state.to_play


def test_the_first_seat_begins_and_may_roll_or_hold() -> None:
    state = play("")
    assert facts(state) == ([0, 0], 0, 0)
    assert state.legal_actions() == [ROLL, HOLD]


def test_a_die_has_six_faces_alike() -> None:
    state = play("r")
    assert state.to_play == CHANCE
    assert state.chance() == (0, [(FIRST_FACE + face, 1) for face in range(6)])


def test_every_seat_has_its_own_stream() -> None:
    assert play("r1r").chance()[0] == 1
    assert play("hhr", players=3).chance()[0] == 2


def test_faces_above_one_add_up_and_the_turn_goes_on() -> None:
    assert facts(play("r2r6r3")) == ([0, 0], 11, 0)


def test_a_one_loses_what_the_turn_has_brought() -> None:
    assert facts(play("r6r5r1")) == ([0, 0], 0, 1)
    assert facts(play("r6hr5hr4r1")) == ([6, 5], 0, 1)


def test_holding_keeps_what_the_turn_has_brought() -> None:
    assert facts(play("r6r5h")) == ([11, 0], 0, 1)
    assert facts(play("r6hr3hr5h")) == ([11, 3], 0, 1)


def test_who_has_rolled_nothing_may_hold() -> None:
    assert facts(play("h")) == ([0, 0], 0, 1)


def test_seats_take_turns() -> None:
    assert [play("h" * turns, players=4).to_play for turns in range(6)] == [0, 1, 2, 3, 0, 1]


def test_with_enough_for_the_target_there_is_only_holding() -> None:
    state = play("r6r4", target=10)
    assert state.legal_actions() == [HOLD]
    state.apply(HOLD)
    assert facts(state) == ([10, 0], 0, TERMINAL)
    assert state.legal_actions() == []
    assert play("r6r3", target=10).legal_actions() == [ROLL, HOLD]
    assert play("r6hhr6", target=10).legal_actions() == [HOLD]


def test_who_reaches_the_target_has_won() -> None:
    assert play("r6r6h", target=12).returns() == [1, -1]
    assert play("hr6r6h", target=12).returns() == [-1, 1]


def test_of_many_the_winner_is_ahead_and_the_others_stand_by_their_points() -> None:
    line = "r3hr2hr6r6h"
    assert play(line, players=3, target=12).returns() == [0, -1, 1]
    assert play("r2hr2hr6r6h", players=3, target=12).returns() == [-0.5, -0.5, 1]
    assert play(line, players=3, target=12, utility="win").returns() == [-0.5, -0.5, 1]


def test_before_the_end_the_held_points_stand() -> None:
    assert play("r6r5").returns() == [0, 0]
    assert play("r2hr6hr5").returns() == [-1, 1]
    assert play("r2hr6hr6", players=4, utility="win").returns() == pytest.approx([-1 / 3, 1, -1 / 3, -1 / 3])
    assert play("r6hr6h", players=4, utility="win").returns() == pytest.approx([1 / 3, 1 / 3, -1 / 3, -1 / 3])


def test_without_a_winner_after_the_last_turn_it_is_a_draw() -> None:
    state = play("r6hr1r5h", max_turns=3)
    assert facts(state) == ([11, 0], 0, TERMINAL)
    assert state.returns() == [0, 0]
    assert play("r6hr1r5h", max_turns=3, target=11).returns() == [1, -1]
    assert "a draw after 3 turns" in str(state)


def test_the_scripted_policy_keeps_pace_and_ends_the_race() -> None:
    def holds_at(mine: int, theirs: int) -> int:
        """The total at which it holds."""
        state = engines.load("pig").start()
        state.fields["score"][:2], script = (mine, theirs), state.game.kernels.scripted
        assert script is not None
        for total in range(2, 101):
            state.fields["total"] = total
            if script(state.record, engines.rng.generator(1)) == HOLD:
                return total
        raise AssertionError

    assert holds_at(0, 0) == 21
    assert holds_at(0, 40) == 26
    assert holds_at(40, 0) == 16
    assert holds_at(70, 70) == 21
    assert holds_at(71, 0) == 29
    assert holds_at(10, 71) == 90


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": 0}, "target=0, expected an integer from 1 to 200"),
        ({"target": 201}, "target=201, expected an integer from 1 to 200"),
        ({"target": "10"}, "target='10', expected an integer"),
        ({"target": True}, "target=True, expected an integer"),
        ({"max_turns": 501}, "max_turns=501, expected an integer from 1 to 500"),
        ({"utility": "wins"}, "'win'"),
        ({"players": 1}, "expected 2 to 4"),
        ({"players": 5}, "expected 2 to 4"),
        ({"targt": 10}, "'target'"),
    ],
)
def test_bad_options_are_refused_by_name(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        engines.load("pig", **options)
    assert message in str(refusal.value)


def test_the_log_says_what_the_die_did() -> None:
    assert play("r4r").notation(FIRST_FACE + 2) == "seat 0 rolls a 3: 7 so far"
    assert play("r4r").notation(FIRST_FACE) == "seat 0 rolls a 1: the turn is over, 4 lost"
    assert play("r4hr2hr5").notation(HOLD) == "seat 0: hold 5, now at 9"


@pytest.mark.parametrize(
    ("line", "changes", "field"),
    [
        ("r6", {"target": 50}, "target"),
        ("r6", {"turn": 500}, "total"),
        ("r6", {"total": 1}, "total"),
        ("r6", {"total": 106}, "total"),
        ("r6", {"total": 98, "score": [50, 0], "turn": 2}, "total"),
        ("r6", {"score": [1, 0], "turn": 2}, "score"),
        ("r6", {"score": [0, 6], "turn": 1}, "score"),
        ("r6", {"score": [106, 0], "turn": 1}, "score"),
        ("r6h", {"score": [0, 100], "turn": 1}, "score"),
        ("r6hr", {"score": [100, 0]}, "rolling"),
        ("r6", {"score": [98, 0], "turn": 2, "rolling": 1}, "rolling"),
    ],
)
def test_views_of_impossible_positions_are_refused(line: str, changes: dict[str, object], field: str) -> None:
    state = play(line)
    view = json.loads(json.dumps(state.view(0)))
    assert state.game.from_view(view) == state
    view["state"].update(changes)
    with pytest.raises(UsageError, match=f"field '{field}'"):
        state.game.from_view(view)
