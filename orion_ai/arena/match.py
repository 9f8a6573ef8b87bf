"""Playing the games of a match: who sits where, many games side by side, blocks out of games.

A block is one deal played in all seatings. Its games share every chance event that they meet at the same point, so
what differs between them is the players.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.contract import TERMINAL, Game, Who
from engines.errors import IllegalAction, UsageError
from engines.rng import key_of, mix
from orion_ai.agents import Agent, Follower
from orion_ai.arena.faults import Fault, answers, forfeit
from orion_ai.lanes import Lanes
from orion_ai.trails import Trails

__all__ = ["AgentError", "Block", "GameRecord", "Rules", "play_blocks", "seatings", "traits_of"]


class AgentError(RuntimeError):
    """An agent that failed, or answered with an action that is not legal; names the agent, the game and the cause."""


def seatings(agents: int, players: int) -> list[tuple[int, ...]]:
    """Who sits where in the games of a block: one tuple of agent numbers (a seat each) a game.

    As many agents as seats: the cyclic rotations. Fewer: they sit in turn (A B A, A B A B), in all distinct rotations
    starting from each of them, so two agents in three seats play six games: one A among B's and one B among A's. More:
    the same for every choice of that many agents. So each agent sits in each seat equally often.
    """
    if agents < 2:
        raise UsageError("a match needs at least two agents")
    found: dict[tuple[int, ...], None] = {}
    for chosen in itertools.combinations(range(agents), min(agents, players)):
        for first in range(len(chosen)):
            pattern = [chosen[(first + i) % len(chosen)] for i in range(players)]
            for turn in range(players):
                found[tuple(pattern[turn:] + pattern[:turn])] = None
    return list(found)


@dataclass
class GameRecord:
    """A finished game: seat by seat who sat there and what came out; agent by agent how long they thought.

    `history` holds every decision and outcome; it is kept only on request. `traits` says of each public field that
    labels seats (a faction) which number each seat had at the end. `luck` is what chance gave each seat, in utility,
    where that was asked for. `fault` is the seat that lost the game by a fault of its agent, and which.
    """

    seats: tuple[int, ...]
    returns: list[float]
    scores: list[int]
    decisions: list[int]
    seconds: list[float]
    history: list[int] = field(default_factory=list)
    traits: dict[str, list[int]] = field(default_factory=dict)
    luck: list[float] = field(default_factory=list)
    fault: tuple[int, str] | None = None

    def as_data(self, *, history: bool) -> dict[str, Any]:
        """Plain data for JSON; the last four fields only where there is something to say."""
        absent = {key for key in ("history", "traits", "luck", "fault") if not getattr(self, key)}
        return {k: v for k, v in asdict(self).items() if k not in absent and (history or k != "history")}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> GameRecord:
        """Inverse of `as_data`."""
        fault = data.get("fault")
        read = None if fault is None else (int(fault[0]), str(fault[1]))
        return cls(**{**data, "seats": tuple(data["seats"]), "fault": read})


@dataclass
class Block:
    """A finished block: its number, and its games in the order of `seatings`."""

    number: int
    games: list[GameRecord]

    def as_data(self, *, history: bool) -> dict[str, Any]:
        """Plain data for JSON, with or without the games' histories."""
        return {"block": self.number, "games": [g.as_data(history=history) for g in self.games]}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Block:
        """Inverse of `as_data`; KeyError, TypeError or ValueError where it is no such thing."""
        return cls(data["block"], [GameRecord.from_data(g) for g in data["games"]])


@dataclass(frozen=True)
class Rules:
    """How games are run.

    Attributes:
        forfeit: an agent that fails loses its game; else the match ends with AgentError.
        seconds: the limit for a decision; 0 = none.
        keep_history: keep every decision and outcome.
        luck: from a game's history to what chance gave each seat, or None.
    """

    forfeit: bool = False
    seconds: float = 0.0
    keep_history: bool = False
    luck: Callable[[Sequence[int]], list[float]] | None = None


