"""Actions and positions as text: stable ids for machines, log lines and a board for readers.

Card types are numbered within their faction, so the text of an action names a number ("play 3"); log lines and the
board give the names with it.
"""

from __future__ import annotations

from typing import Any

from . import content as k
from . import layout as at

__all__ = ["ACTION_TEXTS", "DESIGN_IDS", "MONEY", "TARGET_TEXTS", "WORLD_TEXTS", "board", "describe"]

MONEY = ("general", "factory", "colony", "empire")
WORLD_TEXTS = ("home", "place 1", "place 2")
SLOT_TEXTS = (*(f"explore {i}" for i in range(at.SLOTS)), "deck")
TARGET_TEXTS = (
    *(f"{side} {world}" for side in ("left", "right") for world in ("place 1", "place 2", "home")),
    *(f"hazard {i}" for i in range(at.SLOTS)),
    *(f"own place {i + 1}" for i in range(at.PLACES)),
    *(f"{side} row {i}" for side in ("left", "right") for i in range(at.ROW)),
)
DESIGN_IDS = tuple(
    ids[t] if t < len(ids) else f"{faction}_unused_{t}"
    for faction, ids in zip(k.FACTION_IDS, k.CARD_IDS, strict=True)
    for t in range(at.TYPES)
)
"""Card types of all factions: faction * 24 + type."""

_RUNS: tuple[tuple[int, str, tuple[str, ...]], ...] = (
    (at.BUY, "buy", tuple(f"row {i}" for i in range(at.ROW))),
    (at.ACCRUE, "accrue", tuple(f"row {i}" for i in range(at.ROW))),
    (at.BUY_PLANET, "acquire", SLOT_TEXTS),
    (at.BUY_RECYCLE, "buy and recycle", SLOT_TEXTS),
    (at.UPGRADE, "upgrade", WORLD_TEXTS),
    (at.REPAIR, "repair", (*WORLD_TEXTS, *(f"base of {w}" for w in WORLD_TEXTS))),
    (at.ABILITY, "ability", WORLD_TEXTS),
    (at.CP_PLANET, "recycle planet", SLOT_TEXTS[: at.SLOTS]),
    (at.CP_HAZARD, "recycle hazard", SLOT_TEXTS[: at.SLOTS]),
    (at.TOKEN, "token", SLOT_TEXTS),
    (at.TARGET, "target", TARGET_TEXTS),
    (at.WORLD, "world", WORLD_TEXTS),
    (at.BASE, "base of", WORLD_TEXTS),
    (at.SEAT, "seat", ("left", "right")),
    (at.DROP, "discard base of", WORLD_TEXTS),
    (at.FIRST, "first", tuple(str(i) for i in range(at.MAX_PLAYERS))),
    (at.TOP, "top", k.FACE_IDS),
    (at.DEALT, "dealt", k.FACTION_IDS),
)
_CARD_RUNS = (
    *((at.PLAY, "play"), (at.OR, "or"), (at.ADD, "add"), (at.DEFEND, "defend"), (at.CARD, "card"), (at.PILE, "pile")),
    *((at.DRAW, "draw"), (at.REFILL, "refill")),
)
_SINGLE = {
    at.CP_MONEY: "points to production",
    at.ROTATE: "rotate",
    at.ATTACK: "attack",
    at.CP_FLEET: "point to fleet",
    at.CONFIRM: "confirm",
    at.DONE: "done",
    at.YES: "yes",
}


def _texts() -> list[str]:
    texts = [""] * at.NUM_IDS
    for first, verb, names in _RUNS:
        for i, name in enumerate(names):
            texts[first + i] = f"{verb} {name}"
    for first, verb in _CARD_RUNS:
        for t in range(at.TYPES):
            texts[first + t] = f"{verb} {t}"
    for action, text in _SINGLE.items():
        texts[action] = text
    return texts


ACTION_TEXTS = tuple(_texts())
"""The text of every id, "" for the unused ones."""

_VERBS = {
    at.PLAY: "plays",
    at.OR: "uses the other ability of",
    at.ADD: "adds",
    at.DEFEND: "defends with",
    at.CARD: "discards",
    at.PILE: "scraps from the discard pile",
}


