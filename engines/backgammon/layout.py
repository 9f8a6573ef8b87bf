"""The record of backgammon, and its actions.

Every seat counts the points as its own way home: 24 the farthest, 6 to 1 its home board; a seat's point p is the
other's 25 - p.

STATE TABLE
| field | shape | who knows it | meaning |
|---|---|---|---|
| turn | | all | turns that are over |
| max_turns | | all | turns after which nobody has won |
| scoring | | all | what the end is worth: 0 win, 1 points |
| mover | | all | whose turn it is; 0 before the opening roll |
| dice | 4 | all | the dice that are still to be played, the higher first; four of a double; 0 = none |
| checkers | 2 x 26 | all | each seat's checkers: 0 borne off, 1 to 24 on its points, 25 on the bar |

ACTION TABLE
| ids | meaning |
|---|---|
| (p - 1) * 6 + n - 1 | a checker moves from the mover's point p (25: the bar) by n; with n = p it is borne off |
| 150 to 170 | outcome: the roll of both dice, 1-1, 2-1, 2-2, 3-1, ... 6-6 |
| 171 to 200 | outcome: the opening roll, the die of seat 0 and that of seat 1: 1-2, 1-3, ... 6-5 |

A checker on point p is borne off by a die of p or more: one action, whichever die is used (see `rules.die_for`), so the
fifteen ids with n > p are never legal.
"""

import numpy as np

from engines.contract import Field

SEATS, CHECKERS, FACES = 2, 15, 6
OFF, BAR = 0, 25
MAX_TURNS = 500
FIRST_ROLL = BAR * FACES
FIRST_OPENING = FIRST_ROLL + 21
NUM_IDS = FIRST_OPENING + 30
SCORINGS = ("win", "points")
START = ((24, 2), (13, 5), (8, 3), (6, 5))
"""(point, checkers) of either seat at the start."""

State = np.dtype(
    [
        ("turn", "i2"),
        ("max_turns", "i2"),
        ("scoring", "i1"),
        ("mover", "i1"),
        ("dice", "i1", (4,)),
        ("checkers", "i1", (SEATS, BAR + 1)),
    ],
    align=True,
)
FIELDS = {
    "turn": Field(least=0, most=MAX_TURNS),
    "max_turns": Field(least=1, most=MAX_TURNS),
    "scoring": Field(values="scoring", first=0),
    "mover": Field(least=0, most=SEATS - 1),
    "dice": Field(axes=("list",), least=0, most=FACES),
    "checkers": Field(axes=("seat", "point"), least=0, most=CHECKERS),
}
