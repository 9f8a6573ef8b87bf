# mypy: ignore-errors
"""Worlds and the Exploration Deck: population, damage, loss, recycling, neighbours, totals, the end of a player."""

from engines.kernel import kernel

from . import content as k
from .layout import (
    ATTACHERS,
    FACES,
    MAX_PLAYERS,
    PHASE_NEXT,
    PLACES,
    PLACES_SEEN,
    ROW,
    SLOTS,
    T_HAZARD,
    T_ROVING,
    TARGETS,
    TOP_SLOT,
    TYPES,
    WORLDS,
)
from .rules_cards import add, faction, total
from .rules_frames import finish, pop_all, push


@kernel
def neighbour(s, p, step):
    """The next living seat from `p` in steps of `step` (players - 1: counter-clockwise); `p` itself if alone."""
    players = int(s["players"])
    q = (p + step) % players
    while int(s["fallen"][q]) > 0 and q != p:
        q = (q + step) % players
    return q


@kernel
def foe_of(s, p, right):
    """Left neighbour, or (right = 1) the right one if that is somebody else; -1 if there is none."""
    left = neighbour(s, p, 1)
    if left == p:
        return -1
    if right == 0:
        return left
    other = neighbour(s, p, int(s["players"]) - 1)
    return other if other != left else -1


@kernel
def is_planet(s, p, world):
    """Whether a place (world 1 or 2) holds a Planet."""
    face = int(s["planet"][p, world - 1]) - 1
    return face >= 0 and int(k.FACE_KIND[face]) == k.PLANET


@kernel
def is_world(s, p, world):
    """Whether it is the Home World, or a place that holds a Planet."""
    return world == 0 or is_planet(s, p, world)


@kernel
def is_rover(s, p, world):
    """Whether a place (world 1 or 2) holds a roving hazard."""
    face = int(s["planet"][p, world - 1]) - 1
    return face >= 0 and int(k.FACE_KIND[face]) == k.HAZARD


@kernel
def free_place(s, p):
    """The lower empty place (1 or 2), 0 if both are filled."""
    for world in range(1, WORLDS):
        if int(s["planet"][p, world - 1]) == 0:
            return world
    return 0


@kernel
def population(s, p, world):
    """Population of a world with what is attached to it."""
    f, side = faction(s, p), int(s["side"][p, world])
    if world == 0:
        n = int(k.HOME_POPULATION[f, side])
    else:
        n = int(k.FACE_POPULATION[int(s["planet"][p, world - 1]) - 1, side])
    for i in range(ATTACHERS):
        copies = int(s["attached"][p, world, i])
        if copies > 0:
            n += copies * int(k.ATTACH_POPULATION[f, i])
    return n


@kernel
def base_left(s, p, world):
    """Population left of the Base on a world, 0 without one."""
    t = int(s["base"][p, world]) - 1
    if t < 0:
        return 0
    return int(k.BASE_POPULATION[faction(s, p), t]) - int(s["base_damage"][p, world])


@kernel
def production(s, p):
    """Production of a turn's start: worlds, attachments, less what roving hazards take, at least 0 (ruling 45)."""
    f = faction(s, p)
    n = int(k.HOME_PRODUCTION[f, int(s["side"][p, 0])])
    for world in range(1, WORLDS):
        face = int(s["planet"][p, world - 1]) - 1
        if face >= 0:
            n += int(k.FACE_PRODUCTION[face, int(s["side"][p, world])]) - int(k.MINUS[face])
    for world in range(WORLDS):
        for i in range(ATTACHERS):
            n += int(s["attached"][p, world, i]) * int(k.ATTACH_PRODUCTION[f, i])
    return max(n, 0)


@kernel
def total_cost(s, p):
    """Costs printed on the sides now up of Home World and Planets (ruling 16)."""
    n = int(k.HOME_COST[faction(s, p), int(s["side"][p, 0])])
    for world in range(1, WORLDS):
        face = int(s["planet"][p, world - 1]) - 1
        if face >= 0:
            n += int(k.FACE_COST[face, int(s["side"][p, world])])
    return n


@kernel
def extreme(s, sign):
    """The seat with the strictly highest (sign 1) or lowest (-1) total cost; -1: a tie, or nobody has a Planet."""
    best, who, planets = 0, -1, False
    for p in range(int(s["players"])):
        if int(s["fallen"][p]) > 0:
            continue
        planets = planets or is_planet(s, p, 1) or is_planet(s, p, 2)
        value = sign * total_cost(s, p)
        if who == -1 or value > best:
            best, who = value, p
        elif value == best:
            who = -2 - who if who >= 0 else who
    return who if planets and who >= 0 else -1


