# mypy: ignore-errors
"""What may be chosen at each node, in ascending ids (section 4)."""

from engines.kernel import kernel

from . import content as k
from .layout import (
    ABILITY,
    ACCRUE,
    ATTACK,
    BASE,
    BUY,
    BUY_PLANET,
    BUY_RECYCLE,
    CARD,
    CONFIRM,
    CP_FLEET,
    CP_HAZARD,
    CP_MONEY,
    CP_PLANET,
    DEFEND,
    DONE,
    DROP,
    FACTORY,
    NODE_ATTACH,
    NODE_DEFEND,
    NODE_DIRECT,
    NODE_DISCARD,
    NODE_EXPLORE,
    NODE_FLEET,
    NODE_GAIN,
    NODE_GIFT,
    NODE_MAIN,
    NODE_OWN_DAMAGE,
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
    OR,
    PILE,
    PLACES_SEEN,
    PLAY,
    REPAIR,
    ROTATE,
    ROW,
    SEAT,
    SLOTS,
    T_HAZARD,
    T_LEFT_ROW,
    TARGET,
    TARGETS,
    TOKEN,
    TYPES,
    UPGRADE,
    WORLD,
    WORLDS,
    YES,
)
from .rules_attack import fleet_choices, is_ship, ready_ship
from .rules_cards import faction
from .rules_economy import (
    attachable,
    can_gain,
    can_hit,
    can_scrap,
    can_settle,
    can_spy,
    command_points,
    free_worlds,
    planet_budget,
    playable,
    price,
    recycle_price,
    row_budget,
    token_place,
    upgradable,
    usable,
    waiting_bases,
)
from .rules_worlds import deck_has_planet, face_at, foe_of, frozen, is_planet, is_world, planet_at


@kernel
def write(out, n, action):
    """Append an action; returns the new length."""
    out[n] = action
    return n + 1


@kernel
def explore_actions(s, p, out):
    """Phase A: Scouts, and what may be done at any time (ruling 44)."""
    f, n = faction(s, p), 0
    for t in range(TYPES):
        if int(s["hand"][p, t]) > 0 and int(k.KIND[f, t]) == k.SCOUT:
            n = write(out, n, PLAY + t)
    return any_time_actions(s, p, out, n)


@kernel
def any_time_actions(s, p, out, n):
    """Abilities of worlds and command points for recycling."""
    for world in range(WORLDS):
        if usable(s, p, world, False):
            n = write(out, n, ABILITY + world)
    points = command_points(s)
    if points == 0:
        return n
    for slot in range(SLOTS):
        if planet_at(s, slot) >= 0 and recycle_price(s, p, slot) <= points:
            n = write(out, n, CP_PLANET + slot)
    if points >= k.CP_HAZARD and deck_has_planet(s):
        for slot in range(SLOTS):
            face = face_at(s, slot)
            if face >= 0 and int(k.FACE_KIND[face]) == k.HAZARD:
                n = write(out, n, CP_HAZARD + slot)
    return n


@kernel
def drop_actions(s, p, out, n):
    """A stationed Base may be discarded at any time."""
    for world in range(WORLDS):
        if int(s["base"][p, world]) > 0:
            n = write(out, n, DROP + world)
    return n


@kernel
def main_actions(s, p, out):
    """Phases B and C, in any order."""
    f, n = faction(s, p), 0
    for t in range(TYPES):
        if int(s["hand"][p, t]) > 0 and playable(s, p, t):
            n = write(out, n, PLAY + t)
    for t in range(TYPES):
        if int(s["ready"][t]) > 0 and int(k.OR_PC[f, t]) > 0:
            n = write(out, n, OR + t)
    n = purchases(s, p, f, out, n)
    for world in range(WORLDS):
        if upgradable(s, p, world):
            n = write(out, n, UPGRADE + world)
    if int(s["money"][FACTORY]) > 0:
        n = repairs(s, p, out, n)
    n = any_time_actions(s, p, out, n)
    if command_points(s) > 0:
        n = write(out, n, CP_MONEY)
    if int(s["attacked"]) == 0 and ready_ship(s, p):
        n = write(out, n, ATTACK)
    return n


@kernel
def purchases(s, p, f, out, n):
    """BUY, ACCRUE, BUY_PLANET, BUY_RECYCLE."""
    budget = row_budget(s)
    for slot in range(ROW):
        t = int(s["row"][p, slot]) - 1
        if t >= 0 and int(k.COST[f, t]) - int(s["accrued"][p, slot]) <= budget:
            n = write(out, n, BUY + slot)
    for slot in range(ROW):
        t = int(s["row"][p, slot]) - 1
        if budget > 0 and t >= 0 and int(k.COST[f, t]) - int(s["accrued"][p, slot]) > 1:
            n = write(out, n, ACCRUE + slot)
    budget = planet_budget(s)
    if budget == 0:
        return n
    ice, first = frozen(s), n
    if can_settle(s, p):
        for slot in range(PLACES_SEEN):
            if planet_at(s, slot) >= 0 and price(s, p, slot, ice) <= budget:
                n = write(out, n, BUY_PLANET + slot)
        for i in range(first, n):
            out[n + i - first] = int(out[i]) + BUY_RECYCLE - BUY_PLANET
        return 2 * n - first
    for slot in range(PLACES_SEEN):
        if planet_at(s, slot) >= 0 and price(s, p, slot, ice) <= budget:
            n = write(out, n, BUY_RECYCLE + slot)
    return n


