"""Rulebook: B. Production Phase, Bases, 2. Discard and Draw. Rulings 1 to 3, 20 to 25, 32, 38, 40, 42, 45, 48 to 51."""

from __future__ import annotations

from typing import Any

import pytest


def test_buying_from_the_empire_row(table: Any) -> None:
    t = table()
    t.cards(0, row=["escort_frigate", "line_destroyer", "star_base", "space_dock", "republic_titan"])
    t.main()
    t.money(general=5)
    assert t.legal("buy row") == ["buy row 0", "buy row 1", "buy row 2", "buy row 3"]
    t.act("buy row 1")
    assert t.node == "refill" and t.pile(0) == ["line_destroyer"] and t.spend() == {"general": 2}
    t.act("refill frontier_cruiser", "buy row 0", "refill line_destroyer")
    assert t.pile(0) == ["escort_frigate", "line_destroyer"], "any number of cards"
    t.check()


def test_an_empty_empire_deck_leaves_the_slot_empty(table: Any) -> None:
    t = table()
    t.cards(0, row=["escort_frigate"])
    t.s["scrapped"][0] = int(t.s["empire_size"][0])
    t.s["empire"][0], t.s["empire_size"][0] = 0, 0
    t.main()
    t.money(general=2)
    t.act("buy row 0")
    assert t.node == "main" and not t.s["row"][0].any()


def test_accruing_stops_one_short_and_buying_pays_the_rest(table: Any) -> None:
    t = table()
    t.cards(0, row=["line_destroyer"])
    t.main()
    t.money(general=4)
    t.act("accrue row 0", "accrue row 0")
    assert int(t.s["accrued"][0, 0]) == 2 and t.legal("accrue") == [], "less than the cost of 3"
    t.act("buy row 0")
    assert t.spend() == {"general": 1} and t.pile(0) == ["line_destroyer"]


def test_what_accrued_stays_over_the_turn(table: Any) -> None:
    t = table()
    t.cards(0, row=["line_destroyer"], discard=["scout"])
    t.cards(1, discard=["scout"])
    t.main()
    t.act("accrue row 0")
    t.end_turn()
    t.end_turn()
    assert int(t.s["accrued"][0, 0]) == 1


def test_payment_goes_points_then_general_then_factories(table: Any) -> None:
    t = table()
    t.cards(0, row=["republic_titan"])
    t.main()
    t.money(general=2, factory=3, empire=1, colony=4)
    t.s["cp_gained"] = 3
    t.act("buy row 0")
    assert t.spend() == {"colony": 4} and t.points() == 1, "1 + 2 + 3, then two command points"


def test_planets_are_paid_by_colony_ships_first_and_never_by_points(table: Any) -> None:
    t = table()
    t.explore(["barren_rock"], "megacity")
    t.main()
    t.money(colony=2, general=3, factory=1, empire=5)
    t.s["cp_gained"] = 5
    assert t.legal("acquire") == ["acquire explore 0"]
    t.act("acquire explore 0")
    assert t.spend() == {"general": 3, "factory": 1, "empire": 5}, "one of three general was paid, one came back"


def test_a_new_planet_works_at_once_in_the_lower_free_place(table: Any) -> None:
    t = table()
    t.explore(["ancient_library"], "megacity")
    t.planet(0, 2, "dust_bowl")
    t.cards(0, deck=["scout"])
    t.main()
    t.money(general=6)
    t.act("acquire explore 0")
    assert t.place(0, 1) == "ancient_library" and t.spend() == {"general": 1}
    assert "ability place 1" in t.legal(), "its ability may be used at once"
    assert not t.legal("upgrade place 1"), "but it cannot be upgraded this turn"


def test_two_planets_at_most_one_is_recycled(table: Any) -> None:
    t = table()
    t.planet(0, 1, "dust_bowl", damage=1, base="star_base")
    t.planet(0, 2, "barren_rock")
    t.main()
    t.money(general=7)
    t.act("acquire deck")
    assert t.node == "replace" and t.legal() == ["world place 1", "world place 2"]
    t.act("world place 1")
    assert t.place(0, 1) == "megacity" and t.under() == ["dust_bowl"]
    assert t.pile(0) == ["star_base"] and int(t.s["damage"][0, 1]) == 0, "its Base is discarded, damage vanishes"
    t.act("top toxic_sink")
    t.check()


def test_a_planet_may_be_bought_to_be_recycled(table: Any) -> None:
    t = table()
    t.explore(["barren_rock"], "megacity")
    t.s["tokens"][0, 0] = t.s["tokens"][1, 0] = 1
    t.main()
    t.money(general=2)
    t.act("buy and recycle explore 0")
    assert t.under() == ["barren_rock"] and t.faces() == [] and t.spend() == {}
    assert not t.s["tokens"].any(), "tokens leave"