@kernel
def drop_base(s, p, world):
    """A Base goes to its owner's discard pile."""
    t = int(s["base"][p, world]) - 1
    if t >= 0:
        add(s["discard"][p], t, 1)
    s["base"][p, world] = 0
    s["base_damage"][p, world] = 0


@kernel
def recycle(s, face):
    """An exploration card goes to the bottom of the Exploration Deck, face as given (ruling 9)."""
    n = int(s["recycled_size"])
    s["recycled"][n] = 1 + face
    s["recycled_size"] = n + 1


@kernel
def clear_place(s, p, world):
    """A place becomes empty; Base and attachments go to the owner's discard pile. Returns the face that lay there."""
    face = int(s["planet"][p, world - 1]) - 1
    f = faction(s, p)
    drop_base(s, p, world)
    for i in range(ATTACHERS):
        copies = int(s["attached"][p, world, i])
        if copies > 0:
            add(s["discard"][p], int(k.ATTACH_TYPE[f, i]), copies)
            s["attached"][p, world, i] = 0
    s["planet"][p, world - 1] = 0
    s["side"][p, world] = 0
    s["damage"][p, world] = 0
    if p == int(s["active"]):
        s["acquired"][world] = 0
        s["upgraded"][world] = 0
        s["used"][world] = 0
    return face


@kernel
def lose_planet(s, p, world):
    """A Planet is depopulated or replaced: recycled."""
    recycle(s, clear_place(s, p, world))


@kernel
def hit_world(s, p, world, n):
    """Put damage on a world itself; it is lost when its population is used up."""
    s["damage"][p, world] = int(s["damage"][p, world]) + n
    if int(s["damage"][p, world]) >= population(s, p, world):
        if world == 0:
            fall(s, p)
        else:
            lose_planet(s, p, world)


@kernel
def hit_base(s, p, world, n):
    """Put damage on the Base of a world; returns what is left for the world."""
    left = base_left(s, p, world)
    if n < left:
        s["base_damage"][p, world] = int(s["base_damage"][p, world]) + n
        return 0
    drop_base(s, p, world)
    return n - left


@kernel
def hit(s, p, world, n, past_base):
    """Damage to the single target that a world and its Base are (rulebook: Bases)."""
    if n <= 0:
        return
    if not past_base and int(s["base"][p, world]) > 0:
        n = hit_base(s, p, world, n)
    hit_world(s, p, world, n)


@kernel
def fall(s, p):
    """A Home World is depopulated (rulebook: Winning the Game; section 3b)."""
    order = 0
    for q in range(MAX_PLAYERS):
        order = max(order, int(s["fallen"][q]))
    s["fallen"][p] = order + 1
    active = int(s["active"])
    if int(s["end_rule"]) == 0:
        if p != active:
            s["winner"] = 1 + active
        end_attack(s)
        finish(s)
        return
    if p == active and int(s["held"]) > 0:
        recycle(s, int(s["held"]) - 1)
        s["held"] = 0
    leave(s, p)
    if p == active:
        end_attack(s)
        clear_turn(s)
        pop_all(s)
        s["phase"] = PHASE_NEXT
        push(s, k.PC_SETTLE, p)
    if order + 2 == int(s["players"]):
        end_attack(s)
        finish(s)


@kernel
def leave(s, p):
    """A player is out: the worlds are recycled, everything else of the seat leaves the game (section 3b)."""
    for place in range(PLACES):
        face = int(s["planet"][p, place]) - 1
        if face >= 0:
            recycle(s, face)
        s["planet"][p, place] = 0
    for world in range(WORLDS):
        s["side"][p, world] = 0
        s["damage"][p, world] = 0
        s["base"][p, world] = 0
        s["base_damage"][p, world] = 0
        for i in range(ATTACHERS):
            s["attached"][p, world, i] = 0
    for i in range(PLACES_SEEN):
        s["tokens"][p, i] = 0
    for i in range(ROW):
        s["row"][p, i] = 0
        s["accrued"][p, i] = 0
    for t in range(TYPES):
        s["empire"][p, t] = 0
        s["discard"][p, t] = 0
        s["unseen"][p, t] = 0
        s["known"][p, t] = 0
        s["hand"][p, t] = 0
        s["deck"][p, t] = 0
    s["empire_size"][p] = 0
    s["faceup"][p] = 0
    s["hand_size"][p] = 0
    s["deck_size"][p] = 0
    s["scrapped"][p] = k.TOTAL[faction(s, p)]


@kernel
def end_attack(s):
    """The Fleets dissolve: their ships have been used."""
    for i in range(total(s["fleet_size"])):
        add(s["spent"], int(s["ships"][i]) - 1, 1)
        s["ships"][i] = 0
    for i in range(int(s["fleets"])):
        s["fleet_target"][i] = 0
        s["fleet_size"][i] = 0
        s["fleet_extra"][i] = 0
        s["fleet_block"][i] = 0
    s["fleets"] = 0
    s["foe"][0] = 0
    s["foe"][1] = 0
    for t in range(TYPES):
        s["defenders"][t] = 0


