"""A whole match: what is still to play, over processes, into the journal; Ctrl-C or a crash loses at most open blocks.

Each process plays whole runs of blocks by itself, so results depend on the match, not on the number of processes.
"""

from __future__ import annotations

import itertools
import json
import os
import signal
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game
from engines.errors import UsageError
from orion_ai.agents import Agent, Decisions
from orion_ai.arena.entrants import Entrant, make_agents
from orion_ai.arena.faults import Fault
from orion_ai.arena.journal import MATCH_FILE, Journal
from orion_ai.arena.limits import LONGEST_SECONDS, MAKING_SECONDS, Terms, is_foreign, limit_of
from orion_ai.arena.luck import luck_identity, make_luck
from orion_ai.arena.match import Block, Played, Rules, assembled, games_of, play_blocks, play_games, seatings
from orion_ai.arena.pulse import Memory, Pulse
from orion_ai.arena.result import ArenaResult, summarize
from orion_ai.arena.schedule import Places, Schedule
from orion_ai.arena.sprt import Sprt
from orion_ai.arena.stopping import Sequential
from orion_ai.arena.watched import Line, Order, Watched
from orion_ai.attended import die_with_parent
from orion_ai.identity import identity_of, load_game
from orion_ai.ranges import ANY, check_ranges
from orion_ai.runtime import RuntimeConfig
from orion_ai.search.config import SearchConfig

__all__ = [
    "REPLAY_BLOCKS",
    "ArenaConfig",
    "Budget",
    "Elsewhere",
    "Match",
    "Player",
    "Players",
    "evaluate",
    "run_match",
]

REPLAY_BLOCKS = 10_000
"""Blocks whose games are kept if nothing else is said."""
TURNS = 4
"""A run of blocks that one process plays fills its lanes about so many times over."""


@dataclass(frozen=True)
class Budget:
    """What every searching agent may spend on a decision; 0 leaves an agent's own setting. At most one is given."""

    simulations: int = 0
    milliseconds: float = 0.0

    def __post_init__(self) -> None:
        check_ranges("budget", self, {"simulations": (0, ANY), "milliseconds": (0, ANY)})
        if self.simulations and self.milliseconds:
            raise UsageError("budget: give simulations or milliseconds, not both")


@dataclass(frozen=True)
class ArenaConfig:
    """Settings of `orion arena` (its manual page explains them)."""

    game: dict[str, Any] = field(default_factory=dict)
    agents: list[Any] = field(default_factory=list)
    schedule: str = "round_robin"
    blocks: int = 100
    rounds: int = 0
    seed: int = 1
    budget: Budget = field(default_factory=Budget)
    sprt: Sprt = field(default_factory=Sprt)
    until_clear: bool = False
    move_seconds: float = 0.0
    luck: str = ""
    difference: float = 0.05
    lanes: int = 64
    processes: int = 0
    replays: bool = True
    replay_blocks: int = REPLAY_BLOCKS
    output: str = ""
    runtime: RuntimeConfig = field(default_factory=RuntimeConfig)

    def __post_init__(self) -> None:
        ranges = {"blocks": (1, 10**7), "lanes": (1, ANY), "processes": (0, ANY), "difference": (1e-6, ANY)}
        ranges |= {"rounds": (0, 1000), "move_seconds": (0, LONGEST_SECONDS), "replay_blocks": (1, ANY)}
        check_ranges("", self, ranges)
        if not self.replays and self.replay_blocks != REPLAY_BLOCKS:
            raise UsageError(f"replay_blocks is {self.replay_blocks}, but replays=false keeps no games: leave it out")
        two = len(self.agents) == 2
        if not two and (self.sprt or self.until_clear):
            key = "sprt" if self.sprt else "until_clear"
            raise UsageError(f"{key}: a match is stopped early between two agents, not {len(self.agents)}")
        if self.sprt and self.until_clear:
            raise UsageError("sprt and until_clear: a match has one rule for stopping")
        if self.processes and self.runtime.kind != "local":
            raise UsageError(f"processes is {self.processes}, but runtime={self.runtime.kind}: use runtime.workers")


