"""What things are worth to the scripted player, in hundredths of a point: tables read off the content.

The weights are hand-made: a unit of food, fleet, production is priced by the rate of exchange, points count fully, the
rest is judgement.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import content as k
from . import ops
from .layout import DESIGNS

__all__ = [
    *("AT_HAND", "CHANGES", "DESIGN_WORTH", "EXPOSED", "EXTRA", "FAIR", "FOLLOWING", "KEPT", "LASTING", "LOYAL"),
    *("LOYALTY", "PRICE", "WAYS", "WAYS_BY_COVER"),
]

PRICE = np.array([25, 37, 75], np.int64)
"""Of a unit of each resource."""
POINT, CUBE, CARD = 100, 140, 45
"""Of a point (or loyalty), an action, a card to be drawn."""
# Found by a random search: each weight kept where it beat the former ones by points in games of two to four seats.
AT_HAND = 155
"""Price of a unit in stock against one of a later income, in per cent: it can be spent now."""
LOYAL = 77
"""A point of loyalty: a full one at the end, but it can still be regained."""
KEPT = 23
"""Share of a card's value that is lost with it, in per cent: others take its place."""
EXPOSED = 71
"""What an attack costs beside its price: less fleet is left for one's own defence."""
FOLLOWING = 87
"""Buildings of a colour still to come in a round, in hundredths."""
FAIR = 72
"""A card of the first hand whose keeping is worth less is exchanged."""

_PER_UNIT = {
    ops.DRAW: CARD,
    ops.DISCARD: -30,
    ops.ACTION: CUBE,
    ops.PAY_VP: -POINT,
    ops.PAY_CUBE: -CUBE,
    ops.PAY_CARDS: -40,
    ops.OPP_LOYALTY: -60,
    ops.OPP_DISCARD: 40,
    ops.OPP_CHOICE: 25,
    ops.ACTIVATE: 80,
}
_FIXED = {
    ops.BUILD: 90,
    ops.TAKE: 60,
    ops.REORDER: 30,
    ops.BLOCK: 40,
    ops.BURY: 40,
    ops.DISMISS: 30,
    ops.STORE: CUBE,
}
_STATIC = np.array([25, 30, CARD, 30, 60, 30, 40, 25], np.int64)
"""A round of each column of `content.MODS`."""


class _Effect(NamedTuple):
    """What an item's effect does once: one of the `ways` changes the stock."""

    ways: NDArray[np.int64]
    by_cover: bool
    loyalty: int
    extra: int


def _effect(item: int) -> _Effect:
    base, ways = np.zeros(3, np.int64), np.zeros((1, 3), np.int64)
    by_cover, loyalty, extra = False, 0, 0
    pc = int(k.START_PC[item])
    while (op := int(k.PROGRAM[pc, 0])) != ops.END:
        args = k.PROGRAM[pc, 1:].astype(np.int64)
        n = int(args[0])
        if op == ops.GAIN:
            base += args[:3]
        elif op == ops.PAY_RES:
            base -= args[:3]
        elif op == ops.GAIN_CHOICE:
            ways = args[1 : 1 + 3 * n].reshape(n, 3)
        elif op == ops.EXCHANGE:
            ways = np.array([args[3:6] - args[:3], args[:3] - args[3:6]])
        elif op == ops.COVERED:
            ways, by_cover = args[:12].reshape(4, 3), True
        elif op in (ops.LOYALTY, ops.PAY_LOYALTY):
            loyalty += n if op == ops.LOYALTY else -n
        elif op == ops.VP:
            extra += POINT * (-(-4 // int(args[1])) if args[1] else n)
        else:
            extra += _PER_UNIT.get(op, 0) * n + _FIXED.get(op, 0)
        pc += 1
    return _Effect(base + ways, by_cover, loyalty, extra)


def _lasting(item: int, effect: _Effect) -> int:
    """A round of the item at work."""
    once = int((effect.ways @ PRICE).max()) + effect.loyalty * POINT + effect.extra
    timing, worth = int(k.TIMING[item]), 0
    if timing == k.START_OF_ROUND:
        worth = once
    elif timing == k.ACTIVATION:
        worth = max(20, once - CUBE // 2)
    elif timing == k.AFTER_ATTACK:
        worth = once // 2 if int(k.SLOT[item]) else once
    elif timing == k.AFTER_ATTACKED:
        worth = 60
    worth += int(k.MODS[item].astype(np.int64) @ _STATIC)
    worth += int(k.DISCOUNT[item].sum()) * int(PRICE[0])
    return worth + int((k.EXPLOIT_BONUS[item].astype(np.int64) @ PRICE).sum()) // 5


def _frozen(data: object) -> NDArray[np.int64]:
    table = np.array(data, np.int64)
    table.setflags(write=False)
    return table


_effects = [_effect(item) for item in range(k.ITEMS)]
PRICE.setflags(write=False)
WAYS = _frozen([len(e.ways) for e in _effects])
"""How many ways an item's effect can go (`CHANGES`)."""
WAYS_BY_COVER = _frozen([e.by_cover for e in _effects])
"""1: the way is that of the colour of the card below."""
CHANGES = _frozen([np.pad(e.ways, ((0, 4 - len(e.ways)), (0, 0))) for e in _effects])
"""Change of food, fleet, production by item and way."""
LOYALTY = _frozen([e.loyalty for e in _effects])
"""Change of the own loyalty by an item's effect."""
EXTRA = _frozen([e.extra for e in _effects])
"""Everything else an item's effect does."""
LASTING = _frozen([_lasting(item, e) for item, e in enumerate(_effects)])
"""A further round of an item at work."""


def _design(design: int, left: int) -> int:
    """A building with so many incomes to come, without its effect right after building and without counted points."""
    income = int(k.ICONS[design].astype(np.int64) @ PRICE) * left
    printed = 0 if int(k.POINTS_PER[design]) else POINT * int(k.POINTS[design])
    return printed + income + int(LASTING[design]) * left // 2


DESIGN_WORTH = _frozen([[_design(design, left) for left in range(k.ROUNDS + 1)] for design in range(DESIGNS)])
"""By design and rounds to come."""
