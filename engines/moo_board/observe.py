# mypy: ignore-errors
"""What a seat sees as numbers (`observe`), what that is called (`slices`), and its key (`info_key`).

An observation holds every public fact that bears on the future, the seat's own hand, and two sums that people read off
the table as well: each seat's income and its points so far. Seats stand in turn order, the observing one first.
"""

import numpy as np

from engines import contract as c
from engines.contract import Kind, Slice
from engines.kernel import kernel
from engines.observing import hashed, put_one_hot, put_seat

from . import ops
from .content import ICONS, PC_DEAL, PROGRAM
from .layout import (
    ADVISORS,
    CARDS,
    COPIES,
    DESIGNS,
    DRAWN,
    NODE_ACTIVATE_MORE,
    NODE_DISCARD,
    NODE_TRADE_MORE,
    NODES,
    RACES,
    SLOTS,
    SOURCES,
    SYSTEMS,
    State,
)
from .rules_cards import reserve
from .rules_end import score

TOP_DISCARDS, NODE_COUNT = 3, len(NODES)
PUBLIC_BYTES = HAND_START = State.fields["hand"][1]
"""The public run of the record ends where the hands begin."""
HAND_BYTES, DRAWN_START = DESIGNS * COPIES, State.fields["drawn"][1]


def slices(players: int) -> list[Slice]:
    """The parts of an observation with so many seats, in order; `observe` writes them in this order."""
    one, seats = (1,), (players,)
    return [
        Slice("round", Kind.SCALAR, one, scale=8),
        Slice("node", Kind.ONE_HOT, (NODE_COUNT,), labels="node"),
        Slice("first", Kind.ONE_HOT, seats),
        Slice("mover", Kind.ONE_HOT, seats),
        Slice("turn", Kind.ONE_HOT, seats),
        Slice("deck_size", Kind.SCALAR, one, scale=90),
        Slice("discard_size", Kind.SCALAR, one, scale=90),
        Slice("table", Kind.MASK, (ADVISORS,), labels="advisor"),
        Slice("discard", Kind.COUNT, (DESIGNS,), scale=2, labels="design"),
        Slice("discard_top", Kind.CARD, (TOP_DISCARDS,), labels="design"),
        Slice("unseen", Kind.COUNT, (DESIGNS,), scale=2, labels="design"),
        Slice("unseen_old", Kind.COUNT, (DESIGNS,), scale=2, labels="design"),
        Slice("draws", Kind.SCALAR, one, scale=4),
        Slice("discount", Kind.SCALAR, one, scale=4),
        Slice("cost", Kind.SCALAR, (3,), scale=4),
        Slice("save_from", Kind.SCALAR, one, scale=2),
        Slice("discards", Kind.SCALAR, one, scale=4),
        Slice("uses", Kind.SCALAR, one, scale=2),
        Slice("builds", Kind.SCALAR, (2,), scale=2),
        Slice("target", Kind.MASK, seats),
        Slice("deal", Kind.MASK, (ADVISORS,), labels="advisor"),
        Slice("design", Kind.CARD, one, labels="design"),
        Slice("place", Kind.MASK, (SYSTEMS,)),
        Slice("source", Kind.MASK, (SOURCES,)),
        Slice("used_sources", Kind.MASK, (SOURCES,)),
        Slice("open_sources", Kind.MASK, (SOURCES,)),
        Slice("placed", Kind.CARD, (CARDS,), labels="design"),
        Slice("hand", Kind.COUNT, (DESIGNS,), scale=2, labels="design"),
        Slice("drawn", Kind.COUNT, (DESIGNS,), scale=2, labels="design"),
        Slice("race", Kind.MASK, (players, RACES), labels="race", per_seat=True),
        Slice("resources", Kind.SCALAR, (players, 3), scale=9, per_seat=True),
        Slice("loyalty", Kind.SCALAR, seats, scale=10, per_seat=True),
        Slice("vp", Kind.SCALAR, seats, scale=40, per_seat=True),
        Slice("available", Kind.SCALAR, seats, scale=5, per_seat=True),
        Slice("spent", Kind.SCALAR, seats, scale=10, per_seat=True),
        Slice("reserve", Kind.SCALAR, seats, scale=10, per_seat=True),
        Slice("attacks", Kind.SCALAR, (players, players - 1), scale=3, per_seat=True),
        Slice("propaganda", Kind.MASK, seats, per_seat=True),
        Slice("discount_used", Kind.MASK, seats, per_seat=True),
        Slice("systems", Kind.CARD, (players, SYSTEMS, CARDS), labels="design", per_seat=True),
        Slice("cube", Kind.MASK, (players, SLOTS), per_seat=True),
        Slice("advisor", Kind.MASK, (players, ADVISORS), labels="advisor", per_seat=True),
        Slice("hand_size", Kind.SCALAR, seats, scale=5, per_seat=True),
        Slice("known", Kind.COUNT, (players, DESIGNS), scale=2, labels="design", per_seat=True),
        Slice("unknown_old", Kind.SCALAR, seats, scale=5, per_seat=True),
        Slice("income", Kind.SCALAR, (players, 3), scale=9, per_seat=True),
        Slice("points", Kind.SCALAR, seats, scale=60, per_seat=True),
    ]


