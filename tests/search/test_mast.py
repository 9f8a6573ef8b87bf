"""Playouts that learn from the simulations before them: the statistics, and what is made of them, by hand."""

import numpy as np
import pytest

import engines
from engines.errors import UsageError
from engines.rng import generator
from orion_ai.search import Search, SearchConfig, mast, select
from tests.games import load, tree


def by_hand(share=1.0, root=tree.DEPTH_ONE):
    """The forest of a search that has just begun: nothing has been learned."""
    game = load("tree", root=root)
    search = Search(game, SearchConfig(simulations=1, mast=share))
    search.run(game.start().record[None], [0], np.array([1], np.uint64))
    f = search._forest
    mast.forget_habits(f, 0)
    f.trail[0] = 0
    return game, f


def test_all_decisions_of_a_simulation_get_the_value_of_their_seat():
    _, f = by_hand()
    for seat, action in ((0, 2), (1, 0), (0, 2), (2, 1)):
        mast.note(f, seat, action)
    f.value[0] = [0.5, -0.75, 0.25]
    mast.learn_habits(f, 0, 1.0)
    mast.learn_habits(f, 0, 3.0)
    whole = f.habit_visits.shape[2] - 1
    assert f.habit_visits[0, 0, [0, 2, whole]].tolist() == [0.0, 8.0, 8.0]
    assert f.habit_total[0, 0, [0, 2, whole]].tolist() == [0.0, 4.0, 4.0]
    assert f.habit_total[0, 1, [0, whole]].tolist() == [-3.0, -3.0]
    assert f.habit_visits[0, 2, 1] == 4.0


def test_what_was_seldom_chosen_is_worth_what_the_seat_mostly_gets():
    _, f = by_hand()
    whole = f.habit_visits.shape[2] - 1
    f.habit_visits[0, 0, [0, 1, whole]] = 1000, 1, 1001
    f.habit_total[0, 0, [0, 1, whole]] = -500, 1, -499
    mean = -499 / 1001
    assert mast.habit(f, 0, 0, 0) == pytest.approx((-500 + 10 * mean) / 1010)
    assert mast.habit(f, 0, 0, 1) == pytest.approx((1 + 10 * mean) / 11)
    assert mast.habit(f, 0, 0, 2) == pytest.approx(mean)


@pytest.mark.parametrize(("share", "expected"), [(1.0, 1.0), (0.5, 0.5 + 0.5 / 3), (0.25, 0.25 + 0.75 / 3)])
def test_a_share_of_a_playouts_choices_is_habitual(share, expected):
    """The middle action wins, and has been seen to: else it is one of three alike."""
    game, f = by_hand(share)
    f.habit_visits[0, 0, 1], f.habit_total[0, 0, 1] = 10, 10
    f.rng[0] = generator(5)
    start, wins = game.start().record, 0
    for _ in range(2000):
        f.state[0], f.trail[0] = start, 0
        assert mast.play_out_by_habit(game.table, f, f.parameters, 0)
        assert f.trail[0] == 1
        wins += f.value[0, 0] == 1.0
    assert wins / 2000 == pytest.approx(expected, abs=0.035)


def test_new_actions_are_tried_in_the_order_of_their_worth():
    _, f = by_hand()
    f.edge_visits[0, :3], f.edge_of[:] = [1, 0, 0], [0, 1, 2]
    rng = generator(3)
    assert {select.choose_ucb(f, f.parameters, 0, 3, 0, 0, 1.0, True, rng) for _ in range(40)} == {1, 2}
    f.habit_visits[0, 0, 2], f.habit_total[0, 0, 2] = 5, 1
    assert {select.choose_ucb(f, f.parameters, 0, 3, 0, 0, 1.0, True, rng) for _ in range(40)} == {2}
    f.habit_visits[0, 1, 1], f.habit_total[0, 1, 1] = 5, 5  # of another seat
    assert {select.choose_ucb(f, f.parameters, 0, 3, 0, 0, 1.0, True, rng) for _ in range(40)} == {2}


def test_an_obvious_choice_is_found_whatever_the_playouts():
    """Kuhn 1950: the king calls, the jack folds."""
    kuhn = engines.load("kuhn_poker")
    for mine, right in ((4, 1), (2, 0)):
        state = kuhn.start()
        for action in (mine, 3, 0, 1):
            state.apply(action)
        report = Search(kuhn, SearchConfig(simulations=300, mast=0.8)).run(state.record[None], [0], [np.uint64(1)])
        assert report.action[0] == right


@pytest.mark.parametrize(
    ("choices", "text"),
    [
        ({"algorithm": "gt_cfr", "mast": 0.5}, "search.mast is 0.5, but search.algorithm is 'gt_cfr'"),
        ({"algorithm": "puct", "leaf": "network", "mast": 0.5}, "only 'random' would use it"),
        ({"mast": -0.1}, "search.mast is -0.1"),
    ],
)
def test_where_it_would_change_nothing_it_is_refused(choices, text):
    with pytest.raises(UsageError, match=text):
        SearchConfig(**choices).validate(engines.load("kuhn_poker"), has_network=True)