def _card(s: Any, p: int, t: int) -> str:
    """Name of card type `t` of seat `p`."""
    f = int(s["faction"][p]) - 1
    return k.CARD_NAMES[f][t] if f >= 0 and t < len(k.CARD_NAMES[f]) else f"card {t}"


def _face(number: int) -> str:
    return k.FACE_NAMES[number - 1] if number else "nothing"


def describe(s: Any, action: int, seat: int) -> str:
    """The log line of `action` at record `s`, as `seat` sees it: the card another seat draws stays hidden."""
    p = int(s["mover"])
    if action >= at.NUM_ACTIONS:
        return _outcome(s, p, action, seat)
    text = ACTION_TEXTS[action] or f"action {action}"
    for first, verb in _VERBS.items():
        if first <= action < first + at.TYPES:
            if first == at.CARD and int(s["node"]) == at.NODE_THIN:
                verb = "scraps"
            text = f"{verb} {_card(s, p, action - first)}"
    for first in (at.BUY, at.ACCRUE):
        if first <= action < first + at.ROW and int(s["row"][p, action - first]):
            text += f" ({_card(s, p, int(s['row'][p, action - first]) - 1)})"
    for first in (at.BUY_PLANET, at.BUY_RECYCLE, at.TOKEN):
        if first <= action < first + at.PLACES_SEEN:
            slot = action - first
            text += f" ({_face(int(s['top'] if slot == at.TOP_SLOT else s['explore'][slot]))})"
    for first in (at.CP_PLANET, at.CP_HAZARD):
        if first <= action < first + at.SLOTS:
            text += f" ({_face(int(s['explore'][action - first]))})"
    if action in (at.DONE, at.YES):
        text = f"{at.NODES[int(s['node'])].replace('_', ' ')}: {text}"
    return f"seat {p}: {text}"


def _outcome(s: Any, p: int, action: int, seat: int) -> str:
    if action < at.DRAW:
        return f"seat {action - at.FIRST} is the first player"
    if action < at.REFILL:
        if int(s["node"]) == at.NODE_TURN_UP:
            return f"the top card of seat {p} is turned up: {_card(s, p, action - at.DRAW)}"
        return f"seat {p} draws {_card(s, p, action - at.DRAW) if seat == p else 'a card'}"
    if action < at.TOP:
        return f"the Empire Row of seat {p} gets {_card(s, p, action - at.REFILL)}"
    if action < at.DEALT:
        return f"on the Exploration Deck: {k.FACE_NAMES[action - at.TOP]}"
    return f"seat {p} is dealt the {k.FACTION_NAMES[action - at.DEALT]}"


def _cards(s: Any, p: int, counts: Any) -> str:
    """Cards by type with their numbers."""
    parts = [
        f"[{t}] {_card(s, p, t)}" + (f" x{int(n)}" if int(n) > 1 else "") for t, n in enumerate(counts) if int(n) > 0
    ]
    return ", ".join(parts) or "none"


def board(s: Any, players: int, seat: int | None) -> str:
    """The whole table; hands as `seat` knows them (PUBLIC: the cards known to all; None: all)."""
    node, mover = at.NODES[int(s["node"])].replace("_", " "), int(s["mover"])
    whose = "game over" if int(s["node"]) == 0 else f"{node} (seat {mover})"
    lines = [f"round {int(s['round'])} of {int(s['max_rounds'])}, turn of seat {int(s['active'])}: {whose}"]
    row = [f"{i} {_face(int(face))}{_tokens(s, players, i)}" for i, face in enumerate(s["explore"]) if int(face)]
    lines.append(f"exploration: {', '.join(row) or 'empty'}; deck: {_face(int(s['top']))}{_tokens(s, players, 5)}")
    under = ", ".join(_face(int(face)) for face in s["recycled"][: int(s["recycled_size"])]) or "nothing"
    lines.append(f"  under it {int(s['explore_size'])} shuffled, then {under}")
    for p in range(players):
        lines += _seat_lines(s, p, seat is None or seat == p)
    lines += _turn_lines(s, int(s["active"]))
    return "\n".join(lines)