@dataclass(frozen=True)
class Match:
    """A match, fully described: what is played (`identity`), and how. Plain data, so it can be sent to a process.

    With `keep_history` the games of its first `replay_blocks` blocks are kept, step by step.
    """

    game: Mapping[str, Any]
    entrants: tuple[Entrant, ...]
    seed: int
    lanes: int
    keep_history: bool = False
    schedule: str = "round_robin"
    round_blocks: int = 0
    move_seconds: float = 0.0
    luck: str = ""
    replay_blocks: int = REPLAY_BLOCKS

    def load(self) -> Game:
        """The game, loaded."""
        return load_game(self.game)

    def identity(self, game: Game) -> dict[str, Any]:
        """What must agree for two files to belong to the same match."""
        entrants = [{"name": e.name, "settings": e.settings} for e in self.entrants]
        identity = {"game": identity_of(game).as_json(), "agents": entrants, "seed": self.seed}
        if self.schedule != "round_robin":
            identity["schedule"] = self.schedule
        if self.round_blocks:
            identity["round_blocks"] = self.round_blocks
        if self.move_seconds:
            identity["move_seconds"] = self.move_seconds
        if self.luck:
            identity["luck"] = luck_identity(self.luck)
        return identity

    def rules(self, game: Game) -> Rules:
        """How its games are run."""
        return Rules(True, self.limits, self.keep_history, make_luck(game, self.luck))

    @property
    def limits(self) -> tuple[float, ...]:
        """Seconds for a decision, by number of the agent; 0 = none."""
        return tuple(self.move_seconds or limit_of(entrant) for entrant in self.entrants)

    @property
    def terms(self) -> tuple[Terms, ...]:
        """What one who watches an agent has to know of it, by number of the agent."""
        making, entrants = max(MAKING_SECONDS, self.move_seconds), zip(self.entrants, self.limits, strict=True)
        return tuple(
            Terms(entrant.name, limit, foreign, making if foreign else 0.0)
            for entrant, limit in entrants
            for foreign in [is_foreign(entrant)]
        )

    @property
    def is_foreign(self) -> bool:
        """Whether an agent is not Orion's own, so that it may hang or crash."""
        return any(map(is_foreign, self.entrants))

    def defaults(self, game: Game) -> dict[str, Any]:
        """What settings in `identity` are where a file from before they existed says nothing."""
        search = {"settings": {"search": asdict(SearchConfig())}}
        agents = [search if "search" in e.settings else {} for e in self.entrants]
        return {"game": {"options": identity_of(game).defaults}, "agents": agents}

    def as_text(self) -> str:
        """For sending to another process."""
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> Match:
        """Inverse of `as_text`."""
        data = json.loads(text)
        entrants = tuple(Entrant(**e) for e in data.pop("entrants"))
        return cls(entrants=entrants, **data)


def evaluate(
    game: Game, agents: Sequence[Agent], blocks: int, seed: int, *, lanes: int = 64, difference: float = 0.05
) -> ArenaResult:
    """Play a match of agents that are at hand, in this process and without files.

    Args:
        game: the game, loaded.
        agents: two or more; `seatings` says who sits where.
        blocks: deals to play, each in all seatings.
        seed: names all deals; the same seed gives the same deals to other agents.
        lanes: games side by side.
        difference: see `ArenaResult.verdict`.
    """
    played = list(play_blocks(game, agents, range(blocks), seed, lanes=lanes))
    return summarize(game, [a.name for a in agents], played, seed, difference)


def measure(match: Match, game: Game, blocks: int, elsewhere: Elsewhere | None = None) -> ArenaResult:
    """Play a match without files, on this machine or elsewhere: what the training loop calls. The result is the same.

    Args:
        match: what to play; a round robin.
        game: its game, loaded.
        blocks: deals to play, each in all seatings.
        elsewhere: plays instead of this machine.
    """
    places = seatings(len(match.entrants), game.players)
    if elsewhere is None:
        with Players(1) as players:
            played = list(players.play(match, game, places, range(blocks), size=max(blocks, 1)))
    else:
        played = list(elsewhere.play(places, [range(blocks)]))
    return summarize(game, [e.name for e in match.entrants], played, match.seed)


