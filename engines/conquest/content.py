"""Content data as tables: a YAML file is checked, then compiled into read-only integer arrays and small programs.

An ability is a program: rows of `PROGRAM`, one op of `ops` each, [op, n]. Besides the abilities of cards, worlds and
instants the table holds the flow of the rules themselves (settling, the attack, drawing), so that one interpreter runs
it all.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.content_file import frozen, read_content
from engines.effects.program import Program
from engines.kernel import content_path

from . import ops, schema
from .layout import (
    ATTACHERS,
    BACKS,
    CLASS_NAMES,
    EVENTS,
    FACE_BACK,
    FACE_EVENT,
    FACE_HAZARD,
    FACES,
    FACTIONS,
    HAZARDS,
    PLANETS,
    TYPES,
)

SHIP, BASE, TECH, SUPPORT = 1, 2, 3, 4
SCOUT, FACTORY, COLONY = 1, 2, 3
PLANET, HAZARD, EVENT = 0, 1, 2
ON_PLANET, ON_HOME, ON_ANY = 1, 2, 3
_TYPES, _KINDS = ("", "ship", "base", "tech", "support"), (None, "scout", "factory", "colony")


def read(path: Path) -> schema.Content:
    """The content of the file `path`, checked; see `read_content`."""
    return read_content(path, schema.Content)


CONTENT_FILE = content_path(__package__ or "", Path(__file__).parent / "content" / "standard.yaml")
CONTENT_HASH = hashlib.sha256(CONTENT_FILE.read_bytes()).hexdigest()[:12]
_content = read(CONTENT_FILE)
_k, _factions, _explore = _content.constants, [*_content.factions.values()], _content.exploration
FACTION_IDS, DEFAULT_FACTIONS = tuple(_content.factions), tuple(_k.default_factions)
FACTION_NAMES = tuple(f.name for f in _factions)
HOME_NAMES = tuple(f.homeworld.name for f in _factions)

HAND, FIRST_HAND, EMPIRE_ROW, EXPLORE_ROW = _k.hand, _k.first_player_hand, _k.empire_row, _k.exploration_row
EXPLORE_MORE, ROW_DAMAGE, LEAST_PRICE = (
    _k.exploration_row_per_extra_player,
    _k.empire_row_damage_per_attack,
    _k.planet_min_cost,
)
CP_PLANET, CP_PLANET_TOKENS = _k.cp_uses.recycle_planet, _k.cp_uses.recycle_planet_enemy_tokens
CP_HAZARD, MAX_ROUNDS = _k.cp_uses.recycle_hazard, _k.max_rounds
CP_OF = frozen(_k.command_points)
"""Command points by number of ship classes played."""
HOME_SIDE = frozen([0, 0, *(int(_k.home_world_start[n] == "back") for n in (2, 3, 4))])
DECKS = frozen([0, 0, *(_k.exploration_decks[n] for n in (2, 3, 4))])

_programs = Program(ops.OPS)
PC_DRAW = _programs.place([ops.DRAW])
PC_DISCARD = _programs.place([ops.DISCARD])
PC_OWN_DAMAGE = _programs.place([ops.OWN_DAMAGE])
PC_GIFT = _programs.place([ops.GIFT])
PC_TURN_UP = _programs.place([ops.TURN_UP])
PC_REFILL = _programs.place([ops.REFILL])
PC_SETTLE = _programs.place([ops.SETTLE])
PC_REPLACE = _programs.place([ops.REPLACE])
PC_ATTACH = _programs.place([ops.ATTACH])
PC_REWARD = _programs.place([ops.REWARD])
PC_STATION = _programs.place([ops.STATION])
PC_TOKEN = _programs.place([ops.TOKEN])
PC_SHUFFLED = _programs.place([ops.SHUFFLED])
PC_ATTACK = _programs.place([ops.FLEETS], [ops.DEFENSE], [ops.RESOLVE])


def _ability(effects: list[Any]) -> int:
    """Place an ability; 0 if there is none."""
    return _programs.place(*_programs.compiled(effects))


_cards = [[*f.starting.values(), *f.empire.values()] for f in _factions]
CARD_IDS = tuple((*f.starting, *f.empire) for f in _factions)
CARD_NAMES = tuple(tuple(card.name for card in cards) for cards in _cards)


def _by_card(value: Any) -> NDArray[Any]:
    """A number of every card type: int16[FACTIONS, TYPES], 0 for the types that a faction has not."""
    return frozen([[value(c) for c in cards] + [0] * (TYPES - len(cards)) for cards in _cards])


TYPE = _by_card(lambda c: _TYPES.index(c.type))
KIND = _by_card(lambda c: _KINDS.index(c.kind))
CLASS = _by_card(lambda c: CLASS_NAMES.index(c.ship_class) if c.ship_class else 0)
COST, ATTACK = _by_card(lambda c: c.cost), _by_card(lambda c: c.attack)
BASE_POPULATION, PRODUCTION = _by_card(lambda c: c.population), _by_card(lambda c: c.production)
IGNORES, UNBLOCKABLE = _by_card(lambda c: int(c.mods.ignore_base)), _by_card(lambda c: c.mods.unblockable)
DEFENSE, VERSUS = _by_card(lambda c: c.mods.defense_bonus), _by_card(lambda c: c.mods.vs_planet)
INTERCEPT = _by_card(lambda c: c.mods.intercept)
FORMATION = _by_card(lambda c: sum(1 << CLASS_NAMES.index(x) for x in c.formation.requires) if c.formation else 0)
FORMATION_ATTACK = _by_card(lambda c: c.formation.attack if c.formation else 0)
ABILITY_PC, OR_PC = _by_card(lambda c: _ability(c.ability)), _by_card(lambda c: _ability(c.or_ability))
ATTACH_TO = _by_card(lambda c: (None, "planet", "homeworld", "any").index(c.attach.target) if c.attach else 0)
START_COPIES = frozen([[c.copies for c in f.starting.values()] + [0] * (TYPES - len(f.starting)) for f in _factions])
COPIES = _by_card(lambda c: c.copies)
TOTAL = frozen([sum(c.copies for c in cards) for cards in _cards])

ATTACH_PLACE = np.zeros((FACTIONS, TYPES), np.int16)
"""Place of an attaching Tech among those of its faction."""
ATTACH_TYPE = np.full((FACTIONS, ATTACHERS), -1, np.int16)
ATTACH_PRODUCTION, ATTACH_POPULATION, SHIELD = (np.zeros((FACTIONS, ATTACHERS), np.int16) for _ in range(3))
for _f, _list in enumerate(_cards):
    _n = 0
    for _t, _card in enumerate(_list):
        if _card.attach is not None:
            ATTACH_PLACE[_f, _t], ATTACH_TYPE[_f, _n] = _n, _t
            ATTACH_PRODUCTION[_f, _n], ATTACH_POPULATION[_f, _n] = _card.attach.production, _card.attach.population
            SHIELD[_f, _n] = _card.attach.shield
            _n += 1
for _table in (ATTACH_PLACE, ATTACH_TYPE, ATTACH_PRODUCTION, ATTACH_POPULATION, SHIELD):
    _table.setflags(write=False)

_homes = [(f.homeworld.front, f.homeworld.back) for f in _factions]
HOME_COST = frozen([[x.cost for x in sides] for sides in _homes])
HOME_POPULATION = frozen([[x.population for x in sides] for sides in _homes])
HOME_PRODUCTION = frozen([[x.production for x in sides] for sides in _homes])
HOME_PC = frozen([[_ability(x.ability) for x in sides] for sides in _homes])

_planets, _hazards, _events = (
    [*_explore.planets.values()],
    [*_explore.hazards.values()],
    [*_explore.events.values()],
)
_backs = [h.planet_back for h in _hazards if h.planet_back is not None]
FACE_IDS = (*_explore.planets, *_explore.hazards, *(b.id for b in _backs), *_explore.events)
FACE_NAMES = (
    *(p.name for p in _planets),
    *(h.name for h in _hazards),
    *(b.name for b in _backs),
    *(e.name for e in _events),
)
FACE_KIND = frozen([PLANET] * PLANETS + [HAZARD] * HAZARDS + [PLANET] * BACKS + [EVENT] * EVENTS)
FACE_COPIES = frozen([1] * PLANETS + [h.copies for h in _hazards] + [0] * BACKS + [e.copies for e in _events])
FLIPS = frozen([1] * FACE_HAZARD + [0] * (FACES - FACE_HAZARD))
"""Whether the Planet has an upgraded side."""
FACE_COST, FACE_POPULATION, FACE_PRODUCTION, FACE_PC = (np.zeros((FACES, 2), np.int16) for _ in range(4))
HAZARD_ATTACK, ROVING, FREEZES, UPKEEP, MINUS, OTHER_SIDE, INSTANT_PC = (np.zeros(FACES, np.int16) for _ in range(7))
"""By face. OTHER_SIDE of a hazard: 1 + face of its Planet side, 0 = none."""
for _i, _planet in enumerate(_planets):
    for _s, _side in enumerate((_planet.front, _planet.back)):
        FACE_COST[_i, _s], FACE_POPULATION[_i, _s] = _side.cost, _side.population
        FACE_PRODUCTION[_i, _s], FACE_PC[_i, _s] = _side.production, _ability(_side.ability)
for _i, _back in enumerate(_backs, FACE_BACK):
    FACE_COST[_i], FACE_POPULATION[_i], FACE_PRODUCTION[_i] = _back.cost, _back.population, _back.production
    FACE_PC[_i] = _ability(_back.ability)
for _i, _hazard in enumerate(_hazards, FACE_HAZARD):
    FACE_POPULATION[_i], HAZARD_ATTACK[_i], ROVING[_i] = _hazard.population, _hazard.attack, _hazard.roving
    FREEZES[_i], UPKEEP[_i], MINUS[_i] = (
        _hazard.mods.freeze_tokens,
        _hazard.mods.upkeep_damage,
        _hazard.mods.production_minus,
    )
    INSTANT_PC[_i] = _ability(_hazard.instant)
    if _hazard.planet_back is not None:
        OTHER_SIDE[_i] = 1 + FACE_BACK + _backs.index(_hazard.planet_back)
for _i, _event in enumerate(_events, FACE_EVENT):
    INSTANT_PC[_i] = _ability(_event.instant)
_by_face: list[NDArray[Any]] = [FACE_COST, FACE_POPULATION, FACE_PRODUCTION, FACE_PC, HAZARD_ATTACK, ROVING, FREEZES]
for _by in (*_by_face, UPKEEP, MINUS, OTHER_SIDE, INSTANT_PC):
    _by.setflags(write=False)
PROGRAM, COUNTS = _programs.table, _programs.counts
