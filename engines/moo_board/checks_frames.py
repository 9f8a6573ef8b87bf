"""Whether the pending effects of a position are such as the rules begin: what runs, whose it is, what it waits for."""

from __future__ import annotations

from typing import Any

from engines.effects.checks import check_stack, expect

from . import content as k
from . import layout as at
from . import ops

__all__ = ["check_frames"]

_COUNTED = (at.NODE_DISCARD, at.NODE_TRADE_MORE, at.NODE_ACTIVATE_MORE)
_LONE_NODES = (at.NODE_OVER, at.NODE_RACE, at.NODE_MAIN, at.NODE_RACE_DEALT, at.NODE_ASIDE, at.NODE_FIRST)
"""Nodes at which no effect is pending."""
_PHASES_OF_FLOW = {
    k.PC_MULLIGAN: at.PHASE_MULLIGAN,
    k.PC_BONUS: at.PHASE_MOBILIZE,
    k.PC_ORDER: at.PHASE_START,
    k.PC_GRAY: at.PHASE_ACTIONS,
    k.PC_TRADE: at.PHASE_ACTIONS,
    k.PC_DEAL: at.PHASE_ACTIONS,
    k.PC_ATTACK: at.PHASE_ACTIONS,
    k.PC_DISCARD: at.PHASE_LIMIT,
}
"""Programs of the rules that begin in a phase by themselves."""
_WINDOWS = {
    k.AFTER_ATTACK: k.PC_ATTACK,
    k.AFTER_ATTACKED: k.PC_ATTACK,
    k.START_OF_ROUND: k.PC_ORDER,
}
"""The window in which effects of a timing trigger."""


def _programs() -> list[tuple[int, int]]:
    """For every row of the program: where its program begins, and the item it belongs to (-1: the rules)."""
    items = {int(pc): item for item, pc in enumerate(k.START_PC) if pc}
    begins = {0, *items, *_PHASES_OF_FLOW, k.PC_REORDER_CARD}
    rows, start = [], 0
    for pc in range(len(k.PROGRAM)):
        start = pc if pc in begins else start
        rows.append((start, items.get(start, -1)))
    return rows


_PROGRAM_OF = _programs()


def check_frames(s: dict[str, Any]) -> None:
    """Refuse frames that the rules never begin, and a node that is not what the top one waits for.

    Args:
        s: the record's fields as lists; bounds, phases and cards have been checked.

    Raises:
        UsageError: names the field and what was expected.
    """
    depth, node = s["depth"], s["node"]
    for i, op in enumerate(check_stack(s, k.PROGRAM, "frame_source", "frame_target")):
        _check_frame(s, i, op)
    actor = s["turn"] if s["phase"] == at.PHASE_ACTIONS else (s["first"] + s["cursor"] - 1) % s["players"]
    if depth > 0:
        expect(node not in _LONE_NODES, "depth", f"effects are pending at {at.NODES[node]!r}")
        expect(s["frame_seat"][0] == actor, "frame_seat", f"seat {s['frame_seat'][0]}, but it is seat {actor}'s turn")
    else:
        phases = {
            at.NODE_DRAW: (at.PHASE_HANDS, at.PHASE_MOBILIZE, at.PHASE_ACTIONS),
            at.NODE_SAVE: (at.PHASE_ACTIONS,),
        }
        fits = node in _LONE_NODES or s["phase"] in phases.get(node, ())
        expect(fits, "depth", f"no effect is pending, but {at.NODES[node]!r} is asked")
    _check_node(s, s["frame_seat"][depth - 1] if depth > 0 else actor)


def _check_frame(s: dict[str, Any], i: int, op: int) -> None:
    """One frame: a program that can lie at this depth, with seat, source, target and count such as it is given."""
    pc, n, where = s["frame_pc"][i], s["frame_n"][i], f"entry {i}"
    start, item = _PROGRAM_OF[pc]
    if item < 0:
        _check_flow(s, i, start)
    else:
        _check_item(s, i, item)
    number = int(k.PROGRAM[pc, 1])
    most = {
        ops.MULLIGAN: at.MAX_CARDS,
        ops.DISCARD: at.MAX_CARDS,
        ops.PAY_CARDS: number,
        ops.ACTIVATE: number,
        ops.OPP_DISCARD: s["players"],
        ops.BONUS: 2,
        ops.TRADE_MORE: at.MAX_CARDS,
    }.get(op, 0)
    expect(n <= most, "frame_n", f"{where}: {n}, expected at most {most}")


def _check_flow(s: dict[str, Any], i: int, start: int) -> None:
    """A program of the rules themselves."""
    seat, source, target, where = s["frame_seat"][i], s["frame_source"][i], s["frame_target"][i], f"entry {i}"
    if start == k.PC_REORDER_CARD:
        cards = sum(card > 0 for card in s["systems"][seat][source]) if source < at.SYSTEMS else 0
        expect(0 < i == s["depth"] - 1, "frame_pc", f"{where}: cards are rearranged by the topmost effect")
        expect(cards > 1, "frame_source", f"{where}: there are no cards to rearrange")
    else:
        expect(source == at.BOARD, "frame_source", f"{where}: {source}, expected {at.BOARD}")
        begins = s["phase"] == _PHASES_OF_FLOW[start] and i == 0
        nested = start == k.PC_DISCARD and i > 0
        expect(begins or nested, "frame_pc", f"{where}: {s['frame_pc'][i]} does not belong here in this phase")
    if start == k.PC_DEAL:
        expect(target > 0 and s["table"][target - 1] == 1, "frame_target", f"{where}: no advisor on the table")
    elif start == k.PC_ATTACK:
        expect(0 < target <= s["players"] and target != 1 + seat, "frame_target", f"{where}: no opponent")
    else:
        expect(target == 0, "frame_target", f"{where}: {target}, expected 0")


