# mypy: ignore-errors
"""Rules of Leduc poker for two and three seats (Southey et al. 2005; three seats as in OpenSpiel).

Each seat antes 1 and gets one of 2 (players + 1) cards: two suits of jack, queen, king and, with three seats, ace. A
betting round, a public card, another betting round. In a round the seats act in turn, those who have not folded, seat 0
first; two raises a round at most, of 2 chips in the first round and 4 in the second; folding is allowed only where
there is something to call. A round ends when all who are left have called the last raise, or all have checked. The
last one left takes the pot; else a pair with the public card wins, then the higher rank; equal ranks share the pot.
"""

import numpy as np

from engines import contract as c
from engines.kernel import kernel
from engines.leduc_poker.layout import (
    AMOUNTS,
    BOARD,
    CALL,
    DEAL,
    FIRST,
    FIRST_CARD,
    FOLD,
    MOST_PAID,
    MOST_RAISES,
    OVER,
    RAISE,
    SECOND,
    SUITS,
    State,
)
from engines.rng import below, mix

_FIRST_AMOUNT, _SECOND_AMOUNT = AMOUNTS


@kernel(c.SETUP)
def setup(state, options):
    for i in range(state.shape[0]):
        state[i] = 0
    s = state.view(State)[0]
    s["players"] = options[0]
    for p in range(options[0]):
        s["paid"][p] = 1


@kernel(c.TO_PLAY)
def to_play(state):
    s = state.view(State)[0]
    phase = int(s["phase"])
    if phase == OVER:
        return c.TERMINAL
    return c.CHANCE if phase in (DEAL, BOARD) else int(s["asked"])


@kernel
def in_use(s):
    """Bit set of the cards that are known to lie somewhere."""
    used = 1 << int(s["board"])
    for p in range(s["card"].shape[0]):
        used |= 1 << int(s["card"][p])
    return used >> 1


@kernel
def stakes(s):
    """What a seat must have put in to stay."""
    most = 0
    for p in range(s["paid"].shape[0]):
        most = max(most, int(s["paid"][p]))
    return most


@kernel(c.LEGAL)
def legal(state, out):
    s = state.view(State)[0]
    n, phase = 0, int(s["phase"])
    if phase == OVER:
        return 0
    if phase in (DEAL, BOARD):
        used = in_use(s)
        for card in range(SUITS * (int(s["players"]) + 1)):
            if not (used >> card) & 1:
                out[n] = FIRST_CARD + card
                n += 1
        return n
    if stakes(s) > int(s["paid"][int(s["asked"])]):
        out[n] = FOLD
        n += 1
    out[n] = CALL
    n += 1
    if int(s["raises"]) < MOST_RAISES:
        out[n] = RAISE
        n += 1
    return n


@kernel(c.WEIGHTS)
def weights(state, out):
    s = state.view(State)[0]
    for i in range(SUITS * (int(s["players"]) + 1) - int(s["dealt"])):
        out[i] = 1
    return int(s["dealt"])


@kernel
def ask_from(s, seat):
    """The first seat, from `seat` on, that has not folded decides next."""
    players = int(s["players"])
    while int(s["out"][seat % players]) == 1:
        seat += 1
    s["asked"] = seat % players


@kernel
def put_in(s, seat, action):
    """Chips and counts of a decision."""
    if action == FOLD:
        s["out"][seat] = 1
    elif action == CALL:
        s["paid"][seat] = stakes(s)
        s["calls"] = int(s["calls"]) + 1
    else:
        s["paid"][seat] = stakes(s) + (_FIRST_AMOUNT if int(s["phase"]) == FIRST else _SECOND_AMOUNT)
        s["raises"] = int(s["raises"]) + 1
        s["calls"] = 0


@kernel
def go_on(s):
    """After a decision: the next seat, the board, or the end."""
    players = int(s["players"])
    left = players
    for p in range(players):
        left -= int(s["out"][p])
    if left == 1:
        s["phase"] = OVER
    elif int(s["calls"]) == (left if int(s["raises"]) == 0 else left - 1):
        s["phase"] = BOARD if int(s["phase"]) == FIRST else OVER
    else:
        ask_from(s, int(s["asked"]) + 1)


@kernel(c.APPLY)
def apply(state, action):
    s = state.view(State)[0]
    if action < FIRST_CARD:
        seat, at = int(s["asked"]), 0
        bets = s["bets"][seat][0 if int(s["phase"]) == FIRST else 1]
        while int(bets[at]) != 0:
            at += 1
        bets[at] = action + 1
        put_in(s, seat, action)
        go_on(s)
    elif int(s["phase"]) == DEAL:
        s["card"][int(s["dealt"])] = action - FIRST_CARD + 1
        s["dealt"] = int(s["dealt"]) + 1
        if int(s["dealt"]) == int(s["players"]):
            s["phase"] = FIRST
    else:
        s["board"] = action - FIRST_CARD + 1
        s["raises"], s["calls"] = 0, 0
        s["phase"] = SECOND
        ask_from(s, 0)


@kernel
def strength(s, seat):
    """A number that orders hands: the rank, and a pair with the board above every rank."""
    card, board = int(s["card"][seat]) - 1, int(s["board"]) - 1
    pair = card >= 0 and board >= 0 and card // SUITS == board // SUITS
    return card // SUITS + (16 if pair else 0)


@kernel(c.RETURNS)
def returns(state, out):
    s = state.view(State)[0]
    players = int(s["players"])
    pot, best, winners = 0, -2, 0
    for p in range(players):
        pot += int(s["paid"][p])
        if int(s["out"][p]) == 0:
            hand = strength(s, p)
            if hand > best:
                best, winners = hand, 1
            elif hand == best:
                winners += 1
    # The most that can be won is all that every other seat can put in: divided by it, utilities lie in [-1, 1].
    scale = float(MOST_PAID * (players - 1))
    for p in range(players):
        wins = int(s["out"][p]) == 0 and strength(s, p) == best
        out[p] = ((pot / winners if wins else 0.0) - int(s["paid"][p])) / scale


@kernel(c.DETERMINIZE)
def determinize(state, seat, rng):
    s = state.view(State)[0]
    dealt, cards = int(s["dealt"]), SUITS * (int(s["players"]) + 1)
    for p in range(dealt):
        if p != seat:
            s["card"][p] = 0
    for p in range(dealt):
        if p == seat:
            continue
        used, free = in_use(s), 0
        for card in range(cards):
            free += 1 - ((used >> card) & 1)
        pick = below(rng, free)
        for card in range(cards):
            if not (used >> card) & 1:
                if pick == 0:
                    s["card"][p] = card + 1
                pick -= 1
    return 0.0


@kernel(c.INFO_KEY)
def info_key(state, seat):
    s = state.view(State)[0]
    betting = np.uint64(0)
    for p in range(s["bets"].shape[0]):
        for r in range(s["bets"].shape[1]):
            for i in range(s["bets"].shape[2]):
                betting = betting * np.uint64(4) + np.uint64(int(s["bets"][p, r, i]))
    key = mix(betting, np.uint64(int(s["players"]) + 4 * int(s["dealt"]) + 16 * int(s["board"])))
    if seat >= 0:
        key = mix(key, np.uint64(16 + 16 * seat + int(s["card"][seat])))
    return key
