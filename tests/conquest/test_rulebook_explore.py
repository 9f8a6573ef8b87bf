"""Rulebook: A. Explore Phase. Rulings 12 to 20, 35, 37, 44, 51 and SETTLE."""

from __future__ import annotations

from typing import Any

import pytest


def test_scouts_are_played_first_and_only_then(table: Any) -> None:
    t = table()
    t.cards(0, hand=["scout", "scout", "space_factory"], deck=["colony_ship"])
    assert t.legal() == ["play scout", "done"]
    t.main()
    assert t.legal("play") == ["play space_factory"], "a scout in the main loop is unusable (ruling 35)"


def test_a_scout_rotates_then_places_a_token(table: Any) -> None:
    t = table()
    t.cards(0, hand=["scout"], deck=["colony_ship"])
    t.act("play scout")
    assert t.node == "rotate" and t.legal() == ["rotate", "done"]
    t.act("rotate", "top barren_rock")
    assert t.faces() == ["megacity"] and t.top() == "barren_rock"
    assert t.legal() == ["token explore 0", "token deck", "done"]
    t.act("token explore 0")
    assert t.s["tokens"][0].tolist() == [1, 0, 0, 0, 0, 0] and t.node == "explore"
    t.check()


def test_rotation_and_token_may_be_declined(table: Any) -> None:
    t = table()
    t.cards(0, hand=["long_range_scout"], deck=["colony_ship"])
    t.act("play long_range_scout", "done")
    assert t.node == "token" and t.legal() == ["token deck", "done"]
    t.act("token deck")
    assert t.node == "token", "the better scout has two tokens"
    t.act("done")
    assert t.node == "explore" and int(t.s["tokens"][0, 5]) == 1


def test_a_full_row_takes_no_card_but_a_token_is_still_placed(table: Any) -> None:
    t = table()
    t.explore(["barren_rock", "dust_bowl", "toxic_sink"], "megacity")
    t.cards(0, hand=["scout"], deck=["colony_ship"])
    t.act("play scout")
    assert t.node == "token"


@pytest.mark.parametrize(("players", "capacity"), [(2, 3), (3, 4), (4, 5)])
def test_capacity_grows_with_the_players(table: Any, players: int, capacity: int) -> None:
    t = table(players)
    names = ["barren_rock", "dust_bowl", "toxic_sink", "arid_steppe", "swamp_world"]
    t.explore(names[: capacity - 1], "megacity")
    t.cards(0, hand=["scout", "scout"], deck=["colony_ship"])
    t.act("play scout", "rotate", "top gaia_world", "done", "play scout")
    assert t.node == "token" and t.faces() == [*names[: capacity - 1], "megacity"]


def test_new_cards_lie_behind_the_others_and_take_their_tokens_along(table: Any) -> None:
    t = table()
    t.explore(["barren_rock"], "megacity")
    t.s["tokens"][1, 5] = 2
    t.cards(0, hand=["scout"], deck=["colony_ship"])
    t.act("play scout", "rotate", "top dust_bowl", "done")
    assert t.faces() == ["barren_rock", "megacity"]
    assert t.s["tokens"][1].tolist() == [0, 2, 0, 0, 0, 0]


def test_an_event_acts_at_once_and_is_scrapped_and_the_next_card_is_revealed(table: Any) -> None:
    t = table()
    t.planet(1, 1, "barren_rock")
    t.cards(0, hand=["scout"], deck=["colony_ship"])
    t.cards(1, hand=["patrol_frigate", "scout", "space_factory"], deck=["colony_ship"])
    t.act("play scout", "rotate", "top plague")
    assert (t.node, t.mover) == ("discard", 1), "the highest total cost discards two cards"
    t.act("card scout", "card patrol_frigate")
    assert int(t.s["gone"]) == 1 and t.top() is None and t.state.is_chance
    t.act("top dust_bowl")
    assert t.node == "token", "only then the scout's token"
    t.check()


def test_effects_are_lost_without_planets_and_on_ties(table: Any) -> None:
    t = table()
    t.cards(0, hand=["scout"], deck=["colony_ship"])
    t.cards(1, hand=["scout"], deck=["colony_ship"])
    t.act("play scout", "rotate", "top plague")
    assert t.state.is_chance, "nobody has a Planet"
    t = table()
    t.planet(0, 1, "barren_rock")
    t.planet(1, 1, "dust_bowl")
    t.cards(0, hand=["scout"], deck=["colony_ship"])
    t.act("play scout", "rotate", "top supernova")
    assert t.state.is_chance, "both own Planets of 3"


