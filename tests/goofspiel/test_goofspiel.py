"""Goofspiel by the chapters of its rules, its options, what is refused."""

from __future__ import annotations

from typing import Any

import pytest

import engines
from engines.conformance import check
from engines.contract import PUBLIC
from engines.errors import UsageError
from engines.mutations import run_mutations
from engines.rng import Dealer, below, generator
from engines.state import State


def play(*steps: str | int, **options: Any) -> State:
    """A game of these steps; a number is a bid."""
    state = engines.load("goofspiel", **{"cards": 4, "prizes": "ascending", **options}).start()
    for step in steps:
        state.apply(step if isinstance(step, str) else f"bid {step}")
    return state


def texts(state: State) -> list[str]:
    return [state.game.action_text(a) for a in state.legal_actions()]


# Prizes


def test_prizes_come_in_the_order_of_the_option() -> None:
    assert play(1, 1, 2, 2).fields["prizes"][:4].tolist() == [1, 2, 3, 0]
    assert play(1, 1, 2, 2, prizes="descending").fields["prizes"][:4].tolist() == [4, 3, 2, 0]
    state = play("prize 3", 1, 1, prizes="random")
    assert state.chance() == (0, [(4, 1), (5, 1), (7, 1)])
    assert texts(state) == ["prize 1", "prize 2", "prize 4"]
    assert play(prizes="random").is_chance


# Bids


def test_a_card_can_be_bid_once() -> None:
    state = play(3, 1)
    assert texts(state) == ["bid 1", "bid 2", "bid 4"]
    state.apply("bid 2")
    assert texts(state) == ["bid 2", "bid 3", "bid 4"]


def test_the_highest_bid_takes_the_prize_and_a_tie_nobody() -> None:
    state = play(3, 1, 2, 2, 1, 4, prizes="descending")
    assert state.is_over, "the last round leaves no choice"
    assert state.fields["won"][:4].tolist() == [2, 1, 3, 2]
    assert state.fields["shown"][:2, :4].tolist() == [[3, 2, 1, 4], [1, 2, 4, 3]]
    assert state.scores() == [5, 2]
    assert state.returns() == [1, -1]


def test_two_equal_highest_bids_of_three_seats_discard_the_prize() -> None:
    state = play(4, 4, 1, 3, 2, 3, 1, 3, 4, players=3)
    assert state.fields["won"][:4].tolist() == [1, 1, 4, 1]
    assert state.scores() == [0, 0, 3]


def test_returns_by_win_and_loss_are_shared() -> None:
    assert play(4, 4, 1, 3, 2, 3, 1, 3, 4, players=3).returns() == [-0.5, -0.5, 1]
    assert play(1, 1, 2, 2, 3, 3).returns() == [0, 0]
    state = play(1, 2, 1, 2, 3, 2, 4, 1, 3, players=3)
    assert state.scores() == [3, 3, 0]
    assert state.returns() == [0.5, 0.5, -1]


def test_returns_by_point_difference_are_points_above_the_mean() -> None:
    state = play(3, 1, 2, 2, 1, 4, prizes="descending", returns="point_difference")
    assert [u * state.game.stakes for u in state.returns()] == pytest.approx([1.5, -1.5])
    assert state.game.stakes == 5
    three = play(3, 1, 2, 2, 3, 1, players=3, cards=3, returns="point_difference")
    assert three.scores() == [1, 2, 3]
    assert [u * three.game.stakes for u in three.returns()] == pytest.approx([-1, 0, 1])
    assert three.game.stakes == 4


def test_before_the_end_the_standing_is_by_points() -> None:
    assert play(3, 1).returns() == [1, -1]
    assert play(3, 3).returns() == [0, 0]


# What a seat knows


