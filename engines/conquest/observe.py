# mypy: ignore-errors
"""What a seat sees as numbers (`observe`), what that is called (`slices`), and its key (`info_key`).

An observation holds every public fact that bears on the future and the seat's own hand; beside them sums that people
read off the table as well (population left, production, total cost, what a Fleet is worth). Seats stand in turn order,
the observing one first.
"""

import numpy as np

from engines import contract as c
from engines.contract import Kind, Slice
from engines.kernel import kernel
from engines.observing import hashed, put_one_hot, put_row, put_seat

from . import content as k
from . import ops
from .layout import (
    ATTACHERS,
    CLASSES,
    FACES,
    FACTIONS,
    NODE_ATTACH,
    NODE_DEFEND,
    NODES,
    PHASES,
    PLACES,
    PLACES_SEEN,
    ROW,
    SLOTS,
    TARGETS,
    TYPES,
    WORLDS,
    State,
)
from .rules_attack import fleet_start, focus, power
from .rules_economy import command_points
from .rules_end import left
from .rules_worlds import base_left, is_world, population, production, total_cost

NODE_COUNT, PHASE_COUNT, NEXT = len(NODES), len(PHASES), 4
PUBLIC_BYTES = HAND_START = State.fields["hand"][1]
"""The public run of the record ends where the hands begin."""


def slices(players: int) -> list[Slice]:
    """The parts of an observation with so many seats, in order; `observe` writes them in this order."""
    return [*_turn_slices(players), *_seat_slices(players)]


def _turn_slices(players: int) -> list[Slice]:
    """The turn, what is pending, the attack, the Exploration Deck, the own hand."""
    one, seats = (1,), (players,)
    return [
        Slice("round", Kind.SCALAR, one, scale=50),
        Slice("rounds_left", Kind.SCALAR, one, scale=50),
        Slice("last_standing", Kind.MASK, one),
        Slice("node", Kind.ONE_HOT, (NODE_COUNT,), labels="node"),
        Slice("phase", Kind.ONE_HOT, (PHASE_COUNT,), labels="phase"),
        Slice("mover", Kind.ONE_HOT, seats),
        Slice("active", Kind.ONE_HOT, seats),
        Slice("first", Kind.ONE_HOT, seats),
        Slice("attacked", Kind.MASK, one),
        Slice("money", Kind.SCALAR, (4,), scale=5, labels="money"),
        Slice("points", Kind.SCALAR, one, scale=4),
        Slice("classes", Kind.MASK, (CLASSES,), labels="class"),
        Slice("acquired", Kind.MASK, (WORLDS,), labels="world"),
        Slice("upgraded", Kind.MASK, (WORLDS,), labels="world"),
        Slice("used", Kind.MASK, (WORLDS,), labels="world"),
        Slice("ready", Kind.COUNT, (TYPES,), scale=2, labels="card"),
        Slice("spent", Kind.COUNT, (TYPES,), scale=2, labels="card"),
        Slice("pending", Kind.SCALAR, (ops.COUNT,), scale=2),
        Slice("count", Kind.SCALAR, one, scale=2),
        Slice("effect_of", Kind.MASK, seats),
        Slice("deck_of", Kind.MASK, seats),
        Slice("attaching", Kind.MASK, (TYPES,), labels="card"),
        Slice("held", Kind.CARD, one, labels="face"),
        Slice("fleet_power", Kind.SCALAR, (TARGETS,), scale=10, labels="target"),
        Slice("fleet_sure", Kind.SCALAR, (TARGETS,), scale=10, labels="target"),
        Slice("fleet_block", Kind.SCALAR, (TARGETS,), scale=10, labels="target"),
        Slice("fleet_focus", Kind.MASK, (TARGETS,), labels="target"),
        Slice("fleet_ships", Kind.COUNT, (TYPES,), scale=2, labels="card"),
        Slice("other_ships", Kind.COUNT, (TYPES,), scale=2, labels="card"),
        Slice("defenders", Kind.COUNT, (TYPES,), scale=2, labels="card"),
        Slice("foe", Kind.MASK, (2, players)),
        Slice("explore", Kind.CARD, (SLOTS,), labels="face"),
        Slice("top", Kind.CARD, one, labels="face"),
        Slice("top_new", Kind.MASK, one),
        Slice("explore_deck", Kind.COUNT, (FACES,), labels="face"),
        Slice("recycled", Kind.COUNT, (FACES,), labels="face"),
        Slice("recycled_next", Kind.CARD, (NEXT,), labels="face"),
        Slice("hand", Kind.COUNT, (TYPES,), scale=2, labels="card"),
    ]


