# mypy: ignore-errors
"""What a seat sees of liar's dice, and a hand-written player."""

from engines import contract as c
from engines.kernel import kernel
from engines.liars_dice.layout import State
from engines.liars_dice.rules import last_bid, matching, number_of_bids


@kernel(c.OBSERVE)
def observe(state, seat, out):
    s = state.view(State)[0]
    players, faces, bids, last = int(s["players"]), int(s["faces"]), number_of_bids(s), last_bid(s)
    for i in range(out.shape[0]):
        out[i] = 0
    out[(int(s["turns"]) - seat) % players] = 1
    at = players
    for face in range(faces):
        out[at + face] = int(s["hand"][seat, face])
    at += faces
    if last >= 0:
        out[at] = last // faces + 1
        out[at + 1 + last % faces] = 1
    at += 1 + faces
    out[at] = int(s["called"])
    for i in range(int(s["turns"])):
        out[at + 1 + ((i - seat) % players) * bids + int(s["bids"][i]) - 1] = 1


@kernel
def likelihood(s, seat, bid):
    """Probability that a bid holds, by the seat's own dice alone: a binomial tail over the dice of the others."""
    faces = int(s["faces"])
    face = bid % faces
    need = bid // faces + 1 - matching(s, seat, face)
    others = (int(s["players"]) - 1) * int(s["dice"])
    hit = (1.0 if face == faces - 1 else 2.0) / faces
    if need <= 0:
        return 1.0
    if hit == 1.0:
        return 1.0 if need <= others else 0.0
    term, tail = (1.0 - hit) ** others, 0.0
    for k in range(others + 1):
        if k >= need:
            tail += term
        term *= (others - k) / (k + 1.0) * hit / (1.0 - hit)
    return tail


@kernel(c.SCRIPTED)
def scripted(state, rng):
    """The likeliest of the higher bids, the lowest among equals, unless the last bid is likelier to be a lie."""
    s = state.view(State)[0]
    seat, last, bids = int(s["turns"]) % int(s["players"]), last_bid(s), number_of_bids(s)
    best, chance = bids, -1.0
    if last >= 0:
        chance = 1.0 - likelihood(s, seat, last)
    for bid in range(last + 1, bids):
        holds = likelihood(s, seat, bid)
        if holds > chance:
            best, chance = bid, holds
    return best
