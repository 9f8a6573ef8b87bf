# mypy: ignore-errors
"""The contract's rules: set-up, whose turn, what is legal, what a decision or outcome does. Chapters in `rules_*`."""

import numpy as np

from engines import contract as c
from engines.kernel import kernel

from . import content as k
from .layout import (
    ABILITY,
    DEALT,
    DRAW,
    FACES,
    FACTIONS,
    FIRST,
    NODE_ATTACH,
    NODE_DEAL,
    NODE_DRAW,
    NODE_EXPLORE,
    NODE_FIRST,
    NODE_FLEET,
    NODE_GIFT,
    NODE_MAIN,
    NODE_OVER,
    NODE_OWN_DAMAGE,
    NODE_REFILL,
    NODE_REPLACE,
    NODE_SEAT,
    NODE_STATION,
    NODE_TOP_PLANET,
    NODE_TURN_UP,
    PHASE_OVER,
    PHASE_TOP,
    REFILL,
    TARGET,
    TOP,
    TYPES,
    State,
)
from .rules_cards import add, draw_type, refill, turn_up
from .rules_economy import world_pc
from .rules_effects import decide, show, step
from .rules_end import utilities
from .rules_legal import choices
from .rules_turn import fill_exploration, flow, turn_action

MOST_CHOICES = 128


@kernel(c.TO_PLAY)
def to_play(state):
    s = state.view(State)[0]
    node = int(s["node"])
    if node == NODE_OVER:
        return c.TERMINAL
    return c.CHANCE if node >= NODE_DEAL else int(s["mover"])


@kernel
def taken(s, f):
    """Whether a faction is held by a seat, or wished for by one."""
    for p in range(int(s["players"])):
        if int(s["faction"][p]) == 1 + f:
            return True
    return False


@kernel
def outcomes(s, node, out, odds):
    """Write outcome ids and their weights at a chance node; returns how many there are."""
    n, p = 0, int(s["mover"])
    if node == NODE_FIRST:
        for seat in range(int(s["players"])):
            out[n], odds[n] = FIRST + seat, 1
            n += 1
    elif node == NODE_DEAL:
        for f in range(FACTIONS):
            if not taken(s, f):
                out[n], odds[n] = DEALT + f, 1
                n += 1
    elif node in (NODE_DRAW, NODE_TURN_UP):
        n = counted(s["deck"][p], DRAW, out, odds)
    elif node == NODE_REFILL:
        n = counted(s["empire"][p], REFILL, out, odds)
    else:
        for face in range(FACES):
            copies = int(s["explore_deck"][face])
            if copies > 0 and (node != NODE_TOP_PLANET or int(k.FACE_KIND[face]) == k.PLANET):
                out[n], odds[n] = TOP + face, copies
                n += 1
    return n


@kernel
def counted(copies, first, out, odds):
    """An outcome for every type that is left, weighted by its copies."""
    n = 0
    for t in range(TYPES):
        if int(copies[t]) > 0:
            out[n], odds[n] = first + t, int(copies[t])
            n += 1
    return n


@kernel(c.LEGAL)
def legal(state, out):
    s = state.view(State)[0]
    node = int(s["node"])
    if node == NODE_OVER:
        return 0
    if node < NODE_DEAL:
        return choices(s, out)
    return outcomes(s, node, out, np.empty(FACES, np.int64))


@kernel(c.WEIGHTS)
def weights(state, out):
    s = state.view(State)[0]
    node, p = int(s["node"]), int(s["mover"])
    ids, odds = np.empty(FACES, np.int32), np.empty(FACES, np.int64)
    n = outcomes(s, node, ids, odds)
    for i in range(n):
        out[i] = odds[i]
    if node in (NODE_DEAL, NODE_FIRST):
        return 0
    if node == NODE_REFILL:
        return 2 + p
    return 6 + p if node in (NODE_DRAW, NODE_TURN_UP) else 1


@kernel
def happen(s, node, action):
    """What an outcome does."""
    p = int(s["mover"])
    if node == NODE_DRAW:
        add(s["frame_n"], int(s["depth"]) - 1, -1)
        draw_type(s, p, action - DRAW)
    elif node == NODE_TURN_UP:
        turn_up(s, p, action - DRAW)
    elif node == NODE_REFILL:
        refill(s, p, action - REFILL)
    elif node == NODE_DEAL:
        s["faction"][p] = 1 + action - DEALT
    elif node == NODE_FIRST:
        s["first"] = action - FIRST
        s["active"] = action - FIRST
        s["phase"] = PHASE_TOP
    else:
        add(s["explore_deck"], action - TOP, -1)
        s["explore_size"] = int(s["explore_size"]) - 1
        show(s, action - TOP)


@kernel
def decided(s, node, action):
    """What a decision does."""
    p = int(s["mover"])
    if node in (NODE_MAIN, NODE_EXPLORE):
        turn_action(s, p, action)
    elif node == NODE_FLEET and ABILITY <= action < TARGET:
        world = action - ABILITY
        s["used"][world] = 1
        add(s["fleet_extra"], int(s["fleets"]) - 1, int(k.PROGRAM[world_pc(s, p, world), 1]))
    else:
        decide(s, node, action)


@kernel
def skippable(node):
    """Nodes without secrets: a single choice is made at once (section 3c)."""
    return node in (NODE_SEAT, NODE_OWN_DAMAGE, NODE_REPLACE, NODE_STATION, NODE_ATTACH, NODE_GIFT)


@kernel
def advance(s):
    """Go on until somebody has a choice, chance strikes, or the game is over."""
    while True:
        waits = step(s) if int(s["depth"]) > 0 else flow(s)
        if int(s["phase"]) == PHASE_OVER:
            return
        if not waits:
            continue
        node = int(s["node"])
        if not skippable(node):
            return
        out = np.empty(MOST_CHOICES, np.int32)
        if choices(s, out) > 1:
            return
        decided(s, node, int(out[0]))
        if int(s["phase"]) == PHASE_OVER:
            return


@kernel(c.SETUP)
def setup(state, options):
    """options: players, utility, end rule, most rounds, then a number a seat: 1 + faction, 0 dealt, -1 as seat 0."""
    for i in range(state.shape[0]):
        state[i] = 0
    s = state.view(State)[0]
    s["players"] = options[0]
    s["utility"] = options[1]
    s["end_rule"] = options[2]
    s["max_rounds"] = options[3]
    for p in range(int(options[0])):
        s["wish"][p] = options[4 + p]
        s["faction"][p] = max(int(options[4 + p]), 0)
    fill_exploration(s)
    advance(s)


@kernel(c.APPLY)
def apply(state, action):
    s = state.view(State)[0]
    node = int(s["node"])
    if node >= NODE_DEAL:
        happen(s, node, action)
    else:
        decided(s, node, action)
    if int(s["phase"]) != PHASE_OVER:
        advance(s)


@kernel(c.RETURNS)
def returns(state, out):
    utilities(state.view(State)[0], out)
