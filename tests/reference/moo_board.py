"""Master of Orion: The Board Game as a slow, plain reference (rulebook: Setup, Game Flow, Phases 1 and 3, Victory).

Written from the rulebook and the game notes, not from the compiled engine, to be compared with it move by move.

Nodes. A decision with one legal action is still a node, except where there is nothing to ask: one source at ORDER or
TRIGGER, one payable direction of an exchange, a victim with fewer than two cards, an optional effect whose cost
cannot be paid, a discount that can be spread in one way only, a choice with one option. BUILD_MORE, TRADE_MORE and
ACTIVATE_MORE appear with NO alone where nothing else is possible; GRAY appears whenever a card was drawn; BLOCK and
BURY with a single place; DISMISS with a single opponent; discards go card by card even if the whole hand must go. A
discard lists each design in hand once.

Readings (what the notes leave open, and how it is read here):

 1. Names. Designs, advisors and races appear in snapshots by their ids. "node" is END once the game is over. "mover"
    is the seat that decides; at DRAW and RACE_DEALT the seat concerned; at FIRST, ASIDE and END -1. "first_player" is
    0 before FIRST; "round" is 1 during setup and keeps its last value at the end. Before its race is known a seat has
    no resources and loyalty 0 (they are read off the board), and its reserve is full.
 2. Races given as options are taken from the outset. A dealt race is uniform over all races no seat has, Humans
    included only while nobody has them. The tutorial makes everybody Humans without a node, whatever was asked.
    Order: races by seat, three ASIDE, FIRST, five draws for each player from the first, then mulligans.
    `advisors=False` leaves out advisors and ASIDE.
 3. A mulligan goes on with NO alone once the hand is empty. Draws of a player come after all of that player's
    discards.
 4. The deck is refilled just before the draw that needs it, so a DRAW node shows the new deck. The deck number rises
    only if the new deck has a card. A DRAW with one design left is a node too.
 5. A card taken openly from the discard pile has deck number -1 in the hand (so it leaves before a twin). A taken or
    discarded card forgets its number. At GRAY the copy that leaves is one of the drawn ones, even if an older twin is
    in hand.
 6. Mobilization of a seat: cubes (with the stored one of Harrava), loyalty, draw, bonus; each seat finishes before
    the next.
 7. At ORDER a source can apply if its extra cost can be paid, even if nothing would change. Which sources can apply
    is looked up anew after each. A card without R slot can always trigger. An R card needs a free slot, a cube in the
    reserve and something to do; among the R cards only Landing Craft against a victim without buildings has nothing
    to do.
 8. The action cube leaves the available ones at once, before any question of the action. The R cube is placed before
    its effect.
 9. Exploit: the card is discarded, then the bonus of the board is gained, then the exploit effect (gray: draws)
    follows.
10. Build: the total discount is fixed and Meklars' first discount marked as used (by any Build action, useful or not)
    before SAVE; the card leaves the hand when it is laid, after paying. SAVE is asked unit by unit as long as more
    than one complete split is possible, even if only one id is legal; the rest is then settled without a node. Class
    attribute `save_rule`: "open" (this), "choice" (asked only with two or more legal ids), "all" (if ever more than
    one split, then every unit).
11. Colonizer Ship's build has no NO. Civilian Ship asks for its second build even if the first was declined.
12. Declining a further exchange ends the Trade action; declining a further activation ends the Locator's effect.
13. The Locator may activate "another" card: any but the very card that is being applied (a twin counts as another).
14. REORDER appears with NO alone if no system has two buildings. REORDER_CARD is asked for every card, the last one
    too; the system changes when all are named. If the new top card has a twin in that system, the cube is lost.
15. TAKE appears even if one design only can be taken. The taken advisor's predecessor returns to the table after the
    discards.
16. Destroyer: the victim decides and discards; Star Fortresses answer one by one after all triggers, if still working
    then.
17. The end test comes before the discard to five, so at the end hands may be larger and cubes still lie around.
18. Before the end, `scores` and `returns` take the present standing as final.
"""

from typing import Any, ClassVar

from .moo_board_actions import take_action
from .moo_board_effects import (
    Context,
    Play,
    Question,
    apply_ability,
    can_afford,
    discard,
    draw,
    in_own_order,
)
from .moo_board_table import (
    ASIDE,
    CARD,
    FIRST,
    NO,
    OPTION,
    RACE,
    RACE_DEALT,
    RACE_SOURCE,
    RESOURCES,
    Seat,
    Table,
    describe,
    new_table,
    score,
)

CHANCE, TERMINAL = -1, -2


