"""Whole games under options that lead along other ways than the defaults; speed of play."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np
import pytest

import engines
from engines.conformance import check
from engines.conquest import content as k
from engines.kernel import JIT
from engines.rng import generator


@pytest.mark.parametrize(
    "options",
    [
        {"players": 2, "factions": "mirror", "max_rounds": 2},
        {"players": 3, "factions": "dealt", "max_rounds": 1},
        {"players": 4, "factions": ["dealt", "humans", "dealt", "humans"], "end": "last_standing", "max_rounds": 1},
    ],
)
def test_games_of_other_options_conform(options: dict[str, Any]) -> None:
    report = check(engines.load("conquest", **options, utility="win"), games=2, rate=0.02)
    assert report.ok, str(report)


@pytest.mark.parametrize(("players", "end"), [(2, "first_fall"), (3, "first_fall"), (4, "last_standing")])
def test_every_card_is_always_somewhere(players: int, end: str) -> None:
    """By type: no seat ever has more copies than its faction, and none fewer than were not scrapped."""
    from engines.conquest.checks import cards_of

    game = engines.load("conquest", players=players, end=end, max_rounds=25)
    for seed in range(2):
        state, rng, before = game.start(seed), random.Random(seed), [40] * players
        while not state.is_over:
            state.apply(rng.choice(state.legal_actions()))
            s = state.fields
            for seat in range(players):
                cards = cards_of(s, seat)
                assert (cards <= k.COPIES[int(s["faction"][seat]) - 1]).all() and (cards >= 0).all()
                left = int(cards.sum())
                assert left + int(s["scrapped"][seat]) == 40 and left <= before[seat]
                before[seat] = left


def test_nothing_is_left_behind_when_a_turn_begins() -> None:
    game = engines.load("conquest", players=3, end="last_standing")
    state, rng = game.start(5), random.Random(5)
    while not state.is_over:
        s = state.fields
        if int(s["depth"]) == 0:
            for name in ("frame_pc", "frame_seat", "frame_n", "frame_a", "foe", "fleet_target", "ships", "defenders"):
                assert not s[name].any(), name
            assert int(s["held"]) == 0 and int(s["fleets"]) == 0
        state.apply(rng.choice(state.legal_actions()))


def test_texts_of_actions_are_unique_and_parsed_back() -> None:
    game = engines.load("conquest")
    texts = [game.action_text(a) for a in range(game.num_ids)]
    used = [t for t in texts if t]
    assert len(set(used)) == len(used) == 235 + 98
    assert all(game.parse(t) == a for a, t in enumerate(texts) if t)
    assert [texts[i] for i in (0, 48, 58, 101, 106, 113, 119, 148, 230, 332)] == [
        *("play 0", "buy row 0", "acquire explore 0", "target left place 1", "target right home", "target own place 2"),
        *("target right row 0", "point to fleet", "done", "top derelict_fleet"),
    ]


@pytest.mark.skipif(not JIT, reason="speed of compiled kernels")
def test_random_play_is_fast() -> None:
    """Far below what it is (two million decisions a second on one core), so that a loaded machine does not fail it."""
    from orion_ai.bench import kernels

    game = engines.load("conquest")
    state, ids = np.zeros(game.record_size, np.uint8), np.zeros(game.max_legal, np.int32)
    weights, rng = np.zeros(game.max_legal, np.int64), generator("speed")
    best = 0.0
    for _ in range(3):
        begun = time.process_time()
        decisions, _steps = kernels.random_games(game.table, game.encode_options(), 20, rng, state, ids, weights)
        best = max(best, decisions / (time.process_time() - begun))
    assert best > 250_000
