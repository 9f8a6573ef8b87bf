# mypy: ignore-errors
"""What a seat cannot know, drawn anew: the cards in other hands and in the deck (rulebook: Setup, Explore, Deck).

The public record says, for each deck number, which copies nobody has seen yet (`unseen`) and how many of them lie in
each hand (`unknown`) and in the deck. Every placement that fits is equally likely: choices are not taken as evidence,
nor is which of equal cards of different age was played. So the copies of a number that are not in the seat's own hand
are dealt uniformly over the other hands' places and, for the number now drawn from, the deck. The sampler is exact.
"""

import numpy as np

from engines import contract as c
from engines.kernel import kernel
from engines.rng import below

from .layout import COPIES, DESIGNS, DRAWN, MAX_CARDS, NUMBERS, State


@kernel
def clear_hidden(s, seat):
    """Zero every hand but that of `seat`, and the deck."""
    for p in range(int(s["players"])):
        if p != seat:
            for design in range(DESIGNS):
                for copy in range(COPIES):
                    s["hand"][p, design, copy] = 0
            for i in range(DRAWN):
                s["drawn"][p, i] = 0
    for design in range(DESIGNS):
        s["deck"][design] = 0


@kernel
def is_own(s, seat, design, mine, number):
    """Whether copy `mine` of the design in the hand of `seat` carries `number` (as stored: 1 + deck number)."""
    return seat >= 0 and mine < COPIES and int(s["hand"][seat, design, mine]) == number


@kernel
def gather(s, seat, pool, start):
    """Fill `pool` with the unseen copies that `seat` does not hold, by number, then design.

    start: int64[NUMBERS + 1] becomes the place in `pool` where each number's copies begin.
    """
    for number in range(NUMBERS + 1):
        start[number] = 0
    for fill in range(2):
        for design in range(DESIGNS):
            mine = 0
            for copy in range(COPIES):
                number = int(s["unseen"][design, copy])
                if number == 0:
                    break
                if is_own(s, seat, design, mine, number):
                    mine += 1
                elif fill == 0:
                    start[number] += 1
                else:
                    pool[start[number - 1]] = design
                    start[number - 1] += 1
        if fill == 0:
            for number in range(NUMBERS):
                start[number + 1] += start[number]
    # Filling has moved every start to the next one's.
    for number in range(NUMBERS, 0, -1):
        start[number] = start[number - 1]
    start[0] = 0


@kernel
def put_in_hand(s, seat, design, number):
    """Add a copy to a hand; numbers are dealt in ascending order, so each row stays sorted."""
    copy = 0
    while int(s["hand"][seat, design, copy]) != 0:
        copy += 1
    s["hand"][seat, design, copy] = 1 + number


@kernel
def put_in_drawn(s, seat, first, count, design):
    """Insert a design into a sorted run of `drawn` that begins at `first` and holds `count`."""
    at = first + count
    while at > first and int(s["drawn"][seat, at - 1]) > 1 + design:
        s["drawn"][seat, at] = int(s["drawn"][seat, at - 1])
        at -= 1
    s["drawn"][seat, at] = 1 + design


@kernel
def just_drawn(s, seat, number):
    """How many of the seat's unknown cards of the deck number are those of a gray exploit now going on."""
    if int(s["turn"]) != seat:
        return 0
    if number == int(s["deck_number"]):
        return int(s["gray"][1])
    return int(s["gray"][0]) if number == int(s["deck_number"]) - 1 else 0


@kernel
def deal_number(s, seat, number, pool, at, end, rng):
    """Deal the copies `pool[at:end]` of one deck number over the other hands; return where the rest of them begins."""
    for p in range(int(s["players"])):
        if p == seat:
            continue
        fresh = just_drawn(s, p, number)
        first = 0 if number < int(s["deck_number"]) else int(s["gray"][0])
        for i in range(int(s["unknown"][p, number])):
            if at == end:
                return at
            pick = at + below(rng, end - at)
            design = int(pool[pick])
            pool[pick] = pool[at]
            at += 1
            put_in_hand(s, p, design, number)
            if i < fresh:
                put_in_drawn(s, p, first, i, design)
    return at


@kernel(c.DETERMINIZE)
def determinize(state, seat, rng):
    s = state.view(State)[0]
    clear_hidden(s, seat)
    pool = np.empty(MAX_CARDS, np.uint8)
    start = np.empty(NUMBERS + 1, np.int64)
    gather(s, seat, pool, start)
    current = int(s["deck_number"])
    for number in range(current + 1):
        end = start[number + 1]
        at = deal_number(s, seat, number, pool, start[number], end, rng)
        if number == current:
            for i in range(at, end):
                s["deck"][int(pool[i])] = int(s["deck"][int(pool[i])]) + 1
    return 0.0
