# mypy: ignore-errors
"""The interpreter: one step of the top frame, and what a decision in it does (rulebook: Effect Timing, Exchange)."""

import numpy as np

from engines.kernel import kernel

from . import content as k
from . import ops
from .layout import (
    BUILD,
    CARD,
    FIFTH,
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
    NODE_MULLIGAN,
    NODE_OPTIONAL,
    NODE_ORDER,
    NODE_REORDER,
    NODE_REORDER_CARD,
    NODE_TAKE,
    NODE_TRADE_MORE,
    NODE_TRIGGER,
    NODE_VICTIM,
    OPP_SLOT,
    OPTION,
    OWN_SYSTEM,
    SOURCE,
    TARGET,
    TRADE,
    TRADE_GETS,
    TRADE_GIVES,
)
from .rules_attack import blockable, buriable, bury, fire, lowest, payable, possible, window
from .rules_build import begin_build
from .rules_cards import (
    add_actions,
    add_loyalty,
    discard,
    discard_drawn,
    draw_cards,
    fifth_capacity,
    gain,
    gain_op,
    height,
    item_at,
    system_count,
    take_discard,
)
from .rules_frames import ask, go_on, pop, push, push_count


@kernel
def pay_op(s, seat, pc, at):
    """Pay the amount that stands in columns at.. of an op."""
    gain(s, seat, -int(k.PROGRAM[pc, at]), -int(k.PROGRAM[pc, at + 1]), -int(k.PROGRAM[pc, at + 2]))


@kernel
def exchange(s, seat, pc, side):
    """Pay one side of an exchange, gain the other."""
    pay_op(s, seat, pc, 1 + 3 * side)
    gain_op(s, seat, pc, 4 - 3 * side)


@kernel
def trade(s, seat, pair):
    """One of the six exchanges of the race board."""
    race = int(s["race"][seat]) - 1
    gives, gets = int(TRADE_GIVES[pair]), int(TRADE_GETS[pair])
    stock = s["resources"]
    stock[seat, gives] = int(stock[seat, gives]) - int(k.TRADE_AMOUNT[race, gives])
    stock[seat, gets] = min(k.RESOURCE_CAP, int(stock[seat, gets]) + int(k.TRADE_AMOUNT[race, gets]))


@kernel
def bonus(s, seat, level, option):
    """One of the bonuses of a level of mobilization."""
    row = k.BONUS[int(s["race"][seat]) - 1, level, option]
    gain(s, seat, int(row[1]), int(row[2]), int(row[3]))
    draw_cards(s, seat, int(row[0]))


@kernel
def release_advisor(s, seat):
    """The advisor of `seat` goes back to the table, its cube to the reserve."""
    advisor = int(s["advisor"][seat])
    if advisor:
        s["table"][advisor - 1] = 1
        s["advisor"][seat] = 0
        s["cube"][seat, 5] = 0


@kernel
def works_in_color(s, seat, color):
    """Whether a working card of `seat` has the colour."""
    for system in range(FIFTH + 1):
        item = item_at(s, seat, system)
        if item >= 0 and int(k.COLOR[item]) == color:
            return True
    return False


@kernel
def lay_reordered(s, seat, system):
    """Lay a system as `placed`. A top card that stays keeps its cube, if it is the only one of its kind there."""
    old, same, cards = int(s["systems"][seat, system, 0]), 0, height(s, seat, system)
    for i in range(cards):
        if int(s["placed"][i]) == old:
            same += 1
        s["systems"][seat, system, i] = s["placed"][i]
    if int(s["placed"][0]) != old or same > 1:
        s["cube"][seat, system] = 0
    for i in range(cards):
        s["placed"][i] = 0


