"""The record of The Template, and its actions.

FILL IN: the two tables first. What stands in neither is not part of the game, and the rest follows from them.

STATE TABLE
| field | shape | who knows it | meaning |
|---|---|---|---|
| players | | all | seats in play |
| dealt | | all | how many seats have a card |
| turns | | all | how many seats have chosen |
| choice | seats | all | what each seat chose: 1 pass, 2 dare, 0 not yet |
| card | seats | its seat | 1 + rank of the seat's card, 0 = none (or unknown) |

ACTION TABLE
| ids | meaning |
|---|---|
| 0 | pass |
| 1 | dare |
| 2 and on | outcome: the next seat is dealt the card of rank 0, 1, ... |
"""

import numpy as np

from engines.contract import Field, Who

MAX_PLAYERS = 4
CARDS = MAX_PLAYERS + 1
"""Cards in the deck, one of each rank."""
PASS, DARE, FIRST_CARD = 0, 1, 2
"""Ids of actions and outcomes: decisions come first."""
RANKS = tuple(f"card {rank + 1}" for rank in range(CARDS))

# FILL IN: public fields first, then each seat's own, then what nobody knows. Zero means none, and a new game is all
# zeros but for `players`. Small integer types; arrays as long as the greatest game needs. No generator, and nothing is
# drawn before a seat learns it: a deck is what is left of it, counted.
State = np.dtype(
    [
        ("players", "i1"),
        ("dealt", "i1"),
        ("turns", "i1"),
        ("choice", "i1", (MAX_PLAYERS,)),
        ("card", "i1", (MAX_PLAYERS,)),
    ],
    align=True,
)
# FILL IN: who knows each field, and how it reads in a view. `values` and axes name vocabularies of `Game.labels`.
FIELDS = {
    "players": Field(least=2, most=MAX_PLAYERS),
    "dealt": Field(least=0, most=MAX_PLAYERS),
    "turns": Field(least=0, most=MAX_PLAYERS),
    "choice": Field(axes=("seat",), values="choice"),
    "card": Field(Who.SEAT, ("seat",), "rank"),
}
