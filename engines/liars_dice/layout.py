"""The record of liar's dice, and its actions.

STATE TABLE
| field | shape | who knows it | meaning |
|---|---|---|---|
| players, dice, faces | | all | seats in play, dice of each, faces of a die |
| rolled | | all | how many seats have rolled |
| turns | | all | bids made so far |
| called | | all | 1 = the last bid has been called a lie |
| bids | 180 | all | 1 + each bid in order, 0 = not yet |
| hand | 6 x 8 | its seat | how many of the seat's dice show each face (all 0: unknown, or not rolled) |

ACTION TABLE (with D dice on the table and F faces)
| ids | meaning |
|---|---|
| 0 to D F - 1 | bid: quantity 1 + id // F of face 1 + id % F |
| D F | liar: the last bid is called a lie |
| D F + 1 and more | outcome: the dice of the next seat, all rolls in the order of their sorted dice |
"""

import numpy as np

from engines.contract import Field, Who

MAX_PLAYERS, MAX_DICE, MIN_FACES, MAX_FACES = 6, 6, 2, 8
MAX_BIDS = 180
"""Dice on the table times faces, at most."""
FACES = tuple(str(face + 1) for face in range(MAX_FACES))

State = np.dtype(
    [
        ("players", "i1"),
        ("dice", "i1"),
        ("faces", "i1"),
        ("rolled", "i1"),
        ("turns", "u1"),
        ("called", "i1"),
        ("bids", "u1", (MAX_BIDS,)),
        ("hand", "i1", (MAX_PLAYERS, MAX_FACES)),
    ],
    align=True,
)
FIELDS = {
    "players": Field(least=2, most=MAX_PLAYERS),
    "dice": Field(least=1, most=MAX_DICE),
    "faces": Field(least=MIN_FACES, most=MAX_FACES),
    "rolled": Field(least=0, most=MAX_PLAYERS),
    "turns": Field(least=0, most=MAX_BIDS),
    "called": Field(least=0, most=1),
    "bids": Field(axes=("list",), values="bid"),
    "hand": Field(Who.SEAT, ("seat", "face"), least=0, most=MAX_DICE),
}
