"""Rulebook: C. Attack Phase, Fleets, Overassigning, Other Damage, Defense. Rulings 4 to 8, 26 to 33, 43, 47."""

from __future__ import annotations

from typing import Any

import pytest


def ships(table: Any, *names: str, factions: Any = "default", hand: Any = (), **options: Any) -> Any:
    """A table at the main loop with these ships ready; the other seat holds `hand`."""
    t = table(factions=factions, **options)
    t.cards(0, deck=["scout"])
    t.cards(1, hand=list(hand), deck=["scout"])
    t.ready(*names)
    return t


def test_a_turn_has_one_attack_which_needs_an_unused_ship(table: Any) -> None:
    t = ships(table)
    t.main()
    assert not t.legal("attack")
    t = ships(table, "escort_frigate", "line_destroyer")
    t.main()
    t.act("attack")
    assert t.legal() == ["target left home"], "no Planets: the Home World is open"
    t.act("target left home", "add escort_frigate", "confirm")
    assert t.node == "main" and not t.legal("attack"), "once a turn, even with a ship left (ruling 4)"
    assert t.left(1) == 17 - 2
    t.check()


def test_a_ship_may_still_use_its_or_if_it_stayed_out(table: Any) -> None:
    t = ships(table, "escort_frigate", "escort_frigate")
    t.main()
    t.money()
    t.act("attack", "target left home", "add escort_frigate", "confirm", "or escort_frigate")
    assert t.spend() == {"general": 1} and not t.legal("or"), "the other one attacked"


def test_damage_stays_and_a_depopulated_planet_is_recycled(table: Any) -> None:
    t = ships(table, "escort_frigate")
    t.planet(1, 1, "mineral_world")
    t.main()
    t.act("attack", "target left place 1", "add escort_frigate", "confirm")
    assert int(t.s["damage"][1, 1]) == 2
    t.end_turn()
    assert int(t.s["damage"][1, 1]) == 2, "carried over"


def test_overkill_is_lost_and_the_base_falls_with_its_planet(table: Any) -> None:
    t = ships(table, "republic_titan", "doom_star_of_sol")
    t.planet(1, 1, "barren_rock", base="star_base", techs=[])
    t.main()
    t.act("attack", "target left place 1", "add republic_titan", "add doom_star_of_sol", "confirm")
    assert t.place(1, 1) is None and t.under() == ["barren_rock"] and t.pile(1) == ["star_base"]
    assert t.left(1) == 17, "nothing spills over"
    t.check()


def test_the_base_takes_damage_first_and_intercepts(table: Any) -> None:
    t = ships(table, "republic_titan")
    t.planet(1, 1, "mineral_world", base="star_base")
    t.main()
    t.act("attack", "target left place 1", "add republic_titan", "confirm")
    assert int(t.s["damage"][1, 1]) == 7 - 1 - 4 and t.pile(1) == ["star_base"]


def test_a_fleet_weaker_than_shields_and_intercept_does_nothing(table: Any) -> None:
    t = ships(table, "escort_frigate")
    t.world(1, 0, base="star_fortress", techs=["cloaking_field"])
    t.main()
    t.act("attack", "target left home", "add escort_frigate", "confirm")
    assert int(t.s["base_damage"][1, 0]) == 0 and t.left(1) == 17, "2 less 3 heals nothing"


def test_a_fleet_that_ignores_the_base_strikes_past_it(table: Any) -> None:
    t = ships(table, "veil_destroyer", factions=["darloks", "humans"])
    t.planet(1, 1, "megacity", base="star_base")
    t.explore(top="dust_bowl")
    t.main()
    t.act("attack", "target left place 1", "add veil_destroyer", "confirm")
    assert int(t.s["damage"][1, 1]) == 3 and int(t.s["base"][1, 1]) > 0


def test_a_planet_destroyed_past_its_base_takes_the_base_along(table: Any) -> None:
    t = ships(table, "veil_destroyer", factions=["darloks", "humans"])
    t.planet(1, 1, "barren_rock", base="star_base")
    t.main()
    t.act("attack", "target left place 1", "add veil_destroyer", "confirm")
    assert t.place(1, 1) is None and t.pile(1) == ["star_base"]


