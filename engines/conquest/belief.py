# mypy: ignore-errors
"""What a seat cannot know, drawn anew: which of a player's unseen cards are in the hand (section 3c).

Everybody knows the unseen cards of a player (hand and Player Deck together) and which of them are certainly in the
hand. The other cards of the hand are a uniform choice among the other unseen cards; choices are not taken as
evidence. The sampler is exact.
"""

from engines import contract as c
from engines.kernel import kernel
from engines.rng import below

from .layout import TYPES, State


@kernel
def deal_hand(s, p, rng):
    """A hand for `p`: the known cards, the others one by one from the unseen ones."""
    left, pool = int(s["hand_size"][p]), 0
    for t in range(TYPES):
        s["hand"][p, t] = s["known"][p, t]
        left -= int(s["known"][p, t])
        pool += int(s["unseen"][p, t]) - int(s["known"][p, t])
    while left > 0 and pool > 0:
        pick, t = below(rng, pool), 0
        while pick >= int(s["unseen"][p, t]) - int(s["hand"][p, t]):
            pick -= int(s["unseen"][p, t]) - int(s["hand"][p, t])
            t += 1
        s["hand"][p, t] = int(s["hand"][p, t]) + 1
        left -= 1
        pool -= 1


@kernel(c.DETERMINIZE)
def determinize(state, seat, rng):
    s = state.view(State)[0]
    for p in range(int(s["players"])):
        if p != seat:
            deal_hand(s, p, rng)
        for t in range(TYPES):
            s["deck"][p, t] = int(s["unseen"][p, t]) - int(s["hand"][p, t])
    return 0.0
