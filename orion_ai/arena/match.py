"""Playing the games of a match: who sits where, many games side by side, blocks out of games.

A block is one deal played in all seatings. Its games share every chance event that they meet at the same point, so
what differs between them is the players.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game
from engines.errors import IllegalAction, UsageError
from engines.rng import key_of, mix
from orion_ai.agents import Agent, sealed
from orion_ai.lanes import Lanes

__all__ = ["AgentError", "Block", "GameRecord", "play_blocks", "seatings"]


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

    `history` holds every decision and outcome; it is kept only on request.
    """

    seats: tuple[int, ...]
    returns: list[float]
    scores: list[int]
    decisions: list[int]
    seconds: list[float]
    history: list[int] = field(default_factory=list)


@dataclass
class Block:
    """A finished block: its number, and its games in the order of `seatings`."""

    number: int
    games: list[GameRecord]

    def as_data(self, *, history: bool) -> dict[str, Any]:
        """Plain data for JSON, with or without the games' histories."""
        games = [asdict(g) if history else {k: v for k, v in asdict(g).items() if k != "history"} for g in self.games]
        return {"block": self.number, "games": games}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Block:
        """Inverse of `as_data`; KeyError, TypeError or ValueError where it is no such thing."""
        return cls(int(data["block"]), [GameRecord(**{**g, "seats": tuple(g["seats"])}) for g in data["games"]])


@dataclass
class _Playing:
    """A game that is being played in a lane."""

    block: int
    place: int
    key: np.uint64
    seats: tuple[int, ...]
    decisions: list[int]
    seconds: list[float]


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
    keep_history: bool = False,
) -> Iterator[Block]:
    """Play blocks of a match in this process, `lanes` games side by side, and yield each as soon as it is finished.

    Deals, worlds and the agents' keys depend on `seed`, the block and the seating only.

    Raises:
        AgentError: an agent failed or answered illegally.
    """
    return _Match(game, agents, blocks, seed, lanes, keep_history).play()


class _Match:
    def __init__(
        self, game: Game, agents: Sequence[Agent], blocks: Sequence[int], seed: int, lanes: int, keep_history: bool
    ) -> None:
        self.game, self.agents, self.seed, self.keep_history = game, agents, seed, keep_history
        self.seatings = seatings(len(agents), game.players)
        self.waiting = [(block, place) for block in blocks for place in range(len(self.seatings))][::-1]
        self.lanes = Lanes(game, max(1, min(lanes, len(self.waiting))))
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
        try:
            worlds = self.lanes.worlds(mine, seats, keys)
            actions = np.asarray(agent.decide(worlds, seats, sealed(keys)).actions, np.int32)
        except (Exception, SystemExit) as error:
            what = f"{type(error).__name__}: {error}"
            raise AgentError(f"agent {agent.name!r} failed ({_where(games)}): {what}") from error
        each = (time.perf_counter() - started) / len(mine)
        if actions.shape != mine.shape:
            raise AgentError(f"agent {agent.name!r} gave {actions.shape} actions for {len(mine)} games")
        try:
            self.lanes.apply(mine, actions)
        except IllegalAction as error:
            raise AgentError(f"agent {agent.name!r} answered illegally ({_where(games)}): {error}") from None
        for g in games:
            g.decisions[number] += 1
            g.seconds[number] += each

    def _finish(self, lane: int) -> Iterator[Block]:
        """Record the lane's finished game; yields its block if that was the last one missing."""
        g = self.playing.pop(lane)
        games = self.finished.setdefault(g.block, {})
        games[g.place] = GameRecord(
            g.seats,
            self.lanes.returns(lane),
            self.lanes.scores(lane),
            g.decisions,
            g.seconds,
            self.lanes.history(lane) if self.keep_history else [],
        )
        if len(games) == len(self.seatings):
            del self.finished[g.block]
            yield Block(g.block, [games[place] for place in sorted(games)])


def _where(games: Sequence[_Playing]) -> str:
    blocks = sorted({g.block for g in games})
    return f"block {blocks[0]}" if len(blocks) == 1 else f"blocks {blocks[0]} to {blocks[-1]}"
