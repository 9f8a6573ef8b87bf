# mypy: ignore-errors
"""The interpreter: one step of the top frame, and what a decision in it does (section 5)."""

from engines.kernel import kernel

from . import content as k
from . import ops
from .layout import (
    ACCRUE,
    BASE,
    BUY,
    CARD,
    DONE,
    GENERAL,
    NODE_ATTACH,
    NODE_DEFEND,
    NODE_DIRECT,
    NODE_DISCARD,
    NODE_DRAW,
    NODE_FLEET,
    NODE_GAIN,
    NODE_GIFT,
    NODE_OWN_DAMAGE,
    NODE_REFILL,
    NODE_REPAIR,
    NODE_REPLACE,
    NODE_REVEAL,
    NODE_REWARD,
    NODE_ROTATE,
    NODE_ROW_SCRAP,
    NODE_SEAT,
    NODE_STATION,
    NODE_THIN,
    NODE_TOKEN,
    NODE_TOP,
    NODE_TOP_PLANET,
    NODE_TURN_UP,
    PILE,
    REPAIR,
    ROTATE,
    ROW,
    SEAT,
    SLOTS,
    T_RIGHT_ROW,
    TARGET,
    TOKEN,
    TOP_SLOT,
    WORLD,
)
from .rules_attack import defend, defense_step, fleet_action, resolve_step
from .rules_cards import acquire, add, draw_faceup, empty_slot, faction, leave_hand, reshuffle, scrap_row
from .rules_economy import asks, free_worlds, next_base, repair
from .rules_frames import ask, go_on, pop, push, push_count
from .rules_worlds import (
    extreme,
    face_at,
    foe_of,
    free_place,
    hit,
    hit_world,
    is_planet,
    lose_planet,
    population,
    recycle,
    row_has_room,
    set_planet,
    take_slot,
    target_seat,
    top_to_row,
)


@kernel
def step(s):
    """Carry out the op of the top frame, or return True: it waits for a decision or for chance."""
    frame = int(s["depth"]) - 1
    pc, p, n = int(s["frame_pc"][frame]), int(s["frame_seat"][frame]), int(s["frame_n"][frame])
    op = int(k.PROGRAM[pc, 0])
    if op == ops.END:
        pop(s)
        return False
    if op == ops.SETTLE:
        return settle_step(s)
    if op == ops.DRAW:
        return draw_step(s, frame, p, n)
    if op == ops.TURN_UP:
        return turn_up_step(s, p, int(s["frame_a"][frame]) - 1)
    if op >= ops.REFILL:
        return flow_step(s, op, frame, p)
    node = asks(s, p, op, n)
    if node > 0:
        return ask(s, node, p)
    go_on(s)
    act(s, op, p, n)
    return False


@kernel
def act(s, op, p, n):
    """What an op does in which nobody chooses; what it begins lies on top of its frame."""
    if op == ops.MONEY:
        add(s["money"], GENERAL, n)
    elif op == ops.CP:
        s["cp_gained"] = int(s["cp_gained"]) + n
    elif op == ops.ALL_DAMAGE:
        damage_homes(s, n)
    elif op == ops.HIGHEST_DAMAGE:
        begin_for(s, extreme(s, 1), k.PC_OWN_DAMAGE, n)
    elif op == ops.HIGHEST_DISCARD:
        begin_for(s, extreme(s, 1), k.PC_DISCARD, n)
    elif op == ops.LOWEST_TOKENS:
        begin_for(s, extreme(s, -1), k.PC_TOKEN, n)
    elif op == ops.LOWEST_ACCRUE:
        begin_for(s, extreme(s, -1), k.PC_GIFT, n)


@kernel
def begin_for(s, seat, pc, n):
    """Begin a program with count n for a seat, if there is one (-1: none)."""
    if seat >= 0:
        push_count(s, pc, seat, n, 0)


@kernel
def damage_homes(s, n):
    """Damage to every Home World that stands; none falls by it (ruling 17)."""
    for q in range(int(s["players"])):
        if int(s["fallen"][q]) == 0:
            s["damage"][q, 0] = min(int(s["damage"][q, 0]) + n, population(s, q, 0) - 1)


@kernel
def draw_step(s, frame, p, n):
    """Draw one card after the other; the discard pile is shuffled only when a card must be drawn from nothing."""
    if n == 0:
        go_on(s)
    elif int(s["faceup"][p]) > 0:
        draw_faceup(s, p)
        s["frame_n"][frame] = n - 1
    elif int(s["deck_size"][p]) > 0:
        return ask(s, NODE_DRAW, p)
    elif not reshuffle(s, p):
        go_on(s)
    return False


@kernel
def turn_up_step(s, p, q):
    """The top of the deck of seat q is turned up, then p says whether it is discarded."""
    if int(s["faceup"][q]) == 0:
        return ask(s, NODE_TURN_UP, q)
    return ask(s, NODE_REVEAL, p)


