"""The record of Pig, and its actions.

STATE TABLE
| field | shape | who knows it | meaning |
|---|---|---|---|
| score | 4 | all | points that each seat has held |
| target | | all | points that win |
| max_turns | | all | turns after which nobody has won |
| turn | | all | turns that are over; the seats take them in order, seat 0 first |
| total | | all | points that the turn has brought so far |
| players | | all | seats in play, 2 to 4 |
| utility | | all | what returns measure: 0 placement, 1 win |
| rolling | | all | 1 while the die is in the air |

ACTION TABLE
| ids | meaning |
|---|---|
| 0 | roll the die |
| 1 | hold: the turn's points are the seat's, and the turn is over |
| 2 to 7 | outcome: the die shows 1 to 6 |
"""

import numpy as np

from engines.contract import Field

MAX_PLAYERS, MAX_TARGET, MAX_TURNS = 4, 200, 500
ROLL, HOLD, FIRST_FACE, FACES = 0, 1, 2, 6
UTILITIES = ("placement", "win")

State = np.dtype(
    [
        ("score", "i2", (MAX_PLAYERS,)),
        ("target", "i2"),
        ("max_turns", "i2"),
        ("turn", "i2"),
        ("total", "i2"),
        ("players", "i1"),
        ("utility", "i1"),
        ("rolling", "i1"),
    ],
    align=True,
)
FIELDS = {
    "score": Field(axes=("seat",), least=0, most=MAX_TARGET + FACES - 1),
    "target": Field(least=1, most=MAX_TARGET),
    "max_turns": Field(least=1, most=MAX_TURNS),
    "turn": Field(least=0, most=MAX_TURNS),
    "total": Field(least=0, most=MAX_TARGET + FACES - 1),
    "players": Field(least=2, most=MAX_PLAYERS),
    "utility": Field(values="utility", first=0),
    "rolling": Field(least=0, most=1),
}
