# mypy: ignore-errors
"""Worlds of goofspiel: bids that were never shown, such that everybody who won has won.

A bid of the present round that another seat has made is cleared (in a world it bids later). Where bids are shown that
is all. Where they are hidden, every sequence of bids that fits what a seat has seen is equally likely, and the bids of
the seats are filled in one after the other. What is asked of the bids of one seat, given those that are known already,
is in each round a bound from below, or from above, or the very card; `_count` counts the sequences of different cards
that keep such bounds, and `_draw` takes one of them, all alike.

So a seat of a game for two gets exact worlds. With more unknown seats the first seat's bids are as likely as they are
many, where they should be as likely as the answers of the others to them are many: hence a weight. If there is no
answer at all, everything is drawn again. A world is one of eight such draws, taken by its weight, and is given their
mean weight: what is estimated from worlds stays right, and worlds differ less in weight.
"""

import math

import numpy as np

from engines import contract as c
from engines.goofspiel.layout import MAX_CARDS, MAX_PLAYERS, NOBODY, State
from engines.kernel import kernel
from engines.rng import below, uniform

_SIZE = MAX_CARDS + 1
_CANDIDATES = 8


@kernel
def _bounds(s, seat, known, low, high):
    """Least and greatest card of each past round for `seat`, given the bids of the seats in the bit set `known`."""
    players, cards = int(s["players"]), int(s["cards"])
    last = known | (1 << seat) == (1 << players) - 1
    for t in range(int(s["turn"])):
        low[t], high[t], best, times = 1, cards, 0, 0
        for p in range(players):
            card = int(s["kept"][p, t])
            if (known >> p) & 1 and card >= best:
                times = times + 1 if card == best else 1
                best = card
        winner = int(s["won"][t]) - NOBODY - 1
        if winner == seat:
            low[t] = max(best, 1) + 1
        elif winner >= 0:
            high[t] = (int(s["kept"][winner, t]) if (known >> winner) & 1 else cards) - 1
        elif last:
            # A tie: this seat makes it where no two others have.
            high[t] = best
            low[t] = best if times == 1 else 1


@kernel
def _count(turns, cards, low, high, ways):
    """Number of ways to choose different cards within the bounds of all rounds, all from below or all from above.

    Cards are gone through from the lowest. One is left out, or goes to a round bounded from below that is open by now,
    or is set aside for a round bounded from above, which takes one of those set aside when its bound is reached.

    Args:
        turns, cards: number of rounds and of cards.
        low, high: int64[turns], the bounds; where they are equal the card is fixed.
        ways: float64[cards + 1, _SIZE, _SIZE], gets in [card, given, aside] how many ways there are to go on before
            `card` (from 0), with so many rounds given a card from below, and so many cards set aside.
    """
    ways[:, :, :] = 0.0
    below_rounds = 0
    for t in range(turns):
        if low[t] > high[t]:
            return 0.0
        if low[t] == high[t]:
            for other in range(t):
                if low[other] == high[other] and low[other] == low[t]:
                    return 0.0
        elif low[t] > 1:
            below_rounds += 1
    ways[cards, below_rounds, 0] = 1.0
    for card in range(cards - 1, -1, -1):
        open_rounds, ending, fixed = _rounds_at(turns, low, high, card + 1)
        for given in range(below_rounds + 1):
            for aside in range(card + 1):
                total = _ended(ways, card + 1, given, aside, ending)
                if not fixed:
                    total += _ended(ways, card + 1, given, aside + 1, ending)
                    if given < open_rounds:
                        total += (open_rounds - given) * _ended(ways, card + 1, given + 1, aside, ending)
                ways[card, given, aside] = total
    return ways[0, 0, 0]


@kernel
def _rounds_at(turns, low, high, card):
    """At `card`: rounds bounded from below that are open, rounds bounded from above that end, whether it is fixed."""
    open_rounds, ending, fixed = 0, 0, False
    for t in range(turns):
        if low[t] == high[t]:
            fixed = fixed or low[t] == card
        elif low[t] > 1:
            open_rounds += 1 if low[t] <= card else 0
        elif high[t] == card:
            ending += 1
    return open_rounds, ending, fixed


