"""The record of Leduc poker, and its actions.

STATE TABLE
| field | shape | who knows it | meaning |
|---|---|---|---|
| players | | all | seats in play, 2 or 3 |
| dealt | | all | how many seats have a card |
| phase | | all | 0 private cards are dealt, 1 first betting round, 2 the board is dealt, 3 second round, 4 over |
| asked | | all | the seat that decides in a betting round |
| raises | | all | raises in this betting round |
| calls | | all | seats that have called (or checked) since the last raise of this round |
| board | | all | 1 + the public card, 0 = none yet |
| paid | 3 | all | chips that a seat has put in, its ante included |
| out | 3 | all | 1 = the seat has folded |
| bets | 3 x 2 x 3 | all | what each seat did in each round, in order: 1 fold, 2 call, 3 raise, 0 nothing |
| card | 3 | its seat | 1 + the seat's card, 0 = none (or unknown) |

`bets` is the whole of the betting; what else is public could be counted from it, and is kept so that no kernel has to.

ACTION TABLE
| ids | meaning |
|---|---|
| 0 | fold |
| 1 | call, or check where nothing is to be called |
| 2 | raise |
| 3 to 10 | outcome: a card is dealt, to the next seat or as the board (the aces only with three seats) |
"""

import numpy as np

from engines.contract import Field, Who

MAX_PLAYERS, SUITS, ROUNDS = 3, 2, 2
FOLD, CALL, RAISE, FIRST_CARD = 0, 1, 2, 3
DEAL, FIRST, BOARD, SECOND, OVER = 0, 1, 2, 3, 4
MOST_RAISES = 2
AMOUNTS = (2, 4)
"""Chips of a raise in the first and the second round."""
MOST_PAID = 1 + MOST_RAISES * sum(AMOUNTS)
CARDS = tuple(f"{rank} of {suit}" for rank in ("jack", "queen", "king", "ace") for suit in ("spades", "hearts"))

State = np.dtype(
    [
        ("players", "i1"),
        ("dealt", "i1"),
        ("phase", "i1"),
        ("asked", "i1"),
        ("raises", "i1"),
        ("calls", "i1"),
        ("board", "i1"),
        ("paid", "i1", (MAX_PLAYERS,)),
        ("out", "i1", (MAX_PLAYERS,)),
        ("bets", "i1", (MAX_PLAYERS, ROUNDS, MAX_PLAYERS)),
        ("card", "i1", (MAX_PLAYERS,)),
    ],
    align=True,
)
FIELDS = {
    "players": Field(least=2, most=MAX_PLAYERS),
    "dealt": Field(least=0, most=MAX_PLAYERS),
    "phase": Field(values="phase", first=0),
    "asked": Field(least=0, most=MAX_PLAYERS - 1),
    "raises": Field(least=0, most=MOST_RAISES),
    "calls": Field(least=0, most=MAX_PLAYERS),
    "board": Field(values="card"),
    "paid": Field(axes=("seat",), least=0, most=MOST_PAID),
    "out": Field(axes=("seat",), least=0, most=1),
    "bets": Field(axes=("seat", "round", "list"), values="bet"),
    "card": Field(Who.SEAT, ("seat",), "card"),
}
