# mypy: ignore-errors
"""The course of the game between decisions: set-up, the three phases of a round, its end (rulebook: Setup, Phases)."""

from engines.kernel import kernel

from . import content as k
from . import ops
from .layout import (
    ADVISOR,
    BOARD,
    CARDS,
    FIFTH,
    NODE_ASIDE,
    NODE_DRAW,
    NODE_FIRST,
    NODE_MAIN,
    NODE_OVER,
    NODE_RACE,
    NODE_RACE_DEALT,
    NODE_SAVE,
    PHASE_ACTIONS,
    PHASE_ASIDE,
    PHASE_FIRST,
    PHASE_HANDS,
    PHASE_INCOME,
    PHASE_LIMIT,
    PHASE_MOBILIZE,
    PHASE_MULLIGAN,
    PHASE_OVER,
    PHASE_RACES,
    PHASE_START,
    SLOTS,
    SYSTEMS,
)
from .rules_build import settle
from .rules_cards import add_actions, add_loyalty, draw_cards, fifth_capacity, gain, item_at, refill
from .rules_effects import bonus, step
from .rules_frames import ask, push, push_count


@kernel
def enter_phase(s, phase):
    """Begin a phase."""
    s["phase"] = phase
    s["cursor"] = 0


@kernel
def set_up_step(s, phase):
    """The phases before the first round; True: a decision or chance is due."""
    done, players = int(s["cursor"]), int(s["players"])
    if phase == PHASE_RACES:
        if done == players:
            for seat in range(players):
                row = k.START[int(s["race"][seat]) - 1]
                gain(s, seat, int(row[0]), int(row[1]), int(row[2]))
                s["loyalty"][seat] = k.LOYALTY_START
            enter_phase(s, PHASE_ASIDE)
            return False
        if int(s["race"][done]) == 0:
            return ask(s, NODE_RACE if int(s["race_mode"][done]) == 1 else NODE_RACE_DEALT, done)
        s["cursor"] = done + 1
    elif phase == PHASE_ASIDE:
        if int(s["with_advisors"]) and done < k.ADVISORS_ASIDE:
            return ask(s, NODE_ASIDE, 0)
        enter_phase(s, PHASE_FIRST)
    elif phase == PHASE_FIRST:
        return ask(s, NODE_FIRST, 0)
    elif done == players:
        enter_phase(s, phase + 1)
    else:
        seat = (int(s["first"]) + done) % players
        s["cursor"] = done + 1
        if phase == PHASE_HANDS:
            draw_cards(s, seat, k.START_HAND)
        else:
            push(s, k.PC_MULLIGAN, seat, BOARD, 0)
    return False


@kernel
def income(s):
    """Phase 1: all gain the icons of all their cards, covered ones too (ruling 7)."""
    s["round"] = int(s["round"]) + 1
    for seat in range(int(s["players"])):
        for system in range(SYSTEMS):
            for i in range(CARDS):
                card = int(s["systems"][seat, system, i])
                if card == 0:
                    break
                row = k.ICONS[card - 1]
                gain(s, seat, int(row[0]), int(row[1]), int(row[2]))


@kernel
def mobilize(s, seat):
    """Take cubes, a stored one too; change loyalty; draw; choose a bonus (rulebook: Determining Mobilization Level)."""
    race, most = int(s["race"][seat]) - 1, 0
    for r in range(3):
        most = max(most, int(s["resources"][seat, r]))
    level = 2 if most >= k.ZONE_HIGH else 1 if most >= k.ZONE_MEDIUM else 0
    stored = int(s["cube"][seat, ADVISOR])
    s["cube"][seat, ADVISOR] = 0
    add_actions(s, seat, stored + int(k.MOBILIZE[race, level, 0]))
    add_loyalty(s, seat, int(k.MOBILIZE[race, level, 1]))
    options = int(k.MOBILIZE[race, level, 3])
    cards = int(k.MOBILIZE[race, level, 2])
    if options > 1:
        push_count(s, k.PC_BONUS, seat, BOARD, 0, level)
    elif options == 1:
        bonus(s, seat, level, 0)
        cards += int(s["draws"])
    draw_cards(s, seat, cards)