def _check_item(s: dict[str, Any], i: int, item: int) -> None:
    """The effect of a card, an advisor or a race board."""
    seat, source, target, where = s["frame_seat"][i], s["frame_source"][i], s["frame_target"][i], f"entry {i}"
    timing = int(k.TIMING[item])
    if item >= k.ITEM_RACE:
        fits = source == at.BOARD and s["race"][seat] == 1 + item - k.ITEM_RACE
    else:
        fits = source == at.ADVISOR if item >= k.ITEM_ADVISOR else source < at.ADVISOR
    expect(fits, "frame_source", f"{where}: {source} cannot have this effect")
    window = _WINDOWS.get(timing)
    if window is None:
        begins = i == 0 and s["phase"] == at.PHASE_ACTIONS
        expect(begins or i > 0, "frame_pc", f"{where}: {s['frame_pc'][i]} does not belong here in this phase")
        expect(i == 0 or seat == s["frame_seat"][i - 1], "frame_seat", f"{where}: not the seat whose effect began it")
        expect(target == 0, "frame_target", f"{where}: {target}, expected 0")
        return
    inside = i == 1 and _PROGRAM_OF[s["frame_pc"][0]][0] == window
    expect(inside, "frame_pc", f"{where}: {s['frame_pc'][i]} does not belong here in this phase")
    owner, other = s["frame_seat"][0], s["frame_target"][0]
    if timing == k.AFTER_ATTACKED:
        owner, other = other - 1, 1 + owner
    expect((seat, target) == (owner, other), "frame_seat", f"{where}: not the seats of this attack or round")


def _check_node(s: dict[str, Any], top_seat: int) -> None:
    """What is asked is what the top frame waits for, of the seat whose effect it is (or `top_seat`'s turn)."""
    node, depth, mover = s["node"], s["depth"], s["mover"]
    expect((s["draws"] > 0) == (node == at.NODE_DRAW), "draws", "cards are drawn at node 'draw', and only there")
    expect(node != at.NODE_DRAW or s["deck_size"] > 0, "deck_size", "0, but a card is to be drawn")
    windows = (k.PC_ORDER, k.PC_ATTACK)
    used = s["used_sources"] == 0 or (depth > 0 and _PROGRAM_OF[s["frame_pc"][0]][0] in windows)
    expect(used, "used_sources", "effects of several sources trigger at the start of a round and after an attack only")
    if node in (at.NODE_DRAW, at.NODE_SAVE):
        expect(mover == top_seat, "mover", f"seat {mover}, expected {top_seat}")
    if not any(node in asked for asked in ops.OPS.asked):
        _check_waiting(s, -1, 0)
        return
    pc, n, target = (s[f"frame_{name}"][depth - 1] for name in ("pc", "n", "target"))
    op, number = int(k.PROGRAM[pc, 0]), int(k.PROGRAM[pc, 1])
    expect(node in ops.OPS.asked[op], "node", f"the topmost effect does not ask for {at.NODES[node]!r}")
    asked = target - 1 if node == at.NODE_VICTIM else top_seat
    expect(mover == asked, "mover", f"seat {mover}, expected {asked}")
    expect(node not in _COUNTED or n > 0, "frame_n", "0, but more is to be chosen")
    expect(node != at.NODE_GAIN or number > 1, "node", "there is nothing to choose between")
    expect(node != at.NODE_DISCARD or s["hand_size"][mover] > 0, "hand_size", f"0, but seat {mover} is to discard")
    expect(node != at.NODE_GRAY or sum(s["gray"]) > 0, "gray", "0, but one of the cards drawn is to be discarded")
    _check_waiting(s, node, mover)


def _check_waiting(s: dict[str, Any], node: int, seat: int) -> None:
    """The sources that can trigger, and the cards laid so far."""
    bits = s["open_sources"]
    if node not in (at.NODE_ORDER, at.NODE_TRIGGER):
        expect(bits == 0, "open_sources", "no order of effects is asked for")
    else:
        timing = k.START_OF_ROUND if node == at.NODE_ORDER else k.AFTER_ATTACK
        for source in range(at.SOURCES):
            open_ = bits >> source & 1
            fits = not s["used_sources"] >> source & 1 and _timing_at(s, seat, source) == timing
            expect(not open_ or fits, "open_sources", f"nothing can trigger at source {source}")
    placed = [card for card in s["placed"] if card]
    expect(not any(s["placed"][len(placed) :]), "placed", "an empty place above a card")
    if node != at.NODE_REORDER_CARD:
        expect(not placed, "placed", "no cards are being rearranged")
        return
    stack = s["systems"][seat][s["frame_source"][s["depth"] - 1]]
    fits = all(placed.count(card) <= stack.count(card) for card in placed)
    expect(fits and len(placed) < sum(card > 0 for card in stack), "placed", "other cards than those of the system")


def _timing_at(s: dict[str, Any], seat: int, source: int) -> int:
    """When the effect at a source of `seat` triggers; 0 if nothing lies there."""
    if source < at.ADVISOR:
        item = s["systems"][seat][source][0] - 1
    elif source == at.ADVISOR:
        item = k.ITEM_ADVISOR + s["advisor"][seat] - 1 if s["advisor"][seat] else -1
    else:
        item = k.ITEM_RACE + s["race"][seat] - 1
    return int(k.TIMING[item]) if item >= 0 else 0
