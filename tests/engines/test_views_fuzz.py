"""Whatever is passed to `from_view`: a clear refusal, or a state that is safe to play on (see `view_fuzz`)."""

from __future__ import annotations

import functools
import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engines
from engines import PUBLIC, UsageError
from engines.contract import Game
from engines.registry import GAMES
from engines.state import State
from tests.engines import view_fuzz
from tests.engines.games import every_shipped, is_long, make, option_sets
from tests.engines.subprocesses import code

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@functools.cache
def states(name: str) -> tuple[Game, list[State]]:
    game = make(name, 2)
    return game, view_fuzz.positions(game, games=2, rate=0.2, seed=1)


@pytest.mark.parametrize("name", [*GAMES, "duel"])
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_any_json_in_any_field(name: str, data: st.DataObject) -> None:
    game, found = states(name)
    state = data.draw(st.sampled_from(found))
    view: Any = json.loads(json.dumps(state.view(data.draw(st.integers(PUBLIC, game.players - 1)))))
    known = view["state"]
    for field in data.draw(st.lists(st.sampled_from([*known, None]), min_size=1, max_size=3)):
        put_in = known if field else view
        put_in[field or data.draw(st.sampled_from([*view]))] = data.draw(JSON)
    try:
        state = game.from_view(view)
    except UsageError as error:
        assert str(error).startswith("view: ")
        return
    if name != "duel":  # a game without checks of its own: only numbers and shapes are looked at
        view_fuzz.exercise(state, random.Random(1), 20)


def test_damaged_views_of_the_duel() -> None:
    accepted = view_fuzz.fuzz(make("duel", 3), 400, seed=5, steps=40)
    assert 40 < accepted < 400  # both ways are taken


@every_shipped
def test_damaged_views(name: str) -> None:
    for options in option_sets(name):
        game, tries = engines.load(name, **options), 200
        accepted = view_fuzz.fuzz(game, tries, seed=5, steps=40, rate=0.1 if is_long(game) else 0.5)
        assert tries // 10 < accepted < tries, options


@pytest.mark.slow
@pytest.mark.parametrize(("name", "players"), [("kuhn_poker", 3), ("moo_board", 2), ("moo_board", 3), ("moo_board", 4)])
def test_damaged_views_with_bounds_checked(name: str, players: int) -> None:
    program = f"""
        from tests.engines.games import make
        from tests.engines.view_fuzz import fuzz
        print(fuzz(make({name!r}, {players}), tries=8000, seed=9, steps=60, games=6, rate=1.0))
    """
    assert int(code(program, NUMBA_BOUNDSCHECK="1")) > 800


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"deck_number": 200}, "'deck_number': expected an integer from 0 to 15, found 200"),
        ({"gray": [9, 0]}, r"'gray'\[0\]: expected an integer from 0 to 4, found 9"),
        ({"depth": 99}, "'depth': expected an integer from 0 to 12"),
        ({"mover": 7}, "'mover': expected an integer from 0 to 3"),
        ({"mover": 2}, "'mover': 2, expected a seat below 2"),
        ({"systems": [[], [], []]}, "'systems': expected a list of 2, found one of 3"),
        ({"systems": [[[None], [], [], [], []], [[]] * 5]}, None),
        ({"hand_size": [-1, 5]}, r"'hand_size'\[0\]: expected an integer from 0"),
        ({"hand_size": [True, 5]}, "found True"),
        ({"hand_size": [5.0, 5]}, "found 5.0"),
        ({"hand_size": ["5", 5]}, "found '5'"),
        ({"hand_size": [float("nan"), 5]}, "found nan"),
        ({"hand_size": [10**400, 5]}, "found 1000000"),
        ({"hand_size": [4, 5]}, "'hand_size': seat 0 holds 4 cards, but 5 by 'known' and 'unknown'"),
        ({"phase": "actoins"}, "Did you mean 'actions'"),
        ({"phase": None}, "unknown phase None"),
        ({"round": 9}, "'round': expected an integer from 0 to 8"),
        ({"round": 0}, "'round': 0, expected 1 to 8 in phase 'actions'"),
        ({"utility": 1}, "'utility': the game's options say 0"),
        ({"node": "order"}, "'depth': no effect is pending, but 'order' is asked"),
        ({"node": "over"}, "'over' is not asked in phase 'actions'"),
        ({"depth": 1, "frame_pc": [0]}, r"'frame_pc': entry 0: 0, expected 1 to"),
        ({"draws": 3}, "'draws': cards are drawn at node 'draw', and only there"),
        ({"available": [0, 3]}, "'available': seat 0 has no cube for a main action"),
        ({"cube": [{"advisor": 1}, {}]}, "'cube': seat 0 has a cube where no card lies"),
        ({"advisor": ["vail", None]}, "'table': 6 advisors lie on the table and at seats, expected 5"),
        ({"discard": ["frigate"]}, "'discard_size': 0, but 'discard' lists 1 cards"),
        ({"unseen": {}}, "'unseen': 0 copies of 'hydroponic_farm' in sight, known or unseen: not 2"),
        ({"deck_size": 79}, "'unseen': 90 copies of deck 0, but hands .'unknown'. and deck hold 89"),
        ({"hand": {}}, "'hand': 0 cards of deck 0, but 'unknown' says 5"),
        ({"hand": {"frigate": [1, 1, 1]}}, "'hand': 'frigate' of deck numbers"),
        ({"open_sources": 3}, "'open_sources': no order of effects is asked for"),
        ({"design": "frigate"}, "'frigate' in sight, known or unseen: not 2"),
        ({"placed": ["frigate"]}, "'placed': no cards are being rearranged"),
    ],
)
def test_positions_that_cannot_be(change: dict[str, Any], message: str | None) -> None:
    view = json.loads(json.dumps(opening().view(0)))
    view["state"] |= change
    if message is None:  # no card, said with a null
        assert opening().game.from_view(view).view(0)["state"]["systems"] == opening().view(0)["state"]["systems"]
        return
    with pytest.raises(UsageError, match=message):
        opening().game.from_view(view)


