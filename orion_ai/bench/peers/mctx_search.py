"""mctx (DeepMind 2022): Gumbel search as a jax function over a batch, here with pgx's Connect Four as the model."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import engines
from engines.contract import Game
from orion_ai.bench.peers import ours
from orion_ai.bench.peers.mlp import MlpEvaluator, make_weights
from orion_ai.bench.peers.protocol import Comparison, Memory, Work, require
from orion_ai.search.config import SearchConfig
from orion_ai.search.search import Search

__all__ = ["MODULES", "comparisons", "memory", "network", "positions", "their_positions"]

MODULES = {"mctx": "mctx", "pgx": "pgx", "jax": "jax"}

ROWS, COLUMNS = 6, 7


def openings(lanes: int) -> list[list[int]]:
    """The stones by which each lane's position is reached: none to five, in fixed columns."""
    return [[(3 * lane + 2 * ply) % COLUMNS for ply in range(lane % 6)] for lane in range(lanes)]


def positions(game: Game, lanes: int) -> NDArray[np.uint8]:
    """uint8[lanes, record], Orion's positions."""
    found = []
    for columns in openings(lanes):
        state = game.start()
        for column in columns:
            state.apply(column)
        found.append(state.record)
    return np.array(found)


def their_positions(env: Any, lanes: int) -> Any:
    """The same positions as a batch of pgx states."""
    jax = require("jax")
    step, states = jax.jit(env.step), []
    for columns in openings(lanes):
        state = jax.jit(env.init)(jax.random.PRNGKey(0))
        for column in columns:
            state = step(state, column)
        states.append(state)
    return jax.tree.map(lambda *parts: jax.numpy.stack(parts), *states)


def network(observations: Any) -> tuple[Any, Any]:
    """Logits and values of pgx's observations, bool[N, 6, 7, 2] with the top row first, by the weights of `mlp`."""
    jax = require("jax")
    w = make_weights()
    planes = w.first.reshape(2, ROWS, COLUMNS, -1)[:, ::-1].transpose(1, 2, 0, 3)
    x = observations.reshape(len(observations), -1).astype(jax.numpy.float32)
    x = jax.nn.relu(x @ planes.reshape(w.first.shape) + w.first_bias)
    x = jax.nn.relu(x @ w.second + w.second_bias)
    y = x @ w.last + w.last_bias
    return y[:, :-1], jax.numpy.tanh(y[:, -1])


def _make_search(lanes: int, simulations: int) -> tuple[Any, Any]:
    """The compiled search (key, state) -> policy output, and its batch of positions."""
    jax, pgx, mctx = require("jax"), require("pgx"), require("mctx")
    env = pgx.make("connect_four")
    step = jax.vmap(env.step)

    def model(_: Any, __: Any, action: Any, state: Any) -> Any:
        mover = state.current_player
        state = step(state, action)
        logits, value = network(state.observation)
        logits = jax.numpy.where(state.legal_action_mask, logits, jax.numpy.finfo(logits.dtype).min)
        output = mctx.RecurrentFnOutput(
            reward=state.rewards[jax.numpy.arange(lanes), mover],
            discount=jax.numpy.where(state.terminated, 0.0, -1.0),
            prior_logits=logits,
            value=jax.numpy.where(state.terminated, 0.0, value),
        )
        return output, state

    @jax.jit  # type: ignore[untyped-decorator]
    def search(key: Any, state: Any) -> Any:
        logits, value = network(state.observation)
        root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state)
        return mctx.gumbel_muzero_policy(
            (), key, root, model, simulations, invalid_actions=~state.legal_action_mask, max_num_considered_actions=16
        )

    return search, their_positions(env, lanes)


def _theirs(lanes: int, simulations: int) -> Work:
    jax = require("jax")
    search, state = _make_search(lanes, simulations)

    @jax.jit  # type: ignore[untyped-decorator]
    def answer(key: Any, state: Any) -> Any:
        output = search(key, state)
        return output.action, output.action_weights

    keys = list(jax.random.split(jax.random.PRNGKey(1), 64))

    def work(repeats: int) -> float:
        for i in range(repeats):
            jax.block_until_ready(answer(keys[i % 64], state))
        return float(repeats * lanes * simulations)

    return work


def _config(simulations: int) -> SearchConfig:
    return SearchConfig(algorithm="gumbel", leaf="network", simulations=simulations)


def _ours(lanes: int, simulations: int) -> Work:
    game = engines.load("connect_four")
    evaluator = MlpEvaluator(make_weights(), lanes)
    return ours.search(game, _config(simulations), evaluator, positions(game, lanes))


def comparisons() -> list[Comparison]:
    """Gumbel search with the same network, for one position and for many."""
    found = []
    for lanes, simulations, goal in ((64, 32, 1.2), (64, 128, 2.0), (1, 32, 2.0)):
        sides = partial(_theirs, lanes, simulations), partial(_ours, lanes, simulations)
        many = "1 lane" if lanes == 1 else f"{lanes} lanes"
        work = f"gumbel with an MLP, {many} x {simulations}"
        found.append(Comparison("connect_four", work, "simulations/s", "with pgx", *sides, by="Search", goal=goal))
    return found


def _their_tree(lanes: int, simulations: int) -> float:
    jax = require("jax")
    search, state = _make_search(lanes, simulations)
    tree = search(jax.random.PRNGKey(1), state).search_tree
    return float(sum(part.nbytes for part in jax.tree.leaves(tree)) / lanes)


def _our_tree(lanes: int, simulations: int) -> float:
    game = engines.load("connect_four")
    evaluator = MlpEvaluator(make_weights(), lanes)
    worlds = positions(game, lanes)

    seats = [game.kernels.to_play(world) for world in worlds]

    def make(simulations: int) -> object:
        search = Search(game, _config(simulations), evaluator, lanes)
        search.run(worlds, seats, np.arange(lanes, dtype=np.uint64))
        return search

    return ours.grown(make, simulations) / lanes


def memory() -> list[Memory]:
    """What the trees of a batch take."""
    sides = partial(_their_tree, 1024, 128), partial(_our_tree, 1024, 128)
    return [Memory("connect_four", "gumbel, 1024 lanes x 128: bytes a lane", "with pgx", *sides)]
