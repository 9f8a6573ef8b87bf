"""Master of Orion: The Board Game, the things on the table (rulebook: Components, Basic Terms, Resources).

Everything is a plain object: a card knows what is printed on it and whether a cube lies on it, a seat owns lists of
cards, the deck is a list whose order means nothing. Nothing here asks a question; `moo_board_effects` has what does.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Face = dict[str, Any]
Bundle = Mapping[str, int]

RESOURCES = ("food", "fleet", "production")

# Decision ids (section 4 of the game notes); outcomes of chance start at 384.
EXPLOIT, BUILD, EXPLORE, PROPAGANDA, TRADE, ATTACK, DEAL = 0, 45, 270, 271, 272, 278, 281
SOURCE, CARD, OPTION, SAVE, TARGET, OPP_SLOT, OWN_SYSTEM = 289, 296, 341, 344, 347, 350, 356
YES, NO, RACE = 361, 362, 363
DRAW, FIRST, ASIDE, RACE_DEALT = 384, 429, 433, 441
PLACES = 5  # systems a BUILD id can name: four ordinary ones and Alluvia's

ALLUVIA_SYSTEM = 4
ADVISOR_SOURCE = 5
RACE_SOURCE = 6
OPEN = -1  # "deck number" of a hand card that was taken openly from the discard pile


@dataclass(eq=False)
class Card:
    """One of the 90 building cards; two copies of a design are two objects."""

    index: int
    face: Face
    number: int = 0  # in a hand: the deck it was drawn from, or OPEN
    cube: bool = False  # on the table: a cube lies in its slot

    @property
    def id(self) -> str:
        """Name of the design in the data."""
        return str(self.face["id"])


@dataclass(eq=False)
class Advisor:
    """One of the eight advisor cards."""

    index: int
    face: Face
    cube: bool = False

    @property
    def id(self) -> str:
        """Name of the advisor in the data."""
        return str(self.face["id"])

    @property
    def permanent(self) -> bool:
        """Whether the advisor can never leave its owner (Alluvia)."""
        return any(mod.get("permanent") for mod in self.face["static"])


@dataclass(eq=False)
class Seat:
    """A player: civilization board, systems, advisor, cubes and hand (rulebook: Civilization Board, Player's Cards)."""

    place: int
    constants: dict[str, Any]
    race: Face | None = None
    stock: dict[str, int] = field(default_factory=lambda: dict.fromkeys(RESOURCES, 0))
    loyalty: int = 0
    vp: int = 0
    reserve: int = 0
    available: int = 0
    spent: int = 0
    attacks: list[int] = field(default_factory=list)  # markers of this seat on the boards of the others, by seat
    propaganda_used: bool = False
    discount_used: bool = False
    systems: list[list[Card]] = field(default_factory=lambda: [[] for _ in range(PLACES)])  # each from the bottom up
    advisor: Advisor | None = None
    hand: list[Card] = field(default_factory=list)

    # --- Resources, Loyalty, and Victory Points ---

    def take_race(self, race: Face) -> None:
        """Put the cubes on the starting spaces of the race's board."""
        self.race = race
        self.stock = {name: race["start"][name] for name in RESOURCES}
        self.loyalty = race["start_loyalty"]

    def gain(self, bundle: Bundle) -> None:
        """Gain resources; what goes beyond nine is lost."""
        for name in RESOURCES:
            self.stock[name] = min(self.constants["resource_cap"], self.stock[name] + bundle[name])

    def can_pay(self, bundle: Bundle) -> bool:
        """Whether the stock covers the whole bundle."""
        return all(self.stock[name] >= bundle[name] for name in RESOURCES)

    def pay(self, bundle: Bundle) -> None:
        """Spend resources that are there."""
        assert self.can_pay(bundle)
        for name in RESOURCES:
            self.stock[name] -= bundle[name]

    def change_loyalty(self, n: int) -> None:
        """Loyalty has a top but no bottom."""
        self.loyalty = min(self.constants["loyalty_max"], self.loyalty + n)

    def loyal(self) -> bool:
        """Whether loyalty is high enough for the gated cards."""
        return bool(self.loyalty >= self.constants["loyalty_gate"])

    # --- Cubes ---

    def take_actions(self, n: int) -> None:
        """Move cubes from the reserve to the available actions, as many as there are."""
        moved = min(n, self.reserve)
        self.reserve -= moved
        self.available += moved

    def cube_on(self, thing: Card | Advisor) -> None:
        """Put a cube of the reserve into the slot of a card."""
        assert self.reserve > 0 and thing.face["slot"] and not thing.cube
        self.reserve -= 1
        thing.cube = True

    def cube_off(self, thing: Card | Advisor) -> None:
        """Return the cube on a card, if any, to the reserve."""
        if thing.cube:
            thing.cube = False
            self.reserve += 1

    # --- Working cards ---

    def working(self) -> list[tuple[int, Card | Advisor]]:
        """The top card of each system and the advisor, each with its source number."""
        found: list[tuple[int, Card | Advisor]] = [
            (where, system[-1]) for where, system in enumerate(self.systems) if system
        ]
        if self.advisor:
            found.append((ADVISOR_SOURCE, self.advisor))
        return found

    def statics(self, name: str) -> Iterator[dict[str, Any]]:
        """Standing effects of one kind: of the race board and of the working cards."""
        assert self.race is not None
        for face in [self.race, *(thing.face for _, thing in self.working())]:
            yield from (mod for mod in face["static"] if mod["mod"] == name)

    def static_sum(self, name: str) -> int:
        """Total of the standing effects of one kind."""
        return sum(mod["n"] for mod in self.statics(name))

    def buildings(self) -> list[Card]:
        """All built cards, working or not."""
        return [card for system in self.systems for card in system]

    def system_of(self, card: Card) -> int:
        """Number of the system a built card lies in."""
        return next(where for where, system in enumerate(self.systems) if any(card is other for other in system))

    def open_systems(self) -> list[int]:
        """Systems that take one more card; the lowest unused number stands for a new one (rulebook: System, Build)."""
        ordinary = self.systems[: self.constants["max_systems"]]
        found = [where for where, system in enumerate(ordinary) if 0 < len(system) < self.constants["cards_per_system"]]
        unused = [where for where, system in enumerate(ordinary) if not system]
        found += unused[:1]
        for extra in self.statics("extra_system"):
            if len(self.systems[ALLUVIA_SYSTEM]) < extra["capacity"]:
                found.append(ALLUVIA_SYSTEM)
        return sorted(found)

    def all_systems_full(self) -> bool:
        """Every system this seat could have holds all the cards it can (rulebook: Check for End of Game)."""
        return not self.open_systems()

    # --- Hand ---

    def designs(self) -> list[int]:
        """Designs in hand, each once."""
        return sorted({card.index for card in self.hand})

    def hand_card(self, design: int, among: list[Card] | None = None) -> Card:
        """The copy that leaves first: one taken openly, else the one from the oldest deck."""
        copies = [card for card in (self.hand if among is None else among) if card.index == design]
        return min(copies, key=lambda card: card.number)


@dataclass(eq=False)
class Table:
    """The whole game: the seats and what lies between them."""

    content: dict[str, Any]
    seats: list[Seat]
    deck: list[Card]
    advisors: list[Advisor]  # face up on the table
    discard: list[Card] = field(default_factory=list)  # bottom to top
    deck_number: int = 0
    round: int = 1
    first_player: int = 0
    save_rule: str = "open"

    @property
    def constants(self) -> dict[str, Any]:
        """Numbers of the rulebook."""
        constants: dict[str, Any] = self.content["constants"]
        return constants

    def from_first(self) -> list[Seat]:
        """All seats in turn order, the first player first (rulebook: First Player)."""
        return self.seats[self.first_player :] + self.seats[: self.first_player]

    def clockwise(self, seat: Seat, steps: int) -> Seat:
        """The seat some places to the left."""
        return self.seats[(seat.place + steps) % len(self.seats)]

    def throw(self, seat: Seat, card: Card) -> None:
        """A card of the hand goes on top of the discard pile (rulebook: Discarding Cards)."""
        seat.hand.remove(card)
        self.discard.append(card)

    def deck_ready(self) -> bool:
        """Refill an empty deck with all but the top discard; say whether a card can be drawn (Running Out)."""
        if not self.deck and len(self.discard) > 1:
            self.deck, self.discard = self.discard[:-1], self.discard[-1:]
            self.deck_number += 1
        return bool(self.deck)

    def drop_advisor(self, seat: Seat) -> None:
        """An advisor goes back to the table and its cube to the reserve (rulebook: Deal)."""
        assert seat.advisor is not None
        seat.cube_off(seat.advisor)
        self.advisors.append(seat.advisor)
        seat.advisor = None


def new_table(content: dict[str, Any], players: int, advisors: bool) -> Table:
    """Everything out of the box, before any choice or chance (rulebook: Setup)."""
    constants = content["constants"]
    seats = [
        Seat(place, constants, reserve=constants["reserve_cubes"], attacks=[0] * players) for place in range(players)
    ]
    deck = [Card(index, face) for index, face in enumerate(content["cards"]) for _ in range(face["copies"])]
    lying = [Advisor(index, face) for index, face in enumerate(content["advisors"])] if advisors else []
    return Table(content, seats, deck, lying)


def describe(seat: Seat) -> dict[str, Any]:
    """One seat as plain data."""
    return {
        "race": seat.race["id"] if seat.race else None,
        **seat.stock,
        "loyalty": seat.loyalty,
        "vp": seat.vp,
        "available": seat.available,
        "spent": seat.spent,
        "reserve": seat.reserve,
        "attacks": list(seat.attacks),
        "propaganda_used": seat.propaganda_used,
        "discount_used": seat.discount_used,
        "systems": [[card.id for card in system] for system in seat.systems],
        "top_cube": [bool(system) and system[-1].cube for system in seat.systems],
        "advisor": seat.advisor.id if seat.advisor else None,
        "advisor_cube": seat.advisor is not None and seat.advisor.cube,
        "hand": sorted((card.id, card.number) for card in seat.hand),
    }


def score(seat: Seat) -> int:
    """Marker, loyalty and the points of all built cards, working or not (rulebook: Victory)."""
    buildings = seat.buildings()
    total = seat.vp + seat.loyalty
    for card in buildings:
        formula = card.face["vp_formula"]
        if formula is None:
            total += card.face["vp"]
        else:
            total += formula["n"] * sum(other.face["color"] == formula["color"] for other in buildings)
    return total
