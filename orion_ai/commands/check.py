"""orion check: examine whether a game keeps the engine contract.

Usage: orion check [GAME] [KEY=VALUE ...]

Plays random games step by step and checks every promise of the contract: games end, utilities sum to zero, views
round-trip, nothing is created or lost, and for every seat at every decision: what it cannot know is resampled without
changing anything that it sees. The report names each check, how often it ran, and the first failure with the step that
leads to it. With mutations=true the suite itself is tried: faults are planted in the game one by one, and each must be
caught.

Settings:
  GAME or game=NAME   the game (default kuhn_poker)
  players=N           seats (default: the game's)
  game.OPTION=VALUE   an option of the game (see orion games GAME)
  games=50            random games to play
  seed=0              names the games; the same seed gives the same report
  seconds=0           stop after so long; 0 = when all games are played
  mutations=false     also plant faults and see whether they are caught

Exit code: 0 if all is well, 1 if the game breaks a promise or a planted fault was missed.

Examples:
  orion check kuhn_poker
  orion check moo_board players=3 games=10 seconds=120
  orion check kuhn_poker mutations=true
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from engines.conformance import check
from orion_ai.commands.configuration import load_game, read
from orion_ai.ranges import ANY, check_ranges

__all__ = ["CheckConfig", "run"]


@dataclass(frozen=True)
class CheckConfig:
    """Settings of `orion check`."""

    game: dict[str, Any] = field(default_factory=dict)
    games: int = 50
    seed: int = 0
    seconds: float = 0.0
    mutations: bool = False

    def __post_init__(self) -> None:
        check_ranges("", self, {"games": (1, ANY), "seconds": (0, ANY)})


def run(argv: Sequence[str]) -> int:
    """See the module."""
    for request in read("check", CheckConfig, argv):
        config = request.config
        game = load_game(config.game)
        report = check(game, config.games, config.seed, config.seconds or None)
        print(report)
        if not report.ok:
            return 1
        if config.mutations and not _mutations(config):
            return 1
    return 0


def _mutations(config: CheckConfig) -> bool:
    """Plant faults one by one; returns whether all were caught."""
    from engines.mutations import run_mutations

    results = run_mutations(load_game(config.game), seed=config.seed)
    print(results)
    return bool(results.ok)
