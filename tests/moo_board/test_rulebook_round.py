"""Phases 1 and 3: start and end of a round; rulings 7, 8, 10, 21, 24, 25, 27, 48."""

import pytest


def other_pass(t):
    """Seat 0 to move with its turn's cubes; seat 1 stocked so that its mobilization is plain."""
    t.stock(1, 4)
    t.s["loyalty"][1] = 9


def test_all_cards_give_resources_covered_ones_too(table):
    t = table()
    t.stock(0, 0, 0, 0)
    other_pass(t)
    t.lay(systems={0: [["frigate", "hydroponic_farm"], ["capitol"]]})
    t.end_round()
    t.draw_any()
    assert t.resources(0) == (3, 1, 1)


def test_resources_are_capped_at_nine(table):
    t = table()
    t.stock(0, 8, 9, 0)
    t.lay(systems={0: [["hydroponic_farm", "subterranean_farms", "frigate"]]})
    t.end_round()
    assert t.resources(0) == (9, 9, 0)


@pytest.mark.parametrize(
    ("stock", "cubes", "loyalty", "cards"),
    [
        ((7, 0, 0), 5, -1, 0),
        ((0, 0, 9), 5, -1, 0),
        ((6, 6, 6), 4, 0, 0),
        ((0, 4, 0), 4, 0, 0),
        ((3, 3, 3), 3, 1, 1),
        ((0, 0, 0), 3, 1, 1),
    ],
)
def test_mobilization_levels(table, stock, cubes, loyalty, cards):
    t = table()
    t.stock(0, *stock)
    t.stock(1, 4)
    t.s["loyalty"][0] = 5 + 3
    t.end_round()
    assert t.draw_any() == cards
    assert t.s["available"][0] == cubes
    assert t.loyalty(0) == 8 + loyalty
    assert t.s["hand_size"][0] == cards
    assert t.reserve(0) == 10 - cubes


def test_ruling_8_loyalty_at_low_mobilization_stays_at_ten(table):
    t = table()
    t.stock(0)
    t.stock(1, 4)
    t.end_round()
    t.draw_any()
    assert t.loyalty(0) == 10


def test_first_player_token_passes_to_the_left_and_starts(table):
    t = table(players=3)
    for seat in range(3):
        t.stock(seat, 4)
    assert t.mover == 0
    t.end_round()
    assert (t.node, t.mover, int(t.s["round"]), int(t.s["first"])) == ("main", 1, 2, 1)
    t.end_round()
    assert (t.node, t.mover, int(t.s["round"])) == ("main", 2, 3)


def test_players_take_turns_until_all_cubes_are_spent(table):
    t = table(players=3)
    t.actions(2, 1, 3)
    t.stock(1, 4)
    order = []
    while int(t.s["round"]) == 1:
        if t.node == "main":
            order.append(t.mover)
            t.act("explore")
        t.draw_any()
        if t.node == "discard":
            t.state.apply(t.state.legal_actions()[0])
    assert order == [0, 1, 2, 0, 2, 2]


def test_ruling_10_no_pass_and_explore_is_always_legal(table):
    t = table()
    t.stock(0)
    t.s["propaganda"][0] = 1
    t.on_table()
    assert t.legal() == ["explore"]


def test_discard_down_to_five_in_turn_order(table):
    t = table()
    for seat in range(2):
        t.stock(seat, 4)
    t.s["first"] = 1
    t.lay(hands={0: ["frigate"] * 2 + ["capitol"] * 2 + ["titan", "cruiser"], 1: ["utilitron"] * 2 + ["destroyer"] * 2
                 + ["titan", "cruiser", "biospheres"]})  # fmt: skip
    t.actions(1, 0)
    t.act("propaganda")
    assert (t.node, t.mover) == ("discard", 1)
    t.act("card destroyer", "card destroyer")
    assert (t.node, t.mover) == ("discard", 0)
    t.act("card capitol")
    assert t.pile() == ["destroyer", "destroyer", "capitol"]
    assert t.s["hand_size"][:2].tolist() == [5, 5]
    t.check()


