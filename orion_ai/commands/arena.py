"""orion arena: compare agents over many games, with intervals.

Usage: orion arena [-m] [GAME] [KEY=VALUE ...]

Plays blocks. A block is one deal played in all seatings, so every agent plays every hand: with as many agents as
seats, all cyclic rotations; with fewer they sit in turn (A B A, then B A B), in all distinct rotations; with more,
every choice of as many agents as seats. The block is the unit of all statistics. Reported for each agent: how often a
seat of it wins, mean utility (0 is par), points ahead of the others, Elo, each with a 95 % interval (bootstrap over
blocks), and seconds a move; then a verdict, and about how many more blocks would resolve a given difference.

Finished blocks are kept in OUTPUT/blocks.jsonl at once. After Ctrl-C or a crash the same command goes on where it
stopped, and a greater `blocks` extends a match. OUTPUT gets report.json, report.md, report.html and report.png.

An agent that raises, answers illegally, thinks longer than move_seconds or ends its process loses that game: utility -1
for its seat, the others share 1. It is named in the report, and the match goes on.

Between two agents the score (1/2 + lead in utility / 4; the share of games won, where all is won or lost) is shown with
an interval that holds at all times, so one may look and stop when it pleases. `sprt` stops the match by a sequential
test of two hypotheses, `until_clear=true` as soon as that interval excludes par; `blocks` is then the most to play.

Settings:
  game=NAME, players=N, game.OPTION=VALUE         what is played
  agents=[A,B,...]    two or more. An agent is a name (random, scripted, ismcts, puct, gumbel), a checkpoint (a path, or
                      the name of one that ships with Orion: Gumbel search with that network), a change of one of these
                      {agent: ismcts, search: {c_uct: 1.0}}, or your own {python: "module:callable"}
  schedule=round_robin   round_robin: every choice of as many agents as seats; gauntlet: the first agent against each
                      other; ladder: neighbours in the order given, who wins goes up; swiss: those with like results
  blocks=100          how many deals; of a ladder or swiss, how many a round
  rounds=0            of a ladder or swiss; 0 = as many as agents, and 1 + log2(agents)
  seed=1              names the deals
  budget.simulations=N or budget.milliseconds=T   equal budgets: what every search may spend on a decision
  sprt.elo0=0 sprt.elo1=0   hypotheses on the first agent's lead over the second; elo1 above elo0 turns the test on
  sprt.alpha=0.05 sprt.beta=0.05   how often elo1 is accepted though elo0 holds, and the other way round
  sprt.model=logistic   logistic or normalised Elo
  until_clear=false   stop two agents as soon as one is known to be stronger
  move_seconds=0      limit for a decision; 0 = none for Orion's own agents, 10 minutes or more for others
  luck=""             take luck out of the lead: standing (value = the present standing) or a checkpoint (its value)
  difference=0.05     in mean utility, for the line about blocks needed
  processes=0         0 = one a core; results do not depend on it
  runtime=local       ray: on a cluster (docs/distributed.md); runtime.workers=N, runtime.address=auto
  lanes=64            games side by side in a process (1 where time is the budget)
  replays=true        keep the games (orion replay OUTPUT block=N place=K, orion explain), 0.02 to 1 kB each
  replay_blocks=10000   those of so many blocks at most, the first ones
  output=DIR          default runs/arena/<game>-<agents>-<hash of the match>

Examples:
  orion arena agents=[ismcts,random] blocks=200
  orion arena moo_board players=3 agents=[scripted,random]
  orion arena moo_board agents=[runs/mine,scripted] budget.simulations=64
  orion arena 'agents=[{agent: ismcts, search: {worlds: mix}},ismcts]' budget.simulations=200
  orion arena agents=[ismcts,random] sprt.elo1=50 blocks=5000
  orion arena leduc_poker schedule=swiss agents=[ismcts,scripted,random] blocks=20
  orion arena -m agents=[ismcts,random] budget.simulations=16,64,256
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console

from engines.contract import Game
from engines.errors import UsageError
from engines.files import refuse_unwritable
from orion_ai.arena.entrants import budget_of, make_agents, resolve
from orion_ai.arena.luck import STANDING
from orion_ai.arena.progress import MatchProgress
from orion_ai.arena.report import page_paths, table, write_report
from orion_ai.arena.result import ArenaResult, summarize
from orion_ai.arena.runner import ArenaConfig, Elsewhere, Match, run_match
from orion_ai.arena.schedule import Schedule
from orion_ai.arena.stopping import Sequential
from orion_ai.commands.configuration import Request, load_game, read
from orion_ai.runtime import RuntimeConfig
from orion_ai.settings import without_defaults

__all__ = ["play", "run"]

DEFAULT_OUTPUT = Path("runs/arena")


def run(argv: Sequence[str]) -> int:
    """See the module."""
    console = Console(highlight=False)
    verdicts = []
    for request in read("arena", ArenaConfig, argv, sweep=True):
        job = f"job {request.job}: {' '.join(request.overrides)}"
        if request.job is not None:
            console.print(job, markup=False, soft_wrap=True)
        result, folder = play(request, console)
        console.print(table(result))
        paths = write_report(result, folder)
        console.print(f"written: {', '.join(str(p) for p in paths)}", markup=False, soft_wrap=True)
        verdicts.append(f"{job}\n  {result.verdict()}")
    if len(verdicts) > 1:
        console.print("\n".join(verdicts), markup=False, soft_wrap=True)
    return 0


def play(request: Request[ArenaConfig], console: Console) -> tuple[ArenaResult, Path]:
    """Play the match that is asked for; returns its result and its folder."""
    config = request.config
    game = load_game(config.game)
    budget = config.budget
    luck = config.luck
    if luck and not game.num_streams:
        raise UsageError(f"luck is {luck!r}, but nothing is left to chance in {game.name}: leave it out")
    if luck not in ("", STANDING):
        (network,) = resolve([{"agent": "policy", "checkpoint": luck}])
        luck = network.where
    entrants = resolve(config.agents, simulations=budget.simulations, milliseconds=budget.milliseconds)
    # Time is spent by a whole batch together: where it is the budget, every decision is a batch of its own.
    timed = any(e.settings.get("search", {}).get("milliseconds") for e in entrants)
    match = Match(
        config.game,
        entrants,
        config.seed,
        1 if timed else config.lanes,
        config.replays,
        config.schedule,
        config.blocks if config.schedule in ("ladder", "swiss") else 0,
        config.move_seconds,
        luck,
        config.replay_blocks,
    )
    schedule = Schedule(config.schedule, len(entrants), game.players, config.blocks, config.rounds)
    folder = _folder(request, match, game)
    refuse_unwritable(folder / "report.json", *page_paths(folder))
    stop = Sequential(config.sprt, config.until_clear) if len(entrants) == 2 else None
    if config.sprt:
        console.print(f"sequential test: {config.sprt}", markup=False, soft_wrap=True)
    try:
        with _elsewhere(match, config.runtime) as far, MatchProgress(console, schedule.total, stop) as progress:
            blocks = run_match(
                match, config.blocks, folder, config.processes, progress, rounds=config.rounds, stop=stop, elsewhere=far
            )
    except KeyboardInterrupt:
        print(f"orion: finished blocks are kept in {folder}; the same command goes on", file=sys.stderr)
        raise
    result = summarize(
        game,
        [e.name for e in entrants],
        blocks,
        config.seed,
        config.difference,
        schedule=schedule,
        test=config.sprt,
        until_clear=config.until_clear,
        budgets=[budget_of(e) for e in entrants],
        settings=[e.settings for e in entrants],
    )
    return result, folder


@contextlib.contextmanager
def _elsewhere(match: Match, runtime: RuntimeConfig) -> Iterator[Elsewhere | None]:
    """What plays instead of this machine's processes, if anything."""
    if runtime.kind == "local":
        yield None
        return
    from orion_ai.distributed.matches import RayMatches

    make_agents(match.load(), match.entrants, 1)  # what cannot be made is refused before a cluster is started
    with RayMatches(match, runtime) as found:
        yield found


def _folder(request: Request[ArenaConfig], match: Match, game: Game) -> Path:
    """Where the match is kept: as asked, or a place named by what is played, so the same command finds it again."""
    if request.config.output:
        folder = Path(request.config.output)
        return folder if request.job is None else folder / str(request.job)
    identity = json.dumps(without_defaults(match.identity(game), match.defaults(game)), sort_keys=True).encode()
    names = "-".join(re.sub(r"\W+", "_", e.name)[:24] for e in match.entrants)[:120]
    return DEFAULT_OUTPUT / f"{game.name}-{names}-{hashlib.sha256(identity).hexdigest()[:8]}"
