# mypy: ignore-errors
"""A hand-written policy: play everything, settle rich Planets, buy the dearest cards, strike where something falls.

It scores each legal action by itself and takes the best, the first of equals; it looks only at what its mover knows.
"""

import numpy as np

from engines import contract as c
from engines.kernel import kernel

from . import content as k
from .layout import (
    ABILITY,
    ACCRUE,
    ADD,
    ATTACK,
    BASE,
    BUY,
    BUY_PLANET,
    BUY_RECYCLE,
    CARD,
    CP_FLEET,
    CP_PLANET,
    DEFEND,
    DONE,
    NODE_DEFEND,
    NODE_DIRECT,
    NODE_DISCARD,
    NODE_EXPLORE,
    NODE_FLEET,
    NODE_GIFT,
    NODE_MAIN,
    NODE_OWN_DAMAGE,
    NODE_REPAIR,
    NODE_REPLACE,
    NODE_REVEAL,
    NODE_REWARD,
    NODE_THIN,
    NODE_TOKEN,
    OR,
    PILE,
    REPAIR,
    ROW,
    SEAT,
    T_HAZARD,
    T_LEFT_ROW,
    T_RIGHT,
    T_ROVING,
    TARGET,
    TOKEN,
    TYPES,
    UPGRADE,
    WORLD,
    WORLDS,
    State,
)
from .rules import MOST_CHOICES
from .rules_attack import defends, defense, focus, is_ship, power, reduction, target_world
from .rules_cards import faction
from .rules_economy import command_points, free_worlds
from .rules_legal import choices
from .rules_worlds import base_left, face_at, free_place, is_planet, planet_at, population, target_seat

DANGER = 7
"""Population of the Home World below which it is spared."""


@kernel
def left_of(s, p, world):
    """Population left of a world."""
    return population(s, p, world) - int(s["damage"][p, world])


@kernel
def worth(face, side):
    """What a Planet is worth: production above all, then population, an ability."""
    ability = 4 if int(k.FACE_PC[face, side]) > 0 else 0
    return 5 * int(k.FACE_PRODUCTION[face, side]) + int(k.FACE_POPULATION[face, side]) + ability


@kernel
def worst_world(s, p):
    """The own Planet of least worth (1 or 2)."""
    best, world = 999, 1
    for w in range(1, WORLDS):
        if is_planet(s, p, w):
            value = worth(int(s["planet"][p, w - 1]) - 1, int(s["side"][p, w])) - int(s["damage"][p, w])
            if value < best:
                best, world = value, w
    return world


@kernel
def gain_of(s, p, face):
    """What taking a Planet gains, with what must be given up for it."""
    value = worth(face, 0)
    if free_place(s, p) > 0:
        return value
    world = worst_world(s, p)
    return value - worth(int(s["planet"][p, world - 1]) - 1, int(s["side"][p, world])) - 4


@kernel
def card_worth(f, t):
    """What a card is worth to its owner."""
    return 2 * int(k.COST[f, t]) + 3 * int(k.PRODUCTION[f, t]) + int(k.ATTACK[f, t])


@kernel
def main_score(s, p, action):
    """Explore phase and main loop."""
    f = faction(s, p)
    if action < OR:
        stationed = int(k.TYPE[f, action]) != k.BASE or free_worlds(s, p) > 0
        return 1000 if stationed else -1
    if action < BUY:
        return 300 if int(s["attacked"]) else -1
    if action < ACCRUE:
        return 500 + 10 * int(k.COST[f, int(s["row"][p, action - BUY]) - 1])
    if action < BUY_PLANET:
        missing = int(k.COST[f, int(s["row"][p, action - ACCRUE]) - 1]) - int(s["accrued"][p, action - ACCRUE])
        return 100 - missing
    if action < BUY_RECYCLE:
        gain = gain_of(s, p, planet_at(s, action - BUY_PLANET))
        return 800 + gain if gain > 0 else -1
    if action < UPGRADE:
        return -1
    if action < REPAIR:
        return 650 if action == UPGRADE else 700
    if action < ABILITY:
        world = (action - REPAIR) % WORLDS
        hurt = action == REPAIR and left_of(s, p, 0) < DANGER
        return 900 if hurt else 400 - world
    if action < CP_PLANET:
        return 950
    return 750 if action == ATTACK else 0 if action == DONE else -1


