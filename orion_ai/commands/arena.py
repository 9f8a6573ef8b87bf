"""orion arena: compare agents over many games, with intervals.

Usage: orion arena [-m] [GAME] [KEY=VALUE ...]

Plays blocks. A block is one deal played in all seatings, so every agent plays every hand: with as many agents as
seats, all cyclic rotations; with fewer they sit in turn (A B A, then B A B), in all distinct rotations; with more,
every choice of as many agents as seats. The block is the unit of all statistics. Reported for each agent: how often a
seat of it wins, mean utility (0 is par), points ahead of the others, Elo, each with a 95 % interval (bootstrap over
blocks), and seconds a move; then a verdict, and about how many more blocks would resolve a given difference.

Finished blocks are kept in OUTPUT/blocks.jsonl at once. After Ctrl-C or a crash the same command goes on where it
stopped, and a greater `blocks` extends a match. OUTPUT gets report.json, report.md and report.png.

Settings:
  game=NAME, players=N, game.OPTION=VALUE         what is played
  agents=[A,B,...]    two or more. An agent is a name (random, scripted, ismcts, puct, gumbel), a checkpoint (a path, or
                      the name of one that ships with Orion: Gumbel search with that network), a change of one of these
                      {agent: ismcts, search: {c_uct: 1.0}}, or your own {python: "module:callable"}
  blocks=100          how many deals
  seed=1              names the deals
  budget.simulations=N or budget.milliseconds=T   equal budgets: what every search may spend on a decision
  difference=0.05     in mean utility, for the line about blocks needed
  processes=0         0 = one a core; results do not depend on it
  lanes=64            games side by side in a process (1 where time is the budget)
  replays=false       keep every game in OUTPUT/replays
  output=DIR          default runs/arena/<game>-<agents>-<hash of the match>

Examples:
  orion arena agents=[ismcts,random] blocks=200
  orion arena moo_board players=3 agents=[scripted,random]
  orion arena moo_board agents=[runs/mine,scripted] budget.simulations=64 replays=true
  orion arena agents=[{agent: ismcts, search: {worlds: mix}},ismcts] budget.simulations=200
  orion arena -m agents=[ismcts,random] budget.simulations=16,64,256
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from engines.contract import Game
from orion_ai.arena.entrants import resolve
from orion_ai.arena.progress import Watch
from orion_ai.arena.report import table, write_report
from orion_ai.arena.result import ArenaResult, summarize
from orion_ai.arena.runner import ArenaConfig, Match, run_match
from orion_ai.commands.configuration import Request, load_game, read

__all__ = ["run"]

DEFAULT_OUTPUT = Path("runs/arena")


def run(argv: Sequence[str]) -> int:
    """See the module."""
    console = Console(highlight=False)
    verdicts = []
    for request in read("arena", ArenaConfig, argv, sweep=True):
        job = f"job {request.job}: {' '.join(request.overrides)}"
        if request.job is not None:
            console.print(job, markup=False, soft_wrap=True)
        result, folder = _play(request, console)
        console.print(table(result))
        paths = write_report(result, folder)
        console.print(f"written: {', '.join(str(p) for p in paths)}", markup=False, soft_wrap=True)
        verdicts.append(f"{job}\n  {result.verdict()}")
    if len(verdicts) > 1:
        console.print("\n".join(verdicts), markup=False, soft_wrap=True)
    return 0


def _play(request: Request[ArenaConfig], console: Console) -> tuple[ArenaResult, Path]:
    config = request.config
    game = load_game(config.game)
    budget = config.budget
    entrants = resolve(config.agents, simulations=budget.simulations, milliseconds=budget.milliseconds)
    # Time is spent by a whole batch together: where it is the budget, every decision is a batch of its own.
    timed = any(e.settings.get("search", {}).get("milliseconds") for e in entrants)
    match = Match(config.game, entrants, config.seed, 1 if timed else config.lanes, config.replays)
    folder = _folder(request, match, game)
    try:
        with Watch(console, config.blocks) as watch:
            blocks = run_match(match, config.blocks, folder, config.processes, watch)
    except KeyboardInterrupt:
        print(f"orion arena: finished blocks are kept in {folder}; the same command goes on", file=sys.stderr)
        raise
    return summarize(game, [e.name for e in entrants], blocks, config.seed, config.difference), folder


def _folder(request: Request[ArenaConfig], match: Match, game: Game) -> Path:
    """Where the match is kept: as asked, or a place named by what is played, so the same command finds it again."""
    if request.config.output:
        folder = Path(request.config.output)
        return folder if request.job is None else folder / str(request.job)
    identity = json.dumps(match.identity(game), sort_keys=True).encode()
    names = "-".join(re.sub(r"\W+", "_", e.name)[:24] for e in match.entrants)
    return DEFAULT_OUTPUT / f"{game.name}-{names}-{hashlib.sha256(identity).hexdigest()[:8]}"