@kernel
def put_bits(out, at, size, bits):
    """Write the lowest bits of a number; return where the next slice begins."""
    for i in range(size):
        out[at + i] = (bits >> i) & 1
    return at + size


@kernel
def put_table(s, seat, out, at):
    """Round, whose turn, advisors on the table, discard pile."""
    size = int(s["discard_size"])
    out[at] = int(s["round"])
    at = put_one_hot(out, at + 1, NODE_COUNT, int(s["node"]))
    at = put_seat(s, out, at, seat, int(s["first"]))
    at = put_seat(s, out, at, seat, int(s["mover"]))
    at = put_seat(s, out, at, seat, int(s["turn"]))
    out[at], out[at + 1] = int(s["deck_size"]), size
    at += 2
    for i in range(ADVISORS):
        out[at + i] = int(s["table"][i])
    at += ADVISORS
    for i in range(size):
        out[at + int(s["discard"][i]) - 1] += 1
    at += DESIGNS
    for i in range(min(size, TOP_DISCARDS)):
        out[at + i] = int(s["discard"][size - 1 - i])
    return at + TOP_DISCARDS


@kernel
def put_unseen(s, seat, out, at):
    """Copies that the seat has not seen and does not hold: of the deck now drawn from, and of older ones."""
    current = int(s["deck_number"]) + 1
    for design in range(DESIGNS):
        for copy in range(COPIES):
            number = int(s["unseen"][design, copy])
            if number != 0:
                out[at + design + (0 if number == current else DESIGNS)] += 1
            mine = int(s["hand"][seat, design, copy])
            if mine != 0:
                out[at + design + (0 if mine == current else DESIGNS)] -= 1
    return at + 2 * DESIGNS


@kernel
def open_builds(s, out, at):
    """Builds still to come in the pending effects: of one colour only, of any."""
    for i in range(int(s["depth"])):
        pc = int(s["frame_pc"][i])
        while int(PROGRAM[pc, 0]) != ops.END:
            if int(PROGRAM[pc, 0]) == ops.BUILD:
                out[at + (0 if int(PROGRAM[pc, 1]) > 0 else 1)] += 1
            pc += 1


@kernel
def put_pending(s, seat, out, at):
    """What is half done: the build being paid, the effects on the stack."""
    node, top = int(s["node"]), int(s["depth"]) - 1
    out[at], out[at + 1] = int(s["draws"]), int(s["discount"])
    for r in range(3):
        out[at + 2 + r] = int(s["cost"][r])
    out[at + 5] = int(s["save_from"])
    count = int(s["frame_n"][top]) if top >= 0 else 0
    out[at + 6] = count if node == NODE_DISCARD else 0
    out[at + 7] = count if node in (NODE_ACTIVATE_MORE, NODE_TRADE_MORE) else 0
    open_builds(s, out, at + 8)
    target, deal = -1, -1
    for i in range(top + 1):
        pc, other = int(s["frame_pc"][i]), int(s["frame_target"][i]) - 1
        if pc == PC_DEAL or pc == PC_DEAL + 1:
            deal = other
        elif other >= 0:
            target = other
    at = put_seat(s, out, at + 10, seat, target)
    at = put_one_hot(out, at, ADVISORS, deal)
    design = int(s["design"])
    out[at] = design
    at = put_one_hot(out, at + 1, SYSTEMS, int(s["place"]) if design > 0 else -1)
    at = put_one_hot(out, at, SOURCES, int(s["frame_source"][top]) if top >= 0 else -1)
    at = put_bits(out, at, SOURCES, int(s["used_sources"]))
    at = put_bits(out, at, SOURCES, int(s["open_sources"]))
    for i in range(CARDS):
        out[at + i] = int(s["placed"][i])
    return at + CARDS


