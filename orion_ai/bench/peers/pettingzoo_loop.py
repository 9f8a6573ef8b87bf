"""PettingZoo (Terry et al. 2021): games as Python objects, stepped one by one."""

from __future__ import annotations

from functools import partial

import numpy as np

from orion_ai.bench.peers import ours
from orion_ai.bench.peers.protocol import Comparison, Work, require

__all__ = ["MODULES", "comparisons"]

MODULES = {"pettingzoo": "pettingzoo"}


def _random_play(module: str) -> Work:
    """Random games by the usual loop, with the mover's observation at every decision; counts decisions."""
    env = require(module).env()
    rng = np.random.default_rng(1)

    def work(repeats: int) -> float:
        decisions = 0
        for _ in range(repeats):
            env.reset()
            while env.agents:
                observation, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    env.step(None)
                    continue
                legal = np.flatnonzero(observation["action_mask"])
                env.step(int(legal[int(rng.random() * len(legal))]))
                decisions += 1
        return float(decisions)

    return work


def comparisons() -> list[Comparison]:
    """Connect Four, against a Python loop of Orion's and against its lanes."""
    work, theirs = "random play with observations", partial(_random_play, "pettingzoo.classic.connect_four_v3")
    loop, lanes = partial(ours.python_loop, "connect_four", {}), partial(ours.lane_loop, "connect_four", {})
    return [
        Comparison("connect_four", work, "decisions/s", "Python loop", theirs, loop, by="State"),
        Comparison("connect_four", "random play", "decisions/s", "Python loop", theirs, lanes, by="64 lanes"),
    ]
