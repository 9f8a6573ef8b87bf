"""Clarifications of the buildings, Exchange and Effect Timing; rulings 9, 13, 15-20, 30, 31, 37, 41-46."""

import pytest


def attacker(t, cards, victim=(), victim_hand=(), fleet=9):
    """Seat 0 attacks seat 1 with working cards, one a system."""
    t.stock(0, 0, fleet)
    t.stock(1)
    t.lay(hands={1: victim_hand}, systems={0: [[c] for c in cards], 1: [list(v) for v in victim]})
    t.actions(3, 0)


def test_automated_laboratory_covering_the_only_yellow_card(table):
    t = table()
    t.stock(0, 9)
    t.lay(hands={0: ["automated_laboratory"]}, systems={0: [["capitol"], ["biospheres"]]})
    t.actions(2, 0)
    t.act("build automated_laboratory 0")
    assert int(t.s["available"][0]) == 1


def test_automated_laboratory_with_a_working_yellow_card(table):
    t = table()
    t.stock(0, 9)
    t.lay(hands={0: ["automated_laboratory"]}, systems={0: [["capitol"], ["biospheres"]]})
    t.actions(2, 0)
    t.act("build automated_laboratory 1")
    assert int(t.s["available"][0]) == 2


def test_automated_laboratory_covered_yellow_does_not_count(table):
    t = table()
    t.stock(0, 9)
    t.lay(hands={0: ["automated_laboratory"]}, systems={0: [["biospheres", "capitol"]]})
    t.actions(2, 0)
    t.act("build automated_laboratory 1")
    assert int(t.s["available"][0]) == 1


@pytest.mark.parametrize(("answer", "loyalty", "cubes"), [("yes", 9, 0), ("no", 5, 1)])
def test_holographic_simulator_may_discard_an_available_cube(table, answer, loyalty, cubes):
    t = table()
    t.stock(0, 9)
    t.s["loyalty"][0] = 5
    t.lay(hands={0: ["holographic_simulator"]})
    t.actions(2, 1)
    t.act("build holographic_simulator 0", answer)
    assert t.loyalty(0) == loyalty
    assert t.reserve(0) == 10 - 1 - cubes


def test_holographic_simulator_without_a_cube_can_still_be_built(table):
    t = table()
    t.stock(0, 9)
    t.lay(hands={0: ["holographic_simulator"]})
    t.actions(1, 1)
    t.act("build holographic_simulator 0")
    assert t.system(0, 0) == ["holographic_simulator"] and t.mover == 1


def test_civilian_ship_builds_up_to_five_buildings_with_one_action(table):
    t = table()
    t.stock(0, 9, 9, 9)
    t.actions(1, 1)
    t.lay(hands={0: ["civilian_ship"] * 2 + ["hydroponic_farm", "frigate", "capitol"]})
    t.act("build civilian_ship 0")
    assert t.node == "build_more"
    assert t.legal() == ["build hydroponic_farm 0", "build hydroponic_farm 1", "build civilian_ship 0",
                         "build civilian_ship 1", "no"]  # fmt: skip
    t.act("build civilian_ship 0", "build hydroponic_farm 0", "build frigate 0")
    assert t.node == "build_more", "the first ship goes on after the second"
    t.act("build capitol 0")
    assert t.system(0, 0) == ["capitol", "frigate", "hydroponic_farm", "civilian_ship", "civilian_ship"]
    assert t.hand(0) == [] and t.mover == 1
    t.check()


def test_civilian_ship_each_build_may_be_declined_and_costs(table):
    t = table()
    t.stock(0, 1, 1)
    t.actions(1, 1)
    t.lay(hands={0: ["civilian_ship", "hydroponic_farm", "fungal_farms"]})
    t.act("build civilian_ship 0")
    assert t.legal() == ["build fungal_farms 0", "build fungal_farms 1", "no"]
    t.act("no")
    assert t.node == "build_more" and t.legal() == ["build fungal_farms 0", "build fungal_farms 1", "no"]
    t.act("no")
    assert t.mover == 1


