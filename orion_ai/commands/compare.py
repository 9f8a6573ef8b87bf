"""orion compare: which of two agents is stronger, in a sentence.

Usage: orion compare [-m] A B [GAME] [KEY=VALUE ...]

The short form of orion arena for two agents. Plays blocks (one deal in all seatings) until one agent is known to be
stronger, at most `blocks` of them, and says so. The score of A (1/2 + lead in utility / 4; the share of games won,
where all is won or lost) has an interval that holds at all times with 95 %: stopping as soon as it excludes 1/2 is
right in 95 % of matches.
With `sprt.elo1` a sequential test of two hypotheses decides instead.

The same command goes on where it stopped; a greater `blocks` goes on with an undecided match. OUTPUT gets what that of
orion arena gets.

Settings:
  A, B                an agent each, as for orion arena: a name, a checkpoint, or {agent: ismcts, search: {c_uct: 1.0}}
  game=NAME, players=N, game.OPTION=VALUE         what is played
  blocks=400          the most deals
  seed=1              names the deals
  budget.simulations=N or budget.milliseconds=T   equal budgets
  sprt.elo0=0 sprt.elo1=0 sprt.alpha=0.05 sprt.beta=0.05 sprt.model=logistic   see orion arena
  move_seconds=0      limit for a decision; 0 = see orion arena
  luck=""             see orion arena
  processes=0         0 = one a core
  lanes=64            games side by side in a process
  replays=true        keep the games (orion replay OUTPUT block=N place=K, orion explain), 0.02 to 1 kB each
  replay_blocks=10000   those of so many blocks at most, the first ones
  output=DIR          default as for orion arena

Examples:
  orion compare ismcts random
  orion compare ismcts scripted leduc_poker budget.simulations=200
  orion compare '{agent: ismcts, search: {c_uct: 0.7}}' ismcts connect_four sprt.elo1=30 blocks=3000
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import yaml
from rich.console import Console

from engines.errors import UsageError
from orion_ai.arena.report import write_report
from orion_ai.arena.runner import REPLAY_BLOCKS, ArenaConfig, Budget
from orion_ai.arena.sprt import Sprt
from orion_ai.commands.arena import play
from orion_ai.commands.configuration import Request, read

__all__ = ["CompareConfig", "agent_of", "run"]


@dataclass(frozen=True)
class CompareConfig:
    """Settings of `orion compare` (its manual page explains them)."""

    game: dict[str, Any] = field(default_factory=dict)
    first: Any = None
    second: Any = None
    blocks: int = 400
    seed: int = 1
    budget: Budget = field(default_factory=Budget)
    sprt: Sprt = field(default_factory=Sprt)
    move_seconds: float = 0.0
    luck: str = ""
    lanes: int = 64
    processes: int = 0
    replays: bool = True
    replay_blocks: int = REPLAY_BLOCKS
    output: str = ""

    @property
    def agents(self) -> list[Any]:
        """Both agents, snippets of configuration as mappings."""
        return [_present(self.first, "A"), _present(self.second, "B")]

    def as_arena(self) -> ArenaConfig:
        """The match of `orion arena` that this is short for."""
        values = {name: getattr(self, name) for name in asdict(self) if name not in ("first", "second")}
        return ArenaConfig(agents=self.agents, until_clear=not self.sprt, **values)


def run(argv: Sequence[str]) -> int:
    """See the module."""
    console = Console(highlight=False)
    agents = {"first": "an agent", "second": "another agent"}
    for request in read("compare", CompareConfig, argv, positional=agents, sweep=True):
        arena = Request(request.config.as_arena(), request.overrides, request.job)
        result, folder = play(arena, console)
        write_report(result, folder)
        console.print(result.verdict(), markup=False, soft_wrap=True)
        console.print(f"written: {folder}", markup=False, soft_wrap=True)
    return 0


def _present(given: Any, what: str) -> Any:
    if given is None:
        raise UsageError(f"{what} is missing: expected two agents, orion compare A B")
    return agent_of(given)


def agent_of(given: Any) -> Any:
    """An agent as a word of the command line gives it: a snippet of configuration as a mapping, all else as it is.

    Raises:
        UsageError: a snippet that cannot be read.
    """
    if not isinstance(given, str) or not given.startswith("{"):
        return given
    try:
        return yaml.safe_load(given)
    except yaml.YAMLError:
        raise UsageError(f"agent {given!r} cannot be read: expected {{agent: NAME, KEY: VALUE}}") from None
