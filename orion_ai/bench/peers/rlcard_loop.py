"""RLCard (Zha et al. 2020): card games in Python, played by its own loop and its random agent."""

from __future__ import annotations

from functools import partial

from orion_ai.bench.peers import ours
from orion_ai.bench.peers.protocol import Comparison, Work, require

__all__ = ["MODULES", "comparisons"]

MODULES = {"rlcard": "rlcard"}


def _random_play(name: str) -> Work:
    """Whole games by `env.run`; counts decisions."""
    env = require("rlcard").make(name, config={"seed": 1})
    agent = require("rlcard.agents").RandomAgent(num_actions=env.num_actions)
    env.set_agents([agent] * env.num_players)

    def work(repeats: int) -> float:
        before = env.timestep
        for _ in range(repeats):
            env.run(is_training=False)
        return float(env.timestep - before)

    return work


def comparisons() -> list[Comparison]:
    """Leduc poker, against a Python loop of Orion's and against its lanes."""
    work, theirs = "random play with observations", partial(_random_play, "leduc-holdem")
    loop, lanes = partial(ours.python_loop, "leduc_poker", {}), partial(ours.lane_loop, "leduc_poker", {})
    return [
        Comparison("leduc_poker", work, "decisions/s", "Python loop", theirs, loop, by="State"),
        Comparison("leduc_poker", "random play", "decisions/s", "Python loop", theirs, lanes, by="64 lanes"),
    ]