class Reference:
    """One game. `apply` takes decisions and outcomes of chance alike, so a game is a list of numbers."""

    save_rule: ClassVar[str] = "open"

    def __init__(
        self,
        players: int,
        races: list[str | None],
        variant: str = "standard",
        advisors: bool = True,
        content: dict[str, Any] | None = None,
    ) -> None:
        if content is None:
            raise TypeError("content is needed: the parsed data of the game")
        if variant not in content["constants"]["variants"]:
            raise ValueError(f"unknown variant {variant!r}")
        if len(races) != players:
            raise ValueError(f"{players} players but {len(races)} races")
        self.options = (players, list(races), variant, advisors, content)
        self.history: list[int] = []
        if variant == "tutorial":
            races, advisors = ["humans"] * players, False
        self.table = new_table(content, players, advisors)
        self.table.save_rule = self.save_rule
        self._script = game(self.table, ["choose" if race is None else race for race in races])
        self._question: Question | None = next(self._script)

    def to_play(self) -> int:
        """The seat that decides, -1 at chance, -2 at the end."""
        if self._question is None:
            return TERMINAL
        return self._question.seat if self._question.weights is None else CHANCE

    def legal(self) -> list[int]:
        """Ids in ascending order; nothing at the end."""
        return [] if self._question is None else list(self._question.options)

    def weights(self) -> list[int]:
        """Weights of the outcomes, in the order of `legal`."""
        if self._question is None or self._question.weights is None:
            raise ValueError("not a chance node")
        return list(self._question.weights)

    def apply(self, action: int) -> None:
        """Go on with a decision or an outcome."""
        if action not in self.legal():
            raise ValueError(f"{action} is not legal; legal are {self.legal()}")
        self.history.append(action)
        try:
            self._question = self._script.send(action)
        except StopIteration:
            self._question = None

    def copy(self) -> "Reference":
        """The same position, reached by playing the history again."""
        twin = type(self)(*self.options)
        for action in self.history:
            twin.apply(action)
        return twin

    def scores(self) -> list[int]:
        """Points of all seats as the table stands."""
        return [score(seat) for seat in self.table.seats]

    def returns(self, placement: bool = True) -> list[float]:
        """Utilities that sum to 0: mean result against each opponent, or the share of the win (`placement=False`)."""
        keys = [(score(seat), seat.loyalty, sum(seat.stock.values())) for seat in self.table.seats]
        others = len(keys) - 1
        if placement:
            return [sum((mine > theirs) - (mine < theirs) for theirs in keys) / others for mine in keys]
        best = max(keys)
        share = 1 / keys.count(best)
        return [(len(keys) * (share if key == best else 0) - 1) / others for key in keys]

    def snapshot(self) -> dict[str, Any]:
        """All of the state as plain data."""
        table, question = self.table, self._question
        return {
            "round": table.round,
            "first_player": table.first_player,
            "mover": question.seat if question else -1,
            "seats": [describe(seat) for seat in table.seats],
            "deck": sorted(card.id for card in table.deck),
            "deck_number": table.deck_number,
            "discard": [card.id for card in table.discard],
            "advisors_on_table": sorted(advisor.id for advisor in table.advisors),
            "node": question.kind if question else "END",
        }


# --- Setup ---


def game(table: Table, races: list[str]) -> Play[None]:
    """The whole game (rulebook: General Game Flow)."""
    yield from races_taken(table, races)
    yield from setup(table)
    while True:
        yield from start_of_round(table)
        yield from actions(table)
        if game_ends(table):
            return
        yield from end_of_round(table)


def races_taken(table: Table, races: list[str]) -> Play[None]:
    """Seat after seat gets its race: given, chosen or dealt; there is one board of each alien race."""
    boards = table.content["races"]
    by_id = {board["id"]: board for board in boards}
    for seat, wish in zip(table.seats, races, strict=True):
        if wish not in ("choose", "dealt"):
            seat.take_race(by_id[wish])
    for seat, wish in zip(table.seats, races, strict=True):
        if seat.race:
            continue
        taken = [other.race["id"] for other in table.seats if other.race]
        free = [i for i, board in enumerate(boards) if board["id"] not in taken]
        humans = next(i for i, board in enumerate(boards) if board["id"] == "humans")
        if wish == "dealt":
            options = [RACE_DEALT + i for i in free]
            chosen = (yield Question("RACE_DEALT", seat.place, options, [1] * len(free))) - RACE_DEALT
        else:
            chosen = (yield Question("RACE", seat.place, [RACE + i for i in sorted({*free, humans})])) - RACE
        seat.take_race(boards[chosen])


