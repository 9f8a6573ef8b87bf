"""Episodes for tests: random games with made-up policies and values."""

import numpy as np

import engines
from engines.contract import TERMINAL, Game
from engines.rng import key_of
from orion_ai.lanes import Lanes
from orion_ai.replay.episode import Episode, EpisodeBuilder


def play(game: Game, number: int, seed: int = 0) -> Episode:
    """A random game; about half of its decisions count as fully searched."""
    rng = np.random.default_rng(key_of(seed, number))
    lanes, building = Lanes(game, 1), EpisodeBuilder(number)
    lanes.start(0, key_of(seed, "deal", number))
    while lanes.to_play[0] != TERMINAL:
        seat, legal = int(lanes.to_play[0]), lanes.state(0).legal_actions()
        policy = np.zeros(game.num_actions, np.float32)
        policy[legal] = rng.dirichlet(np.ones(len(legal)))
        value = rng.uniform(-1, 1, game.players).astype(np.float32)
        building.add(int(lanes.lengths[0]), seat, value, policy if rng.random() < 0.5 else None)
        lanes.apply(np.zeros(1, np.int64), rng.choice(legal, 1).astype(np.int32))
    return building.finish(lanes.history(0), lanes.returns(0), lanes.scores(0))


def kuhn(players: int = 2) -> Game:
    return engines.load("kuhn_poker", players=players)


def equal(a: Episode, b: Episode) -> bool:
    """Whether two episodes are the same, bit for bit."""
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in a.__dataclass_fields__)
