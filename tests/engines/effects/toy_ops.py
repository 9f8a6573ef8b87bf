"""The op table of a toy: coins, a gift with a choice, and an effect that begins another one."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from engines.content_file import Entry
from engines.effects.ops import Ops

Count = Annotated[int, Field(ge=1, le=9)]
NODE_NONE, NODE_GIVE = 0, 1

OPS = Ops(columns=5)
END = OPS.add("the frame is done")
GAIN = OPS.add("n coins", word="gain", on="effect", n=Count)
GIVE = OPS.add("a coin to another seat, n times", word="give", on="effect", asks=[NODE_GIVE], counts=True, n=Count)
NEST = OPS.add("begin the program again, n times one above the other", word="nest", on="effect", counts=True, n=Count)
PAY = OPS.add("pay n coins", word="pay", on="cost", n=Count)
OPS.say("swap", "pay, then gain", on="effect", n=Count, rows=lambda e: [[PAY, e.n], [GAIN, e.n + 1]])
SUM = OPS.add(
    "gain what the amounts come to: how many, then the coins of each",
    word="sum",
    on="effect",
    amounts=Annotated[list[Count], Field(max_length=2)],
    more=(Count | None, None),
)


class Card(Entry):
    """A card of a toy content file."""

    cost: list[Annotated[Any, OPS.entry("cost")]] = Field(default_factory=list)
    effect: list[Annotated[Any, OPS.entry("effect")]]


class Content(Entry):
    """A toy content file."""

    cards: dict[str, Card]
