"""The record of the duel, a game made for tests: every kind of secret that a declaration can name, and some padding.

STATE TABLE
| field | shape | who knows it | meaning |
|---|---|---|---|
| players | | all | seats in play, 2 or 3 |
| phase | | all | DEAL, PEEK, CHOOSE or PRIZE |
| round | | all | rounds finished |
| asked | | all | the seat that decides (PEEK, CHOOSE) or is dealt a card (DEAL) |
| held | 3 | all | cards in each hand |
| played | 4 | all | cards played so far, by rank |
| peeked | | all | bit mask of the seats that know the prize |
| points | 3 | all | points |
| hand | 3 x 4 | its seat | cards in hand, by rank |
| pending | 3 | its seat | 1 + rank of the card chosen, 0 = not yet chosen |
| prize | | the seats of `peeked` | 1 + index of the prize of this round, 0 = not drawn |
| deck | 4 | nobody | cards left, by rank |

ACTION TABLE
| ids | meaning |
|---|---|
| 0, 1 | peek at the prize, or not |
| 2 to 5 | play a card of this rank |
| 6 to 9 | outcome: `asked` is dealt this rank |
| 10 to 12 | outcome: the prize of this round |
"""

import numpy as np

from engines.contract import Field, Who

SEATS, RANKS, COPIES, HAND, ROUNDS = 3, 4, 3, 2, 2
DEAL, PEEK, CHOOSE, PRIZE = range(4)
A_PEEK, A_SKIP, A_PLAY, A_DEAL, A_PRIZE, N_IDS = 0, 1, 2, 6, 10, 13
RANK_NAMES = ("one", "two", "three", "four")
PRIZE_NAMES = ("copper", "silver", "gold")

State = np.dtype(
    [
        ("players", "i1"),
        ("phase", "i1"),
        ("round", "i1"),
        ("asked", "i1"),
        ("held", "i1", (SEATS,)),
        ("played", "i1", (RANKS,)),
        ("points", "i2", (SEATS,)),
        ("peeked", "u1"),
        ("hand", "i1", (SEATS, RANKS)),
        ("pending", "i1", (SEATS,)),
        ("prize", "i1"),
        ("deck", "i1", (RANKS,)),
    ],
    align=True,
)
FIELDS = {
    "players": Field(),
    "phase": Field(),
    "round": Field(),
    "asked": Field(),
    "held": Field(axes=("seat",)),
    "played": Field(axes=("rank",)),
    "peeked": Field(),
    "points": Field(axes=("seat",)),
    "hand": Field(Who.SEAT, ("seat", "rank")),
    "pending": Field(Who.SEAT, ("seat",), "rank"),
    "prize": Field(Who.MASK, values="prize", mask="peeked"),
    "deck": Field(Who.NOBODY, ("rank",)),
}
