# mypy: ignore-errors
"""Building: what can be paid, where it goes, how a discount is split (rulebook: Build)."""

from engines.kernel import kernel

from .content import (
    AFTER_BUILDING,
    COLOR,
    COST,
    LOYALTY_GATE,
    M_ONCE,
    M_SYSTEM_DISCOUNT,
    NEEDS_LOYALTY,
    START_PC,
    TIMING,
)
from .layout import BUILD, CARDS, DESIGNS, FIFTH, SYSTEMS
from .rules_cards import discount_on, fifth_capacity, height, holds, leave, mod_sum
from .rules_frames import push


@kernel
def open_systems(s, seat):
    """Bits of the systems that can take a card: begun and not full, the next one, the advisor's own."""
    bits = 0
    for system in range(SYSTEMS - 1):
        if int(s["systems"][seat, system, CARDS - 1]) == 0:
            bits |= 1 << system
        if int(s["systems"][seat, system, 0]) == 0:
            break
    if height(s, seat, FIFTH) < fifth_capacity(s, seat):
        bits |= 1 << FIFTH
    return bits


@kernel
def builds(s, seat, out, n, color, only, extra, action, paid):
    """Write the BUILD ids of `seat` to out[n:] and return the new length.

    Args:
        color: 1 + the only colour allowed, or 0.
        only: the only system allowed, or -1.
        extra: a discount by the effect that builds.
        action: whether it is the Build action.
        paid: the op of a cost that will be paid first (a row of the program), or row 0 of it: nothing.
    """
    systems = open_systems(s, seat)
    if only >= 0:
        systems &= 1 << only
    if systems == 0:
        return n
    food = int(s["resources"][seat, 0]) - int(paid[1])
    fleet = int(s["resources"][seat, 1]) - int(paid[2])
    production = int(s["resources"][seat, 2]) - int(paid[3])
    fifth = mod_sum(s, seat, M_SYSTEM_DISCOUNT) if systems & (1 << FIFTH) else 0
    gate = int(s["loyalty"][seat]) >= LOYALTY_GATE
    last, discount = -1, 0
    for design in range(DESIGNS):
        if not holds(s, seat, design) or (int(NEEDS_LOYALTY[design]) and not gate):
            continue
        if color and int(COLOR[design]) != color - 1:
            continue
        if int(COLOR[design]) != last:
            last = int(COLOR[design])
            discount = extra + discount_on(s, seat, last, action)
        lack = max(0, int(COST[design, 0]) - food) + max(0, int(COST[design, 1]) - fleet)
        lack += max(0, int(COST[design, 2]) - production)
        if lack > discount + fifth:
            continue
        for system in range(SYSTEMS):
            if systems & (1 << system) and lack <= discount + (fifth if system == FIFTH else 0):
                out[n] = BUILD + design * SYSTEMS + system
                n += 1
    return n


@kernel
def begin_build(s, seat, build, extra, action):
    """Take the card from the hand and set up its payment."""
    design, system = build // SYSTEMS, build % SYSTEMS
    leave(s, seat, design)
    total = extra + discount_on(s, seat, int(COLOR[design]), action)
    if system == FIFTH:
        total += mod_sum(s, seat, M_SYSTEM_DISCOUNT)
    cost = 0
    for r in range(3):
        s["cost"][r] = COST[design, r]
        cost += int(COST[design, r])
    s["design"] = 1 + design
    s["place"] = system
    s["discount"] = min(total, cost)
    s["save_from"] = 0
    s["mover"] = seat
    if action and mod_sum(s, seat, M_ONCE) > 0:
        s["discount_used"][seat] = 1


@kernel
def splits(s):
    """The ways to split the discount that leave a payable cost, saving no earlier resource than `save_from`.

    Returns:
        how many there are; bits of the resources that can come first; and the units saved on each by the last way.
    """
    n, first, seat = int(s["discount"]), int(s["save_from"]), int(s["mover"])
    count, bits, food, fleet, production = 0, 0, 0, 0, 0
    for a in range(n + 1 if first == 0 else 1):
        for b in range(n - a + 1 if first <= 1 else 1):
            c = n - a - b
            left0, left1, left2 = int(s["cost"][0]) - a, int(s["cost"][1]) - b, int(s["cost"][2]) - c
            if min(left0, left1, left2) < 0 or left0 > int(s["resources"][seat, 0]):
                continue
            if left1 > int(s["resources"][seat, 1]) or left2 > int(s["resources"][seat, 2]):
                continue
            count += 1
            bits |= 1 if a else 2 if b else 4
            food, fleet, production = a, b, c
    return count, bits, food, fleet, production


@kernel
def save(s, resource):
    """Use one unit of the discount on `resource`."""
    s["cost"][resource] = int(s["cost"][resource]) - 1
    s["discount"] = int(s["discount"]) - 1
    s["save_from"] = resource


@kernel
def settle(s):
    """Pay for the chosen card and lay it, or return True: the builder must first split the discount (ruling 11)."""
    count, _, food, fleet, production = splits(s)
    if count > 1:
        return True
    seat, design, system = int(s["mover"]), int(s["design"]) - 1, int(s["place"])
    stock = s["resources"]
    stock[seat, 0] = int(stock[seat, 0]) - int(s["cost"][0]) + food
    stock[seat, 1] = int(stock[seat, 1]) - int(s["cost"][1]) + fleet
    stock[seat, 2] = int(stock[seat, 2]) - int(s["cost"][2]) + production
    for r in range(3):
        s["cost"][r] = 0
    s["design"] = 0
    s["place"] = 0
    s["discount"] = 0
    s["save_from"] = 0
    for i in range(CARDS - 1, 0, -1):
        s["systems"][seat, system, i] = s["systems"][seat, system, i - 1]
    s["systems"][seat, system, 0] = 1 + design
    new_top(s, seat, system)
    if int(TIMING[design]) == AFTER_BUILDING:
        push(s, int(START_PC[design]), seat, system, 0)
    return False


@kernel
def new_top(s, seat, system):
    """Another card works here now: the cube goes back to the reserve, and the card may still trigger (ruling 17)."""
    s["cube"][seat, system] = 0
    if int(s["depth"]) > 0 and int(s["frame_seat"][0]) == seat:
        s["used_sources"] = int(s["used_sources"]) & ~(1 << system)
