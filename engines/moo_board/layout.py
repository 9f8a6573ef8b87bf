"""The record of Master of Orion: The Board Game, and its actions.

Ids are small numbers: 0 = none, else 1 + index (designs, advisors and races by their place in the content file, seats
absolute). Resources are food, fleet, production. A *source* is where an effect comes from: systems 0 to 3, 4 = the
fifth system (Alluvia's), 5 = the advisor, 6 = the race board. Only the top card of a system and the advisor can hold a
cube, one at most, so a cube lies at (seat, source).

Deck numbers: the first deck is number 0, every refill starts the next. A card that nobody has seen since it was
shuffled (in a hand or in the deck) carries the number of its deck; `hand`, `unseen` store 1 + number, ascending, zeros
after. A card taken openly is `known` and carries none. Of equal cards in a hand a known one leaves first, else the
oldest (a gray exploit discards one of those just drawn). Whatever leaves a hand shows its number. There is room for 16
numbers; past that, numbers that no unseen card carries are dropped, and if there is none, the two oldest are from then
on one: the table no longer tells them apart (games have had 11 refills at most).

STATE TABLE (public run first, then each seat's own, then hidden)
| field | shape | who knows it | meaning |
|---|---|---|---|
| players | | all | seats in play, 2 to 4 |
| utility | | all | what `returns` measures: 0 placement, 1 win |
| with_advisors | | all | 1: advisors are in the game |
| race_mode | 4 | all | how the seat gets its race: 0 given, 1 chooses, 2 dealt |
| phase | | all | PHASE_*: where the round stands |
| cursor | | all | seats (PHASE_ASIDE: advisors) done with in this phase; PHASE_ACTIONS: 1 once `turn` has begun |
| round | | all | 1 to 8; 0 before the first |
| first | | all | the first player |
| turn | | all | whose main action is or was last being played; an exploited gray card belongs to this seat |
| node | | all | what is asked now: NODE_* (0 = the game is over, 1-22 decisions, 23-26 chance) |
| mover | | all | the seat that decides, draws or is dealt to |
| draws | | all | cards that `mover` still draws, this one included |
| gray | 2 | all | during a gray exploit: cards of `drawn[turn]` from deck_number - 1, and from deck_number |
| design | | all | 1 + design chosen to be built: it has left the hand and is not yet laid |
| place | | all | the system it goes to (0 if design is none) |
| discount | | all | units of the discount on it still to be split |
| cost | 3 | all | what is left of its cost |
| save_from | | all | SAVE may not name an earlier resource than this |
| used_sources | | all | bits of the sources that have triggered in this window (ORDER, TRIGGER, defence) |
| open_sources | | all | at ORDER and TRIGGER: bits of the sources that can be named; else 0 |
| placed | 5 | all | REORDER_CARD: 1 + design of the cards put down so far, from the top down |
| depth | | all | number of pending frames |
| frame_pc | 12 | all | frame: the op of `content.PROGRAM` it stands at; below the top: what comes next |
| frame_seat | 12 | all | frame: the seat whose effect it is (DISCARD: who discards) |
| frame_source | 12 | all | frame: the source of the effect (REORDER_CARD: the system) |
| frame_target | 12 | all | frame: 1 + the other seat of an attack; DEAL: 1 + advisor; 0 none |
| frame_n | 12 | all | frame: a count: DISCARD cards to go, MULLIGAN cards discarded, ACTIVATE_MORE and TRADE_MORE |
| | | | uses still open, an effect on each opponent: seats seen to |
| race | 4 | all | 1 + race |
| resources | 4, 3 | all | 0 to 9 |
| loyalty | 4 | all | at most 10, no minimum |
| vp | 4 | all | the marker on the score track |
| available | 4 | all | action cubes |
| spent | 4 | all | cubes spent on the own board |
| attacks | 4, 4 | all | attack markers of seat (first axis) on seat (second) |
| propaganda | 4 | all | 1: taken this round |
| discount_used | 4 | all | 1: the race's once-a-round discount is used |
| advisor | 4 | all | 1 + advisor |
| cube | 4, 6 | all | 1: a cube lies in the slot of this source (0-4 top card of the system, 5 the advisor) |
| systems | 4, 5, 5 | all | 1 + design, from the top card down |
| table | 8 | all | 1: the advisor lies on the table |
| discard_size | | all | cards in the discard pile |
| discard | 90 | all | 1 + design, from the bottom up |
| deck_size | | all | cards in the deck |
| deck_number | | all | number of the deck now drawn from |
| hand_size | 4 | all | cards in hand, known ones included |
| known | 4, 45 | all | copies of the design that everybody knows the seat to hold |
| unknown | 4, 16 | all | cards of this deck number in the seat's hand that others do not know |
| unseen | 45, 4 | all | 1 + deck number of each unseen copy of the design (in hands, or in the deck) |
| hand | 4, 45, 4 | its seat | 1 + deck number of each copy in hand that is not `known` |
| drawn | 4, 4 | its seat | during a gray exploit: 1 + design of the cards drawn (they are in `hand` too): |
| | | | first the gray[0] older, then the gray[1] newer ones, each run ascending |
| deck | 45 | nobody | copies in the deck: the unseen copies of deck_number that are in no hand |

For each number: sum over designs of unseen copies = sum over seats of `unknown`, plus deck_size for deck_number.
hand_size = sum of known + sum of unknown. Cubes in a seat's reserve = 10 - available - spent - its attacks - its cubes.

ACTION TABLE
| ids | meaning |
|---|---|
| 0-44 | EXPLOIT design |
| 45-269 | BUILD design * 5 + system (0-3, the lowest unused = a new one; 4 = Alluvia's); builds by an effect too |
| 270, 271 | EXPLORE, PROPAGANDA |
| 272-277 | TRADE food>fleet, food>production, fleet>food, fleet>production, production>food, production>fleet |
| 278-280 | ATTACK seat +1 to +3 clockwise from the mover |
| 281-288 | DEAL advisor |
| 289-295 | SOURCE 0-6: activate, order of triggers |
| 296-340 | CARD design: discard, take, reorder |
| 341-343 | OPTION 0-2, in the order of the content; EXCHANGE 0 = pay the first side; VICTIM 0 = cards, 1 = loyalty |
| 344-346 | SAVE food, fleet, production |
| 347-349 | TARGET seat +1 to +3 |
| 350-355 | OPP_SLOT: systems 0-4, advisor of the attacked seat |
| 356-360 | OWN_SYSTEM 0-4 |
| 361, 362 | YES, NO |
| 363-369 | RACE |
| 370-383 | unused (padding of the policy head) |
| 384-428 | outcome: DRAW design |
| 429-432 | outcome: FIRST seat (absolute) |
| 433-440 | outcome: ASIDE advisor |
| 441-447 | outcome: RACE_DEALT race |
"""