@kernel
def step(s):
    """Carry out the op of the top frame, or return True: it waits for a decision."""
    frame = int(s["depth"]) - 1
    pc, seat, target = int(s["frame_pc"][frame]), int(s["frame_seat"][frame]), int(s["frame_target"][frame])
    op, n = int(k.PROGRAM[pc, 0]), int(k.PROGRAM[pc, 1])
    if op == ops.END:
        pop(s)
    elif op >= ops.MULLIGAN:
        return flow_step(s, op, seat, target, int(s["frame_n"][frame]))
    elif op in (ops.DISCARD, ops.PAY_CARDS):
        if int(s["frame_n"][frame]) > 0 and int(s["hand_size"][seat]) > 0:
            return ask(s, NODE_DISCARD, seat)
        go_on(s)
    elif op == ops.GAIN_CHOICE and n > 1:
        return ask(s, NODE_GAIN, seat)
    elif op == ops.EXCHANGE and payable(s, seat, pc, 0) and payable(s, seat, pc, 1):
        return ask(s, NODE_EXCHANGE, seat)
    elif op == ops.BUILD:
        return ask(s, NODE_BUILD_MORE, seat)
    elif op == ops.ACTIVATE:
        if int(s["frame_n"][frame]) > 0:
            return ask(s, NODE_ACTIVATE_MORE, seat)
        go_on(s)
    elif op == ops.TAKE and int(s["discard_size"]) > 0:
        return ask(s, NODE_TAKE, seat)
    elif op == ops.REORDER:
        return ask(s, NODE_REORDER, seat)
    elif op == ops.OPP_DISCARD:
        each_discards(s, frame, seat, pc)
    elif op == ops.OPP_CHOICE and int(s["hand_size"][target - 1]) >= n:
        return ask(s, NODE_VICTIM, target - 1)
    elif op == ops.BLOCK and blockable(s, target - 1):
        return ask(s, NODE_BLOCK, seat)
    elif op == ops.BURY and buriable(s, target - 1):
        return ask(s, NODE_BURY, seat)
    elif op == ops.DISMISS:
        return ask(s, NODE_DISMISS, seat)
    elif op == ops.OPTIONAL:
        scratch = np.empty(256, np.int32)
        if possible(s, seat, int(s["frame_source"][frame]), pc + 1, target, scratch):
            return ask(s, NODE_OPTIONAL, seat)
        pop(s)
    else:
        act(s, op, pc, seat, target)
    return False