@functools.cache
def opening() -> State:
    """The first main action of seat 0, with nothing discarded yet."""
    state = engines.load("moo_board", races="humans").start()
    texts = {"mulligan": "no", "first": "first 0"}
    while not any(state.game.action_text(a) == "explore" for a in state.legal_actions()):
        node = state.view(PUBLIC)["state"]["node"]
        state.apply(texts[node] if node in texts else state.legal_actions()[-1])
    return state


def test_what_may_be_left_out() -> None:
    """What is as in a new game; else the refusal says which fields were missing."""
    view = json.loads(json.dumps(opening().view(0)))
    for name in ("known", "unseen", "deck_number", "discard", "systems", "cube", "players", "race_mode", "frame_pc"):
        del view["state"][name]
    assert opening().game.from_view(view).determinize(0, 3) == opening().determinize(0, 3)
    del view["state"]["unknown"], view["state"]["hand"]
    with pytest.raises(UsageError, match=r"left out, and so as in a new game: .*unknown.*hand\)"):
        opening().game.from_view(view)


def test_a_state_made_from_a_view_speaks_for_its_seat_only() -> None:
    state = opening().game.from_view(opening().view(0))
    for ask in (state.observe, state.info_key, state.view, lambda seat: state.determinize(seat, 1)):
        with pytest.raises(UsageError, match="made from the view of seat 0: it does not hold what seat 1 knows"):
            ask(1)
    assert state.determinize(0, 1).info_key(0) == opening().info_key(0)
    assert state.clone().viewer == 0 and state.determinize(PUBLIC, 1).viewer is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"bet": ["pass", "pass", "pass", "bet"], "turns": 4},
            "'bet': expected 4 bets, as 'turns' says, and no more than 3",
        ),
        ({"bet": ["pass"], "turns": 0}, "'bet': expected 0 bets"),
        ({"dealt": 2}, "'bet': expected 1 bets, as 'turns' says, and no more than 0"),
        ({"card": None}, "'card': expected one of jack, queen, king, ace, since 'dealt' is 3"),
        ({"players": 2}, "'players' and 'dealt': 2 and 3, expected 3 seats"),
    ],
)
def test_bets_that_cannot_be(change: dict[str, Any], message: str) -> None:
    state = make("kuhn_poker", 3).start(seed=1)
    state.apply("pass")
    view = state.view(0)
    view["state"] |= change
    with pytest.raises(UsageError, match=message):
        state.game.from_view(view)
