"""The content file as integer tables: cards, advisors and races are data for one interpreter.

An *item* is a thing with a property: designs are items 0-44, advisors 45-52, races 53-59. Its effect is a run of ops in
`PROGRAM` (one row an op of `ops`: its number, then its arguments), begun at `START_PC[item]`. The flow of the rules
itself (a Deal, an exploited gray card) stands in the same table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engines.content_file import frozen, read_content
from engines.effects.ops import Rows
from engines.effects.program import Program
from engines.kernel import content_path

from . import ops, schema
from .layout import ADVISORS, DESIGNS, RACES
from .ops import COLORS

ITEMS = DESIGNS + ADVISORS + RACES
ITEM_ADVISOR, ITEM_RACE = DESIGNS, DESIGNS + ADVISORS
LEVELS = ("low", "medium", "high")
TIMINGS = ("none", "activation", "after_building", "after_attack", "after_attacked", "start_of_round")
ACTIVATION, AFTER_BUILDING, AFTER_ATTACK, AFTER_ATTACKED, START_OF_ROUND = range(1, 6)
SLOT_A, SLOT_R = 1, 2
M_ATTACK_COST, M_COMPARE, M_EXPLORE, M_TRADE, M_SYSTEM_DISCOUNT, M_KEEP_GRAY, M_FIFTH, M_ONCE = range(8)
"""Columns of `MODS`: numbers that working cards, the advisor and the race board add up to."""
_COUNT_MODS = ("attack_cost_vs_me", "attack_compare", "explore_bonus", "extra_trade", "build_discount_system")


def read(path: Path) -> schema.Content:
    """The content of the file `path`, checked; see `read_content`."""
    return read_content(path, schema.Content, _entry_and_key)


def _entry_and_key(keys: Sequence[str]) -> str:
    """The entry, then what of it."""
    entry = 1 if keys[:1] == ["constants"] else 2
    return ": ".join(part for part in (".".join(keys[:entry]), ".".join(keys[entry:])) if part)


_programs = Program(ops.OPS)


def _program(timing: str, may: bool, pay: list[Any], effects: list[Any]) -> Rows:
    """The ops of an item: whether it is wanted (if that is a question of its own), its costs, its effects."""
    declines_itself = all(e.op in ("build", "reorder_system") for e in effects)
    asked = timing != "activation" and (pay or (may and not declines_itself))
    return [*([[ops.OPTIONAL]] if asked else []), *_programs.compiled([*pay, *effects], may)]


CONTENT_FILE = content_path(__package__ or "", Path(__file__).parent / "content" / "standard.yaml")
CONTENT_HASH = hashlib.sha256(CONTENT_FILE.read_bytes()).hexdigest()[:12]
_content = read(CONTENT_FILE)
_k = _content.constants
_cards, _advisors, _races = [*_content.cards.values()], [*_content.advisors.values()], [*_content.races.values()]
_features: list[Any] = [*_cards, *_advisors]

DESIGN_IDS, ADVISOR_IDS, RACE_IDS = tuple(_content.cards), tuple(_content.advisors), tuple(_content.races)
DESIGN_NAMES = tuple(c.name for c in _cards)
ADVISOR_NAMES = tuple(a.name for a in _advisors)
RACE_NAMES = tuple(r.name for r in _races)

ROUNDS, START_HAND, HAND_LIMIT, RESOURCE_CAP = _k.rounds, _k.start_hand, _k.hand_limit, _k.resource_cap
LOYALTY_START, LOYALTY_MAX, LOYALTY_GATE = _k.loyalty_start, _k.loyalty_max, _k.loyalty_gate
RESERVE, PROPAGANDA_LOYALTY, DEAL_CARDS, EXPLORE_CARDS = _k.reserve_cubes, _k.propaganda, _k.deal_cards, _k.explore
ATTACK_COST, ATTACK_VP, ATTACK_LOYALTY = _k.attack_cost, _k.attack_vp, _k.attack_loyalty
ADVISORS_ASIDE = ADVISORS - _k.advisors_in_game
ZONE_MEDIUM, ZONE_HIGH = _k.zones.medium, _k.zones.high
ATTACK_LIMIT = frozen([0, 0, *(_k.attacks_per_opponent[n] for n in (2, 3, 4))])
"""Attacks on one opponent in a round, by number of players."""

COLOR = frozen([COLORS.index(c.color) for c in _cards])
COPIES_OF = frozen([c.copies for c in _cards])
COST = frozen([c.cost.units for c in _cards])
ICONS = frozen([c.icons.units for c in _cards])
POINTS = frozen([c.vp if isinstance(c.vp, int) else c.vp.n for c in _cards])
POINTS_PER = frozen([0 if isinstance(c.vp, int) else 1 + COLORS.index(c.vp.per) for c in _cards])
"""0: `POINTS` are printed; 1 + colour: `POINTS` for each own card of the colour."""
NEEDS_LOYALTY = frozen([c.loyalty6 in ("build", "both") for c in _cards])
ACTIVATE_LOYALTY = frozen([f.loyalty6 in ("activate", "both") for f in _features] + [0] * RACES)
TIMING = frozen(
    [TIMINGS.index(f.timing) if f.timing in TIMINGS else 0 for f in _features]
    + [START_OF_ROUND if r.start_of_round else 0 for r in _races]
)
SLOT = frozen([(None, "A", "R").index(f.slot) for f in _features] + [0] * RACES)

EXPLOIT_GAIN = frozen([_k.exploit[c].units for c in COLORS])  # type: ignore[index]
EXPLOIT_DRAW = frozen([(_k.exploit[c].draw, _k.exploit[c].discard) for c in COLORS])  # type: ignore[index]
START = frozen([r.start.units for r in _races])
TRADE_AMOUNT = frozen([(r.trade or _k.trade).units for r in _races])
_levels = [[r.mobilization.get(x, _k.mobilization[x]) for x in LEVELS] for r in _races]  # type: ignore
MOBILIZE = frozen([[(v.actions, v.loyalty, v.draw, len(v.choice)) for v in row] for row in _levels])
"""By race and level (low, medium, high): cubes, loyalty, cards, number of bonuses to choose from."""
BONUS = np.zeros((RACES, 3, 3, 4), np.int16)
"""By race, level and option: cards drawn, then food, fleet, production."""
for _r, _row in enumerate(_levels):
    for _l, _level in enumerate(_row):
        for _o, _choice in enumerate(_level.choice):
            BONUS[_r, _l, _o] = [_choice.draw, *_choice.res.units]
BONUS.setflags(write=False)

MODS = np.zeros((ITEMS, 8), np.int16)
DISCOUNT = np.zeros((ITEMS, 2, 4), np.int16)
"""Units off the cost, by item, [any build, Build actions only], colour."""
EXPLOIT_BONUS = np.zeros((ITEMS, 4, 3), np.int16)
for _i, _item in enumerate([*_features, *_races]):
    for _mod in _item.static:
        if _mod.mod in _COUNT_MODS:
            MODS[_i, _COUNT_MODS.index(_mod.mod)] += _mod.n
        elif _mod.mod == "gray_exploit_keep_all":
            MODS[_i, M_KEEP_GRAY] = 1
        elif _mod.mod == "extra_system":
            MODS[_i, M_FIFTH] = _mod.capacity
        elif _mod.mod == "exploit_bonus":
            _where = slice(None) if _mod.color is None else COLORS.index(_mod.color)
            EXPLOIT_BONUS[_i, _where] += np.array(_mod.res.units, np.int16)
        elif _mod.once_per_round:
            MODS[_i, M_ONCE] += _mod.n
        else:
            _where = slice(None) if _mod.color is None else COLORS.index(_mod.color)
            DISCOUNT[_i, int(_mod.action_only), _where] += _mod.n
for _table in (MODS, DISCOUNT, EXPLOIT_BONUS):
    _table.setflags(write=False)

PC_MULLIGAN = _programs.place([ops.MULLIGAN])
PC_DISCARD = _programs.place([ops.DISCARD, 0])
PC_GRAY = _programs.place([ops.GRAY])
PC_BONUS = _programs.place([ops.BONUS])
PC_TRADE = _programs.place([ops.TRADE_MORE])
PC_DEAL = _programs.place([ops.PAY_CARDS, DEAL_CARDS], [ops.ADVISOR])
PC_ORDER = _programs.place([ops.ORDER])
PC_ATTACK = _programs.place([ops.TRIGGER], [ops.DEFEND])
PC_REORDER_CARD = _programs.place([ops.REORDER_CARD])
START_PC = frozen(
    [_programs.place(*_program(f.timing, f.may, f.pay, f.effect)) for f in _features]
    + [_programs.place(*_program("start_of_round", r.may, r.pay, r.start_of_round)) for r in _races]
)
PROGRAM, COUNTS = _programs.table, _programs.counts