def test_with_two_roving_hazards_only_recycling_is_possible(table: Any) -> None:
    t = table()
    t.planet(0, 1, "antaran_raiders")
    t.planet(0, 2, "rebel_uprising")
    t.main()
    t.money(general=7)
    assert t.legal("acquire") == [] and t.legal("buy and") == ["buy and recycle deck"], "ruling 49"


def test_one_roving_hazard_the_planet_is_replaced_without_a_question(table: Any) -> None:
    t = table()
    t.planet(0, 1, "antaran_raiders")
    t.planet(0, 2, "barren_rock")
    t.main()
    t.money(general=7)
    t.act("acquire deck")
    assert t.place(0, 2) == "megacity" and t.node == "top"


def test_upgrading_costs_the_front_and_keeps_damage(table: Any) -> None:
    t = table()
    t.planet(0, 1, "dust_bowl", damage=1)
    t.main()
    t.money(colony=1, general=2)
    t.act("upgrade place 1")
    assert int(t.s["side"][0, 1]) == 1 and int(t.s["damage"][0, 1]) == 1 and t.spend() == {}
    assert not t.legal("ability"), "the new side's ability waits for the next turn"
    assert not t.legal("upgrade")


def test_the_fronts_ability_may_be_used_before_upgrading(table: Any) -> None:
    t = table()
    t.planet(0, 1, "listening_post")
    t.main()
    t.money(general=5)
    t.act("ability place 1", "upgrade place 1")
    assert t.points() == 1 and not t.legal("ability")


def test_the_home_world_is_upgraded_without_colony_production(table: Any) -> None:
    t = table()
    t.s["damage"][0, 0] = 5
    t.main()
    t.money(general=5, factory=2, colony=9)
    assert not t.legal("upgrade")
    t.money(general=6, factory=2, colony=9)
    t.act("upgrade home")
    assert t.left(0) == 21 - 5 and t.spend() == {"colony": 9} and not t.legal("ability")


def test_only_factories_repair(table: Any) -> None:
    t = table()
    t.planet(0, 1, "dust_bowl", damage=1)
    t.world(0, 0, base="star_base")
    t.s["damage"][0, 0], t.s["base_damage"][0, 0] = 2, 1
    t.main()
    t.money(general=9, colony=9, empire=9)
    assert not t.legal("repair")
    t.money(factory=3)
    assert t.legal("repair") == ["repair home", "repair place 1", "repair base of home"]
    t.act("repair base of home", "repair home", "repair place 1")
    assert t.spend() == {} and int(t.s["damage"][0, 0]) == 1


def test_kinds_of_production_of_support_cards(table: Any) -> None:
    t = table()
    t.cards(0, hand=["space_factory", "space_dock", "colony_ship", "colony_fleet", "diplomatic_corps"], deck=["scout"])
    t.main()
    t.money()
    t.act("play space_factory", "play space_dock", "play colony_ship", "play colony_fleet", "play diplomatic_corps")
    t.act("draw scout")
    assert t.spend() == {"factory": 3, "colony": 6, "general": 1}


def test_production_at_the_start_of_the_turn(table: Any) -> None:
    t = table()
    t.planet(1, 1, "mineral_world", side=1, techs=[])
    t.planet(1, 2, "rebel_uprising")
    t.cards(1, deck=["scout"])
    t.main()
    t.end_turn()
    assert t.spend() == {"general": 2 + 3 - 1}, "home, upgraded Planet, less the uprising"


def test_production_is_lost_at_the_end_of_the_turn(table: Any) -> None:
    t = table()
    t.cards(0, discard=["scout"])
    t.cards(1, discard=["scout"])
    t.main()
    t.money(general=9, factory=5)
    t.end_turn()
    assert t.spend() == {"general": 2}


def test_techs_are_attached_and_work_at_once(table: Any) -> None:
    t = table()
    t.planet(0, 1, "barren_rock")
    t.cards(0, hand=["trade_charter", "planetary_shield"], deck=["scout"])
    t.main()
    t.money()
    t.act("play trade_charter")
    assert t.spend() == {"general": 1} and t.node == "main", "the home world is the only choice"
    t.act("play planetary_shield")
    assert t.legal() == ["world home", "world place 1"]
    t.act("world place 1")
    assert t.s["attached"][0].sum() == 2 and not t.s["spent"].any()
    t.end_turn()
    t.end_turn()
    assert t.spend() == {"general": 2 + 1 + 1}, "they stay"
    t.check()


