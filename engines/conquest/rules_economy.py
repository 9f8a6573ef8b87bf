# mypy: ignore-errors
"""Paying, command points, and what is worth doing (rulebook: Production Phase, Command Points; rulings 42 to 51)."""

from engines.kernel import kernel

from . import content as k
from . import ops
from .layout import (
    CLASSES,
    COLONY,
    EMPIRE,
    FACTORY,
    GENERAL,
    NODE_DIRECT,
    NODE_DISCARD,
    NODE_GAIN,
    NODE_GIFT,
    NODE_OWN_DAMAGE,
    NODE_REPAIR,
    NODE_ROTATE,
    NODE_ROW_SCRAP,
    NODE_SEAT,
    NODE_THIN,
    NODE_TOKEN,
    PLACES_SEEN,
    ROW,
    T_HAZARD,
    TARGETS,
    TYPES,
    WORLDS,
)
from .rules_cards import add, drawable, faction, total
from .rules_worlds import (
    foe_of,
    free_place,
    is_planet,
    is_world,
    planet_at,
    row_has_room,
    target_seat,
)


@kernel
def command_points(s):
    """Command points that can be spent now (ruling 46)."""
    played = 0
    for c in range(CLASSES):
        played += (int(s["classes"]) >> c) & 1
    return int(k.CP_OF[played]) + int(s["cp_gained"]) - int(s["cp_spent"])


@kernel
def take_money(s, kind, n):
    """Pay up to n of one kind of production; returns what is still to be paid."""
    paid = min(int(s["money"][kind]), n)
    s["money"][kind] = int(s["money"][kind]) - paid
    return n - paid


@kernel
def row_budget(s):
    """What can be spent on an Empire Row card."""
    money = s["money"]
    return int(money[EMPIRE]) + int(money[GENERAL]) + int(money[FACTORY]) + command_points(s)


@kernel
def pay_row(s, n):
    """Pay for an Empire Row card: from command points turned to production, general, factories, command points."""
    n = take_money(s, FACTORY, take_money(s, GENERAL, take_money(s, EMPIRE, n)))
    s["cp_spent"] = int(s["cp_spent"]) + n


@kernel
def planet_budget(s):
    """What can be spent on a Planet or its upgrade."""
    return int(s["money"][COLONY]) + int(s["money"][GENERAL]) + int(s["money"][FACTORY])


@kernel
def pay_planet(s, n):
    """Pay for a Planet or its upgrade: colony ships, general, factories."""
    take_money(s, FACTORY, take_money(s, GENERAL, take_money(s, COLONY, n)))


@kernel
def price(s, p, slot, ice):
    """What the Planet in a slot of the Exploration Row or deck costs a player; `ice`: tokens are frozen."""
    cost = int(k.FACE_COST[planet_at(s, slot), 0])
    return max(k.LEAST_PRICE, cost if ice else cost - int(s["tokens"][p, slot]))


@kernel
def token_place(s, p, slot):
    """Whether a player may place a token there: a Planet priced above the least, frozen or not (ruling 18)."""
    return planet_at(s, slot) >= 0 and price(s, p, slot, False) > k.LEAST_PRICE


@kernel
def any_token_place(s, p):
    for slot in range(PLACES_SEEN):
        if token_place(s, p, slot):
            return True
    return False


@kernel
def can_settle(s, p):
    """Whether a Planet can be taken: a place is free, or holds a Planet that can be replaced (ruling 49)."""
    return free_place(s, p) > 0 or is_planet(s, p, 1) or is_planet(s, p, 2)


@kernel
def attachable(s, p, t, world):
    """Whether a Tech may be attached to the world."""
    to = int(k.ATTACH_TO[faction(s, p), t])
    if world == 0:
        return to != k.ON_PLANET
    return to != k.ON_HOME and is_planet(s, p, world)


@kernel
def playable(s, p, t):
    """Whether a card of the hand may be played in the main loop."""
    f = faction(s, p)
    if int(k.KIND[f, t]) == k.SCOUT:
        return False
    if int(k.ATTACH_TO[f, t]) == 0:
        return True
    for world in range(WORLDS):
        if attachable(s, p, t, world):
            return True
    return False


@kernel
def damaged(s, p):
    """Whether a world or Base of the player has damage."""
    for world in range(WORLDS):
        if int(s["damage"][p, world]) > 0 or int(s["base_damage"][p, world]) > 0:
            return True
    return False


@kernel
def can_spy(s, op, q):
    """Whether OPP_DISCARD or REVEAL does anything to a neighbour."""
    if q < 0:
        return False
    if op == ops.OPP_DISCARD:
        return int(s["hand_size"][q]) > 0
    return int(s["deck_size"][q]) > 0 or int(s["faceup"][q]) > 0


@kernel
def can_scrap(s, p, target, n):
    """Whether row_scrap n may name a target of the Rows."""
    q = target_seat(s, p, target)
    if q < 0:
        return False
    t = int(s["row"][q, (target - 13) % ROW]) - 1
    f = faction(s, q)
    return t >= 0 and int(k.TYPE[f, t]) != k.TECH and int(k.COST[f, t]) <= n


@kernel
def can_hit(s, p, target):
    """Whether direct_damage may name a target: a neighbour's Planet."""
    if target % 3 == 2:
        return False
    q = target_seat(s, p, target)
    return q >= 0 and is_planet(s, q, target % 3 + 1)


@kernel
def any_target(s, p, op, n):
    """Whether ROW_SCRAP or DIRECT has a target."""
    if op == ops.DIRECT:
        for target in range(T_HAZARD):
            if can_hit(s, p, target):
                return True
        return False
    for target in range(13, TARGETS):
        if can_scrap(s, p, target, n):
            return True
    return False


