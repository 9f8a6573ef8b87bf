"""A process of the arena that plays nothing: it does what the text of its match says."""

from __future__ import annotations

import os
import signal
import time
from multiprocessing.connection import Connection
from pathlib import Path

from orion_ai.arena.match import GameRecord
from orion_ai.arena.pulse import Memory, Move, Pulse
from orion_ai.arena.watched import Line

A_GAME = GameRecord((0, 1), [1.0, -1.0], [2, 0], [1, 1], [0.25, 1 / 3])


def obey(pipe: Connection, memory: Memory, parent: int) -> None:
    """Take orders, and break at each game that is not known to be lost."""
    line = Line(pipe)
    how = what = ""
    for order in line.orders():
        how, _, what = order.match.partition(" ")
        for block, place in order.games:
            known = order.tried.sentence(block, place, 0, 0)
            if known is None:
                breaks(how, what, pipe, Pulse(memory), Move(block, place, 0, 0))
            record = GameRecord(**{**vars(A_GAME), "fault": (0, str(known.fault))}) if known else A_GAME
            line.played((block, place, record))
        line.done()
        if how == "late":
            os._exit(0)
    if how == "mark":
        Path(what).touch()


def breaks(how: str, what: str, pipe: Connection, pulse: Pulse, move: Move) -> None:
    """Do so, or not."""
    if how == "exit":
        pulse.asks(0, [move], 0.0)
        os._exit(int(what))
    elif how == "late":
        pulse.asks(0, [move], 1e-9)
        os._exit(3)
    elif how == "wander":
        pulse.asks(0, [move._replace(decision=os.getpid())], 0.0)
        os._exit(3)
    elif how == "kill":
        pulse.asks(0, [move], 0.0)
        os.kill(os.getpid(), signal.SIGKILL)
    elif how == "sleep":
        time.sleep(60)
    elif how == "make":
        pulse.makes(1, float(what))
        time.sleep(60)
    elif how == "say":
        pipe.send_bytes(what.encode())