@kernel
def act(s, op, pc, seat, target):
    """What an op does in which nobody chooses; its frame goes on first, so that what it begins lies on top."""
    n, source = int(k.PROGRAM[pc, 1]), int(s["frame_source"][int(s["depth"]) - 1])
    go_on(s)
    if op == ops.GAIN:
        gain_op(s, seat, pc, 1)
    elif op == ops.GAIN_CHOICE:
        gain_op(s, seat, pc, 2)
    elif op == ops.EXCHANGE:
        if payable(s, seat, pc, 0) or payable(s, seat, pc, 1):
            exchange(s, seat, pc, 0 if payable(s, seat, pc, 0) else 1)
    elif op == ops.DRAW:
        draw_cards(s, seat, n)
    elif op == ops.LOYALTY:
        add_loyalty(s, seat, n)
    elif op == ops.ACTION:
        add_actions(s, seat, n)
    elif op == ops.VP:
        div = int(k.PROGRAM[pc, 2])
        s["vp"][seat] = int(s["vp"][seat]) + ((system_count(s, seat) + div - 1) // div if div else n)
    elif op == ops.COVERED:
        covered = int(s["systems"][seat, source, 1])
        if covered:
            gain_op(s, seat, pc, 1 + 3 * int(k.COLOR[covered - 1]))
    elif op == ops.IF_COLOR:
        if not works_in_color(s, seat, n):
            for _ in range(int(k.PROGRAM[pc, 2])):
                go_on(s)
    elif op == ops.OPP_LOYALTY:
        add_loyalty(s, target - 1, n)
    elif op == ops.OPP_CHOICE:
        add_loyalty(s, target - 1, int(k.PROGRAM[pc, 2]))
    elif op == ops.PAY_RES:
        pay_op(s, seat, pc, 1)
    elif op == ops.PAY_VP:
        s["vp"][seat] = int(s["vp"][seat]) - n
    elif op == ops.PAY_CUBE:
        s["available"][seat] = int(s["available"][seat]) - n
    elif op == ops.PAY_LOYALTY:
        add_loyalty(s, seat, -n)


@kernel
def each_discards(s, frame, seat, pc):
    """Send the next opponent in turn order to discard, if it holds enough cards (ruling 28)."""
    seen, players = int(s["frame_n"][frame]), int(s["players"])
    if seen == players:
        go_on(s)
        return
    s["frame_n"][frame] = seen + 1
    other = (int(s["first"]) + seen) % players
    if other != seat and int(s["hand_size"][other]) >= int(k.PROGRAM[pc, 2]):
        push_count(s, k.PC_DISCARD, other, 6, 0, int(k.PROGRAM[pc, 1]))


@kernel
def flow_step(s, op, seat, target, n):
    """The ops that the rules themselves are made of."""
    if op in (ops.ORDER, ops.TRIGGER, ops.DEFEND):
        return window_step(s, op, seat, target)
    if op == ops.MULLIGAN:
        return ask(s, NODE_MULLIGAN, seat)
    if op == ops.GRAY and int(s["gray"][0]) + int(s["gray"][1]) > 0:
        return ask(s, NODE_GRAY, seat)
    if op == ops.BONUS:
        return ask(s, NODE_BONUS, seat)
    if op == ops.TRADE_MORE and n > 0:
        return ask(s, NODE_TRADE_MORE, seat)
    if op == ops.REORDER_CARD:
        system = int(s["frame_source"][int(s["depth"]) - 1])
        if int(s["placed"][height(s, seat, system) - 1]) == 0:
            return ask(s, NODE_REORDER_CARD, seat)
        lay_reordered(s, seat, system)
    elif op == ops.ADVISOR:
        release_advisor(s, seat)
        s["table"][target - 1] = 0
        s["advisor"][seat] = target
    go_on(s)
    return False


@kernel
def window_step(s, op, seat, target):
    """Trigger the next effect of a window: the owner orders its own, the defender's are in the order of the systems."""
    scratch = np.empty(256, np.int32)
    owner, other, timing, node = seat, target, k.START_OF_ROUND, NODE_ORDER
    if op == ops.TRIGGER:
        timing, node = k.AFTER_ATTACK, NODE_TRIGGER
    elif op == ops.DEFEND:
        owner, other, timing = target - 1, 1 + seat, k.AFTER_ATTACKED
    bits = window(s, owner, timing, other, scratch)
    if bits == 0:
        s["used_sources"] = 0
        go_on(s)
    elif op == ops.DEFEND or bits & (bits - 1) == 0:
        fire(s, owner, lowest(bits), other)
    else:
        s["open_sources"] = bits
        return ask(s, node, seat)
    return False


@kernel
def decide(s, node, action):
    """What the mover's decision does at a node inside an effect; the frame goes on before it starts another."""
    frame = int(s["depth"]) - 1
    pc, seat, target = int(s["frame_pc"][frame]), int(s["frame_seat"][frame]), int(s["frame_target"][frame])
    n, mover = int(s["frame_n"][frame]), int(s["mover"])
    if node == NODE_DISCARD:
        discard(s, seat, action - CARD)
        s["frame_n"][frame] = n - 1
    elif node == NODE_MULLIGAN and action != NO:
        discard(s, seat, action - CARD)
        s["frame_n"][frame] = n + 1
    elif node == NODE_REORDER_CARD:
        at = 0
        while int(s["placed"][at]) > 0:
            at += 1
        s["placed"][at] = 1 + action - CARD
    elif node in (NODE_ORDER, NODE_TRIGGER):
        fire(s, seat, action - SOURCE, target)
    elif node == NODE_ACTIVATE_MORE:
        s["frame_n"][frame] = 0 if action == NO else n - 1
        if action != NO:
            activate(s, seat, action - SOURCE)
    elif node == NODE_TRADE_MORE:
        s["frame_n"][frame] = 0 if action == NO else n - 1
        if action != NO:
            trade(s, seat, action - TRADE)
    elif node == NODE_OPTIONAL and action == NO:
        pop(s)
    else:
        go_on(s)
        decide_on(s, node, action, pc, seat, target, n, mover)


@kernel
def decide_on(s, node, action, pc, seat, target, n, mover):
    """Decisions that end their op."""
    if node == NODE_MULLIGAN:
        draw_cards(s, seat, n)
    elif node == NODE_GRAY:
        discard_drawn(s, seat, action - CARD)
    elif node == NODE_TAKE:
        take_discard(s, seat, action - CARD)
    elif node == NODE_BONUS:
        bonus(s, seat, n, action - OPTION)
    elif node == NODE_GAIN:
        gain_op(s, seat, pc, 2 + 3 * (action - OPTION))
    elif node == NODE_EXCHANGE:
        exchange(s, seat, pc, action - OPTION)
    elif node == NODE_VICTIM:
        if action == OPTION:
            push_count(s, k.PC_DISCARD, mover, 6, 0, int(k.PROGRAM[pc, 1]))
        else:
            add_loyalty(s, mover, int(k.PROGRAM[pc, 2]))
    elif node == NODE_BUILD_MORE:
        if action != NO:
            begin_build(s, seat, action - BUILD, int(k.PROGRAM[pc, 3]), False)
    elif node == NODE_BLOCK:
        s["cube"][target - 1, action - OPP_SLOT] = 1
    elif node == NODE_BURY:
        bury(s, target - 1, action - OPP_SLOT)
    elif node == NODE_DISMISS:
        other = (seat + 1 + action - TARGET) % int(s["players"])
        if fifth_capacity(s, other) == 0:
            release_advisor(s, other)
    elif node == NODE_REORDER and action != NO:
        push(s, k.PC_REORDER_CARD, seat, action - OWN_SYSTEM, 0)


@kernel
def activate(s, seat, source):
    """A cube goes into the A slot, the effect begins."""
    s["cube"][seat, source] = 1
    push(s, int(k.START_PC[item_at(s, seat, source)]), seat, source, 0)
