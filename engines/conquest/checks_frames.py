"""Whether the pending effects of a position made from a view can be those of a game."""

from __future__ import annotations

from typing import Any

from engines.effects.checks import check_stack, expect

from . import content as k
from . import layout as at
from . import ops

__all__ = ["check_frames"]

_FREE = {
    at.NODE_OVER: (at.PHASE_OVER,),
    at.NODE_EXPLORE: (at.PHASE_EXPLORE,),
    at.NODE_MAIN: (at.PHASE_MAIN,),
    at.NODE_DEAL: (at.PHASE_DEAL,),
    at.NODE_FIRST: (at.PHASE_FIRST,),
    at.NODE_TOP_PLANET: (at.PHASE_ROWS,),
}
"""Nodes asked while nothing is pending, with their phases."""
_ACTIVE_OPS = (ops.FLEETS, ops.DEFENSE, ops.RESOLVE, ops.STATION, ops.ATTACH, ops.REWARD, ops.REPLACE)


def check_frames(s: Any) -> None:
    """Every frame stands at an op, belongs to a seat, and has what its op needs; the node is what the top one asks.

    Raises:
        UsageError: names the field and what was expected.
    """
    depth, node, phase = int(s["depth"]), int(s["node"]), int(s["phase"])
    running = check_stack(s, k.PROGRAM, "frame_a")
    for i, op in enumerate(running):
        _check_frame(s, i, op)
    if depth == 0:
        fits = phase in _FREE.get(node, ())
        expect(fits, "node", f"{at.NODES[node]!r} is not asked in phase {at.PHASES[phase]!r} with nothing pending")
        if node in (at.NODE_EXPLORE, at.NODE_MAIN):
            expect(int(s["mover"]) == int(s["active"]), "mover", "in its turn the active seat decides")
    else:
        expect(
            phase >= at.PHASE_ROWS and phase != at.PHASE_OVER, "depth", f"nothing is pending in {at.PHASES[phase]!r}"
        )
        expect(node in ops.OPS.asked[running[-1]], "node", f"{at.NODES[node]!r} is not what the top frame asks")
        _check_mover(s, running[-1])
    _check_attack(s, running)
    holds = sum(op in (ops.REWARD, ops.REPLACE) for op in running)
    held = int(s["held"]) - 1
    expect(
        phase == at.PHASE_OVER or holds == (held >= 0), "held", "a card is on its way to a place just while one asks"
    )
    expect(held < 0 or int(k.FACE_KIND[held]) == k.PLANET, "held", "expected a Planet")
    _check_chance(s, node)


def _check_frame(s: Any, i: int, op: int) -> None:
    """One frame: whose it is, and what goes with its op."""
    seat, n, a, players = int(s["frame_seat"][i]), int(s["frame_n"][i]), int(s["frame_a"][i]), int(s["players"])
    out = int(s["fallen"][seat]) > 0
    expect(not out or op == ops.SETTLE, "frame_seat", f"seat {seat} has fallen, it has no effects")
    expect(op not in _ACTIVE_OPS or seat == int(s["active"]), "frame_seat", "this belongs to the active seat")
    if op == ops.TURN_UP:
        spied = 0 < a <= players and int(s["fallen"][a - 1]) == 0 and a - 1 != seat
        expect(spied, "frame_a", f"{a}, expected 1 + the seat whose deck is turned up")
    elif op == ops.ATTACH:
        f = int(s["faction"][seat]) - 1
        fits = int(k.ATTACH_TO[f, a]) > 0 and int(s["spent"][a]) > 0
        expect(fits, "frame_a", f"card {a} was not played to be attached")
    else:
        expect(a == 0, "frame_a", f"{a}, expected 0")
    most = 2 * at.TARGETS if op in (ops.DEFENSE, ops.RESOLVE) else 40
    expect(n <= most, "frame_n", f"{n}, expected at most {most}")


def _check_mover(s: Any, op: int) -> None:
    """Who decides, draws, or whose card is turned up, by the top frame."""
    top, node = int(s["depth"]) - 1, int(s["node"])
    seat, a, mover = int(s["frame_seat"][top]), int(s["frame_a"][top]), int(s["mover"])
    want = seat
    if node == at.NODE_TURN_UP:
        want = a - 1
    elif op in (ops.SETTLE, ops.SHUFFLED):
        want = int(s["active"])
    elif op == ops.DEFENSE:
        n = int(s["frame_n"][top])
        fleet, right = n % at.TARGETS, n // at.TARGETS
        expect(n < 2 * at.TARGETS and fleet < int(s["fleets"]), "frame_n", f"{n}: there is no such Fleet in focus")
        target = int(s["fleet_target"][fleet]) - 1
        is_right = at.T_RIGHT <= target < at.T_HAZARD or target >= at.T_RIGHT_ROW
        aimed = not at.T_HAZARD <= target < at.T_LEFT_ROW and is_right == bool(right)
        expect(aimed, "frame_n", f"{n}: that Fleet is aimed at somebody else")
        want = int(s["foe"][right]) - 1
    expect(mover == want, "mover", f"{mover}, expected seat {want}")
    counts = (ops.DISCARD, ops.TOKEN, ops.THIN, ops.REPAIR, ops.DRAW, ops.OWN_DAMAGE, ops.GIFT)
    expect(op not in counts or int(s["frame_n"][top]) > 0, "frame_n", "0, but something is still to be done")
    if op == ops.DISCARD:
        expect(int(s["hand_size"][mover]) > 0, "node", f"seat {mover} has no card to discard")
    if node == at.NODE_REVEAL:
        expect(int(s["faceup"][a - 1]) > 0, "faceup", f"no card of seat {a - 1} lies face up")