import numpy as np

from engines.contract import Field, Who

MAX_PLAYERS, DESIGNS, ADVISORS, RACES = 4, 45, 8, 7
SYSTEMS, CARDS, SOURCES, SLOTS = 5, 5, 7, 6
COPIES, NUMBERS, MAX_CARDS, DRAWN, DEPTH = 4, 16, 90, 4, 12
FIFTH, ADVISOR, BOARD = 4, 5, 6
"""Sources with a name of their own: Alluvia's system, the advisor, the race board."""
FOOD, FLEET, PRODUCTION = 0, 1, 2
BLUE, RED, YELLOW, GRAY = 0, 1, 2, 3

EXPLOIT, BUILD, EXPLORE, PROPAGANDA, TRADE, ATTACK, DEAL = 0, 45, 270, 271, 272, 278, 281
SOURCE, CARD, OPTION, SAVE, TARGET, OPP_SLOT, OWN_SYSTEM = 289, 296, 341, 344, 347, 350, 356
YES, NO, RACE, NUM_ACTIONS = 361, 362, 363, 384
DRAW, FIRST, ASIDE, RACE_DEALT, NUM_IDS = 384, 429, 433, 441, 448

TRADE_GIVES = np.array([0, 0, 1, 1, 2, 2], np.int8)
TRADE_GETS = np.array([1, 2, 0, 2, 0, 1], np.int8)
for _table in (TRADE_GIVES, TRADE_GETS):
    _table.setflags(write=False)

