"""Agents: what picks actions for a seat. The built-in ones, and a register for one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game
from engines.errors import UsageError, choose_from
from engines.rng import mix
from orion_ai.search import Evaluator, Search, SearchConfig, SearchReport, make_search
from orion_ai.search.playout import choose_from_logits, choose_random, choose_scripted

__all__ = [
    "Agent",
    "AgentConfig",
    "Decisions",
    "PolicyAgent",
    "RandomAgent",
    "ScriptedAgent",
    "SearchAgent",
    "kinds",
    "make_agent",
    "register",
    "sealed",
]


@dataclass(frozen=True)
class Decisions:
    """An agent's answer for B positions."""

    actions: NDArray[np.int32]
    """[B] a legal action id each."""
    report: SearchReport | None = None
    """How a searching agent came to it."""


class Agent(Protocol):
    """Picks actions for seats. It is only ever handed worlds, never the true record."""

    name: str

    def decide(self, worlds: NDArray[np.uint8], seats: NDArray[np.int64], keys: NDArray[np.uint64]) -> Decisions:
        """Decide in B positions at once.

        Args:
            worlds: `uint8[B, record]`, each a state that the seat cannot tell from the true one.
            seats: `int64[B]`, the seat to move in each.
            keys: `uint64[B]`, name all randomness: the same key and world give the same action, in any batch.
        """
        ...


def sealed(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """`uint64[B]` to hand to an agent, made from keys that must not be told: hashes can be inverted, their sum cannot.

    A match names the deals and the agents' randomness from one seed; an agent that could compute the seed from its keys
    would know the deck.
    """
    return np.array([mix(key, np.uint64(1)) ^ mix(key, np.uint64(2)) for key in keys], np.uint64)


@dataclass(frozen=True)
class AgentConfig:
    """An agent, as a value; the network of one that has any is handed to `make_agent` beside it.

    Attributes:
        name: what it is called in reports; the kind by default.
        kind: `random`, `scripted` (the game's hand-written policy), `policy` (the network without a search), `search`,
            or one that was registered.
        search: how a `search` agent searches.
        temperature: of a `policy` agent: 0 takes the likeliest action, 1 draws from the policy.
        options: what else an agent of a kind that was registered may want to know.
    """

    name: str = ""
    kind: str = "search"
    search: SearchConfig = field(default_factory=SearchConfig)
    temperature: float = 0.0
    options: Mapping[str, Any] = field(default_factory=dict)


class RandomAgent:
    """Any legal action, all alike."""

    def __init__(self, game: Game, name: str = "random") -> None:
        self.name, self._table = name, game.table

    def decide(self, worlds: NDArray[np.uint8], seats: NDArray[np.int64], keys: NDArray[np.uint64]) -> Decisions:
        """See `Agent.decide`."""
        actions = np.zeros(len(worlds), np.int32)
        choose_random(self._table, np.ascontiguousarray(worlds), np.ascontiguousarray(keys, np.uint64), actions)
        return Decisions(actions)


class ScriptedAgent:
    """The game's scripted policy."""

    def __init__(self, game: Game, name: str = "scripted") -> None:
        if game.kernels.scripted is None:
            raise UsageError(f"{game.name} has no scripted policy: choose another kind of agent")
        self.name, self._table = name, game.table

    def decide(self, worlds: NDArray[np.uint8], seats: NDArray[np.int64], keys: NDArray[np.uint64]) -> Decisions:
        """See `Agent.decide`."""
        actions = np.zeros(len(worlds), np.int32)
        choose_scripted(self._table, np.array(worlds), np.ascontiguousarray(keys, np.uint64), actions)
        return Decisions(actions)


class PolicyAgent:
    """The network's policy over the legal actions, without a search."""

    def __init__(self, game: Game, evaluator: Evaluator, temperature: float = 0.0, name: str = "policy") -> None:
        if not temperature >= 0:
            raise UsageError(f"temperature is {temperature}: expected 0 or more")
        self.name, self._game, self._evaluator, self._temperature = name, game, evaluator, float(temperature)

    def decide(self, worlds: NDArray[np.uint8], seats: NDArray[np.int64], keys: NDArray[np.uint64]) -> Decisions:
        """See `Agent.decide`."""
        worlds = np.ascontiguousarray(worlds)
        observations = np.zeros((len(worlds), self._game.observation_size), np.int16)
        for world, seat, row in zip(worlds, seats, observations, strict=True):
            self._game.kernels.observe(world, int(seat), row)
        logits = np.ascontiguousarray(self._evaluator.evaluate(observations)[0], np.float32)
        actions = np.zeros(len(worlds), np.int32)
        keys = np.ascontiguousarray(keys, np.uint64)
        choose_from_logits(self._game.table, worlds, keys, logits, self._temperature, actions)
        return Decisions(actions)


class SearchAgent:
    """Decides by a search."""

    def __init__(self, search: Search, name: str = "search") -> None:
        self.name, self.search = name, search

    def decide(self, worlds: NDArray[np.uint8], seats: NDArray[np.int64], keys: NDArray[np.uint64]) -> Decisions:
        """See `Agent.decide`; takes any number of positions, as many at once as the search has lanes."""
        if len(worlds) <= self.search.lanes:
            report = self.search.run(worlds, seats, keys)
            return Decisions(report.action, report)
        parts = [slice(i, i + self.search.lanes) for i in range(0, len(worlds), self.search.lanes)]
        actions = [self.search.run(worlds[part], seats[part], keys[part]).action for part in parts]
        return Decisions(np.concatenate(actions))


Factory = Callable[[Game, AgentConfig, int, Evaluator | None], Agent]
"""Makes an agent for a game: (game, config, lanes, evaluator or None)."""


def _network(config: AgentConfig, evaluator: Evaluator | None) -> Evaluator:
    if evaluator is None:
        raise UsageError(f"agent {config.name or config.kind!r} needs a network: name a checkpoint")
    return evaluator


_FACTORIES: dict[str, Factory] = {
    "random": lambda game, config, lanes, evaluator: RandomAgent(game, config.name or "random"),
    "scripted": lambda game, config, lanes, evaluator: ScriptedAgent(game, config.name or "scripted"),
    "policy": lambda game, config, lanes, evaluator: PolicyAgent(
        game, _network(config, evaluator), config.temperature, config.name or "policy"
    ),
    "search": lambda game, config, lanes, evaluator: SearchAgent(
        make_search(game, config.search, evaluator, lanes), config.name or config.search.algorithm
    ),
}


def kinds() -> list[str]:
    """The kinds of agent that `make_agent` knows."""
    return list(_FACTORIES)


def register(kind: str, factory: Factory) -> None:
    """Make agents of one's own available as `kind`.

    Raises:
        UsageError: the kind is taken.
    """
    if kind in _FACTORIES:
        raise UsageError(f"there already is a kind of agent called {kind!r}: choose another name")
    _FACTORIES[kind] = factory


def make_agent(game: Game, config: AgentConfig, lanes: int = 1, evaluator: Evaluator | None = None) -> Agent:
    """An agent ready to decide in up to `lanes` games at once.

    Args:
        game: what it will play.
        config: which agent.
        lanes: positions that it will be asked about at once.
        evaluator: the network, where the kind or its search needs one.

    Raises:
        UsageError: an unknown kind, a missing network, or a search that contradicts itself.
    """
    return _FACTORIES[choose_from("kind of agent", config.kind, _FACTORIES)](game, config, lanes, evaluator)