@kernel
def clear_turn(s):
    """What belongs to one turn is over."""
    for t in range(TYPES):
        s["ready"][t] = 0
        s["spent"][t] = 0
    for i in range(4):
        s["money"][i] = 0
    s["cp_gained"] = 0
    s["cp_spent"] = 0
    s["classes"] = 0
    s["attacked"] = 0
    s["cursor"] = 0
    for world in range(WORLDS):
        s["acquired"][world] = 0
        s["upgraded"][world] = 0
        s["used"][world] = 0


@kernel
def face_at(s, slot):
    """Face in a slot of the Exploration Row (0-4) or on the deck (5); -1 if there is none."""
    return int(s["top"] if slot == TOP_SLOT else s["explore"][slot]) - 1


@kernel
def planet_at(s, slot):
    """As `face_at`, Planets only."""
    face = face_at(s, slot)
    return face if face >= 0 and int(k.FACE_KIND[face]) == k.PLANET else -1


@kernel
def row_size(s):
    """Cards in the Exploration Row."""
    n = 0
    while n < SLOTS and int(s["explore"][n]) > 0:
        n += 1
    return n


@kernel
def row_has_room(s):
    """Whether the Exploration Row is below its capacity (rulebook: Three and Four Players)."""
    return row_size(s) < k.EXPLORE_ROW + k.EXPLORE_MORE * (int(s["players"]) - 2)


@kernel
def clear_tokens(s, slot):
    """Tokens leave a slot."""
    for p in range(MAX_PLAYERS):
        s["tokens"][p, slot] = 0


@kernel
def take_slot(s, slot):
    """A card leaves the Exploration Row or the deck's top, its tokens return; later Row cards move down. The face."""
    face = face_at(s, slot)
    clear_tokens(s, slot)
    if slot == TOP_SLOT:
        s["top"] = 0
        s["top_new"] = 0
        return face
    for i in range(slot, SLOTS):
        last = i == SLOTS - 1
        s["explore"][i] = 0 if last else int(s["explore"][i + 1])
        for p in range(MAX_PLAYERS):
            s["tokens"][p, i] = 0 if last else int(s["tokens"][p, i + 1])
    for i in range(int(s["fleets"])):
        target = int(s["fleet_target"][i]) - 1
        if T_HAZARD + slot < target < T_ROVING:
            s["fleet_target"][i] = target
    return face


@kernel
def top_to_row(s):
    """The deck's top moves behind the cards of the Exploration Row, with its tokens."""
    slot = row_size(s)
    s["explore"][slot] = int(s["top"])
    for p in range(MAX_PLAYERS):
        s["tokens"][p, slot] = int(s["tokens"][p, TOP_SLOT])
        s["tokens"][p, TOP_SLOT] = 0
    s["top"] = 0
    s["top_new"] = 0


@kernel
def frozen(s):
    """Whether a Pirate Base or the like on deck or Row freezes the tokens (ruling 19)."""
    for slot in range(SLOTS + 1):
        face = face_at(s, slot)
        if face >= 0 and int(k.FREEZES[face]):
            return True
    return False


@kernel
def deck_has_planet(s):
    """Whether a Planet is in the Exploration Deck, its top and the recycled cards included (ruling 10)."""
    if planet_at(s, TOP_SLOT) >= 0:
        return True
    for face in range(FACES):
        if int(s["explore_deck"][face]) > 0 and int(k.FACE_KIND[face]) == k.PLANET:
            return True
    for i in range(int(s["recycled_size"])):
        if int(k.FACE_KIND[int(s["recycled"][i]) - 1]) == k.PLANET:
            return True
    return False


@kernel
def set_planet(s, p, world, face):
    """A Planet comes before its new owner, in whose turn it is; its production is there at once (rulings 24, 27)."""
    s["planet"][p, world - 1] = 1 + face
    s["acquired"][world] = 1
    s["money"][0] = int(s["money"][0]) + int(k.FACE_PRODUCTION[face, 0])


@kernel
def target_seat(s, p, target):
    """The other seat that a target belongs to, -1 for hazards; TARGETS bounds it."""
    right = 3 <= target < T_HAZARD or target >= 18
    if T_HAZARD <= target < 13 or target >= TARGETS:
        return -1
    if int(s["fleets"]) > 0 or int(s["foe"][0]) > 0:
        return int(s["foe"][1 if right else 0]) - 1
    return foe_of(s, p, 1 if right else 0)
