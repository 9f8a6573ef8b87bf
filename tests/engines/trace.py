"""One digest of everything that the kernels of a game say along seeded random games: run with and without the JIT.

python -m tests.engines.trace NAME PLAYERS GAMES STEPS
"""

from __future__ import annotations

import hashlib
import sys

import numpy as np

from engines.contract import CHANCE, PUBLIC, Game
from engines.rng import Dealer, below, generator
from engines.state import State
from tests.engines.games import make


def trace(game: Game, games: int, steps: int) -> str:
    """Sha256 of all records, ids, utilities, observations, keys and worlds of `games` games of `steps` steps."""
    digest = hashlib.sha256()
    for seed in range(games):
        state, dealer, rng = State.start(game), Dealer(seed, game.num_streams), generator("trace", seed)
        for ply in range(steps + 1):
            digest.update(state.record.tobytes())
            digest.update(np.array([state.to_play, *state.legal_actions()], np.int64).tobytes())
            digest.update(np.array(state.returns(), np.float32).tobytes())
            for seat in range(PUBLIC, game.players):
                digest.update(state.info_key(seat).to_bytes(8, "little"))
                world, weight = state.sample_world(seat, generator("world", seed, ply))
                digest.update(world.record.tobytes() + np.float64(weight).tobytes())
                if seat >= 0:
                    digest.update(state.observe(seat).tobytes())
            if state.is_over:
                break
            if state.to_play == CHANCE:
                stream, odds = state.chance()
                outcomes, weights = np.array([o for o, _ in odds], np.int32), np.array([w for _, w in odds], np.int64)
                action = dealer.choose(stream, outcomes, weights)
            else:
                action = state.legal_actions()[below(rng, len(state.legal_actions()))]
            state.apply(action)
            if game.kernels.scripted is not None and state.to_play >= 0:
                choice = int(game.kernels.scripted(state.record, generator("scripted", ply)))
                digest.update(choice.to_bytes(4, "little"))
    return digest.hexdigest()


if __name__ == "__main__":
    name, players, games, steps = sys.argv[1], *map(int, sys.argv[2:])
    print(trace(make(name, players), games, steps))
