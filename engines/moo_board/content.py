"""The content file as integer tables: cards, advisors and races are data for one interpreter.

An *item* is a thing with a property: designs are items 0-44, advisors 45-52, races 53-59. Its effect is a run of ops in
`PROGRAM` (one row an op: code, then arguments), begun at `START_PC[item]` and ended by OP_END; the flow of the rules
itself (a Deal, an exploited gray card) stands in the same table.

| op | arguments | meaning |
|---|---|---|
| END | | the frame is done |
| GAIN | f s p | gain |
| GAIN_CHOICE | n, then f s p three times | choose |
| EXCHANGE | f s p, f s p | pay one side, gain the other |
| DRAW | n | draw |
| DISCARD | n | discard n cards, or all there are |
| LOYALTY, ACTION | n | own loyalty, own cubes |
| VP | n, div | n points, or (div > 0) one for every div systems |
| BUILD | 1 + colour or 0, this system only, discount, may | build a card |
| ACTIVATE | n | activate others |
| TAKE | depth or 0 | take a card of the discard pile |
| REORDER | may | rearrange a system |
| COVERED | f s p for each colour | gain by the colour of the covered card |
| IF_COLOR | colour, n | skip n ops unless a working card has the colour |
| STORE | | nothing: the cube is the effect |
| OPP_LOYALTY | n | loyalty of the other seat |
| OPP_DISCARD | n, least hand | each opponent discards |
| OPP_CHOICE | cards, loyalty | the other seat chooses |
| BLOCK, BURY, DISMISS | | see schema |
| OPTIONAL | | ask whether to pay and go on |
| PAY_RES, PAY_VP, PAY_CUBE, PAY_LOYALTY, PAY_CARDS | f s p or n | costs |
| MULLIGAN, GRAY, BONUS, TRADE_MORE, ADVISOR, ORDER, TRIGGER, DEFEND, REORDER_CARD | | the flow of the rules |
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engines.content_file import frozen, read_content
from engines.kernel import content_path

from . import schema
from .layout import ADVISORS, DESIGNS, RACES

OP_END, OP_GAIN, OP_GAIN_CHOICE, OP_EXCHANGE, OP_DRAW, OP_DISCARD, OP_LOYALTY, OP_ACTION, OP_VP, OP_BUILD = range(10)
OP_ACTIVATE, OP_TAKE, OP_REORDER, OP_COVERED, OP_IF_COLOR, OP_STORE, OP_OPP_LOYALTY, OP_OPP_DISCARD = range(10, 18)
OP_OPP_CHOICE, OP_BLOCK, OP_BURY, OP_DISMISS, OP_OPTIONAL = range(18, 23)
OP_PAY_RES, OP_PAY_VP, OP_PAY_CUBE, OP_PAY_LOYALTY, OP_PAY_CARDS = range(23, 28)
OP_MULLIGAN, OP_GRAY, OP_BONUS, OP_TRADE_MORE, OP_ADVISOR, OP_ORDER, OP_TRIGGER, OP_DEFEND = range(28, 36)
OP_REORDER_CARD = 36

ITEMS = DESIGNS + ADVISORS + RACES
ITEM_ADVISOR, ITEM_RACE = DESIGNS, DESIGNS + ADVISORS
COLORS = ("blue", "red", "yellow", "gray")
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


def _effect(rows: list[list[int]], e: Any, may: bool) -> None:
    """Append the ops of one effect of the schema."""
    match e.op:
        case "gain":
            rows.append([OP_GAIN, *e.res.units])
        case "gain_choice":
            rows.append([OP_GAIN_CHOICE, len(e.options), *(u for o in e.options for u in o.units)])
        case "exchange":
            rows.append([OP_EXCHANGE, *e.a.units, *e.b.units])
        case "draw_discard":
            rows += [[OP_DRAW, e.draw], [OP_DISCARD, e.discard]]
        case "vp":
            rows.append([OP_VP, 0, e.n.div] if isinstance(e.n, schema.PerSystems) else [OP_VP, e.n, 0])
        case "build":
            color = 0 if e.color is None else 1 + COLORS.index(e.color)
            rows.append([OP_BUILD, color, int(e.where == "this_system"), e.discount, int(may)])
        case "reorder_system":
            rows.append([OP_REORDER, int(may)])
        case "take_discard":
            rows.append([OP_TAKE, e.depth or 0])
        case "gain_by_covered":
            rows.append([OP_COVERED, *(u for c in COLORS for u in getattr(e, c).units)])
        case "if_working_color":
            then: list[list[int]] = []
            for inner in e.then:
                _effect(then, inner, may)
            rows += [[OP_IF_COLOR, COLORS.index(e.color), len(then)], *then]
        case "opp_discard":
            rows.append([OP_OPP_DISCARD, e.n, e.if_hand_at_least])
        case "opp_discard_or_loyalty":
            rows.append([OP_OPP_CHOICE, e.cards, e.loyalty])
        case _:
            rows.append([_PLAIN[e.op], *([e.n] if hasattr(e, "n") else [])])


_PLAIN = {
    "draw": OP_DRAW,
    "loyalty": OP_LOYALTY,
    "action": OP_ACTION,
    "activate_others": OP_ACTIVATE,
    "store_cube": OP_STORE,
    "opp_loyalty": OP_OPP_LOYALTY,
    "block_slot": OP_BLOCK,
    "bury_working": OP_BURY,
    "dismiss_advisor": OP_DISMISS,
}
_PAYS = {"pay_vp": OP_PAY_VP, "pay_cube": OP_PAY_CUBE, "pay_loyalty": OP_PAY_LOYALTY, "pay_cards": OP_PAY_CARDS}


def _program(timing: str, may: bool, pay: list[Any], effects: list[Any]) -> list[list[int]]:
    """The ops of an item: whether it is wanted (if that is a question of its own), its costs, its effects."""
    rows: list[list[int]] = []
    declines_itself = all(e.op in ("build", "reorder_system") for e in effects)
    if timing != "activation" and (pay or (may and not declines_itself)):
        rows.append([OP_OPTIONAL])
    for p in pay:
        rows.append([OP_PAY_RES, *p.res.units] if p.op == "pay_res" else [_PAYS[p.op], p.n])
    for e in effects:
        _effect(rows, e, may)
    return [*rows, [OP_END]]


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

_rows: list[list[int]] = [[OP_END]]


def _place(program: list[list[int]]) -> int:
    """Append a program and return where it begins."""
    _rows.extend(program)
    return len(_rows) - len(program)


PC_MULLIGAN = _place([[OP_MULLIGAN], [OP_END]])
PC_DISCARD = _place([[OP_DISCARD, 0], [OP_END]])
PC_GRAY = _place([[OP_GRAY], [OP_END]])
PC_BONUS = _place([[OP_BONUS], [OP_END]])
PC_TRADE = _place([[OP_TRADE_MORE], [OP_END]])
PC_DEAL = _place([[OP_PAY_CARDS, DEAL_CARDS], [OP_ADVISOR], [OP_END]])
PC_ORDER = _place([[OP_ORDER], [OP_END]])
PC_ATTACK = _place([[OP_TRIGGER], [OP_DEFEND], [OP_END]])
PC_REORDER_CARD = _place([[OP_REORDER_CARD], [OP_END]])
START_PC = frozen(
    [_place(_program(f.timing, f.may, f.pay, f.effect)) if f.effect else 0 for f in _features]
    + [_place(_program("start_of_round", r.may, r.pay, r.start_of_round)) if r.start_of_round else 0 for r in _races]
)
PROGRAM = np.zeros((len(_rows), 13), np.int16)
for _i, _op in enumerate(_rows):
    PROGRAM[_i, : len(_op)] = _op
PROGRAM.setflags(write=False)