def test_civilian_ship_without_a_possible_build_still_asks(table):
    t = table()
    t.stock(0, 1, 1)
    t.actions(1, 1)
    t.lay(hands={0: ["civilian_ship"]})
    t.act("build civilian_ship 0")
    assert (t.node, t.legal()) == ("build_more", ["no"])


def test_colonizer_ship_builds_in_this_system_with_a_discount_of_two(table):
    t = table()
    t.stock(0, 2)
    t.lay(hands={0: ["automated_factory", "frigate"]}, systems={0: [["capitol"], ["colonizer_ship"]]})
    t.act("source system 1")
    assert t.legal() == ["build frigate 1", "build automated_factory 1"], "ruling 42: no refusal"
    before = t.reserve(0)
    t.act("build automated_factory 1")
    assert t.system(0, 1) == ["automated_factory", "colonizer_ship"] and t.resources(0) == (0, 0, 0)
    assert t.cube(0, 1) == 0 and t.reserve(0) == before + 1


def test_ruling_15_colonizer_ship_needs_a_possible_build(table):
    t = table()
    t.stock(0)
    t.lay(hands={0: ["automated_factory"]}, systems={0: [["colonizer_ship"]]})
    assert t.legal("source") == []


def test_advanced_data_center_keeps_the_order_of_the_pile(table):
    t = table()
    t.stock(0, 9, 9)
    t.lay(hands={0: ["advanced_data_center"]}, pile=["frigate", "capitol", "frigate", "titan"])
    t.act("build advanced_data_center 0")
    assert (t.node, t.legal()) == ("take", ["card frigate", "card titan", "card capitol"])
    t.act("card frigate")
    assert t.pile() == ["frigate", "capitol", "titan"], "ruling 45: the topmost copy"
    assert t.hand(0) == ["frigate"] and int(t.s["known"][0].sum()) == 1
    t.check()


def test_advanced_data_center_with_an_empty_pile(table):
    t = table()
    t.stock(0, 9, 9)
    t.actions(1, 1)
    t.lay(hands={0: ["advanced_data_center"]})
    t.act("build advanced_data_center 0")
    assert t.mover == 1 and t.system(0, 0) == ["advanced_data_center"]


def test_planetary_stock_exchange_needs_a_point(table):
    t = table()
    t.stock(0)
    t.lay(systems={0: [["planetary_stock_exchange"]]})
    assert t.legal("source") == []
    t.s["vp"][0] = 1
    t.act("source system 0", "option 1")
    assert t.vp(0) == 0 and t.resources(0) == (0, 4, 0)


@pytest.mark.parametrize(
    ("card", "same"),
    [
        ("soil_enrichment_facility", "biospheres"),
        ("fighter_base", "frigate"),
        ("utilitron", "capitol"),
        ("planetary_supercomputer", "research_laboratory"),
    ],
)
def test_cards_that_count_a_color_count_themselves_even_when_covered(table, card, same):
    t = table()
    t.lay(systems={0: [["titan" if card != "fighter_base" else "capitol", card]]})
    alone = t.state.scores()[0]
    t.lay(systems={0: [["titan" if card != "fighter_base" else "capitol", card, same, same]]})
    from engines.moo_board.content import POINTS

    from .conftest import design

    assert t.state.scores()[0] == alone + 2 + 2 * int(POINTS[design(same)])


@pytest.mark.parametrize("card", ["titan", "battleship"])
def test_r_slots_trigger_once_a_round(table, card):
    t = table()
    attacker(t, [card])
    t.act("attack +1")
    assert t.vp(0) == 2 + 1 and t.cube(0, 0) == 1
    t.act("attack +1")
    assert t.vp(0) == 2 + 1 + 2


def test_frigate_triggers_after_each_attack(table):
    t = table()
    attacker(t, ["frigate"])
    t.act("attack +1")
    assert t.draw_any() == 1
    t.act("attack +1")
    assert t.draw_any() == 1 and t.s["hand_size"][0] == 2