def setup(table: Table) -> Play[None]:
    """Advisors, first player, hands, one mulligan each (rulebook: Setup)."""
    if table.advisors:
        for _ in range(table.constants["advisors_set_aside"]):
            left = sorted(advisor.index for advisor in table.advisors)
            answer = yield Question("ASIDE", -1, [ASIDE + index for index in left], [1] * len(left))
            table.advisors = [advisor for advisor in table.advisors if advisor.index != answer - ASIDE]
    places = range(len(table.seats))
    table.first_player = (yield Question("FIRST", -1, [FIRST + place for place in places], [1 for _ in places])) - FIRST
    for seat in table.from_first():
        yield from draw(table, seat, table.constants["start_hand"])
    for seat in table.from_first():
        yield from mulligan(table, seat)


def mulligan(table: Table, seat: Seat) -> Play[None]:
    """Discard any number of cards once, then draw as many (rulebook: Setup)."""
    thrown = 0
    while (answer := (yield Question("MULLIGAN", seat.place, [*(CARD + d for d in seat.designs()), NO]))) != NO:
        table.throw(seat, seat.hand_card(answer - CARD))
        thrown += 1
    yield from draw(table, seat, thrown)


# --- Phase 1: Start of Round ---


def start_of_round(table: Table) -> Play[None]:
    """Icons of all cards, then mobilization, then effects of working cards and boards."""
    for seat in table.seats:
        for card in seat.buildings():
            seat.gain(card.face["icons"])
    for seat in table.from_first():
        yield from mobilize(table, seat)
    for seat in table.from_first():
        yield from start_effects(table, seat)


def mobilize(table: Table, seat: Seat) -> Play[None]:
    """The highest counter fixes the level; it gives actions and what else the board says."""
    assert seat.race is not None
    highest = max(seat.stock.values())
    level = next(name for name, (low, high) in table.constants["zones"].items() if low <= highest <= high)
    gives = seat.race["mobilization"][level]
    seat.take_actions(gives["actions"])
    if seat.advisor and stores_cube(seat) and seat.advisor.cube:
        seat.advisor.cube = False
        seat.available += 1
    seat.change_loyalty(gives["loyalty"])
    yield from draw(table, seat, gives["draw"])
    if choice := gives.get("choice"):
        answer = yield Question("BONUS", seat.place, [OPTION + i for i in range(len(choice))])
        bonus = choice[answer - OPTION]
        seat.gain(bonus.get("res", dict.fromkeys(RESOURCES, 0)))
        yield from draw(table, seat, bonus.get("draw", 0))


def stores_cube(seat: Seat) -> bool:
    """Whether the seat's advisor keeps a cube for the next round (rulebook: Harrava)."""
    return seat.advisor is not None and any(op["op"] == "store_cube" for op in seat.advisor.face["effect"])


def start_effects(table: Table, seat: Seat) -> Play[None]:
    """Effects "at the start of the round", in the order the seat likes."""
    board = seat.race
    assert board is not None

    def ready() -> dict[int, Any]:
        found: dict[int, Any] = {
            source: thing
            for source, thing in seat.working()
            if thing.face["timing"] == "start_of_round" and can_afford(seat, thing.face)
        }
        if any(can_afford(seat, entry) for entry in board["start_of_round"]):
            found[RACE_SOURCE] = board
        return found

    def use(thing: Any) -> Play[None]:
        if thing is board:
            for entry in board["start_of_round"]:
                yield from apply_ability(table, entry, Context(seat, None, entry["may"]))
        else:
            yield from apply_ability(table, thing.face, Context(seat, thing, thing.face["may"]))

    yield from in_own_order(seat, "ORDER", ready, use)


# --- Phase 2: Actions ---


def actions(table: Table) -> Play[None]:
    """One action each, clockwise from the first player, until no cube is left."""
    while any(seat.available for seat in table.seats):
        for seat in table.from_first():
            if seat.available:
                yield from take_action(table, seat)


# --- Phase 3: End of Round ---


def game_ends(table: Table) -> bool:
    """Eighth round over, loyalty gone, or somebody has no room left in any system."""
    return (
        table.round == table.constants["rounds"]
        or any(seat.loyalty <= 0 for seat in table.seats)
        or any(seat.all_systems_full() for seat in table.seats)
    )


def end_of_round(table: Table) -> Play[None]:
    """Hands down to five, cubes home, first player token to the left, next round."""
    for seat in table.from_first():
        yield from discard(table, seat, len(seat.hand) - table.constants["hand_limit_end_of_round"])
    for seat in table.seats:
        seat.reserve += seat.spent + sum(seat.attacks)
        seat.spent = 0
        seat.attacks = [0] * len(table.seats)
        for _, thing in seat.working():
            if not (thing is seat.advisor and stores_cube(seat)):
                seat.cube_off(thing)
        seat.propaganda_used = False
        seat.discount_used = False
    table.first_player = (table.first_player + 1) % len(table.seats)
    table.round += 1
