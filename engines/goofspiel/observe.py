# mypy: ignore-errors
"""What a seat sees of goofspiel, and a hand-written player."""

from engines import contract as c
from engines.goofspiel.layout import NOBODY, State
from engines.goofspiel.rules import bid_of, hand, points, prizes_left
from engines.kernel import kernel


@kernel(c.OBSERVE)
def observe(state, seat, out):
    s = state.view(State)[0]
    players, cards, turn = int(s["players"]), int(s["cards"]), int(s["turn"])
    for i in range(out.shape[0]):
        out[i] = 0
    out[(int(s["asked"]) - seat) % players] = 1
    at = players
    out[at] = turn
    at += 1
    left = prizes_left(s)
    for card in range(cards):
        out[at + card] = (left >> card) & 1
    at += cards
    if turn < cards and int(s["prizes"][turn]) > 0:
        out[at + int(s["prizes"][turn]) - 1] = 1
    at += cards
    for t in range(cards):
        out[at + t] = int(s["prizes"][t])
    at += cards
    for i in range(players):
        p = (seat + i) % players
        out[at + i] = points(s, p)
        for t in range(cards):
            # What others keep to themselves is theirs.
            bid = bid_of(s, p, t) if i == 0 else int(s["shown"][p, t])
            out[at + players + (i * cards + t)] = 1 if int(s["won"][t]) == NOBODY + 1 + p else 0
            out[at + players * (1 + cards) + i * cards + t] = bid
            out[at + players * (1 + 2 * cards) + i * cards + t] = 1
    at += players * (1 + 2 * cards)
    for i in range(players):
        for t in range(cards):
            bid = out[at - players * cards + i * cards + t]
            if bid > 0:
                out[at + i * cards + bid - 1] = 0


@kernel(c.SCRIPTED)
def scripted(state, rng):
    """The card that equals the prize, else the next higher one, else the highest."""
    s = state.view(State)[0]
    held, card = hand(s, int(s["asked"])), int(s["prizes"][int(s["turn"])]) - 1
    if held >> card == 0:
        card = 0
        while held >> (card + 1) != 0:
            card += 1
        return card
    while not (held >> card) & 1:
        card += 1
    return card
