"""Whether a position made from a view can be one of a game: all that the kernels take for granted.

The rules keep these facts true from one step to the next, so kernels check no bounds of their own. A position that has
them is safe to play on, whoever made it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.effects.checks import expect
from engines.state import State as Position

from . import content as k
from . import layout as at
from .checks_frames import check_frames

__all__ = ["cards_due", "cards_of", "check", "exploration_cards"]

OPTION_FIELDS = ("players", "utility", "end_rule", "max_rounds", "wish")


def check(state: Position) -> None:
    """Refuse the position if no game could have come to it.

    Raises:
        UsageError: names the field and what was expected.
    """
    s, start = state.fields, state.game.start().fields
    for name in OPTION_FIELDS:
        same = np.array_equal(s[name], start[name])
        expect(same, name, f"the game's options say {np.asarray(start[name]).tolist()}")
    _check_course(s)
    _check_factions(s)
    for p in range(int(s["players"])):
        _check_cards(s, p)
        _check_worlds(s, p)
        if int(s["fallen"][p]):
            _check_fallen(s, p)
    _check_exploration(s, int(start["explore_size"]) + (int(start["top"]) > 0))
    _check_turn(s)
    if state.viewer is not None and state.viewer >= 0:
        _check_hand(s, state.viewer)
    check_frames(s)
    if state.to_play >= 0 and int(s["node"]) not in at.HAND_NODES:
        expect(bool(state.legal_actions()), "node", f"nothing can be chosen at {at.NODES[int(s['node'])]!r}")


def _check_course(s: Any) -> None:
    """Seats, rounds, who fell in which order."""
    players, phase = int(s["players"]), int(s["phase"])
    for field in ("first", "active", "mover"):
        expect(int(s[field]) < players, field, f"{int(s[field])}, expected a seat below {players}")
    expect(int(s["winner"]) <= players, "winner", f"expected at most {players}")
    expect(
        (phase == at.PHASE_OVER) == (int(s["node"]) == 0), "phase", "the game is over at node 'over', and only there"
    )
    set_up = phase < at.PHASE_START
    least, most = (0, 0) if set_up else (1, int(s["max_rounds"]))
    expect(least <= int(s["round"]) <= most, "round", f"expected {least} to {most} in phase {at.PHASES[phase]!r}")
    most = players if set_up else 2 if phase == at.PHASE_START else 0
    expect(int(s["cursor"]) <= most, "cursor", f"expected at most {most} in phase {at.PHASES[phase]!r}")
    fallen = sorted(int(n) for n in s["fallen"] if int(n))
    expect(fallen == list(range(1, len(fallen) + 1)), "fallen", f"{fallen}, expected the falls numbered 1, 2, ...")
    expect(not s["fallen"][players:].any(), "fallen", "a seat that is not in play has fallen")
    if phase == at.PHASE_OVER:
        return
    most = players - 2 if int(s["end_rule"]) else 0
    expect(len(fallen) <= most, "fallen", f"{len(fallen)} Home Worlds have fallen: then the game is over")
    expect(int(s["winner"]) == 0, "winner", "nobody has won before the end")
    out = int(s["fallen"][int(s["active"])]) > 0
    expect(not out or phase == at.PHASE_NEXT, "active", "this seat has fallen, it has no turn")
    out = int(s["fallen"][int(s["mover"])]) > 0
    expect(not out or int(s["node"]) >= at.NODE_DEAL, "mover", "this seat has fallen, it decides nothing")


def _check_factions(s: Any) -> None:
    for p in range(int(s["players"])):
        wish, have = int(s["wish"][p]), int(s["faction"][p])
        expect(wish <= 0 or have == wish, "faction", f"seat {p} plays {k.FACTION_IDS[wish - 1]}")
        expect(wish >= 0 or have in (0, int(s["faction"][0])), "faction", f"seat {p} plays what seat 0 plays")
        due = int(s["phase"]) > at.PHASE_DEAL or p < int(s["cursor"])
        expect(have > 0 or not due, "faction", f"seat {p} has none yet")
        taken = [int(f) for q, f in enumerate(s["faction"][: int(s["players"])]) if q != p]
        expect(
            wish != 0 or have == 0 or have not in taken or -1 in s["wish"], "faction", f"seat {p} is dealt another's"
        )


def _check_cards(s: Any, p: int) -> None:
    """Every card of a seat in one place, as many as its faction has; sizes."""
    f, want = int(s["faction"][p]) - 1, cards_due(s, p)
    cards, copies = cards_of(s, p), k.COPIES[f] if want else np.zeros(at.TYPES, np.int16)
    for t in range(at.TYPES):
        expect(
            cards[t] <= copies[t], "unseen", f"seat {p} has {cards[t]} cards of type {t}, expected at most {copies[t]}"
        )
    total = int(cards.sum()) + int(s["scrapped"][p])
    expect(total == want, "scrapped", f"seat {p} has {total} cards with those scrapped, expected {want}")
    size = int(s["empire"][p].sum())
    expect(size == int(s["empire_size"][p]), "empire_size", f"seat {p}: {size} cards are in 'empire'")
    held, size = int(s["hand_size"][p]) + int(s["deck_size"][p]), int(s["unseen"][p].sum())
    expect(held == size, "unseen", f"seat {p}: {size} unseen cards, but hand and deck have {held}")
    expect(bool((s["known"][p] <= s["unseen"][p]).all()), "known", f"seat {p}: a known card is not among the unseen")
    expect(int(s["known"][p].sum()) <= int(s["hand_size"][p]), "known", f"seat {p}: more than the hand holds")
    if int(s["deck_size"][p]) == 0:
        same = np.array_equal(s["known"][p], s["unseen"][p])
        expect(same, "known", f"seat {p}: the deck is empty, so all unseen cards are known to be in the hand")
    for slot in range(at.ROW):
        t, accrued = int(s["row"][p, slot]) - 1, int(s["accrued"][p, slot])
        expect(t < 0 or slot < k.EMPIRE_ROW, "row", f"seat {p}: the Row has {k.EMPIRE_ROW} slots")
        most = int(k.COST[f, t]) - 1 if t >= 0 else 0
        expect(accrued <= max(most, 0), "accrued", f"seat {p}, slot {slot}: {accrued}, expected at most {most}")


def _check_worlds(s: Any, p: int) -> None:
    f = int(s["faction"][p]) - 1
    for world in range(at.WORLDS):
        face = int(s["planet"][p, world - 1]) - 1 if world else 0
        kind = int(k.FACE_KIND[face])
        where = f"seat {p}, {'home' if world == 0 else f'place {world}'}"
        if world and face >= 0:
            roving = kind == k.HAZARD and int(k.ROVING[face]) == 1
            expect(kind == k.PLANET or roving, "planet", f"{where}: {k.FACE_IDS[face]} is no Planet and does not rove")
        is_world = f >= 0 and (world == 0 or (face >= 0 and kind == k.PLANET))
        side, damage, base = int(s["side"][p, world]), int(s["damage"][p, world]), int(s["base"][p, world]) - 1
        if not is_world:
            empty = not (
                side or damage or base >= 0 or int(s["base_damage"][p, world]) or s["attached"][p, world].any()
            )
            expect(empty, "side", f"{where}: there is no world, so there is nothing on it")
            continue
        expect(not world or side == 0 or bool(k.FLIPS[face]), "side", f"{where}: it has no upgraded side")
        begun = world == 0 and cards_due(s, p) and not int(s["fallen"][p])
        least = int(k.HOME_SIDE[int(s["players"])]) if begun else 0
        expect(side >= least, "side", f"{where}: the Home World starts upgraded")
        most = int(k.HOME_POPULATION[f, side]) if world == 0 else int(k.FACE_POPULATION[face, side])
        for i, copies in enumerate(s["attached"][p, world].tolist()):
            if copies:
                t = int(k.ATTACH_TYPE[f, i])
                fits = t >= 0 and int(k.ATTACH_TO[f, t]) in (k.ON_ANY, k.ON_PLANET if world else k.ON_HOME)
                expect(fits, "attached", f"{where}: no such Tech can be attached")
                most += copies * int(k.ATTACH_POPULATION[f, i])
        over = world == 0 and int(s["fallen"][p]) > 0
        expect(damage < most or over, "damage", f"{where}: {damage}, expected less than the population, {most}")
        least = int(k.BASE_POPULATION[f, base]) if base >= 0 else 0
        expect(base < 0 or int(k.TYPE[f, base]) == k.BASE, "base", f"{where}: card {base} is no Base")
        hurt = int(s["base_damage"][p, world])
        expect(hurt < max(least, 1), "base_damage", f"{where}: {hurt}, expected less than {max(least, 1)}")


def _check_fallen(s: Any, p: int) -> None:
    """Who is out has nothing left (end_rule last_standing; else the game is over)."""
    if int(s["end_rule"]) == 0:
        return
    left = any(s[name][p].any() for name in ("planet", "side", "damage", "base", "row", "unseen", "discard", "tokens"))
    expect(not left and int(s["scrapped"][p]) == int(k.TOTAL[int(s["faction"][p]) - 1]), "fallen", f"seat {p} is out")


def _check_exploration(s: Any, cards: int) -> None:
    """Exploration Row and Deck."""
    players, row = int(s["players"]), [int(face) - 1 for face in s["explore"]]
    lying = sum(face >= 0 for face in row)
    expect(all(face >= 0 for face in row[:lying]), "explore", "an empty slot before a card")
    most = k.EXPLORE_ROW + k.EXPLORE_MORE * (players - 2)
    expect(lying <= most, "explore", f"{lying} cards, expected at most {most}")
    expect(all(int(k.FACE_KIND[face]) != k.EVENT for face in row[:lying]), "explore", "an event lies in the Row")
    top = int(s["top"]) - 1
    fresh = top >= 0 and int(k.FACE_KIND[top]) != k.PLANET
    expect(fresh or int(s["top_new"]) == 0, "top_new", "no event or hazard lies on the deck")
    size = int(s["explore_deck"].sum())
    expect(size == int(s["explore_size"]), "explore_size", f"{size} cards are in 'explore_deck'")
    under = int((s["recycled"] > 0).sum())
    ordered = bool((s["recycled"][:under] > 0).all()) and under == int(s["recycled_size"])
    expect(ordered, "recycled", f"{under} cards, expected {int(s['recycled_size'])} without gaps")
    events = [k.FACE_IDS[int(f) - 1] for f in s["recycled"][:under] if int(k.FACE_KIND[int(f) - 1]) == k.EVENT]
    expect(not events, "recycled", f"{events[:1]}: events are never recycled")
    have = exploration_cards(s)
    expect(have == cards, "gone", f"{have} exploration cards with those gone, expected {cards}")
    for p in range(at.MAX_PLAYERS):
        for slot in range(at.PLACES_SEEN):
            face = top if slot == at.TOP_SLOT else row[slot]
            planet = face >= 0 and int(k.FACE_KIND[face]) == k.PLANET
            room = int(k.FACE_COST[face, 0]) - k.LEAST_PRICE if planet and p < players else 0
            expect(int(s["tokens"][p, slot]) <= room, "tokens", f"seat {p}, slot {slot}: expected at most {room}")


def _check_turn(s: Any) -> None:
    """What belongs to the turn; the Fleets."""
    f, fleets = int(s["faction"][int(s["active"])]) - 1, int(s["fleets"])
    points = int(k.CP_OF[int(s["classes"]).bit_count()]) + int(s["cp_gained"]) - int(s["cp_spent"])
    expect(points >= 0, "cp_spent", f"{-points} command points more than there were")
    ships = [int(t) - 1 for t in s["ships"]]
    count = int(s["fleet_size"].sum())
    expect(all(t >= 0 for t in ships[:count]) and not any(t >= 0 for t in ships[count:]), "ships", f"expected {count}")
    expect(all(int(k.TYPE[f, t]) == k.SHIP for t in ships[:count]), "ships", "a card in a Fleet is no ship")
    for t, n in enumerate(s["ready"].tolist()):
        expect(n == 0 or int(k.TYPE[f, t]) in (k.SHIP, k.BASE), "ready", f"card {t} is neither ship nor Base")
    targets = [int(t) for t in s["fleet_target"]]
    listed = sorted(targets[:fleets]) == targets[:fleets] and all(targets[:fleets]) and not any(targets[fleets:])
    expect(listed, "fleet_target", f"{targets}, expected {fleets} targets, ascending")
    expect(all(s["fleet_size"][: max(fleets - 1, 0)]) and not s["fleet_size"][fleets:].any(), "fleet_size", "no ship")


def _check_hand(s: Any, p: int) -> None:
    """The viewer's own hand."""
    hand = s["hand"][p]
    expect(
        int(hand.sum()) == int(s["hand_size"][p]), "hand", f"{int(hand.sum())} cards, but 'hand_size' says otherwise"
    )
    expect(bool((hand <= s["unseen"][p]).all()), "hand", "a card that is not among the unseen ones")
    expect(bool((hand >= s["known"][p]).all()), "hand", "a card is missing that everybody knows to be there")


