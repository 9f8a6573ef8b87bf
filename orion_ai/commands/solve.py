"""orion solve: compute an equilibrium of a small game.

Usage: orion solve [-m] [GAME] [KEY=VALUE ...]

Enumerates the whole game and solves it. Prints the seats' values and, by iterations, the exploitability: what a seat
could still gain on average by playing otherwise, exact, in the game's own unit; 0 is an equilibrium. With more than two
seats the methods of the CFR family have no guarantee; the exploitability says how far they came.

OUTPUT gets policy.json: for every information state its mover, what the mover sees, and the probability of each action.
An agent that plays by it is {python: "orion_ai.solve.policy_file:PolicyFileAgent", file: OUTPUT/policy.json}.

Settings:
  game=NAME, players=N, game.OPTION=VALUE         what is solved; it must be small enough to be enumerated
  method=auto         cfr_plus, cfr, dcfr (discounted): whole iterations; external, outcome: Monte Carlo CFR;
                      sequence_form: a linear program, exact (two seats);
                      backward_induction: perfect information, exact;
                      auto: backward_induction in a game without secrets, else cfr_plus
  iterations=1000     of the CFR family
  seed=1              of the Monte Carlo methods
  limit=2000000       most histories (positions, in a game without secrets)
  output=DIR          default runs/solve/<game>

Examples:
  orion solve leduc_poker
  orion solve liars_dice game.faces=5 method=sequence_form
  orion solve kuhn_poker players=3 iterations=10000
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from engines.errors import UsageError
from engines.files import refuse_unwritable
from orion_ai.commands.configuration import Request, load_game, read
from orion_ai.solve.methods import Point, SolveConfig, solve
from orion_ai.solve.policy_file import write_policy
from orion_ai.solve.progress import Progress
from orion_ai.solve.tree import enumerate_game
from orion_ai.solve.walk import TooLarge

__all__ = ["run"]

DEFAULT_OUTPUT = Path("runs/solve")


def run(argv: Sequence[str]) -> int:
    """See the module."""
    console = Console(highlight=False)
    for request in read("solve", SolveConfig, argv, sweep=True):
        if request.job is not None:
            console.print(f"job {request.job}: {' '.join(request.overrides)}", markup=False, soft_wrap=True)
        _solve(request, console)
    return 0


def _solve(request: Request[SolveConfig], console: Console) -> None:
    config = request.config
    game = load_game(config.game)
    folder = Path(config.output) if config.output else DEFAULT_OUTPUT / game.name
    path = (folder if request.job is None else folder / str(request.job)) / "policy.json"
    refuse_unwritable(path)
    with Progress(console) as progress:
        try:
            tree = enumerate_game(game, config.limit, progress)
        except TooLarge as error:
            bound = f"orion exploit {game.name} method=approximate"
            raise UsageError(f"{error}. How exploitable an agent is at least, `{bound}` measures") from None
    what = "positions" if tree.positions else "histories"
    console.print(f"{game.name}, {game.players} players: {tree.states:,} information states, {tree.nodes:,} {what}")

    def watch(p: Point) -> None:
        console.print(f"{p.iterations:>9,} iterations: exploitability {p.exploitability:.3g}, {p.seconds:.2g} s")

    with Progress(console) as progress:
        progress(f"solving by method={config.method}")
        solution = solve(tree, config, watch)
    values = ", ".join(f"seat {seat} {value:+.6f}" for seat, value in enumerate(solution.values))
    console.print(f"values by {solution.method}: {values}; nash_conv {sum(solution.gains):.3g}", soft_wrap=True)
    notes = {
        "method": solution.method,
        "values": list(solution.values),
        "gains": list(solution.gains),
        "points": [asdict(point) for point in solution.points],
    }
    write_policy(path, tree, solution.policy, notes)
    console.print(f"written: {path}", markup=False, soft_wrap=True)
