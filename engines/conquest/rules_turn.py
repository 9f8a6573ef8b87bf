# mypy: ignore-errors
"""The course of a game: set-up, the turn's phases, the next player (rulebook: Setup, Turn Basics; section 3)."""

from engines.kernel import kernel

from . import content as k
from .layout import (
    ABILITY,
    ACCRUE,
    ATTACK,
    BUY,
    BUY_PLANET,
    BUY_RECYCLE,
    CP_HAZARD,
    CP_MONEY,
    CP_PLANET,
    DONE,
    DROP,
    EMPIRE,
    FACES,
    FACTORY,
    GENERAL,
    NODE_DEAL,
    NODE_EXPLORE,
    NODE_FIRST,
    NODE_MAIN,
    NODE_TOP_PLANET,
    OR,
    PHASE_DEAL,
    PHASE_END,
    PHASE_EXPLORE,
    PHASE_FIRST,
    PHASE_HANDS,
    PHASE_MAIN,
    PHASE_NEXT,
    PHASE_ROWS,
    PHASE_START,
    PHASE_STATION,
    PHASE_TOP,
    REPAIR,
    TYPES,
    UPGRADE,
)
from .rules_attack import begin_attack
from .rules_cards import acquire, add, discard_hand, faction, leave_hand
from .rules_economy import (
    pay_planet,
    pay_row,
    price,
    recycle_price,
    repair,
    upgrade,
    world_pc,
)
from .rules_effects import reshuffle_with_hazard, take_planet
from .rules_frames import ask, finish, push, push_count
from .rules_worlds import clear_turn, drop_base, frozen, production, recycle, take_slot


@kernel
def flow(s):
    """What comes next when nothing is pending. True: it waits for a decision or for chance, or the game is over."""
    phase, active = int(s["phase"]), int(s["active"])
    if phase == PHASE_EXPLORE:
        return ask(s, NODE_EXPLORE, active)
    if phase == PHASE_MAIN:
        return ask(s, NODE_MAIN, active)
    if phase == PHASE_START:
        start_turn(s, active)
    elif phase == PHASE_STATION:
        s["phase"] = PHASE_END
        push(s, k.PC_STATION, active)
    elif phase == PHASE_END:
        s["phase"] = PHASE_NEXT
        end_turn(s, active)
    elif phase == PHASE_NEXT:
        return next_player(s)
    else:
        return set_up(s, phase)
    return False


@kernel
def set_up(s, phase):
    """Factions, first player, the deck's first Planet, Empire Rows, hands (rulebook: Setup)."""
    cursor, players = int(s["cursor"]), int(s["players"])
    if phase == PHASE_DEAL:
        if cursor == players:
            s["cursor"] = 0
            s["phase"] = PHASE_FIRST
        elif int(s["faction"][cursor]) > 0:
            begin_seat(s, cursor)
            s["cursor"] = cursor + 1
        elif int(s["wish"][cursor]) < 0 and cursor > 0:
            s["faction"][cursor] = s["faction"][0]
        else:
            return ask(s, NODE_DEAL, cursor)
    elif phase == PHASE_FIRST:
        return ask(s, NODE_FIRST, 0)
    elif phase == PHASE_TOP:
        s["phase"] = PHASE_ROWS
        return ask(s, NODE_TOP_PLANET, int(s["first"]))
    elif phase == PHASE_ROWS:
        if cursor == players:
            s["cursor"] = 0
            s["phase"] = PHASE_HANDS
        else:
            push(s, k.PC_REFILL, cursor)
            s["cursor"] = cursor + 1
    elif cursor == players:
        s["cursor"] = 0
        s["round"] = 1
        s["phase"] = PHASE_START
    else:
        p = (int(s["first"]) + cursor) % players
        push_count(s, k.PC_DRAW, p, k.FIRST_HAND if cursor == 0 else k.HAND, 0)
        s["cursor"] = cursor + 1
    return False


@kernel
def begin_seat(s, p):
    """Starting cards into the Player Deck, the others into the Empire Deck; the Home World's first side."""
    f = faction(s, p)
    s["side"][p, 0] = k.HOME_SIDE[int(s["players"])]
    for t in range(TYPES):
        start = int(k.START_COPIES[f, t])
        rest = int(k.COPIES[f, t]) - start
        s["deck"][p, t] = start
        s["unseen"][p, t] = start
        s["empire"][p, t] = rest
        add(s["deck_size"], p, start)
        add(s["empire_size"], p, rest)


@kernel
def fill_exploration(s):
    """The Exploration Deck: that of one game, or of two in one (section 3b)."""
    decks = int(k.DECKS[int(s["players"])])
    for face in range(FACES):
        copies = decks * int(k.FACE_COPIES[face])
        s["explore_deck"][face] = copies
        s["explore_size"] = int(s["explore_size"]) + copies