@kernel
def ready_power(s, p):
    """Attack of all ships that are ready, command points included."""
    f, n = faction(s, p), command_points(s)
    for t in range(TYPES):
        if int(s["ready"][t]) > 0 and is_ship(s, p, t):
            n += int(s["ready"][t]) * int(k.ATTACK[f, t])
    return n


@kernel
def need(s, p, target):
    """Attack that a target falls to, shields and Bases counted."""
    if target >= T_LEFT_ROW:
        q = target_seat(s, p, target)
        cost = int(k.COST[faction(s, q), int(s["row"][q, (target - T_LEFT_ROW) % ROW]) - 1])
        return (cost + k.ROW_DAMAGE - 1) // k.ROW_DAMAGE
    if target >= T_ROVING:
        return int(k.FACE_POPULATION[int(s["planet"][p, target - T_ROVING]) - 1, 0])
    if target >= T_HAZARD:
        return int(k.FACE_POPULATION[face_at(s, target - T_HAZARD), 0])
    q, world = target_seat(s, p, target), target_world(target)
    return left_of(s, q, world) + base_left(s, q, world) + reduction(s, q, world, False)


@kernel
def target_score(s, p, target):
    """How good an aim is with the ships that are left."""
    have, want = ready_power(s, p), need(s, p, target)
    falls = have >= want
    if target < T_HAZARD:
        if target % T_RIGHT == 2:
            return 1000
        return 900 if falls else 300 - want
    if not falls:
        return -1
    if target >= T_LEFT_ROW:
        return 100 - want
    if target >= T_ROVING:
        return 600
    face = face_at(s, target - T_HAZARD)
    back = int(k.OTHER_SIDE[face]) - 1
    safe = left_of(s, p, 0) > int(k.HAZARD_ATTACK[face]) + DANGER
    return 400 if safe and back >= 0 and gain_of(s, p, back) > 0 else -1


@kernel
def fleet_score(s, p, action):
    """Assign ships until the target falls (a Home World gets them all), then aim at the next."""
    fleets = int(s["fleets"])
    if fleets == 0:
        return 2000 + target_score(s, p, action - TARGET)
    target = int(s["fleet_target"][fleets - 1]) - 1
    attack, _, _ = power(s, fleets - 1)
    home = target == 2 or target == T_RIGHT + 2
    wants = home or attack < need(s, p, target)
    if action < TARGET:
        return 50
    if action < ADD:
        return -1 if wants else target_score(s, p, action - TARGET)
    if action < CP_FLEET:
        return 600 - (action - ADD) if wants else -1
    if action == CP_FLEET:
        return 40 if wants and (home or attack + command_points(s) >= need(s, p, target)) else -1
    return 0


@kernel
def defend_score(s, q, action):
    """Defend a world that would fall, with the weakest ships first, if the hand suffices."""
    if action == DONE:
        return 0
    fleet = focus(s)
    target = int(s["fleet_target"][fleet]) - 1
    if target >= T_HAZARD or (defends(s, fleet, 0) != q and defends(s, fleet, 1) != q):
        return -1
    attack, sure, ignores = power(s, fleet)
    world, block, f, hand = target_world(target), defense(s, q), faction(s, q), 0
    for t in range(TYPES):
        if is_ship(s, q, t):
            hand += int(s["hand"][q, t]) * (int(k.ATTACK[f, t]) + int(k.DEFENSE[f, t]))
    least = left_of(s, q, world) + reduction(s, q, world, ignores)
    if not ignores:
        least += base_left(s, q, world)
    falls = max(attack - block, sure) >= least
    saved = max(attack - block - hand, sure) < least
    return 100 - (action - DEFEND) if falls and saved else -1


