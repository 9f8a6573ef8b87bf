"""The record of Master of Orion: Conquest, and its actions.

Ids are small numbers: 0 = none, else 1 + index (card types by their place in their faction, starting cards first; faces
of the Exploration Deck; factions by their place in the content file; seats absolute). A card type is local to a
faction. A *world* is 0 the Home World, 1 and 2 the Planet places; a *slot* is 0 to 4 in a Row, 5 the top of the
Exploration Deck. A *face* is a side of an exploration card as it lies face up in deck and Row: planets, hazards, the
Planet sides of hazards (once beaten, they stay so), events.

STATE TABLE (public run first, then each seat's own, then hidden)
| field | shape | who knows it | meaning |
|---|---|---|---|
| players | | all | seats in play, 2 to 4 |
| utility | | all | what `returns` measures: 0 placement, 1 win |
| end_rule | | all | 0: the first fall of a Home World ends the game; 1: the last one standing wins |
| max_rounds | | all | the game ends after so many rounds |
| wish | 4 | all | how the seat gets its faction: 0 dealt, 1 + faction given, -1 the faction dealt to seat 0 |
| phase | | all | PHASE_*: where the turn stands |
| cursor | | all | set-up: seats done with |
| node | | all | what is asked now: NODE_* (0 = the game is over) |
| mover | | all | the seat that decides, draws, or whose card is turned up |
| round | | all | 1 to max_rounds; 0 before the first turn |
| first | | all | the first player |
| active | | all | whose turn it is |
| winner | | all | 1 + the seat that wins by the fall of another's Home World (end_rule 0) |
| fallen | 4 | all | the how-manieth fall this seat's was; 0 = it stands |
| depth | | all | number of pending frames |
| frame_pc | 10 | all | frame: the op of `content.PROGRAM` it stands at |
| frame_seat | 10 | all | frame: whose effect it is |
| frame_n | 10 | all | frame: a count that goes with the op |
| frame_a | 10 | all | frame: REVEAL 1 + the seat whose deck it is; ATTACH the card type |
| attacked | | all | 1: the attack of this turn is used |
| money | 4 | all | production left: general, of factories, of colony ships, from command points |
| cp_gained, cp_spent | | all | command points of this turn, beside those for ship classes |
| classes | | all | bits of the ship classes played this turn |
| acquired, upgraded, used | 3 | all | 1: world of `active` acquired, upgraded, its ability used this turn |
| ready | 24 | all | played this turn: ships that have done nothing yet, bases not yet stationed |
| spent | 24 | all | played this turn: everything else |
| foe | 2 | all | during an attack: 1 + left and right neighbour |
| fleets | | all | fleets of the attack |
| fleet_target | 23 | all | fleet: 1 + target (as in TARGET; a hazard's Row slot is kept up to date) |
| fleet_size | 23 | all | fleet: number of ships |
| fleet_extra | 23 | all | fleet: command points and fleet_bonus |
| fleet_block | 23 | all | fleet: what defending ships take off |
| ships | 40 | all | 1 + type, the ships of the first fleet, then of the second, ... |
| defenders | 24 | all | ships scrapped so far against the fleet in focus |
| held | | all | 1 + face of a Planet card on its way to a place |
| faction | 4 | all | 1 + faction |
| planet | 4, 2 | all | 1 + face in each place: a Planet, or a roving hazard |
| side | 4, 3 | all | 1: the world lies on its upgraded side |
| damage | 4, 3 | all | damage on the world |
| base | 4, 3 | all | 1 + type of the Base stationed there |
| base_damage | 4, 3 | all | damage on it |
| attached | 4, 3, 4 | all | Techs attached to the world, by the place among the faction's attaching types |
| row | 4, 5 | all | Empire Row: 1 + type |
| accrued | 4, 5 | all | production lying on it |
| empire | 4, 24 | all | types left in the Empire Deck |
| empire_size | 4 | all | their sum |
| discard | 4, 24 | all | discard pile |
| faceup | 4 | all | 1 + type of the top card of the Player Deck if it lies face up (not counted in `unseen`) |
| unseen | 4, 24 | all | hand and Player Deck together |
| known | 4, 24 | all | cards that everybody knows to be in the hand |
| hand_size, deck_size | 4 | all | cards in hand; face-down cards in the Player Deck |
| scrapped | 4 | all | cards that have left the game |
| explore | 5 | all | Exploration Row: 1 + face, oldest first, no gaps |
| tokens | 4, 6 | all | tokens of the seat on the Row and on the deck's top |
| top | | all | 1 + face on top of the Exploration Deck |
| top_new | | all | 1: the top is an event or hazard whose effect is still to come |
| explore_deck | 42 | all | faces in the shuffled part of the deck |
| explore_size | | all | their sum |
| recycled | 76 | all | 1 + face: known cards under the shuffled part, next one first |
| recycled_size | | all | their number |
| gone | | all | exploration cards that have left the game |
| hand | 4, 24 | its seat | hand |
| deck | 4, 24 | nobody | face-down Player Deck: unseen - hand |

ACTION TABLE
| ids | meaning |
|---|---|
| 0-23 | PLAY type |
| 24-47 | OR: use the "or" ability of a ready ship of the type |
| 48-52 | BUY Empire Row slot (also: take it by active_gain) |
| 53-57 | ACCRUE 1 on the slot (also: choose the card of lowest_accrue) |
| 58-63 | BUY_PLANET Exploration Row 0-4, deck top |
| 64-69 | BUY_RECYCLE the same |
| 70-72 | UPGRADE world |
| 73-78 | REPAIR 1: world 0-2, its Base 0-2 |
| 79-81 | ABILITY of world |
| 82-86 | CP_PLANET: recycle the Planet in Row slot 0-4 |
| 87-91 | CP_HAZARD: recycle the hazard in Row slot 0-4 |
| 92 | CP_MONEY: 1 command point becomes 1 production for the Empire Row |
| 93 | ROTATE |
| 94-99 | TOKEN on Row 0-4, deck top |
| 100 | ATTACK |
| 101-123 | TARGET: left Planets 1-2, left Home World, the same right, Row hazards 0-4, own roving hazards 1-2, |
| | left Row 0-4, right Row 0-4 |
| 124-147 | ADD a ship of the type to the open Fleet |
| 148 | CP_FLEET: 1 command point for the open Fleet |
| 149 | CONFIRM the attack |
| 150-173 | DEFEND with the type |
| 174-176 | WORLD |
| 177-179 | BASE of world |
| 180, 181 | SEAT left, right |
| 182-205 | CARD type of the hand |
| 206-229 | PILE: card type of the discard pile |
| 230, 231 | DONE (also decline), YES |
| 232-234 | DROP the Base of world |
| 235-239 | unused (padding of the policy head) |
| 240-243 | outcome: FIRST seat (absolute) |
| 244-267 | outcome: DRAW type (also: turned face up) |
| 268-291 | outcome: REFILL type |
| 292-333 | outcome: TOP face |
| 334-337 | outcome: DEALT faction |
"""

