"""What a content file may say: constants, factions with their cards, exploration cards; checked before use.

Every entry may carry its `provenance` (free text a key), for readers only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from engines.content_file import Entry
from engines.errors import choose_from

from .layout import ATTACHERS, BACKS, EVENTS, FACTIONS, HAZARDS, MAX_CARDS, MAX_EXPLORE, PLANETS, SLOTS, TYPES
from .ops import OPS

__all__ = ["Card", "Constants", "Content", "Event", "Faction", "Hazard", "HazardPlanet", "HomeWorld", "Planet", "Side"]

Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
"""Of a card, faction or exploration card: small letters, digits, underscores."""
Small = Annotated[int, Field(ge=0, le=20)]
Count = Annotated[int, Field(ge=1, le=20)]
Cost = Annotated[int, Field(ge=1, le=20)]
Population = Annotated[int, Field(ge=1, le=60)]
Name = Annotated[str, Field(min_length=1)]
Ship = Literal["Frigate", "Destroyer", "Cruiser", "Battleship", "Titan", "Doom Star"]


CardEffect = Annotated[Any, OPS.entry("ability", "scout")]
"""One part of a card's ability: `op` and, 1 if left out, `n`, as the op table says."""
WorldEffect = Annotated[Any, OPS.entry("ability", "world")]
"""One part of a world's ability, as well."""
Instant = Annotated[Any, OPS.entry("instant")]
"""What an event or hazard does when it is revealed: `op` and `n`."""
Ability = Annotated[list[CardEffect], Field(max_length=4)]
WorldAbility = Annotated[list[WorldEffect], Field(max_length=4)]


class Formation(Entry):
    """A bonus to Attack if the same Fleet holds ships of all these classes besides this one."""

    requires: Annotated[list[Ship], Field(min_length=1, max_length=6)]
    attack: Count


class Attach(Entry):
    """A Tech that stays on a world."""

    target: Literal["planet", "homeworld", "any"]
    production: Small = 0
    population: Small = 0
    shield: Small = 0


class CardMods(Entry):
    """Lasting numbers of a ship (the first four) or a Base (`intercept`)."""

    ignore_base: bool = False
    unblockable: Small = 0
    defense_bonus: Small = 0
    vs_planet: Small = 0
    intercept: Small = 0


class Card(Entry):
    """A starting or Empire card of a faction."""

    name: Name
    type: Literal["ship", "base", "tech", "support"]
    kind: Literal["scout", "factory", "colony"] | None = None
    ship_class: Ship | None = None
    cost: Small = 0
    attack: Small = 0
    population: Annotated[int, Field(ge=0, le=60)] = 0
    production: Annotated[int, Field(ge=0, le=9)] = 0
    copies: Annotated[int, Field(ge=1, le=10)] = 1
    ability: Ability = Field(default_factory=list)
    or_ability: Ability = Field(default_factory=list)
    mods: CardMods = CardMods()
    formation: Formation | None = None
    attach: Attach | None = None
    text: str = ""
    provenance: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _whole(self) -> Card:
        ship, base = self.type == "ship", self.type == "base"
        _only("ship_class", self.ship_class is not None, ship, "a ship needs one, no other card has one")
        _only("kind", self.kind is not None, self.type == "support", "a support card needs one, no other card has one")
        _only("population", self.population > 0, base, "a base needs one, no other card has one")
        _may("attack", self.attack > 0, ship, "only a ship has one")
        _may("or_ability", bool(self.or_ability), ship, "only a ship has one")
        _may("formation", self.formation is not None, ship, "only a ship has one")
        _may("attach", self.attach is not None, self.type == "tech", "only a tech has one")
        _only("production", self.production > 0, self.kind in ("factory", "colony"), "factories and colonies have one")
        self._check_mods()
        self._check_ability()
        return self

    def _check_mods(self) -> None:
        given = [name for name in CardMods.model_fields if getattr(self.mods, name)]
        for name in given:
            fits = self.type == ("base" if name == "intercept" else "ship")
            _may(f"mods.{name}", True, fits, "only a base has it" if name == "intercept" else "only a ship has it")
        if self.formation is not None and len(set(self.formation.requires)) < len(self.formation.requires):
            raise ValueError("formation.requires: a class stands there twice, expected once")

    def _check_ability(self) -> None:
        ops = [e.op for e in (*self.ability, *self.or_ability)]
        _may("ability", bool(self.ability), self.type in ("ship", "tech") or self.kind == "scout", "this card has none")
        if self.kind == "scout" and ops != ["explore"]:
            raise ValueError("ability: a scout has exactly one effect, explore")
        _may("ability", "explore" in ops, self.kind == "scout", "only a scout has explore")
        _may("attach", self.attach is not None, not self.ability, "a tech that is attached has no ability")
        if self.type == "tech" and not self.ability and self.attach is None:
            raise ValueError("ability: a tech needs an ability or attach")
        if self.attach is not None and not self.attach.production + self.attach.population + self.attach.shield:
            raise ValueError("attach: expected production, population or shield")


