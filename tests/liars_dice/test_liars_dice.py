"""Liar's dice by the chapters of its rules, its options, what is refused, and the scripted player."""

from __future__ import annotations

import itertools
from collections import Counter
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


def play(*steps: str, **options: Any) -> State:
    state = engines.load("liars_dice", **options).start()
    for step in steps:
        state.apply(step)
    return state


def texts(state: State) -> list[str]:
    return [state.game.action_text(a) for a in state.legal_actions()]


# Rolls


@pytest.mark.parametrize(("dice", "faces"), [(1, 2), (2, 3), (5, 6), (3, 8)])
def test_a_roll_is_as_likely_as_the_orders_in_which_its_dice_can_fall(dice: int, faces: int) -> None:
    state = play(dice=dice, faces=faces)
    stream, odds = state.chance()
    fallen = Counter(tuple(sorted(roll)) for roll in itertools.product(range(1, faces + 1), repeat=dice))
    assert stream == 0
    assert {state.game.action_text(o): w for o, w in odds} == {
        f"roll {' '.join(map(str, roll))}": n for roll, n in fallen.items()
    }
    for outcome, _ in odds:
        after = state.clone()
        after.apply(outcome)
        shown = {face: int(n) for face, n in after.view(0)["state"]["hand"].items()}
        assert Counter(state.game.action_text(outcome).split()[1:]) == shown
        assert after.chance()[0] == 1


# Bids


def test_a_bid_is_higher_by_quantity_or_by_face() -> None:
    state = play("roll 1", "roll 2", faces=3)
    assert texts(state) == ["bid 1 x 1", "bid 1 x 2", "bid 1 x 3", "bid 2 x 1", "bid 2 x 2", "bid 2 x 3"]
    state.apply("bid 1 x 3")
    assert texts(state) == ["bid 2 x 1", "bid 2 x 2", "bid 2 x 3", "liar"]
    assert texts(play("roll 1", "roll 2", "bid 2 x 3", faces=3)) == ["liar"]


def test_all_bid_in_turn() -> None:
    state = play(*["roll 1 1"] * 4, players=4, dice=2, faces=2)
    movers = []
    for bid in ("1 x 1", "1 x 2", "2 x 1", "2 x 2", "3 x 1"):
        movers.append(state.to_play)
        state.apply(f"bid {bid}")
    assert movers == [0, 1, 2, 3, 0]


# The call


@pytest.mark.parametrize(
    ("rolls", "bid", "holds"),
    [
        (("1 2", "1 3"), "2 x 1", True),
        (("1 2", "1 3"), "3 x 1", True),  # the 3 is wild
        (("1 2", "1 3"), "4 x 1", False),
        (("1 2", "1 3"), "1 x 3", True),
        (("1 2", "1 3"), "2 x 3", False),  # nothing else counts as the wild face
        (("3 3", "3 3"), "4 x 1", True),
        (("1 1", "1 1"), "1 x 2", False),
    ],
)
def test_the_bidder_wins_if_the_dice_hold_the_bid(rolls: tuple[str, str], bid: str, holds: bool) -> None:
    state = play(*(f"roll {roll}" for roll in rolls), f"bid {bid}", "liar", dice=2, faces=3)
    assert state.is_over
    assert state.returns() == ([1, -1] if holds else [-1, 1])
    assert state.scores() == ([1, -1] if holds else [-1, 1])


def test_with_more_seats_only_bidder_and_caller_win_or_lose() -> None:
    rolls = ["roll 1", "roll 2", "roll 3", "roll 3"]
    bids = ["bid 1 x 1", "bid 1 x 2", "bid 2 x 1"]
    assert play(*rolls, *bids, "liar", players=4, faces=3).returns() == [0, 0, 1, -1]
    assert play(*rolls, *bids[:2], "bid 2 x 3", "bid 3 x 3", "liar", players=4, faces=3).returns() == [1, 0, 0, -1]


def test_before_the_end_the_standing_is_that_of_a_call() -> None:
    assert play("roll 1", "roll 2", faces=3).returns() == [0, 0]
    assert play("roll 1", "roll 2", "bid 1 x 3", faces=3).returns() == [-1, 1]
    assert play("roll 1", "roll 2", "bid 1 x 2", faces=3).scores() == [0, 0]


# What a seat knows


def test_a_seat_sees_its_own_dice_and_all_bids() -> None:
    state = play("roll 1 3", "roll 2 2", "bid 1 x 1", "bid 2 x 2", dice=2, faces=3)
    assert state.view(0)["state"]["hand"] == {"1": 1, "3": 1} and state.view(1)["state"]["hand"] == {"2": 2}
    assert state.view(PUBLIC)["state"]["hand"] is None
    assert state.view(PUBLIC)["state"]["bids"] == ["1 x 1", "2 x 2"]
    seen = {part.name: state.observe(1)[part.start : part.start + part.size].tolist() for part in state.game.slices}
    assert seen == {
        "mover": [0, 1],
        "hand": [0, 2, 0],
        "quantity": [2],
        "face": [0, 1, 0],
        "called": [0],
        "bids": [0, 0, 0, 0, 1, 0, *[0] * 6, 1, *[0] * 11],
    }
    assert state.game.board(state, 1) == "seat 0: ?   seat 1: 2 2\nbids: 1 x 1, 2 x 2"
    assert "2 2" in str(state) and "1 3" in str(state)
    first = play(dice=2, faces=3)
    assert [first.notation(first.game.parse("roll 1 3"), seat) for seat in (0, 1)] == [
        "seat 0 rolls 1 3",
        "seat 0 rolls",
    ]


