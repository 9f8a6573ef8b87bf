"""End of Game and Victory; rulings 7, 26, 35."""

import pytest

import engines


def finished(table, **options):
    t = table(**options)
    t.s["round"] = 8
    for seat in range(t.game.players):
        t.stock(seat)
    return t


def end(t):
    t.end_round()
    assert t.state.is_over
    return t.state.returns()


def test_score_is_track_plus_loyalty_plus_all_cards(table):
    t = table()
    t.lay(systems={0: [["capitol", "frigate"], ["dome_of_pleasures"]]})
    t.s["vp"][0], t.s["loyalty"][0] = 7, 4
    assert t.state.scores() == [7 + 4 + 8 + 1 + 4, 10]


def test_negative_loyalty_subtracts_and_can_still_win(table):
    t = finished(table)
    t.s["loyalty"][0] = -2
    t.s["vp"][0] = 20
    t.s["round"] = 3
    assert end(t) == [1.0, -1.0]
    assert t.state.scores() == [18, 10]


@pytest.mark.parametrize(
    ("loyalty", "points", "stocks", "returns"),
    [
        ((8, 9), (1, 0), (0, 0), [-1.0, 1.0]),
        ((9, 9), (0, 0), (3, 2), [1.0, -1.0]),
        ((9, 9), (0, 0), (3, 3), [0.0, 0.0]),
        ((8, 9), (2, 0), (0, 9), [1.0, -1.0]),
    ],
)
def test_ties_by_loyalty_then_resources_then_a_draw(table, loyalty, points, stocks, returns):
    t = finished(table)
    for seat in range(2):
        t.s["loyalty"][seat], t.s["vp"][seat] = loyalty[seat], points[seat]
        t.stock(seat, stocks[seat])
    assert end(t) == returns


def test_placement_of_three_and_four_seats(table):
    t = finished(table, players=4)
    t.s["vp"][:4] = (5, 9, 5, 1)
    assert end(t) == pytest.approx([0.0, 1.0, 0.0, -1.0])
    t = finished(table, players=3)
    t.s["vp"][:3] = (5, 9, 1)
    assert end(t) == [0.0, 1.0, -1.0]


def test_win_utility_shares_the_win(table):
    t = finished(table, players=4, utility="win")
    t.s["vp"][:4] = (9, 9, 5, 1)
    assert end(t) == pytest.approx([1 / 3, 1 / 3, -1 / 3, -1 / 3])
    t = finished(table, players=3, utility="win")
    t.s["vp"][:3] = (5, 9, 1)
    assert end(t) == [-0.5, 1.0, -0.5]


def test_returns_before_the_end_are_the_present_standing(table):
    t = table(players=3)
    t.s["vp"][:3] = (3, 2, 1)
    assert t.state.returns() == [1.0, 0.0, -1.0]


def test_nothing_is_legal_after_the_end(table):
    t = finished(table)
    end(t)
    assert t.state.legal_actions() == []
    assert t.state.to_play == engines.contract.TERMINAL
