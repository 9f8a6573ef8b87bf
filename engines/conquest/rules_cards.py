# mypy: ignore-errors
"""Player Decks: hands, draws, discards, what everybody knows of a hand (rulebook: Discard and Draw Cards)."""

from engines.kernel import kernel

from . import content as k
from .layout import ROW, TYPES


@kernel
def add(row, t, n):
    """Change an entry of an array by n."""
    row[t] = int(row[t]) + n


@kernel
def total(row):
    """Sum of an array."""
    n = 0
    for i in range(row.shape[0]):
        n += int(row[i])
    return n


@kernel
def faction(s, p):
    """Faction of a seat, from 0."""
    return int(s["faction"][p]) - 1


@kernel
def empty_deck(s, p):
    """Once no card is left face down, all unseen ones are in the hand, and everybody knows it (section 3c)."""
    if int(s["deck_size"][p]) == 0:
        for t in range(TYPES):
            s["known"][p, t] = s["unseen"][p, t]


@kernel
def leave_hand(s, p, t):
    """A card leaves a hand for all to see; one that is known to be there goes first."""
    add(s["hand"][p], t, -1)
    add(s["unseen"][p], t, -1)
    add(s["hand_size"], p, -1)
    if int(s["known"][p, t]) > 0:
        add(s["known"][p], t, -1)


@kernel
def draw_type(s, p, t):
    """A card of the type goes from the face-down deck into the hand."""
    add(s["deck"][p], t, -1)
    add(s["hand"][p], t, 1)
    add(s["deck_size"], p, -1)
    add(s["hand_size"], p, 1)
    empty_deck(s, p)


@kernel
def draw_faceup(s, p):
    """The face-up top card goes into the hand: everybody knows it there."""
    t = int(s["faceup"][p]) - 1
    s["faceup"][p] = 0
    add(s["hand"][p], t, 1)
    add(s["unseen"][p], t, 1)
    add(s["known"][p], t, 1)
    add(s["hand_size"], p, 1)


@kernel
def turn_up(s, p, t):
    """The top card of the deck of `p` is turned face up: it is of type t."""
    add(s["deck"][p], t, -1)
    add(s["unseen"][p], t, -1)
    add(s["deck_size"], p, -1)
    s["faceup"][p] = 1 + t
    empty_deck(s, p)


@kernel
def reshuffle(s, p):
    """The discard pile becomes the deck; cards played this turn are not in it. Returns whether there was any."""
    n = 0
    for t in range(TYPES):
        copies = int(s["discard"][p, t])
        if copies > 0:
            add(s["deck"][p], t, copies)
            add(s["unseen"][p], t, copies)
            s["discard"][p, t] = 0
            n += copies
    add(s["deck_size"], p, n)
    return n > 0


@kernel
def discard_hand(s, p):
    """All cards of the hand go to the discard pile."""
    for t in range(TYPES):
        copies = int(s["hand"][p, t])
        if copies > 0:
            add(s["discard"][p], t, copies)
            add(s["unseen"][p], t, -copies)
            s["hand"][p, t] = 0
        s["known"][p, t] = 0
    s["hand_size"][p] = 0


@kernel
def drawable(s, p):
    """Whether there is a card to draw."""
    return int(s["deck_size"][p]) > 0 or int(s["faceup"][p]) > 0 or total(s["discard"][p]) > 0


@kernel
def take_row(s, p, slot):
    """A card leaves the Empire Row, with it what lay on it; returns its type."""
    t = int(s["row"][p, slot]) - 1
    s["row"][p, slot] = 0
    s["accrued"][p, slot] = 0
    return t


@kernel
def acquire(s, p, slot):
    """A card of the Empire Row goes to the discard pile."""
    add(s["discard"][p], take_row(s, p, slot), 1)


@kernel
def scrap_row(s, p, slot):
    """A card of the Empire Row leaves the game, accrued production is lost."""
    take_row(s, p, slot)
    add(s["scrapped"], p, 1)


@kernel
def empty_slot(s, p):
    """The lowest empty slot of the Empire Row that can be refilled, or -1."""
    if int(s["empire_size"][p]) > 0:
        for slot in range(min(ROW, k.EMPIRE_ROW)):
            if int(s["row"][p, slot]) == 0:
                return slot
    return -1


@kernel
def refill(s, p, t):
    """A card of the type goes from the Empire Deck to the lowest empty slot."""
    add(s["empire"][p], t, -1)
    add(s["empire_size"], p, -1)
    s["row"][p, empty_slot_before(s, p)] = 1 + t


@kernel
def empty_slot_before(s, p):
    """The lowest empty slot, the deck's last card being on its way."""
    slot = 0
    while int(s["row"][p, slot]) != 0:
        slot += 1
    return slot


@kernel
def owned_cost(s, p):
    """Printed cost of all cards owned: hand, deck, discard pile, played, Bases, attached (ruling 39)."""
    f = faction(s, p)
    n = 0
    for t in range(TYPES):
        copies = int(s["unseen"][p, t]) + int(s["discard"][p, t])
        if p == int(s["active"]):
            copies += int(s["ready"][t]) + int(s["spent"][t])
        n += copies * int(k.COST[f, t])
    if int(s["faceup"][p]) > 0:
        n += int(k.COST[f, int(s["faceup"][p]) - 1])
    if p == int(s["active"]):
        for i in range(total(s["fleet_size"])):
            n += int(k.COST[f, int(s["ships"][i]) - 1])
    for world in range(3):
        if int(s["base"][p, world]) > 0:
            n += int(k.COST[f, int(s["base"][p, world]) - 1])
        for i in range(4):
            if int(s["attached"][p, world, i]) > 0:
                n += int(s["attached"][p, world, i]) * int(k.COST[f, int(k.ATTACH_TYPE[f, i])])
    return n
