"""Running Out of Cards; deck numbers, what is known of hands; rulings 1, 2, 38, 45."""

import numpy as np

from engines.moo_board.layout import NUMBERS
from engines.moo_board.rules_cards import refill

from .conftest import design


def test_ruling_1_refill_keeps_the_top_discard_and_the_draw_goes_on(table):
    t = table()
    t.lay(deck=["capitol"], pile=["frigate", "titan"])
    t.act("explore", "draw capitol")
    assert int(t.s["deck_number"]) == 1
    assert t.pile() == ["titan"] and int(t.s["deck_size"]) == 90 - 2
    assert t.state.chance()[0] == 1 and sum(w for _, w in t.state.chance()[1]) == 88
    t.act("draw frigate")
    assert t.s["unknown"][0, :2].tolist() == [1, 1]
    t.check()


def test_ruling_1_an_exploited_gray_card_stays_as_the_top_discard(table):
    t = table()
    t.lay(hands={0: ["astro_university"]}, deck=["capitol"])
    t.act("exploit astro_university", "draw capitol", "draw frigate", "draw frigate", "draw titan")
    assert t.pile() == ["astro_university"] and t.s["gray"].tolist() == [1, 3]
    assert t.s["drawn"][0].tolist() == [1 + design(c) for c in ("capitol", "frigate", "frigate", "titan")]
    t.act("card frigate")
    assert t.pile() == ["astro_university", "frigate"]
    t.check()


def test_gray_exploit_discards_the_card_drawn_not_an_older_twin(table):
    t = table()
    t.lay(hands={0: ["frigate", "astro_university"]}, deck=[])
    t.act("exploit astro_university", "draw frigate", "draw capitol", "draw capitol", "draw titan", "card frigate")
    assert t.s["hand"][0, design("frigate")].tolist() == [1, 0, 0, 0], "deck number 0 stays"
    t.check()


def empty_deck(t, **zones):
    """All cards that lie nowhere else are in seat 1's hand: deck and pile hold only what is named."""
    t.lay(deck=[], **zones)
    pile = zones.get("pile", ())
    n = int(t.s["discard_size"]) - len(pile)
    for i in range(n):
        d = int(t.s["discard"][i]) - 1
        t._into_hand(1, t.game.labels["design"][d])
    rest = t.s["discard"][n : n + len(pile)].copy()
    t.s["discard"] = 0
    t.s["discard"][: len(pile)] = rest
    t.s["discard_size"] = len(pile)
    t.check()


def test_ruling_2_draw_as_many_as_exist(table):
    t = table()
    t.actions(1, 1)
    empty_deck(t, pile=["titan", "frigate"])
    t.act("explore", "draw titan")
    assert t.mover == 1 and t.node == "main" and t.pile() == ["frigate"]


def test_ruling_2_gray_exploit_that_finds_nothing(table):
    t = table()
    t.actions(1, 1)
    empty_deck(t, hands={0: ["astro_university"]})
    t.act("exploit astro_university")
    assert t.mover == 1 and t.node == "main" and t.pile() == ["astro_university"]


def test_ruling_2_gray_exploit_that_finds_one_card_discards_it(table):
    t = table()
    empty_deck(t, hands={0: ["astro_university"]}, pile=["frigate"])
    t.act("exploit astro_university", "draw frigate")
    assert (t.node, t.legal()) == ("gray", ["card frigate"])


def test_ruling_38_a_known_card_leaves_first_then_the_older(table):
    t = table()
    t.actions(9, 0)
    t.lay(hands={0: ["frigate"]}, pile=["frigate"])
    t.s["known"][0, design("frigate")] = 1
    t.s["hand_size"][0] += 1
    t.s["discard_size"], t.s["discard"][0] = 0, 0
    t.act("exploit frigate")
    assert t.s["known"].sum() == 0 and t.s["unknown"][0, 0] == 1
    t.act("exploit frigate")
    assert t.s["unknown"][0, 0] == 0
    t.check()
    t.lay(hands={0: ["frigate"]}, deck=[], pile=["frigate", "titan"])
    t.act("explore", "draw frigate", "draw capitol")
    assert t.s["hand"][0, design("frigate")].tolist() == [1, 2, 0, 0]
    t.act("exploit frigate")
    assert t.s["hand"][0, design("frigate")].tolist() == [2, 0, 0, 0]
    assert t.s["unknown"][0, :2].tolist() == [0, 2]
    t.check()


def test_a_sixteenth_refill_drops_numbers_that_no_hand_holds(table):
    t = table()
    t.lay(hands={0: ["frigate", "titan"]}, deck=[])
    t.s["deck_number"] = NUMBERS - 1
    refill(t.s)
    assert int(t.s["deck_number"]) == 1 and t.s["unknown"][0, 0] == 2
    t.check()


def test_a_sixteenth_refill_joins_the_two_oldest_when_every_number_is_live(table):
    t = table()
    cards = [*("frigate", "destroyer", "cruiser", "battleship", "titan", "death_star", "landing_craft", "fighter_base")]
    cards += [*("capitol", "utilitron", "spaceport", "tax_office", "biospheres", "cloning_center")]
    cards += ["astro_university", "fungal_farms"]
    t.lay(hands={0: cards[:8], 1: cards[8:]}, deck=[])
    t.s["unknown"] = 0
    for number, name in enumerate(cards):
        seat = number // 8
        t.s["hand"][seat, design(name), 0] = t.s["unseen"][design(name), 0] = 1 + number
        t.s["unknown"][seat, number] = 1
    t.s["deck_number"] = NUMBERS - 1
    refill(t.s)
    assert int(t.s["deck_number"]) == NUMBERS - 1
    assert t.s["unknown"][0].tolist() == [2, 1, 1, 1, 1, 1, 1] + [0] * 9
    assert t.s["unknown"][1].tolist() == [0] * 7 + [1] * 8 + [0]
    t.check()
    assert np.count_nonzero(t.s["unseen"] == NUMBERS) == int(t.s["deck_size"])
