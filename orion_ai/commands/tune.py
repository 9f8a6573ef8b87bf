"""orion tune: search an agent's settings for those that do best against a fixed opponent.

Usage: orion tune AGENT OPPONENT [GAME] space={KEY: [LOW, HIGH], ...} [KEY=VALUE ...]

Every trial is the agent with other settings, proposed by a tree-structured Parzen estimator (Optuna), and plays the
same blocks against the opponent: one deal in all seatings, the same deals in every trial, so that trials differ by
their settings alone. A trial is given up once it is known to be worse than the best so far. At the end the best trial
plays the agent as it was on deals that no trial has seen, since the best of many scores is partly luck; what counts is
the verdict of that match.

The score is 1/2 + lead in utility / 4 (the share of games won, where all is won or lost). After Ctrl-C or a crash the
same command goes on where it stopped, and a greater `trials` extends the study. The same seed gives the same trials.
OUTPUT gets trials.jsonl, report.json, report.md, report.png, the match in confirm-N, and best.yaml: the best agent, for
configs/agent, or to be named in a list of agents by its path. Needs Optuna: pip install 'orion-ai[tune]'.

Settings:
  AGENT or tuned=AGENT   what is tuned: a name, a checkpoint or {agent: NAME, search: {...}}, as for orion arena;
                      default ismcts
  OPPONENT or opponent=AGENT   whom it plays
  game=NAME, players=N, game.OPTION=VALUE         what is played
  space={...}         what is tuned: search.KEY (any setting of a search), temperature (of agent policy), options.KEY
                      (of a kind of one's own), or what the callable of a python agent takes; each with
                      [LOW, HIGH], [LOW, HIGH, log] (evenly by the logarithm), or a list of choices ({choices: [1, 2]}
                      where these are two numbers). What acts only with certain choices is tried only with these
  trials=30           how many; the agent as it is comes first and is not counted
  blocks=64           deals of a trial
  confirm=200         fresh deals of the match at the end; 0 = none
  prune=true          give up trials that are known to be worse
  seed=1              names deals and trials
  budget.simulations=N or budget.milliseconds=T   equal budgets for agent and opponent
  move_seconds=0      limit for a decision; 0 = see orion arena
  processes=0         0 = one a core; results do not depend on it
  lanes=16            games side by side in a process
  output=DIR          default runs/tune/<game>-<agent>-<hash of the study>

Examples:
  orion tune ismcts ismcts kuhn_poker 'space={search.c_uct: [0.2, 4.0, log]}' trials=20
  orion tune ismcts scripted leduc_poker 'space={search.c_uct: [0.2, 4.0, log], search.nodes: [own, public]}'
  orion tune ismcts ismcts connect_four 'space={search.c_uct: [0.2, 4.0, log]}' budget.simulations=200 blocks=32
  orion tune runs/mine runs/mine moo_board 'space={search.c_scale: [0.1, 2.0, log]}' blocks=32
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from engines.files import refuse_unwritable
from orion_ai.arena.report import write_report as write_match
from orion_ai.commands.compare import agent_of
from orion_ai.commands.configuration import load_game, read
from orion_ai.settings import without_defaults
from orion_ai.tune.config import TuneConfig
from orion_ai.tune.report import report_paths, shown, verdict, write_report
from orion_ai.tune.sampler import load_optuna
from orion_ai.tune.study import Plan, Trial, confirm, plan, run_trials

__all__ = ["run"]

DEFAULT_OUTPUT = Path("runs/tune")


def run(argv: Sequence[str]) -> int:
    """See the module."""
    console = Console(highlight=False)
    words = {"tuned": "an agent", "opponent": "its opponent"}
    for request in read("tune", TuneConfig, argv, positional=words):
        load_optuna()
        given = request.config
        config = replace(given, tuned=agent_of(given.tuned), opponent=agent_of(given.opponent))
        _tune(plan(config, load_game(config.game)), console)
    return 0


def _tune(made: Plan, console: Console) -> None:
    folder = Path(made.config.output) if made.config.output else _folder(made)
    refuse_unwritable(*report_paths(folder))

    def told(trial: Trial, best: Trial) -> None:
        score = trial.state if trial.state == "refused" else f"{trial.mean:.3f}"
        given_up = f", given up after {len(trial.scores)} blocks" if trial.state == "pruned" else ""
        leads = f"; best {best.mean:.3f} (trial {best.number})" if trial.number else ""
        text = f"trial {trial.number}/{made.config.trials}: {score} ({shown(trial.values)}){given_up}{leads}"
        console.print(text if trial.number else f"as it is: {score}", markup=False, soft_wrap=True)

        if trial.why:
            console.print(f"  {trial.why}", markup=False, soft_wrap=True)

    try:
        with console.status("playing"):
            study = run_trials(made, folder, told)
            confirmed = confirm(study, folder)
    except KeyboardInterrupt:
        print(f"orion: finished blocks are kept in {folder}; the same command goes on", file=sys.stderr)
        raise
    if confirmed is not None:
        write_match(confirmed, folder / f"confirm-{study.best.number}")
    paths = write_report(study, confirmed, folder)
    console.print(verdict(study, confirmed), markup=False, soft_wrap=True)
    console.print(f"written: {', '.join(str(p) for p in paths)}", markup=False, soft_wrap=True)


def _folder(made: Plan) -> Path:
    """A place named by what is tuned, so that the same command finds it again."""
    identity = json.dumps(without_defaults(made.identity(), made.defaults()), sort_keys=True).encode()
    name = re.sub(r"\W+", "_", made.agent.name)[:40]
    return DEFAULT_OUTPUT / f"{made.game.name}-{name}-{hashlib.sha256(identity).hexdigest()[:8]}"
