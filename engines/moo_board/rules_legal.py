# mypy: ignore-errors
"""What may be chosen at each node, in ascending ids (rulebook: Phase 2, and each effect's chapter)."""

import numpy as np

from engines.kernel import kernel

from . import content as k
from .layout import (
    ATTACK,
    CARD,
    DEAL,
    DESIGNS,
    EXPLOIT,
    EXPLORE,
    NO,
    NODE_ACTIVATE_MORE,
    NODE_BLOCK,
    NODE_BONUS,
    NODE_BUILD_MORE,
    NODE_BURY,
    NODE_DISCARD,
    NODE_DISMISS,
    NODE_EXCHANGE,
    NODE_GAIN,
    NODE_GRAY,
    NODE_MAIN,
    NODE_MULLIGAN,
    NODE_OPTIONAL,
    NODE_ORDER,
    NODE_RACE,
    NODE_REORDER,
    NODE_REORDER_CARD,
    NODE_SAVE,
    NODE_TAKE,
    NODE_TRADE_MORE,
    NODE_TRIGGER,
    NODE_VICTIM,
    OPP_SLOT,
    OPTION,
    OWN_SYSTEM,
    PROPAGANDA,
    RACE,
    RACES,
    SAVE,
    SLOTS,
    SOURCE,
    SYSTEMS,
    TARGET,
    TRADE,
    TRADE_GIVES,
    YES,
)
from .rules_attack import blockable, buriable, may_attack, payable, possible
from .rules_build import builds, splits
from .rules_cards import fifth_capacity, height, holds, item_at, reserve


@kernel
def write_bits(bits, first, out, n):
    """Write first + place of every bit."""
    at = 0
    while bits:
        if bits & 1:
            out[n] = first + at
            n += 1
        bits >>= 1
        at += 1
    return n


@kernel
def write_hand(s, seat, first, out, n):
    """Write first + design for every design in hand."""
    for design in range(DESIGNS):
        if holds(s, seat, design):
            out[n] = first + design
            n += 1
    return n


@kernel
def write_list(cards, size, taken, out, n):
    """Write the CARD ids of the designs in a list of 1 + design, less those in the list `taken`."""
    for design in range(DESIGNS):
        count = 0
        for i in range(size):
            if int(cards[i]) == 1 + design:
                count += 1
        if count > 0:
            for i in range(taken.shape[0]):
                if int(taken[i]) == 1 + design:
                    count -= 1
            if count > 0:
                out[n] = CARD + design
                n += 1
    return n


@kernel
def trades(s, seat, out, n):
    """Write the exchanges that the stock can pay."""
    race = int(s["race"][seat]) - 1
    for pair in range(6):
        gives = int(TRADE_GIVES[pair])
        if int(s["resources"][seat, gives]) >= int(k.TRADE_AMOUNT[race, gives]):
            out[n] = TRADE + pair
            n += 1
    return n


@kernel
def activations(s, seat, out, n):
    """Write the SOURCE ids of what can be activated. What is written beyond them is scratch."""
    for source in range(SLOTS):
        item = item_at(s, seat, source)
        if item < 0 or int(k.TIMING[item]) != k.ACTIVATION or int(s["cube"][seat, source]):
            continue
        if int(k.ACTIVATE_LOYALTY[item]) and int(s["loyalty"][seat]) < k.LOYALTY_GATE:
            continue
        scratch = np.empty(256, np.int32)
        if possible(s, seat, source, int(k.START_PC[item]), 0, scratch):
            out[n] = SOURCE + source
            n += 1
    return n


@kernel
def main_actions(s, seat, out):
    """Every main action."""
    n = write_hand(s, seat, EXPLOIT, out, 0)
    n = builds(s, seat, out, n, 0, -1, 0, True, k.PROGRAM[0])
    out[n] = EXPLORE
    n += 1
    if int(s["propaganda"][seat]) == 0:
        out[n] = PROPAGANDA
        n += 1
    n = trades(s, seat, out, n)
    players = int(s["players"])
    for i in range(1, players):
        if may_attack(s, seat, (seat + i) % players):
            out[n] = ATTACK + i - 1
            n += 1
    if int(s["hand_size"][seat]) >= k.DEAL_CARDS and fifth_capacity(s, seat) == 0:
        for advisor in range(s["table"].shape[0]):
            if int(s["table"][advisor]):
                out[n] = DEAL + advisor
                n += 1
    return activations(s, seat, out, n)


