"""How long an agent may think, and whose code is played in a process of its own."""

from __future__ import annotations

from typing import NamedTuple

from orion_ai.arena.entrants import TAKES, Entrant

__all__ = ["LONGEST_SECONDS", "MAKING_SECONDS", "Terms", "is_foreign", "limit_of"]

LONGEST_SECONDS = 365 * 86400.0
"""No limit is longer: a year."""

FOREIGN_SECONDS = 600.0
"""What an agent that is not Orion's own has for a decision, where nothing else is said: a limit for those that hang."""
TIMES_ITS_BUDGET = 10.0
"""If its search plans for more time than that, it has so many times what it plans for."""

MAKING_SECONDS = 120.0
"""What such an agent has for being made, or as long as for a decision where a match gives it more for that."""


class Terms(NamedTuple):
    """An agent's name, how many seconds it has for a decision (0 = no limit), whether it is not Orion's own, and how
    many seconds it has for being made (0 = no limit of its own).
    """

    name: str
    seconds: float
    foreign: bool
    making: float = 0.0


def is_foreign(entrant: Entrant) -> bool:
    """Whether it runs code that is not Orion's own, from a module that any process can import."""
    return bool(entrant.runs)


def limit_of(entrant: Entrant) -> float:
    """Seconds for a decision where the match has no limit of its own; 0 = none.

    Orion's own agents have none: what they do comes to an end, and how long it takes is for their settings to say.
    """
    kind = entrant.settings.get("kind")
    if kind in TAKES and not entrant.runs:
        return 0.0
    planned = 0.0 if kind == "python" else entrant.settings.get("search", {}).get("milliseconds", 0.0) / 1000
    return min(max(FOREIGN_SECONDS, TIMES_ITS_BUDGET * planned), LONGEST_SECONDS)