def test_a_tech_without_a_legal_world_cannot_be_played(table: Any) -> None:
    t = table(factions=["bulrathi", "humans"])
    t.cards(0, hand=["deep_core_mine", "heavy_armor"], deck=["scout"])
    t.main()
    assert t.legal("play") == ["play heavy_armor"]
    t.act("play heavy_armor")
    assert t.left(0) == 19 + 4


def test_attachments_are_discarded_with_their_world(table: Any) -> None:
    t = table(factions=["bulrathi", "humans"])
    t.planet(0, 1, "barren_rock", techs=["deep_core_mine"])
    t.main()
    t.money(general=7)
    t.planet(0, 2, "antaran_raiders")
    t.act("acquire deck")
    assert t.pile(0) == ["deep_core_mine"]


def test_bases_are_stationed_at_the_end_of_the_turn(table: Any) -> None:
    t = table()
    t.planet(0, 1, "barren_rock")
    t.cards(0, hand=["star_base", "star_fortress"], deck=["scout"] * 2 + ["patrol_frigate"] * 3)
    t.main()
    t.act("play star_base", "play star_fortress", "done")
    assert t.node == "station" and t.legal() == ["world home", "world place 1"]
    t.act("world place 1")
    assert t.name_of(0, int(t.s["base"][0, 1]) - 1) == "star_base"
    assert t.name_of(0, int(t.s["base"][0, 0]) - 1) == "star_fortress", "the last free world without a question"
    t.check()


def test_with_too_few_worlds_the_player_chooses_which_base_is_lost(table: Any) -> None:
    t = table()
    t.cards(0, hand=["star_base", "star_fortress"], deck=["scout"] * 2 + ["patrol_frigate"] * 3)
    t.main()
    t.act("play star_base", "play star_fortress", "done")
    assert t.legal() == ["world home", "done"]
    t.act("done")
    assert t.name_of(0, int(t.s["base"][0, 0]) - 1) == "star_fortress" and t.pile(0) == ["star_base"]


def test_a_base_without_a_world_is_discarded(table: Any) -> None:
    t = table()
    t.world(0, 0, base="star_base")
    t.cards(0, hand=["star_fortress"], deck=["scout"] * 2 + ["patrol_frigate"] * 3)
    t.main()
    t.act("play star_fortress", "done")
    assert t.node == "draw" and t.pile(0) == ["star_fortress"]


def test_a_stationed_base_may_be_discarded_at_any_time_of_the_own_turn(table: Any) -> None:
    t = table()
    t.world(0, 0, base="star_base")
    assert "discard base of home" in t.legal()
    t.main()
    t.act("discard base of home")
    assert t.pile(0) == ["star_base"] and not t.s["base"].any()
    t.check()


def test_all_cards_are_discarded_and_five_drawn(table: Any) -> None:
    t = table()
    hand = ["space_factory", "patrol_frigate", "scout"]
    t.cards(0, hand=hand, deck=["space_factory", "patrol_frigate"])
    t.main()
    t.act("play space_factory", "done")
    assert sorted(t.pile(0)) == sorted(hand), "played and unplayed ones (ruling 1)"
    t.act("draw space_factory", "draw patrol_frigate")
    assert t.pile(0, "deck") == ["space_factory", "scout", "patrol_frigate"], "only now the pile is shuffled"
    t.chance()
    assert int(t.s["hand_size"][0]) == 5 and int(t.s["active"]) == 1
    t.check()


def test_cards_played_this_turn_are_not_shuffled_in_the_middle_of_it(table: Any) -> None:
    t = table(factions=["psilons", "humans"])
    t.cards(0, hand=["research_treaty", "space_factory"], deck=["scout"], discard=["patrol_frigate"])
    t.main()
    t.act("play space_factory", "play research_treaty", "draw scout")
    assert t.pile(0, "deck") == ["patrol_frigate"]
    t.act("draw patrol_frigate")
    assert t.pile(0) == [] and sorted(t.pile(0, "hand")) == ["patrol_frigate", "scout"]
    t.act("done")
    assert t.state.is_chance and len(t.pile(0, "deck")) == 4, "at the end of the turn they are"


def test_with_no_card_left_as_many_as_possible_are_drawn(table: Any) -> None:
    t = table()
    t.cards(0, hand=["space_factory"])
    t.main()
    t.act("play space_factory", "done", "draw space_factory")
    assert int(t.s["hand_size"][0]) == 1 and int(t.s["active"]) == 1, "ruling 3"