def test_death_star_triggers_after_each_attack(table):
    t = table()
    attacker(t, ["death_star"])
    t.act("attack +1", "attack +1")
    assert t.vp(0) == 2 * 3 and t.loyalty(1) == 10 - 2 * 2


def test_after_attack_cards_do_not_trigger_when_attacked(table):
    t = table()
    attacker(t, [], [["frigate"], ["death_star"]])
    t.act("attack +1")
    assert t.node == "main" and t.vp(1) == 0


def test_star_fortress_triggers_after_each_attack_on_its_owner(table):
    t = table()
    attacker(t, [], [["star_fortress"], ["star_fortress"], ["capitol", "biospheres"]])
    t.act("attack +1")
    assert t.loyalty(0) == 8
    t.act("attack +1")
    assert t.loyalty(0) == 6


def test_ruling_17_buried_star_fortress_does_not_trigger(table):
    t = table()
    attacker(t, ["landing_craft"], [["star_fortress", "capitol"]])
    t.act("attack +1")
    assert (t.node, t.legal()) == ("bury", ["opponent system 0"])
    t.act("opponent system 0")
    assert t.loyalty(0) == 10 and t.system(1, 0) == ["capitol", "star_fortress"]


def test_ruling_17_uncovered_star_fortress_triggers(table):
    t = table()
    attacker(t, ["landing_craft"], [["capitol", "star_fortress"]])
    t.act("attack +1", "opponent system 0")
    assert t.loyalty(0) == 9


def test_ruling_16_owner_orders_the_cards_after_an_attack(table):
    t = table()
    attacker(t, ["frigate", "cruiser", "frigate"])
    t.act("attack +1")
    assert (t.node, t.legal()) == ("trigger", ["source system 0", "source system 1", "source system 2"])
    t.act("source system 1", "option 1")
    assert t.resources(0) == (0, 9 - 2 + 1, 0)
    assert t.legal() == ["source system 0", "source system 2"], "ruling 37: two copies, two places"
    t.act("source system 2")
    assert t.draw_any() == 2, "the last one needs no choice"


def test_destroyer_victim_chooses_cards_or_loyalty(table):
    t = table()
    attacker(t, ["destroyer"], [], ["frigate", "titan", "capitol"])
    t.act("attack +1")
    assert (t.node, t.mover, t.legal()) == ("victim", 1, ["option 0", "option 1"])
    t.act("option 0")
    assert (t.node, t.mover) == ("discard", 1)
    t.act("card titan", "card frigate")
    assert t.pile() == ["titan", "frigate"] and t.loyalty(1) == 9
    t.check()


def test_destroyer_victim_may_lower_loyalty(table):
    t = table()
    attacker(t, ["destroyer"], [], ["frigate", "titan"])
    t.act("attack +1", "option 1")
    assert t.loyalty(1) == 8 and len(t.hand(1)) == 2


def test_destroyer_against_fewer_than_two_cards_lowers_loyalty(table):
    t = table()
    attacker(t, ["destroyer"], [], ["frigate"])
    t.act("attack +1")
    assert t.node == "main" and t.loyalty(1) == 8


def test_landing_craft_discards_cubes_of_the_covered_card(table):
    t = table()
    attacker(t, ["landing_craft"], [["weather_controller", "capitol", "titan"], ["frigate"]])
    t.s["cube"][1, 0] = 1
    t.act("attack +1")
    assert t.legal() == ["opponent system 0", "opponent system 1"]
    t.act("opponent system 0")
    assert t.system(1, 0) == ["capitol", "titan", "weather_controller"] and t.cube(1, 0) == 0


def test_landing_craft_on_a_single_card_changes_nothing(table):
    t = table()
    attacker(t, ["landing_craft"], [["weather_controller"]])
    t.s["cube"][1, 0] = 1
    t.act("attack +1", "opponent system 0")
    assert t.system(1, 0) == ["weather_controller"] and t.cube(1, 0) == 1


def test_ruling_19_landing_craft_against_a_victim_without_buildings(table):
    t = table()
    attacker(t, ["landing_craft"])
    t.act("attack +1")
    assert t.node == "main" and t.cube(0, 0) == 0


