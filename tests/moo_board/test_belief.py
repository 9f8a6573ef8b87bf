"""Worlds of a seat: exactly as frequent as counting says, and a function of what the seat knows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare, hypergeom

import engines
from engines.conformance import check
from engines.contract import PUBLIC
from engines.kernel import JIT
from engines.moo_board.belief import determinize
from engines.moo_board.layout import State
from engines.rng import generator
from engines.state import State as Position

from .records import Record, as_seen, exact_worlds, fields, played, record_of

SEATS = (PUBLIC, 0, 1, 2)

FRESH = record_of(0, {0: 1, 1: 1, 2: 1}, [{(0, 0): 1}, {(3, 0): 1, (4, 0): 1}, {(1, 0): 1}])
"""The first deck, three seats."""
REFILLED = record_of(
    2,
    {0: 1, 7: 2},
    [{(0, 0): 1, (1, 1): 1}, {(5, 0): 1, (1, 1): 1, (0, 2): 1}, {(6, 1): 1, (8, 2): 1}],
    known={(1, 9): 1, (2, 0): 1},
)
"""The third deck; two hands hold cards of older ones; two cards are known to all."""
GRAY = record_of(
    1,
    {4: 1},
    [{(0, 0): 1}, {(1, 0): 1, (2, 0): 1, (3, 1): 1, (4, 1): 2}, {(2, 0): 1, (3, 1): 1}],
    drawn=(1, [2], [4, 4]),
)
"""Seat 1 has just drawn one card of the old deck and two of the new one."""
LAST = record_of(
    15,
    {3: 2},
    [{(0, 0): 1, (1, 14): 1}, {(2, 0): 1, (1, 14): 1}, {(4, 0): 1, (5, 15): 2}],
    drawn=(2, [], [5]),
)
"""The last deck number that there is room for."""
RECORDS = pytest.mark.parametrize("record", [FRESH, REFILLED, GRAY, LAST], ids=["fresh", "refilled", "gray", "last"])


MANY_SAMPLES = pytest.mark.skipif(not JIT, reason="thousands of worlds: for compiled kernels")


def draw(record: Record, seat: int, *names: int) -> Record:
    world = record.copy()
    assert determinize(world, seat, generator("test", *names)) == 0.0
    return world


@MANY_SAMPLES
@pytest.mark.parametrize("seat", SEATS)
@RECORDS
def test_worlds_are_as_frequent_as_counting_says(record: Record, seat: int) -> None:
    exact = exact_worlds(record, seat)
    samples, rng = 60 * len(exact), generator("frequency", seat)
    seen = dict.fromkeys(exact, 0)
    for _ in range(samples):
        world = record.copy()
        determinize(world, seat, rng)
        seen[world.tobytes()] += 1  # a world that counting excludes is a KeyError
    assert sum(exact.values()) == pytest.approx(1.0)
    assert len(exact) > 1
    assert chisquare(list(seen.values()), [samples * p for p in exact.values()]).pvalue > 1e-5


def full_deck(seats: int) -> Record:
    """A start: five cards each of 45 designs by 2, with the lowest designs in the hands."""
    cards = [design for design in range(45) for _ in range(2)]
    hands: list[dict[tuple[int, int], int]] = []
    for seat in range(seats):
        hand: dict[tuple[int, int], int] = {}
        for design in cards[5 * seat : 5 * seat + 5]:
            hand[design, 0] = hand.get((design, 0), 0) + 1
        hands.append(hand)
    deck: dict[int, int] = {}
    for design in cards[5 * seats :]:
        deck[design] = deck.get(design, 0) + 1
    return record_of(0, deck, hands)


@MANY_SAMPLES
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_hand_is_hypergeometric_in_a_full_deck(seats: int) -> None:
    record, rng, samples = full_deck(seats), generator("full", seats), 20_000
    counts = np.zeros(6, int)
    for _ in range(samples):
        world = record.copy()
        determinize(world, 0, rng)
        counts[np.count_nonzero(fields(world)["hand"][1, :20])] += 1
    # Seat 0 holds five of the 40 copies of designs 0 to 19; the other hand is 5 of the 85 that it has not seen.
    at_most = hypergeom(85, 35, 5)
    assert chisquare(counts, samples * at_most.pmf(np.arange(6))).pvalue > 1e-5


@pytest.mark.parametrize("seat", SEATS)
@RECORDS
def test_a_world_is_a_function_of_what_the_seat_knows(record: Record, seat: int) -> None:
    for name in range(50):
        world = draw(record, seat, name)
        assert np.array_equal(draw(as_seen(record, seat), seat, name), world)
        assert np.array_equal(draw(draw(record, seat, name + 1000), seat, name), world)
        assert np.array_equal(as_seen(world, seat), as_seen(record, seat))


@RECORDS
def test_worlds_fit_the_record(record: Record) -> None:
    for seat in range(PUBLIC, int(fields(record)["players"])):
        s = fields(draw(record, seat, 7))
        current = int(s["deck_number"])
        for other in range(int(s["players"])):
            for number in range(current + 1):
                assert np.count_nonzero(s["hand"][other] == 1 + number) == s["unknown"][other, number]
            assert (np.diff(np.where(s["hand"][other], s["hand"][other], 99).astype(int), axis=1) >= 0).all()
            for mark in s["drawn"][other][s["drawn"][other] > 0]:
                assert s["hand"][other, mark - 1].any()
        assert s["deck"].sum() == s["deck_size"]
        for design in range(45):
            placed = sorted(m for other in s["hand"] for m in other[design] if m) + [1 + current] * s["deck"][design]
            assert sorted(placed) == [m for m in s["unseen"][design] if m]


def test_own_secrets_stay_and_public_worlds_vary_every_hand() -> None:
    for seat in range(3):
        world = fields(draw(GRAY, seat, 1))
        assert np.array_equal(world["hand"][seat], fields(GRAY)["hand"][seat])
        assert np.array_equal(world["drawn"][seat], fields(GRAY)["drawn"][seat])
    hands = [
        {fields(draw(full_deck(3), PUBLIC, name))["hand"][seat].tobytes() for name in range(20)} for seat in range(3)
    ]
    assert [len(h) > 1 for h in hands] == [True, True, True]


def test_a_view_that_contradicts_itself_does_not_run_over() -> None:
    record = as_seen(REFILLED, 0)
    fields(record)["unknown"][1, 2] = 40
    world = fields(draw(record, 0, 1))
    assert world["hand"].astype(bool).sum() <= State["unseen"].shape[0] * State["unseen"].shape[1]


def blue_cards(state: Position, seat: int) -> tuple[Callable[[Position], Hashable], Mapping[Any, float]] | None:
    """How many cards of the oldest deck that the next seat's hand holds unknown ones of are blue: hypergeometric."""
    s = state.fields
    other = (seat + 1) % state.game.players
    numbers = np.flatnonzero(s["unknown"][other])
    if not len(numbers):
        return None
    mark = 1 + int(numbers[0])
    left = (s["unseen"] == mark).sum(axis=1) - (s["hand"][seat] == mark).sum(axis=1)
    most = int(s["unknown"][other, mark - 1])
    chances = hypergeom(int(left.sum()), int(left[:13].sum()), most).pmf(np.arange(most + 1))
    exact = {count: float(chance) for count, chance in enumerate(chances) if chance > 0}
    return lambda world: int((world.fields["hand"][other, :13] == mark).sum()), exact


@MANY_SAMPLES
@pytest.mark.parametrize("players", [2, 3, 4])
def test_worlds_of_played_games_follow_exact_counting(players: int) -> None:
    report = check(engines.load("moo_board", players=players), games=1, seed=players, rate=0.08, exact=blue_cards)
    assert report.ok, str(report)


def test_knowledge_of_every_seat_survives_a_long_game_with_refills() -> None:
    game = engines.load("moo_board", players=4)
    refills = gray = 0
    for seed in range(6):
        for ply, state in enumerate(played(game, seed, scripted=True)):
            refills = max(refills, int(state.fields["deck_number"]))
            gray += int(state.fields["gray"].any())
            if ply % 5 == 0 or state.fields["gray"].any():
                for seat in range(PUBLIC, 4):
                    world = draw(state.record, seat, seed, ply)
                    assert np.array_equal(as_seen(world, seat), as_seen(state.record, seat))
                    assert np.array_equal(draw(as_seen(state.record, seat), seat, seed, ply), world)
                    assert fields(world)["deck"].sum() == fields(world)["deck_size"]
    assert refills >= 1
    assert gray >= 10
