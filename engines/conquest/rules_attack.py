# mypy: ignore-errors
"""The attack: what a Fleet is worth, which targets are open, Defense, what each Fleet does (rulebook: Attack Phase)."""

from engines.kernel import kernel

from . import content as k
from .layout import (
    ADD,
    ATTACHERS,
    CLASSES,
    CONFIRM,
    CP_FLEET,
    DEFEND,
    DONE,
    NODE_DEFEND,
    T_HAZARD,
    T_HOME,
    T_LEFT_ROW,
    T_RIGHT,
    T_RIGHT_ROW,
    T_ROVING,
    TARGET,
    TARGETS,
    TYPES,
    WORLDS,
)
from .rules_cards import add, faction, leave_hand, scrap_row
from .rules_frames import ask, go_on, push, push_count
from .rules_worlds import (
    base_left,
    clear_place,
    end_attack,
    face_at,
    foe_of,
    hit,
    is_planet,
    is_rover,
    population,
    take_slot,
    target_seat,
)


@kernel
def fleet_start(s, fleet):
    """Where the ships of a Fleet begin in `ships`."""
    at = 0
    for i in range(fleet):
        at += int(s["fleet_size"][i])
    return at


@kernel
def formed(f, t, count):
    """Formation bonus of a ship among `count[class]` ships, itself included (rulebook: Fleets; ability text)."""
    need = int(k.FORMATION[f, t])
    if need == 0:
        return 0
    for c in range(CLASSES):
        if (need >> c) & 1 and count[c] - (1 if int(k.CLASS[f, t]) == c else 0) < 1:
            return 0
    return int(k.FORMATION_ATTACK[f, t])


@kernel
def target_world(target):
    """World of a Planet or Home World target."""
    at = target if target < T_RIGHT else target - T_RIGHT
    return 0 if at == T_HOME else at + 1


@kernel
def power(s, fleet):
    """What a Fleet is worth before Defense: (A, unblockable part, whether it ignores Bases); section 3a."""
    f = faction(s, int(s["active"]))
    target = int(s["fleet_target"][fleet]) - 1
    at_planet = target < T_HAZARD and target_world(target) > 0
    first, size = fleet_start(s, fleet), int(s["fleet_size"][fleet])
    c0 = c1 = c2 = c3 = c4 = c5 = 0
    for i in range(first, first + size):
        c = int(k.CLASS[f, int(s["ships"][i]) - 1])
        c0 += c == 0
        c1 += c == 1
        c2 += c == 2
        c3 += c == 3
        c4 += c == 4
        c5 += c == 5
    count = (c0, c1, c2, c3, c4, c5)
    attack, sure, ignores = int(s["fleet_extra"][fleet]), 0, False
    for i in range(first, first + size):
        t = int(s["ships"][i]) - 1
        attack += int(k.ATTACK[f, t]) + formed(f, t, count)
        if at_planet:
            attack += int(k.VERSUS[f, t])
        sure += int(k.UNBLOCKABLE[f, t])
        if int(k.IGNORES[f, t]):
            ignores = True
    return attack, min(attack, sure), ignores


@kernel
def defense(s, p):
    """What the ships scrapped so far against the Fleet in focus take off it, their formations included."""
    f = faction(s, p)
    c0 = c1 = c2 = c3 = c4 = c5 = 0
    for t in range(TYPES):
        n, c = int(s["defenders"][t]), int(k.CLASS[f, t])
        if n > 0:
            c0 += n if c == 0 else 0
            c1 += n if c == 1 else 0
            c2 += n if c == 2 else 0
            c3 += n if c == 3 else 0
            c4 += n if c == 4 else 0
            c5 += n if c == 5 else 0
    count = (c0, c1, c2, c3, c4, c5)
    block = 0
    for t in range(TYPES):
        n = int(s["defenders"][t])
        if n > 0:
            block += n * (int(k.ATTACK[f, t]) + int(k.DEFENSE[f, t]) + formed(f, t, count))
    return block


@kernel
def reduction(s, p, world, ignores):
    """What shields and the Base of a world take off every Fleet."""
    f, n = faction(s, p), 0
    for i in range(ATTACHERS):
        copies = int(s["attached"][p, world, i])
        if copies > 0:
            n += copies * int(k.SHIELD[f, i])
    t = int(s["base"][p, world]) - 1
    if t >= 0 and not ignores:
        n += int(k.INTERCEPT[f, t])
    return n