def test_a_bid_is_secret_until_all_have_bid() -> None:
    state, other = play(3), play(4)
    assert state.to_play == 1
    for channel in (
        lambda s: s.view(1),
        lambda s: s.info_key(1),
        lambda s: s.game.board(s, 1),
        lambda s: s.view(PUBLIC),
    ):
        assert channel(state) == channel(other)
    assert state.observe(1).tolist() == other.observe(1).tolist()
    assert state.info_key(0) != other.info_key(0)
    assert state.notation(state.game.parse("bid 2")) == "seat 1: bid"
    state.apply("bid 1")
    assert state.view(1)["state"]["shown"] == [[3], [1]]


def test_in_a_world_others_bid_after_the_seat_that_searches() -> None:
    world = play(3).determinize(1, 1)
    assert world.to_play == 1 and not world.fields["kept"].any()
    world.apply("bid 1")
    assert world.to_play == 0
    assert texts(world) == ["bid 1", "bid 2", "bid 3", "bid 4"]
    world.apply("bid 3")
    assert world.fields["won"][0] == 2


def test_hidden_bids_are_never_shown() -> None:
    state = play(3, 1, 2, 4, hidden=True)
    assert state.view(1)["state"]["shown"] == [[], []]
    assert state.view(1)["state"]["kept"] == [1, 4] and state.view(0)["state"]["kept"] == [3, 2]
    assert state.view(PUBLIC)["state"]["won"] == ["seat 0", "seat 1"]
    assert "bid 1 4" in state.game.board(state, 1) and "bid ? ?" in state.game.board(state, 1)


def test_the_slices_of_an_observation() -> None:
    state = play("prize 3", 4, 1, "prize 1", 2, prizes="random")
    seen = {part.name: state.observe(1)[part.start : part.start + part.size].tolist() for part in state.game.slices}
    assert seen == {
        "mover": [1, 0],
        "turn": [1],
        "prizes_left": [0, 1, 0, 1],
        "prize": [1, 0, 0, 0],
        "prizes": [3, 1, 0, 0],
        "points": [0, 3],
        "won": [0, 0, 0, 0, 1, 0, 0, 0],
        "bids": [1, 0, 0, 0, 4, 0, 0, 0],
        "hands": [0, 1, 1, 1, 1, 1, 1, 0],
    }
    own = {part.name: state.observe(0)[part.start : part.start + part.size].tolist() for part in state.game.slices}
    assert own["mover"] == [0, 1] and own["bids"][:4] == [4, 2, 0, 0] and own["hands"][:4] == [1, 0, 1, 0]


# What is refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cards": 1}, "cards=1, expected an integer from 2 to 13"),
        ({"cards": 14}, "cards=14, expected"),
        ({"cards": "4"}, "cards='4', expected"),
        ({"prizes": "ascnding"}, "Did you mean 'ascending'"),
        ({"hidden": 1}, "hidden=1, expected true or false"),
        ({"returns": "points"}, "unknown returns of goofspiel 'points'"),
        ({"players": 5}, "players=5, expected 2 to 4"),
        ({"imp_info": True}, "unknown option of goofspiel"),
    ],
)
def test_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        engines.load("goofspiel", **options)


OPEN = play(3, 1, 2, prizes="ascending")
HIDDEN = play(3, 1, 2, hidden=True)