def traits_of(game: Game) -> tuple[str, ...]:
    """The public fields that give each seat one label (a faction, a role)."""
    fields = game.fields.items()
    return tuple(n for n, f in fields if f.who is Who.ALL and f.axes == ("seat",) and f.values in game.labels)


@dataclass
class _Playing:
    """A game that is being played in a lane."""

    block: int
    place: int
    key: np.uint64
    seats: tuple[int, ...]
    decisions: list[int]
    seconds: list[float]
    fault: tuple[int, Fault] | None = None


def deal_of(seed: int, block: int) -> int:
    """The deal of a block: names all its chance."""
    return key_of(seed, "arena", "deal", block)


def play_blocks(
    game: Game,
    agents: Sequence[Agent],
    blocks: Sequence[int],
    seed: int,
    *,
    lanes: int = 64,
    places: Sequence[tuple[int, ...]] | None = None,
    rules: Rules | None = None,
) -> Iterator[Block]:
    """Play blocks of a match in this process, `lanes` games side by side, and yield each as soon as it is finished.

    Deals, worlds and the agents' keys depend on `seed`, the block and the seating's place only.

    Args:
        game: the game.
        agents: who plays.
        blocks: numbers of the blocks.
        seed: names all deals.
        lanes: games side by side.
        places: the seatings of a block's games; by default those of `seatings`.
        rules: how games are run.

    Raises:
        AgentError: an agent failed or answered illegally, and the rules know no forfeit.
    """
    places = seatings(len(agents), game.players) if places is None else places
    return _Match(game, agents, blocks, seed, lanes, places, rules or Rules()).play()


