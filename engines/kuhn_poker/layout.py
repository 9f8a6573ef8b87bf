"""The record of Kuhn poker, and its actions.

STATE TABLE
| field | shape | who knows it | meaning |
|---|---|---|---|
| players | | all | seats in play, 2 or 3 |
| dealt | | all | how many seats have a card |
| turns | | all | how many betting decisions have been made |
| bet | 5 | all | the betting so far in order: 1 pass, 2 bet, 0 not yet |
| card | 3 | its seat | 1 + rank of the seat's card, 0 = none (or unknown) |

ACTION TABLE
| ids | meaning |
|---|---|
| 0 | pass: check, or fold after a bet |
| 1 | bet: bet, or call after a bet |
| 2 to 5 | outcome: the next seat is dealt the jack, queen, king or ace (the ace only with three seats) |
"""

import numpy as np

from engines.contract import Field, Who

MAX_PLAYERS, MAX_TURNS = 3, 5
PASS, BET, FIRST_CARD = 0, 1, 2
RANKS = ("jack", "queen", "king", "ace")

State = np.dtype(
    [("players", "i1"), ("dealt", "i1"), ("turns", "i1"), ("bet", "i1", (MAX_TURNS,)), ("card", "i1", (MAX_PLAYERS,))],
    align=True,
)
FIELDS = {
    "players": Field(least=2, most=MAX_PLAYERS),
    "dealt": Field(least=0, most=MAX_PLAYERS),
    "turns": Field(least=0, most=MAX_TURNS),
    "bet": Field(axes=("list",), values="bet"),
    "card": Field(Who.SEAT, ("seat",), "rank"),
}