@kernel
def can_gain(s, p, slot, n):
    """Whether active_gain n may take a card of the own Row."""
    t = int(s["row"][p, slot]) - 1
    f = faction(s, p)
    return t >= 0 and int(k.TYPE[f, t]) != k.TECH and int(k.COST[f, t]) <= n


@kernel
def any_gain(s, p, n):
    """Whether active_gain n has a card to take."""
    for slot in range(ROW):
        if can_gain(s, p, slot, n):
            return True
    return False


@kernel
def asks(s, p, op, n):
    """The node at which an op asks seat p now; 0: it asks nothing (more)."""
    if op == ops.ROTATE:
        return NODE_ROTATE if int(s["top"]) > 0 and row_has_room(s) else 0
    if op == ops.TOKEN:
        return NODE_TOKEN if n > 0 and any_token_place(s, p) else 0
    if op == ops.THIN:
        return NODE_THIN if n > 0 and (int(s["hand_size"][p]) > 0 or total(s["discard"][p]) > 0) else 0
    if op == ops.OPP_DISCARD or op == ops.REVEAL:
        return NODE_SEAT if can_spy(s, op, foe_of(s, p, 0)) or can_spy(s, op, foe_of(s, p, 1)) else 0
    if op == ops.ROW_SCRAP:
        return NODE_ROW_SCRAP if any_target(s, p, op, n) else 0
    if op == ops.DIRECT:
        return NODE_DIRECT if any_target(s, p, op, n) else 0
    if op == ops.REPAIR:
        return NODE_REPAIR if n > 0 and damaged(s, p) else 0
    if op == ops.ACTIVE_GAIN:
        return NODE_GAIN if any_gain(s, p, n) else 0
    if op == ops.DISCARD:
        return NODE_DISCARD if n > 0 and int(s["hand_size"][p]) > 0 else 0
    if op == ops.OWN_DAMAGE:
        return NODE_OWN_DAMAGE
    if op == ops.GIFT:
        return NODE_GIFT if total(s["row"][p]) > 0 else 0
    return 0


@kernel
def acts(s, p, op, n):
    """Whether an op of a world's ability has an effect now (ruling 51)."""
    if op == ops.DRAW:
        return drawable(s, p)
    return not ops.ASKS[op] or asks(s, p, op, n) > 0


@kernel
def world_pc(s, p, world):
    """Program of a world's ability on the side now up, 0 if there is none."""
    side = int(s["side"][p, world])
    if world == 0:
        return int(k.HOME_PC[faction(s, p), side])
    return int(k.FACE_PC[int(s["planet"][p, world - 1]) - 1, side])


@kernel
def usable(s, p, world, fleet):
    """Whether a world's ability may be used now; `fleet`: those for the open Fleet, else all others."""
    if not is_world(s, p, world) or int(s["used"][world]) > 0 or int(s["upgraded"][world]) > 0:
        return False
    pc = world_pc(s, p, world)
    if pc == 0 or (int(k.PROGRAM[pc, 0]) == ops.FLEET_BONUS) != fleet:
        return False
    if fleet:
        return True
    while int(k.PROGRAM[pc, 0]) != ops.END:
        if acts(s, p, int(k.PROGRAM[pc, 0]), int(k.PROGRAM[pc, 1])):
            return True
        pc += 1
    return False


@kernel
def upgradable(s, p, world):
    """Whether a world may be upgraded now: its other side is left, it was not acquired this turn, it can be paid."""
    if not is_world(s, p, world) or int(s["side"][p, world]) == 1:
        return False
    money = s["money"]
    if world == 0:
        return int(k.HOME_COST[faction(s, p), 0]) <= int(money[GENERAL]) + int(money[FACTORY])
    face = int(s["planet"][p, world - 1]) - 1
    return bool(k.FLIPS[face]) and int(s["acquired"][world]) == 0 and int(k.FACE_COST[face, 0]) <= planet_budget(s)


@kernel
def recycle_price(s, p, slot):
    """Command points that recycling a Planet of the Exploration Row takes."""
    for q in range(int(s["players"])):
        if q != p and int(s["tokens"][q, slot]) > 0:
            return k.CP_PLANET_TOKENS
    return k.CP_PLANET


@kernel
def upgrade(s, p, world):
    """Turn a world to its upgraded side, at the cost printed on the front (ruling 23)."""
    if world == 0:
        take_money(s, FACTORY, take_money(s, GENERAL, int(k.HOME_COST[faction(s, p), 0])))
    else:
        pay_planet(s, int(k.FACE_COST[int(s["planet"][p, world - 1]) - 1, 0]))
    s["side"][p, world] = 1
    s["upgraded"][world] = 1


@kernel
def repair(s, p, at):
    """Remove 1 damage: from world 0-2, or (3-5) from its Base."""
    if at < WORLDS:
        add(s["damage"][p], at, -1)
    else:
        add(s["base_damage"][p], at - WORLDS, -1)


@kernel
def free_worlds(s, p):
    """Worlds without a Base."""
    n = 0
    for world in range(WORLDS):
        if is_world(s, p, world) and int(s["base"][p, world]) == 0:
            n += 1
    return n


@kernel
def next_base(s, p):
    """Lowest Base type that waits to be stationed, -1 if there is none."""
    for t in range(TYPES):
        if int(s["ready"][t]) > 0 and int(k.TYPE[faction(s, p), t]) == k.BASE:
            return t
    return -1


@kernel
def waiting_bases(s, p):
    """Bases that wait to be stationed."""
    n = 0
    for t in range(TYPES):
        if int(s["ready"][t]) > 0 and int(k.TYPE[faction(s, p), t]) == k.BASE:
            n += int(s["ready"][t])
    return n