@kernel
def flow_step(s, op, frame, p):
    """The ops that the rules themselves are made of."""
    if op == ops.REFILL:
        if empty_slot(s, p) >= 0:
            return ask(s, NODE_REFILL, p)
        go_on(s)
    elif op == ops.SHUFFLED:
        if int(s["top"]) == 0:
            return ask(s, NODE_TOP_PLANET, p)
        go_on(s)
    elif op == ops.FLEETS:
        return ask(s, NODE_FLEET, p)
    elif op == ops.DEFENSE:
        return defense_step(s)
    elif op == ops.RESOLVE:
        resolve_step(s, p)
    elif op == ops.STATION:
        return station_step(s, p)
    elif op == ops.ATTACH:
        return ask(s, NODE_ATTACH, p)
    elif free_place(s, p) > 0 or is_planet(s, p, 1) or is_planet(s, p, 2):
        return ask(s, NODE_REWARD if op == ops.REWARD else NODE_REPLACE, p)
    else:
        go_on(s)
        recycle(s, int(s["held"]) - 1)
        s["held"] = 0
    return False


@kernel
def station_step(s, p):
    """Bases played this turn are stationed one after the other; those without a world are discarded."""
    t = next_base(s, p)
    if t < 0:
        go_on(s)
    elif free_worlds(s, p) > 0:
        return ask(s, NODE_STATION, p)
    else:
        unstationed(s, t)
    return False


@kernel
def unstationed(s, t):
    """A Base that is not stationed is discarded with the cards played."""
    add(s["ready"], t, -1)
    add(s["spent"], t, 1)


@kernel
def rover_slot(s):
    """Oldest roving hazard of the Exploration Row, or the deck's top; -1 if there is none."""
    for slot in range(SLOTS + 1):
        face = face_at(s, slot)
        if face >= 0 and int(k.ROVING[face]):
            return slot
    return -1


@kernel
def settle_step(s):
    """One step of SETTLE (section 3): reveals, effects, roving hazards, hazards that move into the Row."""
    top = int(s["top"]) - 1
    if top < 0:
        if int(s["explore_size"]) > 0:
            return ask(s, NODE_TOP, int(s["active"]))
        if int(s["recycled_size"]) > 0:
            reveal_recycled(s)
            return False
    elif int(s["top_new"]):
        s["top_new"] = 0
        if int(k.INSTANT_PC[top]) > 0:
            push(s, int(k.INSTANT_PC[top]), int(s["active"]))
        return False
    elif int(k.FACE_KIND[top]) == k.EVENT:
        s["top"] = 0
        s["gone"] = int(s["gone"]) + 1
        return False
    slot = rover_slot(s)
    if slot >= 0:
        q = extreme(s, 1)
        if q >= 0 and free_place(s, q) > 0:
            s["planet"][q, free_place(s, q) - 1] = 1 + take_slot(s, slot)
            return False
    if top >= 0 and int(k.FACE_KIND[top]) == k.HAZARD and row_has_room(s):
        top_to_row(s)
    else:
        go_on(s)
    return False


@kernel
def show(s, face):
    """A card comes to lie on top of the Exploration Deck."""
    s["top"] = 1 + face
    s["top_new"] = 0 if int(k.FACE_KIND[face]) == k.PLANET else 1


@kernel
def reveal_recycled(s):
    """Below the shuffled part the recycled cards come in their order, known to all."""
    face, n = int(s["recycled"][0]) - 1, int(s["recycled_size"]) - 1
    for i in range(n):
        s["recycled"][i] = int(s["recycled"][i + 1])
    s["recycled"][n] = 0
    s["recycled_size"] = n
    show(s, face)


@kernel
def decide(s, node, action):
    """What the mover's decision does at a node inside an effect; the frame goes on before it starts another."""
    frame, mover = int(s["depth"]) - 1, int(s["mover"])
    n = int(s["frame_n"][frame])
    if node == NODE_FLEET:
        fleet_action(s, action)
    elif node == NODE_DEFEND:
        defend(s, mover, action)
    elif node == NODE_STATION:
        station(s, mover, action)
    elif node == NODE_DISCARD:
        s["frame_n"][frame] = n - 1
        leave_hand(s, mover, action - CARD)
        add(s["discard"][mover], action - CARD, 1)
    elif action == DONE and node != NODE_REWARD:
        go_on(s)
    elif node == NODE_TOKEN:
        s["frame_n"][frame] = n - 1
        add(s["tokens"][mover], action - TOKEN, 1)
    elif node == NODE_THIN:
        s["frame_n"][frame] = n - 1
        thin(s, mover, action)
    elif node == NODE_REPAIR:
        s["frame_n"][frame] = n - 1
        repair(s, mover, action - REPAIR)
    else:
        a, op = int(s["frame_a"][frame]), int(k.PROGRAM[int(s["frame_pc"][frame]), 0])
        go_on(s)
        decide_on(s, node, action, mover, n, a, op)


