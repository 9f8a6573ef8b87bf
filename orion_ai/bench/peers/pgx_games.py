"""pgx (Koyamada et al. 2023): games as jax functions over batches; a step makes the observation and the next game."""

from __future__ import annotations

from functools import partial
from typing import Any

from orion_ai.bench.peers import ours
from orion_ai.bench.peers.protocol import Comparison, Work, require

__all__ = ["MODULES", "comparisons"]

MODULES = {"pgx": "pgx", "jax": "jax"}

STEPS = 64
"""Steps of every lane in one call."""
GAMES = {
    "connect_four": "connect_four",
    "tic_tac_toe": "tic_tac_toe",
    "kuhn_poker": "kuhn_poker",
    "leduc_poker": "leduc_holdem",
    "backgammon": "backgammon",
}


def _random_play(name: str, batch: int) -> Work:
    """Steps of `batch` games side by side inside one compiled loop, a new game wherever one ends; counts steps."""
    jax, pgx = require("jax"), require("pgx")
    auto_reset = require("pgx.experimental.wrappers").auto_reset
    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    def one(carry: Any, _: Any) -> Any:
        state, key = carry
        key, choosing, stepping = jax.random.split(key, 3)
        logits = jax.numpy.log(state.legal_action_mask.astype(jax.numpy.float32))
        action = jax.random.categorical(choosing, logits, axis=1)
        state = step(state, action, jax.random.split(stepping, batch))
        return (state, key), None

    @jax.jit  # type: ignore[untyped-decorator]
    def many(state: Any, key: Any) -> Any:
        return jax.lax.scan(one, (state, key), None, STEPS)[0]

    key = jax.random.PRNGKey(1)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, batch))

    def work(repeats: int) -> float:
        nonlocal state, key
        for _ in range(repeats):
            state, key = many(state, key)
        jax.block_until_ready(state)
        return float(repeats * batch * STEPS)

    return work


def comparisons() -> list[Comparison]:
    """Random play by batch size; Orion's side with and without the observation that pgx always makes."""
    found = []
    for name, batch, goal in (
        ("connect_four", 1024, 1.5),
        ("connect_four", 64, None),
        ("tic_tac_toe", 1024, None),
        ("kuhn_poker", 1024, None),
        ("leduc_poker", 1024, None),
        ("backgammon", 64, None),
    ):
        for observe in (False, True) if goal else (True,):
            sides = (
                partial(_random_play, GAMES[name], batch),
                partial(ours.rollouts, name, {}, observe=observe, unit="decisions"),
            )
            work = "random play with observations" if observe else "random play"
            found.append(Comparison(name, work, "decisions/s", f"batch {batch}", *sides, goal=goal))
    return found
