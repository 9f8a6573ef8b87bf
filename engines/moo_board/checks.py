"""Whether a position made from a view can be one of a game: all that the kernels take for granted.

The rules keep these facts true from one step to the next, so kernels check no bounds of their own. A position that has
them is safe to play on, whoever made it.
"""

from __future__ import annotations

from typing import Any

from engines.effects.checks import expect
from engines.state import State as Position

from . import content as k
from . import layout as at
from . import ops
from .checks_frames import check_frames
from .layout import FIELDS

__all__ = ["check"]

OPTION_FIELDS = ("players", "utility", "with_advisors", "race_mode")

_PHASE_OF = {
    at.NODE_OVER: at.PHASE_OVER,
    at.NODE_RACE: at.PHASE_RACES,
    at.NODE_RACE_DEALT: at.PHASE_RACES,
    at.NODE_ASIDE: at.PHASE_ASIDE,
    at.NODE_FIRST: at.PHASE_FIRST,
    at.NODE_MAIN: at.PHASE_ACTIONS,
}
"""Phases of the nodes at which no effect is pending."""
_HAND_NODES = (at.NODE_DISCARD, at.NODE_GRAY)
"""Where all choices are cards of the mover's hand."""


def check(state: Position) -> None:
    """Refuse the position if no game could have come to it.

    Raises:
        UsageError: names the field and what was expected.
    """
    s: dict[str, Any] = {name: state.fields[name].tolist() for name in FIELDS}
    start = state.game.start().fields
    for name in OPTION_FIELDS:
        expect(s[name] == start[name].tolist(), name, f"the game's options say {start[name].tolist()}")
    _check_course(s)
    _check_seats(s, start)
    _check_advisors(s)
    _check_cards(s)
    if state.viewer is not None and state.viewer >= 0:
        _check_hand(s, state.viewer)
    _check_purchase(s)
    check_frames(s)
    _check_gray(s, state.viewer)
    if state.to_play >= 0 and s["node"] not in _HAND_NODES:
        expect(bool(state.legal_actions()), "node", f"nothing can be chosen at {at.NODES[s['node']]!r}")


def _check_course(s: dict[str, Any]) -> None:
    """Phase, node and round; whose turn."""
    players, phase, node, cursor = s["players"], s["phase"], s["node"], s["cursor"]
    name = at.PHASES[phase]
    for field in ("first", "turn", "mover"):
        expect(s[field] < players, field, f"{s[field]}, expected a seat below {players}")
    expect(phase != at.PHASE_INCOME, "phase", "in phase 'income' nothing is ever asked")
    if phase in _PHASE_OF.values() and phase != at.PHASE_ACTIONS:
        expect(_PHASE_OF.get(node) == phase, "node", f"{at.NODES[node]!r} is not asked in phase {name!r}")
    expect(_PHASE_OF.get(node, phase) == phase, "phase", f"{at.NODES[node]!r} is not asked in phase {name!r}")
    least, most = {
        at.PHASE_RACES: (s["mover"], s["mover"]),
        at.PHASE_ASIDE: (0, k.ADVISORS_ASIDE - 1),
        at.PHASE_FIRST: (0, 0),
        at.PHASE_ACTIONS: (1, 1),
        at.PHASE_OVER: (0, 0),
    }.get(phase, (1, players))
    expect(least <= cursor <= most, "cursor", f"{cursor}, expected {least} to {most} in phase {name!r}")
    least, most = (0, 0) if phase < at.PHASE_INCOME else (1, k.ROUNDS)
    expect(least <= s["round"] <= most, "round", f"{s['round']}, expected {least} to {most} in phase {name!r}")
    if node == at.NODE_MAIN:
        expect(s["mover"] == s["turn"], "mover", f"the main action is that of 'turn', seat {s['turn']}")
        expect(s["available"][s["mover"]] > 0, "available", f"seat {s['mover']} has no cube for a main action")
    expect(node != at.NODE_ASIDE or s["with_advisors"] == 1, "node", "there are no advisors to be put aside")


