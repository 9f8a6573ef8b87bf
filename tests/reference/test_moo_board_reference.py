"""Smoke tests of the reference of Master of Orion: The Board Game: it ends, loses nothing and sums to nothing."""

import random
from collections import Counter
from typing import Any

import pytest

from .moo_board import CHANCE, TERMINAL, Reference
from .moo_board_content import load

BOUND = 12_000
GAMES = 30


def check(game: Reference, content: dict[str, Any]) -> None:
    """Every card and cube is somewhere, every number in its range, the ids in order."""
    state = game.snapshot()
    cards = Counter(state["deck"]) + Counter(state["discard"])
    advisors = len(state["advisors_on_table"])
    for seat in state["seats"]:
        cards += Counter(design for design, _ in seat["hand"])
        cards += Counter(design for system in seat["systems"] for design in system)
        advisors += seat["advisor"] is not None
        used = seat["available"] + seat["spent"] + sum(seat["attacks"]) + sum(seat["top_cube"]) + seat["advisor_cube"]
        assert seat["reserve"] >= 0 and seat["reserve"] + used == content["constants"]["reserve_cubes"]
        assert all(0 <= seat[name] <= 9 for name in ("food", "fleet", "production"))
        assert seat["vp"] >= 0 and seat["loyalty"] <= 10
        assert all(len(system) <= 5 for system in seat["systems"][:4]) and len(seat["systems"][4]) <= 4
        assert all(number <= state["deck_number"] for _, number in seat["hand"])
    covered = [card for seat in game.table.seats for system in seat.systems for card in system[:-1]]
    assert not any(card.cube for card in covered)
    assert cards == Counter({card["id"]: card["copies"] for card in content["cards"]})
    assert sum(cards.values()) == 90
    if state["node"] not in ("RACE", "RACE_DEALT", "ASIDE"):
        assert advisors == len(content["advisors"]) - content["constants"]["advisors_set_aside"]
    legal = game.legal()
    if game.to_play() == TERMINAL:
        assert legal == [] and state["node"] == "END"
    else:
        assert legal and legal == sorted(set(legal))
        assert all((action >= 384) == (game.to_play() == CHANCE) for action in legal)
    for placement in (True, False):
        assert abs(sum(game.returns(placement))) < 1e-9


@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_games(players: int) -> None:
    content = load()
    for seed in range(GAMES):
        rng = random.Random(seed)
        game = Reference(players, [rng.choice(["choose", "dealt"]) for _ in range(players)], "standard", True, content)
        plies = 0
        while game.to_play() != TERMINAL:
            check(game, content)
            legal = game.legal()
            weights = game.weights() if game.to_play() == CHANCE else None
            assert weights is None or (len(weights) == len(legal) and min(weights) > 0)
            game.apply(rng.choices(legal, weights)[0])
            plies += 1
            assert plies <= BOUND
        check(game, content)


def test_tutorial_has_humans_and_no_advisors() -> None:
    game = Reference(3, ["choose"] * 3, "tutorial", True, load())
    state = game.snapshot()
    assert state["node"] == "FIRST"
    assert [seat["race"] for seat in state["seats"]] == ["humans"] * 3
    assert state["advisors_on_table"] == []


def test_copy_is_the_same_position() -> None:
    content = load()
    rng = random.Random(1)
    game = Reference(2, ["meklars", "dealt"], "standard", True, content)
    for _ in range(60):
        game.apply(rng.choice(game.legal()))
    twin = game.copy()
    assert twin.snapshot() == game.snapshot() and twin.legal() == game.legal()
