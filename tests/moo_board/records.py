"""Records made by hand (only what bears on who holds which card), and states of played games."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game
from engines.moo_board.layout import NUMBERS, State
from engines.rng import below, generator
from engines.state import State as Position

Record = NDArray[np.uint8]
Cards = Mapping[tuple[int, int], int]
"""Copies by (design, deck number)."""


def fields(record: Record):  # type: ignore[no-untyped-def]
    """The named fields of a record."""
    return record.view(State)[0]


def put(row: NDArray[np.uint8], mark: int, copies: int) -> None:
    """Add copies of a mark to an ascending list that ends in zeros."""
    filled = sorted([int(m) for m in row if m] + [mark] * copies)
    row[: len(filled)] = filled


def record_of(
    deck_number: int,
    deck: Mapping[int, int],
    hands: Sequence[Cards],
    known: Mapping[tuple[int, int], int] | None = None,
    drawn: tuple[int, Sequence[int], Sequence[int]] | None = None,
) -> Record:
    """A record with these cards.

    Args:
        deck_number: number of the deck now drawn from.
        deck: copies by design.
        hands: the unknown cards of every seat.
        known: copies that everybody knows, by (seat, design).
        drawn: (seat, older designs, newer designs) of a gray exploit going on; they are in the hand too.
    """
    record = np.zeros(State.itemsize, np.uint8)
    s = fields(record)
    s["players"], s["deck_number"], s["deck_size"] = len(hands), deck_number, sum(deck.values())
    for design, copies in deck.items():
        s["deck"][design] = copies
        put(s["unseen"][design], 1 + deck_number, copies)
    for seat, cards in enumerate(hands):
        for (design, number), copies in cards.items():
            put(s["hand"][seat, design], 1 + number, copies)
            put(s["unseen"][design], 1 + number, copies)
            s["unknown"][seat, number] += copies
            s["hand_size"][seat] += copies
    for (seat, design), copies in (known or {}).items():
        s["known"][seat, design] += copies
        s["hand_size"][seat] += copies
    if drawn is not None:
        seat, older, newer = drawn
        s["turn"], s["gray"] = seat, (len(older), len(newer))
        cards_drawn = [*sorted(older), *sorted(newer)]
        s["drawn"][seat, : len(cards_drawn)] = [1 + design for design in cards_drawn]
    return record


def as_seen(record: Record, seat: int) -> Record:
    """The record with all zeroed that `seat` does not know: what a view holds."""
    seen = record.copy()
    s = fields(seen)
    for other in range(int(s["players"])):
        if other != seat:
            s["hand"][other], s["drawn"][other] = 0, 0
    s["deck"] = 0
    return seen


def exact_worlds(record: Record, seat: int) -> dict[bytes, float]:
    """Probability of every world of `seat`, by laying the unseen copies out in every order (slow; few cards)."""
    worlds = {as_seen(record, seat).tobytes(): 1.0}
    for number in range(NUMBERS):
        worlds = _with_number(worlds, record, seat, number)
    return worlds


def _with_number(worlds: dict[bytes, float], record: Record, seat: int, number: int) -> dict[bytes, float]:
    s = fields(record)
    pool: list[int] = []
    for design, marks in enumerate(s["unseen"]):
        copies = int(np.sum(marks == 1 + number))
        if seat >= 0:
            copies -= int(np.sum(s["hand"][seat, design] == 1 + number))
        pool += [design] * copies
    if not pool:
        return worlds
    orders = list(itertools.permutations(pool))
    dealt: dict[bytes, float] = {}
    for order in orders:
        for world, chance in worlds.items():
            key = _laid_out(world, order, seat, number)
            dealt[key] = dealt.get(key, 0.0) + chance / len(orders)
    return dealt


def _laid_out(world: bytes, order: Sequence[int], seat: int, number: int) -> bytes:
    """The world with the first cards of `order` in the other hands (first those just drawn), the rest in the deck."""
    laid = np.frombuffer(world, np.uint8).copy()
    s, rest = fields(laid), list(order)
    current, (older, newer) = int(s["deck_number"]), (int(n) for n in s["gray"])
    for other in range(int(s["players"])):
        if other == seat:
            continue
        cards = [rest.pop(0) for _ in range(int(s["unknown"][other, number]))]
        for design in cards:
            put(s["hand"][other, design], 1 + number, 1)
        if other == int(s["turn"]) and number == current - 1:
            s["drawn"][other, :older] = [1 + d for d in sorted(cards[:older])]
        if other == int(s["turn"]) and number == current:
            s["drawn"][other, older : older + newer] = [1 + d for d in sorted(cards[:newer])]
    for design in rest:
        s["deck"][design] += 1
    return laid.tobytes()


def played(game: Game, seed: int, scripted: bool = False) -> Iterator[Position]:
    """The state at every decision of a game, played at random or by the scripted player, then the end."""
    state, rng = game.start(seed), generator(seed, "decisions")
    assert game.kernels.scripted is not None
    while not state.is_over:
        yield state
        legal = state.legal_actions()
        state.apply(int(game.kernels.scripted(state.record, rng)) if scripted else legal[below(rng, len(legal))])
    yield state