def _check_seats(s: dict[str, Any], start: Any) -> None:
    """Races, cubes and markers."""
    races = s["race"][: s["players"]]
    for seat, race in enumerate(races):
        due = s["phase"] > at.PHASE_RACES or seat < s["cursor"]
        given = int(start["race"][seat])
        expect(race == given if given else (race > 0) == due or race > 0, "race", f"seat {seat} has the wrong race")
        expect(race <= 1 or races.count(race) == 1, "race", f"two seats have race {k.RACE_IDS[race - 1]!r}")
        used = s["available"][seat] + s["spent"][seat] + sum(s["attacks"][seat]) + sum(s["cube"][seat])
        expect(used <= k.RESERVE, "available", f"seat {seat} has {used} cubes in use, expected at most {k.RESERVE}")
        expect(s["attacks"][seat][seat] == 0, "attacks", f"seat {seat} attacks itself")
        for slot, cube in enumerate(s["cube"][seat]):
            filled = s["systems"][seat][slot][0] if slot < at.ADVISOR else s["advisor"][seat]
            expect(not cube or filled > 0, "cube", f"seat {seat} has a cube where no card lies (slot {slot})")
    if s["node"] in (at.NODE_RACE, at.NODE_RACE_DEALT):
        seat, mode = s["mover"], 1 if s["node"] == at.NODE_RACE else 2
        expect(races[seat] == 0, "race", f"seat {seat} is asked for a race and has one")
        expect(s["race_mode"][seat] == mode, "node", f"seat {seat} gets its race in another way")


def _check_advisors(s: dict[str, Any]) -> None:
    held = [a for a in s["advisor"] if a]
    lying = sum(s["table"]) + len(held)
    aside = k.ADVISORS_ASIDE if s["phase"] > at.PHASE_ASIDE else s["cursor"] if s["phase"] == at.PHASE_ASIDE else 0
    want = (at.ADVISORS - aside) * s["with_advisors"]
    expect(lying == want, "table", f"{lying} advisors lie on the table and at seats, expected {want}")
    expect(not any(s["table"][a - 1] or held.count(a) > 1 for a in held), "advisor", "one advisor in two places")
    for seat, advisor in enumerate(s["advisor"]):
        room = int(k.MODS[k.ITEM_ADVISOR + advisor - 1, k.M_FIFTH]) if advisor else 0
        cards = sum(card > 0 for card in s["systems"][seat][at.FIFTH])
        expect(cards <= room, "systems", f"seat {seat}: {cards} cards in the fifth system, expected at most {room}")


def _check_cards(s: dict[str, Any]) -> None:
    """Every copy in one place; as many unseen ones as hands and deck hold."""
    stacks = [stack for seat in s["systems"] for stack in seat]
    for name, cards in (("discard", s["discard"]), *(("systems", stack) for stack in stacks)):
        expect(0 not in cards[: sum(card > 0 for card in cards)], name, "an empty place below a card")
    pile = sum(card > 0 for card in s["discard"])
    expect(s["discard_size"] == pile, "discard_size", f"{s['discard_size']}, but 'discard' lists {pile} cards")
    lying = [*s["discard"], *(card for stack in stacks for card in stack), s["design"]]
    counts = [0] * at.NUMBERS
    for design, row in enumerate(s["unseen"]):
        numbers = [number for number in row if number]
        expect(row == sorted(numbers) + [0] * (at.COPIES - len(numbers)), "unseen", f"{row}, expected it sorted")
        here = len(numbers) + lying.count(1 + design) + sum(known[design] for known in s["known"])
        want = int(k.COPIES_OF[design])
        expect(
            here == want, "unseen", f"{here} copies of {k.DESIGN_IDS[design]!r} in sight, known or unseen: not {want}"
        )
        for number in numbers:
            counts[number - 1] += 1
    for number, count in enumerate(counts):
        due = sum(row[number] for row in s["unknown"]) + (s["deck_size"] if number == s["deck_number"] else 0)
        expect(count == due, "unseen", f"{count} copies of deck {number}, but hands ('unknown') and deck hold {due}")
        expect(number <= s["deck_number"] or count == 0, "unseen", f"deck {number} is still to come")
    for seat in range(s["players"]):
        size, due = s["hand_size"][seat], sum(s["known"][seat]) + sum(s["unknown"][seat])
        expect(size == due, "hand_size", f"seat {seat} holds {size} cards, but {due} by 'known' and 'unknown'")