def test_worlds_roll_the_dice_of_the_others() -> None:
    state = play("roll 1 3", "roll 2 2", "bid 1 x 1", dice=2, faces=3)
    rng, seen = generator("worlds"), Counter[tuple[int, ...]]()
    for _ in range(9000):
        world, weight = state.sample_world(0, rng)
        assert weight == 0 and world.fields["hand"][0, :3].tolist() == [1, 0, 1]
        seen[tuple(world.fields["hand"][1, :3].tolist())] += 1
    assert {hand: round(n / 1000) for hand, n in seen.items()} == {
        (2, 0, 0): 1,
        (0, 2, 0): 1,
        (0, 0, 2): 1,
        (1, 1, 0): 2,
        (1, 0, 1): 2,
        (0, 1, 1): 2,
    }


# What is refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dice": 0}, "dice=0, expected an integer from 1 to 6"),
        ({"dice": "2"}, "dice='2', expected"),
        ({"faces": 1}, "faces=1, expected an integer from 2 to 8"),
        ({"faces": True}, "faces=True, expected"),
        ({"faces": 2.0}, "faces=2.0, expected"),
        ({"players": 7}, "players=7, expected 2 to 6"),
        ({"players": 6, "dice": 6}, "players=6, dice=6, faces=6 make 216 different bids, expected at most 180"),
        ({"die": 2}, "Did you mean 'dice'"),
    ],
)
def test_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        engines.load("liars_dice", **options)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("dice", 1, "field 'dice': 1, but this game has 2"),
        ("rolled", 3, "field 'rolled': 3"),
        ("rolled", 1, "while 'rolled' is 1"),
        ("turns", 3, "field 'bids': expected 3 bids"),
        ("bids", ["1 x 1"], "field 'bids': expected 2 bids"),
        ("bids", ["2 x 2", "1 x 1"], "each higher than the one before"),
        ("bids", ["1 x 1", "5 x 1"], "unknown bid '5 x 1'"),
        ("hand", {"1": 1}, "field 'hand': expected 2 dice of 3 faces"),
        ("hand", {"1": 1, "4": 1}, "field 'hand': expected 2 dice of 3 faces"),
        ("hand", {"9": 2}, "unknown face '9'"),
        ("hand", None, "field 'hand'"),
    ],
)
def test_views_that_no_game_leads_to_are_refused(field: str, value: Any, message: str) -> None:
    state = play("roll 1 3", "roll 2 2", "bid 1 x 1", "bid 2 x 2", dice=2, faces=3)
    view = state.view(0)
    assert state.game.from_view(view).view(0) == view
    view["state"][field] = value
    with pytest.raises(UsageError, match=message):
        state.game.from_view(view)


def test_a_call_without_a_bid_is_refused() -> None:
    state = play("roll 1", "roll 2")
    view = state.view(0)
    view["state"]["called"] = 1
    with pytest.raises(UsageError, match="field 'called'"):
        state.game.from_view(view)


# The suite, and the yardstick


@pytest.mark.parametrize(
    "options", [{}, {"faces": 2}, {"dice": 2, "faces": 3}, {"players": 3, "dice": 2}, {"players": 6, "dice": 5}]
)
def test_the_suite(options: dict[str, int]) -> None:
    report = check(engines.load("liars_dice", **options), games=20, seed=5, budget_seconds=4, rate=0.2)
    assert report.ok, str(report)


def test_every_planted_defect_is_caught() -> None:
    report = run_mutations(engines.load("liars_dice", faces=3))
    assert report.ok, str(report)


def says(*steps: str, **options: Any) -> str:
    state = play(*steps, **options)
    policy = state.game.kernels.scripted
    assert policy is not None
    return state.game.action_text(int(policy(state.record, generator(1))))


def test_the_scripted_player() -> None:
    assert says("roll 4", "roll 2") == "bid 1 x 4"
    # Another die of six faces shows a 4 or the wild 6 with probability 1/3: a lie is likelier than any higher bid.
    assert says("roll 4", "roll 2", "bid 1 x 4") == "liar"
    # Own dice hold the last bid, and the lowest of the higher ones.
    assert says("roll 1 1", "roll 2 6", "bid 1 x 1", dice=2) == "bid 1 x 2"
    assert says("roll 1 1", "roll 6 6", "bid 1 x 2", dice=2) == "bid 1 x 3"
    assert says("roll 1 1", "roll 6 6", "bid 2 x 6", dice=2) == "bid 3 x 1"
    assert says("roll 1 1", "roll 2 3", "bid 4 x 6", dice=2) == "liar"


def test_the_scripted_player_beats_a_random_one() -> None:
    game = engines.load("liars_dice", dice=3)
    policy, won = game.kernels.scripted, 0.0
    assert policy is not None
    for number in range(600):
        state, rng = game.start(), generator("script", number)
        state.dealer = Dealer(number // 2, game.num_streams)
        state._play_chance()
        while not state.is_over:
            legal = state.legal_actions()
            mine = state.to_play == number % 2
            state.apply(int(policy(state.record, rng)) if mine else legal[below(rng, len(legal))])
        won += state.returns()[number % 2]
    assert won / 600 > 0.5


def test_sizes_depend_on_the_options() -> None:
    game = engines.load("liars_dice", players=3, dice=2, faces=4)
    assert (game.num_actions, game.num_ids, game.max_legal, game.max_length) == (25, 35, 24, 28)
    kind = type(game)
    default = engines.load("liars_dice")
    for name in ("num_actions", "num_ids", "max_legal", "max_length"):
        assert getattr(kind, name) == getattr(default, name)
    assert np.array_equal(game.encode_options(), [3, 2, 4])