@pytest.mark.parametrize(
    ("state", "seat", "field", "value", "message"),
    [
        (OPEN, 0, "cards", 5, "field 'cards': 5, but this game has 4"),
        (OPEN, 0, "order", "random", "field 'order'"),
        (OPEN, 0, "hidden", 1, "field 'hidden'"),
        (OPEN, 0, "turn", 3, "no seat can be asked in round 3 of 4"),
        (OPEN, 0, "turn", 2, "field 'prizes'"),
        (OPEN, 0, "asked", 2, "fields 'turn' and 'asked'"),
        (OPEN, 0, "prizes", [2, 1], r"field 'prizes': expected \[1, 2\], as they are ascending"),
        (OPEN, 0, "prizes", [1, 2, 3], "field 'prizes'"),
        (OPEN, 0, "won", [], "field 'won': expected who won each of 1 prizes"),
        (OPEN, 0, "won", ["seat 1"], "field 'won': seat 1 in round 0, expected seat 0"),
        (OPEN, 0, "won", ["seat 2"], "unknown winner 'seat 2'"),
        (OPEN, 0, "shown", [[3], []], "field 'shown'"),
        (OPEN, 0, "shown", [[5], [1]], "field 'shown'"),
        (OPEN, 0, "kept", [0, 3], "field 'kept'"),
        (OPEN, 0, "kept", [2], "field 'kept'"),
        (OPEN, 1, "kept", [0, 2], "field 'kept'"),
        (HIDDEN, 0, "kept", [3, 3], "field 'kept'"),
        (HIDDEN, 0, "kept", [1, 2], "no bids of the other seats fit these winners"),
        (HIDDEN, 1, "kept", [4], "no bids of the other seats fit these winners"),
        (HIDDEN, 0, "shown", [[3], [1]], "field 'shown'"),
    ],
)
def test_views_that_no_game_leads_to_are_refused(state: State, seat: int, field: str, value: Any, message: str) -> None:
    view = state.view(seat)
    assert state.game.from_view(view).view(seat) == view
    view["state"][field] = value
    with pytest.raises(UsageError, match=message):
        state.game.from_view(view)


def test_prizes_at_random_are_checked_too() -> None:
    state = play("prize 3", 4, 1, "prize 1", prizes="random")
    for field, value in (("prizes", [3, 3]), ("prizes", []), ("asked", 1)):
        view = state.view(0)
        view["state"][field] = value
        if field == "asked":
            view["state"]["prizes"] = [3]
        with pytest.raises(UsageError, match=f"field '{field}'"):
            state.game.from_view(view)


# The suite, and the yardstick

SETS: list[dict[str, Any]] = [
    {},
    {"hidden": True, "prizes": "descending"},
    {"cards": 3, "players": 3, "hidden": True, "returns": "point_difference"},
    {"cards": 5, "players": 4, "prizes": "ascending"},
    {"cards": 2},
]


@pytest.mark.parametrize("options", SETS)
def test_the_suite(options: dict[str, Any]) -> None:
    report = check(engines.load("goofspiel", **options), games=10, seed=5, budget_seconds=4, rate=0.2)
    assert report.ok, str(report)


@pytest.mark.parametrize("hidden", [False, True])
def test_every_planted_defect_is_caught(hidden: bool) -> None:
    report = run_mutations(engines.load("goofspiel", cards=3, hidden=hidden), games=10)
    assert report.ok, str(report)


def says(*steps: str | int, **options: Any) -> str:
    state = play(*steps, **options)
    policy = state.game.kernels.scripted
    assert policy is not None
    return state.game.action_text(int(policy(state.record, generator(1))))


def test_the_scripted_player_bids_the_card_of_the_prize() -> None:
    assert says(prizes="descending") == "bid 4"
    assert says(2, 1) == "bid 3"
    assert says(4, 1, 3, 2, prizes="ascending") == "bid 2"


def test_the_scripted_player_beats_a_random_one() -> None:
    game = engines.load("goofspiel")
    policy, won = game.kernels.scripted, 0.0
    assert policy is not None
    for number in range(200):
        state, rng = game.start(), generator("script", number)
        state.dealer = Dealer(number // 2, game.num_streams)
        state._play_chance()
        while not state.is_over:
            legal = state.legal_actions()
            mine = state.to_play == number % 2
            state.apply(int(policy(state.record, rng)) if mine else legal[below(rng, len(legal))])
        won += state.returns()[number % 2]
    assert won / 200 > 0.5


def test_sizes_depend_on_the_options() -> None:
    game = engines.load("goofspiel", players=3, cards=5, prizes="descending")
    assert (game.num_actions, game.num_ids, game.max_legal, game.max_length) == (5, 5, 5, 12)
    default = engines.load("goofspiel")
    for name in ("num_actions", "num_ids", "max_legal", "max_length"):
        assert getattr(type(game), name) == getattr(default, name)