@kernel
def put_own(s, seat, out, at):
    """The hand (openly taken cards too), and the cards just drawn in a gray exploit."""
    for design in range(DESIGNS):
        count = int(s["known"][seat, design])
        for copy in range(COPIES):
            if int(s["hand"][seat, design, copy]) != 0:
                count += 1
        out[at + design] = count
    at += DESIGNS
    for i in range(DRAWN):
        design = int(s["drawn"][seat, i])
        if design != 0:
            out[at + design - 1] += 1
    return at + DESIGNS


@kernel
def put_standing(s, seat, out, at):
    """Races, stocks, cubes and attack markers of every seat."""
    players = int(s["players"])
    for i in range(players):
        p = (seat + i) % players
        put_one_hot(out, at + i * RACES, RACES, int(s["race"][p]) - 1)
        own = at + players * RACES
        for r in range(3):
            out[own + 3 * i + r] = int(s["resources"][p, r])
        own += 3 * players + i
        out[own] = int(s["loyalty"][p])
        out[own + players] = int(s["vp"][p])
        out[own + 2 * players] = int(s["available"][p])
        out[own + 3 * players] = int(s["spent"][p])
        out[own + 4 * players] = reserve(s, p)
        own += 5 * players - i
        for k in range(1, players):
            out[own + i * (players - 1) + k - 1] = int(s["attacks"][p, (p + k) % players])
        own += players * (players - 1) + i
        out[own] = int(s["propaganda"][p])
        out[own + players] = int(s["discount_used"][p])
    return at + players * (RACES + 3 + 5 + players - 1 + 2)


@kernel
def put_cards(s, seat, out, at):
    """Systems (from the top card down), cubes, advisor, and what is known of the hand, of every seat."""
    players = int(s["players"])
    for i in range(players):
        p = (seat + i) % players
        for system in range(SYSTEMS):
            for k in range(CARDS):
                out[at + (i * SYSTEMS + system) * CARDS + k] = int(s["systems"][p, system, k])
        own = at + players * SYSTEMS * CARDS
        for slot in range(SLOTS):
            out[own + i * SLOTS + slot] = int(s["cube"][p, slot])
        own += players * SLOTS
        put_one_hot(out, own + i * ADVISORS, ADVISORS, int(s["advisor"][p]) - 1)
        own += players * ADVISORS
        out[own + i] = int(s["hand_size"][p])
        own += players
        for design in range(DESIGNS):
            out[own + i * DESIGNS + design] = int(s["known"][p, design])
        own += players * DESIGNS
        for number in range(int(s["deck_number"])):
            out[own + i] += int(s["unknown"][p, number])
    return at + players * (SYSTEMS * CARDS + SLOTS + ADVISORS + 1 + DESIGNS + 1)


@kernel
def put_sums(s, seat, out, at):
    """Income and points of every seat."""
    players = int(s["players"])
    for i in range(players):
        p = (seat + i) % players
        for system in range(SYSTEMS):
            for k in range(CARDS):
                design = int(s["systems"][p, system, k]) - 1
                if design < 0:
                    break
                for r in range(3):
                    out[at + 3 * i + r] += int(ICONS[design, r])
        out[at + 3 * players + i] = score(s, p)


@kernel(c.OBSERVE)
def observe(state, seat, out):
    s = state.view(State)[0]
    for i in range(out.shape[0]):
        out[i] = 0
    at = put_table(s, seat, out, 0)
    at = put_unseen(s, seat, out, at)
    at = put_pending(s, seat, out, at)
    at = put_own(s, seat, out, at)
    at = put_standing(s, seat, out, at)
    at = put_cards(s, seat, out, at)
    put_sums(s, seat, out, at)


@kernel(c.INFO_KEY)
def info_key(state, seat):
    key = hashed(state, 0, PUBLIC_BYTES, np.uint64(seat + 1))
    if seat >= 0:
        hand, drawn = HAND_START + seat * HAND_BYTES, DRAWN_START + seat * DRAWN
        key = hashed(state, hand, hand + HAND_BYTES, key)
        key = hashed(state, drawn, drawn + DRAWN, key)
    return key
