"""Phase 2: the eight actions and cubes on cards; rulings 11-15, 22, 29, 30, 33, 34, 40, 41, 47, 49."""

import pytest

from engines.errors import IllegalAction


def test_build_pays_places_and_discards_cube_of_the_covered_card(table):
    t = table()
    t.stock(0, 4, 2, 1)
    t.lay(hands={0: ["weather_controller"]}, systems={0: [["asteroid_mine"]]})
    t.s["cube"][0, 0] = 1
    before = t.reserve(0)
    t.actions(2, 2)
    assert t.legal("build") == ["build weather_controller 0", "build weather_controller 1"]
    t.act("build weather_controller 0")
    assert t.resources(0) == (1, 2, 0)
    assert t.system(0, 0) == ["weather_controller", "asteroid_mine"] and t.cube(0, 0) == 0
    assert t.reserve(0) == 10 - 1 - 1 and before == 10 - 4 - 1
    assert t.mover == 1
    t.check()


def test_a_second_copy_of_a_built_card_may_be_built(table):
    t = table()
    t.stock(0, 2)
    t.lay(hands={0: ["hydroponic_farm"]}, systems={0: [["hydroponic_farm"]]})
    t.act("build hydroponic_farm 0")
    assert t.system(0, 0) == ["hydroponic_farm"] * 2


def test_four_systems_of_five_cards(table):
    t = table()
    t.stock(0, 9)
    full = ["frigate"] * 2 + ["titan"] * 2 + ["cruiser"]
    t.lay(hands={0: ["hydroponic_farm"]}, systems={0: [full, ["capitol"]]})
    assert t.legal("build") == ["build hydroponic_farm 1", "build hydroponic_farm 2"]
    t.lay(hands={0: ["hydroponic_farm"]}, systems={0: [full, ["capitol"], ["capitol"], ["utilitron"]]})
    assert t.legal("build") == [f"build hydroponic_farm {i}" for i in (1, 2, 3)]


@pytest.mark.parametrize("loyalty", [5, 6])
def test_some_cards_need_loyalty_of_six_to_be_built(table, loyalty):
    t = table()
    t.stock(0, 9, 9, 9)
    t.s["loyalty"][0] = loyalty
    t.lay(hands={0: ["capitol", "robotic_miners"]})
    assert ("build capitol 0" in t.legal()) == (loyalty >= 6)
    assert "build robotic_miners 0" in t.legal()


def test_a_card_that_cannot_be_paid_cannot_be_built(table):
    t = table()
    t.stock(0, 3, 9, 9)
    t.lay(hands={0: ["automated_factory", "cloning_center"]})
    assert t.legal("build") == ["build cloning_center 0"]
    with pytest.raises(IllegalAction, match="build automated_factory 0"):
        t.act("build automated_factory 0")


def stock_exchange_with_discount_of_three(table, food, production):
    """Alluvia's discount of 1 and Colonizer Ship's of 2 on a card of 4 food and 1 production."""
    t = table()
    t.stock(0, food, 0, production)
    t.advisor(0, "alluvia")
    t.lay(hands={0: ["planetary_stock_exchange"]})
    t.s["systems"][0, 4, 0] = 1 + 12
    t.s["deck"][12] -= 1
    t.s["deck_size"] -= 1
    t.s["unseen"][12, 1] = 0
    t.act("source system 4", "build planetary_stock_exchange 4")
    return t


def test_build_discount_example_two_food(table):
    t = stock_exchange_with_discount_of_three(table, 4, 1)
    assert t.node == "save" and t.legal() == ["save food"]
    t.act("save food", "save food")
    assert t.legal() == ["save food", "save production"]
    t.act("save production")
    assert t.resources(0) == (2, 0, 1)
    assert t.system(0, 4) == ["planetary_stock_exchange", "colonizer_ship"]


def test_build_discount_example_one_food_and_one_production(table):
    t = stock_exchange_with_discount_of_three(table, 4, 1)
    t.act("save food", "save food", "save food")
    assert t.resources(0) == (3, 0, 0)


def test_ruling_11_no_question_when_only_one_split_can_be_paid(table):
    t = stock_exchange_with_discount_of_three(table, 2, 0)
    assert t.node == "main"
    assert t.resources(0) == (0, 0, 0)
    t = stock_exchange_with_discount_of_three(table, 1, 1)
    assert t.node == "main" and t.resources(0) == (0, 0, 0)


def test_ruling_11_discount_is_never_more_than_the_cost(table):
    t = table()
    t.stock(0)
    t.lay(hands={0: ["frigate"]}, systems={0: [["orbital_shipyard"], ["orbital_shipyard"]]})
    t.act("build frigate 2")
    assert t.resources(0) == (0, 0, 0) and t.system(0, 2) == ["frigate"]