def test_bought_and_forcibly_discarded_cards_go_to_the_pile_at_once(table: Any) -> None:
    t = table(factions=["darloks", "humans"])
    t.cards(0, hand=["cabal_titan"], deck=["scout"])
    t.cards(1, hand=["scout", "space_factory"], deck=["patrol_frigate"])
    t.main()
    t.act("play cabal_titan")
    assert (t.node, t.mover) == ("discard", 1)
    t.act("card scout")
    assert t.pile(1) == ["scout"] and t.pile(1, "hand") == ["space_factory"]


def test_a_discard_asks_even_for_a_single_card_and_takes_what_there_is(table: Any) -> None:
    t = table(factions=["darloks", "humans"])
    t.cards(0, hand=["spy_network", "cabal_titan"], deck=["scout"])
    t.cards(1, hand=["scout"], deck=["patrol_frigate"])
    t.main()
    t.act("play spy_network")
    assert t.node == "discard"
    t.act("card scout", "draw scout", "play cabal_titan")
    assert t.node == "main", "an empty hand has nothing to discard"


def test_a_deck_top_is_turned_face_up_for_all_and_drawn_next(table: Any) -> None:
    t = table(factions=["darloks", "humans"])
    t.cards(0, hand=["patrol_frigate"], deck=["scout"])
    t.cards(1, hand=["scout"], deck=["space_factory", "patrol_frigate", "patrol_frigate"])
    t.main()
    t.act("play patrol_frigate", "or patrol_frigate")
    assert t.node == "turn_up" and t.mover == 1
    t.act("draw space_factory")
    assert t.node == "reveal" and t.mover == 0 and t.legal() == ["done", "yes"]
    t.act("done")
    assert int(t.s["faceup"][1]) == 1 + t.type_of(1, "space_factory")
    t.check()
    t.end_turn()
    t.main()
    t.act("done")
    assert int(t.s["known"][1, t.type_of(1, "space_factory")]) == 1, "it was drawn first and everybody knows it"


def test_a_revealed_card_may_be_discarded_and_an_empty_deck_gives_nothing(table: Any) -> None:
    t = table(factions=["darloks", "humans"])
    t.cards(0, hand=["infiltration", "patrol_frigate"], deck=["scout"])
    t.cards(1, hand=["scout"], deck=["space_factory"])
    t.main()
    t.money()
    t.act("play infiltration", "draw space_factory", "yes")
    assert t.pile(1) == ["space_factory"] and t.spend() == {"general": 2}
    assert t.pile(1, "known") == ["scout"], "the deck is empty: the whole hand is known"
    t.act("play patrol_frigate", "or patrol_frigate")
    assert t.node == "main" and t.pile(1) == ["space_factory"], "not reshuffled for this"


def test_thinning_scraps_from_hand_or_pile(table: Any) -> None:
    t = table(factions=["psilons", "humans"])
    t.cards(0, hand=["nano_disassembler", "scout"], deck=["patrol_frigate"], discard=["space_factory"])
    t.main()
    t.act("play nano_disassembler")
    assert t.legal() == ["card scout", "pile space_factory", "done"]
    t.act("pile space_factory", "draw patrol_frigate")
    assert int(t.s["scrapped"][0]) == 1 and t.pile(0) == []
    t.check()


def test_sabotage_scraps_from_the_enemys_row(table: Any) -> None:
    t = table(factions=["darloks", "humans"])
    t.cards(0, hand=["sabotage"], deck=["scout"])
    t.cards(1, row=["republic_titan", "joint_command", "frontier_cruiser"], deck=["scout"])
    t.s["accrued"][1, 2] = 3
    t.main()
    t.act("play sabotage")
    assert t.legal() == ["target left row 2", "done"], "no tech, cost 5 or less"
    t.act("target left row 2")
    assert t.node == "refill" and t.mover == 1 and not t.s["accrued"].any()
    t.chance()
    t.check()


def test_ground_assault_hits_base_then_planet_past_shields(table: Any) -> None:
    t = table(factions=["bulrathi", "humans"])
    t.cards(0, hand=["ground_assault"], deck=["scout"])
    t.planet(1, 2, "barren_rock", base="star_base", techs=["planetary_shield"])
    t.s["base_damage"][1, 2] = 2
    t.main()
    t.act("play ground_assault")
    assert t.legal() == ["target left place 2", "done"], "never the Home World"
    t.act("target left place 2")
    assert int(t.s["damage"][1, 2]) == 1 and t.pile(1) == ["star_base"]


@pytest.mark.parametrize("card", ["curator_battleship", "doom_star_of_mentar"])
def test_ships_with_an_ability_use_it_when_played(table: Any, card: str) -> None:
    t = table(factions=["psilons", "humans"])
    t.cards(0, hand=[card], deck=["scout"])
    t.main()
    t.act(f"play {card}", "draw scout")
    assert int(t.s["ready"].sum()) == 1
