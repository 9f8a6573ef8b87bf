# mypy: ignore-errors
"""Loops around a game's kernels, compiled once for all games: random play, and each kernel by itself."""

from typing import Any

import numpy as np

from engines import contract as c
from engines.kernel import lean_kernel
from engines.rng import below, mix
from orion_ai.search.playout import play_chance


@lean_kernel
def draw(table, state, rng, outcomes, weights):
    """A legal action at random (outcomes by their weights), drawn with integers only; -1 at the end."""
    n = c.call_legal(table[c.T_LEGAL], (state, outcomes))
    if n == 0:
        return -1
    if c.call_to_play(table[c.T_TO_PLAY], (state,)) != c.CHANCE:
        return np.int64(outcomes[below(rng, n)])
    c.call_weights(table[c.T_WEIGHTS], (state, weights))
    total = 0
    for i in range(n):
        total += weights[i]
    mark = below(rng, total)
    for i in range(n):
        mark -= weights[i]
        if mark < 0:
            return np.int64(outcomes[i])
    return -1


@lean_kernel
def random_games(
    table: Any, options: Any, games: int, rng: Any, state: Any, outcomes: Any, weights: Any
) -> tuple[int, int]:
    """Play whole random games; returns (decisions, steps)."""
    decisions, steps = 0, 0
    for _ in range(games):
        c.call_setup(table[c.T_SETUP], (state, options))
        while True:
            seat = c.call_to_play(table[c.T_TO_PLAY], (state,))
            if seat == c.TERMINAL:
                break
            c.call_apply(table[c.T_APPLY], (state, draw(table, state, rng, outcomes, weights)))
            decisions += 1 if seat >= 0 else 0
            steps += 1
    return decisions, steps


@lean_kernel
def sample_decisions(
    table: Any, options: Any, rng: Any, every: int, states: Any, outcomes: Any, weights: Any, state: Any
) -> None:
    """Fill `states` with positions before decisions of random games, about one in `every`."""
    found = 0
    while found < states.shape[0]:
        c.call_setup(table[c.T_SETUP], (state, options))
        while found < states.shape[0]:
            seat = c.call_to_play(table[c.T_TO_PLAY], (state,))
            if seat == c.TERMINAL:
                break
            if seat >= 0 and below(rng, every) == 0:
                for j in range(state.shape[0]):
                    states[found, j] = state[j]
                found += 1
            c.call_apply(table[c.T_APPLY], (state, draw(table, state, rng, outcomes, weights)))


@lean_kernel
def hash_bytes(key, data):
    """`key` mixed with every byte of `data`, eight at a time."""
    word = np.uint64(0)
    for i in range(data.shape[0]):
        word = (word << np.uint64(8)) | np.uint64(data[i])
        if i % 8 == 7:
            key = mix(key, word)
            word = np.uint64(0)
    return mix(key, word)


@lean_kernel
def play_hash(
    table: Any,
    options: Any,
    games: int,
    players: int,
    rng: Any,
    state: Any,
    world: Any,
    observation: Any,
    outcomes: Any,
    weights: Any,
) -> Any:
    """A hash over random games of all that the kernels say: legal ids, keys, observations, worlds, records."""
    key = np.uint64(0)
    for _ in range(games):
        c.call_setup(table[c.T_SETUP], (state, options))
        while True:
            seat = c.call_to_play(table[c.T_TO_PLAY], (state,))
            n = c.call_legal(table[c.T_LEGAL], (state, outcomes))
            key = mix(key, np.uint64(seat + 2))
            for i in range(n):
                key = mix(key, np.uint64(outcomes[i]))
            for p in range(players):
                key = mix(key, c.call_info_key(table[c.T_INFO_KEY], (state, p)))
            if seat >= 0:
                c.call_observe(table[c.T_OBSERVE], (state, seat, observation))
                for i in range(observation.shape[0]):
                    key = mix(key, np.uint64(int(observation[i]) & 0xFFFF))
                for j in range(state.shape[0]):
                    world[j] = state[j]
                c.call_determinize(table[c.T_DETERMINIZE], (world, seat, rng))
                key = hash_bytes(key, world)
            if seat == c.TERMINAL:
                break
            c.call_apply(table[c.T_APPLY], (state, draw(table, state, rng, outcomes, weights)))
        key = hash_bytes(key, state)
    return key


@lean_kernel
def clone_loop(states: Any, buffer: Any, repeats: int) -> int:
    """Copy each state; returns a byte so that nothing is optimised away."""
    seen = 0
    for r in range(repeats):
        for i in range(states.shape[0]):
            for j in range(states.shape[1]):
                buffer[j] = states[i, j]
            seen += buffer[r % states.shape[1]]
    return seen


@lean_kernel
def legal_loop(table: Any, states: Any, outcomes: Any, repeats: int) -> int:
    """List the legal actions of each state."""
    seen = 0
    for _ in range(repeats):
        for i in range(states.shape[0]):
            seen += c.call_legal(table[c.T_LEGAL], (states[i], outcomes))
    return seen


@lean_kernel
def observe_loop(table: Any, states: Any, observation: Any, repeats: int) -> int:
    """Write the mover's observation of each state."""
    seen = 0
    for _ in range(repeats):
        for i in range(states.shape[0]):
            seat = c.call_to_play(table[c.T_TO_PLAY], (states[i],))
            c.call_observe(table[c.T_OBSERVE], (states[i], seat, observation))
            seen += observation[0]
    return seen


@lean_kernel
def info_key_loop(table: Any, states: Any, repeats: int) -> Any:
    """Compute the mover's key of each state."""
    seen = np.uint64(0)
    for _ in range(repeats):
        for i in range(states.shape[0]):
            seat = c.call_to_play(table[c.T_TO_PLAY], (states[i],))
            seen ^= c.call_info_key(table[c.T_INFO_KEY], (states[i], seat))
    return seen


@lean_kernel
def determinize_loop(table: Any, states: Any, buffer: Any, rng: Any, repeats: int) -> float:
    """Copy each state and sample a world for its mover."""
    seen = 0.0
    for _ in range(repeats):
        for i in range(states.shape[0]):
            for j in range(states.shape[1]):
                buffer[j] = states[i, j]
            seat = c.call_to_play(table[c.T_TO_PLAY], (buffer,))
            seen += c.call_determinize(table[c.T_DETERMINIZE], (buffer, seat, rng))
    return seen


@lean_kernel
def rollouts(
    table: Any, root: Any, state: Any, rng: Any, ids: Any, weights: Any, observation: Any, value: Any, games: int
) -> int:
    """Play random games on from `root` to their ends and read the returns; return the decisions.

    With an `observation` of more than no numbers the mover's is written before every decision.
    """
    decisions = 0
    for _ in range(games):
        for i in range(root.shape[0]):
            state[i] = root[i]
        while True:
            seat = c.call_to_play(table[c.T_TO_PLAY], (state,))
            if seat == c.TERMINAL:
                break
            if seat == c.CHANCE:
                play_chance(table, state, ids, weights, rng)
                continue
            if observation.shape[0] > 0:
                c.call_observe(table[c.T_OBSERVE], (state, seat, observation))
            n = c.call_legal(table[c.T_LEGAL], (state, ids))
            c.call_apply(table[c.T_APPLY], (state, np.int64(ids[below(rng, n)])))
            decisions += 1
        c.call_returns(table[c.T_RETURNS], (state, value))
    return decisions