def run_match(
    match: Match,
    blocks: int,
    folder: Path,
    processes: int,
    on_block: Callable[[Journal, Block], None],
    *,
    rounds: int = 0,
    stop: Sequential | None = None,
    elsewhere: Elsewhere | None = None,
) -> list[Block]:
    """Play what is missing of a match and return all its blocks; finished ones are read from `folder`.

    Args:
        match: what to play.
        blocks: how many blocks the match shall have, each of its rounds where it has several.
        folder: where `blocks.jsonl` lies or is made.
        processes: see `Players`.
        on_block: called after each block that was written.
        rounds: see `Schedule`.
        stop: is shown the blocks in the order of their numbers, whatever the order in which they are finished, and ends
            the match once it is decided: then the blocks up to that one are returned.
        elsewhere: plays instead of processes of this machine.

    Raises:
        UsageError: too few agents, or one that does not suit the game; nothing has been written.
        FileError: the folder cannot be written, or holds another match.
    """
    game = match.load()
    schedule = Schedule(match.schedule, len(match.entrants), game.players, blocks, rounds)
    schedule.places(0, [])
    with Players(processes) as players:
        players.prepare(match, game)
        if elsewhere is not None:
            players.end()
        with Journal(folder / MATCH_FILE, match.identity(game), match.defaults(game), schedule.places) as journal:
            runs = _Runs(match, game, schedule, players, elsewhere)
            for block in _Decided(journal, stop).until(runs.blocks(journal)):
                journal.add(block, history=match.keep_history and block.number < match.replay_blocks)
                on_block(journal, block)
            end = stop.blocks if stop and stop.decided else schedule.total
            return [b for b in journal.blocks if b.number < end]


class Elsewhere(Protocol):
    """What plays runs of blocks on other machines."""

    def play(self, places: Places, runs: Sequence[Sequence[int]]) -> Iterator[Block]:
        """The blocks of all these runs as they are finished, each played whole by one `Player`."""


class _Decided:
    """Shows blocks to a rule for stopping in the order of their numbers: those finished early are often short ones."""

    def __init__(self, journal: Journal, stop: Sequential | None) -> None:
        self.stop, self.waiting = stop, {b.number: b for b in journal.blocks}

    def until(self, blocks: Iterator[Block]) -> Iterator[Block]:
        """The blocks, up to the one with which the match is decided."""
        self._show()
        while not (self.stop and self.stop.decided):
            block = next(blocks, None)
            if block is None:
                return
            self.waiting[block.number] = block
            self._show()
            yield block

    def _show(self) -> None:
        while self.stop and not self.stop.decided and self.stop.blocks in self.waiting:
            self.stop.add(self.waiting.pop(self.stop.blocks))


class _Runs:
    """What is left of a match, round by round."""

    def __init__(
        self, match: Match, game: Game, schedule: Schedule, players: Players, elsewhere: Elsewhere | None
    ) -> None:
        self.match, self.game, self.schedule = match, game, schedule
        self.players, self.elsewhere = players, elsewhere

    def blocks(self, journal: Journal) -> Iterator[Block]:
        """Blocks in the order in which they are finished."""
        schedule = self.schedule
        each = schedule.blocks if schedule.adaptive else schedule.total
        done = {block.number for block in journal.blocks}
        for first in range(0, schedule.total, each):
            places = schedule.places(first, journal.blocks)
            left = [b for b in range(first, first + each) if b not in done]
            if self.elsewhere is None:
                yield from self.players.play(self.match, self.game, places, left)
            elif left:
                yield from self.elsewhere.play(places, _in_runs(left, run_length(self.match, places)))