import numpy as np

from engines.contract import Field, Who

MAX_PLAYERS, TYPES, FACTIONS, WORLDS, PLACES, SLOTS, ROW = 4, 24, 4, 3, 2, 5, 5
TOP_SLOT, PLACES_SEEN = 5, 6
PLANETS, HAZARDS, BACKS, EVENTS = 24, 7, 5, 6
FACES = PLANETS + HAZARDS + BACKS + EVENTS
FACE_HAZARD, FACE_BACK, FACE_EVENT = PLANETS, PLANETS + HAZARDS, PLANETS + HAZARDS + BACKS
ATTACHERS, CLASSES, TARGETS, DEPTH, MAX_CARDS, MAX_EXPLORE = 4, 6, 23, 10, 40, 76

PLAY, OR, BUY, ACCRUE, BUY_PLANET, BUY_RECYCLE, UPGRADE, REPAIR, ABILITY = 0, 24, 48, 53, 58, 64, 70, 73, 79
CP_PLANET, CP_HAZARD, CP_MONEY, ROTATE, TOKEN, ATTACK, TARGET, ADD, CP_FLEET = 82, 87, 92, 93, 94, 100, 101, 124, 148
CONFIRM, DEFEND, WORLD, BASE, SEAT, CARD, PILE, DONE, YES, DROP = 149, 150, 174, 177, 180, 182, 206, 230, 231, 232
USED_ACTIONS, NUM_ACTIONS = 235, 240
FIRST, DRAW, REFILL, TOP, DEALT, NUM_IDS = 240, 244, 268, 292, 334, 338

T_HOME, T_RIGHT, T_HAZARD, T_ROVING, T_LEFT_ROW, T_RIGHT_ROW = 2, 3, 6, 11, 13, 18
"""Targets: left Planets 0-1, left Home World, right ones from T_RIGHT, Row hazards, own roving ones, Rows."""
GENERAL, FACTORY, COLONY, EMPIRE = range(4)
"""Kinds of production: general, of factories (also repairs), of colony ships, from command points."""