@kernel
def damage_score(s, p, action, n):
    """Own damage goes to a Base, then to a Home World with room, then to a Planet that holds."""
    if action >= BASE:
        return 500
    world = action - WORLD
    rest = left_of(s, p, world) - n
    if world == 0:
        return -100 if rest <= 0 else 400 if rest >= DANGER else 50
    return 300 + rest if rest > 0 else 100 - worth(int(s["planet"][p, world - 1]) - 1, int(s["side"][p, world]))


@kernel
def card_score(s, p, node, action):
    """Which card goes: the least useful; for thinning only cards that cost nothing and make nothing."""
    if action == DONE:
        return 0
    t = action - (PILE if action >= PILE else CARD)
    f = faction(s, p)
    if node == NODE_DISCARD:
        return 500 - card_worth(f, t)
    useless = int(k.COST[f, t]) == 0 and int(k.PRODUCTION[f, t]) == 0
    return 10 if useless else -1


@kernel
def own_world_score(s, p, node, world):
    """Where a Tech or Base goes, which Planet is replaced."""
    if node == NODE_REPLACE:
        return 1 if world == worst_world(s, p) else 0
    return (50 if world == 0 else 0) + left_of(s, p, world)


@kernel
def effect_score(s, p, node, action, n):
    """Decisions inside an effect."""
    frame = int(s["depth"]) - 1
    if action == DONE:
        return 0
    if node == NODE_TOKEN:
        face = planet_at(s, action - TOKEN)
        return 1 + worth(face, 0) + 2 * int(s["tokens"][p, action - TOKEN])
    if node == NODE_REWARD:
        return 1 if gain_of(s, p, int(s["held"]) - 1) > 0 else -1
    if node == NODE_REVEAL:
        q = int(s["frame_a"][frame]) - 1
        return card_worth(faction(s, q), int(s["faceup"][q]) - 1) - 2
    if node == NODE_DIRECT:
        q, world = target_seat(s, p, action - TARGET), (action - TARGET) % T_RIGHT + 1
        return 100 - left_of(s, q, world) - base_left(s, q, world)
    if node == NODE_REPAIR:
        return 10 - (action - REPAIR)
    if node == NODE_GIFT:
        t, slot = int(s["row"][p, action - ACCRUE]) - 1, action - ACCRUE
        missing = int(k.COST[faction(s, p), t]) - int(s["accrued"][p, slot])
        return 50 + missing if missing <= n else 20 - missing
    if SEAT <= action < CARD:
        return 1
    if TARGET <= action < ADD:
        return need(s, p, action - TARGET)
    if BUY <= action < ACCRUE:
        return int(k.COST[faction(s, p), int(s["row"][p, action - BUY]) - 1])
    return 1


@kernel
def score_of(s, p, node, action):
    """How good an action is; the best is taken."""
    frame = int(s["depth"]) - 1
    n = int(s["frame_n"][frame]) if frame >= 0 else 0
    if node in (NODE_MAIN, NODE_EXPLORE):
        return main_score(s, p, action)
    if node == NODE_FLEET:
        return fleet_score(s, p, action)
    if node == NODE_DEFEND:
        return defend_score(s, p, action)
    if node == NODE_OWN_DAMAGE:
        return damage_score(s, p, action, n)
    if node in (NODE_DISCARD, NODE_THIN):
        return card_score(s, p, node, action)
    if WORLD <= action < BASE:
        return own_world_score(s, p, node, action - WORLD)
    return effect_score(s, p, node, action, n)


@kernel(c.SCRIPTED)
def scripted(state, rng):
    s = state.view(State)[0]
    out = np.empty(MOST_CHOICES, np.int32)
    n = choices(s, out)
    node, p = int(s["node"]), int(s["mover"])
    best, most = int(out[0]), -(10**6)
    for i in range(n):
        value = score_of(s, p, node, int(out[i]))
        if value > most:
            best, most = int(out[i]), value
    return best
