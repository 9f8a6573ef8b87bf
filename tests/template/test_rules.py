"""The Template by the chapters of its rules, and the engine contract.

FILL IN: a section for each chapter of the rulebook; every sentence that can be broken gets a test.
"""

from __future__ import annotations

import pytest

import engines
from engines.conformance import check
from engines.contract import PUBLIC
from engines.errors import UsageError
from engines.mutations import run_mutations
from engines.state import State


def play(*steps: str, players: int = 2) -> State:
    """A game of these cards and decisions."""
    state = engines.load("template", players=players).start()
    for step in steps:
        state.apply(f"deal {step}" if step.startswith("card") else step)
    return state


def points(state: State) -> list[float]:
    return [round(u * state.game.stakes, 4) for u in state.returns()]


# The deal


def test_every_seat_is_dealt_another_card() -> None:
    state = play("card 2")
    assert "deal card 2" not in {state.game.action_text(a) for a in state.legal_actions()}
    assert play("card 2", "card 1").to_play == 0


# Choices


def test_seats_choose_in_turn_once_each() -> None:
    state = play("card 2", "card 1", "pass")
    assert state.to_play == 1
    state.apply("dare")
    assert state.is_over


# The end


@pytest.mark.parametrize(
    ("choices", "won"),
    [(("pass", "pass"), [0, 0]), (("pass", "dare"), [-1, 1]), (("dare", "pass"), [1, -1]), (("dare", "dare"), [2, -2])],
)
def test_the_highest_card_that_dared_takes_all(choices: tuple[str, str], won: list[int]) -> None:
    state = play("card 3", "card 1", *choices)
    assert points(state) == won == state.scores()


# What is known


def test_a_card_is_known_to_its_seat_alone() -> None:
    state = play("card 2", "card 1")
    assert state.view(0)["state"]["card"] == "card 2" and state.view(1)["state"]["card"] == "card 1"
    assert state.view(PUBLIC)["state"]["card"] is None
    other = play("card 2", "card 3")
    assert state.info_key(0) == other.info_key(0) and state.info_key(1) != other.info_key(1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"turns": 1}, "'choice': expected the choices of 1 seats"),
        ({"dealt": 1, "turns": 1}, "expected a game of 2 seats"),
        ({"card": None}, "'card': expected one, since 'dealt' is 2"),
    ],
)
def test_positions_that_cannot_be_are_refused(change: dict[str, object], message: str) -> None:
    view = play("card 2", "card 1").view(0)
    view["state"] |= change
    with pytest.raises(UsageError, match=message):
        engines.load("template").from_view(view)


# The contract


def test_the_contract_is_kept() -> None:
    kind = engines.registry.game_type("template")
    for players in range(kind.min_players, kind.max_players + 1):
        report = check(engines.load("template", players=players), games=10, rate=1.0)
        assert report.ok, str(report)


def test_planted_defects_are_caught() -> None:
    report = run_mutations(engines.load("template"), games=10)
    assert report.ok, str(report)