NODES = (
    *("over", "explore", "main", "rotate", "token", "fleet", "defend", "own_damage", "replace", "station", "attach"),
    *("seat", "discard", "thin", "reveal", "row_scrap", "direct", "gain", "gift", "reward", "repair"),
    *("deal", "first", "top_planet", "top", "refill", "draw", "turn_up"),
)
NODE_OVER, NODE_EXPLORE, NODE_MAIN, NODE_ROTATE, NODE_TOKEN, NODE_FLEET, NODE_DEFEND, NODE_OWN_DAMAGE = range(8)
NODE_REPLACE, NODE_STATION, NODE_ATTACH, NODE_SEAT, NODE_DISCARD, NODE_THIN, NODE_REVEAL = range(8, 15)
NODE_ROW_SCRAP, NODE_DIRECT, NODE_GAIN, NODE_GIFT, NODE_REWARD, NODE_REPAIR = range(15, 21)
NODE_DEAL, NODE_FIRST, NODE_TOP_PLANET, NODE_TOP, NODE_REFILL, NODE_DRAW, NODE_TURN_UP = range(21, 28)
"""Those from NODE_DEAL on are chance."""
HAND_NODES = (NODE_DISCARD,)
"""Where all choices are cards of the mover's hand."""

PHASES = ("deal", "first", "top", "rows", "hands", "start", "explore", "main", "station", "end", "next", "over")
PHASE_DEAL, PHASE_FIRST, PHASE_TOP, PHASE_ROWS, PHASE_HANDS, PHASE_START, PHASE_EXPLORE, PHASE_MAIN = range(8)
PHASE_STATION, PHASE_END, PHASE_NEXT, PHASE_OVER = range(8, 12)

UTILITIES = ("placement", "win")
END_RULES = ("first_fall", "last_standing")
CLASS_NAMES = ("Frigate", "Destroyer", "Cruiser", "Battleship", "Titan", "Doom Star")

State = np.dtype(
    [
        ("players", "i1"),
        ("utility", "i1"),
        ("end_rule", "i1"),
        ("max_rounds", "i2"),
        ("wish", "i1", (MAX_PLAYERS,)),
        ("phase", "i1"),
        ("cursor", "i1"),
        ("node", "i1"),
        ("mover", "i1"),
        ("round", "i2"),
        ("first", "i1"),
        ("active", "i1"),
        ("winner", "i1"),
        ("fallen", "i1", (MAX_PLAYERS,)),
        ("depth", "i1"),
        ("frame_pc", "i2", (DEPTH,)),
        ("frame_seat", "i1", (DEPTH,)),
        ("frame_n", "i2", (DEPTH,)),
        ("frame_a", "i1", (DEPTH,)),
        ("attacked", "i1"),
        ("money", "i2", (4,)),
        ("cp_gained", "i2"),
        ("cp_spent", "i2"),
        ("classes", "i1"),
        ("acquired", "i1", (WORLDS,)),
        ("upgraded", "i1", (WORLDS,)),
        ("used", "i1", (WORLDS,)),
        ("ready", "i1", (TYPES,)),
        ("spent", "i1", (TYPES,)),
        ("foe", "i1", (2,)),
        ("fleets", "i1"),
        ("fleet_target", "i1", (TARGETS,)),
        ("fleet_size", "i1", (TARGETS,)),
        ("fleet_extra", "i2", (TARGETS,)),
        ("fleet_block", "i2", (TARGETS,)),
        ("ships", "i1", (MAX_CARDS,)),
        ("defenders", "i1", (TYPES,)),
        ("held", "i1"),
        ("faction", "i1", (MAX_PLAYERS,)),
        ("planet", "i1", (MAX_PLAYERS, PLACES)),
        ("side", "i1", (MAX_PLAYERS, WORLDS)),
        ("damage", "i2", (MAX_PLAYERS, WORLDS)),
        ("base", "i1", (MAX_PLAYERS, WORLDS)),
        ("base_damage", "i2", (MAX_PLAYERS, WORLDS)),
        ("attached", "i1", (MAX_PLAYERS, WORLDS, ATTACHERS)),
        ("row", "i1", (MAX_PLAYERS, ROW)),
        ("accrued", "i1", (MAX_PLAYERS, ROW)),
        ("empire", "i1", (MAX_PLAYERS, TYPES)),
        ("empire_size", "i1", (MAX_PLAYERS,)),
        ("discard", "i1", (MAX_PLAYERS, TYPES)),
        ("faceup", "i1", (MAX_PLAYERS,)),
        ("unseen", "i1", (MAX_PLAYERS, TYPES)),
        ("known", "i1", (MAX_PLAYERS, TYPES)),
        ("hand_size", "i1", (MAX_PLAYERS,)),
        ("deck_size", "i1", (MAX_PLAYERS,)),
        ("scrapped", "i1", (MAX_PLAYERS,)),
        ("explore", "i1", (SLOTS,)),
        ("tokens", "i1", (MAX_PLAYERS, PLACES_SEEN)),
        ("top", "i1"),
        ("top_new", "i1"),
        ("explore_deck", "i1", (FACES,)),
        ("explore_size", "i1"),
        ("recycled", "i1", (MAX_EXPLORE,)),
        ("recycled_size", "i1"),
        ("gone", "i1"),
        ("hand", "i1", (MAX_PLAYERS, TYPES)),
        ("deck", "i1", (MAX_PLAYERS, TYPES)),
    ],
    align=True,
)

