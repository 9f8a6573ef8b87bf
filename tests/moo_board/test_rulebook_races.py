"""Clarifications of the races; rulings 12, 28, 32, 48."""

import pytest


def test_alkari_cannot_use_their_property_at_zero_points(table):
    t = table(races=["alkari", "humans"])
    t.stock(0, 4)
    t.stock(1, 4)
    t.end_round()
    assert t.node == "main"


@pytest.mark.parametrize(("answer", "vp", "actions"), [("yes", 2, 5), ("no", 3, 4)])
def test_alkari_may_spend_a_point_for_an_action(table, answer, vp, actions):
    t = table(races=["alkari", "humans"])
    t.stock(0, 4)
    t.stock(1, 4)
    t.s["vp"][0] = 3
    t.end_round()
    assert (t.node, t.mover, t.legal()) == ("optional", 0, ["yes", "no"])
    t.act(answer)
    assert (t.vp(0), int(t.s["available"][0])) == (vp, actions)


def test_humans_have_no_property(table):
    t = table()
    assert t.game.content_hash
    t.stock(0, 4)
    t.stock(1, 4)
    t.end_round()
    assert t.node == "main"


def test_meklars_first_build_action_of_the_round_costs_one_less(table):
    t = table(races=["meklars", "humans"])
    t.stock(0, 3)
    t.actions(3, 0)
    t.lay(hands={0: ["hydroponic_farm", "hydroponic_farm", "cloning_center"]})
    t.act("build hydroponic_farm 0")
    assert t.resources(0) == (2, 0, 0)
    assert "build cloning_center 0" not in t.legal()
    t.act("build hydroponic_farm 0")
    assert t.resources(0) == (0, 0, 0)
    t.stock(1, 4)
    t.act("explore")
    t.draw_any()
    assert int(t.s["round"]) == 2 and int(t.s["discount_used"][0]) == 0


def test_ruling_12_meklar_discount_only_on_the_build_action(table):
    t = table(races=["meklars", "humans"])
    t.stock(0, 9, 9, 9)
    t.lay(hands={0: ["hydroponic_farm", "frigate", "civilian_ship"]})
    t.act("build civilian_ship 0")
    assert t.node == "save" and t.legal() == ["save food", "save fleet"]
    t.act("save fleet")
    assert t.resources(0) == (8, 9, 9)
    t.act("build hydroponic_farm 0")
    assert t.resources(0) == (6, 9, 9) and t.node == "build_more"


def test_psilons_explore_three(table):
    t = table(races=["psilons", "humans"])
    t.act("explore")
    assert t.draw_any() == 3


@pytest.mark.parametrize(("option", "stock", "cards"), [(0, (7, 0, 0), 1), (1, (9, 0, 0), 0), (2, (7, 1, 0), 0)])
def test_bulrathi_at_high_mobilization(table, option, stock, cards):
    t = table(races=["bulrathi", "humans"])
    t.stock(0, 7)
    t.stock(1, 4)
    t.s["loyalty"][0] = 8
    t.end_round()
    assert (t.node, t.mover, t.legal()) == ("bonus", 0, ["option 0", "option 1", "option 2"])
    assert int(t.s["available"][0]) == 4, "ruling 48: the level is fixed"
    t.act(f"option {option}")
    assert t.draw_any() == cards
    assert t.resources(0) == stock and t.loyalty(0) == 8


def test_bulrathi_lose_loyalty_by_cards_in_the_action_phase(table):
    t = table(races=["bulrathi", "humans"])
    t.stock(0, 7)
    t.s["loyalty"][0] = 8
    t.lay(systems={0: [["deep_core_mine"]]})
    t.act("source system 0")
    assert t.loyalty(0) == 7


def test_darloks_opponents_discard_first_then_one_of_the_top_three(table):
    t = table(players=3, races=["darloks", "humans", "humans"])
    for seat in range(3):
        t.stock(seat, 4)
    t.lay(
        hands={1: ["frigate", "titan", "capitol", "biospheres"], 2: ["cruiser"] * 2 + ["utilitron"] * 2},
        pile=["destroyer", "spaceport"],
    )
    t.s["first"] = 1
    t.actions(1, 0, 0)
    t.act("propaganda")
    # Seat 2 is the first player now.
    assert (t.node, t.mover) == ("discard", 2)
    t.act("card utilitron")
    assert (t.node, t.mover) == ("discard", 1)
    t.act("card titan")
    assert (t.node, t.mover) == ("take", 0)
    assert t.legal() == ["card titan", "card spaceport", "card utilitron"]
    t.act("card spaceport")
    assert t.hand(0) == ["spaceport"] and t.pile() == ["destroyer", "utilitron", "titan"]
    assert int(t.s["known"][0].sum()) == 1, "everybody saw it"
    t.check()


def test_darloks_with_fewer_than_three_cards_in_the_pile(table):
    t = table(races=["darloks", "humans"])
    for seat in range(2):
        t.stock(seat, 4)
    t.lay(hands={1: ["frigate", "titan", "capitol", "biospheres"]})
    t.end_round()
    t.act("card titan")
    assert (t.node, t.legal()) == ("take", ["card titan"])


def test_ruling_28_opponents_with_fewer_than_four_cards_do_not_discard(table):
    t = table(races=["darloks", "humans"])
    for seat in range(2):
        t.stock(seat, 4)
    t.lay(hands={1: ["frigate", "titan", "capitol"]}, pile=["cruiser"] * 2 + ["destroyer", "spaceport"])
    t.end_round()
    assert (t.node, t.mover) == ("take", 0)
    assert t.legal() == ["card destroyer", "card cruiser", "card spaceport"]


def test_darloks_with_an_empty_pile_take_nothing(table):
    t = table(races=["darloks", "humans"])
    for seat in range(2):
        t.stock(seat, 4)
    t.end_round()
    assert t.node == "main"


@pytest.mark.parametrize(("card", "stock"), [("biospheres", (3, 1, 0)), ("frigate", (0, 3, 0)), ("capitol", (0, 1, 1))])
def test_mrrshan_gain_a_fleet_with_every_exploit_action(table, card, stock):
    t = table(races=["mrrshan", "humans"])
    t.stock(0)
    t.lay(hands={0: [card]})
    t.act(f"exploit {card}")
    assert t.resources(0) == stock


def test_mrrshan_gain_no_fleet_without_the_exploit_action(table):
    t = table(races=["mrrshan", "humans"])
    t.stock(0, 1, 0, 1)
    t.lay(hands={0: ["tax_office"]}, systems={0: [["biospheres"]]})
    t.act("build tax_office 0", "yes")
    assert t.resources(0) == (6, 0, 0)