def test_shields_reduce_every_fleet(table: Any) -> None:
    t = ships(table, "veil_destroyer", factions=["darloks", "psilons"])
    t.world(1, 0, techs=["class_v_shield"])
    t.main()
    t.act("attack", "target left home", "add veil_destroyer", "confirm")
    assert t.left(1) == 16 - 1, "3 less 2; only Bases are ignored"


def test_formation_counts_once_a_ship_with_another_ship_of_the_class(table: Any) -> None:
    t = ships(table, "line_destroyer", "line_destroyer", "escort_frigate")
    t.main()
    t.act("attack", "target left home", "add escort_frigate", "add line_destroyer", "add line_destroyer", "confirm")
    assert t.left(1) == 17 - (2 + 3 + 3 + 1 + 1)


def test_formation_needs_all_classes_and_never_itself(table: Any) -> None:
    t = ships(table, "republic_titan", "frontier_cruiser", "frontier_cruiser")
    t.main()
    t.act("attack", "target left home", "add frontier_cruiser", "add frontier_cruiser", "add republic_titan", "confirm")
    assert t.left(1) == 17 - (4 + 4 + 7), "cruisers want a destroyer, the titan both"


def test_bonus_against_planets_is_not_for_the_home_world(table: Any) -> None:
    t = ships(table, "brute_destroyer", "brute_destroyer", factions=["bulrathi", "humans"])
    t.planet(1, 1, "megacity", side=0)
    t.explore(top="dust_bowl")
    t.s["damage"][1, 1] = 1
    t.main()
    t.act("attack", "target left place 1", "add brute_destroyer")
    assert "target left home" in t.legal(), "5 suffice for the 5 that are left"
    t.act("target left home", "add brute_destroyer", "confirm")
    assert t.place(1, 1) is None and t.left(1) == 17 - 3


def test_the_home_world_opens_once_all_planets_could_be_destroyed(table: Any) -> None:
    t = ships(table, "line_destroyer", "line_destroyer", "escort_frigate")
    t.planet(1, 1, "barren_rock")
    t.planet(1, 2, "mineral_world")
    t.main()
    t.act("attack")
    assert t.legal("target left") == ["target left place 1", "target left place 2"]
    t.act("target left place 1", "add escort_frigate")
    assert "target left home" not in t.legal()
    t.act("target left place 2", "add line_destroyer")
    assert "target left home" in t.legal()
    t.act("target left home", "add line_destroyer", "confirm")
    assert t.place(1, 1) is None and t.place(1, 2) is None and t.left(1) == 14


def test_bases_shields_and_points_count_for_opening_it(table: Any) -> None:
    t = ships(table, "line_destroyer", "escort_frigate")
    t.planet(1, 1, "barren_rock", base="star_base")
    t.main()
    t.s["cp_gained"] = 6
    t.act("attack", "target left place 1", "add line_destroyer")
    for _ in range(3):
        assert "target left home" not in t.legal()
        t.act("point to fleet")
    assert "target left home" not in t.legal(), "6 - 1 intercepted, of 2 + 4 needed"
    t.act("point to fleet")
    assert "target left home" in t.legal()


def test_home_damage_stands_even_if_the_planet_is_saved(table: Any) -> None:
    t = ships(table, "escort_frigate", "line_destroyer", hand=["line_destroyer", "scout"], factions="humans")
    t.planet(1, 1, "barren_rock")
    t.main()
    t.act("attack", "target left place 1", "add escort_frigate", "target left home", "add line_destroyer", "confirm")
    assert (t.node, t.mover) == ("defend", 1)
    t.act("defend line_destroyer")
    t.act("done", "done")
    assert t.place(1, 1) == "barren_rock" and int(t.s["damage"][1, 1]) == 0 and t.left(1) == 17 - 3


