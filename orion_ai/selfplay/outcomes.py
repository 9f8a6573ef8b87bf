"""Policy targets without a search: what happened after the actions that were drawn from the network's policy.

A step of the policy gradient, written as a target. For an action a that was drawn from the policy p, and the advantage
A of what followed, the target is p + w (e_a - p) with w = step * A, kept within [-1, 1]. The gradient of the
cross-entropy to it, at p itself, is that of REINFORCE with a baseline (Williams 1992) as long as w is not cut off
(beyond that advantages count alike, so that the few decisions on which a game turns do not drown the others); away from
p it leads back to p, so that a step stays small as in mirror descent (Sokota et al. 2023, "A unified approach to
reinforcement learning, quantal response equilibria, and two-player zero-sum games"). Advantages are those of Schulman
et al. 2016, "High-dimensional continuous control using generalized advantage estimation". One game says next to nothing
about one decision, but a network learns from many games at once, and such games cost a fraction of searched ones.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from orion_ai.replay.episode import Episode
from orion_ai.selfplay.kernels import lambda_returns

__all__ = ["returns_of", "taught_by_outcome"]


def returns_of(episode: Episode, trace: float) -> NDArray[np.float32]:
    """float32[K, P]: lambda-returns, what each seat got after each recorded decision (absolute seats).

    Args:
        episode: with the expectations of its decisions in `values`.
        trace: lambda, what remains of the outcome's weight with each recorded decision of the game, whoever's: 1 is
            the outcome alone, 0 the value of the decision that follows.
    """
    found = np.empty_like(episode.values)
    lambda_returns(episode.values, episode.returns, trace, found)
    return found


def taught_by_outcome(episode: Episode, step: float, trace: float) -> Episode:
    """`episode` with targets in the place of the policies that its actions were drawn from, and its lambda-returns in
    the place of what was expected.

    The shares of a target sum to 1; that of an action that went badly may be negative.

    Args:
        episode: a finished game.
        step: w = step * advantage, kept within [-1, 1]; advantages are in utility, which is within [-1, 1] itself.
        trace: see `returns_of`.
    """
    goals = returns_of(episode, trace)
    own = np.arange(episode.samples), episode.seats
    weights = np.clip(step * (goals[own] - episode.values[own]), -1.0, 1.0)
    of = np.repeat(np.arange(episode.samples), np.diff(episode.first))
    played = episode.ids == episode.actions[episode.at][of]
    shares = episode.shares + weights[of] * (played - episode.shares)
    return dataclasses.replace(episode, shares=shares.astype(np.float32), values=goals)