@kernel
def home_open(s, q, right):
    """Whether each Planet of `q` has a Fleet that could destroy it, Defense aside (rulebook: Home World; ruling 5)."""
    for world in range(1, WORLDS):
        if not is_planet(s, q, world):
            continue
        covered = False
        for i in range(int(s["fleets"])):
            if int(s["fleet_target"][i]) - 1 == T_RIGHT * right + world - 1:
                attack, _, ignores = power(s, i)
                need = population(s, q, world) - int(s["damage"][q, world])
                if not ignores:
                    need += base_left(s, q, world)
                covered = attack - reduction(s, q, world, ignores) >= need
        if not covered:
            return False
    return True


@kernel
def open_target(s, p, target):
    """Whether a Fleet of `p` may be aimed at the target now."""
    if target >= T_LEFT_ROW:
        q = target_seat(s, p, target)
        if q < 0 or int(s["fallen"][q]) > 0:
            return False
        t = int(s["row"][q, target - (T_LEFT_ROW if target < T_RIGHT_ROW else T_RIGHT_ROW)]) - 1
        return t >= 0 and int(k.TYPE[faction(s, q), t]) != k.TECH
    if target >= T_ROVING:
        return is_rover(s, p, target - T_ROVING + 1)
    if target >= T_HAZARD:
        face = face_at(s, target - T_HAZARD)
        return face >= 0 and int(k.FACE_KIND[face]) == k.HAZARD
    q = target_seat(s, p, target)
    if q < 0 or int(s["fallen"][q]) > 0:
        return False
    world = target_world(target)
    return home_open(s, q, 0 if target < T_RIGHT else 1) if world == 0 else is_planet(s, q, world)


@kernel
def is_ship(s, p, t):
    """Whether a card type of `p` is a ship."""
    return int(k.TYPE[faction(s, p), t]) == k.SHIP


@kernel
def ready_ship(s, p):
    """Whether a ship in play has done nothing yet."""
    for t in range(TYPES):
        if int(s["ready"][t]) > 0 and is_ship(s, p, t):
            return True
    return False


@kernel
def last_added(s):
    """Type of the ship added last to the open Fleet, 0 if it holds none."""
    fleet = int(s["fleets"]) - 1
    size = int(s["fleet_size"][fleet])
    return int(s["ships"][fleet_start(s, fleet) + size - 1]) - 1 if size > 0 else 0


@kernel
def begin_attack(s, p):
    """The attack of the turn: the neighbours are noted, since one may fall on the way (ruling 4)."""
    s["attacked"] = 1
    s["foe"][0] = 1 + foe_of(s, p, 0)
    s["foe"][1] = 1 + foe_of(s, p, 1)
    push(s, k.PC_ATTACK, p)


@kernel
def fleet_action(s, action):
    """A decision while the Fleets are assigned; a world's fleet_bonus is dealt with elsewhere."""
    fleets = int(s["fleets"])
    if action == CONFIRM:
        go_on(s)
    elif action == CP_FLEET:
        s["cp_spent"] = int(s["cp_spent"]) + 1
        add(s["fleet_extra"], fleets - 1, 1)
    elif action >= ADD:
        at = fleet_start(s, fleets)
        add(s["ready"], action - ADD, -1)
        s["ships"][at] = 1 + action - ADD
        add(s["fleet_size"], fleets - 1, 1)
    else:
        s["fleet_target"][fleets] = 1 + action - TARGET
        s["fleets"] = fleets + 1


@kernel
def defends(s, fleet, right):
    """Whether a Fleet is aimed at the left (right = 0) or right neighbour; -1: none, else the seat."""
    target = int(s["fleet_target"][fleet]) - 1
    is_right = T_RIGHT <= target < T_HAZARD or target >= T_RIGHT_ROW
    if T_HAZARD <= target < T_LEFT_ROW or is_right != (right == 1):
        return -1
    return int(s["foe"][right]) - 1


@kernel
def focus(s):
    """The Fleet in focus of Defense: frame count = neighbour * TARGETS + Fleet."""
    return int(s["frame_n"][int(s["depth"]) - 1]) % TARGETS


