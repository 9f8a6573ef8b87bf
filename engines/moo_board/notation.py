"""Actions and positions as text: stable ids for machines, log lines and a board for readers."""

from __future__ import annotations

from typing import Any

from . import content as k
from .layout import (
    ADVISOR,
    ADVISORS,
    ASIDE,
    ATTACK,
    BOARD,
    BUILD,
    CARD,
    CARDS,
    DEAL,
    DESIGNS,
    DRAW,
    EXPLOIT,
    EXPLORE,
    FIFTH,
    FIRST,
    MAX_PLAYERS,
    NO,
    NODE_DISCARD,
    NODE_GRAY,
    NODE_MULLIGAN,
    NODE_REORDER_CARD,
    NODE_TAKE,
    NODES,
    NUM_ACTIONS,
    NUM_IDS,
    OPP_SLOT,
    OPTION,
    OWN_SYSTEM,
    PHASES,
    PROPAGANDA,
    RACE,
    RACE_DEALT,
    RACES,
    SAVE,
    SLOTS,
    SOURCE,
    SOURCES,
    SYSTEMS,
    TARGET,
    TRADE,
    TRADE_GETS,
    TRADE_GIVES,
    YES,
)

__all__ = ["ACTION_TEXTS", "RESOURCES", "SOURCE_IDS", "board", "describe"]

RESOURCES = ("food", "fleet", "production")
SOURCE_IDS = (*(f"system {i}" for i in range(SYSTEMS)), "advisor", "board")


def _texts() -> list[str]:
    texts = [""] * NUM_IDS
    for d, design in enumerate(k.DESIGN_IDS):
        texts[EXPLOIT + d] = f"exploit {design}"
        texts[CARD + d] = f"card {design}"
        texts[DRAW + d] = f"draw {design}"
        for system in range(SYSTEMS):
            texts[BUILD + d * SYSTEMS + system] = f"build {design} {system}"
    texts[EXPLORE], texts[PROPAGANDA], texts[YES], texts[NO] = "explore", "propaganda", "yes", "no"
    for i in range(6):
        texts[TRADE + i] = f"trade {RESOURCES[TRADE_GIVES[i]]} {RESOURCES[TRADE_GETS[i]]}"
    for i in range(3):
        texts[ATTACK + i] = f"attack +{i + 1}"
        texts[TARGET + i] = f"target +{i + 1}"
        texts[OPTION + i] = f"option {i}"
        texts[SAVE + i] = f"save {RESOURCES[i]}"
    for a in range(ADVISORS):
        texts[DEAL + a] = f"deal {k.ADVISOR_IDS[a]}"
        texts[ASIDE + a] = f"aside {k.ADVISOR_IDS[a]}"
    for i in range(SOURCES):
        texts[SOURCE + i] = f"source {SOURCE_IDS[i]}"
    for i in range(SLOTS):
        texts[OPP_SLOT + i] = f"opponent {SOURCE_IDS[i]}"
    for i in range(SYSTEMS):
        texts[OWN_SYSTEM + i] = f"own system {i}"
    for i in range(RACES):
        texts[RACE + i] = f"race {k.RACE_IDS[i]}"
        texts[RACE_DEALT + i] = f"dealt {k.RACE_IDS[i]}"
    for i in range(MAX_PLAYERS):
        texts[FIRST + i] = f"first {i}"
    return texts


ACTION_TEXTS = tuple(_texts())
"""The text of every id, "" for the unused ones."""

_CARD_VERBS = {
    NODE_DISCARD: "discards",
    NODE_GRAY: "keeps three, discards",
    NODE_MULLIGAN: "mulligan, discards",
    NODE_TAKE: "takes from the discard pile:",
    NODE_REORDER_CARD: "lays next:",
}


def describe(s: Any, players: int, action: int, seat: int) -> str:
    """The log line of `action` at record `s`, as `seat` sees it: the card another seat draws stays hidden."""
    node, mover = int(s["node"]), int(s["mover"])
    if action >= NUM_ACTIONS:
        return _outcome(action, mover, seat)
    text = ACTION_TEXTS[action]
    for first, verb in ((ATTACK, "attacks"), (TARGET, "chooses")):
        if first <= action < first + 3:
            text = f"{verb} seat {(mover + 1 + action - first) % players}"
    if CARD <= action < CARD + DESIGNS and node in _CARD_VERBS:
        text = f"{_CARD_VERBS[node]} {k.DESIGN_NAMES[action - CARD]}"
    elif OPTION <= action < OPTION + 3 or action in (YES, NO):
        text = f"{NODES[node].replace('_', ' ')}: {text}"
    elif SOURCE <= action < SOURCE + SOURCES:
        text = f"uses {_source_name(s, mover, action - SOURCE)}"
    elif OPP_SLOT <= action < OPP_SLOT + SLOTS:
        victim = int(s["frame_target"][int(s["depth"]) - 1]) - 1
        text = f"{NODES[node]}: {_source_name(s, victim, action - OPP_SLOT)} of seat {victim}"
    return f"seat {mover}: {text}"