@kernel
def repairs(s, p, out, n):
    """Damage that may be removed."""
    for world in range(WORLDS):
        if int(s["damage"][p, world]) > 0:
            n = write(out, n, REPAIR + world)
    for world in range(WORLDS):
        if int(s["base_damage"][p, world]) > 0:
            n = write(out, n, REPAIR + WORLDS + world)
    return n


@kernel
def fleet_actions(s, p, out):
    """Assigning Fleets; command points and worlds help the open one once it holds a ship."""
    fleets, n = int(s["fleets"]), 0
    manned = fleets > 0 and int(s["fleet_size"][fleets - 1]) > 0
    if manned:
        for world in range(WORLDS):
            if usable(s, p, world, True):
                n = write(out, n, ABILITY + world)
    n = fleet_choices(s, p, out, n)
    if manned:
        if command_points(s) > 0:
            n = write(out, n, CP_FLEET)
        n = write(out, n, CONFIRM)
    return n


@kernel
def defenders(s, p, out):
    """Ships of the hand, types ascending within one Fleet."""
    first, n = 0, 0
    for t in range(TYPES):
        if int(s["defenders"][t]) > 0:
            first = t
    for t in range(first, TYPES):
        if int(s["hand"][p, t]) > 0 and is_ship(s, p, t):
            n = write(out, n, DEFEND + t)
    return write(out, n, DONE)


@kernel
def worlds_of(s, p, node, frame, out):
    """WORLD at the nodes that name an own world; BASE where damage is taken."""
    n = 0
    for world in range(WORLDS):
        fits = is_world(s, p, world)
        if node == NODE_REPLACE:
            fits = world > 0 and is_planet(s, p, world)
        elif node == NODE_STATION:
            fits = fits and int(s["base"][p, world]) == 0
        elif node == NODE_ATTACH:
            fits = attachable(s, p, int(s["frame_a"][frame]), world)
        if fits:
            n = write(out, n, WORLD + world)
    if node == NODE_OWN_DAMAGE:
        for world in range(WORLDS):
            if int(s["base"][p, world]) > 0:
                n = write(out, n, BASE + world)
    if node == NODE_STATION and waiting_bases(s, p) > free_worlds(s, p):
        n = write(out, n, DONE)
    return n


@kernel
def cards_of(s, p, node, out):
    """Cards of the hand, for thinning those of the discard pile too."""
    n = 0
    for t in range(TYPES):
        if int(s["hand"][p, t]) > 0:
            n = write(out, n, CARD + t)
    if node == NODE_THIN:
        for t in range(TYPES):
            if int(s["discard"][p, t]) > 0:
                n = write(out, n, PILE + t)
        n = write(out, n, DONE)
    return n


@kernel
def effect_choices(s, node, p, out):
    """Decisions inside an effect that may be declined."""
    frame, n = int(s["depth"]) - 1, 0
    count = int(s["frame_n"][frame])
    if node == NODE_ROTATE:
        n = write(out, n, ROTATE)
    elif node == NODE_TOKEN:
        for slot in range(PLACES_SEEN):
            if token_place(s, p, slot):
                n = write(out, n, TOKEN + slot)
    elif node == NODE_ROW_SCRAP:
        for target in range(T_LEFT_ROW, TARGETS):
            if can_scrap(s, p, target, count):
                n = write(out, n, TARGET + target)
    elif node == NODE_DIRECT:
        for target in range(T_HAZARD):
            if can_hit(s, p, target):
                n = write(out, n, TARGET + target)
    elif node == NODE_GAIN:
        for slot in range(ROW):
            if can_gain(s, p, slot, count):
                n = write(out, n, BUY + slot)
    elif node == NODE_REPAIR:
        n = repairs(s, p, out, n)
    n = write(out, n, DONE)
    if node in (NODE_REVEAL, NODE_REWARD):
        n = write(out, n, YES)
    return n


@kernel
def choices(s, out):
    """The decisions of the mover."""
    node, p = int(s["node"]), int(s["mover"])
    frame, n = int(s["depth"]) - 1, 0
    if node in (NODE_MAIN, NODE_EXPLORE):
        n = main_actions(s, p, out) if node == NODE_MAIN else explore_actions(s, p, out)
        return drop_actions(s, p, out, write(out, n, DONE))
    if node == NODE_FLEET:
        return fleet_actions(s, p, out)
    if node == NODE_DEFEND:
        return defenders(s, p, out)
    if node in (NODE_OWN_DAMAGE, NODE_REPLACE, NODE_STATION, NODE_ATTACH):
        return worlds_of(s, p, node, frame, out)
    if node in (NODE_DISCARD, NODE_THIN):
        return cards_of(s, p, node, out)
    if node == NODE_SEAT:
        op = int(k.PROGRAM[int(s["frame_pc"][frame]), 0])
        for right in range(2):
            if can_spy(s, op, foe_of(s, p, right)):
                n = write(out, n, SEAT + right)
        return n
    if node == NODE_GIFT:
        for slot in range(ROW):
            if int(s["row"][p, slot]) > 0:
                n = write(out, n, ACCRUE + slot)
        return n
    return effect_choices(s, node, p, out)
