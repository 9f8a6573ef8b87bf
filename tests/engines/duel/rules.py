# mypy: ignore-errors
"""Rules of the duel: two rounds; in each all choose a card in secret, and the highest one alone wins the prize."""

import numpy as np

from engines import contract as c
from engines.kernel import kernel
from engines.rng import below, mix
from tests.engines.duel.layout import (
    A_DEAL,
    A_PEEK,
    A_PLAY,
    A_PRIZE,
    A_SKIP,
    CHOOSE,
    COPIES,
    DEAL,
    HAND,
    PEEK,
    PRIZE,
    RANKS,
    ROUNDS,
    State,
)


@kernel(c.SETUP)
def setup(state, options):
    for i in range(state.shape[0]):
        state[i] = 0
    s = state.view(State)[0]
    s["players"] = options[0]
    for rank in range(RANKS):
        s["deck"][rank] = COPIES


@kernel(c.TO_PLAY)
def to_play(state):
    s = state.view(State)[0]
    if int(s["round"]) == ROUNDS:
        return c.TERMINAL
    if int(s["phase"]) == DEAL or int(s["phase"]) == PRIZE:
        return c.CHANCE
    return int(s["asked"])


@kernel(c.LEGAL)
def legal(state, out):
    s = state.view(State)[0]
    n, phase, seat = 0, int(s["phase"]), int(s["asked"])
    if int(s["round"]) == ROUNDS:
        return 0
    if phase == PEEK:
        out[0], out[1] = A_PEEK, A_SKIP
        return 2
    if phase == PRIZE:
        out[0], out[1], out[2] = A_PRIZE, A_PRIZE + 1, A_PRIZE + 2
        return 3
    for rank in range(RANKS):
        if phase == DEAL and int(s["deck"][rank]) > 0:
            out[n] = A_DEAL + rank
            n += 1
        elif phase == CHOOSE and int(s["hand"][seat, rank]) > 0:
            out[n] = A_PLAY + rank
            n += 1
    return n


@kernel(c.WEIGHTS)
def weights(state, out):
    s = state.view(State)[0]
    if int(s["phase"]) == PRIZE:
        out[0], out[1], out[2] = 1, 2, 1
        return 3
    n = 0
    for rank in range(RANKS):
        if int(s["deck"][rank]) > 0:
            out[n] = int(s["deck"][rank])
            n += 1
    return int(s["asked"])


@kernel
def next_seat(s):
    return (int(s["asked"]) + 1) % int(s["players"])


@kernel
def settle(s):
    """All have chosen and the prize is drawn: show the cards, pay the prize, begin the next round."""
    players, best, winner = int(s["players"]), 0, -1
    for p in range(players):
        card = int(s["pending"][p])
        if card > best:
            best, winner = card, p
        elif card == best:
            winner = -1
        s["hand"][p, card - 1] = int(s["hand"][p, card - 1]) - 1
        s["held"][p] = int(s["held"][p]) - 1
        s["played"][card - 1] = int(s["played"][card - 1]) + 1
        s["pending"][p] = 0
    if winner >= 0:
        s["points"][winner] = int(s["points"][winner]) + int(s["prize"])
    s["prize"], s["peeked"] = 0, 0
    s["round"] = int(s["round"]) + 1
    s["phase"] = DEAL
    s["asked"] = int(s["round"]) % players


@kernel
def advance(s):
    """Ask the next seat that has not chosen; when all have, reveal."""
    for _ in range(int(s["players"])):
        s["asked"] = next_seat(s)
        if int(s["pending"][int(s["asked"])]) == 0:
            return
    if int(s["prize"]) == 0:
        s["phase"] = PRIZE
    else:
        settle(s)


