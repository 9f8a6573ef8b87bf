# mypy: ignore-errors
"""What a seat of The Template cannot know, drawn anew."""

from engines import contract as c
from engines.kernel import kernel
from engines.rng import below

from .layout import CARDS, State
from .rules import is_dealt


@kernel(c.DETERMINIZE)
def determinize(state, seat, rng):
    s = state.view(State)[0]
    # FILL IN: clear what `seat` does not know (PUBLIC: what is not known to all), then deal it from what is left, in a
    # fixed order, as the rules would have dealt it. Nothing may depend on what was cleared: truth, view and another
    # world give the same bytes.
    for p in range(int(s["dealt"])):
        if p != seat:
            s["card"][p] = 0
    for p in range(int(s["dealt"])):
        if p == seat:
            continue
        free = 0
        for rank in range(CARDS):
            free += 0 if is_dealt(s, rank) else 1
        pick = below(rng, free)
        for rank in range(CARDS):
            if not is_dealt(s, rank):
                if pick == 0:
                    s["card"][p] = rank + 1
                pick -= 1
    # 0: worlds come exactly as often as they are likely. Else ln(prior / proposal), for a search to weigh them by.
    return 0.0
