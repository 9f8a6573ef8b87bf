# mypy: ignore-errors
"""Rules of The Template.

FILL IN: the rules in a few lines, and their source. Here: each seat is dealt one card, in turn each passes or dares.
Who passes loses 1 point, who dares stakes 2; the highest card among those who dared takes all. If nobody dares, nobody
loses anything.
"""

from engines import contract as c
from engines.kernel import kernel

from .layout import CARDS, DARE, FIRST_CARD, PASS, State

# Kernels are plain loops over the record. Read a field as `int(s["field"])`: its own small type would overflow. Helpers
# are `@kernel`, the kernels of the contract `@kernel(c.NAME)`: engines/contract.py says what each is given and returns.


@kernel(c.SETUP)
def setup(state, options):
    for i in range(state.shape[0]):
        state[i] = 0
    s = state.view(State)[0]
    s["players"] = options[0]
    # FILL IN: what is not zero before the first chance event; options in the order of `Game.encode_options`.


@kernel(c.TO_PLAY)
def to_play(state):
    s = state.view(State)[0]
    # FILL IN: CHANCE where something random happens next, TERMINAL at the end, else the seat that decides.
    if int(s["dealt"]) < int(s["players"]):
        return c.CHANCE
    return c.TERMINAL if int(s["turns"]) == int(s["players"]) else int(s["turns"])


@kernel
def is_dealt(s, rank):
    """Whether any seat is known to hold the card of `rank`."""
    for p in range(s["card"].shape[0]):
        if int(s["card"][p]) == rank + 1:
            return True
    return False


@kernel(c.LEGAL)
def legal(state, out):
    s = state.view(State)[0]
    n, turn = 0, to_play(state)
    # FILL IN: ids in ascending order. At a chance node the outcomes that can happen, at the end none. What is legal may
    # depend only on what the mover knows.
    if turn == c.CHANCE:
        for rank in range(CARDS):
            if not is_dealt(s, rank):
                out[n] = FIRST_CARD + rank
                n += 1
    elif turn != c.TERMINAL:
        out[0], out[1] = PASS, DARE
        n = 2
    return n


@kernel(c.WEIGHTS)
def weights(state, out):
    s = state.view(State)[0]
    # FILL IN: how likely the outcomes are to each other, in the order of `legal`; the stream that they are drawn from.
    # Streams keep two games with the same seed in step: one for each source (a seat's cards, the dice).
    for i in range(CARDS - int(s["dealt"])):
        out[i] = 1
    return int(s["dealt"])


@kernel(c.APPLY)
def apply(state, action):
    s = state.view(State)[0]
    # FILL IN: one step, in place. It is one that `legal` listed: no need to look again.
    if action >= FIRST_CARD:
        s["card"][int(s["dealt"])] = action - FIRST_CARD + 1
        s["dealt"] = int(s["dealt"]) + 1
    else:
        s["choice"][int(s["turns"])] = action + 1
        s["turns"] = int(s["turns"]) + 1


@kernel
def staked(s, seat):
    """Points that a seat loses if another takes all."""
    return 2 if int(s["choice"][seat]) == DARE + 1 else 1


@kernel(c.RETURNS)
def returns(state, out):
    s = state.view(State)[0]
    players, winner, best, pot = int(s["players"]), -1, 0, 0
    # FILL IN: utilities in [-1, 1] that sum to 0. Before the end by the present standing: here as if all others pass.
    for p in range(players):
        pot += staked(s, p)
        if int(s["choice"][p]) == DARE + 1 and int(s["card"][p]) > best:
            winner, best = p, int(s["card"][p])
    for p in range(players):
        won = 0 if winner < 0 else (pot if p == winner else 0) - staked(s, p)
        # The most that can be won is 2 from every other seat (`Game.stakes`).
        out[p] = won / (2.0 * (players - 1))
