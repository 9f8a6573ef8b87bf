# mypy: ignore-errors
"""Hands, deck and discard pile; cubes, stocks and loyalty; what lies where (rulebook: Basic Terms, Resources)."""

from engines.kernel import kernel

from . import ops
from .content import (
    DISCOUNT,
    ITEM_ADVISOR,
    ITEM_RACE,
    LOYALTY_MAX,
    M_FIFTH,
    M_ONCE,
    MODS,
    PROGRAM,
    RESERVE,
    RESOURCE_CAP,
)
from .layout import ADVISOR, CARDS, COPIES, DESIGNS, DRAWN, NUMBERS, SLOTS, SOURCES, SYSTEMS


@kernel
def item_at(s, seat, source):
    """The item (see `content`) that works at `source`, or -1: the top card of a system, the advisor, the race board."""
    if source < ADVISOR:
        return int(s["systems"][seat, source, 0]) - 1
    if source == ADVISOR:
        advisor = int(s["advisor"][seat])
        return ITEM_ADVISOR + advisor - 1 if advisor else -1
    return ITEM_RACE + int(s["race"][seat]) - 1


@kernel
def mod_sum(s, seat, column):
    """A column of `MODS`, summed over what works for `seat`."""
    total = 0
    for source in range(SOURCES):
        item = item_at(s, seat, source)
        if item >= 0:
            total += int(MODS[item, column])
    return total


@kernel
def discount_on(s, seat, color, action):
    """Units off the cost of a card of `color`; some count for Build actions only, one of those once a round."""
    total = 0
    for source in range(SOURCES):
        item = item_at(s, seat, source)
        if item >= 0:
            total += int(DISCOUNT[item, 0, color])
            if action:
                total += int(DISCOUNT[item, 1, color])
                if int(s["discount_used"][seat]) == 0:
                    total += int(MODS[item, M_ONCE])
    return total


@kernel
def fifth_capacity(s, seat):
    """How many cards the advisor's own system holds; 0 without such an advisor."""
    advisor = int(s["advisor"][seat])
    return int(MODS[ITEM_ADVISOR + advisor - 1, M_FIFTH]) if advisor else 0


@kernel
def height(s, seat, system):
    """Cards in a system."""
    for i in range(CARDS):
        if int(s["systems"][seat, system, i]) == 0:
            return i
    return CARDS


@kernel
def reserve(s, seat):
    """Cubes of `seat` that are not in use."""
    used = int(s["available"][seat]) + int(s["spent"][seat])
    for other in range(int(s["players"])):
        used += int(s["attacks"][seat, other])
    for source in range(SLOTS):
        used += int(s["cube"][seat, source])
    return RESERVE - used


@kernel
def gain(s, seat, food, fleet, production):
    """Change the stock (ruling 34: what exceeds the cap is lost)."""
    stock = s["resources"]
    stock[seat, 0] = min(RESOURCE_CAP, int(stock[seat, 0]) + food)
    stock[seat, 1] = min(RESOURCE_CAP, int(stock[seat, 1]) + fleet)
    stock[seat, 2] = min(RESOURCE_CAP, int(stock[seat, 2]) + production)


@kernel
def gain_op(s, seat, pc, at):
    """Gain the amount that stands in columns at.. of an op."""
    gain(s, seat, int(PROGRAM[pc, at]), int(PROGRAM[pc, at + 1]), int(PROGRAM[pc, at + 2]))


@kernel
def add_loyalty(s, seat, change):
    """Change loyalty: capped, without a lower bound."""
    s["loyalty"][seat] = min(LOYALTY_MAX, int(s["loyalty"][seat]) + change)


@kernel
def add_actions(s, seat, n):
    """Take cubes of the reserve as actions, as many as there are (ruling 9)."""
    s["available"][seat] = int(s["available"][seat]) + min(n, reserve(s, seat))


@kernel
def holds(s, seat, design):
    """Whether a copy of `design` is in the hand."""
    return int(s["hand"][seat, design, 0]) > 0 or int(s["known"][seat, design]) > 0


@kernel
def take_out(numbers, mark):
    """Remove the first `mark` of an ascending list that ends in zeros."""
    at = 0
    while int(numbers[at]) != mark:
        at += 1
    for i in range(at, COPIES - 1):
        numbers[i] = numbers[i + 1]
    numbers[COPIES - 1] = 0


@kernel
def put_in(numbers, mark):
    """Add `mark`, no less than the others, to an ascending list that ends in zeros."""
    at = 0
    while int(numbers[at]) != 0:
        at += 1
    numbers[at] = mark


@kernel
def leave_numbered(s, seat, design, mark):
    """A copy with this mark (1 + deck number) leaves the hand and is seen by all."""
    take_out(s["hand"][seat, design], mark)
    take_out(s["unseen"][design], mark)
    s["unknown"][seat, mark - 1] = int(s["unknown"][seat, mark - 1]) - 1
    s["hand_size"][seat] = int(s["hand_size"][seat]) - 1


@kernel
def leave(s, seat, design):
    """A copy of `design` leaves the hand: a known one first, else the oldest (ruling 38)."""
    known = int(s["known"][seat, design])
    if known > 0:
        s["known"][seat, design] = known - 1
        s["hand_size"][seat] = int(s["hand_size"][seat]) - 1
    else:
        leave_numbered(s, seat, design, int(s["hand"][seat, design, 0]))