def test_ruling_40_discount_of_the_card_that_gets_covered_counts(table):
    t = table()
    t.stock(0, 0, 1)
    t.lay(hands={0: ["frigate"]}, systems={0: [["orbital_shipyard"]]})
    t.act("build frigate 0")
    assert t.resources(0) == (0, 0, 0)


@pytest.mark.parametrize(
    ("card", "gained"), [("biospheres", (3, 0, 0)), ("frigate", (0, 2, 0)), ("capitol", (0, 0, 1))]
)
def test_exploit_by_color(table, card, gained):
    t = table()
    t.stock(0)
    t.lay(hands={0: [card]})
    t.act(f"exploit {card}")
    assert t.resources(0) == gained
    assert t.pile() == [card] and t.hand(0) == []
    assert t.mover == 1


def test_exploit_gray_draws_four_and_discards_one_of_them(table):
    t = table()
    t.lay(hands={0: ["astro_university", "biospheres", "titan"]})
    t.act("exploit astro_university", "draw frigate", "draw titan", "draw capitol", "draw frigate")
    assert t.node == "gray"
    assert t.legal() == ["card frigate", "card titan", "card capitol"], "ruling 29: not the biospheres"
    t.act("card titan")
    assert sorted(t.hand(0)) == sorted(["biospheres", "titan", "frigate", "capitol", "frigate"])
    assert t.pile() == ["astro_university", "titan"]
    assert t.s["gray"].tolist() == [0, 0] and t.s["drawn"].sum() == 0
    t.check()


def test_exploit_effect_only_by_the_exploit_action(table):
    t = table()
    t.stock(0)
    t.lay(hands={0: ["biospheres", "frigate", "capitol"]})
    t.on_table("kual")
    t.act("deal kual", "card biospheres", "card frigate", "card capitol")
    assert t.resources(0) == (0, 0, 0)


def test_explore_draws_two(table):
    t = table()
    t.act("explore", "draw capitol", "draw titan")
    assert t.hand(0) == ["titan", "capitol"] and t.mover == 1
    t.check()


def test_activate_puts_the_cube_on_the_card_once(table):
    t = table()
    t.stock(0)
    t.stock(1)
    t.actions(2, 1)
    t.lay(systems={0: [["weather_controller"]]})
    t.act("source system 0")
    assert t.resources(0) == (5, 0, 0) and t.cube(0, 0) == 1 and int(t.s["spent"][0]) == 0
    t.act("explore")
    t.draw_any()
    assert t.mover == 0 and t.legal("source") == []


def test_only_working_cards_can_be_activated(table):
    t = table()
    t.lay(systems={0: [["capitol", "weather_controller"]]})
    assert t.legal("source") == []


@pytest.mark.parametrize(("loyalty", "legal"), [(5, []), (6, ["source system 0"])])
def test_some_cards_need_loyalty_of_six_to_be_activated(table, loyalty, legal):
    t = table()
    t.s["loyalty"][0] = loyalty
    t.lay(systems={0: [["deep_core_mine"]]})
    assert t.legal("source") == legal


def test_ruling_14_gate_before_the_own_loyalty_cost(table):
    t = table()
    t.stock(0)
    t.s["loyalty"][0] = 6
    t.lay(systems={0: [["deep_core_mine"]]})
    t.act("source system 0")
    assert t.loyalty(0) == 5 and t.resources(0) == (0, 0, 2)


def test_extra_cost_must_be_paid_first(table):
    t = table()
    t.stock(0, 1)
    t.lay(systems={0: [["population_support_services"]]})
    assert t.legal("source") == []
    t.stock(0, 2)
    t.s["loyalty"][0] = 4
    t.act("source system 0")
    assert t.resources(0) == (0, 0, 0) and t.loyalty(0) == 7


def test_galactic_cybernet_node_costs_a_card(table):
    t = table()
    t.lay(systems={0: [["galactic_cybernet_node"]]})
    assert t.legal("source") == []
    t.lay(hands={0: ["frigate", "titan"]}, systems={0: [["galactic_cybernet_node"]]})
    t.act("source system 0")
    assert t.node == "discard"
    t.act("card titan")
    assert t.vp(0) == 2 and t.pile() == ["titan"]


