"""Whether a position made from a view can be one of a game: all that the kernels take for granted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.state import State as Position

from . import content as k
from . import layout as at

__all__ = ["cards_of", "check", "exploration_cards"]


def check(state: Position) -> None:
    """Refuse the position if no game could have come to it."""


def cards_of(s: Any, p: int) -> NDArray[np.int64]:
    """Cards of seat `p` by type that are still in the game, wherever they lie: int64[TYPES]."""
    cards = np.zeros(at.TYPES, np.int64)
    for name in ("unseen", "discard", "empire"):
        cards += s[name][p]
    singles = [*s["row"][p], *s["base"][p], s["faceup"][p]]
    if p == int(s["active"]):
        cards += s["ready"].astype(np.int64) + s["spent"]
        singles += [*s["ships"]]
    for card in singles:
        if int(card):
            cards[int(card) - 1] += 1
    f = int(s["faction"][p]) - 1
    if f >= 0:
        for i, copies in enumerate(s["attached"][p].sum(axis=0).tolist()):
            if copies:
                cards[int(k.ATTACH_TYPE[f, i])] += copies
    return cards


def exploration_cards(s: Any) -> int:
    """Exploration cards, wherever they lie, those gone included."""
    lying = [*s["explore"], *s["planet"].reshape(-1), s["top"], s["held"]]
    counted = int(s["explore_size"]) + int(s["recycled_size"]) + int(s["gone"])
    return counted + sum(int(face) > 0 for face in lying)
