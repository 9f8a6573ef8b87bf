"""Every engine at every number of seats, and random games of them."""

from __future__ import annotations

from collections.abc import Iterator

import engines
from engines.contract import Game
from engines.registry import game_type
from engines.rng import below, generator
from engines.state import State


def every(name: str) -> list[Game]:
    """Engine `name` for each number of seats."""
    kind = game_type(name)
    return [engines.load(name, players=players) for players in range(kind.min_players, kind.max_players + 1)]


def states(game: Game, seed: int) -> Iterator[State]:
    """The states of a random game, from the start to the end; the caller may not keep them."""
    rng = generator("tests", "interop", game.name, seed)
    state = State.start(game)
    while True:
        yield state
        legal = state.legal_actions()
        if not legal:
            return
        game.kernels.apply(state.record, legal[below(rng, len(legal))])


def length(game: Game, seed: int = 0) -> int:
    """Steps of a random game."""
    return sum(1 for _ in states(game, seed)) - 1
