"""The op table: one row an op, whatever a card, advisor or race board does, and the flow of the rules beside it.

A program (`content.PROGRAM`) is a run of rows: an op, then its numbers. What a row's op does stands in
`rules_effects.act` where nobody chooses; an op that asks has its node here, when it asks in `rules_effects.step`, its
choices in `rules_legal`, and what the choice does in `rules_effects.decide`. f s p: food, fleet, production.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field

from engines.content_file import Entry
from engines.effects.ops import Ops, Rows

from . import layout as at

Color = Literal["blue", "red", "yellow", "gray"]
COLORS = ("blue", "red", "yellow", "gray")
Small = Annotated[int, Field(ge=0, le=9)]
Count = Annotated[int, Field(ge=1, le=9)]
_Change = Annotated[int, Field(ge=-9, le=9)]
_Fall = Annotated[int, Field(ge=-9, le=0)]


class Amount(Entry):
    """So many units of each resource."""

    food: Small = 0
    fleet: Small = 0
    production: Small = 0

    @property
    def units(self) -> list[int]:
        """Food, fleet, production."""
        return [self.food, self.fleet, self.production]


class PerSystems(Entry):
    """One for every `div` of the own systems, rounded up."""

    per: Literal["own_systems"]
    div: Count


OPS = Ops(columns=13)
_effect, _pay = partial(OPS.add, on="effect"), partial(OPS.add, on="pay")
Effects = list[Annotated[Any, OPS.entry("effect")]]
"""Effects of a content file: the words with `on="effect"`. `rows` is told whether the effect is one that `may`."""


def _build(e: Any, may: bool) -> Rows:
    color = 0 if e.color is None else 1 + COLORS.index(e.color)
    return [[BUILD, color, int(e.where == "this_system"), e.discount, int(may)]]


def _if_color(e: Any, may: bool) -> Rows:
    then = [row for inner in e.then for row in OPS.rows(inner, may)]
    return [[IF_COLOR, COLORS.index(e.color), len(then)], *then]


END = OPS.add("the frame is done")
GAIN = _effect("gain f s p; above the cap it is lost", word="gain", res=Amount)
GAIN_CHOICE = _effect(
    "gain one of two or three amounts: n, then f s p three times",
    word="gain_choice",
    options=Annotated[list[Amount], Field(min_length=1, max_length=3)],
    asks=[at.NODE_GAIN],
)
EXCHANGE = _effect(
    "pay one side, gain the other, in either direction: f s p, f s p",
    word="exchange",
    a=Amount,
    b=Amount,
    asks=[at.NODE_EXCHANGE],
)
DRAW = _effect("draw n cards", word="draw", n=Count)
DISCARD = OPS.add("discard n cards, or all there are", asks=[at.NODE_DISCARD], counts=True)
OPS.say(
    "draw_discard",
    "draw cards, then discard cards of the own choice",
    on="effect",
    draw=Count,
    discard=Count,
    rows=lambda e, may: [[DRAW, e.draw], [DISCARD, e.discard]],
)
LOYALTY = _effect("own loyalty changes by n", word="loyalty", n=_Change)
ACTION = _effect("n cubes go from the reserve to the available actions", word="action", n=Count)
VP: int = _effect(
    "n victory points, or one for every so many own systems: n, div",
    word="vp",
    n=Count | PerSystems,
    rows=lambda e, may: [[VP, 0, e.n.div] if isinstance(e.n, PerSystems) else [VP, e.n, 0]],
)
BUILD = _effect(
    "build a card from hand, paying its cost less the discount: 1 + colour or 0, this system only, discount, may",
    word="build",
    color=(Color | None, None),
    where=(Literal["any", "this_system"], "any"),
    discount=(Small, 0),
    asks=[at.NODE_BUILD_MORE],
    rows=_build,
)
ACTIVATE = _effect(
    "activate up to n other working cards, with cubes of the reserve",
    word="activate_others",
    n=Count,
    asks=[at.NODE_ACTIVATE_MORE],
    counts=True,
)
TAKE = _effect(
    "take one of the top `depth` cards (all, if left out) of the discard pile into hand: depth or 0",
    word="take_discard",
    depth=(Annotated[int, Field(ge=1, le=at.MAX_CARDS)] | None, None),
    asks=[at.NODE_TAKE],
)
REORDER: int = _effect(
    "put the cards of one own system in any order: may",
    word="reorder_system",
    asks=[at.NODE_REORDER],
    rows=lambda e, may: [[REORDER, int(may)]],
)
COVERED = _effect(
    "gain by the colour of the building right under this one: f s p for each colour",
    word="gain_by_covered",
    blue=(Amount, Amount()),
    red=(Amount, Amount()),
    yellow=(Amount, Amount()),
    gray=(Amount, Amount()),
)
IF_COLOR = _effect(
    "do `then` if a working card has the colour: colour, ops to skip if not",
    word="if_working_color",
    color=Color,
    then=Annotated[Effects, Field(min_length=1, max_length=6)],
    rows=_if_color,
)
STORE = _effect(
    "nothing: the cube in the R slot is kept over the end of the round and becomes an action", word="store_cube"
)
OPP_LOYALTY = _effect("the other seat of the attack changes its loyalty by n", word="opp_loyalty", n=_Change)
OPP_DISCARD = _effect(
    "each opponent with so many cards discards n of its choice: n, least hand",
    word="opp_discard",
    n=Count,
    if_hand_at_least=Count,
)
OPP_CHOICE = _effect(
    "the attacked seat discards cards or changes its loyalty, as it chooses; with too few cards the loyalty",
    word="opp_discard_or_loyalty",
    cards=Count,
    loyalty=_Fall,
    asks=[at.NODE_VICTIM],
)
BLOCK = _effect("block a slot of the attacked seat with a cube of its reserve", word="block_slot", asks=[at.NODE_BLOCK])
BURY = _effect("put a working card of the attacked seat under its system", word="bury_working", asks=[at.NODE_BURY])
DISMISS = _effect("an opponent's advisor goes back to the table", word="dismiss_advisor", asks=[at.NODE_DISMISS])

# Costs.
OPTIONAL = OPS.add("ask whether to pay and go on", asks=[at.NODE_OPTIONAL])
PAY_RES = _pay("pay f s p", word="pay_res", res=Amount)
PAY_VP = _pay("pay n victory points", word="pay_vp", n=Count)
PAY_CUBE = _pay("pay n available cubes", word="pay_cube", n=Count)
PAY_LOYALTY = _pay("pay n loyalty", word="pay_loyalty", n=Count)
PAY_CARDS = _pay("pay n cards of the hand", word="pay_cards", n=Count, asks=[at.NODE_DISCARD], counts=True)

# The flow of the rules.
MULLIGAN = OPS.add("exchange cards of the first hand", asks=[at.NODE_MULLIGAN])
GRAY = OPS.add("discard one of the cards that a gray exploit drew", asks=[at.NODE_GRAY])
BONUS = OPS.add("choose a bonus of mobilization", asks=[at.NODE_BONUS])
TRADE_MORE = OPS.add("more exchanges of the race board", asks=[at.NODE_TRADE_MORE])
ADVISOR = OPS.add("the advisor dealt takes its place")
ORDER = OPS.add("effects of the start of the round, in an order of the own choice", asks=[at.NODE_ORDER])
TRIGGER = OPS.add("effects after an attack, in an order of the own choice", asks=[at.NODE_TRIGGER])
DEFEND = OPS.add("effects of the attacked seat, in the order of its systems")
REORDER_CARD = OPS.add("put down the cards of a system one by one", asks=[at.NODE_REORDER_CARD])