def _seat_slices(players: int) -> list[Slice]:
    """What lies before every seat."""
    seats = (players,)
    return [
        Slice("tokens", Kind.SCALAR, (players, PLACES_SEEN), scale=3, per_seat=True),
        Slice("faction", Kind.MASK, (players, FACTIONS), labels="faction", per_seat=True),
        Slice("fallen", Kind.SCALAR, seats, scale=2, per_seat=True),
        Slice("home_left", Kind.SCALAR, seats, scale=20, per_seat=True),
        Slice("production", Kind.SCALAR, seats, scale=6, per_seat=True),
        Slice("total_cost", Kind.SCALAR, seats, scale=20, per_seat=True),
        Slice("planet", Kind.CARD, (players, PLACES), labels="face", per_seat=True),
        Slice("side", Kind.MASK, (players, WORLDS), per_seat=True),
        Slice("damage", Kind.SCALAR, (players, WORLDS), scale=10, per_seat=True),
        Slice("left", Kind.SCALAR, (players, WORLDS), scale=10, per_seat=True),
        Slice("base", Kind.CARD, (players, WORLDS), labels="design", per_seat=True),
        Slice("base_left", Kind.SCALAR, (players, WORLDS), scale=5, per_seat=True),
        Slice("attached", Kind.SCALAR, (players, WORLDS, ATTACHERS), per_seat=True),
        Slice("row", Kind.CARD, (players, ROW), labels="design", per_seat=True),
        Slice("accrued", Kind.SCALAR, (players, ROW), scale=4, per_seat=True),
        Slice("faceup", Kind.CARD, (players, 1), labels="design", per_seat=True),
        Slice("sizes", Kind.SCALAR, (players, 4), scale=10, per_seat=True),
        Slice("empire", Kind.COUNT, (players, TYPES), scale=2, labels="card", per_seat=True),
        Slice("discard", Kind.COUNT, (players, TYPES), scale=2, labels="card", per_seat=True),
        Slice("unseen", Kind.COUNT, (players, TYPES), scale=2, labels="card", per_seat=True),
        Slice("known", Kind.COUNT, (players, TYPES), scale=2, labels="card", per_seat=True),
    ]


@kernel
def put_course(s, seat, out, at):
    """Round, node, whose turn, what is left in it."""
    out[at] = int(s["round"])
    out[at + 1] = int(s["max_rounds"]) - int(s["round"])
    out[at + 2] = int(s["end_rule"])
    at = put_one_hot(out, at + 3, NODE_COUNT, int(s["node"]))
    at = put_one_hot(out, at, PHASE_COUNT, int(s["phase"]))
    at = put_seat(s, out, at, seat, int(s["mover"]))
    at = put_seat(s, out, at, seat, int(s["active"]))
    at = put_seat(s, out, at, seat, int(s["first"]))
    out[at] = int(s["attacked"])
    at = put_row(out, at + 1, s["money"])
    out[at] = command_points(s)
    at += 1
    for i in range(CLASSES):
        out[at + i] = (int(s["classes"]) >> i) & 1
    at = put_row(out, at + CLASSES, s["acquired"])
    at = put_row(out, at, s["upgraded"])
    at = put_row(out, at, s["used"])
    at = put_row(out, at, s["ready"])
    return put_row(out, at, s["spent"])


@kernel
def put_pending(s, seat, out, at):
    """Ops still to come in the pending effects, the count of the one at hand, whom it concerns."""
    top = int(s["depth"]) - 1
    for i in range(top + 1):
        pc = int(s["frame_pc"][i])
        n = int(s["frame_n"][i])
        while int(k.PROGRAM[pc, 0]) != ops.END:
            out[at + int(k.PROGRAM[pc, 0])] += max(n, 1)
            pc += 1
            n = int(k.PROGRAM[pc, 1])
    at += ops.COUNT
    out[at] = int(s["frame_n"][top]) if top >= 0 else 0
    other, card = -1, -1
    if top >= 0:
        a, pc = int(s["frame_a"][top]), int(s["frame_pc"][top])
        other = a - 1 if int(k.PROGRAM[pc, 0]) == ops.TURN_UP else -1
        card = a if int(s["node"]) == NODE_ATTACH else -1
    at = put_seat(s, out, at + 1, seat, int(s["frame_seat"][top]) if top >= 0 else -1)
    at = put_seat(s, out, at, seat, other)
    at = put_one_hot(out, at, TYPES, card)
    out[at] = int(s["held"])
    return at + 1