def test_each_target_has_one_fleet_in_ascending_order(table: Any) -> None:
    t = ships(table, "escort_frigate", "escort_frigate", "escort_frigate")
    t.planet(1, 1, "megacity")
    t.explore(top="dust_bowl")
    t.main()
    t.act("attack", "target left place 1", "add escort_frigate")
    assert t.legal("target") == []
    t.cards(1, row=["shadow_frigate", "spy_network"], deck=["scout"])
    assert t.legal("target") == ["target left row 0"], "techs cannot be attacked"


def test_the_empire_row_takes_double_damage_in_one_go(table: Any) -> None:
    t = ships(table, "line_destroyer", "escort_frigate")
    t.cards(1, row=["cabal_battleship", "mirage_cruiser"], deck=["scout"])
    t.s["accrued"][1, 0] = 4
    t.main()
    t.act("attack", "target left row 0", "add line_destroyer", "target left row 1", "add escort_frigate", "confirm")
    assert t.node == "refill" and t.mover == 1, "6 damage scrap a card of 6, at its full printed cost"
    t.chance()
    assert int(t.s["scrapped"][1]) == 1 and t.name_of(1, int(t.s["row"][1, 1]) - 1) == "mirage_cruiser", "4 are not 5"
    assert not t.s["accrued"].any()
    t.check()


def test_points_count_twice_against_the_row(table: Any) -> None:
    t = ships(table, "escort_frigate")
    t.cards(1, row=["mirage_cruiser"], deck=["scout"])
    t.main()
    t.s["cp_gained"] = 1
    t.act("attack", "target left row 0", "add escort_frigate", "point to fleet", "confirm")
    assert t.node == "refill"


def test_a_world_gives_its_bonus_to_the_open_fleet(table: Any) -> None:
    t = ships(table, "escort_frigate")
    t.planet(0, 1, "shipyard_moon", side=1)
    t.main()
    assert not t.legal("ability"), "only while a Fleet is open"
    t.act("attack", "target left home")
    assert not t.legal("ability"), "that holds a ship"
    t.act("add escort_frigate", "ability place 1", "confirm")
    assert t.left(1) == 17 - 4 and not t.legal("ability")


# Defense


def test_defending_ships_are_scrapped_and_reduce_one_fleet(table: Any) -> None:
    t = ships(table, "republic_titan", hand=["shadow_frigate", "veil_destroyer", "space_factory"])
    t.main()
    t.act("attack", "target left home", "add republic_titan", "confirm")
    assert t.legal() == ["defend shadow_frigate", "defend veil_destroyer", "done"], "ships only"
    t.act("defend veil_destroyer")
    assert t.legal() == ["done"], "types ascending"
    t.act("done")
    assert t.left(1) == 17 - 4 and int(t.s["scrapped"][1]) == 1 and t.pile(1) == []
    t.check()


def test_who_holds_any_card_is_asked_and_who_holds_none_is_not(table: Any) -> None:
    t = ships(table, "escort_frigate", hand=["space_factory"])
    t.main()
    t.act("attack", "target left home", "add escort_frigate", "confirm")
    assert t.node == "defend" and t.legal() == ["done"]
    t = ships(table, "escort_frigate")
    t.main()
    t.act("attack", "target left home", "add escort_frigate", "confirm")
    assert t.node == "main"


def test_defence_bonus_and_formation_of_defenders(table: Any) -> None:
    t = ships(table, "doom_star_of_sol", factions=["humans", "bulrathi"], hand=["claw_frigate", "scout"])
    t.main()
    t.act("attack", "target left home", "add doom_star_of_sol", "confirm", "defend claw_frigate", "done")
    assert t.left(1) == 19 - (10 - 4)
    t = ships(table, "doom_star_of_sol", factions="humans", hand=["escort_frigate", "line_destroyer", "scout"])
    t.main()
    t.act("attack", "target left home", "add doom_star_of_sol", "confirm")
    t.act("defend escort_frigate", "defend line_destroyer", "done")
    assert t.left(1) == 17 - (10 - 2 - 3 - 1), "without command points"