def test_ruling_19_landing_craft_stays_above_alluvia(table):
    t = table()
    attacker(t, ["landing_craft"], [[], [], [], [], ["capitol", "titan"]])
    t.advisor(1, "alluvia")
    t.act("attack +1", "opponent system 4")
    assert t.system(1, 4) == ["titan", "capitol"]


def test_battleship_blocks_a_slot_with_a_cube_of_the_victim(table):
    t = table()
    attacker(t, ["battleship"], [["weather_controller"], ["capitol"], ["frigate", "destroyer"], ["destroyer"]])
    before = t.reserve(1)
    t.act("attack +1")
    assert (t.node, t.legal()) == ("block", ["opponent system 0", "opponent system 3"])
    t.act("opponent system 0")
    assert t.cube(1, 0) == 1 and t.reserve(1) == before - 1 and t.vp(0) == 3
    t.check()


def test_battleship_without_a_free_slot_changes_nothing_for_the_victim(table):
    t = table()
    attacker(t, ["battleship"], [["weather_controller"]])
    t.s["cube"][1, 0] = 1
    t.act("attack +1")
    assert t.node == "main" and t.vp(0) == 3


def test_battleship_with_an_empty_reserve_of_the_victim(table):
    t = table()
    attacker(t, ["battleship"], [["weather_controller"]])
    t.s["spent"][1] = 10
    t.act("attack +1")
    assert t.node == "main" and t.cube(1, 0) == 0 and t.vp(0) == 3


def test_ruling_9_r_slot_needs_a_cube_of_the_reserve(table):
    t = table()
    attacker(t, ["titan"])
    t.s["spent"][0] = 7
    t.act("attack +1")
    assert t.reserve(0) == 0 and t.vp(0) == 2 and t.cube(0, 0) == 0


@pytest.mark.parametrize(("batteries", "covered", "cost"), [(1, 0, 3), (2, 0, 4), (2, 1, 3)])
def test_ground_batteries_raise_the_price_of_an_attack(table, batteries, covered, cost):
    t = table(players=3)
    stacks = [["ground_batteries"] if i >= covered else ["capitol", "ground_batteries"] for i in range(batteries)]
    t.lay(systems={1: stacks})
    t.stock(1)
    t.stock(2)
    t.stock(0, 0, cost - 1)
    assert "attack +1" not in t.legal() and "attack +2" in t.legal()
    t.stock(0, 0, cost)
    t.act("attack +1")
    assert t.resources(0) == (0, 0, 0)


def test_population_support_services_at_loyalty_ten_is_not_propaganda(table):
    t = table()
    t.stock(0, 2)
    t.actions(2, 0)
    t.lay(systems={0: [["population_support_services"]]})
    t.act("source system 0")
    assert t.loyalty(0) == 10 and "propaganda" in t.legal()


def test_dome_of_pleasures_at_loyalty_ten_is_not_propaganda(table):
    t = table()
    t.stock(0, 9, 9)
    t.actions(2, 0)
    t.lay(hands={0: ["dome_of_pleasures"]})
    t.act("build dome_of_pleasures 0")
    assert t.loyalty(0) == 10 and "propaganda" in t.legal()


@pytest.mark.parametrize(("systems", "alluvia", "points"), [(1, False, 1), (3, False, 2), (1, True, 1), (2, True, 2)])
def test_titan_counts_systems_and_alluvia_even_alone(table, systems, alluvia, points):
    t = table()
    attacker(t, ["titan", "capitol", "capitol"][:systems])
    t.advisor(0, "alluvia" if alluvia else None)
    t.act("attack +1")
    assert t.vp(0) == 2 + points


def test_high_orbital_locator_activates_two_others_in_any_order(table):
    t = table()
    t.stock(0)
    t.actions(1, 1)
    t.advisor(0, "victoria")
    t.lay(systems={0: [["weather_controller"], ["high_orbital_locator"], ["asteroid_mine"]]})
    t.act("source system 1")
    assert t.legal() == ["source system 0", "source system 2", "source advisor", "no"]
    t.act("source advisor", "option 2", "source system 0")
    assert t.resources(0) == (5, 0, 2) and t.mover == 1
    assert t.reserve(0) == 10 - 3
    t.check()


