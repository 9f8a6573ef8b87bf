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
from typing import Any

from engines.contract import Game
from engines.errors import UsageError
from engines.replay import Replay
from orion_ai.agents import Agent
from orion_ai.arena.entrants import Entrant, make_agents
from orion_ai.arena.journal import Journal
from orion_ai.arena.match import AgentError, Block, play_blocks, seatings
from orion_ai.arena.result import ArenaResult, summarize
from orion_ai.identity import identity_of, load_game
from orion_ai.ranges import ABOVE_ZERO, ANY, check_ranges

__all__ = ["ArenaConfig", "Budget", "Match", "evaluate", "run_match"]

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
    blocks: int = 100
    seed: int = 1
    budget: Budget = field(default_factory=Budget)
    difference: float = 0.05
    lanes: int = 64
    processes: int = 0
    replays: bool = False
    output: str = ""

    def __post_init__(self) -> None:
        ranges = {"blocks": (1, ANY), "lanes": (1, ANY), "processes": (0, ANY), "difference": (ABOVE_ZERO, ANY)}
        check_ranges("", self, ranges)


@dataclass(frozen=True)
class Match:
    """A match, fully described: what is played (`identity`), and how. Plain data, so it can be sent to a process."""

    game: Mapping[str, Any]
    entrants: tuple[Entrant, ...]
    seed: int
    lanes: int
    keep_history: bool = False

    def load(self) -> Game:
        """The game, loaded."""
        return load_game(self.game)

    def identity(self, game: Game) -> dict[str, Any]:
        """What must agree for two files to belong to the same match."""
        entrants = [{k: v for k, v in asdict(e).items() if k != "where"} for e in self.entrants]
        return {"game": identity_of(game).as_json(), "agents": entrants, "seed": self.seed}

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
) -> list[Block]:
    """Play what is missing of a match and return all its blocks; finished ones are read from `folder`.

    Args:
        match: what to play.
        blocks: how many blocks the match shall have.
        folder: where `blocks.jsonl` lies or is made; with `match.keep_history` games go to `folder/replays`.
        processes: how many play at once; 1 = this one, 0 = one a core.
        on_block: called after each block that was written.

    Raises:
        UsageError: too few agents, or one that does not suit the game; nothing has been written.
        AgentError: an agent failed; blocks finished before are on disk.
        FileError: the folder cannot be written, or holds another match.
    """
    game = match.load()
    places = seatings(len(match.entrants), game.players)
    make_agents(game, match.entrants, lanes=1)
    with Journal(folder / "blocks.jsonl", match.identity(game)) as journal:
        done = {block.number for block in journal.blocks}
        size = max(1, TURNS * match.lanes // len(places))
        every = (range(first, min(first + size, blocks)) for first in range(0, blocks, size))
        runs = [left for run in every if (left := [b for b in run if b not in done])]
        count = min(processes or os.cpu_count() or 1, len(runs))
        playing = _in_processes(match, runs, count) if count > 1 else _here(match, game, runs)
        for block in playing:
            if match.keep_history:
                _write_replays(game, block, folder / "replays")
            journal.add(block)
            on_block(journal, block)
        return [b for b in journal.blocks if b.number < blocks]


def _here(match: Match, game: Game, runs: Sequence[Sequence[int]]) -> Iterator[Block]:
    agents = make_agents(game, match.entrants, match.lanes)
    for run in runs:
        yield from play_blocks(game, agents, run, match.seed, lanes=match.lanes, keep_history=match.keep_history)


def _in_processes(match: Match, runs: Sequence[Sequence[int]], count: int) -> Iterator[Block]:
    """Blocks in the order in which they are finished. Processes are started afresh (spawn): no state is shared."""
    context = mp.get_context("spawn")
    tasks: Any = context.Queue()
    answers: Any = context.Queue()
    for run in [*runs, *[None] * count]:
        tasks.put(run)
    workers = [context.Process(target=_work, args=(match.as_text(), tasks, answers), daemon=True) for _ in range(count)]
    try:
        for worker in workers:
            worker.start()
        left = sum(len(run) for run in runs)
        while left:
            block = _next_block(answers, workers)
            left -= 1
            yield block
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            if worker.pid is not None:
                worker.join()
        tasks.cancel_join_thread()
        answers.cancel_join_thread()


def _next_block(answers: Any, workers: Sequence[Any]) -> Block:
    while True:
        codes = [worker.exitcode for worker in workers]  # looked at first: what a process sent before its end is there
        try:
            kind, text = answers.get(timeout=1.0)
        except queue.Empty:
            died = [code for code in codes if code]
            if died or None not in codes:
                raise RuntimeError(
                    f"a process of the arena died (exit code {died[0] if died else 0}; -9: out of memory?); "
                    "the same command goes on where the match stopped"
                ) from None
            continue
        if kind == "error":
            raise AgentError(text)
        return Block.from_data(json.loads(text))


def _work(match_text: str, tasks: Any, answers: Any) -> None:
    """A process of the arena: plays the runs of blocks that it is given until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides and ends us
    try:
        match = Match.from_text(match_text)
        game = match.load()
        agents = make_agents(game, match.entrants, match.lanes)
        while (run := tasks.get()) is not None:
            for block in play_blocks(game, agents, run, match.seed, lanes=match.lanes, keep_history=match.keep_history):
                answers.put(("block", json.dumps(block.as_data(history=True))))
    except AgentError as error:
        answers.put(("error", str(error)))
    except Exception:
        answers.put(("error", traceback.format_exc()))


def _write_replays(game: Game, block: Block, folder: Path) -> None:
    """A file a game, named by the block and the game's place in it."""
    for place, record in enumerate(block.games):
        Replay(game, tuple(record.history)).write(folder / f"{block.number:05d}-{place}.jsonl")