def _only(key: str, given: bool, needed: bool, why: str) -> None:
    if given != needed:
        raise ValueError(f"{key}: {why}")


def _may(key: str, given: bool, allowed: bool, why: str) -> None:
    if given and not allowed:
        raise ValueError(f"{key}: {why}")


def _check_world_ability(effects: Iterable[Any]) -> None:
    ops = [e.op for e in effects]
    if "fleet_bonus" in ops and len(ops) > 1:
        raise ValueError("ability: fleet_bonus stands alone, since it is used while a Fleet is open")


class Side(Entry):
    """One side of a Planet or Home World."""

    cost: Cost
    production: Annotated[int, Field(ge=0, le=9)]
    population: Population
    ability: WorldAbility = Field(default_factory=list)
    text: str = ""

    @model_validator(mode="after")
    def _world(self) -> Side:
        _check_world_ability(self.ability)
        return self


def _check_return(side: Side | HazardPlanet) -> None:
    """No purchase may pay for itself within a turn, or a turn need not end."""
    back = side.production + sum(e.n for e in side.ability if e.op in ("production", "token"))
    if back >= side.cost:
        raise ValueError(f"production: a Planet that costs {side.cost} gives {back} back at once, expected less")


class TwoSides(Entry):
    """A card that is turned over when it is upgraded."""

    name: Name
    front: Side
    back: Side
    provenance: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _grows(self) -> TwoSides:
        if self.back.population < self.front.population:
            raise ValueError(
                f"back.population: {self.back.population}, expected at least the front's, which may be hurt"
            )
        return self


class HomeWorld(TwoSides):
    """A faction's Home World."""

    id: Id


class Planet(TwoSides):
    """A Planet of the Exploration Deck; there is one card of each in a deck."""

    @model_validator(mode="after")
    def _pays(self) -> Planet:
        _check_return(self.front)
        return self


class HazardPlanet(Entry):
    """The Planet on the other side of a hazard."""

    id: Id
    name: Name
    cost: Cost
    production: Annotated[int, Field(ge=0, le=9)]
    population: Population
    ability: WorldAbility = Field(default_factory=list)
    text: str = ""

    @model_validator(mode="after")
    def _pays(self) -> HazardPlanet:
        _check_world_ability(self.ability)
        _check_return(self)
        return self


class HazardMods(Entry):
    """Lasting effects of a hazard."""

    freeze_tokens: bool = False
    upkeep_damage: Small = 0
    production_minus: Small = 0


class Hazard(Entry):
    """A hazard; a roving one moves into a player's area."""

    name: Name
    copies: Annotated[int, Field(ge=1, le=9)] = 1
    population: Population
    attack: Small = 0
    instant: Annotated[list[Instant], Field(max_length=1)] = Field(default_factory=list)
    mods: HazardMods = HazardMods()
    roving: bool = False
    planet_back: HazardPlanet | None = None
    text: str = ""
    provenance: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _moves(self) -> Hazard:
        if self.roving and self.planet_back is not None:
            raise ValueError("planet_back: a roving hazard has none, it is scrapped when beaten")
        if not self.roving and (self.mods.upkeep_damage or self.mods.production_minus):
            raise ValueError("mods: upkeep_damage and production_minus need roving: true, somebody must hold it")
        return self


class Event(Entry):
    """An event."""

    name: Name
    copies: Annotated[int, Field(ge=1, le=9)] = 1
    instant: Annotated[list[Instant], Field(min_length=1, max_length=1)]
    text: str = ""
    provenance: dict[str, str] = Field(default_factory=dict)


class Faction(Entry):
    """A faction: Home World, ten starting cards, the Empire Deck."""

    name: Name
    homeworld: HomeWorld
    starting: dict[Id, Card]
    empire: dict[Id, Card]
    provenance: str = ""

    @model_validator(mode="after")
    def _decks(self) -> Faction:
        total = sum(card.copies for card in self.starting.values())
        if total != 10:
            raise ValueError(f"starting: the copies sum to {total}, expected 10")
        rest = sum(card.copies for card in self.empire.values())
        if not 5 <= rest <= MAX_CARDS - 10:
            raise ValueError(f"empire: the copies sum to {rest}, expected 5 to {MAX_CARDS - 10}")
        twice = sorted(self.starting.keys() & self.empire.keys())
        if twice:
            raise ValueError(f"empire: {twice[0]} is a starting card too")
        if len(self.starting) + len(self.empire) > TYPES:
            raise ValueError(f"empire: {len(self.starting) + len(self.empire)} card types, expected at most {TYPES}")
        for key, card in self.empire.items():
            if card.cost == 0:
                raise ValueError(f"empire.{key}.cost: 0, but a card of the Empire Deck must cost something")
        attaching = sum(card.attach is not None for card in (*self.starting.values(), *self.empire.values()))
        if attaching > ATTACHERS:
            raise ValueError(f"empire: {attaching} card types are attached, expected at most {ATTACHERS}")
        return self


