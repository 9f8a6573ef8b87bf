# mypy: ignore-errors
"""Attacks and the windows in which several effects trigger (rulebook: Attack, Effect Timing)."""

from engines.kernel import kernel

from . import ops
from .content import (
    ATTACK_COST,
    ATTACK_LIMIT,
    ATTACK_LOYALTY,
    ATTACK_VP,
    M_ATTACK_COST,
    M_COMPARE,
    PC_ATTACK,
    PROGRAM,
    SLOT,
    SLOT_R,
    START_PC,
    TIMING,
)
from .layout import BOARD, FLEET, SLOTS, SOURCES, SYSTEMS
from .rules_build import builds
from .rules_cards import add_loyalty, height, item_at, mod_sum, reserve
from .rules_frames import push


@kernel
def attack_cost(s, target):
    """Fleet that an attack on `target` costs."""
    return ATTACK_COST + mod_sum(s, target, M_ATTACK_COST)


@kernel
def may_attack(s, seat, target):
    """Whether `seat` may attack `target` now."""
    fleet = int(s["resources"][seat, FLEET])
    if int(s["attacks"][seat, target]) >= int(ATTACK_LIMIT[int(s["players"])]) or fleet < attack_cost(s, target):
        return False
    return fleet + mod_sum(s, seat, M_COMPARE) >= int(s["resources"][target, FLEET])


@kernel
def attack(s, seat, target):
    """Pay, take the points, lower the target's loyalty; then what triggers (ruling 16)."""
    s["attacks"][seat, target] = int(s["attacks"][seat, target]) + 1
    s["resources"][seat, FLEET] = int(s["resources"][seat, FLEET]) - attack_cost(s, target)
    s["vp"][seat] = int(s["vp"][seat]) + ATTACK_VP
    add_loyalty(s, target, ATTACK_LOYALTY)
    push(s, PC_ATTACK, seat, BOARD, 1 + target)


@kernel
def free_slots(s, victim):
    """Bits of the sources of `victim` that have an empty slot."""
    bits = 0
    for source in range(SLOTS):
        item = item_at(s, victim, source)
        if item >= 0 and int(SLOT[item]) and int(s["cube"][victim, source]) == 0:
            bits |= 1 << source
    return bits


@kernel
def blockable(s, victim):
    """Bits of the slots that a cube of `victim` can block (ruling 18)."""
    return free_slots(s, victim) if reserve(s, victim) > 0 else 0


@kernel
def buriable(s, victim):
    """Bits of the systems of `victim` that hold a building (ruling 19)."""
    bits = 0
    for system in range(SYSTEMS):
        if int(s["systems"][victim, system, 0]) > 0:
            bits |= 1 << system
    return bits


@kernel
def bury(s, victim, system):
    """The working card goes to the bottom of its system, its cube to the reserve; a lone card stays as it is."""
    cards = height(s, victim, system)
    if cards < 2:
        return
    top = int(s["systems"][victim, system, 0])
    for i in range(cards - 1):
        s["systems"][victim, system, i] = s["systems"][victim, system, i + 1]
    s["systems"][victim, system, cards - 1] = top
    s["cube"][victim, system] = 0


@kernel
def payable(s, seat, pc, side):
    """Whether one side (0 or 1) of the exchange at `pc` can be paid."""
    at = 1 + 3 * side
    for r in range(3):
        if int(s["resources"][seat, r]) < int(PROGRAM[pc, at + r]):
            return False
    return True


@kernel
def possible(s, seat, source, start, target, scratch):
    """Whether the program at `start` can be paid for and carried out, and does something (rulings 15, 46).

    `scratch` is an int32 array that may be overwritten: the builds of a hand are counted there.
    """
    paid, useful, pc = 0, False, start
    while int(PROGRAM[pc, 0]) != ops.END:
        op, n = int(PROGRAM[pc, 0]), int(PROGRAM[pc, 1])
        if op == ops.PAY_RES:
            paid = pc
            if not payable(s, seat, pc, 0):
                return False
        elif op == ops.PAY_VP:
            if int(s["vp"][seat]) < n:
                return False
        elif op == ops.PAY_CUBE:
            if int(s["available"][seat]) < n:
                return False
        elif op == ops.PAY_CARDS:
            if int(s["hand_size"][seat]) < n:
                return False
        elif op == ops.EXCHANGE:
            if not payable(s, seat, pc, 0) and not payable(s, seat, pc, 1):
                return False
            useful = True
        elif op == ops.BUILD and int(PROGRAM[pc, 4]) == 0:
            only = source if int(PROGRAM[pc, 2]) else -1
            if builds(s, seat, scratch, 0, n, only, int(PROGRAM[pc, 3]), False, PROGRAM[paid]) == 0:
                return False
            useful = True
        elif op == ops.BLOCK:
            useful = useful or blockable(s, target - 1) > 0
        elif op == ops.BURY:
            useful = useful or buriable(s, target - 1) > 0
        else:
            useful = True
        pc += 1
    return useful


@kernel
def window(s, seat, timing, target, scratch):
    """Bits of the sources of `seat` with this timing that have not triggered in this window and can do something."""
    bits = 0
    for source in range(SOURCES):
        item = item_at(s, seat, source)
        if item < 0 or int(TIMING[item]) != timing or int(s["used_sources"]) & (1 << source):
            continue
        if int(SLOT[item]) == SLOT_R and (int(s["cube"][seat, source]) or reserve(s, seat) == 0):
            continue
        if possible(s, seat, source, int(START_PC[item]), target, scratch):
            bits |= 1 << source
    return bits


@kernel
def lowest(bits):
    """The place of the lowest bit."""
    at = 0
    while not bits & (1 << at):
        at += 1
    return at


@kernel
def fire(s, seat, source, target):
    """Trigger the effect at `source`: its R slot takes a cube, its program begins."""
    item = item_at(s, seat, source)
    s["used_sources"] = int(s["used_sources"]) | (1 << source)
    if int(SLOT[item]) == SLOT_R:
        s["cube"][seat, source] = 1
    push(s, int(START_PC[item]), seat, source, target)