@pytest.mark.parametrize(("players", "limit"), [(2, 3), (3, 2), (4, 1)])
def test_attack_limits_by_number_of_players(table, players, limit):
    t = table(players=players)
    t.actions(5, 0, 0, 0)
    for n in range(limit):
        t.stock(0, 0, 9)
        t.act("attack +1")
        assert int(t.s["attacks"][0, 1]) == n + 1
    t.stock(0, 0, 9)
    assert "attack +1" not in t.legal()
    assert ("attack +2" in t.legal()) == (players > 2)


def test_attack_pays_two_fleet_takes_loyalty_and_gives_points(table):
    t = table()
    t.stock(0, 0, 3)
    t.stock(1, 0, 3)
    t.act("attack +1")
    assert t.resources(0) == (0, 1, 0) and t.resources(1) == (0, 3, 0)
    assert t.loyalty(1) == 9 and t.vp(0) == 2 and t.loyalty(0) == 10
    assert t.reserve(0) == 10 - int(t.s["available"][0]) - 1


@pytest.mark.parametrize(("own", "theirs", "legal"), [(2, 2, True), (2, 3, False), (1, 0, False), (4, 3, True)])
def test_attack_needs_as_much_fleet_and_its_price(table, own, theirs, legal):
    t = table()
    t.stock(0, 0, own)
    t.stock(1, 0, theirs)
    assert ("attack +1" in t.legal()) == legal


def test_attack_may_take_loyalty_below_zero(table):
    t = table()
    t.stock(0, 0, 2)
    t.stock(1)
    t.s["loyalty"][1] = -3
    t.act("attack +1")
    assert t.loyalty(1) == -4


def test_trade_example_three_food_for_one_production_or_two_fleet(table):
    t = table()
    t.stock(0, 6)
    assert t.legal("trade") == ["trade food fleet", "trade food production"]
    t.act("trade food fleet")
    assert t.resources(0) == (3, 2, 0), "not 6 food for 4 fleet"
    assert t.mover == 1


def test_trade_in_either_direction(table):
    t = table()
    t.stock(0, 0, 2, 1)
    assert t.legal("trade") == [
        "trade fleet food", "trade fleet production", "trade production food", "trade production fleet"
    ]  # fmt: skip
    t.act("trade production food")
    assert t.resources(0) == (3, 2, 0)


def test_ruling_34_trade_above_nine_is_lost(table):
    t = table()
    t.stock(0, 8, 2)
    t.act("trade fleet food")
    assert t.resources(0) == (9, 0, 0)


def test_propaganda_once_a_round_and_at_loyalty_ten(table):
    t = table()
    t.actions(2, 0)
    t.act("propaganda")
    assert t.loyalty(0) == 10 and "propaganda" not in t.legal()
    t = table()
    t.s["loyalty"][0] = -2
    t.act("propaganda")
    assert t.loyalty(0) == 1


def test_deal_discards_three_cards_in_chosen_order(table):
    t = table()
    t.on_table("kual", "advia")
    t.lay(hands={0: ["frigate", "titan", "capitol", "biospheres"]})
    assert t.legal("deal") == ["deal advia", "deal kual"]
    t.act("deal kual", "card titan", "card capitol", "card frigate")
    assert t.pile() == ["titan", "capitol", "frigate"]
    assert t.game.board(t.state, None).count("advisor: Kual") == 1
    assert t.legal("deal") == []
    t.check()


def test_deal_of_the_whole_hand_is_asked_card_by_card(table):
    t = table()
    t.on_table("kual")
    t.lay(hands={0: ["frigate", "frigate", "capitol"]})
    t.act("deal kual", "card frigate", "card frigate")
    assert t.legal() == ["card capitol"]


def test_deal_needs_three_cards(table):
    t = table()
    t.on_table("kual")
    t.lay(hands={0: ["frigate", "titan"]})
    assert t.legal("deal") == []


def test_ruling_22_old_advisor_returns_to_the_table_with_its_cube(table):
    t = table()
    t.on_table("kual")
    t.advisor(0, "victoria")
    t.s["cube"][0, 5] = 1
    t.lay(hands={0: ["frigate", "titan", "capitol"]})
    t.s["cube"][0, 5] = 1
    t.act("deal kual", "card titan", "card capitol", "card frigate")
    from engines.moo_board.content import ADVISOR_IDS

    assert [ADVISOR_IDS[a] for a in range(8) if t.s["table"][a]] == ["victoria"]
    assert t.cube(0, 5) == 0, "ruling 47: the new advisor's slot is empty"


def test_deal_is_impossible_with_alluvia(table):
    t = table()
    t.on_table("kual")
    t.advisor(0, "alluvia")
    t.lay(hands={0: ["frigate", "titan", "capitol"]})
    assert t.legal("deal") == []
