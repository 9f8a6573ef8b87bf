"""The record of goofspiel, and its actions.

STATE TABLE
| field | shape | who knows it | meaning |
|---|---|---|---|
| players, cards | | all | seats in play, cards of each and prizes |
| order | | all | 0 prizes come at random, 1 ascending, 2 descending |
| hidden | | all | 1 = bids are never shown, only who won |
| difference | | all | 1 = returns are points above the mean, not won or lost |
| turn | | all | rounds that are over |
| asked | | all | the seat that bids next |
| prizes | 13 | all | the prizes in the order in which they came, the present one included, 0 = not yet |
| won | 13 | all | who got each prize: 1 nobody (a tie), 2 + seat, 0 = not yet |
| shown | 4 x 13 | all | every seat's bid of each round, where bids are shown |
| kept | 4 x 13 | its seat | the same where they are not; and the bid of the present round, until all have bid |

ACTION TABLE (with N cards)
| ids | meaning |
|---|---|
| 0 to N - 1 | bid the card 1 + id |
| N to 2 N - 1 | outcome: the next prize is 1 + id - N |
"""

import numpy as np

from engines.contract import Field, Who

MAX_PLAYERS, MIN_CARDS, MAX_CARDS = 4, 2, 13
ORDERS = ("random", "ascending", "descending")
RANDOM, ASCENDING, DESCENDING = 0, 1, 2
NOBODY = 1
"""In `won`: the highest bid was made more than once. The first seat is the number after it."""
WINNERS = ("nobody", *(f"seat {p}" for p in range(MAX_PLAYERS)))

State = np.dtype(
    [
        ("players", "i1"),
        ("cards", "i1"),
        ("order", "i1"),
        ("hidden", "i1"),
        ("difference", "i1"),
        ("turn", "i1"),
        ("asked", "i1"),
        ("prizes", "i1", (MAX_CARDS,)),
        ("won", "i1", (MAX_CARDS,)),
        ("shown", "i1", (MAX_PLAYERS, MAX_CARDS)),
        ("kept", "i1", (MAX_PLAYERS, MAX_CARDS)),
    ],
    align=True,
)
FIELDS = {
    "players": Field(least=2, most=MAX_PLAYERS),
    "cards": Field(least=MIN_CARDS, most=MAX_CARDS),
    "order": Field(values="order", first=0),
    "hidden": Field(least=0, most=1),
    "difference": Field(least=0, most=1),
    "turn": Field(least=0, most=MAX_CARDS),
    "asked": Field(least=0, most=MAX_PLAYERS - 1),
    "prizes": Field(axes=("list",), least=0, most=MAX_CARDS),
    "won": Field(axes=("list",), values="winner"),
    "shown": Field(axes=("seat", "list"), least=0, most=MAX_CARDS),
    "kept": Field(Who.SEAT, ("seat", "list"), least=0, most=MAX_CARDS),
}