@kernel
def onto_pile(s, design):
    """Lay a card on the discard pile."""
    size = int(s["discard_size"])
    s["discard"][size] = 1 + design
    s["discard_size"] = size + 1


@kernel
def discard(s, seat, design):
    """Discard a card of the hand."""
    leave(s, seat, design)
    onto_pile(s, design)


@kernel
def take_discard(s, seat, design):
    """Take the topmost copy of `design` from the pile, openly; the rest keeps its order (ruling 45)."""
    size = int(s["discard_size"])
    at = size - 1
    while int(s["discard"][at]) != 1 + design:
        at -= 1
    for i in range(at, size - 1):
        s["discard"][i] = s["discard"][i + 1]
    s["discard"][size - 1] = 0
    s["discard_size"] = size - 1
    s["known"][seat, design] = int(s["known"][seat, design]) + 1
    s["hand_size"][seat] = int(s["hand_size"][seat]) + 1


@kernel
def draw_cards(s, seat, n):
    """`seat` is to draw n cards: each is a chance event of its own."""
    s["draws"] = n
    s["mover"] = seat


@kernel
def is_gray_draw(s):
    """Whether the cards being drawn are those of an exploited gray card."""
    depth = int(s["depth"])
    return depth > 0 and int(PROGRAM[int(s["frame_pc"][depth - 1]), 0]) == ops.GRAY


@kernel
def drawn(s, design):
    """The mover draws `design`."""
    seat, number = int(s["mover"]), int(s["deck_number"])
    s["draws"] = int(s["draws"]) - 1
    s["deck"][design] = int(s["deck"][design]) - 1
    s["deck_size"] = int(s["deck_size"]) - 1
    put_in(s["hand"][seat, design], 1 + number)
    s["unknown"][seat, number] = int(s["unknown"][seat, number]) + 1
    s["hand_size"][seat] = int(s["hand_size"][seat]) + 1
    if is_gray_draw(s):
        at = int(s["gray"][0]) + int(s["gray"][1])
        while at > int(s["gray"][0]) and int(s["drawn"][seat, at - 1]) > 1 + design:
            s["drawn"][seat, at] = s["drawn"][seat, at - 1]
            at -= 1
        s["drawn"][seat, at] = 1 + design
        s["gray"][1] = int(s["gray"][1]) + 1


@kernel
def discard_drawn(s, seat, design):
    """End a gray exploit: discard `design`, one of the cards just drawn (of two copies the older)."""
    at = 0
    while int(s["drawn"][seat, at]) != 1 + design:
        at += 1
    older = at < int(s["gray"][0])
    leave_numbered(s, seat, design, int(s["deck_number"]) + (0 if older else 1))
    onto_pile(s, design)
    s["gray"][0] = 0
    s["gray"][1] = 0
    for i in range(DRAWN):
        s["drawn"][seat, i] = 0


@kernel
def refill(s):
    """The pile but for its top card becomes the next deck (rulebook: Running Out of Cards; ruling 1)."""
    if int(s["deck_number"]) == NUMBERS - 1:
        close_up(s)
    else:
        s["deck_number"] = int(s["deck_number"]) + 1
    if is_gray_draw(s):
        s["gray"][0] = s["gray"][1]
        s["gray"][1] = 0
    size = int(s["discard_size"])
    for i in range(size - 1):
        design = int(s["discard"][i]) - 1
        s["deck"][design] = int(s["deck"][design]) + 1
        put_in(s["unseen"][design], 1 + int(s["deck_number"]))
        if i > 0:
            s["discard"][i] = 0
    s["discard"][0] = s["discard"][size - 1]
    s["discard"][size - 1] = 0
    s["discard_size"] = 1
    s["deck_size"] = size - 1


@kernel
def close_up(s):
    """Make room for one more deck number: drop those that no hand holds; if there is none, join the two oldest."""
    at, players = 0, int(s["players"])
    for number in range(NUMBERS):
        live = 0
        for seat in range(players):
            live += int(s["unknown"][seat, number])
        if live == 0:
            continue
        renumber(s, number, at)
        at += 1
    if at == NUMBERS:
        for number in range(1, NUMBERS):
            renumber(s, number, number - 1)
        at -= 1
    s["deck_number"] = at


@kernel
def renumber(s, old, new):
    """Give the unseen cards of deck number `old` the number `new`, which is no greater."""
    if old == new:
        return
    for seat in range(int(s["players"])):
        s["unknown"][seat, new] = int(s["unknown"][seat, new]) + int(s["unknown"][seat, old])
        s["unknown"][seat, old] = 0
    for design in range(DESIGNS):
        for i in range(COPIES):
            if int(s["unseen"][design, i]) == 1 + old:
                s["unseen"][design, i] = 1 + new
            for seat in range(int(s["players"])):
                if int(s["hand"][seat, design, i]) == 1 + old:
                    s["hand"][seat, design, i] = 1 + new


@kernel
def system_count(s, seat):
    """Systems that hold a card; the advisor's own counts even when empty (ruling 20)."""
    total = 1 if fifth_capacity(s, seat) > 0 else 0
    for system in range(SYSTEMS - 1):
        if int(s["systems"][seat, system, 0]) > 0:
            total += 1
    return total