@kernel
def next_turn(s):
    """Phase 2: the next seat with cubes acts; True unless no cube is left."""
    players = int(s["players"])
    turn = (int(s["turn"]) + int(s["cursor"])) % players
    for _ in range(players):
        if int(s["available"][turn]) > 0:
            s["turn"] = turn
            s["cursor"] = 1
            return ask(s, NODE_MAIN, turn)
        turn = (turn + 1) % players
    return False


@kernel
def is_full(s, seat):
    """Whether every possible system is full, the advisor's own too (ruling 24)."""
    for system in range(SYSTEMS - 1):
        if int(s["systems"][seat, system, CARDS - 1]) == 0:
            return False
    capacity = fifth_capacity(s, seat)
    return capacity == 0 or int(s["systems"][seat, FIFTH, capacity - 1]) > 0


@kernel
def ends(s):
    """Phase 3: whether the game ends with this round."""
    for seat in range(int(s["players"])):
        if int(s["loyalty"][seat]) <= 0 or is_full(s, seat):
            return True
    return int(s["round"]) >= k.ROUNDS


@kernel
def stores(s, seat):
    """Whether the advisor's slot keeps its cube over the end of the round (ruling 21)."""
    item = item_at(s, seat, ADVISOR)
    if item < 0:
        return False
    pc = int(k.START_PC[item])
    while int(k.PROGRAM[pc, 0]) != ops.END:
        if int(k.PROGRAM[pc, 0]) == ops.STORE:
            return True
        pc += 1
    return False


@kernel
def end_round(s):
    """Phase 3: cubes return, the first player changes."""
    players = int(s["players"])
    for seat in range(players):
        s["spent"][seat] = 0
        s["propaganda"][seat] = 0
        s["discount_used"][seat] = 0
        for other in range(players):
            s["attacks"][seat, other] = 0
        for source in range(SLOTS):
            if source != ADVISOR or not stores(s, seat):
                s["cube"][seat, source] = 0
    s["first"] = (int(s["first"]) + 1) % players
    s["turn"] = s["first"]


@kernel
def flow(s):
    """Go on to the next event of the game when no effect is pending; True: a decision, chance, or the end."""
    phase, done, players = int(s["phase"]), int(s["cursor"]), int(s["players"])
    seat = (int(s["first"]) + done) % players
    if phase <= PHASE_MULLIGAN:
        return set_up_step(s, phase)
    if phase == PHASE_INCOME:
        income(s)
        enter_phase(s, PHASE_MOBILIZE)
    elif phase == PHASE_ACTIONS:
        if next_turn(s):
            return True
        enter_phase(s, PHASE_OVER if ends(s) else PHASE_LIMIT)
    elif phase == PHASE_OVER:
        return ask(s, NODE_OVER, 0)
    elif done == players:
        if phase == PHASE_LIMIT:
            end_round(s)
        enter_phase(s, PHASE_INCOME if phase == PHASE_LIMIT else phase + 1)
    else:
        s["cursor"] = done + 1
        if phase == PHASE_MOBILIZE:
            mobilize(s, seat)
        elif phase == PHASE_START:
            push(s, k.PC_ORDER, seat, BOARD, 0)
        elif int(s["hand_size"][seat]) > k.HAND_LIMIT:
            push_count(s, k.PC_DISCARD, seat, BOARD, 0, int(s["hand_size"][seat]) - k.HAND_LIMIT)
    return False


@kernel
def advance(s):
    """Carry the game on to its next decision, chance event or end: draws first, then a payment, effects, the round."""
    s["open_sources"] = 0
    waits = False
    while not waits:
        if int(s["draws"]) > 0:
            if int(s["deck_size"]) == 0 and int(s["discard_size"]) > 1:
                refill(s)
            waits = int(s["deck_size"]) > 0
            if waits:
                s["node"] = NODE_DRAW
            else:
                s["draws"] = 0
        elif int(s["design"]) > 0:
            waits = settle(s)
            if waits:
                s["node"] = NODE_SAVE
        elif int(s["depth"]) > 0:
            waits = step(s)
        else:
            waits = flow(s)
