"""Worlds of goofspiel with hidden bids are as frequent as counting every history says."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest

import engines
from engines.conformance_exact import LIMIT, chi_square_z
from engines.contract import PUBLIC
from engines.rng import below, generator
from engines.state import State

History = tuple[tuple[int, ...], ...]
"""The bids of each seat."""


def winners(bids: History) -> tuple[int, ...]:
    """Who has won each round, -1: nobody."""
    found = []
    for row in zip(*bids, strict=True):
        best = max(row)
        found.append(row.index(best) if row.count(best) == 1 else -1)
    return tuple(found)


def known(bids: History, seat: int) -> Any:
    return winners(bids), bids[seat] if seat >= 0 else None


def histories(players: int, cards: int, turns: int) -> list[History]:
    return list(itertools.product(itertools.permutations(range(1, cards + 1), turns), repeat=players))


def after(bids: History, cards: int) -> State:
    state = engines.load("goofspiel", players=len(bids), cards=cards, prizes="ascending", hidden=True).start()
    for row in zip(*bids, strict=True):
        for card in row:
            state.apply(f"bid {card}")
    return state


def bids_of(state: State, turns: int) -> History:
    return tuple(tuple(int(c) for c in row[:turns]) for row in state.fields["kept"][: state.game.players])


@pytest.mark.parametrize(
    ("players", "cards", "turns", "seat", "exact"),
    [
        (2, 4, 2, 0, True),
        (2, 5, 3, 1, True),
        (2, 4, 2, PUBLIC, False),
        (3, 4, 2, 1, False),
        (3, 3, 1, PUBLIC, False),
        (4, 3, 1, 2, False),
    ],
)
def test_frequencies(players: int, cards: int, turns: int, seat: int, exact: bool) -> None:
    sets: dict[Any, list[History]] = defaultdict(list)
    for bids in histories(players, cards, turns):
        sets[known(bids, seat)].append(bids)
    rng = generator("belief", players, seat)
    looked = 0
    for worlds in sorted(sets.values(), key=len, reverse=True)[:: max(1, len(sets) // 12)]:
        if len(worlds) == 1:
            continue
        state, seen = after(worlds[0], cards), Counter[History]()
        mass = squares = 0.0
        for _ in range(2000):
            world, log_weight = state.sample_world(seat, rng)
            assert not exact or log_weight == 0
            weight = math.exp(log_weight)
            seen[bids_of(world, turns)] += weight  # type: ignore[assignment]
            mass, squares = mass + weight, squares + weight * weight
        assert set(seen) <= set(worlds)
        effective = mass * mass / squares
        assert effective > 1000
        frequencies = {bids: n / mass for bids, n in seen.items()}
        assert chi_square_z(frequencies, dict.fromkeys(worlds, 1 / len(worlds)), effective) < LIMIT
        looked += 1
    assert looked > 3


@pytest.mark.parametrize("players", [2, 3, 4])
def test_large_games_have_worlds_at_every_step(players: int) -> None:
    game, rng = engines.load("goofspiel", players=players, hidden=True), generator("large", players)
    for seed in range(5):
        state = game.start(seed=seed)
        while True:
            turn = int(state.fields["turn"])
            for seat in range(PUBLIC, players):
                world, weight = state.sample_world(seat, rng)
                bids = np.array(bids_of(world, turn))
                assert math.isfinite(weight) and (players > 2 or seat == PUBLIC or weight == 0)
                assert all(len(set(row)) == turn for row in bids.tolist())
                assert winners(bids.tolist()) == tuple(int(w) - 2 for w in state.fields["won"][:turn])
            if state.is_over:
                break
            legal = state.legal_actions()
            state.apply(legal[below(rng, len(legal))])