def cards_of(s: Any, p: int) -> NDArray[np.int64]:
    """Cards of seat `p` by type that are still in the game, wherever they lie: int64[TYPES]."""
    cards = np.zeros(at.TYPES, np.int64)
    for name in ("unseen", "discard", "empire"):
        cards += s[name][p]
    singles = [*s["row"][p], *s["base"][p], s["faceup"][p]]
    if p == int(s["active"]):
        cards += s["ready"].astype(np.int64) + s["spent"]
        singles += [*s["ships"]]
    for card in singles:
        if int(card):
            cards[int(card) - 1] += 1
    f = int(s["faction"][p]) - 1
    if f >= 0:
        for i, copies in enumerate(s["attached"][p].sum(axis=0).tolist()):
            if copies and int(k.ATTACH_TYPE[f, i]) >= 0:
                cards[int(k.ATTACH_TYPE[f, i])] += copies
    return cards


def cards_due(s: Any, p: int) -> int:
    """Cards that a seat must have: those of its faction, once they are handed out in set-up."""
    f = int(s["faction"][p]) - 1
    begun = int(s["phase"]) > at.PHASE_DEAL or p < int(s["cursor"])
    return int(k.TOTAL[f]) if f >= 0 and begun else 0


def exploration_cards(s: Any) -> int:
    """Exploration cards, wherever they lie, those gone included."""
    lying = [*s["explore"], *s["planet"].reshape(-1), s["top"], s["held"]]
    counted = int(s["explore_size"]) + int(s["recycled_size"]) + int(s["gone"])
    return counted + sum(int(face) > 0 for face in lying)
