# mypy: ignore-errors
"""Rules of goofspiel, the game of pure strategy (Ross 1971), as OpenSpiel plays it.

Every seat holds the cards 1 to N; the prizes 1 to N come one by one. For each, all bid a card at the same time; the
highest bid takes the prize, unless it was made more than once: then nobody does. The cards are used up. The last round
leaves no choice and is played at once.

Bids are asked seat by seat and stay secret until all have bid. Where `hidden` is set they stay so for ever.
"""

import numpy as np

from engines import contract as c
from engines.goofspiel.layout import DESCENDING, NOBODY, RANDOM, State
from engines.kernel import kernel
from engines.rng import mix


@kernel
def bid_of(s, seat, turn):
    """The card that a seat bid in a round, shown or not; 0 = none (or unknown)."""
    return int(s["shown"][seat, turn]) + int(s["kept"][seat, turn])


@kernel
def hand(s, seat):
    """Bit set of the cards, from 0, that a seat has not bid yet."""
    cards = (1 << int(s["cards"])) - 1
    for t in range(int(s["turn"]) + 1):
        if t < int(s["cards"]) and bid_of(s, seat, t) > 0:
            cards &= ~(1 << (bid_of(s, seat, t) - 1))
    return cards


@kernel
def prizes_left(s):
    """Bit set of the prizes, from 0, that have not come yet."""
    left = (1 << int(s["cards"])) - 1
    for t in range(int(s["cards"])):
        if int(s["prizes"][t]) > 0:
            left &= ~(1 << (int(s["prizes"][t]) - 1))
    return left


@kernel
def lowest(bits):
    """Number of the lowest bit that is set."""
    n = 0
    while not (bits >> n) & 1:
        n += 1
    return n


@kernel
def next_prize(s):
    """Where no chance is needed, the next prize comes: prizes in a fixed order, or the last one."""
    turn, cards = int(s["turn"]), int(s["cards"])
    if int(s["order"]) != RANDOM:
        s["prizes"][turn] = cards - turn if int(s["order"]) == DESCENDING else turn + 1
    elif turn == cards - 1:
        s["prizes"][turn] = lowest(prizes_left(s)) + 1


@kernel(c.SETUP)
def setup(state, options):
    for i in range(state.shape[0]):
        state[i] = 0
    s = state.view(State)[0]
    s["players"], s["cards"], s["order"] = options[0], options[1], options[2]
    s["hidden"], s["difference"] = options[3], options[4]
    next_prize(s)


@kernel(c.TO_PLAY)
def to_play(state):
    s = state.view(State)[0]
    turn = int(s["turn"])
    if turn == int(s["cards"]):
        return c.TERMINAL
    return c.CHANCE if int(s["prizes"][turn]) == 0 else int(s["asked"])


@kernel(c.LEGAL)
def legal(state, out):
    s = state.view(State)[0]
    n, turn, cards = 0, int(s["turn"]), int(s["cards"])
    if turn == cards:
        return 0
    chance = int(s["prizes"][turn]) == 0
    free = prizes_left(s) if chance else hand(s, int(s["asked"]))
    for card in range(cards):
        if (free >> card) & 1:
            out[n] = card + cards if chance else card
            n += 1
    return n


@kernel(c.WEIGHTS)
def weights(state, out):
    s = state.view(State)[0]
    for i in range(int(s["cards"]) - int(s["turn"])):
        out[i] = 1
    return 0


@kernel
def settle(s):
    """All have bid: the prize goes to the highest bid, if only one seat made it, and the next one comes."""
    players, turn, best, winner = int(s["players"]), int(s["turn"]), 0, -1
    for p in range(players):
        card = int(s["kept"][p, turn])
        if card > best:
            best, winner = card, p
        elif card == best:
            winner = -1
        if int(s["hidden"]) == 0:
            s["shown"][p, turn], s["kept"][p, turn] = card, 0
    s["won"][turn] = NOBODY + 1 + winner
    s["turn"] = turn + 1
    s["asked"] = 0
    if turn + 1 < int(s["cards"]):
        next_prize(s)


@kernel(c.APPLY)
def apply(state, action):
    s = state.view(State)[0]
    players, turn, cards = int(s["players"]), int(s["turn"]), int(s["cards"])
    if action >= cards:
        s["prizes"][turn] = action - cards + 1
        return
    s["kept"][int(s["asked"]), turn] = action + 1
    # Whoever has not bid is asked next: in a world others bid after the seat that searches.
    for _ in range(players):
        s["asked"] = (int(s["asked"]) + 1) % players
        if int(s["kept"][int(s["asked"]), turn]) == 0:
            return
    settle(s)
    if turn + 1 == cards - 1:
        for p in range(players):
            s["kept"][p, turn + 1] = lowest(hand(s, p)) + 1
        settle(s)


@kernel
def points(s, seat):
    """Sum of the prizes that a seat has won."""
    total = 0
    for t in range(int(s["turn"])):
        if int(s["won"][t]) == NOBODY + 1 + seat:
            total += int(s["prizes"][t])
    return total


@kernel(c.RETURNS)
def returns(state, out):
    s = state.view(State)[0]
    players, cards = int(s["players"]), int(s["cards"])
    total, best, winners = 0, -1, 0
    for p in range(players):
        mine = points(s, p)
        total += mine
        if mine > best:
            best, winners = mine, 1
        elif mine == best:
            winners += 1
    # The most that a seat can be above the mean: all prizes are its own.
    most = cards * (cards + 1) / 2.0 * (players - 1) / players
    for p in range(players):
        if int(s["difference"]) == 1:
            out[p] = (points(s, p) - total / players) / most
        elif winners == players:
            out[p] = 0.0
        else:
            out[p] = 1.0 / winners if points(s, p) == best else -1.0 / (players - winners)


@kernel
def packed(row):
    """The numbers of a row, four bits each."""
    bits = np.uint64(0)
    for i in range(row.shape[0]):
        bits = bits * np.uint64(16) + np.uint64(int(row[i]))
    return bits


@kernel(c.INFO_KEY)
def info_key(state, seat):
    s = state.view(State)[0]
    key = mix(packed(s["prizes"]), packed(s["won"]))
    for p in range(int(s["players"])):
        key = mix(key, packed(s["shown"][p]))
    key = mix(key, np.uint64(int(s["asked"])))
    if seat >= 0:
        key = mix(mix(key, np.uint64(16 + seat)), packed(s["kept"][seat]))
    return key