@kernel
def defense_step(s):
    """Ask each attacked player, Fleet by Fleet, while it holds a card (rulebook: Defense)."""
    frame = int(s["depth"]) - 1
    while int(s["frame_n"][frame]) < 2 * TARGETS:
        n = int(s["frame_n"][frame])
        fleet, right = n % TARGETS, n // TARGETS
        if fleet >= int(s["fleets"]):
            s["frame_n"][frame] = (right + 1) * TARGETS
            continue
        q = defends(s, fleet, right)
        if q >= 0 and int(s["hand_size"][q]) > 0:
            return ask(s, NODE_DEFEND, q)
        if q >= 0:
            close_defense(s, q)
        else:
            s["frame_n"][frame] = n + 1
    go_on(s)
    return False


@kernel
def close_defense(s, q):
    """Defense against the Fleet in focus is over."""
    s["fleet_block"][focus(s)] = defense(s, q)
    for t in range(TYPES):
        s["defenders"][t] = 0
    add(s["frame_n"], int(s["depth"]) - 1, 1)


@kernel
def defend(s, q, action):
    """Scrap a ship from hand against the Fleet in focus, or be done with it."""
    if action == DONE:
        close_defense(s, q)
        return
    leave_hand(s, q, action - DEFEND)
    add(s["scrapped"], q, 1)
    add(s["defenders"], action - DEFEND, 1)


@kernel
def resolve_step(s, p):
    """The next Fleet strikes (section 3a). What it sets off lies above this frame."""
    frame = int(s["depth"]) - 1
    fleet = int(s["frame_n"][frame])
    if fleet == int(s["fleets"]):
        go_on(s)
        end_attack(s)
        return
    s["frame_n"][frame] = fleet + 1
    target = int(s["fleet_target"][fleet]) - 1
    attack, sure, ignores = power(s, fleet)
    if T_HAZARD <= target < T_LEFT_ROW:
        strike_hazard(s, p, target, attack)
        return
    q = target_seat(s, p, target)
    if int(s["fallen"][q]) > 0:
        return
    attack = max(attack - int(s["fleet_block"][fleet]), sure)
    if target >= T_LEFT_ROW:
        slot = target - (T_LEFT_ROW if target < T_RIGHT_ROW else T_RIGHT_ROW)
        t = int(s["row"][q, slot]) - 1
        if k.ROW_DAMAGE * attack >= int(k.COST[faction(s, q), t]):
            scrap_row(s, q, slot)
            push(s, k.PC_REFILL, q)
        return
    world = target_world(target)
    hit(s, q, world, attack - reduction(s, q, world, ignores), ignores)


@kernel
def strike_hazard(s, p, target, attack):
    """A hazard falls to enough damage at once; then it hits back, then its Planet may be taken (rulebook: Hazards)."""
    roving = target >= T_ROVING
    face = int(s["planet"][p, target - T_ROVING]) - 1 if roving else face_at(s, target - T_HAZARD)
    if attack < int(k.FACE_POPULATION[face, 0]):
        return
    if roving:
        clear_place(s, p, target - T_ROVING + 1)
    else:
        take_slot(s, target - T_HAZARD)
    back = int(k.OTHER_SIDE[face])
    if back == 0:
        s["gone"] = int(s["gone"]) + 1
    else:
        s["held"] = back
        push(s, k.PC_REWARD, p)
    if int(k.HAZARD_ATTACK[face]) > 0:
        push_count(s, k.PC_OWN_DAMAGE, p, int(k.HAZARD_ATTACK[face]), 0)


@kernel
def fleet_choices(s, p, out, n):
    """TARGET, ADD, CP_FLEET, CONFIRM while the Fleets are assigned, ascending; ABILITY comes before."""
    fleets = int(s["fleets"])
    size = int(s["fleet_size"][fleets - 1]) if fleets > 0 else 1
    if size > 0 and ready_ship(s, p):
        first = int(s["fleet_target"][fleets - 1]) if fleets > 0 else 0
        for target in range(first, TARGETS):
            if open_target(s, p, target):
                out[n] = TARGET + target
                n += 1
    if fleets > 0:
        for t in range(last_added(s), TYPES):
            if int(s["ready"][t]) > 0 and is_ship(s, p, t):
                out[n] = ADD + t
                n += 1
    return n
