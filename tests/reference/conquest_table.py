"""Master of Orion: Conquest as a slow, plain reference: what lies on the table (see `conquest`)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml

YAML = Path(__file__).parents[2] / "engines/conquest/content/standard.yaml"


def load() -> dict[str, Any]:
    """The content file as plain data."""
    data: dict[str, Any] = yaml.safe_load(YAML.read_text())
    return data


@dataclass
class Face:
    """A side of an exploration card as it lies on the deck; every card of the table is an object of its own."""

    number: int
    id: str
    kind: str
    data: dict[str, Any]
    back: Face | None = None
    """The Planet side of a hazard."""


@dataclass(eq=False)
class World:
    """A Home World (face None), a Planet, or a roving hazard in a Planet place."""

    face: Face | None
    front: dict[str, Any]
    back: dict[str, Any] | None
    upgraded: bool = False
    damage: int = 0
    base: int | None = None
    base_damage: int = 0
    attached: list[int] = field(default_factory=list)
    acquired_now: bool = False
    upgraded_now: bool = False
    used_now: bool = False

    @property
    def up(self) -> dict[str, Any]:
        """The side now up."""
        return self.back if self.upgraded and self.back else self.front


@dataclass
class Fleet:
    target: int
    ships: list[int] = field(default_factory=list)
    extra: int = 0
    block: int = 0
    aim: Any = None
    """What the target was when it was named."""


class Player:
    """All that belongs to a seat."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.faction = ""
        self.cards: list[dict[str, Any]] = []
        self.hand: Counter[int] = Counter()
        self.deck: Counter[int] = Counter()
        self.discard: Counter[int] = Counter()
        self.empire: Counter[int] = Counter()
        self.known: Counter[int] = Counter()
        self.faceup: int | None = None
        self.row: list[int | None] = [None] * 5
        self.accrued = [0] * 5
        self.home: World = World(None, {}, None)
        self.places: list[World | None] = [None, None]
        self.scrapped = 0
        self.fallen = 0

    def begin(self, name: str, data: dict[str, Any], upgraded: bool) -> None:
        """Take a faction's cards."""
        self.faction = name
        starting, empire = list(data["starting"].values()), list(data["empire"].values())
        self.cards = starting + empire
        self.deck = Counter({t: card.get("copies", 1) for t, card in enumerate(starting)})
        self.empire = Counter({t: card.get("copies", 1) for t, card in enumerate(empire, len(starting))})
        self.home = World(None, data["homeworld"]["front"], data["homeworld"]["back"], upgraded)

    def worlds(self) -> list[tuple[int, World]]:
        """Home World and Planets with their numbers."""
        found = [(0, self.home)]
        return found + [(i + 1, w) for i, w in enumerate(self.places) if w and w.face and w.face.kind == "planet"]

    def planets(self) -> list[tuple[int, World]]:
        return self.worlds()[1:]

    def rovers(self) -> list[tuple[int, World]]:
        return [(i + 1, w) for i, w in enumerate(self.places) if w and w.face and w.face.kind == "hazard"]

    def free_place(self) -> int:
        return next((i + 1 for i in range(2) if self.places[i] is None), 0)

    def card(self, t: int) -> dict[str, Any]:
        return self.cards[t]

    def cost(self, t: int) -> int:
        return int(self.cards[t].get("cost", 0))

    def is_ship(self, t: int) -> bool:
        return bool(self.cards[t]["type"] == "ship")

    def attach_sum(self, world: World, key: str) -> int:
        return sum(self.cards[t]["attach"].get(key, 0) for t in world.attached)

    def population(self, world: World) -> int:
        return int(world.up["population"]) + self.attach_sum(world, "population")

    def left(self, world: World) -> int:
        return self.population(world) - world.damage

    def base_left(self, world: World) -> int:
        return 0 if world.base is None else int(self.cards[world.base]["population"]) - world.base_damage

    def total_cost(self) -> int:
        return sum(int(w.up["cost"]) for _, w in self.worlds())

    def production(self) -> int:
        made = sum(int(w.up["production"]) + self.attach_sum(w, "production") for _, w in self.worlds())
        lost = sum(w.face.data.get("mods", {}).get("production_minus", 0) for _, w in self.rovers() if w.face)
        return max(0, made - int(lost))

    def unseen(self) -> Counter[int]:
        return self.hand + self.deck

    def owned(self) -> Counter[int]:
        """Cards of hand, deck and discard pile, on worlds; those played are counted by the game."""
        cards = self.hand + self.deck + self.discard
        if self.faceup is not None:
            cards[self.faceup] += 1
        for _, world in self.worlds():
            cards.update(world.attached)
            if world.base is not None:
                cards[world.base] += 1
        return cards

    def share(self) -> Fraction:
        return Fraction(self.left(self.home), self.population(self.home))


def formations(player: Player, ships: list[int]) -> int:
    """Bonus of all ships whose formation the others complete."""
    total = 0
    for i, t in enumerate(ships):
        wanted = player.card(t).get("formation")
        others = {player.card(u)["ship_class"] for j, u in enumerate(ships) if j != i}
        if wanted and others.issuperset(wanted["requires"]):
            total += wanted["attack"]
    return total


def faces(content: dict[str, Any]) -> list[Face]:
    """All faces, in the order of their ids: planets, hazards, Planet sides of hazards, events."""
    explore, found = content["exploration"], []
    for key, planet in explore["planets"].items():
        found.append(Face(len(found), key, "planet", planet))
    hazards = []
    for key, hazard in explore["hazards"].items():
        found.append(Face(len(found), key, "hazard", hazard))
        hazards.append(found[-1])
    for hazard in hazards:
        side = hazard.data.get("planet_back")
        if side:
            found.append(Face(len(found), side["id"], "planet", {"front": side}))
            hazard.back = found[-1]
    for key, event in explore["events"].items():
        found.append(Face(len(found), key, "event", event))
    return found