@kernel
def put_fleets(s, seat, out, at):
    """What each Fleet is worth and loses, by target; the ships of the one at hand and of the others."""
    fleets = int(s["fleets"])
    here = focus(s) if int(s["node"]) == NODE_DEFEND else fleets - 1
    ships = at + 4 * TARGETS
    for i in range(fleets):
        target = int(s["fleet_target"][i]) - 1
        attack, sure, _ = power(s, i)
        out[at + target] = attack
        out[at + TARGETS + target] = sure
        out[at + 2 * TARGETS + target] = int(s["fleet_block"][i])
        first = fleet_start(s, i)
        for n in range(first, first + int(s["fleet_size"][i])):
            out[ships + (0 if i == here else TYPES) + int(s["ships"][n]) - 1] += 1
    if fleets > 0:
        out[at + 3 * TARGETS + int(s["fleet_target"][here]) - 1] = 1
    at = put_row(out, ships + 2 * TYPES, s["defenders"])
    at = put_seat(s, out, at, seat, int(s["foe"][0]) - 1)
    return put_seat(s, out, at, seat, int(s["foe"][1]) - 1)


@kernel
def put_exploration(s, out, at):
    """Exploration Row and Deck."""
    at = put_row(out, at, s["explore"])
    out[at], out[at + 1] = int(s["top"]), int(s["top_new"])
    at = put_row(out, at + 2, s["explore_deck"])
    for i in range(int(s["recycled_size"])):
        out[at + int(s["recycled"][i]) - 1] += 1
    at += FACES
    for i in range(NEXT):
        out[at + i] = int(s["recycled"][i])
    return at + NEXT


@kernel
def design(s, p, card):
    """1 + number of a card among those of all factions, from 1 + type (0: none)."""
    return 0 if card == 0 else (int(s["faction"][p]) - 1) * TYPES + card


@kernel
def put_worlds(s, seat, out, at):
    """Tokens, faction, worlds with their Bases and attachments, of every seat."""
    players = int(s["players"])
    for i in range(players):
        p = (seat + i) % players
        put_row(out, at + PLACES_SEEN * i, s["tokens"][p])
        own = at + players * PLACES_SEEN
        put_one_hot(out, own + FACTIONS * i, FACTIONS, int(s["faction"][p]) - 1)
        own += players * FACTIONS
        out[own + i] = int(s["fallen"][p])
        own += players
        here = int(s["faction"][p]) > 0 and int(s["fallen"][p]) == 0
        if here:
            out[own + i] = left(s, p)
            out[own + players + i] = production(s, p)
            out[own + 2 * players + i] = total_cost(s, p)
        own += 3 * players
        put_row(out, own + PLACES * i, s["planet"][p])
        own += players * PLACES
        for world in range(WORLDS):
            at_world = own + WORLDS * i + world
            out[at_world] = int(s["side"][p, world])
            out[at_world + players * WORLDS] = int(s["damage"][p, world])
            if here and is_world(s, p, world):
                out[at_world + 2 * players * WORLDS] = population(s, p, world) - int(s["damage"][p, world])
                out[at_world + 3 * players * WORLDS] = design(s, p, int(s["base"][p, world]))
                out[at_world + 4 * players * WORLDS] = base_left(s, p, world)
            put_row(out, own + 5 * players * WORLDS + (i * WORLDS + world) * ATTACHERS, s["attached"][p, world])
    return at + players * (PLACES_SEEN + FACTIONS + 4 + PLACES + WORLDS * (5 + ATTACHERS))


@kernel
def put_cards(s, seat, out, at):
    """Empire Rows and what is known of every seat's cards."""
    players = int(s["players"])
    for i in range(players):
        p = (seat + i) % players
        for slot in range(ROW):
            out[at + ROW * i + slot] = design(s, p, int(s["row"][p, slot]))
        put_row(out, at + ROW * (players + i), s["accrued"][p])
        own = at + 2 * ROW * players
        out[own + i] = design(s, p, int(s["faceup"][p]))
        own += players + 4 * i
        out[own], out[own + 1] = int(s["hand_size"][p]), int(s["deck_size"][p])
        out[own + 2], out[own + 3] = int(s["empire_size"][p]), int(s["scrapped"][p])
        own += 4 * (players - i) + TYPES * i
        put_row(out, own, s["empire"][p])
        put_row(out, own + players * TYPES, s["discard"][p])
        put_row(out, own + 2 * players * TYPES, s["unseen"][p])
        put_row(out, own + 3 * players * TYPES, s["known"][p])


@kernel(c.OBSERVE)
def observe(state, seat, out):
    s = state.view(State)[0]
    for i in range(out.shape[0]):
        out[i] = 0
    at = put_course(s, seat, out, 0)
    at = put_pending(s, seat, out, at)
    at = put_fleets(s, seat, out, at)
    at = put_exploration(s, out, at)
    at = put_row(out, at, s["hand"][seat])
    at = put_worlds(s, seat, out, at)
    put_cards(s, seat, out, at)


@kernel(c.INFO_KEY)
def info_key(state, seat):
    key = hashed(state, 0, PUBLIC_BYTES, np.uint64(seat + 1))
    if seat >= 0:
        key = hashed(state, HAND_START + seat * TYPES, HAND_START + (seat + 1) * TYPES, key)
    return key
