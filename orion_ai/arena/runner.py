"""A whole match: what is still to play, over processes, into the journal; Ctrl-C or a crash loses at most open blocks.

Each process plays whole runs of blocks by itself, so results depend on the match, not on the number of processes.
"""

from __future__ import annotations

import json
import multiprocessing as mp
import os
import queue
import signal
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from engines.contract import Game
from engines.errors import UsageError
from engines.replay import Replay
from orion_ai.agents import Agent
from orion_ai.arena.entrants import Entrant, make_agents
from orion_ai.arena.journal import Journal
from orion_ai.arena.luck import luck_identity, make_luck
from orion_ai.arena.match import Block, Rules, play_blocks
from orion_ai.arena.result import ArenaResult, summarize
from orion_ai.arena.schedule import Places, Schedule
from orion_ai.arena.sprt import Sprt
from orion_ai.arena.stopping import Sequential
from orion_ai.identity import identity_of, load_game
from orion_ai.ranges import ANY, check_ranges
from orion_ai.runtime import RuntimeConfig
from orion_ai.search.config import SearchConfig

__all__ = ["ArenaConfig", "Budget", "Elsewhere", "Match", "Player", "evaluate", "run_match"]

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
    replays: bool = False
    output: str = ""
    runtime: RuntimeConfig = field(default_factory=RuntimeConfig)

    def __post_init__(self) -> None:
        ranges = {"blocks": (1, 10**7), "lanes": (1, ANY), "processes": (0, ANY), "difference": (1e-6, ANY)}
        check_ranges("", self, {**ranges, "rounds": (0, 1000), "move_seconds": (0, ANY)})
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
    """A match, fully described: what is played (`identity`), and how. Plain data, so it can be sent to a process."""

    game: Mapping[str, Any]
    entrants: tuple[Entrant, ...]
    seed: int
    lanes: int
    keep_history: bool = False
    schedule: str = "round_robin"
    round_blocks: int = 0
    move_seconds: float = 0.0
    luck: str = ""

    def load(self) -> Game:
        """The game, loaded."""
        return load_game(self.game)

    def identity(self, game: Game) -> dict[str, Any]:
        """What must agree for two files to belong to the same match."""
        entrants = [{k: v for k, v in asdict(e).items() if k != "where"} for e in self.entrants]
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
        return Rules(True, self.move_seconds, self.keep_history, make_luck(game, self.luck))

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
    """Play a match in this process, without files: what the training loop calls.

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
        folder: where `blocks.jsonl` lies or is made; with `match.keep_history` games go to `folder/replays`.
        processes: how many play at once; 1 = this one, 0 = one a core.
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
    make_agents(game, match.entrants, lanes=1)
    with Journal(folder / "blocks.jsonl", match.identity(game), match.defaults(game), schedule.places) as journal:
        runs = _Runs(match, game, schedule, processes, elsewhere)
        with runs:
            for block in _Decided(journal, stop).until(runs.blocks(journal)):
                if match.keep_history:
                    _write_replays(game, block, folder / "replays")
                journal.add(block)
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
    """Plays what is left of a match, in this process or in others that stay for all rounds."""

    def __init__(
        self, match: Match, game: Game, schedule: Schedule, processes: int, elsewhere: Elsewhere | None
    ) -> None:
        self.match, self.game, self.schedule, self.elsewhere = match, game, schedule, elsewhere
        self.processes = processes or os.cpu_count() or 1
        self.workers: list[Any] = []
        self.here: Player | None = None

    def __enter__(self) -> _Runs:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        for worker in self.workers:
            worker.terminate()
        for worker in self.workers:
            if worker.pid is not None:
                worker.join()
        if self.workers:
            self.tasks.cancel_join_thread()
            self.answers.cancel_join_thread()

    def blocks(self, journal: Journal) -> Iterator[Block]:
        """Blocks in the order in which they are finished, round by round."""
        schedule = self.schedule
        each = schedule.blocks if schedule.adaptive else schedule.total
        done = {block.number for block in journal.blocks}
        for first in range(0, schedule.total, each):
            places = schedule.places(first, journal.blocks)
            size = max(1, TURNS * self.match.lanes // len(places))
            last = first + each
            every = (range(start, min(start + size, last)) for start in range(first, last, size))
            runs = [left for run in every if (left := [b for b in run if b not in done])]
            if runs:
                yield from self._play(places, runs)

    def _play(self, places: Places, runs: Sequence[Sequence[int]]) -> Iterator[Block]:
        if self.elsewhere is not None:
            yield from self.elsewhere.play(places, runs)
            return
        if not self.workers and min(self.processes, len(runs)) == 1:
            self.here = self.here or Player(self.match, self.game)
            for run in runs:
                yield from self.here.play(places, run)
            return
        if not self.workers:
            self._start(min(self.processes, len(runs)))
        for run in runs:
            self.tasks.put((places, run))
        for _ in range(sum(len(run) for run in runs)):
            yield _next_block(self.answers, self.workers)

    def _start(self, count: int) -> None:
        """Processes are started afresh (spawn): no state is shared."""
        context = mp.get_context("spawn")
        self.tasks: Any = context.Queue()
        self.answers: Any = context.Queue()
        arguments = (self.match.as_text(), self.tasks, self.answers)
        self.workers = [context.Process(target=_work, args=arguments, daemon=True) for _ in range(count)]
        for worker in self.workers:
            worker.start()


class Player:
    """Plays runs of blocks by itself: the agents and rules of a match in one process."""

    def __init__(self, match: Match, game: Game) -> None:
        self.match, self.game = match, game
        self.agents, self.rules = make_agents(game, match.entrants, match.lanes), match.rules(game)

    def play(self, places: Places, run: Sequence[int]) -> Iterator[Block]:
        """The blocks of a run as they are finished."""
        match = self.match
        return play_blocks(self.game, self.agents, run, match.seed, lanes=match.lanes, places=places, rules=self.rules)


def _next_block(answers: Any, workers: Sequence[Any]) -> Block:
    while True:
        codes = [worker.exitcode for worker in workers]  # looked at first: what a process sent before its end is there
        try:
            kind, text = answers.get(timeout=1.0)
        except queue.Empty:
            died = [code for code in codes if code is not None]
            if died:
                raise RuntimeError(
                    f"a process of the arena died (exit code {died[0]}; -9: out of memory?); "
                    "the same command goes on where the match stopped"
                ) from None
            continue
        if kind == "error":
            raise RuntimeError(f"a process of the arena failed:\n{text}")
        return Block.from_data(json.loads(text))


def _work(match_text: str, tasks: Any, answers: Any) -> None:
    """A process of the arena: plays the runs of blocks that it is given until it is ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides and ends us
    answers.cancel_join_thread()
    try:
        match = Match.from_text(match_text)
        player = Player(match, match.load())
        while _parent_lives():
            try:
                places, run = tasks.get(timeout=2.0)
            except queue.Empty:
                continue
            for block in player.play(places, run):
                answers.put(("block", json.dumps(block.as_data(history=True))))
                if not _parent_lives():  # killed without a word: nobody reads on
                    return
    except Exception:
        answers.put(("error", traceback.format_exc()))


def _parent_lives() -> bool:
    parent = mp.parent_process()
    return parent is None or parent.is_alive()


def _write_replays(game: Game, block: Block, folder: Path) -> None:
    """A file a game, named by the block and the game's place in it."""
    for place, record in enumerate(block.games):
        Replay(game, tuple(record.history)).write(folder / f"{block.number:05d}-{place}.jsonl")
