"""How any agent plays everywhere: asked in every information state of a game, as a policy that can be measured."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game
from engines.errors import UsageError, choose_from
from engines.rng import key_of, mix
from orion_ai.agents import Agent, Follower, RandomAgent, Trail, decide_in_game, sealed
from orion_ai.lane_kernels import worlds_of
from orion_ai.solve.tree import Tree
from orion_ai.solve.walk import Watcher, unwatched
from orion_ai.trails import new_number, trail_of

__all__ = ["ANSWERS", "answers", "legal_share", "question", "tabulate"]

_TRAIL = np.uint64(0x747261696C)
ANSWERS = ("policy", "action")
"""What counts as an agent's answer: the policy that its search reports, or the action that it plays."""


def tabulate(
    tree: Tree,
    agent: Agent,
    *,
    seed: int = 1,
    lanes: int = 64,
    answer: str = "policy",
    draws: int = 1,
    watch: Watcher = unwatched,
) -> NDArray[np.float64]:
    """The agent's policy: float64[slots].

    In every information state with a choice the agent gets a world that the mover cannot tell from the true history,
    as in a match; one that follows games is told how the game went and asked at the seat's earlier decisions first
    (with perfect recall they are the same in all histories of the state). A searching agent answers with its report's
    policy (shares of visits, or the improved policy), one search a state. What has no report, or is asked for its
    `action`, is asked `draws` times with different keys, and the frequencies count; an agent with a method
    `policies(worlds, seats) -> float64[B, actions]` is asked for that instead. The random agent's policy is known.

    Args:
        tree: the game.
        agent: who is asked.
        seed: names the worlds and the agent's randomness.
        lanes: positions that it is asked about at once; no more than it was made for.
        answer: one of `ANSWERS`.
        draws: how often it is asked in each information state; the answers are averaged.
        watch: told how many questions have been asked.

    Raises:
        UsageError: an unknown answer, or fewer than one draw.
        RuntimeError: the agent chose an illegal action, or its policy lies outside of the legal ones.
    """
    choose_from("answer", answer, ANSWERS)
    if draws < 1:
        raise UsageError(f"draws is {draws}: expected at least 1")
    if isinstance(agent, RandomAgent):
        return tree.uniform()
    asked = np.repeat(np.flatnonzero(tree.widths > 1), draws)
    weights = np.where(np.repeat(tree.widths == 1, tree.widths), 1.0, 0.0)
    counter = np.tile(np.arange(draws), len(asked) // draws)
    keys = np.array(
        [question(seed, tree.key[s], int(tree.seat[s]), int(n)) for s, n in zip(asked, counter, strict=True)],
        np.uint64,
    )
    for start in range(0, len(asked), lanes):
        watch(f"question {start:,} of {len(asked):,}")
        states, part = asked[start : start + lanes], keys[start : start + lanes]
        histories = [tree.history(int(tree.node[state])) for state in states]
        records = np.stack([tree.example(int(state)).record for state in states])
        rows = answers(tree.game, agent, records, histories, tree.seat[states].astype(np.int64), part, answer)
        for state, row in zip(states, rows, strict=True):
            slots = np.arange(tree.slot[state], tree.slot[state + 1])
            weights[slots] += legal_share(agent, row, tree.slot_action[slots])
    return tree.normalized(weights)


def question(seed: int, key: np.uint64, seat: int, draw: int) -> np.uint64:
    """Names the world and the agent's randomness when it is asked for the `draw`-th time in an information state."""
    base = np.uint64(key_of("tabulate", seed))
    return np.uint64(mix(mix(base, key), mix(np.uint64(seat), np.uint64(draw))))


def answers(
    game: Game,
    agent: Agent,
    records: NDArray[np.uint8],
    histories: Sequence[Sequence[int]],
    seats: NDArray[np.int64],
    keys: NDArray[np.uint64],
    answer: str,
) -> NDArray[np.float64]:
    """How an agent would play in B positions: float64[B, actions].

    Args:
        game: the game.
        agent: who is asked; it gets worlds, and if it follows games it is led along to each position.
        records: uint8[B, record], the true positions.
        histories: all decisions and outcomes that led to each.
        seats: int64[B], who is to move.
        keys: uint64[B], see `question`.
        answer: one of `ANSWERS`.
    """
    worlds = np.empty_like(records)
    worlds_of(game.table, records, np.arange(len(records)), seats, keys, np.zeros(2, np.uint64), worlds)
    trails = None
    if isinstance(agent, Follower):
        told = zip(histories, seats.tolist(), keys, strict=True)
        trails = [_go_along(game, agent, history, seat, key) for history, seat, key in told]
    shares = _shares(game, agent, trails, worlds, seats, keys, answer)
    if trails is not None and isinstance(agent, Follower):
        agent.forget([trail.game for trail in trails])
    return shares


def legal_share(agent: Agent, row: NDArray[np.float64], legal: NDArray[np.int32]) -> NDArray[np.float64]:
    """An answer over the legal actions alone, in their order.

    Raises:
        RuntimeError: it lies outside of them.
    """
    total = row[legal].sum()
    if not total > 0 or abs(total - row.sum()) > 1e-3:
        raise RuntimeError(f"agent {agent.name!r} would play {row.tolist()}: legal were {legal.tolist()}")
    return np.asarray(row[legal] / total)


def _go_along(game: Game, agent: Follower, history: Sequence[int], seat: int, key: np.uint64) -> Trail:
    """Ask an agent that follows games what it was asked on the way to a position; return the trail there."""
    number = new_number()
    position = game.start()
    for step, action in enumerate(history):
        if position.to_play == seat and len(position.legal_actions()) > 1:
            name = np.array([mix(key, np.uint64(step))], np.uint64)
            world, _ = position.sample_world(seat, np.array([name[0], 0], np.uint64))
            trail = trail_of(game, history[:step], seat, mix(key, _TRAIL), number)
            agent.decide_after([trail], world.record[None], np.array([seat], np.int64), sealed(name))
        position.apply(action)
    return trail_of(game, history, seat, mix(key, _TRAIL), number)


def _shares(
    game: Game,
    agent: Agent,
    trails: list[Trail] | None,
    worlds: NDArray[np.uint8],
    seats: NDArray[np.int64],
    keys: NDArray[np.uint64],
    answer: str,
) -> NDArray[np.float64]:
    """float64[B, actions]: how the agent would play in B positions."""
    known = getattr(agent, "policies", None)
    if answer == "policy" and known is not None:
        return np.asarray(known(worlds, seats), np.float64)
    decisions = decide_in_game(agent, trails, worlds, seats, sealed(keys))
    if answer == "policy" and decisions.report is not None:
        return decisions.report.policy.astype(np.float64)
    played = np.zeros((len(worlds), game.num_actions))
    played[np.arange(len(worlds)), decisions.actions] = 1.0
    return played