def test_some_attack_cannot_be_blocked(table: Any) -> None:
    t = ships(table, "cabal_battleship", factions=["darloks", "humans"], hand=["republic_titan", "scout"])
    t.main()
    t.act("attack", "target left home", "add cabal_battleship", "confirm", "defend republic_titan", "done")
    assert t.left(1) == 17 - 3, "excess defence stops at 3 of 6"


def test_unblockable_attack_meets_shields_and_bases(table: Any) -> None:
    t = ships(table, "cabal_battleship", factions=["darloks", "humans"], hand=["republic_titan", "scout"])
    t.world(1, 0, base="star_base", techs=["planetary_shield"])
    t.main()
    t.act("attack", "target left home", "add cabal_battleship", "confirm", "defend republic_titan", "done")
    assert int(t.s["base_damage"][1, 0]) == 3 - 1 - 1


def test_hazard_fleets_cannot_be_defended_against(table: Any) -> None:
    t = ships(table, "republic_titan", hand=["republic_titan"], factions="humans")
    t.explore(["space_amoeba"], "megacity")
    t.main()
    t.act("attack", "target hazard 0", "add republic_titan", "confirm")
    assert t.node != "defend"


def test_a_fleet_at_the_row_can_be_blocked(table: Any) -> None:
    t = ships(table, "line_destroyer", hand=["shadow_frigate"])
    t.cards(1, hand=["shadow_frigate"], row=["mirage_cruiser"], deck=["scout"])
    t.main()
    t.act("attack", "target left row 0", "add line_destroyer", "confirm", "defend shadow_frigate")
    assert t.node == "main" and int(t.s["row"][1, 0]) > 0, "3 - 2 = 1, doubled"


def test_defence_makes_no_command_points(table: Any) -> None:
    t = ships(table, "doom_star_of_sol", hand=["shadow_frigate", "veil_destroyer"])
    t.main()
    t.act(
        "attack",
        "target left home",
        "add doom_star_of_sol",
        "confirm",
        "defend shadow_frigate",
        "defend veil_destroyer",
    )
    assert t.points() == 0


# Hazards


def beaten(table: Any, hazard: str, *names: str, places: Any = ()) -> Any:
    t = ships(table, *names)
    t.explore([hazard], "megacity")
    for i, name in enumerate(places):
        t.planet(0, i + 1, name)
    t.main()
    t.act("attack", "target hazard 0")
    for name in names:
        t.act(f"add {name}")
    t.act("confirm")
    return t


def test_a_hazard_needs_all_its_damage_at_once(table: Any) -> None:
    t = beaten(table, "space_amoeba", "frontier_cruiser")
    assert t.node == "main" and t.faces() == ["space_amoeba"], "4 are not 5: no damage back (ruling 26)"


def test_a_beaten_hazard_strikes_back_then_its_planet_may_be_taken(table: Any) -> None:
    t = beaten(table, "space_amoeba", "republic_battleship", places=["dust_bowl"])
    assert t.node == "own_damage" and t.legal() == ["world home", "world place 1"]
    t.money()
    t.act("world home")
    assert t.node == "reward" and t.left(0) == 17 - 2
    t.act("yes")
    assert t.place(0, 2) == "seeded_world" and t.spend() == {"general": 2} and t.faces() == []
    assert not t.legal("upgrade place 2"), "it has no other side to upgrade to"
    t.check()


def test_a_declined_reward_is_recycled_planet_side_up(table: Any) -> None:
    t = beaten(table, "space_amoeba", "republic_battleship")
    assert t.node == "reward", "one world only: the damage needs no question"
    t.act("done")
    assert t.under() == ["seeded_world"]
    t.check()


def test_a_reward_may_replace_a_planet(table: Any) -> None:
    t = beaten(table, "space_amoeba", "republic_battleship", places=["dust_bowl", "barren_rock"])
    t.act("world home", "yes", "world place 2")
    assert t.place(0, 2) == "seeded_world" and t.under() == ["barren_rock"]


def test_with_two_roving_hazards_the_reward_is_recycled(table: Any) -> None:
    t = beaten(table, "space_amoeba", "republic_battleship", places=["antaran_raiders", "rebel_uprising"])
    assert t.node == "main" and t.under() == ["seeded_world"], "ruling 49"