def _check_attack(s: Any, running: list[int]) -> None:
    """One attack at most, its neighbours named while it lasts."""
    attacks = [op for op in running if op in (ops.FLEETS, ops.DEFENSE, ops.RESOLVE)]
    expect(len(attacks) <= 1, "frame_pc", "two attacks at once")
    players, active = int(s["players"]), int(s["active"])
    foes = [int(n) - 1 for n in s["foe"]]
    if not attacks:
        idle = not int(s["fleets"]) and max(foes) < 0 and not s["defenders"].any()
        expect(idle, "fleets", "there is no attack, so there are no Fleets, neighbours or defenders")
        return
    expect(all(q < players and q != active for q in foes) and foes[0] >= 0, "foe", f"{foes}: expected other seats")
    expect(foes[0] != foes[1], "foe", f"{foes}: left and right are two seats")
    for t, n in enumerate(s["defenders"].tolist()):
        f = int(s["faction"][int(s["mover"])]) - 1
        fits = n == 0 or (attacks[0] == ops.DEFENSE and int(k.TYPE[f, t]) == k.SHIP)
        expect(fits, "defenders", f"card {t} cannot have been used for Defense")
    struck = int(s["frame_n"][running.index(ops.RESOLVE)]) if attacks[0] == ops.RESOLVE else 0
    expect(struck <= int(s["fleets"]), "frame_n", "more Fleets have struck than there are")
    waiting = [int(target) - 1 for target in s["fleet_target"][struck : int(s["fleets"])]]
    expect(len(set(waiting)) == len(waiting), "fleet_target", f"{waiting}: two Fleets at one target")
    for target in waiting:
        expect(_there(s, target, foes), "fleet_target", f"target {target}: there is nothing to strike")


def _there(s: Any, target: int, foes: list[int]) -> bool:
    """Whether what a Fleet is aimed at is there (or its owner has fallen)."""
    if at.T_HAZARD <= target < at.T_LEFT_ROW:
        roving = target >= at.T_ROVING
        lying = s["planet"][int(s["active"])] if roving else s["explore"]
        face = int(lying[target - (at.T_ROVING if roving else at.T_HAZARD)]) - 1
        return face >= 0 and int(k.FACE_KIND[face]) == k.HAZARD
    right = at.T_RIGHT <= target < at.T_HAZARD or target >= at.T_RIGHT_ROW
    q = foes[int(right)]
    if q < 0 or int(s["fallen"][q]):
        return q >= 0
    if target >= at.T_LEFT_ROW:
        t = int(s["row"][q, (target - at.T_LEFT_ROW) % at.ROW]) - 1
        return t >= 0 and int(k.TYPE[int(s["faction"][q]) - 1, t]) != k.TECH
    place = target % at.T_RIGHT
    face = int(s["planet"][q, place]) - 1 if place < at.T_HOME else 0
    return face >= 0 and int(k.FACE_KIND[face]) == k.PLANET


def _check_chance(s: Any, node: int) -> None:
    """A chance node has an outcome."""
    p = int(s["mover"])
    if node in (at.NODE_DRAW, at.NODE_TURN_UP):
        ready = int(s["deck_size"][p]) > 0 and int(s["faceup"][p]) == 0
        expect(ready, "deck_size", f"seat {p} has no face-down card to draw")
    elif node == at.NODE_REFILL:
        empty = not all(s["row"][p][: k.EMPIRE_ROW])
        expect(empty and int(s["empire_size"][p]) > 0, "empire_size", f"the Row of seat {p} cannot be refilled")
    elif node == at.NODE_DEAL:
        expect(int(s["faction"][p]) == 0 and int(s["wish"][p]) == 0, "node", f"seat {p} is not dealt a faction")
    elif node in (at.NODE_TOP, at.NODE_TOP_PLANET):
        expect(int(s["top"]) == 0, "top", "a card lies there already")
        faces = [f for f in range(at.FACES) if int(s["explore_deck"][f])]
        some = any(node == at.NODE_TOP or int(k.FACE_KIND[f]) == k.PLANET for f in faces)
        expect(some, "explore_deck", "there is no card that could be revealed")