def test_events_that_name_no_player_always_work(table: Any) -> None:
    t = table()
    t.s["damage"][1, 0] = 16
    t.cards(0, hand=["scout"], deck=["colony_ship"])
    t.act("play scout", "rotate", "top comet_storm", "top dust_bowl")
    assert t.s["damage"][:2, 0].tolist() == [1, 16], "never below 1 left (ruling 29)"


def test_derelict_fleet_and_market_boom(table: Any) -> None:
    t = table()
    t.planet(1, 1, "barren_rock")
    t.cards(
        0,
        hand=["scout"],
        deck=["colony_ship"],
        row=["escort_frigate", "diplomatic_corps", "line_destroyer", "star_fortress"],
    )
    t.act("play scout", "rotate", "top derelict_fleet")
    assert t.legal() == ["buy row 0", "buy row 2", "done"], "no tech, cost 3 or less"
    t.act("buy row 2", "refill escort_frigate", "refill escort_frigate", "top market_boom")
    assert (t.node, t.mover) == ("gift", 0), "the lowest total cost"
    assert t.pile(0) == ["line_destroyer"]
    t.act("accrue row 3")
    assert int(t.s["accrued"][0, 3]) == 3 and t.state.is_chance
    t.check()


def test_a_gift_that_fills_the_cost_acquires_the_card(table: Any) -> None:
    t = table()
    t.planet(1, 1, "barren_rock")
    t.cards(
        0,
        hand=["scout"],
        deck=["colony_ship"],
        row=["escort_frigate", "star_base", "space_dock", "republic_titan", "star_base"],
    )
    t.act("play scout", "rotate", "top market_boom", "accrue row 0", "refill escort_frigate", "top dust_bowl", "done")
    assert t.pile(0) == ["escort_frigate"] and not t.s["accrued"].any(), "the rest is lost"


def test_the_council_gives_the_lowest_its_tokens(table: Any) -> None:
    t = table()
    t.planet(0, 1, "barren_rock")
    t.cards(0, hand=["scout"], deck=["colony_ship"])
    t.act("play scout", "rotate", "top galactic_council")
    assert (t.node, t.mover) == ("token", 1) and t.legal() == ["token explore 0", "done"]
    t.act("token explore 0", "token explore 0")
    assert int(t.s["tokens"][1, 0]) == 2


def test_a_hazard_acts_then_moves_into_the_row(table: Any) -> None:
    t = table()
    t.planet(1, 1, "barren_rock")
    t.cards(0, hand=["scout"], deck=["colony_ship"])
    t.act("play scout", "rotate", "top space_amoeba")
    assert (t.node, t.mover) == ("own_damage", 1)
    t.act("world place 1")
    assert t.place(1, 1) is None and t.under() == ["barren_rock"], "depopulated Planets are recycled"
    t.act("top dust_bowl")
    assert t.faces() == ["megacity", "space_amoeba"] and t.node == "token"
    t.check()


def test_a_hazard_waits_under_a_full_row_and_moves_when_a_slot_opens(table: Any) -> None:
    t = table()
    t.explore(["barren_rock", "dust_bowl", "toxic_sink"], "megacity")
    t.main()
    t.money(general=10)
    t.act("acquire deck", "top orion_guardian")
    assert t.top() == "orion_guardian" and t.node == "main"
    assert "acquire deck" not in t.legal() and not t.legal("recycle hazard")
    t.act("acquire explore 0", "top arid_steppe")
    assert t.faces() == ["dust_bowl", "toxic_sink", "orion_guardian"]
    t.check()


def test_instant_effects_act_once_only(table: Any) -> None:
    t = table()
    t.explore(["barren_rock", "dust_bowl", "toxic_sink"], "megacity")
    t.main()
    t.money(general=12)
    t.act("acquire deck", "top space_crystal")
    assert (t.node, t.mover) == ("own_damage", 0)
    t.act("world home")
    assert int(t.s["damage"][0, 0]) == 2 and t.top() == "space_crystal"
    t.act("acquire explore 0", "top arid_steppe")
    assert t.node == "main" and t.faces()[-1] == "space_crystal" and int(t.s["damage"][0, 0]) == 2


