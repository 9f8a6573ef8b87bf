"""Clarifications of the advisors; rulings 18, 20, 21, 23, 46."""

import pytest


@pytest.mark.parametrize(("option", "stock"), [(0, (2, 0, 0)), (1, (0, 2, 0)), (2, (0, 0, 2))])
def test_victoria_gives_two_of_one_resource(table, option, stock):
    t = table()
    t.stock(0)
    t.advisor(0, "victoria")
    t.act("source advisor")
    assert t.node == "gain"
    t.act(f"option {option}")
    assert t.resources(0) == stock and t.cube(0, 5) == 1


def test_alluvia_begins_a_fifth_system_of_four_cards(table):
    t = table()
    t.stock(0, 9, 9, 9)
    t.advisor(0, "alluvia")
    stack = ["frigate", "frigate", "titan"]
    t.lay(hands={0: ["capitol"]}, systems={0: [[], [], [], [], stack]})
    assert t.legal("build capitol") == ["build capitol 0", "build capitol 4"], "she need not be the fifth in number"
    t.act("build capitol 4")
    assert t.node == "save"
    t.act("save food")
    assert t.system(0, 4) == ["capitol", *stack]
    t.lay(hands={0: ["capitol"]}, systems={0: [[], [], [], [], [*stack, "titan"]]})
    t.actions(1, 0)
    t.s["turn"], t.s["mover"] = 0, 0
    assert t.legal("build capitol") == ["build capitol 0"]


def test_alluvia_works_when_covered(table):
    t = table()
    t.stock(0, 1)
    t.advisor(0, "alluvia")
    t.lay(hands={0: ["hydroponic_farm"]}, systems={0: [[], [], [], [], ["titan"]]})
    assert t.legal("build") == ["build hydroponic_farm 4"]
    t.act("build hydroponic_farm 4")
    assert t.resources(0) == (0, 0, 0)


def test_ruling_23_alluvia_may_be_taken_with_four_systems(table):
    t = table()
    t.stock(0, 9)
    t.on_table("alluvia")
    t.actions(2, 0)
    t.lay(
        hands={0: ["hydroponic_farm", "frigate", "titan", "cruiser"]},
        systems={0: [["capitol"], ["capitol"], ["utilitron"], ["utilitron"]]},
    )
    t.act("deal alluvia", "card frigate", "card titan", "card cruiser")
    assert t.legal("build") == [f"build hydroponic_farm {i}" for i in range(5)]


def test_there_is_no_fifth_system_without_alluvia(table):
    t = table()
    t.stock(0, 9)
    t.advisor(0, "kual")
    t.lay(hands={0: ["hydroponic_farm"]})
    assert t.legal("build") == ["build hydroponic_farm 0"]


@pytest.mark.parametrize(("own", "theirs", "legal"), [(1, 0, False), (2, 4, True), (2, 5, False), (2, 3, True)])
def test_vail_counts_two_more_fleet_but_pays_with_real_fleet(table, own, theirs, legal):
    t = table()
    t.stock(0, 0, own)
    t.stock(1, 0, theirs)
    t.advisor(0, "vail")
    assert ("attack +1" in t.legal()) == legal
    if legal:
        t.act("attack +1")
        assert t.resources(0) == (0, 0, 0)


def test_vail_does_not_help_in_defence(table):
    t = table()
    t.stock(0, 0, 2)
    t.stock(1, 0, 2)
    t.advisor(1, "vail")
    assert "attack +1" in t.legal()


def test_harrava_stores_a_cube_that_becomes_an_action(table):
    t = table()
    t.stock(0, 4, 2)
    t.stock(1, 4)
    t.advisor(0, "harrava")
    t.actions(1, 0)
    t.act("attack +1")
    assert (t.node, int(t.s["round"])) == ("main", 2)
    assert int(t.s["available"][0]) == 4 + 1 and t.cube(0, 5) == 0


def test_harrava_keeps_a_cube_put_there_by_a_battleship(table):
    t = table()
    t.stock(0, 4, 2)
    t.stock(1, 4)
    t.advisor(1, "harrava")
    t.lay(systems={0: [["battleship"]]})
    t.actions(1, 0)
    t.act("attack +1")
    assert (t.node, t.legal()) == ("block", ["opponent advisor"]), "ruling 46: the only free slot must be blocked"
    t.act("opponent advisor")
    assert int(t.s["available"][1]) == 5 and t.vp(0) == 3
    t.check()


def test_ruling_21_stored_cube_of_a_harrava_that_leaves_returns(table):
    t = table()
    t.stock(0, 2, 1)
    t.stock(1, 4)
    t.advisor(1, "harrava")
    t.lay(hands={0: ["spy_training_camp"]})
    t.s["cube"][1, 5] = 1
    t.act("build spy_training_camp 0", "target +1")
    assert int(t.s["advisor"][1]) == 0 and t.cube(1, 5) == 0


def test_moldred_once_a_round(table):
    t = table()
    t.stock(0, 0, 4)
    t.stock(1)
    t.actions(2, 0)
    t.advisor(0, "moldred")
    t.act("attack +1")
    assert t.vp(0) == 4 and t.cube(0, 5) == 1
    t.act("attack +1")
    assert t.vp(0) == 6


def test_advia_explores_two_more_and_keeps_all_gray_cards(table):
    t = table()
    t.advisor(0, "advia")
    t.actions(2, 0)
    t.lay(hands={0: ["astro_university"]})
    t.act("explore")
    assert t.draw_any() == 4
    t.act("exploit astro_university")
    assert t.draw_any() == 4
    assert t.s["hand_size"][0] >= 5 and t.s["discard_size"] >= 1


def test_kual_and_kuruk_at_the_start_of_the_round(table):
    t = table()
    t.stock(0, 4)
    t.stock(1, 4)
    t.advisor(0, "kual")
    t.advisor(1, "kuruk")
    t.s["loyalty"][0] = 8
    t.end_round()
    assert t.mover == 1 and t.draw_any() == 1
    assert t.loyalty(0) == 9 and t.resources(0) == (6, 0, 0) and t.resources(1) == (4, 1, 0)
