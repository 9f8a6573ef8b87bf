"""Playing the games of a match: who sits where, many games side by side, blocks out of games.

A block is one deal played in all seatings. Its games share every chance event that they meet at the same point, so
what differs between them is the players.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.contract import TERMINAL, Game, Who
from engines.errors import IllegalAction, UsageError
from engines.rng import key_of, mix
from orion_ai.agents import Agent, Follower
from orion_ai.arena.faults import Fault, Sentence, Tried, Umpire, forfeit
from orion_ai.arena.pulse import Move, Pulse
from orion_ai.lanes import Lanes
from orion_ai.trails import Trails

__all__ = [
    "AgentError",
    "Block",
    "GameRecord",
    "Played",
    "Rules",
    "assembled",
    "games_of",
    "play_blocks",
    "play_games",
    "seatings",
    "traits_of",
]


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
        limits: seconds for a decision by number of the agent, 0 = none; empty = none for anybody.
        keep_history: keep every decision and outcome.
        luck: from a game's history to what chance gave each seat, or None.
    """

    forfeit: bool = False
    limits: Sequence[float] = ()
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

    def move(self, seat: int) -> Move:
        """The decision that `seat` is to make now."""
        return Move(self.block, self.place, seat, sum(self.decisions))


Played = tuple[int, int, GameRecord]
"""A game that is over: its block, its place there, and what came of it."""


def deal_of(seed: int, block: int) -> int:
    """The deal of a block: names all its chance."""
    return key_of(seed, "arena", "deal", block)


def games_of(blocks: Iterable[int], places: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
    """The games of blocks: (block, place) each."""
    return [(block, place) for block in blocks for place in range(len(places))]


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
    games = games_of(blocks, places)
    return assembled(play_games(game, agents, games, seed, places, rules or Rules(), lanes=lanes), len(places))


def play_games(
    game: Game,
    agents: Sequence[Agent],
    games: Sequence[tuple[int, int]],
    seed: int,
    places: Sequence[tuple[int, ...]],
    rules: Rules,
    *,
    lanes: int = 64,
    pulse: Pulse | None = None,
    tried: Tried | None = None,
) -> Iterator[Played]:
    """Play games of a match as `play_blocks` does, and yield each as soon as it is over.

    Args:
        game: the game.
        agents: who plays.
        games: (block, place) each.
        seed: names all deals.
        places: the seatings of a block's games.
        rules: how games are run.
        lanes: games side by side.
        pulse: is told what is asked.
        tried: what came of these games before.

    Raises:
        AgentError: see `play_blocks`.
    """
    return _Match(game, agents, games, seed, lanes, places, rules, pulse, tried or Tried()).play()


def assembled(games: Iterable[Played], count: int) -> Iterator[Block]:
    """Blocks of `count` games, each as soon as its last game has come."""
    open_: dict[int, dict[int, GameRecord]] = {}
    for block, place, record in games:
        found = open_.setdefault(block, {})
        found[place] = record
        if len(found) == count:
            yield Block(block, [record for _, record in sorted(open_.pop(block).items())])


class _Match:
    def __init__(
        self,
        game: Game,
        agents: Sequence[Agent],
        games: Sequence[tuple[int, int]],
        seed: int,
        lanes: int,
        places: Sequence[tuple[int, ...]],
        rules: Rules,
        pulse: Pulse | None,
        tried: Tried,
    ) -> None:
        self.game, self.agents, self.seed, self.rules = game, agents, seed, rules
        self.seatings, self.traits, self.tried = places, traits_of(game), tried
        self.umpire = Umpire(rules.limits, one_by_one=rules.forfeit, pulse=pulse, tried=tried)
        self.waiting = list(games)[::-1]
        self.lanes = Lanes(game, max(1, min(lanes, len(self.waiting))))
        self.follows = [isinstance(agent, Follower) for agent in agents]
        self.trails = Trails(self.lanes)
        self.playing: dict[int, _Playing] = {}

    def play(self) -> Iterator[Played]:
        for lane in range(self.lanes.count):
            yield from self._fill(lane)
        while self.playing:
            moved = self.lanes.running()
            self._decide(self._sentence(moved) if self.tried.lost or self.tried.unmade else moved)
            for lane in moved:
                if self.lanes.to_play[lane] < 0:
                    yield self._finish(int(lane))
                    yield from self._fill(int(lane))

    def _fill(self, lane: int) -> Iterator[Played]:
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
            yield self._finish(lane)

    def _sentence(self, running: NDArray[np.int64]) -> NDArray[np.int64]:
        """End the games that are known to be lost at this decision; returns the lanes that are to be asked about."""
        for lane in map(int, running):
            g, seat = self.playing[lane], int(self.lanes.to_play[lane])
            known, unmade = self.tried.sentence(*g.move(seat)), self.tried.unmade.get(g.seats[seat])
            if unmade is not None:
                known = Sentence(0, 0.0, unmade)
            if known is not None:
                g.decisions[g.seats[seat]] += 1
                g.seconds[g.seats[seat]] += known.seconds
                g.fault = (seat, known.fault)
                self.lanes.to_play[lane] = TERMINAL
        left: NDArray[np.int64] = running[self.lanes.to_play[running] != TERMINAL]
        return left

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
        moves = [g.move(int(seat)) for g, seat in zip(games, seats, strict=True)]
        actions, faults = self.umpire.ask(number, agent, moves, worlds, seats, keys, trails)
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

    def _finish(self, lane: int) -> Played:
        """Record the lane's finished game."""
        g = self.playing.pop(lane)
        self._tell_the_end(lane, g)
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
        return g.block, g.place, record

    def _tell_the_end(self, lane: int, g: _Playing) -> None:
        """Let those who follow the game in a lane forget it."""
        over = self.trails.finish(lane)
        for seat, number in enumerate(g.seats if over else ()):
            agent, move = self.agents[number], g.move(seat)
            if not isinstance(agent, Follower):
                continue
            known = self.tried.sentence(*move)
            fault = known.fault if known else self.umpire.let(number, [move], partial(agent.forget, over))[1]
            if fault is None:
                continue
            if not self.rules.forfeit:
                raise AgentError(f"agent {agent.name!r} {fault.how} ({_where([g])}): {fault.what}")
            g.fault = g.fault or (seat, fault)


def _where(games: Sequence[_Playing]) -> str:
    blocks = sorted({g.block for g in games})
    return f"block {blocks[0]}" if len(blocks) == 1 else f"blocks {blocks[0]} to {blocks[-1]}"