def test_tokens_lower_the_price_to_one_at_least(table: Any) -> None:
    t = table()
    t.explore(["barren_rock"], "megacity")
    t.s["tokens"][0, 0] = 1
    t.cards(0, hand=["scout", "scout"], deck=["colony_ship"])
    t.act("play scout", "done", "token explore 0")
    assert int(t.s["tokens"][0, 0]) == 2
    t.act("play scout", "done")
    assert t.legal() == ["token deck", "done"], "priced 1: no further token"
    t.act("done")
    t.main()
    t.money(general=1)
    t.act("acquire explore 0")
    assert t.spend() == {"general": 1} and not t.s["tokens"].any(), "1 paid, and its production of 1 is there at once"


def test_tokens_of_others_do_not_help(table: Any) -> None:
    t = table()
    t.explore(["barren_rock"], "megacity")
    t.s["tokens"][1, 0] = 2
    t.main()
    t.money(general=2)
    assert t.legal("acquire") == []


def test_a_pirate_base_freezes_tokens_in_the_row_and_on_the_deck(table: Any) -> None:
    t = table()
    t.explore(["barren_rock", "pirate_base"], "megacity")
    t.s["tokens"][0, 0] = 1
    t.cards(0, hand=["scout"], deck=["colony_ship"])
    t.act("play scout", "done")
    assert "token explore 0" in t.legal(), "new ones may be placed"
    t.act("token explore 0")
    t.main()
    t.money(general=2)
    assert t.legal("acquire") == [], "the full price of 3 (ruling 19)"
    t.s["explore"][1] = 0
    t.s["gone"] += 1
    assert t.legal("acquire") == ["acquire explore 0"], "they count again afterwards"


def test_roving_hazards_move_to_the_strictly_highest_with_a_free_place(table: Any) -> None:
    t = table()
    t.planet(1, 1, "barren_rock")
    t.cards(0, hand=["scout"], deck=["colony_ship"])
    t.act("play scout", "rotate", "top antaran_raiders", "top dust_bowl", "done")
    assert t.place(1, 2) == "antaran_raiders" and t.faces() == ["megacity"]
    t.check()


def test_a_roving_hazard_waits_in_the_row_for_the_first_strict_result(table: Any) -> None:
    t = table()
    t.explore(["rebel_uprising"], "megacity")
    t.cards(0, hand=["space_factory"], deck=["colony_ship"])
    t.main()
    assert t.faces() == ["rebel_uprising"], "nobody has a Planet"
    t.money(general=7)
    t.act("acquire deck", "top dust_bowl")
    assert t.place(0, 1) == "megacity" and t.place(0, 2) == "rebel_uprising"


def test_roving_hazards_pass_a_player_without_room(table: Any) -> None:
    t = table()
    t.planet(1, 1, "barren_rock")
    t.planet(1, 2, "dust_bowl")
    t.cards(0, hand=["scout"], deck=["colony_ship"])
    t.act("play scout", "rotate", "top antaran_raiders", "top toxic_sink", "done")
    assert t.faces() == ["megacity", "antaran_raiders"]


def test_recycled_cards_form_the_deck_again_in_their_order(table: Any) -> None:
    t = table()
    t.explore([], "megacity", deck=[], under=["barren_rock", "dust_bowl"])
    t.main()
    t.money(general=7)
    t.act("buy and recycle deck")
    assert t.top() == "barren_rock" and t.under() == ["dust_bowl", "megacity"], "revealed without chance"


def test_an_empty_deck_stays_empty(table: Any) -> None:
    t = table()
    t.explore([], "megacity", deck=[])
    t.cards(0, hand=["scout"], deck=["colony_ship"])
    t.act("play scout", "rotate", "token explore 0")
    assert t.top() is None and t.node == "explore"


def test_abilities_of_worlds_in_the_explore_phase(table: Any) -> None:
    t = table()
    t.planet(0, 1, "ancient_library")
    t.cards(0, hand=["scout"], deck=["colony_ship", "space_factory"])
    assert "ability place 1" in t.legal()
    t.act("ability place 1", "draw colony_ship")
    assert t.legal() == ["play scout", "done"] and t.pile(0, "hand") == ["scout", "colony_ship"]


def test_a_worlds_ability_needs_an_effect(table: Any) -> None:
    t = table()
    t.planet(0, 1, "ancient_library")
    t.planet(0, 2, "frozen_moon", side=1)
    assert t.legal("ability") == [], "no card to draw, nothing to repair (ruling 51)"
    t.s["damage"][0, 0] = 1
    t.act("ability place 2", "repair home")
    assert int(t.s["damage"][0, 0]) == 0 and t.node == "explore"
