# mypy: ignore-errors
"""The contract's rules: set-up, whose turn, what is legal, what a decision or outcome does. Chapters in `rules_*`."""

from engines import contract as c
from engines.kernel import kernel

from . import content as k
from .layout import (
    ADVISORS,
    ASIDE,
    ATTACK,
    BOARD,
    BUILD,
    DEAL,
    DESIGNS,
    DRAW,
    EXPLORE,
    FIRST,
    NODE_ASIDE,
    NODE_DRAW,
    NODE_FIRST,
    NODE_MAIN,
    NODE_OVER,
    NODE_RACE,
    NODE_RACE_DEALT,
    NODE_SAVE,
    PHASE_HANDS,
    PROPAGANDA,
    RACE,
    RACE_DEALT,
    SAVE,
    SOURCE,
    TRADE,
    State,
)
from .rules_attack import attack
from .rules_build import begin_build, save
from .rules_cards import add_loyalty, discard, draw_cards, drawn, gain, item_at, mod_sum, put_in
from .rules_effects import activate, decide, trade
from .rules_end import utilities
from .rules_frames import push, push_count
from .rules_legal import choices, races
from .rules_round import advance, enter_phase, set_up_step


@kernel(c.SETUP)
def setup(state, options):
    """options: players, utility, advisors in the game, then a number a seat: 1 + race given, 0 dealt, -1 chooses."""
    for i in range(state.shape[0]):
        state[i] = 0
    s = state.view(State)[0]
    s["players"] = options[0]
    s["utility"] = options[1]
    s["with_advisors"] = options[2]
    for seat in range(int(options[0])):
        wish = int(options[3 + seat])
        s["race_mode"][seat] = 0 if wish > 0 else 1 if wish < 0 else 2
        s["race"][seat] = max(wish, 0)
    for advisor in range(ADVISORS):
        s["table"][advisor] = options[2]
    for design in range(DESIGNS):
        copies = int(k.COPIES_OF[design])
        s["deck"][design] = copies
        s["deck_size"] = int(s["deck_size"]) + copies
        for _ in range(copies):
            put_in(s["unseen"][design], 1)
    while not set_up_step(s, int(s["phase"])):
        pass


@kernel(c.TO_PLAY)
def to_play(state):
    s = state.view(State)[0]
    node = int(s["node"])
    if node == NODE_OVER:
        return c.TERMINAL
    return c.CHANCE if node >= NODE_RACE_DEALT else int(s["mover"])


@kernel(c.LEGAL)
def legal(state, out):
    s = state.view(State)[0]
    node, n = int(s["node"]), 0
    if node == NODE_OVER:
        return 0
    if node < NODE_RACE_DEALT:
        return choices(s, out)
    if node == NODE_DRAW:
        for design in range(DESIGNS):
            if int(s["deck"][design]) > 0:
                out[n] = DRAW + design
                n += 1
    elif node == NODE_FIRST:
        for seat in range(int(s["players"])):
            out[seat] = FIRST + seat
        n = int(s["players"])
    elif node == NODE_ASIDE:
        for advisor in range(ADVISORS):
            if int(s["table"][advisor]):
                out[n] = ASIDE + advisor
                n += 1
    else:
        n = races(s, RACE_DEALT, False, out)
    return n


@kernel(c.WEIGHTS)
def weights(state, out):
    s = state.view(State)[0]
    if int(s["node"]) != NODE_DRAW:
        for i in range(min(out.shape[0], ADVISORS)):
            out[i] = 1
        return 0
    n = 0
    for design in range(DESIGNS):
        copies = int(s["deck"][design])
        if copies > 0:
            out[n] = copies
            n += 1
    return 1 + int(s["mover"])


@kernel
def main_action(s, seat, action):
    """Spend a cube on a main action (rulebook: Phase 2)."""
    s["available"][seat] = int(s["available"][seat]) - 1
    if action >= SOURCE:
        activate(s, seat, action - SOURCE)
        return
    if ATTACK <= action < DEAL:
        attack(s, seat, (seat + 1 + action - ATTACK) % int(s["players"]))
        return
    s["spent"][seat] = int(s["spent"][seat]) + 1
    if action < BUILD:
        exploit(s, seat, action)
    elif action < EXPLORE:
        begin_build(s, seat, action - BUILD, 0, True)
    elif action == EXPLORE:
        draw_cards(s, seat, k.EXPLORE_CARDS + mod_sum(s, seat, k.M_EXPLORE))
    elif action == PROPAGANDA:
        s["propaganda"][seat] = 1
        add_loyalty(s, seat, k.PROPAGANDA_LOYALTY)
    elif action < ATTACK:
        trade(s, seat, action - TRADE)
        more = mod_sum(s, seat, k.M_TRADE)
        if more > 0:
            push_count(s, k.PC_TRADE, seat, BOARD, 0, more)
    else:
        push(s, k.PC_DEAL, seat, BOARD, 1 + action - DEAL)


@kernel
def exploit(s, seat, design):
    """Discard a card for its colour's resources or cards (rulebook: Exploit)."""
    discard(s, seat, design)
    color = int(k.COLOR[design])
    gain(s, seat, int(k.EXPLOIT_GAIN[color, 0]), int(k.EXPLOIT_GAIN[color, 1]), int(k.EXPLOIT_GAIN[color, 2]))
    for source in range(BOARD + 1):
        item = item_at(s, seat, source)
        if item >= 0:
            row = k.EXPLOIT_BONUS[item, color]
            gain(s, seat, int(row[0]), int(row[1]), int(row[2]))
    cards = int(k.EXPLOIT_DRAW[color, 0])
    if int(k.EXPLOIT_DRAW[color, 1]) and mod_sum(s, seat, k.M_KEEP_GRAY) == 0:
        push(s, k.PC_GRAY, seat, BOARD, 0)
    draw_cards(s, seat, cards)


@kernel(c.APPLY)
def apply(state, action):
    s = state.view(State)[0]
    node, mover = int(s["node"]), int(s["mover"])
    if node == NODE_DRAW:
        drawn(s, action - DRAW)
    elif node == NODE_MAIN:
        main_action(s, mover, action)
    elif node == NODE_SAVE:
        save(s, action - SAVE)
    elif node in (NODE_RACE, NODE_RACE_DEALT):
        s["race"][mover] = 1 + action - (RACE if node == NODE_RACE else RACE_DEALT)
    elif node == NODE_ASIDE:
        s["table"][action - ASIDE] = 0
        s["cursor"] = int(s["cursor"]) + 1
    elif node == NODE_FIRST:
        s["first"] = action - FIRST
        s["turn"] = action - FIRST
        enter_phase(s, PHASE_HANDS)
    else:
        decide(s, node, action)
    advance(s)


@kernel(c.RETURNS)
def returns(state, out):
    utilities(state.view(State)[0], out)
