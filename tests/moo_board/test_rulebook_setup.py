"""Setup, Golden Rules, Tutorial Mode; rulings 4, 5, 6, 36, 39."""

import numpy as np
import pytest

import engines
from engines.errors import IllegalAction, UsageError
from engines.moo_board import content as k
from engines.moo_board.layout import NODES


def node(state):
    return NODES[int(state.fields["node"])]


def texts(state):
    return [state.game.action_text(a) for a in state.legal_actions()]


def to_mulligan(players=2, races="humans", first=0):
    state = engines.load("moo_board", players=players, races=races).start()
    for _ in range(3):
        state.apply(state.legal_actions()[0])
    state.apply(f"first {first}")
    while node(state) == "draw":
        state.apply(state.legal_actions()[0])
    return state


def test_components_ninety_cards_by_color():
    by_color = [int(sum(k.COPIES_OF[color == k.COLOR])) for color in range(4)]
    assert by_color == [26, 22, 22, 20] and sum(by_color) == 90
    assert (len(k.ADVISOR_IDS), len(k.RACE_IDS)) == (8, 7)


def test_start_resources_loyalty_and_reserve():
    s = to_mulligan(2, ["humans", "mrrshan"]).fields
    assert s["resources"][0].tolist() == [6, 4, 2] and s["resources"][1].tolist() == [3, 4, 0]
    assert s["loyalty"][:2].tolist() == [10, 10] and s["vp"][:2].tolist() == [0, 0]


def test_five_of_eight_advisors_lie_on_the_table():
    state = engines.load("moo_board", players=2, races="humans").start()
    assert node(state) == "aside"
    assert state.chance() == (0, [(433 + a, 1) for a in range(8)])
    state.apply("aside kual")
    assert "aside kual" not in texts(state)
    state.apply("aside victoria")
    state.apply("aside advia")
    assert [k.ADVISOR_IDS[a] for a in range(8) if state.fields["table"][a]] == [
        *("alluvia", "vail", "harrava", "moldred", "kuruk")
    ]


def test_first_player_is_uniform_and_draws_first():
    state = engines.load("moo_board", players=3, races="humans").start()
    for _ in range(3):
        state.apply(state.legal_actions()[0])
    assert state.chance() == (0, [(429, 1), (430, 1), (431, 1)])
    state.apply("first 1")
    order = []
    while node(state) == "draw":
        order.append(int(state.fields["mover"]))
        stream, outcomes = state.chance()
        assert stream == 1 + order[-1]
        assert sum(w for _, w in outcomes) == int(state.fields["deck_size"])
        state.apply(outcomes[0][0])
    assert order == [1] * 5 + [2] * 5 + [0] * 5


def test_each_player_may_once_replace_any_number_of_cards():
    state = to_mulligan(2, first=1)
    assert (node(state), state.to_play) == ("mulligan", 1)
    hand = [t for t in texts(state) if t != "no"]
    state.apply(hand[0])
    assert state.fields["hand_size"][1] == 4 and state.fields["discard_size"] == 1
    state.apply(hand[0] if hand[0] in texts(state) else hand[1])
    state.apply("no")
    assert (node(state), int(state.fields["mover"]), int(state.fields["draws"])) == ("draw", 1, 2)
    state.apply(state.legal_actions()[0])
    state.apply(state.legal_actions()[0])
    assert (node(state), state.to_play) == ("mulligan", 0)
    assert state.fields["hand_size"][:2].tolist() == [5, 5]


def test_the_whole_hand_may_be_replaced():
    state = to_mulligan()
    for _ in range(5):
        state.apply(state.legal_actions()[0])
    assert texts(state) == ["no"]
    state.apply("no")
    assert int(state.fields["draws"]) == 5


def test_ruling_5_alien_boards_are_unique_humans_are_not():
    state = engines.load("moo_board", players=3, races="choose").start()
    assert texts(state) == [f"race {race}" for race in k.RACE_IDS]
    state.apply("race humans")
    state.apply("race darloks")
    assert "race humans" in texts(state) and "race darloks" not in texts(state)
    with pytest.raises(IllegalAction, match="race darloks"):
        state.apply("race darloks")


def test_dealt_races_are_uniform_over_those_not_taken():
    state = engines.load("moo_board", players=3, races=["humans", "dealt", "dealt"]).start()
    assert state.chance() == (0, [(442 + i, 1) for i in range(6)])
    state.apply("dealt alkari")
    assert [o for o, _ in state.chance()[1]] == [443, 444, 445, 446, 447]


def test_tutorial_mode_all_humans_without_advisors():
    state = engines.load("moo_board", players=3, variant="tutorial").start(seed=1)
    assert state.fields["race"][:3].tolist() == [1, 1, 1]
    assert not np.any(state.fields["table"])
    while not state.is_over:
        actions = state.legal_actions()
        assert not any(281 <= a < 289 for a in actions)
        state.apply(actions[len(actions) // 2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"races": "humanz"}, "humans"),
        ({"races": ["humans"]}, "expected one for each"),
        ({"races": ["darloks", "darloks"]}, "twice"),
        ({"variant": "tutorail"}, "tutorial"),
        ({"variant": "tutorial", "races": "alkari"}, "tutorial"),
        ({"advisors": "no"}, "true or false"),
        ({"players": 5}, "2 to 4"),
        ({"utility": "wins"}, "win"),
    ],
)
def test_wrong_options_are_explained(options, message):
    with pytest.raises(UsageError, match=message):
        engines.load("moo_board", **options)