class _Match:
    def __init__(
        self,
        game: Game,
        agents: Sequence[Agent],
        blocks: Sequence[int],
        seed: int,
        lanes: int,
        places: Sequence[tuple[int, ...]],
        rules: Rules,
    ) -> None:
        self.game, self.agents, self.seed, self.rules = game, agents, seed, rules
        self.seatings, self.traits = places, traits_of(game)
        self.waiting = [(block, place) for block in blocks for place in range(len(self.seatings))][::-1]
        self.lanes = Lanes(game, max(1, min(lanes, len(self.waiting))))
        self.follows = [isinstance(agent, Follower) for agent in agents]
        self.trails = Trails(self.lanes)
        self.playing: dict[int, _Playing] = {}
        self.finished: dict[int, dict[int, GameRecord]] = {}

    def play(self) -> Iterator[Block]:
        for lane in range(self.lanes.count):
            yield from self._fill(lane)
        while self.playing:
            moved = self.lanes.running()
            self._decide(moved)
            for lane in moved:
                if self.lanes.to_play[lane] < 0:
                    yield from self._finish(int(lane))
                    yield from self._fill(int(lane))

    def _fill(self, lane: int) -> Iterator[Block]:
        """Start the next game that waits; a game without any choice is over at once."""
        while self.waiting:
            block, place = self.waiting.pop()
            count = len(self.agents)
            key = np.uint64(key_of(self.seed, "arena", "agents", block, place))
            self.playing[lane] = _Playing(block, place, key, self.seatings[place], [0] * count, [0.0] * count)
            self.lanes.start(lane, deal_of(self.seed, block))
            followed = [seat for seat, agent in enumerate(self.seatings[place]) if self.follows[agent]]
            self.trails.start(lane, {seat: mix(key, np.uint64(2 * seat + 1)) for seat in followed})
            if self.lanes.to_play[lane] >= 0:
                return
            yield from self._finish(lane)

    def _decide(self, running: NDArray[np.int64]) -> None:
        """Ask each agent once for all its seats, then apply what they answered."""
        seats = self.lanes.to_play[running]
        owner = np.array([self.playing[int(b)].seats[s] for b, s in zip(running, seats, strict=True)])
        for number, agent in enumerate(self.agents):
            mine = running[owner == number]
            if len(mine):
                self._ask(number, agent, mine, seats[owner == number])

    def _ask(self, number: int, agent: Agent, mine: NDArray[np.int64], seats: NDArray[np.int64]) -> None:
        games = [self.playing[int(b)] for b in mine]
        keys = np.array([mix(g.key, np.uint64(2 * sum(g.decisions))) for g in games], np.uint64)
        started = time.perf_counter()
        worlds = self.lanes.worlds(mine, seats, keys)
        trails = self.trails.take(mine, seats) if self.follows[number] else None
        actions, faults = answers(
            agent, worlds, seats, keys, self.rules.seconds, one_by_one=self.rules.forfeit, trails=trails
        )
        each = (time.perf_counter() - started) / len(mine)
        faults |= self._apply(mine, actions, np.array([i not in faults for i in range(len(mine))]))
        for i, g in enumerate(games):
            g.decisions[number] += 1
            g.seconds[number] += each
            if i in faults:
                g.fault = (int(seats[i]), faults[i])
                self.lanes.to_play[mine[i]] = TERMINAL
        if faults and not self.rules.forfeit:
            where, fault = _where([games[i] for i in faults]), next(iter(faults.values()))
            raise AgentError(f"agent {agent.name!r} {fault.how} ({where}): {fault.what}")

    def _apply(
        self, mine: NDArray[np.int64], actions: NDArray[np.int32], usable: NDArray[np.bool_]
    ) -> dict[int, Fault]:
        """Apply what was answered; returns who answered illegally."""
        illegal: dict[int, Fault] = {}
        left = np.flatnonzero(usable)
        while len(left):
            before = self.lanes.lengths[mine[left]].copy()
            try:
                self.lanes.apply(mine[left], actions[left])
                break
            except IllegalAction as error:  # those before the culprit have moved on
                bad = int(np.flatnonzero(self.lanes.lengths[mine[left]] == before)[0])
                illegal[int(left[bad])] = Fault("answered illegally", str(error).partition(": ")[2])
                left = left[bad + 1 :]
        return illegal

    def _finish(self, lane: int) -> Iterator[Block]:
        """Record the lane's finished game; yields its block if that was the last one missing."""
        g = self.playing.pop(lane)
        self._tell_the_end(lane, g)
        games = self.finished.setdefault(g.block, {})
        history = self.lanes.history(lane) if self.rules.keep_history or self.rules.luck else []
        record = GameRecord(g.seats, self.lanes.returns(lane), self.lanes.scores(lane), g.decisions, g.seconds)
        if self.traits:
            end, seats = self.lanes.states[lane].view(self.game.dtype)[0], self.game.players
            record.traits = {name: [int(x) for x in end[name][:seats]] for name in self.traits}
        if g.fault:
            record.returns, record.scores = forfeit(g.fault[0], record.scores)
            record.fault = (g.fault[0], str(g.fault[1]))
        if self.rules.luck:
            record.luck = self.rules.luck(history)
        record.history = history if self.rules.keep_history else []
        games[g.place] = record
        if len(games) == len(self.seatings):
            del self.finished[g.block]
            yield Block(g.block, [games[place] for place in sorted(games)])

    def _tell_the_end(self, lane: int, g: _Playing) -> None:
        """Let those who follow the game in a lane forget it."""
        over = self.trails.finish(lane)
        for seat, number in enumerate(g.seats if over else ()):
            agent = self.agents[number]
            try:
                if isinstance(agent, Follower):
                    agent.forget(over)
            except Exception as error:
                fault = Fault("failed", f"{type(error).__name__}: {error}")
                if not self.rules.forfeit:
                    raise AgentError(f"agent {agent.name!r} {fault.how} ({_where([g])}): {fault.what}") from error
                g.fault = g.fault or (seat, fault)


def _where(games: Sequence[_Playing]) -> str:
    blocks = sorted({g.block for g in games})
    return f"block {blocks[0]}" if len(blocks) == 1 else f"blocks {blocks[0]} to {blocks[-1]}"
