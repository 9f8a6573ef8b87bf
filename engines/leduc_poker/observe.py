# mypy: ignore-errors
"""What a seat sees of Leduc poker, and a hand-written player."""

from engines import contract as c
from engines.kernel import kernel
from engines.leduc_poker.layout import CALL, FOLD, MOST_RAISES, OVER, RAISE, ROUNDS, SUITS, State
from engines.leduc_poker.rules import stakes, strength

_RAISE_FROM, _FOLD_BELOW = 0.7, 0.35


@kernel(c.OBSERVE)
def observe(state, seat, out):
    s = state.view(State)[0]
    players = int(s["players"])
    for i in range(out.shape[0]):
        out[i] = 0
    out[int(s["phase"])] = 1
    at = OVER + 1
    out[at + (int(s["asked"]) - seat) % players] = 1
    at += players
    out[at], out[at + 1], out[at + 2] = int(s["card"][seat]), int(s["board"]), int(s["raises"])
    at += 3
    for i in range(players):
        p = (seat + i) % players
        out[at + i] = int(s["paid"][p])
        out[at + players + i] = int(s["out"][p])
        for r in range(ROUNDS):
            for k in range(players):
                bet = int(s["bets"][p, r, k])
                if bet != 0:
                    out[at + 2 * players + ((i * ROUNDS + r) * players + k) * 3 + bet - 1] = 1


@kernel
def chance_to_win(s, seat):
    """Probability that one other hand, any that `seat` holds for possible, is weaker; an equal one counts half."""
    mine, used, board = strength(s, seat), 1 << int(s["board"]) | 1 << int(s["card"][seat]), int(s["board"]) - 1
    won, hands = 0.0, 0
    for card in range(SUITS * (int(s["players"]) + 1)):
        if (used >> (card + 1)) & 1:
            continue
        pair = board >= 0 and card // SUITS == board // SUITS
        other = card // SUITS + (16 if pair else 0)
        hands += 1
        won += 1.0 if mine > other else 0.5 if mine == other else 0.0
    return won / hands


@kernel(c.SCRIPTED)
def scripted(state, rng):
    """Raise with a hand that beats 70 % of the others, fold one that beats less than 35 %, call between."""
    s = state.view(State)[0]
    seat = int(s["asked"])
    chance = chance_to_win(s, seat)
    if chance >= _RAISE_FROM and int(s["raises"]) < MOST_RAISES:
        return RAISE
    return FOLD if chance < _FOLD_BELOW and stakes(s) > int(s["paid"][seat]) else CALL
