"""How strong are the bots of `orion train experiment=moo_board_first` (`_three`, `_four`), and how did they get there?

    orion ship RUN output=checkpoints/NAME                     a run's newest checkpoint as a bot
    python experiments/moo_board_first/run.py measure [NAMES]  play the matches (stopped and repeated, it goes on)
    python experiments/moo_board_first/run.py report RUN       write tables.md and curves.png from log and matches

Run from the root of the repository. The matches are ordinary `orion arena` commands, printed before they start.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import trained_bot
from trained_bot import Match, searching, timed

HERE = Path(__file__).parent
SIMULATIONS = 64
MILLISECONDS = 18
"""Of `ismcts`, at least what the bot's search takes for a move in a lane of its own (see the table: s / move)."""

TWO, THREE, FOUR = (searching(f"moo_board_{name}", SIMULATIONS) for name in ("first", "three", "four"))
MATCHES = {
    "2-ismcts": Match(2, 200, [TWO, timed("ismcts", MILLISECONDS)], ["lanes=1"]),
    "2-random": Match(2, 200, [TWO, "random"]),
    "2-scripted": Match(2, 200, [TWO, "scripted"]),
    "3-scripted": Match(3, 100, [THREE, "scripted", "random"]),
    "3-ismcts": Match(3, 40, [THREE, "scripted", searching("ismcts", 400)]),
    "4-scripted": Match(4, 60, [FOUR, "scripted", "random"]),
}


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["measure", *names]:
            trained_bot.measure("moo_board", MATCHES, HERE, names)
        case ["report", run]:
            trained_bot.report(run, MATCHES, HERE)
        case _:
            sys.exit(__doc__)
