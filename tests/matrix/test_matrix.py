"""Matrix games: what they pay, what stays secret, and every table that is refused."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

import engines
from engines.conformance import check
from engines.contract import PUBLIC
from engines.errors import UsageError
from engines.mutations import run_mutations
from engines.state import State
from orion_ai.cli import main
from orion_ai.identity import identity_of


def load(payoffs: Any) -> Any:
    return engines.load("matrix", payoffs=payoffs)


def play(payoffs: Any, *choices: str) -> State:
    state: State = load(payoffs).start()
    for choice in choices:
        state.apply(choice)
    return state


# Payoffs


def test_seat_0_chooses_a_row_and_seat_1_a_column() -> None:
    table = [[3, -1, 4], [-2, 1, 0]]
    assert play(table).legal_actions() == [0, 1]
    assert play(table, "action 1").legal_actions() == [0, 1, 2]
    for row in range(2):
        for column in range(3):
            state = play(table, f"action {row}", f"action {column}")
            assert state.is_over
            assert [round(u * state.game.stakes, 6) for u in state.returns()] == [
                table[row][column],
                -table[row][column],
            ]
            assert state.scores() == [table[row][column], -table[row][column]]
    assert play(table, "action 0", "action 2").returns() == [1, -1]


def test_a_game_with_a_name_has_actions_with_names() -> None:
    state = play("biased_rps", "rock", "scissors")
    assert state.scores() == [50, -50] and state.game.stakes == 50
    assert play("rps_water", "water", "paper").returns() == [0, 0]


def test_a_table_can_be_given_for_both_seats() -> None:
    both = [[[3, -3], [-1, 1]], [[-2, 2], [0, 0]]]
    assert load(both).options == load([[3, -1], [-2, 0]]).options
    assert load([[1.0, -2.0]]).options == load([[1, -2]]).options


def test_tables_of_zeros_and_of_one_cell() -> None:
    assert play([[0, 0]], "action 0", "action 1").returns() == [0, 0]
    assert play([[-7]], "action 0", "action 0").scores() == [-7, 7]


# Secrets


def test_a_choice_is_secret_until_both_have_chosen() -> None:
    state, other = play("rps", "rock"), play("rps", "paper")
    for seat in (1, PUBLIC):
        assert state.view(seat) == other.view(seat)
        assert state.info_key(seat) == other.info_key(seat)
        assert state.game.board(state, seat) == other.game.board(other, seat)
    assert state.observe(1).tolist() == other.observe(1).tolist() == [1, 0, *[0] * 6]
    assert state.info_key(0) != other.info_key(0)
    assert state.observe(0).tolist() == [0, 1, 1, 0, 0, 0, 0, 0]
    assert play("rps").notation(1) == "seat 0: choice" and play("rps").notation(1, 0) == "seat 0: paper"
    state.apply("paper")
    assert state.view(1)["state"]["played"] == ["rock", "paper"]
    assert state.observe(1).tolist() == [0, 1, 0, 1, 0, 1, 0, 0]


def test_in_a_world_the_other_seat_chooses_later() -> None:
    world = play([[3, -1, 4], [-2, 1, 0]], "action 1").determinize(1, 1)
    assert world.to_play == 1
    world.apply("action 2")
    assert world.to_play == 0 and world.legal_actions() == [0, 1]
    world.apply("action 0")
    assert world.scores() == [4, -4]


# What is refused


@pytest.mark.parametrize(
    ("payoffs", "message"),
    [
        ("rsp", "unknown table of payoffs of matrix 'rsp'. Did you mean 'rps'"),
        (3, r"payoffs=3, expected a name \(matching_pennies, .*\) or a list of rows"),
        (None, "payoffs=None, expected a name"),
        ({"rows": 2}, "expected a name"),
        ([], "payoffs has 0 rows, expected 1 to 16"),
        ([[]], r"payoffs\[0\] has 0 columns, expected 1 to 16"),
        ([[0]] * 17, "payoffs has 17 rows, expected 1 to 16"),
        ([[0] * 17], r"payoffs\[0\] has 17 columns, expected 1 to 16"),
        ([1, 2], r"payoffs\[0\]=1, expected a list of numbers"),
        ([[1, 2], 3], r"payoffs\[1\]=3, expected a list of numbers"),
        ([[1, 2], [1]], r"payoffs\[1\] has 1 columns, expected 2 like payoffs\[0\]"),
        ([[1, 2], [1, "x"]], r"payoffs\[1\]\[1\]='x', expected a number"),
        ([[1, True]], r"payoffs\[0\]\[1\]=True, expected a number"),
        ([[1, None]], r"payoffs\[0\]\[1\]=None, expected a number"),
        ([[math.nan]], r"payoffs\[0\]\[0\]=nan, expected a number"),
        ([[math.inf]], r"payoffs\[0\]\[0\]=inf, expected a number"),
        ([[0.5, 1]], r"payoffs\[0\]\[0\]=0.5, expected a whole number: multiply the whole table"),
        ([[1, 2_000_000]], r"payoffs\[0\]\[1\]=2000000, expected -1000000 to 1000000"),
        ([[10**400]], r"payoffs\[0\]\[0\]=.*expected -1000000 to 1000000"),
        ([[[1, -1], [3, -2]]], r"payoffs\[0\]\[1\]=\[3, -2\] sums to 1, expected 0: the game is zero-sum"),
        ([[[1, -1], [3, -3, 0]]], r"payoffs\[0\]\[1\]=\[3, -3, 0\], expected a number, or one for each"),
        ([[[1, "x"]]], r"payoffs\[0\]\[0\]\[1\]='x', expected a number"),
    ],
)
def test_tables(payoffs: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load(payoffs)


def test_the_number_of_seats_is_two() -> None:
    with pytest.raises(UsageError, match="players=3, expected 2 to 2"):
        engines.load("matrix", players=3)


@pytest.mark.parametrize(
    ("seat", "field", "value", "message"),
    [
        (0, "rows", 2, "expected the table of this game"),
        (0, "payoffs", {"rock": {"paper": 5}}, "expected the table of this game"),
        (0, "payoffs", {"stone": {"paper": 5}}, "unknown row 'stone'"),
        (0, "played", ["rock", None], "field 'played'"),
        (0, "played", ["rock", "paper"], "field 'pending'"),
        (0, "played", ["rock", "water"], "unknown action 'water'"),
        (0, "asked", 0, "field 'pending': 'rock' cannot have been chosen by seat 0"),
        (1, "pending", "rock", "field 'pending': 'rock' cannot have been chosen by seat 1"),
        (1, "played", ["rock", "paper"], "field 'asked'"),
    ],
)
def test_views_that_no_game_leads_to_are_refused(seat: int, field: str, value: Any, message: str) -> None:
    state = play("rps", "rock")
    view = state.view(seat)
    assert state.game.from_view(view).view(seat) == view
    view["state"][field] = value
    with pytest.raises(UsageError, match=message):
        state.game.from_view(view)


# Commands and files


def test_a_table_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "matrix", "game.payoffs=[[3,-1],[-2,1]]", "games=3"]) == 0
    assert "matrix, 2 players" in capsys.readouterr().out
    assert main(["check", "matrix", "game.payoffs=[[3,-1],[-2]]", "games=3"]) == 2
    assert "payoffs[1] has 1 columns, expected 2" in capsys.readouterr().err


def test_files_name_the_table() -> None:
    identity = identity_of(load([[3, -1], [-2, 1]]))
    assert json.loads(json.dumps(identity.as_json()))["options"] == {"players": 2, "payoffs": [[3, -1], [-2, 1]]}
    assert identity != identity_of(load([[3, -1], [-2, 2]]))


# The suite


@pytest.mark.parametrize("payoffs", ["matching_pennies", "rps_water", [[3, -1, 4], [-2, 1, 0]], [[0]], [[1] * 16] * 16])
def test_the_suite(payoffs: Any) -> None:
    report = check(load(payoffs), games=10, seed=5)
    assert report.ok, str(report)


def test_every_planted_defect_is_caught() -> None:
    report = run_mutations(load("biased_rps"), games=10)
    assert report.ok, str(report)


def test_sizes_depend_on_the_table() -> None:
    game, default = load([[3, -1, 4], [-2, 1, 0]]), engines.load("matrix")
    assert (game.num_actions, game.num_ids, game.max_legal, game.max_length) == (3, 3, 3, 2)
    for name in ("num_actions", "num_ids", "max_legal", "max_length"):
        assert getattr(type(game), name) == getattr(default, name)
