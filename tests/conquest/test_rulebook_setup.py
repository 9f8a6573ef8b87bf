"""Rulebook: Setup; Three and Four Players (its first two points); the options of set-up."""

from __future__ import annotations

from typing import Any

import pytest

import engines
from engines.conquest import content as k
from engines.conquest import layout as at
from engines.errors import UsageError


def begun(players: int, seed: int = 3, **options: Any) -> Any:
    return engines.load("conquest", players=players, **options).start(seed)


@pytest.mark.parametrize(("players", "row", "decks"), [(2, 3, 1), (3, 4, 2), (4, 5, 2)])
def test_hands_rows_decks_and_home_worlds(players: int, row: int, decks: int) -> None:
    state = begun(players)
    s = state.fields
    first = int(s["first"])
    assert state.to_play == first == int(s["active"]) and int(s["round"]) == 1
    for seat in range(players):
        hand = 3 if seat == first else 5
        assert int(s["hand_size"][seat]) == hand and int(s["deck_size"][seat]) == 10 - hand
        starting = int(k.START_COPIES[int(s["faction"][seat]) - 1].sum())
        assert int(s["unseen"][seat].sum()) == starting == 10
        assert all(s["row"][seat]) and int(s["empire_size"][seat]) == 25
        assert int(s["side"][seat, 0]) == (players > 2), "home worlds start upgraded with three or four"
    assert int(k.FACE_KIND[int(s["top"]) - 1]) == k.PLANET
    assert int(s["explore_size"]) == 38 * decks - 1 and not s["explore"].any()
    assert k.EXPLORE_ROW + k.EXPLORE_MORE * (players - 2) == row


def test_the_first_top_is_drawn_among_the_planets_and_nothing_is_drawn_early() -> None:
    state = engines.load("conquest").start()
    assert state.legal_actions() == [at.FIRST, at.FIRST + 1]
    state.apply("first 1")
    assert state.legal_actions() == [at.TOP + face for face in range(at.PLANETS)]
    state.apply("top gaia_world")
    order = []
    while state.is_chance:
        order.append((at.NODES[int(state.fields["node"])], int(state.fields["mover"])))
        state.apply(state.legal_actions()[0])
    assert order == [("refill", 0)] * 5 + [("refill", 1)] * 5 + [("draw", 1)] * 3 + [("draw", 0)] * 5
    assert state.to_play == 1


def factions(state: Any) -> list[str]:
    return [k.FACTION_IDS[int(f) - 1] for f in state.fields["faction"][: state.game.players]]


def test_factions_by_seat_by_chance_and_mirrored() -> None:
    assert factions(begun(4)) == ["humans", "darloks", "bulrathi", "psilons"]
    assert factions(begun(3, factions="psilons")) == ["psilons"] * 3
    assert factions(begun(2, factions=["bulrathi", "bulrathi"])) == ["bulrathi"] * 2
    dealt = {tuple(factions(begun(4, seed, factions="dealt"))) for seed in range(20)}
    assert len(dealt) > 5 and all(len(set(row)) == 4 for row in dealt)
    mirrors = {tuple(factions(begun(3, seed, factions="mirror"))) for seed in range(20)}
    assert mirrors == {(name,) * 3 for name in k.FACTION_IDS}
    mixed = {tuple(factions(begun(2, seed, factions=["humans", "dealt"]))) for seed in range(20)}
    assert mixed == {("humans", name) for name in k.FACTION_IDS[1:]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"factions": "human"}, "unknown factions of conquest 'human'. Did you mean 'humans'?"),
        ({"factions": ["humans"]}, "factions names 1: expected one for each of 2 seats"),
        ({"factions": ["humans", "klackons"]}, "unknown faction of conquest 'klackons'"),
        ({"factions": ["humans", 3]}, "unknown faction of conquest 3"),
        ({"factions": 7}, "factions=7, expected a word, or a list"),
        ({"factions": ["mirror", "mirror"]}, "unknown faction of conquest 'mirror'"),
        ({"max_rounds": 0}, "max_rounds=0, expected 1 to 100"),
        ({"max_rounds": True}, "max_rounds=True"),
        ({"max_rounds": 101}, "expected 1 to 100"),
        ({"end": "first"}, "unknown end of conquest 'first'"),
        ({"utility": "wni"}, "unknown utility of conquest 'wni'. Did you mean 'win'?"),
        ({"players": 5}, "players=5, expected 2 to 4"),
        ({"faction": "humans"}, "unknown option of conquest 'faction'. Did you mean 'factions'?"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as error:
        engines.load("conquest", **options)
    assert message in str(error.value)
