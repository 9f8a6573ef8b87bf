"""Agents that do not search: what they would do, as a table of the root all the same.

Their choice is drawn many times, each time with other random numbers and in another world of their seat; of a network
its policy and value are asked as well. An agent of somebody else's is asked once only: a decision of it may take long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from engines.contract import Game
from engines.rng import generator, key_of
from engines.state import State
from orion_ai.agents import Agent, PolicyAgent, RandomAgent, ScriptedAgent, sealed

__all__ = ["Unsearched", "draw"]

DRAWS = 200


@dataclass(frozen=True)
class Unsearched:
    """What an agent would do.

    Attributes:
        draws: how often it was asked; 0 = once only.
        shares: action -> share of the draws.
        prior: action -> probability by its network; empty without one.
        value: what its network expects for each seat; empty without one.
    """

    draws: int = 0
    shares: dict[int, float] = field(default_factory=dict)
    prior: dict[int, float] = field(default_factory=dict)
    value: tuple[float, ...] = ()


def draw(game: Game, agent: Agent, state: State, seed: int) -> Unsearched:
    """Ask an agent many times, if it is one of those that answer at once.

    Args:
        game: the game.
        agent: who is asked.
        state: the position as the seat that decides knows it.
        seed: names worlds and keys.
    """
    if not isinstance(agent, RandomAgent | ScriptedAgent | PolicyAgent):
        return Unsearched()
    seat, rng = state.to_play, generator(seed, "explain", "draws")
    counts: dict[int, int] = {}
    for number in range(DRAWS):
        world, _ = state.sample_world(seat, rng)
        keys = sealed(np.array([key_of(seed, "explain", "draw", number)], np.uint64))
        action = int(agent.decide(world.record[None].copy(), np.array([seat], np.int64), keys).actions[0])
        counts[action] = counts.get(action, 0) + 1
    shares = {action: count / DRAWS for action, count in counts.items()}
    if isinstance(agent, PolicyAgent):
        prior, value = _asked(game, agent, state, state.legal_actions())
        return Unsearched(DRAWS, shares, prior, value)
    return Unsearched(DRAWS, shares)


def _asked(
    game: Game, agent: PolicyAgent, state: State, legal: Sequence[int]
) -> tuple[dict[int, float], tuple[float, ...]]:
    """The network's policy over the legal actions, and its values by seat."""
    seat = state.to_play
    seen = np.zeros((1, game.observation_size), np.int16)
    game.kernels.observe(state.record, seat, seen[0])
    logits, values = agent.network.evaluate(seen)
    wanted = np.asarray(logits[0], np.float64)[list(legal)]
    odds = np.exp(wanted - wanted.max())
    own_first = np.roll(np.asarray(values[0], np.float64), seat)
    return dict(zip(legal, (odds / odds.sum()).tolist(), strict=True)), tuple(own_first.tolist())