@kernel
def _ended(ways, card, given, aside, ending):
    """Ways to go on before `card` once `ending` rounds have each taken one of the cards set aside."""
    product = 1.0
    for _ in range(ending):
        product *= aside
        aside -= 1
    return product * ways[card, given, aside] if product > 0.0 else 0.0


@kernel
def _pick_open(turns, low, high, card, row, pick):
    """Give `card` to the round number `pick` of those bounded from below that are open and have none."""
    for t in range(turns):
        if 1 < low[t] <= card and low[t] < high[t] and row[t] == 0:
            if pick == 0:
                row[t] = card
            pick -= 1


@kernel
def _draw(turns, cards, low, high, ways, row, rng):
    """One of the ways that `_count` has counted, all equally likely: `row[t]` gets the card of round t."""
    aside = np.zeros(_SIZE, np.int64)
    given, kept = 0, 0
    for t in range(turns):
        row[t] = low[t] if low[t] == high[t] else 0
    for card in range(1, cards + 1):
        open_rounds, ending, fixed = _rounds_at(turns, low, high, card)
        if not fixed:
            place = uniform(rng) * ways[card - 1, given, kept]
            left_out = _ended(ways, card, given, kept, ending)
            set_aside = _ended(ways, card, given, kept + 1, ending)
            if place >= left_out + set_aside and given < open_rounds:
                _pick_open(turns, low, high, card, row, below(rng, open_rounds - given))
                given += 1
            elif place >= left_out and set_aside > 0.0:
                aside[kept] = card
                kept += 1
        for t in range(turns):
            if low[t] == 1 and high[t] == card and card > 1:
                pick = below(rng, kept)
                row[t], aside[pick] = aside[pick], aside[kept - 1]
                kept -= 1


@kernel
def _fill_in(s, seat, rng, low, high, ways):
    """Bids of all seats but `seat`, one after the other. Returns the weight of this world, 0: it does not fit."""
    known, weight, first = (1 << seat if seat >= 0 else 0), 1.0, True
    for p in range(int(s["players"])):
        if p == seat:
            continue
        _bounds(s, p, known, low, high)
        found = _count(int(s["turn"]), int(s["cards"]), low, high, ways)
        if found == 0.0:
            return 0.0
        _draw(int(s["turn"]), int(s["cards"]), low, high, ways, s["kept"][p], rng)
        weight *= 1.0 if first else found
        known, first = known | (1 << p), False
    return weight


@kernel
def _forget(s, seat):
    """Clear what others have not shown; returns of how many seats there are past bids to be filled in."""
    unknown = 0
    for p in range(int(s["players"])):
        if p != seat:
            unknown += 1
            for t in range(int(s["cards"])):
                s["kept"][p, t] = 0
    return unknown if int(s["hidden"]) == 1 and int(s["turn"]) > 0 else 0


@kernel(c.DETERMINIZE)
def determinize(state, seat, rng):
    s = state.view(State)[0]
    unknown = _forget(s, seat)
    if unknown == 0:
        return 0.0
    low, high = np.zeros(_SIZE, np.int64), np.zeros(_SIZE, np.int64)
    ways = np.zeros((_SIZE, _SIZE + 1, _SIZE + 1))
    if unknown == 1:
        _fill_in(s, seat, rng, low, high, ways)
        return 0.0
    chosen, total = np.zeros((MAX_PLAYERS, MAX_CARDS), np.int8), 0.0
    for _ in range(_CANDIDATES):
        weight = 0.0
        while weight == 0.0:
            weight = _fill_in(s, seat, rng, low, high, ways)
        total += weight
        if uniform(rng) * total < weight:
            chosen[:, :] = s["kept"]
    for p in range(int(s["players"])):
        for t in range(int(s["turn"])):
            s["kept"][p, t] = chosen[p, t]
    return math.log(total / _CANDIDATES)


@kernel
def worlds_exist(state, seat, rng, tries):
    """Whether one of `tries` worlds of a state made from a view fits; `state` is changed."""
    s = state.view(State)[0]
    low, high = np.zeros(_SIZE, np.int64), np.zeros(_SIZE, np.int64)
    ways = np.zeros((_SIZE, _SIZE + 1, _SIZE + 1))
    found = _forget(s, seat) == 0
    while not found and tries > 0:
        found = _fill_in(s, seat, rng, low, high, ways) > 0.0
        tries -= 1
    return found
