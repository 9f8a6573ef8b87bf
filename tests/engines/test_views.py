"""Views: plain data, everything that the seat knows and nothing else, and a state again from it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engines import PUBLIC, UsageError
from engines.state import State
from tests.engines.games import make


def middle(seed: int = 3, peek: bool = True) -> State:
    """A duel of three where seat 0 has perhaps peeked, and has chosen a card; seat 1 is asked."""
    state = make("duel", 3).start(seed=seed)
    state.apply("peek" if peek else "skip")
    state.apply(state.legal_actions()[0])
    assert state.to_play == 1
    return state


def test_a_view_holds_what_the_seat_knows_and_nothing_else() -> None:
    state = middle()
    fields = state.fields
    own, other, public = state.view(0)["state"], state.view(1)["state"], state.view(PUBLIC)["state"]
    assert sum(own["hand"].values()) == 2 and own["pending"] is not None
    assert own["prize"] == {"mask": 1, "known": ("copper", "silver", "gold")[int(fields["prize"]) - 1]}
    assert other["pending"] is None and other["prize"] == {"mask": 1, "known": None}
    assert public["hand"] is None and public["pending"] is None
    assert "deck" not in own and own["held"] == [2, 2, 2]


def test_no_value_of_a_view_moves_with_what_is_hidden() -> None:
    """The same view over many worlds, while the views of the others do change."""
    state = middle()
    for seat in range(PUBLIC, 3):
        worlds = [state.determinize(seat, seed) for seed in range(30)]
        assert all(world.view(seat) == state.view(seat) for world in worlds)
        for other in set(range(3)) - {seat}:
            assert len({json.dumps(world.view(other)["state"]) for world in worlds}) > 1


def test_what_stands_beside_the_state() -> None:
    state = middle()
    view = state.view(1)
    assert (view["game"], view["version"], view["players"], view["seat"], view["to_play"]) == ("duel", 1, 3, 1, 1)
    assert view["legal"] == [state.game.action_text(a) for a in state.legal_actions()]
    assert state.view(0)["legal"] == [] and state.view(PUBLIC)["legal"] == [] and view["returns"] is None
    fresh = make("duel", 2).start()
    assert fresh.view(PUBLIC)["to_play"] == "chance" and fresh.view(PUBLIC)["legal"] == []


def test_from_view_knows_what_the_view_knows() -> None:
    state = middle()
    for seat in range(3):
        text = json.dumps(state.view(seat))
        back = state.game.from_view(json.loads(text))
        assert back.view(seat)["state"] == state.view(seat)["state"]
        assert back.info_key(seat) == state.info_key(seat)
        assert back.observe(seat).tolist() == state.observe(seat).tolist()
        assert back.determinize(seat, 9) == state.determinize(seat, 9)


def test_fields_may_be_left_out() -> None:
    state = middle()
    view = state.view(2)
    del view["state"]["played"], view["state"]["players"]
    assert state.game.from_view(view).view(2)["state"] == state.view(2)["state"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "chess"}, "game is 'chess', but this game has 'duel'"),
        ({"version": 9}, "version is 9"),
        ({"players": 2}, "players is 2"),
        ({"seat": 3}, "seat is 3, expected 0 to 2 or null"),
        ({"state": None}, "'state' is missing"),
        ({"state": {"hands": {}}}, "Did you mean 'hand'"),
        ({"state": {"deck": {}}}, "known to nobody"),
        ({"state": {"hand": {"onne": 1}}}, "Did you mean 'one'"),
        ({"state": {"held": [1, 1, 1, 1]}}, "held"),
        ({"state": {"round": "many"}}, "round"),
        ({"state": {"round": 1000}}, "round"),
        ({"state": {"hand": 3}}, "hand"),
        ({"state": {"prize": {"mask": 1, "known": "lead"}}}, "lead"),
    ],
)
def test_malformed_views_are_refused(change: dict[str, Any], message: str) -> None:
    state = middle()
    with pytest.raises(UsageError, match=message):
        state.game.from_view({**state.view(1), **change})