def test_damage_may_go_to_a_base_the_rest_to_its_world(table: Any) -> None:
    t = ships(table, "doom_star_of_sol", "republic_titan")
    t.explore(["orion_guardian"], "megacity")
    t.planet(0, 1, "mineral_world", base="star_base")
    t.main()
    t.act("attack", "target hazard 0", "add republic_titan", "add doom_star_of_sol", "confirm")
    assert t.legal() == ["world home", "world place 1", "base of place 1"]
    t.act("base of place 1")
    assert int(t.s["damage"][0, 1]) == 1 and t.pile(0) == ["star_base"], "5 on a Base of 4"


def test_a_world_may_take_damage_past_its_base_and_what_is_left_over_is_ignored(table: Any) -> None:
    t = ships(table, "doom_star_of_sol", "republic_titan")
    t.explore(["orion_guardian"], "megacity")
    t.planet(0, 1, "barren_rock", base="star_base")
    t.main()
    t.act("attack", "target hazard 0", "add republic_titan", "add doom_star_of_sol", "confirm", "world place 1")
    assert t.place(0, 1) is None and t.left(0) == 17 and t.node == "reward"


def test_several_hazards_in_one_attack_are_hit_where_they_were_named(table: Any) -> None:
    t = ships(table, "republic_battleship", "republic_titan", "frontier_cruiser")
    t.explore(["space_amoeba", "barren_rock", "space_crystal"], "megacity")
    t.main()
    t.act("attack", "target hazard 0", "add republic_battleship", "target hazard 2", "add republic_titan", "confirm")
    t.act("done")
    assert t.node == "reward", "the second one has moved down a slot"
    t.act("done")
    assert t.faces() == ["barren_rock"] and t.under() == ["seeded_world", "crystal_world"]
    t.check()


def test_the_holder_may_beat_its_roving_hazard(table: Any) -> None:
    t = ships(table, "republic_battleship")
    t.planet(0, 2, "antaran_raiders")
    t.main()
    t.act("attack", "target own place 2", "add republic_battleship", "confirm")
    assert t.place(0, 2) is None and int(t.s["gone"]) == 1 and t.left(0) == 15, "scrapped (ruling 17)"
    t.check()


def test_a_roving_hazard_hurts_at_the_start_of_its_holders_turn(table: Any) -> None:
    t = table()
    t.planet(1, 1, "antaran_raiders")
    t.planet(1, 2, "dust_bowl")
    t.cards(0, discard=["scout"])
    t.cards(1, deck=["scout"])
    t.main()
    t.end_turn()
    assert (t.node, t.mover) == ("own_damage", 1)
    t.act("world place 2")
    assert int(t.s["damage"][1, 2]) == 1 and t.node == "explore"


def test_the_opponent_cannot_attack_a_roving_hazard(table: Any) -> None:
    t = ships(table, "republic_battleship")
    t.planet(1, 1, "antaran_raiders")
    t.main()
    t.act("attack")
    assert t.legal() == ["target left home"]


@pytest.mark.parametrize("card", ["scout", "colony_ship", "space_factory"])
def test_support_ships_neither_attack_nor_defend(table: Any, card: str) -> None:
    t = ships(table, "escort_frigate", factions="humans", hand=[card, "patrol_frigate"])
    t.main()
    t.act("attack", "target left home", "add escort_frigate", "confirm")
    assert t.legal() == ["defend patrol_frigate", "done"]


def test_the_game_stops_at_once_when_the_home_world_falls(table: Any) -> None:
    t = ships(table, "doom_star_of_sol", "escort_frigate")
    t.s["damage"][1, 0] = 8
    t.cards(1, row=["shadow_frigate"], deck=["scout"])
    t.main()
    t.act("attack", "target left home", "add doom_star_of_sol", "target left row 0", "add escort_frigate", "confirm")
    assert t.state.is_over and t.state.returns() == [1.0, -1.0]
    assert int(t.s["row"][1, 0]) > 0, "later Fleets do nothing"
