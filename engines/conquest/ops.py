"""The op table: one row an op, whatever a card, world, event or hazard does, and the flow of the rules beside it.

A program (`content.PROGRAM`) is a run of rows [op, n]. What a row's op does stands in `rules_effects.act` where nobody
chooses; an op that asks has its node here, when it asks in `rules_economy.asks`, its choices in `rules_legal`, and what
the choice does in `rules_effects.decide`. The numbers are those of the observation's `pending`.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated

from pydantic import Field

from engines.effects.ops import Ops

from . import layout as at

OPS = Ops(columns=2, counts=True)
_one_to_nine = (Annotated[int, Field(ge=1, le=9)], 1)
_ability = partial(OPS.add, on="ability", n=_one_to_nine)
_instant = partial(OPS.add, on="instant", n=Annotated[int, Field(ge=1, le=20)])

END = OPS.add("the frame is done")

# Abilities of cards and worlds, of worlds alone and of Scouts alone.
MONEY = _ability("n production", word="production")
CP = _ability("n command points of this turn", word="cp")
DRAW = _ability("draw n cards", word="draw", asks=[at.NODE_DRAW])
ROTATE = OPS.add("rotate the top card into the Exploration Row, or not", asks=[at.NODE_ROTATE])
TOKEN = _ability("place at most n tokens", word="token", asks=[at.NODE_TOKEN])
THIN = _ability("scrap at most n cards of hand or discard pile", word="thin", asks=[at.NODE_THIN])
OPP_DISCARD = _ability("the neighbour chosen discards n cards", word="opp_discard", asks=[at.NODE_SEAT])
REVEAL = _ability("turn up the deck of the neighbour chosen", word="reveal_discard", asks=[at.NODE_SEAT])
ROW_SCRAP = _ability("scrap a neighbour's Row card of cost n at most", word="row_scrap", asks=[at.NODE_ROW_SCRAP])
REPAIR = _ability("remove at most n damage", word="repair", asks=[at.NODE_REPAIR])
DIRECT = _ability("n damage to a neighbour's Planet", word="direct_damage", asks=[at.NODE_DIRECT])
FLEET_BONUS = _ability("n for the open Fleet; read there, never run", word="fleet_bonus", on="world")
OPS.say(
    "explore",
    "rotate or not, then place at most n tokens",
    on="scout",
    n=_one_to_nine,
    rows=lambda e: [[ROTATE, 0], [TOKEN, e.n]],
)

# Instants of events and hazards; highest and lowest are seats (ruling 7).
HIGHEST_DAMAGE = _instant("the highest takes n damage", word="highest_damage")
HIGHEST_DISCARD = _instant("the highest discards n cards", word="highest_discard")
LOWEST_TOKENS = _instant("the lowest places n tokens", word="lowest_tokens")
LOWEST_ACCRUE = _instant("the lowest puts n production on a card of its Row", word="lowest_accrue")
ACTIVE_GAIN = _instant("the active seat gains a Row card of cost n at most", word="active_gain", asks=[at.NODE_GAIN])
ALL_DAMAGE = _instant("n damage to every Home World, to 1 left at most", word="all_hw_damage")

# What a seat named by an instant or an ability does.
DISCARD = OPS.add("discard n cards", asks=[at.NODE_DISCARD])
OWN_DAMAGE = OPS.add("n damage to a world or Base of the own choice", asks=[at.NODE_OWN_DAMAGE])
GIFT = OPS.add("n production on a card of the own Row", asks=[at.NODE_GIFT])
TURN_UP = OPS.add(
    "the top of the deck of seat a - 1, then whether it is discarded", asks=[at.NODE_TURN_UP, at.NODE_REVEAL]
)

# The flow of the rules.
REFILL = OPS.add("fill the Empire Row", asks=[at.NODE_REFILL])
SETTLE = OPS.add("the Exploration Deck's top and Row come to rest", asks=[at.NODE_TOP])
REPLACE = OPS.add("a place for a Planet, perhaps another's", asks=[at.NODE_REPLACE])
ATTACH = OPS.add("attach a Tech of type a", asks=[at.NODE_ATTACH])
REWARD = OPS.add("take the Planet of a beaten hazard, or not", asks=[at.NODE_REWARD])
STATION = OPS.add("station the Bases played", asks=[at.NODE_STATION])
FLEETS = OPS.add("assign Fleets", asks=[at.NODE_FLEET])
DEFENSE = OPS.add("each attacked seat defends", asks=[at.NODE_DEFEND])
RESOLVE = OPS.add("the Fleets strike")
SHUFFLED = OPS.add("a new top of a shuffled Exploration Deck", asks=[at.NODE_TOP_PLANET])

COUNT, ASKS = len(OPS), OPS.asking
"""How many ops there are; whether one asks anything."""
