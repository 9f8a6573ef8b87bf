"""Seeded defects: does the conformance suite catch them, each by name?

A mutation wraps the kernels or declarations of a loaded game as Python sees them (nothing is edited or recompiled) and
names the checks that must catch it. One that never changed anything the game did (there was no such fact to leak, say)
has had no effect and proves nothing either way. `print(run_mutations(engines.load("kuhn_poker")))`.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field

from engines.conformance import check
from engines.contract import Game
from engines.mutations_base import Mutant, Mutation
from engines.mutations_belief import of_channels, of_field, of_worlds
from engines.mutations_rules import of_rules

__all__ = ["Mutant", "Mutation", "MutationReport", "Trial", "mutations", "run_mutations"]

GAMES = 40
"""Random games played to catch a mutation, at most."""


def mutations(game: Game) -> list[Mutation]:
    """Every mutation for `game`: those of any game, and one a field for those that concern a secret field."""
    return [*of_rules(), *of_worlds(), *of_channels(), *(m for n, f in game.fields.items() for m in of_field(n, f))]


@dataclass(frozen=True)
class Trial:
    """What became of one mutation."""

    mutation: Mutation
    status: str
    """caught | MISSED | no time (it was over first) | no effect (it never changed what the game did, or the checks that
    see it do not run here).
    """
    by: tuple[str, ...] = ()
    """The checks that failed."""


@dataclass
class MutationReport:
    """Outcome of `run_mutations`; printing it shows a table."""

    game: str
    players: int
    seconds: float = 0.0
    trials: list[Trial] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether every mutation that had an effect was caught by a check that it names."""
        return all(trial.status in ("caught", "no effect") for trial in self.trials)

    def __str__(self) -> str:
        counts = Counter(trial.status for trial in self.trials)
        head = f"{self.game}, {self.players} players: " + ", ".join(f"{n} {status}" for status, n in counts.items())
        wide = max((len(trial.mutation.name) for trial in self.trials), default=0)
        rows = [f"{t.mutation.name:{wide}}  {t.status:>9}  {t.mutation.defect}{_named(t)}" for t in self.trials]
        return "\n".join([f"{head}, {self.seconds:.1f} s", *rows])


def _named(trial: Trial) -> str:
    if trial.status in ("MISSED", "no time"):
        return f": expected {' or '.join(trial.mutation.caught_by)}, failed {', '.join(trial.by) or 'nothing'}"
    named = [name for name in trial.by if name in trial.mutation.caught_by]
    return f": caught by {', '.join(named)}" if named else ""


def run_mutations(game: Game, games: int = GAMES, seed: int = 0, budget_seconds: float | None = 20.0) -> MutationReport:
    """Apply every mutation to `game` in turn and run the conformance suite until a check named by it fails.

    Args:
        game: a loaded game that passes the suite as it is.
        games: random games for each mutation, at most.
        seed: names the random games.
        budget_seconds: time for each mutation, at most; None: as long as its games take.
    """
    began = time.monotonic()
    report = MutationReport(game.name, game.players)
    for mutation in mutations(game):
        mutant = Mutant(game)
        if not mutation.apply(mutant):
            report.trials.append(Trial(mutation, "no effect"))
            continue
        started = time.monotonic()
        found = check(mutant.game, games, seed, budget_seconds, stop=mutation.caught_by)
        failed = tuple(found.failures)
        if not set(mutation.caught_by).isdisjoint(failed):
            status = "caught"
        else:
            examined = any(found.runs[name] for name in mutation.caught_by)
            late = budget_seconds is not None and time.monotonic() - started > budget_seconds
            status = ("no time" if late else "MISSED") if mutant.touched and examined else "no effect"
        report.trials.append(Trial(mutation, status, failed))
    report.seconds = time.monotonic() - began
    return report
