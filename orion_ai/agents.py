"""Agents: what picks actions for a seat. The built-in ones, and a register for one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engines.contract import Game
from engines.errors import UsageError, choose_from
from engines.rng import mix
from orion_ai.lane_kernels import observe_worlds
from orion_ai.search import Evaluator, Search, SearchConfig, SearchReport, make_search
from orion_ai.search.kept import Kept
from orion_ai.search.particles import Belief, ParticleFilter
from orion_ai.search.playout import choose_from_logits, choose_random, choose_scripted

__all__ = [
    "Agent",
    "AgentConfig",
    "Decisions",
    "Follower",
    "FollowingAgent",
    "PolicyAgent",
    "RandomAgent",
    "ScriptedAgent",
    "SearchAgent",
    "Trail",
    "decide_in_game",
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


@dataclass(frozen=True)
class Trail:
    """What a seat has come to know in one game, told to an agent that follows games.

    Attributes:
        game: a number for the game; a driver gives none twice.
        seat: whose trail it is.
        key: names all randomness of following this game in this seat.
        first: number of the first world below in the whole trail, from 0; those before it have been told.
        worlds: uint8[k, record]: for every change of the seat's `info_key` since then a world that the seat could not
            tell from the truth at that time. At the start of a game (after `setup`) everybody knows everything.
    """

    game: int
    seat: int
    key: np.uint64
    first: int
    worlds: NDArray[np.uint8]


@runtime_checkable
class Follower(Agent, Protocol):
    """An agent that may remember within a game. Drivers tell it of each game what its seat comes to know, and when
    the game is over; its answers shall depend on nothing but the trail of the game from the start, what it was asked
    before in this game, the worlds and the keys, so that a match can be repeated and gone on with.
    """

    def decide_after(
        self,
        trails: Sequence[Trail],
        worlds: NDArray[np.uint8],
        seats: NDArray[np.int64],
        keys: NDArray[np.uint64],
    ) -> Decisions:
        """Decide in B positions, each at the end of the trail of the same place.

        After a fault a driver may ask again with the same trails: what is known already is to be skipped. An agent that
        does not know the beginning of a trail (`first` > 0) takes the past for unknown. The rest as `Agent.decide`.
        """
        ...

    def forget(self, games: Sequence[int]) -> None:
        """The games with these numbers are over."""
        ...


def decide_in_game(
    agent: Agent,
    trails: Sequence[Trail] | None,
    worlds: NDArray[np.uint8],
    seats: NDArray[np.int64],
    keys: NDArray[np.uint64],
) -> Decisions:
    """Ask an agent, with the trails if there are any and it follows games."""
    if trails is not None and isinstance(agent, Follower):
        return agent.decide_after(trails, worlds, seats, keys)
    return agent.decide(worlds, seats, keys)


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
        self.name, self._game, self._table = name, game, game.table

    def decide(self, worlds: NDArray[np.uint8], seats: NDArray[np.int64], keys: NDArray[np.uint64]) -> Decisions:
        """See `Agent.decide`."""
        actions = np.zeros(len(worlds), np.int32)
        choose_random(self._table, np.ascontiguousarray(worlds), np.ascontiguousarray(keys, np.uint64), actions)
        return Decisions(actions)

    def policies(self, worlds: NDArray[np.uint8], seats: NDArray[np.int64]) -> NDArray[np.float64]:
        """float64[B, actions]: how it plays, as probabilities."""
        return policies_of(self._game, worlds, np.zeros((len(worlds), self._game.num_actions), np.float32), 1.0)


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
        self.name, self._game, self.network, self._temperature = name, game, evaluator, float(temperature)

    def decide(self, worlds: NDArray[np.uint8], seats: NDArray[np.int64], keys: NDArray[np.uint64]) -> Decisions:
        """See `Agent.decide`."""
        worlds = np.ascontiguousarray(worlds)
        logits = self._logits(worlds, seats)
        actions = np.zeros(len(worlds), np.int32)
        keys = np.ascontiguousarray(keys, np.uint64)
        choose_from_logits(self._game.table, worlds, keys, logits, self._temperature, actions)
        return Decisions(actions)

    def policies(self, worlds: NDArray[np.uint8], seats: NDArray[np.int64]) -> NDArray[np.float64]:
        """float64[B, actions]: how it plays, as probabilities."""
        worlds = np.ascontiguousarray(worlds)
        return policies_of(self._game, worlds, self._logits(worlds, seats), self._temperature)

    def _logits(self, worlds: NDArray[np.uint8], seats: NDArray[np.int64]) -> NDArray[np.float32]:
        observations = np.zeros((len(worlds), self._game.observation_size), np.int16)
        observe_worlds(self._game.table, worlds, np.ascontiguousarray(seats, np.int64), observations)
        return np.ascontiguousarray(self.network.evaluate(observations)[0], np.float32)


def policies_of(
    game: Game, worlds: NDArray[np.uint8], logits: NDArray[np.float32], temperature: float
) -> NDArray[np.float64]:
    """float64[B, actions]: softmax of float32[B, actions] logits / temperature over what is legal in each world.

    At temperature 0 the likeliest legal action has all of it.
    """
    shares = np.zeros((len(worlds), game.num_actions))
    legal = np.zeros(game.max_legal, np.int32)
    for world, row, share in zip(worlds, logits, shares, strict=True):
        ids = legal[: game.kernels.legal(world, legal)]
        found = row[ids].astype(np.float64)
        weights = np.exp((found - found.max()) / temperature) if temperature else np.eye(len(ids))[found.argmax()]
        share[ids] = weights / weights.sum()
    return shares


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


class FollowingAgent(SearchAgent):
    """Decides by a search that remembers within a game: a belief of each seat (`worlds="particles"`), its tree
    (`keep_tree`), or both.
    """

    def __init__(self, search: Search, name: str = "search") -> None:
        if not search.config.remembers:
            raise UsageError("a search without particles and keep_tree has nothing to remember")
        super().__init__(search, name)
        self._filter = search.filter
        self._beliefs: dict[tuple[int, int], Belief] = {}
        self._trees: dict[tuple[int, int], tuple[int, Kept | None, Kept]] = {}

    def decide_after(
        self,
        trails: Sequence[Trail],
        worlds: NDArray[np.uint8],
        seats: NDArray[np.int64],
        keys: NDArray[np.uint64],
    ) -> Decisions:
        """See `Follower.decide_after`; takes any number of positions, as `decide` does."""
        if len(worlds) <= self.search.lanes:
            report = self.search_after(trails, worlds, seats, keys)
            return Decisions(report.action, report)
        parts = [slice(i, i + self.search.lanes) for i in range(0, len(worlds), self.search.lanes)]
        runs = [self.search_after(trails[part], worlds[part], seats[part], keys[part]) for part in parts]
        return Decisions(np.concatenate([run.action for run in runs]))

    def search_after(
        self,
        trails: Sequence[Trail],
        worlds: NDArray[np.uint8],
        seats: NDArray[np.int64],
        keys: NDArray[np.uint64],
        simulations: ArrayLike | None = None,
        noise: ArrayLike | None = None,
    ) -> SearchReport:
        """`Search.run` at the ends of trails, with what is remembered of them."""
        beliefs = kept = None
        if self._filter is not None:
            beliefs = [self._believe(self._filter, *at) for at in zip(trails, worlds, strict=True)]
        if self.search.config.keep_tree:
            kept = [self._tree(trail) for trail in trails]
        report = self.search.run(worlds, seats, keys, simulations, noise, beliefs, kept)
        for lane, (trail, tree) in enumerate(zip(trails, kept or [], strict=False)):
            last = trail.first + len(trail.worlds)
            self._trees[trail.game, trail.seat] = last, tree, self.search.keep(lane)
        return report

    def belief(self, trail: Trail, world: NDArray[np.uint8]) -> Belief | None:
        """What the seat believes at the end of its trail, at the decision that `world` stands at; None without
        particles.
        """
        return None if self._filter is None else self._believe(self._filter, trail, world)

    def _believe(self, made: ParticleFilter, trail: Trail, world: NDArray[np.uint8]) -> Belief:
        place = trail.game, trail.seat
        belief, last = self._beliefs.get(place), trail.first + len(trail.worlds)
        if belief is None or not trail.first <= belief.told <= last:
            if trail.first == 0:
                belief = made.begin(trail.seat, trail.key)
            else:
                belief = made.begin_at(world, trail.seat, trail.key)
                belief.told = last
            self._beliefs[place] = belief
        for known in trail.worlds[belief.told - trail.first :]:
            made.follow(belief, known)
        made.settle(belief, world)
        return belief

    def _tree(self, trail: Trail) -> Kept | None:
        """The tree that the seat had before the decision at the end of its trail (asked for it again, the same).

        Decisions are told apart by how often the seat's key has changed until then. Where keys do not cover the past
        one can come back, which counts as a change, and the tree goes on at the node of that key; should nothing at all
        change between two decisions, both begin with the tree from before them.
        """
        told, before, after = self._trees.get((trail.game, trail.seat), (-1, None, None))
        last = trail.first + len(trail.worlds)
        if told > last:
            return None
        return before if told == last else after

    def forget(self, games: Sequence[int]) -> None:
        """See `Follower.forget`."""
        over = set(games)
        self._beliefs = {place: belief for place, belief in self._beliefs.items() if place[0] not in over}
        self._trees = {place: tree for place, tree in self._trees.items() if place[0] not in over}


Factory = Callable[[Game, AgentConfig, int, Evaluator | None], Agent]
"""Makes an agent for a game: (game, config, lanes, evaluator or None)."""


def _network(config: AgentConfig, evaluator: Evaluator | None) -> Evaluator:
    if evaluator is None:
        name = config.name or config.kind
        raise UsageError(f"agent {name!r} needs a network: name a checkpoint, {{agent: NAME, checkpoint: PATH}}")
    return evaluator


def _searcher(
    game: Game, config: AgentConfig, lanes: int, evaluator: Evaluator | None, opponent: Agent | None = None
) -> Agent:
    search = make_search(game, config.search, evaluator, lanes, opponent)
    name = config.name or config.search.algorithm
    return FollowingAgent(search, name) if search.config.remembers else SearchAgent(search, name)


_FACTORIES: dict[str, Factory] = {
    "random": lambda game, config, lanes, evaluator: RandomAgent(game, config.name or "random"),
    "scripted": lambda game, config, lanes, evaluator: ScriptedAgent(game, config.name or "scripted"),
    "policy": lambda game, config, lanes, evaluator: PolicyAgent(
        game, _network(config, evaluator), config.temperature, config.name or "policy"
    ),
    "search": _searcher,
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


def make_agent(
    game: Game,
    config: AgentConfig,
    lanes: int = 1,
    evaluator: Evaluator | None = None,
    opponent: Agent | None = None,
) -> Agent:
    """An agent ready to decide in up to `lanes` games at once.

    Args:
        game: what it will play.
        config: which agent.
        lanes: positions that it will be asked about at once.
        evaluator: the network, where the kind or its search needs one.
        opponent: who plays the others in the tree of a search with `opponents="agent"`.

    Raises:
        UsageError: an unknown kind, a missing network, or a search that contradicts itself.
    """
    if config.kind == "search":
        return _searcher(game, config, lanes, evaluator, opponent)
    if opponent is not None:
        raise UsageError(f"an opponent is given to an agent of kind {config.kind!r}, which has no tree to ask it in")
    return _FACTORIES[choose_from("kind of agent", config.kind, _FACTORIES)](game, config, lanes, evaluator)