@kernel
def station(s, p, action):
    """A Base goes to a world, or to the cards that are discarded."""
    t = next_base(s, p)
    if action == DONE:
        unstationed(s, t)
        return
    add(s["ready"], t, -1)
    s["base"][p, action - WORLD] = 1 + t


@kernel
def thin(s, p, action):
    """Scrap a card of the hand or the discard pile."""
    if action >= PILE:
        add(s["discard"][p], action - PILE, -1)
    else:
        leave_hand(s, p, action - CARD)
    add(s["scrapped"], p, 1)


@kernel
def decide_on(s, node, action, p, n, a, op):
    """Decisions that end their op."""
    if node == NODE_ROTATE:
        if action == ROTATE:
            top_to_row(s)
            push(s, k.PC_SETTLE, p)
    elif node == NODE_SEAT:
        q = foe_of(s, p, action - SEAT)
        if op == ops.OPP_DISCARD:
            push_count(s, k.PC_DISCARD, q, n, 0)
        else:
            push_count(s, k.PC_TURN_UP, p, 0, 1 + q)
    elif node == NODE_REVEAL:
        add(s["discard"][a - 1], int(s["faceup"][a - 1]) - 1, 1)
        s["faceup"][a - 1] = 0
    elif node == NODE_ROW_SCRAP:
        q = target_seat(s, p, action - TARGET)
        scrap_row(s, q, (action - TARGET - T_RIGHT_ROW) % ROW)
        push(s, k.PC_REFILL, q)
    elif node == NODE_DIRECT:
        hit(s, target_seat(s, p, action - TARGET), (action - TARGET) % 3 + 1, n, False)
    elif node == NODE_GAIN:
        acquire(s, p, action - BUY)
        push(s, k.PC_REFILL, p)
    elif node == NODE_GIFT:
        gift(s, p, action - ACCRUE, n)
    elif node == NODE_OWN_DAMAGE:
        own_damage(s, p, action, n)
    elif node == NODE_ATTACH:
        attach(s, p, a, action - WORLD)
    else:
        take_held(s, node, action, p)


@kernel
def gift(s, p, slot, n):
    """Production put on a card of the Row; when it suffices, the card is acquired and the rest lost."""
    t = int(s["row"][p, slot]) - 1
    if int(s["accrued"][p, slot]) + n >= int(k.COST[faction(s, p), t]):
        acquire(s, p, slot)
        push(s, k.PC_REFILL, p)
    else:
        add(s["accrued"][p], slot, n)


@kernel
def own_damage(s, p, action, n):
    """Damage where its owner wants it: a Base (the rest on its world), or a world past its Base (ruling 48)."""
    if action >= BASE:
        hit(s, p, action - BASE, n, False)
    else:
        hit_world(s, p, action - WORLD, n)


@kernel
def attach(s, p, t, world):
    """A Tech stays on a world; what it produces is there at once."""
    f = faction(s, p)
    place = int(k.ATTACH_PLACE[f, t])
    add(s["spent"], t, -1)
    add(s["attached"][p, world], place, 1)
    add(s["money"], GENERAL, int(k.ATTACH_PRODUCTION[f, place]))


@kernel
def take_held(s, node, action, p):
    """The Planet of a beaten hazard, or one bought while both places are filled."""
    face, world = int(s["held"]) - 1, free_place(s, p)
    if node == NODE_REPLACE:
        world = action - WORLD
        lose_planet(s, p, world)
    elif action == DONE:
        recycle(s, face)
        s["held"] = 0
        return
    elif world == 0:
        push(s, k.PC_REPLACE, p)
        return
    s["held"] = 0
    set_planet(s, p, world, face)


@kernel
def take_planet(s, p, slot):
    """A Planet of the Exploration Row or deck comes to its buyer, who may have to replace one."""
    face, world = take_slot(s, slot), free_place(s, p)
    if world > 0:
        set_planet(s, p, world, face)
    else:
        s["held"] = 1 + face
        push(s, k.PC_REPLACE, p)


@kernel
def reshuffle_with_hazard(s, slot):
    """Command points: a hazard of the Row, the recycled cards and the deck's top are shuffled in (ruling 10)."""
    shuffle_in(s, take_slot(s, slot))
    for i in range(int(s["recycled_size"])):
        shuffle_in(s, int(s["recycled"][i]) - 1)
        s["recycled"][i] = 0
    s["recycled_size"] = 0
    if int(s["top"]) > 0:
        shuffle_in(s, take_slot(s, TOP_SLOT))
    push(s, k.PC_SHUFFLED, int(s["active"]))


@kernel
def shuffle_in(s, face):
    """A card is shuffled into the Exploration Deck."""
    add(s["explore_deck"], face, 1)
    s["explore_size"] = int(s["explore_size"]) + 1