def test_cubes_return_from_cards_boards_and_attack_markers(table):
    t = table()
    for seat in range(2):
        t.stock(seat, 4)
    t.lay(systems={0: [["weather_controller"], ["destroyer"]]})
    t.s["cube"][0, 0] = t.s["cube"][0, 1] = 1
    t.s["attacks"][0, 1] = 2
    t.s["spent"][0] = 3
    t.s["propaganda"][1] = 1
    t.end_round()
    assert t.s["cube"].sum() == 0 and t.s["attacks"].sum() == 0 and t.s["spent"].sum() == 0
    assert t.s["propaganda"].sum() == 0
    assert t.reserve(0) == 10 - int(t.s["available"][0])


def test_game_ends_after_the_eighth_round(table):
    t = table()
    t.s["round"] = 8
    t.lay(hands={0: ["frigate"] * 2 + ["capitol"] * 2 + ["titan", "cruiser"]})
    t.end_round()
    assert t.state.is_over
    assert t.s["hand_size"][0] == 6, "scoring comes before the discard"


@pytest.mark.parametrize(("loyalty", "over"), [(1, False), (0, True), (-4, True)])
def test_game_ends_when_a_round_ends_with_loyalty_of_zero_or_less(table, loyalty, over):
    t = table()
    for seat in range(2):
        t.stock(seat, 4)
    t.s["loyalty"][1] = loyalty
    assert not t.state.is_over, "ruling 25: only the end of the round counts"
    t.end_round()
    assert t.state.is_over == over


FULL = [
    ["frigate"] * 2 + ["titan"] * 2 + ["cruiser"],
    ["capitol"] * 2 + ["utilitron"] * 2 + ["cruiser"],
    ["biospheres"] * 2 + ["spaceport"] * 2 + ["destroyer"],
    ["fungal_farms"] * 2 + ["tax_office"] * 2 + ["destroyer"],
]


@pytest.mark.parametrize(
    ("systems", "advisor", "over"),
    [
        (FULL, None, True),
        (FULL[:3] + [FULL[3][:4]], None, False),
        (FULL[:3], None, False),
        (FULL, "alluvia", False),
        ([*FULL, ["death_star"] * 2 + ["star_fortress"]], "alluvia", False),
        ([*FULL, ["death_star"] * 2 + ["star_fortress"] * 2], "alluvia", True),
    ],
)
def test_ruling_24_game_ends_when_every_possible_system_is_full(table, systems, advisor, over):
    t = table()
    for seat in range(2):
        t.stock(seat, 4)
    t.lay(systems={0: systems})
    t.advisor(0, advisor)
    t.end_round()
    assert t.state.is_over == over


def test_start_of_round_effects_in_the_order_of_choice(table):
    t = table(races=["alkari", "humans"])
    t.stock(0, 0)
    t.stock(1, 4)
    t.s["vp"][0] = 1
    t.advisor(0, "kual")
    t.lay(systems={0: [["biospheres"], ["capitol"], ["cloning_center", "biospheres"]]})
    t.s["loyalty"][0] = 7
    t.end_round()
    assert t.node == "order"
    assert t.legal() == ["source system 0", "source system 2", "source advisor", "source board"]
    t.act("source board", "yes", "source system 2")
    assert t.node == "draw"
    t.draw_any()
    assert t.legal() == ["source system 0", "source advisor"]
    t.act("source advisor")
    assert t.node == "main", "the last effect needs no choice"
    assert t.loyalty(0) == 7 + 1 + 1 and t.vp(0) == 0


def test_start_of_round_effects_of_covered_cards_do_not_apply(table):
    t = table()
    t.stock(0, 4)
    t.stock(1, 4)
    t.lay(systems={0: [["capitol", "biospheres"]]})
    t.s["loyalty"][0] = 8
    t.end_round()
    assert t.loyalty(0) == 8


def test_astro_university_draws_two_and_discards_one_of_the_hand(table):
    t = table()
    t.stock(0, 4)
    t.stock(1, 4)
    t.lay(hands={0: ["frigate"]}, systems={0: [["astro_university"]]})
    t.end_round()
    t.act("draw capitol", "draw titan")
    assert t.node == "discard" and t.legal() == ["card frigate", "card titan", "card capitol"]
    t.act("card frigate")
    assert t.hand(0) == ["titan", "capitol"]
    t.check()


def test_virtual_reality_network_gives_one_food_or_one_fleet(table):
    t = table()
    t.stock(0, 4)
    t.stock(1, 4)
    t.lay(systems={0: [["virtual_reality_network"]]})
    t.end_round()
    assert (t.node, t.legal()) == ("gain", ["option 0", "option 1"])
    t.act("option 1")
    assert t.resources(0) == (4, 1, 0)