class CpUses(Entry):
    """What recycling costs in command points; other uses cost one each."""

    recycle_planet: Count
    recycle_planet_enemy_tokens: Count
    recycle_hazard: Count


class Constants(Entry):
    """Numbers of the rules."""

    hand: Annotated[int, Field(ge=1, le=10)]
    first_player_hand: Annotated[int, Field(ge=0, le=10)]
    empire_row: Annotated[int, Field(ge=1, le=5)]
    exploration_row: Annotated[int, Field(ge=1, le=5)]
    exploration_row_per_extra_player: Annotated[int, Field(ge=0, le=2)]
    command_points: Annotated[list[Small], Field(min_length=7, max_length=7)]
    cp_uses: CpUses
    empire_row_damage_per_attack: Count
    planet_min_cost: Annotated[int, Field(ge=1, le=9)]
    home_world_start: dict[Literal[2, 3, 4], Literal["front", "back"]]
    exploration_decks: dict[Literal[2, 3, 4], Annotated[int, Field(ge=1, le=2)]]
    default_factions: Annotated[list[Id], Field(min_length=4, max_length=4)]
    max_rounds: Annotated[int, Field(ge=1, le=100)]
    provenance: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _complete(self) -> Constants:
        if len(self.home_world_start) < 3 or len(self.exploration_decks) < 3:
            raise ValueError("home_world_start, exploration_decks: expected an entry for 2, 3 and 4 players")
        if self.exploration_row + 2 * self.exploration_row_per_extra_player > SLOTS:
            raise ValueError(f"exploration_row: with four players more than {SLOTS} cards would lie there")
        if sorted(self.command_points) != self.command_points:
            raise ValueError("command_points: expected numbers that do not fall, they are counted cumulatively")
        return self


class Exploration(Entry):
    """The Exploration Deck of one game."""

    planets: dict[Id, Planet]
    hazards: dict[Id, Hazard]
    events: dict[Id, Event]

    @model_validator(mode="after")
    def _sizes(self) -> Exploration:
        for key, want in (("planets", PLANETS), ("hazards", HAZARDS), ("events", EVENTS)):
            have = len(getattr(self, key))
            if have != want:
                raise ValueError(f"{key}: expected exactly {want} entries (the action space is fixed), found {have}")
        backs = [h.planet_back.id for h in self.hazards.values() if h.planet_back is not None]
        if len(backs) != BACKS:
            raise ValueError(f"hazards: expected exactly {BACKS} with a planet_back, found {len(backs)}")
        ids = [*self.planets, *self.hazards, *backs, *self.events]
        twice = next((i for i in ids if ids.count(i) > 1), None)
        if twice is not None:
            raise ValueError(f"planets: {twice!r} names two cards")
        return self

    @property
    def size(self) -> int:
        """Cards in one deck."""
        hazards, events = self.hazards.values(), self.events.values()
        return len(self.planets) + sum(h.copies for h in hazards) + sum(e.copies for e in events)


class Content(Entry):
    """A whole content file."""

    constants: Constants
    factions: dict[Id, Faction]
    exploration: Exploration

    @model_validator(mode="after")
    def _fits(self) -> Content:
        if len(self.factions) != FACTIONS:
            raise ValueError(
                f"factions: expected exactly {FACTIONS} (the action space is fixed), found {len(self.factions)}"
            )
        words = sorted(self.factions.keys() & {"default", "dealt", "mirror"})
        if words:
            raise ValueError(f"factions: {words[0]!r} is a word of the option, no faction may be called so")
        for faction in self.constants.default_factions:
            choose_from("faction in constants.default_factions", faction, self.factions)
        most = max(self.constants.exploration_decks.values()) * self.exploration.size
        if most > MAX_EXPLORE:
            raise ValueError(f"exploration: {most} cards with all decks, expected at most {MAX_EXPLORE}")
        ids = [i for f in self.factions.values() for i in (*f.starting, *f.empire)]
        twice = next((i for i in ids if ids.count(i) > 1), None)
        if twice is not None:
            raise ValueError(f"factions: {twice!r} names two cards")
        return self