def _check_hand(s: dict[str, Any], seat: int) -> None:
    """The seat's own cards are among the unseen ones, and as many of each deck as others know it to hold."""
    counts = [0] * at.NUMBERS
    for design, row in enumerate(s["hand"][seat]):
        numbers, unseen = [number for number in row if number], s["unseen"][design]
        expect(row == sorted(numbers) + [0] * (at.COPIES - len(numbers)), "hand", f"{row}, expected it sorted")
        within = all(numbers.count(number) <= unseen.count(number) for number in numbers)
        expect(within, "hand", f"{k.DESIGN_IDS[design]!r} of deck numbers (1 + number) {numbers}, unseen are {unseen}")
        for number in numbers:
            counts[number - 1] += 1
    for number, (count, due) in enumerate(zip(counts, s["unknown"][seat], strict=True)):
        expect(count == due, "hand", f"{count} cards of deck {number}, but 'unknown' says {due}")


def _check_purchase(s: dict[str, Any]) -> None:
    """The card that is being paid for, and the place kept for it."""
    saving, design, place = s["node"] == at.NODE_SAVE, s["design"] - 1, s["place"]
    expect((design >= 0) == saving, "design", "a card is chosen to be built at node 'save', and only there")
    if not saving:
        rest = [place, s["discount"], s["save_from"], *s["cost"]]
        expect(not any(rest), "cost", "no card is being paid for: place, discount, save_from, cost must be 0")
        return
    fits = all(left <= int(cost) for left, cost in zip(s["cost"], k.COST[design], strict=True))
    expect(fits, "cost", f"more than {k.DESIGN_IDS[design]!r} costs")
    stack, advisor = s["systems"][s["mover"]][place], s["advisor"][s["mover"]]
    room = at.CARDS
    if place == at.FIFTH:
        room = int(k.MODS[k.ITEM_ADVISOR + advisor - 1, k.M_FIFTH]) if advisor else 0
    expect(sum(card > 0 for card in stack) < room, "place", f"system {place} has no room for a card")


def _check_gray(s: dict[str, Any], viewer: int | None) -> None:
    """The cards drawn by an exploited gray card: the last ones of their decks, in the hand of the seat that drew."""
    older, newer = s["gray"]
    seat, number = s["turn"], s["deck_number"]
    pending = s["depth"] == 1 and int(k.PROGRAM[s["frame_pc"][0], 0]) == ops.GRAY
    for owner, row in enumerate(s["drawn"]):
        expect(not any(row) or (pending and owner == seat), "drawn", f"seat {owner} has drawn for no gray exploit")
    if not pending:
        expect(older + newer == 0, "gray", "no gray exploit is going on")
        return
    expect(older + newer + s["draws"] <= at.DRAWN, "gray", f"more than {at.DRAWN} cards with 'draws'")
    expect(older == 0 or s["discard_size"] == 1, "gray", "cards of the last deck, but the pile was not turned over")
    held = s["unknown"][seat]
    enough = newer <= held[number] and (older == 0 or (number > 0 and older <= held[number - 1]))
    expect(enough, "gray", f"seat {seat} does not hold so many cards of decks {number - 1} and {number}")
    if viewer != seat:
        return
    row = s["drawn"][seat]
    for mark, run in ((number, row[:older]), (number + 1, row[older : older + newer])):
        expect(0 not in run and run == sorted(run), "drawn", f"{run}, expected it filled and sorted")
        among = all(run.count(card) <= s["hand"][seat][card - 1].count(mark) for card in run)
        expect(among, "drawn", f"a card of deck {mark - 1} that is not in the hand")
    expect(not any(row[older + newer :]), "drawn", f"expected {older + newer} cards, as 'gray' says")
