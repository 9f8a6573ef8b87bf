"""Hidden facts come from the declarations of a game's fields: own, masked, and those that nobody knows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import engines
from engines.contract import PUBLIC
from engines.rng import generator
from engines.state import State
from orion_ai.explain.facts import HIDDEN, Facts, hidden_facts, holding
from tests.engines.duel import duel


def worlds_of(state: State, seat: int, count: int = 400) -> NDArray[np.uint8]:
    rng = generator(5)
    return np.array([state.sample_world(seat, rng)[0].record for _ in range(count)])


def shares(facts: Facts) -> dict[tuple[str, str, str], float]:
    return dict(zip(facts.names, facts.shares(np.ones(len(facts.amounts))).tolist(), strict=True))


def test_a_card_of_another_seat() -> None:
    state = engines.load("kuhn_poker", players=3).start()
    for step in ("deal jack", "deal ace", "deal king"):
        state.apply(step)
    found = shares(hidden_facts(state.game, worlds_of(state, 1), 1))
    assert set(found) == {("card", f"seat {p}", rank) for p in (0, 2) for rank in ("jack", "queen", "king")}
    assert all(share == pytest.approx(1 / 3, abs=0.1) for share in found.values())


def test_everything_is_hidden_from_the_public() -> None:
    state = engines.load("kuhn_poker").start(seed=1)
    found = hidden_facts(state.game, worlds_of(state, PUBLIC), PUBLIC)
    assert {whose for _, whose, _ in found.names} == {"seat 0", "seat 1"}


def test_counts_by_label() -> None:
    state = engines.load("liars_dice", dice=3, faces=3).start(seed=1)
    facts = hidden_facts(state.game, worlds_of(state, 0), 0)
    assert facts.names == tuple(("hand", "seat 1", face) for face in ("1", "2", "3"))
    assert (facts.amounts.sum(axis=1) == 3).all()
    assert facts.means(np.ones(400)) == pytest.approx([1, 1, 1], abs=0.15)
    assert facts.shares(np.ones(400)) == pytest.approx([19 / 27] * 3, abs=0.08)


def test_weights_count() -> None:
    facts = Facts((("card", "seat 1", "king"),), np.array([[1], [0], [2]]))
    assert facts.shares(np.array([1.0, 6.0, 1.0])).tolist() == [0.25]
    assert facts.means(np.array([1.0, 6.0, 1.0])).tolist() == [0.375]


def test_masked_fields_and_those_that_nobody_knows() -> None:
    state = duel(2).start(seed=2)
    while "peek" not in [state.game.action_text(a) for a in state.legal_actions()]:
        state.apply(state.legal_actions()[0])
    looker = state.to_play
    state.apply("peek")
    seen, unseen = (hidden_facts(state.game, worlds_of(state, seat), seat) for seat in (looker, 1 - looker))
    assert [what for field, whose, what in unseen.names if field == "prize"] == ["copper", "silver", "gold"]
    assert "prize" not in {field for field, _, _ in seen.names}
    assert {whose for field, whose, _ in seen.names if field == "deck"} == {HIDDEN}
    assert {whose for field, whose, _ in seen.names if field == "hand"} == {f"seat {1 - looker}"}


def test_numbers_without_labels_are_told_by_place() -> None:
    state = engines.load("goofspiel", cards=3, hidden=True).start(seed=1)
    state.apply("bid 3")
    state.apply("bid 2")
    found = shares(hidden_facts(state.game, worlds_of(state, 1), 1))
    assert found == {("kept", "seat 0", "3 in place 1"): 1.0}
    lost = shares(hidden_facts(state.game, worlds_of(state, 0), 0))
    assert set(lost) == {("kept", "seat 1", f"{n} in place 1") for n in (1, 2)}


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "pig"])
def test_nothing_is_hidden_in_an_open_game(name: str) -> None:
    state = engines.load(name).start(seed=1)
    assert hidden_facts(state.game, worlds_of(state, 0, 3), 0).names == ()


def test_what_a_seat_holds_in_a_line() -> None:
    dice = engines.load("liars_dice", dice=3, faces=3).start()
    dice.fields["hand"][0, :3] = (2, 0, 1)
    assert holding(dice, 0) == "hand 1 x2, 3"
    assert holding(dice, 1) == ""
    phantom = engines.load("phantom_tic_tac_toe").start()
    for step in ("b2", "a1"):
        phantom.apply(f"mark {step}")
    assert holding(phantom, 0) == "tries b2"
    assert holding(phantom, 0, most=6) == "tries…"