_SEATS = ("seat",)
_CARDS = ("seat", "card")


def _bit(*axes: str) -> Field:
    return Field(axes=axes, least=0, most=1)


def _copies(*axes: str) -> Field:
    return Field(axes=axes, least=0, most=MAX_CARDS)


FIELDS = {
    "players": Field(least=2, most=MAX_PLAYERS),
    "utility": _bit(),
    "end_rule": _bit(),
    "max_rounds": Field(least=1, most=100),
    "wish": Field(axes=_SEATS, least=-1, most=FACTIONS),
    "phase": Field(values="phase", first=0),
    "cursor": Field(least=0, most=MAX_PLAYERS),
    "node": Field(values="node", first=0),
    "mover": Field(least=0, most=MAX_PLAYERS - 1),
    "round": Field(least=0, most=100),
    "first": Field(least=0, most=MAX_PLAYERS - 1),
    "active": Field(least=0, most=MAX_PLAYERS - 1),
    "winner": Field(least=0, most=MAX_PLAYERS),
    "fallen": Field(axes=_SEATS, least=0, most=MAX_PLAYERS),
    "depth": Field(least=0, most=DEPTH),
    "frame_pc": Field(axes=("list",), least=0),
    "frame_seat": Field(axes=("list",), least=0, most=MAX_PLAYERS - 1),
    "frame_n": Field(axes=("list",), least=0, most=99),
    "frame_a": Field(axes=("list",), least=0, most=TYPES - 1),
    "attacked": _bit(),
    "money": Field(axes=("money",), least=0, most=999),
    "cp_gained": Field(least=0, most=999),
    "cp_spent": Field(least=0, most=999),
    "classes": Field(least=0, most=(1 << CLASSES) - 1),
    "acquired": _bit("world"),
    "upgraded": _bit("world"),
    "used": _bit("world"),
    "ready": _copies("card"),
    "spent": _copies("card"),
    "foe": Field(axes=("side",), least=0, most=MAX_PLAYERS),
    "fleets": Field(least=0, most=TARGETS),
    "fleet_target": Field(axes=("list",), least=0, most=TARGETS),
    "fleet_size": _copies("list"),
    "fleet_extra": Field(axes=("list",), least=0, most=999),
    "fleet_block": Field(axes=("list",), least=0, most=9999),
    "ships": Field(axes=("list",), values="card"),
    "defenders": _copies("card"),
    "held": Field(values="face"),
    "faction": Field(axes=_SEATS, values="faction"),
    "planet": Field(axes=("seat", "place"), values="face"),
    "side": _bit("seat", "world"),
    "damage": Field(axes=("seat", "world"), least=0, most=999),
    "base": Field(axes=("seat", "world"), values="card"),
    "base_damage": Field(axes=("seat", "world"), least=0, most=999),
    "attached": _copies("seat", "world", "attacher"),
    "row": Field(axes=("seat", "slot"), values="card"),
    "accrued": Field(axes=("seat", "slot"), least=0, most=99),
    "empire": _copies(*_CARDS),
    "empire_size": _copies(*_SEATS),
    "discard": _copies(*_CARDS),
    "faceup": Field(axes=_SEATS, values="card"),
    "unseen": _copies(*_CARDS),
    "known": _copies(*_CARDS),
    "hand_size": _copies(*_SEATS),
    "deck_size": _copies(*_SEATS),
    "scrapped": _copies(*_SEATS),
    "explore": Field(axes=("list",), values="face"),
    "tokens": Field(axes=("seat", "slot"), least=0, most=99),
    "top": Field(values="face"),
    "top_new": _bit(),
    "explore_deck": Field(axes=("face",), least=0, most=MAX_EXPLORE),
    "explore_size": Field(least=0, most=MAX_EXPLORE),
    "recycled": Field(axes=("list",), values="face"),
    "recycled_size": Field(least=0, most=MAX_EXPLORE),
    "gone": Field(least=0, most=MAX_EXPLORE),
    "hand": Field(Who.SEAT, _CARDS, least=0, most=MAX_CARDS),
    "deck": Field(Who.NOBODY, _CARDS),
}
