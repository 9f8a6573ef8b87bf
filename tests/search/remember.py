"""Plays games by agents that remember, and prints a digest of what they believed and found, for the parity test."""

from __future__ import annotations

import hashlib
from typing import Any

import engines
from orion_ai.agents import AgentConfig, FollowingAgent, make_agent
from orion_ai.arena.match import play_blocks
from orion_ai.search import HashEvaluator, SearchConfig

POLICIES = {"kuhn_poker": "network", "leduc_poker": "scripted", "phantom_tic_tac_toe": "uniform"}


class Watched:
    """An agent, its answers and beliefs hashed."""

    name = "watched"

    def __init__(self, agent: FollowingAgent) -> None:
        self.agent, self.hash = agent, hashlib.sha256()
        self.decide, self.forget = agent.decide, agent.forget

    def decide_after(self, trails: Any, worlds: Any, seats: Any, keys: Any) -> Any:
        decided = self.agent.decide_after(trails, worlds, seats, keys)
        assert decided.report is not None
        for numbers in (decided.report.q, decided.report.visits, decided.report.effective):
            self.hash.update(numbers.tobytes())
        for trail, world in zip(trails, worlds, strict=True):
            belief = self.agent.belief(trail, world)
            assert belief is not None
            self.hash.update(belief.records.tobytes() + belief.weights.tobytes())
        return decided


def digest(name: str) -> str:
    """Of one block of a game."""
    game = engines.load(name)
    search = SearchConfig(
        worlds="particles", particle_policy=POLICIES[name], particles=10, simulations=12, keep_tree=True
    )
    agent = make_agent(game, AgentConfig(search=search), 2, HashEvaluator(game))
    assert isinstance(agent, FollowingAgent)
    watched = Watched(agent)
    list(play_blocks(game, [watched, make_agent(game, AgentConfig(kind="random"))], range(1), 3, lanes=2))
    return watched.hash.hexdigest()


if __name__ == "__main__":
    print(*map(digest, POLICIES))