NODE_OVER = 0
NODE_RACE, NODE_MULLIGAN, NODE_DISCARD, NODE_GRAY, NODE_TAKE, NODE_BONUS, NODE_GAIN, NODE_EXCHANGE = range(1, 9)
NODE_VICTIM, NODE_OPTIONAL, NODE_MAIN, NODE_SAVE, NODE_BUILD_MORE, NODE_TRADE_MORE, NODE_ACTIVATE_MORE = range(9, 16)
NODE_ORDER, NODE_TRIGGER, NODE_BLOCK, NODE_BURY, NODE_DISMISS, NODE_REORDER, NODE_REORDER_CARD = range(16, 23)
NODE_RACE_DEALT, NODE_ASIDE, NODE_FIRST, NODE_DRAW = range(23, 27)
"""Decisions are the nodes from NODE_RACE on; those from NODE_RACE_DEALT on are chance."""

PHASE_RACES, PHASE_ASIDE, PHASE_FIRST, PHASE_HANDS, PHASE_MULLIGAN, PHASE_INCOME, PHASE_MOBILIZE = range(7)
PHASE_START, PHASE_ACTIONS, PHASE_LIMIT, PHASE_OVER = range(7, 11)

PHASES = (
    *("races", "aside", "first", "hands", "mulligan", "income", "mobilize"),
    *("start", "actions", "limit", "over"),
)
NODES = (
    *("over", "race", "mulligan", "discard", "gray", "take", "bonus", "gain", "exchange"),
    *("victim", "optional", "main", "save", "build_more", "trade_more", "activate_more"),
    *("order", "trigger", "block", "bury", "dismiss", "reorder", "reorder_card"),
    *("race_dealt", "aside", "first", "draw"),
)
RACE_MODES = ("given", "choose", "dealt")
UTILITIES = ("placement", "win")

State = np.dtype(
    [
        ("players", "i1"),
        ("utility", "i1"),
        ("with_advisors", "i1"),
        ("race_mode", "i1", (MAX_PLAYERS,)),
        ("phase", "i1"),
        ("cursor", "i1"),
        ("round", "i1"),
        ("first", "i1"),
        ("turn", "i1"),
        ("node", "i1"),
        ("mover", "i1"),
        ("draws", "i1"),
        ("gray", "i1", (2,)),
        ("design", "i1"),
        ("place", "i1"),
        ("discount", "i1"),
        ("cost", "i1", (3,)),
        ("save_from", "i1"),
        ("used_sources", "i1"),
        ("open_sources", "i1"),
        ("placed", "i1", (CARDS,)),
        ("depth", "i1"),
        ("frame_pc", "i2", (DEPTH,)),
        ("frame_seat", "i1", (DEPTH,)),
        ("frame_source", "i1", (DEPTH,)),
        ("frame_target", "i1", (DEPTH,)),
        ("frame_n", "i1", (DEPTH,)),
        ("race", "i1", (MAX_PLAYERS,)),
        ("resources", "i1", (MAX_PLAYERS, 3)),
        ("loyalty", "i2", (MAX_PLAYERS,)),
        ("vp", "i2", (MAX_PLAYERS,)),
        ("available", "i1", (MAX_PLAYERS,)),
        ("spent", "i1", (MAX_PLAYERS,)),
        ("attacks", "i1", (MAX_PLAYERS, MAX_PLAYERS)),
        ("propaganda", "i1", (MAX_PLAYERS,)),
        ("discount_used", "i1", (MAX_PLAYERS,)),
        ("advisor", "i1", (MAX_PLAYERS,)),
        ("cube", "i1", (MAX_PLAYERS, SLOTS)),
        ("systems", "i1", (MAX_PLAYERS, SYSTEMS, CARDS)),
        ("table", "i1", (ADVISORS,)),
        ("discard_size", "i1"),
        ("discard", "i1", (MAX_CARDS,)),
        ("deck_size", "i1"),
        ("deck_number", "i1"),
        ("hand_size", "i1", (MAX_PLAYERS,)),
        ("known", "i1", (MAX_PLAYERS, DESIGNS)),
        ("unknown", "i1", (MAX_PLAYERS, NUMBERS)),
        ("unseen", "i1", (DESIGNS, COPIES)),
        ("hand", "i1", (MAX_PLAYERS, DESIGNS, COPIES)),
        ("drawn", "i1", (MAX_PLAYERS, DRAWN)),
        ("deck", "i1", (DESIGNS,)),
    ],
    align=True,
)