def test_high_orbital_locator_may_stop_and_two_may_chain(table):
    t = table()
    t.stock(0)
    t.actions(1, 1)
    t.lay(systems={0: [["high_orbital_locator"], ["high_orbital_locator"], ["weather_controller"]]})
    t.act("source system 0", "source system 1", "source system 2")
    assert t.node == "activate_more" and t.legal() == ["no"]
    t.act("no", "no")
    assert t.mover == 1 and t.resources(0) == (5, 0, 0)


def test_high_orbital_locator_obeys_costs_and_gates(table):
    t = table()
    t.stock(0, 1)
    t.s["loyalty"][0] = 5
    t.lay(systems={0: [["high_orbital_locator"], ["population_support_services"], ["deep_core_mine"]]})
    t.act("source system 0")
    assert t.legal() == ["no"]


def test_ruling_9_high_orbital_locator_with_an_empty_reserve(table):
    t = table()
    t.stock(0)
    t.lay(systems={0: [["high_orbital_locator"], ["weather_controller"]]})
    t.actions(1, 0)
    t.s["spent"][0] = 9
    t.act("source system 0")
    assert t.legal() == ["no"]


@pytest.mark.parametrize(
    ("covered", "stock"), [("biospheres", (6, 0, 0)), ("frigate", (0, 4, 0)), ("capitol", (0, 0, 2))]
)
def test_tax_office_gains_by_the_covered_color(table, covered, stock):
    t = table()
    t.stock(0, 1, 0, 1)
    t.actions(2, 1)
    t.lay(hands={0: ["tax_office"]}, systems={0: [[covered]]})
    t.act("build tax_office 0")
    assert t.node == "optional"
    t.act("yes")
    assert t.resources(0) == stock and t.reserve(0) == 10 - 1


@pytest.mark.parametrize("stacks", [[], [["research_laboratory"]]])
def test_tax_office_on_gray_or_first_in_its_system_gains_nothing(table, stacks):
    t = table()
    t.stock(0, 1, 0, 1)
    t.actions(2, 1)
    t.lay(hands={0: ["tax_office"]}, systems={0: stacks})
    t.act("build tax_office 0", "yes")
    assert t.resources(0) == (0, 0, 0)


def test_ruling_44_tax_office_on_alluvia_gains_nothing(table):
    t = table()
    t.stock(0, 1, 0, 0)
    t.actions(2, 1)
    t.advisor(0, "alluvia")
    t.lay(hands={0: ["tax_office"]})
    t.act("build tax_office 4", "yes")
    assert t.resources(0) == (0, 0, 0)


def test_tax_office_may_be_declined_and_needs_a_cube(table):
    t = table()
    t.stock(0, 1, 0, 1)
    t.actions(2, 0)
    t.lay(hands={0: ["tax_office"]}, systems={0: [["capitol"]]})
    t.act("build tax_office 0", "no")
    assert int(t.s["available"][0]) == 1
    t = table()
    t.stock(0, 1, 0, 1)
    t.actions(1, 1)
    t.lay(hands={0: ["tax_office"]}, systems={0: [["capitol"]]})
    t.act("build tax_office 0")
    assert t.mover == 1


def satellite(table, stacks, build="build communications_satellite 0"):
    t = table()
    t.stock(0, 9, 9)
    t.actions(1, 1)
    t.lay(hands={0: ["communications_satellite"]}, systems={0: stacks})
    t.act(build)
    assert t.node == "reorder"
    return t


def test_communications_satellite_rearranges_its_own_system(table):
    t = satellite(table, [["capitol", "weather_controller"], ["frigate"]])
    assert t.legal() == ["own system 0", "no"], "ruling 31: two cards at least"
    t.act("own system 0")
    assert t.node == "reorder_card"
    t.act("card weather_controller", "card communications_satellite")
    assert t.legal() == ["card capitol"], "the last card is asked too"
    t.act("card capitol")
    assert t.system(0, 0) == ["weather_controller", "communications_satellite", "capitol"] and t.mover == 1