def _outcome(action: int, mover: int, seat: int) -> str:
    if action < FIRST:
        card = k.DESIGN_NAMES[action - DRAW] if seat == mover else "a card"
        return f"seat {mover} draws {card}"
    if action < ASIDE:
        return f"seat {action - FIRST} is the first player"
    if action < RACE_DEALT:
        return f"{k.ADVISOR_NAMES[action - ASIDE]} is not in this game"
    return f"seat {mover} is dealt the {k.RACE_NAMES[action - RACE_DEALT]}"


def _source_name(s: Any, seat: int, source: int) -> str:
    """The card, advisor or race board at a source, and where it lies."""
    if source == BOARD:
        return "the race board"
    if source == ADVISOR:
        return str(k.ADVISOR_NAMES[int(s["advisor"][seat]) - 1])
    top = int(s["systems"][seat, source, 0])
    return f"{k.DESIGN_NAMES[top - 1]} ({SOURCE_IDS[source]})" if top else SOURCE_IDS[source]


def _names(cards: list[int]) -> str:
    """Cards (1 + design) as a list, equal ones counted."""
    counts: dict[str, int] = {}
    for card in cards:
        name = k.DESIGN_NAMES[card - 1]
        counts[name] = counts.get(name, 0) + 1
    return ", ".join(name if n == 1 else f"{n} x {name}" for name, n in counts.items()) or "none"


def board(s: Any, players: int, scores: list[int], seat: int | None) -> str:
    """The whole table; hands as `seat` knows them (PUBLIC: the openly taken cards; None: all)."""
    node, mover = int(s["node"]), int(s["mover"])
    whose = "game over" if node == 0 else f"{NODES[node].replace('_', ' ')} (seat {mover})"
    lines = [f"round {int(s['round'])}, {PHASES[int(s['phase'])]}: {whose}; first player: seat {int(s['first'])}"]
    for p in range(players):
        lines += _seat_lines(s, players, scores, p)
        lines.append(f"  hand of {int(s['hand_size'][p])}: {_hand(s, p, seat is None or seat == p)}")
    pile = [int(card) for card in s["discard"][: int(s["discard_size"])]][::-1]
    top = ", ".join(k.DESIGN_NAMES[card - 1] for card in pile[:3]) or "empty"
    table = ", ".join(k.ADVISOR_NAMES[a] for a in range(ADVISORS) if int(s["table"][a])) or "none"
    lines.append(f"deck {int(s['deck_number'])}: {int(s['deck_size'])} cards; discard pile of {len(pile)}: {top}")
    lines.append(f"advisors on the table: {table}")
    return "\n".join(lines)


def _seat_lines(s: Any, players: int, scores: list[int], p: int) -> list[str]:
    """What lies before seat `p`. Cards are listed from the top down, * marks a cube."""
    race = k.RACE_NAMES[int(s["race"][p]) - 1] if int(s["race"][p]) else "no race yet"
    food, fleet, production = (int(x) for x in s["resources"][p])
    lines = [
        f"seat {p} {race}: food {food}, fleet {fleet}, production {production}, loyalty {int(s['loyalty'][p])}, "
        f"track {int(s['vp'][p])}, score {scores[p]}, actions {int(s['available'][p])}"
    ]
    attacks = [f"{int(s['attacks'][p, o])} on seat {o}" for o in range(players) if int(s["attacks"][p, o])]
    if attacks:
        lines.append(f"  attacks: {', '.join(attacks)}")
    for system in range(SYSTEMS):
        cards = [int(s["systems"][p, system, i]) for i in range(CARDS)]
        if cards[0]:
            names = [k.DESIGN_NAMES[card - 1] for card in cards if card]
            cube = "*" if int(s["cube"][p, system]) else ""
            lines.append(f"  system {system}{' (fifth)' if system == FIFTH else ''}: {names[0]}{cube}"
                         + "".join(f" / {name}" for name in names[1:]))  # fmt: skip
    if int(s["advisor"][p]):
        cube = "*" if int(s["cube"][p, ADVISOR]) else ""
        lines.append(f"  advisor: {k.ADVISOR_NAMES[int(s['advisor'][p]) - 1]}{cube}")
    return lines


def _hand(s: Any, p: int, own: bool) -> str:
    """The hand of seat `p`: all of it, or what everybody knows of it."""
    cards = []
    for design in range(DESIGNS):
        copies = int(s["known"][p, design])
        if own:
            copies += sum(1 for number in s["hand"][p, design] if int(number))
        cards += [1 + design] * copies
    hidden = 0 if own else int(s["hand_size"][p]) - len(cards)
    if hidden == 0:
        return _names(cards)
    return f"{hidden} unknown" + (f", {_names(cards)}" if cards else "")