_SEATS = ("seat",)
FIELDS = {
    "players": Field(least=2, most=MAX_PLAYERS),
    "utility": Field(least=0, most=1),
    "with_advisors": Field(least=0, most=1),
    "race_mode": Field(axes=_SEATS, values="race_mode", first=0),
    "phase": Field(values="phase", first=0),
    "cursor": Field(least=0, most=ADVISORS),
    "round": Field(least=0, most=8),
    "first": Field(least=0, most=MAX_PLAYERS - 1),
    "turn": Field(least=0, most=MAX_PLAYERS - 1),
    "node": Field(values="node", first=0),
    "mover": Field(least=0, most=MAX_PLAYERS - 1),
    "draws": Field(least=0, most=MAX_CARDS),
    "gray": Field(axes=("age",), least=0, most=DRAWN),
    "design": Field(values="design"),
    "place": Field(least=0, most=SYSTEMS - 1),
    "discount": Field(least=0, most=27),
    "cost": Field(axes=("resource",), least=0, most=9),
    "save_from": Field(least=0, most=2),
    "used_sources": Field(least=0, most=(1 << SOURCES) - 1),
    "open_sources": Field(least=0, most=(1 << SOURCES) - 1),
    "placed": Field(axes=("list",), values="design"),
    "depth": Field(least=0, most=DEPTH),
    "frame_pc": Field(axes=("list",), least=0),
    "frame_seat": Field(axes=("list",), least=0, most=MAX_PLAYERS - 1),
    "frame_source": Field(axes=("list",), least=0, most=SOURCES - 1),
    "frame_target": Field(axes=("list",), least=0, most=ADVISORS),
    "frame_n": Field(axes=("list",), least=0),
    "race": Field(axes=_SEATS, values="race"),
    "resources": Field(axes=("seat", "resource"), least=0, most=9),
    "loyalty": Field(axes=_SEATS, least=-10_000, most=10),
    "vp": Field(axes=_SEATS, least=0, most=10_000),
    "available": Field(axes=_SEATS, least=0, most=15),
    "spent": Field(axes=_SEATS, least=0, most=15),
    "attacks": Field(axes=("seat", "seat"), least=0, most=5),
    "propaganda": Field(axes=_SEATS, least=0, most=1),
    "discount_used": Field(axes=_SEATS, least=0, most=1),
    "advisor": Field(axes=_SEATS, values="advisor"),
    "cube": Field(axes=("seat", "slot"), least=0, most=1),
    "systems": Field(axes=("seat", "system", "list"), values="design"),
    "table": Field(axes=("advisor",), least=0, most=1),
    "discard_size": Field(least=0, most=MAX_CARDS),
    "discard": Field(axes=("list",), values="design"),
    "deck_size": Field(least=0, most=MAX_CARDS),
    "deck_number": Field(least=0, most=NUMBERS - 1),
    "hand_size": Field(axes=_SEATS, least=0, most=MAX_CARDS),
    "known": Field(axes=("seat", "design"), least=0, most=COPIES),
    "unknown": Field(axes=("seat", "list"), least=0, most=MAX_CARDS),
    "unseen": Field(axes=("design", "list"), least=0, most=NUMBERS),
    "hand": Field(Who.SEAT, ("seat", "design", "list"), least=0, most=NUMBERS),
    "drawn": Field(Who.SEAT, ("seat", "list"), "design"),
    "deck": Field(Who.NOBODY, ("design",)),
}