@kernel
def races(s, first, humans_always, out):
    """Write the races nobody has; Humans can be on several boards (ruling 5)."""
    n = 0
    for race in range(RACES):
        taken = 0
        for seat in range(int(s["players"])):
            if int(s["race"][seat]) == 1 + race:
                taken += 1
        if taken == 0 or (race == 0 and humans_always):
            out[n] = first + race
            n += 1
    return n


@kernel
def option_bits(s, node, seat, pc, n):
    """Bits of the options of a numbered choice."""
    if node == NODE_EXCHANGE:
        return (1 if payable(s, seat, pc, 0) else 0) + (2 if payable(s, seat, pc, 1) else 0)
    count = 2
    if node == NODE_GAIN:
        count = int(k.PROGRAM[pc, 1])
    elif node == NODE_BONUS:
        count = int(k.MOBILIZE[int(s["race"][seat]) - 1, n, 3])
    return (1 << count) - 1


@kernel
def effect_choices(s, node, seat, out):
    """The choices at a node inside an effect."""
    frame = int(s["depth"]) - 1
    pc, n = int(s["frame_pc"][frame]), int(s["frame_n"][frame])
    source, target = int(s["frame_source"][frame]), int(s["frame_target"][frame])
    if node == NODE_DISCARD:
        return write_hand(s, seat, CARD, out, 0)
    if node == NODE_GRAY:
        return write_list(s["drawn"][seat], int(s["gray"][0]) + int(s["gray"][1]), s["drawn"][seat, :0], out, 0)
    if node == NODE_TAKE:
        size, depth = int(s["discard_size"]), int(k.PROGRAM[pc, 1])
        if depth == 0 or depth > size:
            depth = size
        return write_list(s["discard"][size - depth : size], depth, s["discard"][:0], out, 0)
    if node == NODE_REORDER_CARD:
        return write_list(s["systems"][seat, source], height(s, seat, source), s["placed"], out, 0)
    if node == NODE_BLOCK:
        return write_bits(blockable(s, target - 1), OPP_SLOT, out, 0)
    if node == NODE_BURY:
        return write_bits(buriable(s, target - 1), OPP_SLOT, out, 0)
    if node in (NODE_ORDER, NODE_TRIGGER):
        return write_bits(int(s["open_sources"]), SOURCE, out, 0)
    if node == NODE_DISMISS:
        return write_bits((1 << (int(s["players"]) - 1)) - 1, TARGET, out, 0)
    if node in (NODE_BONUS, NODE_GAIN, NODE_EXCHANGE, NODE_VICTIM):
        return write_bits(option_bits(s, node, seat, pc, n), OPTION, out, 0)
    return choices_or_no(s, node, seat, pc, source, out)


@kernel
def choices_or_no(s, node, seat, pc, source, out):
    """The nodes that offer NO: always, save a building that is due and possible."""
    n = 0
    if node == NODE_MULLIGAN:
        n = write_hand(s, seat, CARD, out, 0)
    elif node == NODE_OPTIONAL:
        out[0] = YES
        n = 1
    elif node == NODE_BUILD_MORE:
        only = source if int(k.PROGRAM[pc, 2]) else -1
        n = builds(s, seat, out, 0, int(k.PROGRAM[pc, 1]), only, int(k.PROGRAM[pc, 3]), False, k.PROGRAM[0])
        if n > 0 and int(k.PROGRAM[pc, 4]) == 0:
            return n
    elif node == NODE_TRADE_MORE:
        n = trades(s, seat, out, 0)
    elif node == NODE_ACTIVATE_MORE:
        if reserve(s, seat) > 0:
            n = activations(s, seat, out, 0)
    elif node == NODE_REORDER:
        for system in range(SYSTEMS):
            if height(s, seat, system) > 1:
                out[n] = OWN_SYSTEM + system
                n += 1
    out[n] = NO
    return n + 1


@kernel
def choices(s, out):
    """The decisions of the mover."""
    node, seat = int(s["node"]), int(s["mover"])
    if node == NODE_MAIN:
        return main_actions(s, seat, out)
    if node == NODE_RACE:
        return races(s, RACE, True, out)
    if node == NODE_SAVE:
        return write_bits(splits(s)[1], SAVE, out, 0)
    return effect_choices(s, node, seat, out)