def run_length(match: Match, places: Places) -> int:
    """Blocks that one process plays at a time: as many as fill its lanes a few times over."""
    return max(1, TURNS * match.lanes // len(places))


def _in_runs(blocks: Sequence[int], size: int) -> list[list[int]]:
    return [list(run) for _, run in itertools.groupby(blocks, key=lambda block: block // size)]


class Players:
    """Plays blocks of matches, in this process or in others, which stay for all of them. Use it in a `with` statement.

    What comes out does not depend on how many processes there are. Agents that are not Orion's own never play in this
    one: theirs is watched (see `orion_ai.arena.watched`).
    """

    def __init__(self, processes: int) -> None:
        """`processes`: how many play at once; 0 = one a core. With 1 it is this one, where the agents are Orion's."""
        self._processes = processes or os.cpu_count() or 1
        self._watched = Watched(_work)
        self._here: Player | None = None

    def __enter__(self) -> Players:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.end()

    def end(self) -> None:
        """End the other processes; those that are needed again are started again."""
        self._watched.end()

    def prepare(self, match: Match, game: Game) -> None:
        """Make the agents of a match: what cannot be made is refused before anything is written or played.

        Those of a match with agents that are not Orion's own are made in another process, which then plays. An agent
        that ends it twice is no mistake of the user's: it will lose its games.

        Raises:
            UsageError: an agent that does not suit the game.
            FileError: a checkpoint that does not.
            AgentFailure: an agent's own code fails where it is made, or takes too long there.
        """
        if match.is_foreign:
            for _ in self._watched.play(match.as_text(), [], [[]], match.terms, 1):
                raise AssertionError("a run without games has none that end")
        else:
            make_agents(game, match.entrants, lanes=1)

    def play(
        self, match: Match, game: Game, places: Places, blocks: Sequence[int], *, size: int = 0
    ) -> Iterator[Block]:
        """Play these blocks, ascending, and yield each as soon as it is finished; all, before others are asked for.

        Args:
            match: which match they are of.
            game: its game, loaded.
            places: the seatings of a block's games.
            blocks: their numbers.
            size: blocks that one process plays at a time; 0 = as many as fill its lanes a few times over.
        """
        runs = _in_runs(blocks, size or run_length(match, places))
        if not self._watched and min(self._processes, len(runs)) <= 1 and not match.is_foreign:
            if runs and (self._here is None or self._here.match != match):
                self._here = Player(match, game)
            for run in runs:
                assert self._here is not None
                yield from self._here.play(places, run)
            return
        games = [games_of(run, places) for run in runs]
        played = self._watched.play(match.as_text(), places, games, match.terms, self._processes)
        yield from assembled(played, len(places))


class Player:
    """Plays runs of blocks by itself: the agents and rules of a match in one process."""

    def __init__(
        self, match: Match, game: Game, pulse: Pulse | None = None, unmade: Mapping[int, Fault] = MappingProxyType({})
    ) -> None:
        """Make the agents, but for those that cannot be (see `Tried`); `pulse` is told which is being made."""
        self.match, self.game, self.rules = match, game, match.rules(game)
        self.agents: list[Agent] = []
        for number, entrant in enumerate(match.entrants):
            if number in unmade:
                self.agents.append(_Absent(entrant.name))
                continue
            if pulse is not None:
                pulse.makes(number, match.terms[number].making)
            self.agents += make_agents(game, [entrant], match.lanes)
            if pulse is not None:
                pulse.answered()

    def play(self, places: Places, run: Sequence[int]) -> Iterator[Block]:
        """The blocks of a run as they are finished."""
        match = self.match
        return play_blocks(self.game, self.agents, run, match.seed, lanes=match.lanes, places=places, rules=self.rules)

    def games(self, order: Order, pulse: Pulse) -> Iterator[Played]:
        """The games of an order as they are over."""
        match = self.match
        return play_games(
            self.game,
            self.agents,
            order.games,
            match.seed,
            order.places,
            self.rules,
            lanes=match.lanes,
            pulse=pulse,
            tried=order.tried,
        )


class _Absent:
    """Stands for an agent that cannot be made: it loses before it is asked."""

    def __init__(self, name: str) -> None:
        self.name = name

    def decide(self, worlds: NDArray[np.uint8], seats: NDArray[np.int64], keys: NDArray[np.uint64]) -> Decisions:
        """Never called."""
        raise RuntimeError(f"agent {self.name!r} does not exist")


def _work(pipe: Connection, memory: Memory, parent: int) -> None:
    """A process of the arena: plays the games that it is given until it is ended; see `orion_ai.arena.watched`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides and ends us
    die_with_parent(parent)
    line, pulse = Line(pipe), Pulse(memory)
    player: Player | None = None
    try:
        for order in line.orders():
            match = Match.from_text(order.match)
            if player is None or player.match != match:
                known = player is not None and player.match.game == match.game
                game = player.game if player is not None and known else match.load()
                try:
                    player = Player(match, game, pulse, order.tried.unmade)
                except UsageError as error:
                    return line.refused(error)
            for played in player.games(order, pulse):
                line.played(played)
            line.done()
    except Exception:
        line.failed(traceback.format_exc())