@kernel(c.APPLY)
def apply(state, action):
    s = state.view(State)[0]
    seat = int(s["asked"])
    if action >= A_PRIZE:
        s["prize"] = action - A_PRIZE + 1
        # Drawn for the seat that peeks, or, when all have chosen, for everybody (it is paid out at once).
        if int(s["pending"][seat]) == 0:
            s["peeked"] = int(s["peeked"]) | (1 << seat)
            s["phase"] = CHOOSE
        else:
            settle(s)
    elif action >= A_DEAL:
        rank = action - A_DEAL
        s["deck"][rank] = int(s["deck"][rank]) - 1
        s["hand"][seat, rank] = int(s["hand"][seat, rank]) + 1
        s["held"][seat] = int(s["held"][seat]) + 1
        s["asked"] = next_seat(s)
        if int(s["held"][int(s["asked"])]) == HAND:
            s["phase"] = PEEK
    elif action >= A_PLAY:
        s["pending"][seat] = action - A_PLAY + 1
        advance(s)
    elif action == A_PEEK:
        s["phase"] = PRIZE
    else:
        s["phase"] = CHOOSE


@kernel(c.RETURNS)
def returns(state, out):
    s = state.view(State)[0]
    players = int(s["players"])
    for p in range(players):
        total = 0
        for q in range(players):
            if int(s["points"][p]) > int(s["points"][q]):
                total += 1
            elif int(s["points"][p]) < int(s["points"][q]):
                total -= 1
        out[p] = total / (players - 1)


@kernel(c.OBSERVE)
def observe(state, seat, out):
    s = state.view(State)[0]
    players = int(s["players"])
    for i in range(out.shape[0]):
        out[i] = 0
    out[int(s["phase"])] = 1
    out[4] = int(s["round"])
    out[5 + (int(s["asked"]) - seat) % players] = 1
    at = 5 + players
    out[at] = int(s["pending"][seat])
    out[at + 1] = int(s["prize"]) if (int(s["peeked"]) >> seat) & 1 else 0
    for rank in range(RANKS):
        out[at + 2 + rank] = int(s["hand"][seat, rank])
        out[at + 6 + rank] = int(s["played"][rank])
    for i in range(players):
        p = (seat + i) % players
        out[at + 10 + i] = int(s["held"][p])
        out[at + 10 + players + i] = int(s["points"][p])
        out[at + 10 + 2 * players + i] = (int(s["peeked"]) >> p) & 1


@kernel(c.INFO_KEY)
def info_key(state, seat):
    s = state.view(State)[0]
    key = mix(np.uint64(int(s["players"])), np.uint64(int(s["phase"])))
    key = mix(key, np.uint64(int(s["round"]) * 4 + int(s["asked"])))
    key = mix(key, np.uint64(int(s["peeked"])))
    for p in range(int(s["players"])):
        key = mix(key, np.uint64(int(s["held"][p]) * 64 + int(s["points"][p])))
    for rank in range(RANKS):
        key = mix(key, np.uint64(int(s["played"][rank])))
    if seat >= 0:
        key = mix(key, np.uint64(16 + 4 * seat + int(s["pending"][seat])))
        for rank in range(RANKS):
            key = mix(key, np.uint64(int(s["hand"][seat, rank])))
        if (int(s["peeked"]) >> seat) & 1:
            key = mix(key, np.uint64(int(s["prize"])))
    return key


@kernel(c.DETERMINIZE)
def determinize(state, seat, rng):
    s = state.view(State)[0]
    players, left = int(s["players"]), 0
    for rank in range(RANKS):
        own = int(s["hand"][seat, rank]) if seat >= 0 else 0
        s["deck"][rank] = COPIES - int(s["played"][rank]) - own
        left += int(s["deck"][rank])
    for p in range(players):
        if p == seat:
            continue
        s["pending"][p] = 0
        for rank in range(RANKS):
            s["hand"][p, rank] = 0
        for _ in range(int(s["held"][p])):
            pick, rank = below(rng, left), 0
            while pick >= int(s["deck"][rank]):
                pick -= int(s["deck"][rank])
                rank += 1
            s["deck"][rank] = int(s["deck"][rank]) - 1
            s["hand"][p, rank] = int(s["hand"][p, rank]) + 1
            left -= 1
    knows = seat >= 0 and (int(s["peeked"]) >> seat) & 1 == 1
    if int(s["peeked"]) != 0 and not knows:
        pick = below(rng, 4)
        s["prize"] = 1 if pick == 0 else 3 if pick == 3 else 2
    return 0.0
