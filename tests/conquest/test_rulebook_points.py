"""Rulebook: Command Points. Rulings 10, 22, 34, 36, 46, 47."""

from __future__ import annotations

from typing import Any

import pytest

CLASSES = [
    "patrol_frigate",
    "line_destroyer",
    "frontier_cruiser",
    "republic_battleship",
    "republic_titan",
    "doom_star_of_sol",
]


@pytest.mark.parametrize(("classes", "points"), [(1, 0), (2, 1), (3, 2), (4, 5), (5, 7), (6, 9)])
def test_points_for_ship_classes(table: Any, classes: int, points: int) -> None:
    """1, 2, 4, 6, 8 for two to six classes; the battleship itself gives one more."""
    t = table()
    t.cards(0, hand=CLASSES[:classes], deck=["scout"])
    t.main()
    for name in CLASSES[:classes]:
        t.act(f"play {name}")
    assert t.points() == points


def test_a_class_counts_once_and_ships_used_for_their_or_count(table: Any) -> None:
    t = table()
    t.cards(0, hand=["escort_frigate", "patrol_frigate", "line_destroyer"], deck=["scout"])
    t.main()
    t.act("play escort_frigate", "or escort_frigate", "play patrol_frigate")
    assert t.points() == 0
    t.act("play line_destroyer")
    assert t.points() == 1


def test_points_are_counted_over_the_whole_turn_and_lost_after_it(table: Any) -> None:
    t = table()
    t.cards(0, hand=["escort_frigate", "line_destroyer", "frontier_cruiser"], deck=["scout"], row=["line_destroyer"])
    t.main()
    t.money()
    t.act("play escort_frigate", "play line_destroyer", "points to production", "play frontier_cruiser")
    assert t.points() == 1 and t.spend() == {"empire": 1}, "2 for three classes, one spent"
    t.act("accrue row 0")
    assert t.spend() == {} and t.points() == 1, "production from points is used before points"
    t.act("accrue row 0")
    assert t.points() == 0
    t.end_turn()
    assert t.points() == 0


def test_points_buy_and_accrue_on_the_empire_row_only(table: Any) -> None:
    t = table()
    t.cards(0, row=["line_destroyer"], deck=["scout"])
    t.explore(["barren_rock"], "megacity")
    t.main()
    t.money()
    t.s["cp_gained"] = 3
    assert t.legal("buy") == ["buy row 0"] and not t.legal("acquire") and not t.legal("upgrade")


def test_recycling_a_planet_costs_one_or_two_with_enemy_tokens(table: Any) -> None:
    t = table()
    t.explore(["barren_rock", "dust_bowl"], "megacity")
    t.s["tokens"][0, 0] = t.s["tokens"][1, 1] = 1
    t.s["cp_gained"] = 1
    assert t.legal("recycle") == ["recycle planet explore 0"], "own tokens do not matter; the deck's top cannot"
    t.s["cp_gained"] = 2
    t.act("recycle planet explore 1")
    assert t.points() == 0 and t.under() == ["dust_bowl"] and int(t.s["tokens"].sum()) == 1
    t.check()


def test_recycling_a_hazard_reshuffles_with_a_planet_on_top(table: Any) -> None:
    t = table()
    t.explore(["orion_guardian", "barren_rock"], "megacity", under=["dust_bowl"])
    t.s["tokens"][0, 5] = 3
    t.s["cp_gained"] = 2
    t.act("recycle hazard explore 0")
    assert t.node == "top_planet" and t.under() == [] and t.faces() == ["barren_rock"]
    tops = t.legal("top")
    assert "top megacity" in tops and "top dust_bowl" in tops and "top orion_guardian" not in tops
    t.act("top dust_bowl")
    assert t.node == "explore" and not t.s["tokens"].any() and t.points() == 0
    t.check()


def test_a_hazard_cannot_be_recycled_without_a_planet_in_the_deck(table: Any) -> None:
    t = table()
    t.explore(["orion_guardian"], None, deck=["space_amoeba"])
    t.explore(["orion_guardian", "barren_rock", "dust_bowl"], "space_amoeba", deck=["plague"])
    t.s["cp_gained"] = 2
    assert not t.legal("recycle hazard")
    t.s["recycled"][0] = t.s["explore"][1]
    t.s["recycled_size"] = 1
    assert t.legal("recycle hazard") == ["recycle hazard explore 0"]


def test_points_may_be_split_over_fleets(table: Any) -> None:
    t = table()
    t.cards(0, deck=["scout"])
    t.cards(1, deck=["scout"])
    t.ready("escort_frigate", "escort_frigate")
    t.planet(1, 1, "mineral_world")
    t.main()
    t.s["cp_gained"] = 3
    t.act("attack", "target left place 1")
    assert "point to fleet" not in t.legal(), "a Fleet without a ship"
    t.act("add escort_frigate", "point to fleet", "target left home", "add escort_frigate", "point to fleet")
    t.act("point to fleet", "confirm")
    assert t.place(1, 1) is None and t.left(1) == 17 - 4 and t.points() == 0