@kernel
def start_turn(s, p):
    """Damage of own roving hazards, one after the other, then production, then SETTLE (T0)."""
    place = int(s["cursor"])
    while place < 2:
        face = int(s["planet"][p, place]) - 1
        place += 1
        if face >= 0 and int(k.UPKEEP[face]) > 0:
            s["cursor"] = place
            push_count(s, k.PC_OWN_DAMAGE, p, int(k.UPKEEP[face]), 0)
            return
    s["cursor"] = 0
    s["money"][GENERAL] = production(s, p)
    s["phase"] = PHASE_EXPLORE
    push(s, k.PC_SETTLE, p)


@kernel
def end_turn(s, p):
    """All played and unplayed cards are discarded, then five are drawn (T4; rulings 1, 2)."""
    for t in range(TYPES):
        played = int(s["ready"][t]) + int(s["spent"][t])
        if played > 0:
            add(s["discard"][p], t, played)
    discard_hand(s, p)
    clear_turn(s)
    push_count(s, k.PC_DRAW, p, k.HAND, 0)


@kernel
def next_player(s):
    """The next living player clockwise; the first player's seat counts the rounds (rulings 39, section 3b)."""
    p, players = int(s["active"]), int(s["players"])
    while True:
        p = (p + 1) % players
        if p == int(s["first"]):
            if int(s["round"]) == int(s["max_rounds"]):
                finish(s)
                return True
            s["round"] = int(s["round"]) + 1
        if int(s["fallen"][p]) == 0:
            break
    s["active"] = p
    s["cursor"] = 0
    s["phase"] = PHASE_START
    return False


@kernel
def turn_action(s, p, action):
    """A decision of the Explore phase or the main loop. SETTLE follows it, and so lies under what it starts."""
    if action == DONE:
        s["phase"] = PHASE_MAIN if int(s["phase"]) == PHASE_EXPLORE else PHASE_STATION
        return
    push(s, k.PC_SETTLE, p)
    if action < OR:
        play(s, p, action)
    elif action < BUY:
        add(s["ready"], action - OR, -1)
        add(s["spent"], action - OR, 1)
        push(s, int(k.OR_PC[faction(s, p), action - OR]), p)
    elif action < BUY_PLANET:
        row_action(s, p, action)
    elif action < UPGRADE:
        planet_action(s, p, action)
    elif action < REPAIR:
        upgrade(s, p, action - UPGRADE)
    elif action < ABILITY:
        s["money"][FACTORY] = int(s["money"][FACTORY]) - 1
        repair(s, p, action - REPAIR)
    elif action < CP_PLANET:
        s["used"][action - ABILITY] = 1
        push(s, world_pc(s, p, action - ABILITY), p)
    elif action == ATTACK:
        begin_attack(s, p)
    elif action >= DROP:
        drop_base(s, p, action - DROP)
    else:
        points_action(s, p, action)


@kernel
def play(s, p, t):
    """A card of the hand: its production and ability, at once and in printed order (ruling 42)."""
    f = faction(s, p)
    kind, card = int(k.KIND[f, t]), int(k.TYPE[f, t])
    leave_hand(s, p, t)
    add(s["ready"] if card == k.SHIP or card == k.BASE else s["spent"], t, 1)
    if kind == k.FACTORY or kind == k.COLONY:
        add(s["money"], kind - 1, int(k.PRODUCTION[f, t]))
    if card == k.SHIP:
        s["classes"] = int(s["classes"]) | 1 << int(k.CLASS[f, t])
    if int(k.ATTACH_TO[f, t]) > 0:
        push_count(s, k.PC_ATTACH, p, 0, t)
    elif int(k.ABILITY_PC[f, t]) > 0:
        push(s, int(k.ABILITY_PC[f, t]), p)


@kernel
def row_action(s, p, action):
    """BUY: the last of the price, then the card is discarded and the Row refilled. ACCRUE: one unit on it."""
    if action >= ACCRUE:
        pay_row(s, 1)
        add(s["accrued"][p], action - ACCRUE, 1)
        return
    slot = action - BUY
    pay_row(s, int(k.COST[faction(s, p), int(s["row"][p, slot]) - 1]) - int(s["accrued"][p, slot]))
    acquire(s, p, slot)
    push(s, k.PC_REFILL, p)


@kernel
def planet_action(s, p, action):
    """BUY_PLANET or BUY_RECYCLE: the price less the own tokens."""
    slot = action - (BUY_PLANET if action < BUY_RECYCLE else BUY_RECYCLE)
    pay_planet(s, price(s, p, slot, frozen(s)))
    if action < BUY_RECYCLE:
        take_planet(s, p, slot)
    else:
        recycle(s, take_slot(s, slot))


@kernel
def points_action(s, p, action):
    """Command points: recycle a Planet or a hazard of the Row, or become production (rulebook: Command Points)."""
    spent = 1
    if action == CP_MONEY:
        add(s["money"], EMPIRE, 1)
    elif action < CP_HAZARD:
        spent = recycle_price(s, p, action - CP_PLANET)
        recycle(s, take_slot(s, action - CP_PLANET))
    else:
        spent = k.CP_HAZARD
        reshuffle_with_hazard(s, action - CP_HAZARD)
    s["cp_spent"] = int(s["cp_spent"]) + spent