def test_communications_satellite_may_be_declined(table):
    t = satellite(table, [["capitol"]], "build communications_satellite 1")
    t.act("no")
    assert t.system(0, 0) == ["capitol"] and t.mover == 1


@pytest.mark.parametrize(
    ("stack", "order", "cube"),
    [
        (["weather_controller", "capitol"], ["capitol", "weather_controller"], 0),
        (["weather_controller", "capitol", "titan"], ["weather_controller", "titan", "capitol"], 1),
        (["weather_controller", "capitol", "weather_controller"], ["weather_controller"] * 2 + ["capitol"], 0),
    ],
)
def test_ruling_31_cubes_of_a_rearranged_system(table, stack, order, cube):
    t = satellite(table, [["frigate"], stack])
    t.s["cube"][0, 1] = 1
    t.act("own system 1", *(f"card {c}" for c in order))
    assert t.system(0, 1) == order and t.cube(0, 1) == cube


def test_spy_training_camp_returns_the_advisor_to_the_table(table):
    t = table(players=3)
    t.stock(0, 9, 9)
    t.on_table()
    t.advisor(2, "kual")
    t.lay(hands={0: ["spy_training_camp"]})
    t.act("build spy_training_camp 0")
    assert (t.node, t.legal()) == ("dismiss", ["target +1", "target +2"])
    t.act("target +2")
    assert int(t.s["advisor"][2]) == 0 and int(t.s["table"].sum()) == 1


@pytest.mark.parametrize("advisor", [None, "alluvia"])
def test_spy_training_camp_against_alluvia_or_nobody_changes_nothing(table, advisor):
    t = table()
    t.stock(0, 9, 9)
    t.on_table()
    t.advisor(1, advisor)
    t.lay(hands={0: ["spy_training_camp"]})
    before = t.s["advisor"].copy()
    t.act("build spy_training_camp 0", "target +1")
    assert t.s["advisor"].tolist() == before.tolist() and t.loyalty(1) == 10


def test_spaceport_exchanges_once_in_either_direction(table):
    t = table()
    t.lay(systems={0: [["spaceport"]]})
    t.stock(0, 2, 9, 1)
    assert t.legal("source") == []
    t.stock(0, 6, 6, 4)
    t.act("source system 0")
    assert (t.node, t.legal()) == ("exchange", ["option 0", "option 1"])
    t.act("option 1")
    assert t.resources(0) == (9, 9, 2)
    t = table()
    t.lay(systems={0: [["spaceport"]]})
    t.stock(0, 3, 3, 1)
    t.act("source system 0")
    assert t.resources(0) == (0, 0, 3), "the only side that can be paid"


def test_trade_center_allows_one_further_exchange(table):
    t = table()
    t.stock(0, 6)
    t.actions(1, 1)
    t.lay(systems={0: [["trade_center"]]})
    t.act("trade food fleet")
    assert t.node == "trade_more"
    t.act("trade fleet production")
    assert t.resources(0) == (3, 0, 1) and t.mover == 1


def test_trade_center_without_a_payable_exchange_still_asks(table):
    t = table()
    t.stock(0, 0, 0, 1)
    t.lay(systems={0: [["trade_center"]]})
    t.stock(0, 0, 2)
    t.act("trade fleet production")
    assert t.legal() == ["trade production food", "trade production fleet", "no"]


def test_research_laboratory_draws_three(table):
    t = table()
    t.lay(systems={0: [["research_laboratory"]]})
    t.act("source system 0")
    assert t.draw_any() == 3


def test_marine_barracks_and_asteroid_mine(table):
    t = table()
    t.stock(0)
    t.actions(3, 0)
    t.lay(systems={0: [["marine_barracks"], ["asteroid_mine"]]})
    t.act("source system 0", "source system 1")
    assert t.resources(0) == (0, 3, 1)
