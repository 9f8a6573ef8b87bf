"""Leduc poker by the chapters of its rules, what is refused, and the scripted player."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import engines
from engines.conformance import check
from engines.contract import PUBLIC
from engines.errors import UsageError
from engines.mutations import run_mutations
from engines.rng import Dealer, below, generator
from engines.state import State

JACK, QUEEN, KING, ACE = ((f"{rank} of spades", f"{rank} of hearts") for rank in ("jack", "queen", "king", "ace"))


def play(*steps: str, players: int = 2) -> State:
    """A game of these cards and decisions."""
    state = engines.load("leduc_poker", players=players).start()
    for step in steps:
        state.apply(f"deal {step}" if " of " in step else step)
    return state


def options(state: State) -> set[str]:
    return {state.game.action_text(a) for a in state.legal_actions()}


def chips(state: State) -> list[float]:
    return [round(u * state.game.stakes, 4) for u in state.returns()]


# Deal


def test_the_deck_has_two_suits_of_one_rank_more_than_there_are_seats() -> None:
    assert [len(play(players=n).legal_actions()) for n in (2, 3)] == [6, 8]
    state = play(KING[0], QUEEN[0])
    assert state.to_play == 0
    assert f"deal {KING[0]}" not in options(play(KING[0]))
    assert options(play(KING[0], QUEEN[0], "call", "call")) == {f"deal {c}" for c in (*JACK, QUEEN[1], KING[1])}


# Betting


def test_folding_is_allowed_only_where_there_is_something_to_call() -> None:
    assert options(play(KING[0], QUEEN[0])) == {"call", "raise"}
    assert options(play(KING[0], QUEEN[0], "call")) == {"call", "raise"}
    assert options(play(KING[0], QUEEN[0], "raise")) == {"fold", "call", "raise"}


def test_two_raises_a_round_of_two_chips_then_of_four() -> None:
    state = play(KING[0], QUEEN[0], "raise", "raise")
    assert options(state) == {"fold", "call"}
    assert state.fields["paid"][:2].tolist() == [3, 5]
    state = play(KING[0], QUEEN[0], "raise", "raise", "call", JACK[0], "raise", "raise")
    assert options(state) == {"fold", "call"}
    assert state.fields["paid"][:2].tolist() == [9, 13]


def test_a_round_ends_when_all_have_checked_or_called_the_last_raise() -> None:
    assert play(KING[0], QUEEN[0], "call", "call").is_chance
    assert play(KING[0], QUEEN[0], "raise", "call").is_chance
    assert play(KING[0], QUEEN[0], "call", "raise").to_play == 0
    three = (KING[0], QUEEN[0], ACE[0])
    assert play(*three, "call", "raise", "call", players=3).to_play == 0
    assert play(*three, "call", "raise", "call", "call", players=3).is_chance
    longest = ("call", "call", "raise", "call", "raise", "call", "call")
    assert play(*three, *longest, players=3).is_chance
    assert play(*three, *longest, JACK[0], *longest, players=3).is_over


def test_seats_that_have_folded_are_not_asked() -> None:
    state = play(KING[0], QUEEN[0], ACE[0], "call", "raise", "call", "fold", JACK[0], players=3)
    assert state.to_play == 1
    state.apply("call")
    assert state.to_play == 2
    state.apply("raise")
    assert state.to_play == 1


# Showdown


def test_the_last_one_left_takes_the_pot() -> None:
    assert chips(play(JACK[0], KING[0], "raise", "fold")) == [1, -1]
    assert chips(play(JACK[0], KING[0], "call", "raise", "fold")) == [-1, 1]
    state = play(JACK[0], KING[0], ACE[0], "raise", "raise", "fold", "fold", players=3)
    assert chips(state) == [-3, 4, -1]
    assert state.scores() == [-3, 4, -1]


def test_a_pair_beats_a_rank_and_a_rank_a_lower_one() -> None:
    end = ("call", "call")
    assert chips(play(JACK[0], KING[0], *end, JACK[1], *end)) == [1, -1]
    assert chips(play(JACK[0], KING[0], *end, QUEEN[1], *end)) == [-1, 1]
    assert chips(play(KING[0], KING[1], "raise", "call", QUEEN[1], *end)) == [0, 0]


def test_equal_ranks_share_the_pot() -> None:
    calls = ("call", "call", "call")
    first = ("call", "raise", "call", "fold")
    state = play(JACK[0], KING[0], KING[1], *first, QUEEN[0], "call", "call", players=3)
    assert chips(state) == [-1, 0.5, 0.5]
    assert state.scores() == [-1, 0, 0]
    state = play(JACK[0], KING[0], KING[1], *calls, JACK[1], "raise", "call", "call", players=3)
    assert chips(state) == [10, -5, -5]


def test_the_most_that_can_be_won_is_a_utility_of_one() -> None:
    most = ("raise", "raise", "call")
    assert play(JACK[0], KING[0], *most, JACK[1], *most).returns() == [1, -1]


# What a seat knows


def test_a_seat_sees_its_own_card_and_the_board() -> None:
    state = play(JACK[0], KING[0], "call", "call", QUEEN[1])
    assert state.view(0)["state"]["card"] == JACK[0] and state.view(1)["state"]["card"] == KING[0]
    assert state.view(PUBLIC)["state"]["card"] is None and state.view(PUBLIC)["state"]["board"] == QUEEN[1]
    seen = {part.name: state.observe(1)[part.start : part.start + part.size].tolist() for part in state.game.slices}
    assert seen == {
        "phase": [0, 0, 0, 1, 0],
        "mover": [0, 1],
        "card": [5],
        "board": [4],
        "raises": [0],
        "paid": [1, 1],
        "out": [0, 0],
        "bets": [*([0, 1, 0] + [0] * 9), *([0, 1, 0] + [0] * 9)],
    }
    assert KING[0] not in str(state.game.board(state, 0)) and KING[0] in str(state)
    assert play(JACK[0]).notation(state.game.parse(f"deal {KING[0]}"), 0) == "seat 1 is dealt a card"


def test_worlds_deal_the_cards_that_are_left_alike() -> None:
    state = play(JACK[0], KING[0], "call", "call", QUEEN[1])
    rng, seen = generator("worlds"), np.zeros(7, int)
    for _ in range(4000):
        world, weight = state.sample_world(0, rng)
        assert weight == 0 and world.fields["card"][0] == 1
        seen[int(world.fields["card"][1])] += 1
    assert seen[[0, 1, 4]].tolist() == [0, 0, 0]
    assert seen[[2, 3, 5, 6]].min() > 850


# What is refused


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("card", None, "field 'card': expected one of jack of spades"),
        ("card", "ace of spades", "field 'card': expected one of jack of spades"),
        ("card", "queen of hearts", "the queen of hearts is in both"),
        ("board", "ace of hearts", "expected 2 seats' cards"),
        ("board", None, "field 'phase'"),
        ("dealt", 3, "fields 'dealt' and 'board'"),
        ("asked", 1, "field 'asked': 1, expected 0"),
        ("paid", [3, 1], r"field 'paid': \[3, 1, 0\], expected \[3, 3, 0\]"),
        ("raises", 1, "field 'raises'"),
        ("out", [0, 1], "field 'out'"),
        ("phase", "over", "field 'phase'"),
        ("bets", [[["raise"], ["fold"]], [["call"], []]], "field 'bets'"),
        ("bets", [[["call", "raise"], []], [["call"], []]], "field 'paid'"),
    ],
)
def test_views_that_no_game_leads_to_are_refused(field: str, value: Any, message: str) -> None:
    state = play(JACK[0], KING[0], "raise", "call", QUEEN[1])
    view = state.view(0)
    assert state.game.from_view(view).view(0) == view
    view["state"][field] = value
    with pytest.raises(UsageError, match=message):
        state.game.from_view(view)


def test_the_number_of_seats_is_bounded() -> None:
    with pytest.raises(UsageError, match="players=4, expected 2 to 3"):
        engines.load("leduc_poker", players=4)


# The suite, and the yardstick


@pytest.mark.parametrize("players", [2, 3])
def test_the_suite(players: int) -> None:
    report = check(engines.load("leduc_poker", players=players), games=40, seed=5)
    assert report.ok, str(report)


def test_every_planted_defect_is_caught() -> None:
    report = run_mutations(engines.load("leduc_poker"))
    assert report.ok, str(report)


def test_the_scripted_player() -> None:
    def says(*steps: str) -> str:
        state = play(*steps)
        policy = state.game.kernels.scripted
        assert policy is not None
        return state.game.action_text(int(policy(state.record, generator(1))))

    assert says(KING[0], JACK[0]) == "raise"
    assert says(QUEEN[0], JACK[0]) == "call"
    assert says(JACK[0], KING[0]) == "call"
    assert says(KING[0], JACK[0], "raise") == "fold"
    assert says(JACK[0], KING[0], "call", "call", JACK[1]) == "raise"
    assert says(JACK[0], KING[0], "call", "call", JACK[1], "raise", "raise") == "call"


def test_the_scripted_player_beats_a_random_one() -> None:
    game = engines.load("leduc_poker")
    policy, won = game.kernels.scripted, 0.0
    assert policy is not None
    for number in range(1000):
        state, rng = game.start(), generator("script", number)
        state.dealer = Dealer(number // 2, game.num_streams)
        state._play_chance()
        while not state.is_over:
            legal = state.legal_actions()
            mine = state.to_play == number % 2
            state.apply(int(policy(state.record, rng)) if mine else legal[below(rng, len(legal))])
        won += chips(state)[number % 2]
    assert won / 1000 > 0.5