def _tokens(s: Any, players: int, slot: int) -> str:
    own = [f"seat {p}: {int(s['tokens'][p, slot])}" for p in range(players) if int(s["tokens"][p, slot])]
    return f" (tokens {', '.join(own)})" if own else ""


def _world(s: Any, p: int, world: int) -> str:
    """A world with its side, what is left of it, its Base and attachments."""
    f, side = int(s["faction"][p]) - 1, int(s["side"][p, world])
    if world == 0:
        name, most = k.HOME_NAMES[f], int(k.HOME_POPULATION[f, side])
    else:
        face = int(s["planet"][p, world - 1]) - 1
        name, most = k.FACE_NAMES[face], int(k.FACE_POPULATION[face, side])
    techs = [(i, int(n)) for i, n in enumerate(s["attached"][p, world]) if int(n)]
    most += sum(n * int(k.ATTACH_POPULATION[f, i]) for i, n in techs)
    text = f"{name}{'+' if side else ''} {most - int(s['damage'][p, world])}/{most}"
    base = int(s["base"][p, world]) - 1
    if base >= 0:
        text += f", {_card(s, p, base)} {int(k.BASE_POPULATION[f, base]) - int(s['base_damage'][p, world])}"
    return text + "".join(f", {_card(s, p, int(k.ATTACH_TYPE[f, i]))}" for i, n in techs for _ in range(n))


def _seat_lines(s: Any, p: int, own: bool) -> list[str]:
    f = int(s["faction"][p]) - 1
    if f < 0:
        return [f"seat {p}: no faction yet"]
    if int(s["fallen"][p]):
        return [f"seat {p} {k.FACTION_NAMES[f]}: fallen"]
    worlds = [_world(s, p, 0)]
    worlds += [f"place {i} {_world(s, p, i)}" for i in (1, 2) if int(s["planet"][p, i - 1])]
    row = [
        f"{i} {_card(s, p, int(t) - 1)} ({int(k.COST[f, int(t) - 1]) - int(s['accrued'][p, i])})"
        for i, t in enumerate(s["row"][p])
        if int(t)
    ]
    hidden = 0 if own else int(s["hand_size"][p]) - int(sum(s["known"][p]))
    shown = _cards(s, p, s["hand"][p] if own else s["known"][p])
    hand = shown if not hidden else f"{hidden} unknown" + (f", {shown}" if shown != "none" else "")
    lines = [
        f"seat {p} {k.FACTION_NAMES[f]}: {'; '.join(worlds)}",
        f"  row: {', '.join(row) or 'empty'}; empire deck of {int(s['empire_size'][p])}",
        f"  discard pile: {_cards(s, p, s['discard'][p])}",
        f"  hand of {int(s['hand_size'][p])}: {hand}; deck of {int(s['deck_size'][p])}",
    ]
    if int(s["faceup"][p]):
        lines.append(f"  face up on the deck: {_card(s, p, int(s['faceup'][p]) - 1)}")
    return lines


def _turn_lines(s: Any, p: int) -> list[str]:
    """Production, command points and cards of the turn; the Fleets."""
    lines = []
    money = ", ".join(f"{name} {int(n)}" for name, n in zip(MONEY, s["money"], strict=True) if int(n))
    played = bin(int(s["classes"])).count("1")
    points = int(k.CP_OF[played]) + int(s["cp_gained"]) - int(s["cp_spent"])
    if int(s["faction"][p]):
        lines.append(f"production: {money or 'none'}; command points: {points}")
        lines.append(f"in play: {_cards(s, p, s['ready'])}; used: {_cards(s, p, s['spent'])}")
    start = 0
    for i in range(int(s["fleets"])):
        size = int(s["fleet_size"][i])
        ships = ", ".join(_card(s, p, int(t) - 1) for t in s["ships"][start : start + size])
        extra = f" +{int(s['fleet_extra'][i])}" if int(s["fleet_extra"][i]) else ""
        lines.append(f"fleet at {TARGET_TEXTS[int(s['fleet_target'][i]) - 1]}: {ships or 'no ship yet'}{extra}")
        start += size
    if int(s["held"]):
        lines.append(f"offered: {_face(int(s['held']))}")
    return lines
