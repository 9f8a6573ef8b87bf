"""What a content file may say: cards, advisors, races and constants, checked before anything is built.

Amounts are of food, fleet, production. Every entry carries its `provenance` (free text a key), for readers only.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from engines.content_file import Entry

from .layout import ADVISORS, COPIES, DEPTH, DESIGNS, DRAWN, MAX_CARDS, RACES
from .ops import OPS, Amount, Color, Count, Effects, Small

__all__ = ["Advisor", "Amount", "Card", "Constants", "Content", "Level", "Mod", "Race"]

Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
"""Of a card, advisor or race: small letters, digits, underscores, since actions are named by it."""
Timing = Literal[
    "none", "activation", "after_building", "after_attack", "after_attacked", "start_of_round", "always", "end_of_game"
]


Pay = Annotated[Any, OPS.entry("pay")]
"""A cost, as the op table says."""


class CountMod(Entry):
    """A lasting number: what attackers pay more, phantom fleet, cards explored, exchanges, a discount in the system."""

    mod: Literal["attack_cost_vs_me", "attack_compare", "explore_bonus", "extra_trade", "build_discount_system"]
    n: Count


class KeepAll(Entry):
    """An exploited gray card costs no discard."""

    mod: Literal["gray_exploit_keep_all"]


class ExtraSystem(Entry):
    """The advisor begins a fifth system of so many cards, and can never be returned or replaced."""

    mod: Literal["extra_system"]
    capacity: Annotated[int, Field(ge=1, le=5)]


class BuildDiscount(Entry):
    """Cards (of a colour) cost n resources less."""

    mod: Literal["build_discount"]
    n: Count
    color: Color | None = None
    action_only: bool = False
    once_per_round: bool = False

    @model_validator(mode="after")
    def _known(self) -> BuildDiscount:
        if self.once_per_round and (not self.action_only or self.color is not None):
            raise ValueError("once_per_round needs action_only: true and no color")
        return self


class ExploitBonus(Entry):
    """The Exploit action (with a card of a colour) gives more."""

    mod: Literal["exploit_bonus"]
    res: Amount
    color: Color | None = None


_BY_COLOR = ("build_discount", "exploit_bonus")
_ON_THE_OTHER = ("opp_loyalty", "opp_discard_or_loyalty", "block_slot", "bury_working")


def _flat(effects: list[Any]) -> list[Any]:
    """The effects, those inside others too."""
    return [e for effect in effects for e in (effect, *_flat(getattr(effect, "then", [])))]


def _check_property(key_of_effects: str, timing: str, e: Feature | Race) -> None:
    """What holds for the property of cards, advisors and races alike; raises ValueError naming the key."""
    effects: list[Any] = getattr(e, key_of_effects)
    costs = [str(pay.op) for pay in e.pay]
    mods = [str(m.mod) for m in e.static if m.mod not in _BY_COLOR]
    for key, parts in (("pay", costs), ("static", mods)):
        twice: str | None = next((part for part in parts if parts.count(part) > 1), None)
        if twice is not None:
            raise ValueError(f"{key}: {twice} stands there twice, expected once")
    if len(e.static) > 4:
        raise ValueError(f"static: {len(e.static)} entries, expected at most 4")
    if costs and not effects:
        raise ValueError("pay: there is no effect to pay for")
    if timing == "activation" and "pay_cube" in costs:
        raise ValueError("pay: pay_cube is not possible with timing activation, which takes the cube itself")
    ops = [effect.op for effect in _flat(effects)]
    for op in ops:
        if op in _ON_THE_OTHER and timing not in ("after_attack", "after_attacked"):
            raise ValueError(
                f"{key_of_effects}: {op} needs timing after_attack or after_attacked: it is on the other seat"
            )
    if "build" in ops and timing != "activation" and not e.may:
        raise ValueError(f"{key_of_effects}: build needs may: true unless the timing is activation")


Mod = Annotated[CountMod | KeepAll | ExtraSystem | BuildDiscount | ExploitBonus, Field(discriminator="mod")]


class Feature(Entry):
    """What cards and advisors share."""

    name: Annotated[str, Field(min_length=1)]
    text: str = ""
    timing: Timing = "none"
    slot: Literal["A", "R"] | None = None
    loyalty6: Literal["none", "build", "activate", "both"] = "none"
    may: bool = False
    pay: list[Pay] = Field(default_factory=list)
    effect: Annotated[Effects, Field(max_length=6)] = Field(default_factory=list)
    static: list[Mod] = Field(default_factory=list)
    provenance: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _timed(self) -> Feature:
        acts = self.timing not in ("none", "always", "end_of_game")
        if acts != bool(self.effect):
            raise ValueError(f"timing {self.timing} needs {'an effect' if acts else 'an empty effect'}")
        if (self.timing == "activation") != (self.slot == "A"):
            raise ValueError("timing activation and slot A go together")
        if self.slot == "R" and self.timing != "after_attack":
            raise ValueError("slot R needs timing after_attack")
        _check_property("effect", self.timing, self)
        if bool(self.static) != (self.timing == "always"):
            raise ValueError("static and timing always go together")
        return self


class PerColor(Entry):
    """n points for every own card of the colour, this one included, counted at the end."""

    per: Color
    n: Count = 1


class Card(Feature):
    """A building."""

    color: Color
    copies: Annotated[int, Field(ge=1, le=COPIES)] = 2
    cost: Amount = Amount()
    icons: Amount = Amount()
    vp: Small | PerColor

    @model_validator(mode="after")
    def _building(self) -> Card:
        if any(m.mod in ("extra_system", "build_discount_system") for m in self.static):
            raise ValueError("static: only an advisor can have extra_system or build_discount_system")
        if isinstance(self.vp, PerColor) != (self.timing == "end_of_game"):
            raise ValueError("vp: a count per color and timing end_of_game go together")
        ops = [e.op for e in _flat(self.effect)]
        if "store_cube" in ops:
            raise ValueError("effect: only an advisor can have store_cube")
        if "gain_by_covered" in ops and ("build" in ops or "reorder_system" in ops or self.timing != "after_building"):
            raise ValueError("effect: gain_by_covered needs timing after_building and no build or reorder_system")
        return self


class Advisor(Feature):
    """An advisor of the table."""

    @model_validator(mode="after")
    def _advisor(self) -> Advisor:
        if self.timing in ("after_building", "end_of_game"):
            raise ValueError(f"timing: an advisor cannot have {self.timing}")
        _check_in_no_system("effect: an advisor", self.effect)
        if self.slot != "R" and any(e.op == "store_cube" for e in _flat(self.effect)):
            raise ValueError("effect: store_cube needs slot R: it keeps the cube that lies there")
        return self


def _check_in_no_system(what: str, effects: list[Any]) -> None:
    if any(e.op == "build" and e.where == "this_system" for e in _flat(effects)):
        raise ValueError(f"{what} lies in no system: where this_system is not possible")
    if any(e.op == "gain_by_covered" for e in _flat(effects)):
        raise ValueError(f"{what} covers no building: gain_by_covered is not possible")


class Choice(Entry):
    """One bonus of a level of mobilization: cards or resources."""

    draw: Small = 0
    res: Amount = Amount()


class Level(Entry):
    """A level of mobilization."""

    actions: Small = 0
    loyalty: Annotated[int, Field(ge=-9, le=9)] = 0
    draw: Small = 0
    choice: Annotated[list[Choice], Field(max_length=3)] = Field(default_factory=list)


class Race(Entry):
    """A race board."""

    name: Annotated[str, Field(min_length=1)]
    text: str = ""
    start: Amount
    trade: Amount | None = None
    mobilization: dict[Literal["high", "medium", "low"], Level] = Field(default_factory=dict)
    static: list[Mod] = Field(default_factory=list)
    may: bool = False
    pay: list[Pay] = Field(default_factory=list)
    start_of_round: Annotated[Effects, Field(max_length=6)] = Field(default_factory=list)
    provenance: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _race(self) -> Race:
        _check_property("start_of_round", "start_of_round", self)
        _check_in_no_system("start_of_round: a race board", self.start_of_round)
        if any(e.op == "store_cube" for e in _flat(self.start_of_round)):
            raise ValueError("start_of_round: only an advisor can have store_cube")
        if any(m.mod in ("extra_system", "build_discount_system") for m in self.static):
            raise ValueError("static: only an advisor can have extra_system or build_discount_system")
        return self


class Exploit(Amount):
    """What a card of a colour is worth when exploited."""

    draw: Annotated[int, Field(ge=0, le=DRAWN)] = 0
    discard: Annotated[int, Field(ge=0, le=1)] = 0


class Zones(Entry):
    """The least stock of some resource for the levels above low."""

    medium: Small
    high: Small


class Constants(Entry):
    """Numbers of the rules."""

    rounds: Annotated[int, Field(ge=1, le=8)]
    start_hand: Small
    hand_limit: Small
    resource_cap: Annotated[int, Field(ge=1, le=9)]
    loyalty_start: Annotated[int, Field(ge=1, le=10)]
    loyalty_max: Annotated[int, Field(ge=1, le=10)]
    loyalty_gate: Annotated[int, Field(ge=0, le=10)]
    reserve_cubes: Annotated[int, Field(ge=5, le=15)]
    propaganda: Small
    attack_cost: Small
    attack_vp: Small
    attack_loyalty: Annotated[int, Field(ge=-9, le=0)]
    attacks_per_opponent: dict[Literal[2, 3, 4], Annotated[int, Field(ge=0, le=5)]]
    advisors_in_game: Annotated[int, Field(ge=1, le=ADVISORS)]
    deal_cards: Small
    explore: Count
    zones: Zones
    exploit: dict[Color, Exploit]
    trade: Amount
    mobilization: dict[Literal["high", "medium", "low"], Level]

    @model_validator(mode="after")
    def _complete(self) -> Constants:
        if len(self.attacks_per_opponent) < 3 or len(self.exploit) < 4 or len(self.mobilization) < 3:
            raise ValueError("attacks_per_opponent (2, 3, 4), exploit (four colours), mobilization (three levels): all")
        if self.loyalty_start > self.loyalty_max:
            raise ValueError(f"loyalty_start: {self.loyalty_start}, expected at most loyalty_max, {self.loyalty_max}")
        if self.zones.medium > self.zones.high:
            raise ValueError(f"zones: medium is {self.zones.medium}, expected at most high, {self.zones.high}")
        return self


class Content(Entry):
    """A whole content file."""

    constants: Constants
    races: dict[Id, Race]
    advisors: dict[Id, Advisor]
    cards: dict[Id, Card]

    @model_validator(mode="after")
    def _sizes(self) -> Content:
        for key, want in (("races", RACES), ("advisors", ADVISORS), ("cards", DESIGNS)):
            have = len(getattr(self, key))
            if have != want:
                raise ValueError(f"{key}: expected exactly {want} entries (the action space is fixed), found {have}")
        copies = sum(card.copies for card in self.cards.values())
        if not 5 * self.constants.start_hand <= copies <= MAX_CARDS:
            raise ValueError(
                f"cards: the copies sum to {copies}, expected {5 * self.constants.start_hand} to {MAX_CARDS}"
            )
        nesting = sum(card.copies for card in self.cards.values() if _nests(card.effect))
        nesting += sum(_nests(advisor.effect) for advisor in self.advisors.values())
        nesting += any(_nests(race.start_of_round) for race in self.races.values())
        if nesting > DEPTH - 3:
            raise ValueError(f"cards: {nesting} copies build or activate others, at most {DEPTH - 3} can")
        if next(iter(self.races)) != "humans":
            raise ValueError("races: the first must be humans (their side is on every board)")
        return self


def _nests(effects: list[Any]) -> bool:
    return any(e.op in ("build", "activate_others") for e in _flat(effects))
