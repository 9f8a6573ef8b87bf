"""orion explain: see what a search thinks: its tree, its beliefs, its values.

Usage: orion explain FILE [KEY=VALUE ...]
       orion explain --replay FILE --ply N, or --view FILE: the same

FILE is the folder of a match (orion arena keeps its games), a recorded game, a game saved in orion play, or a view
(`state.view(seat)` as JSON). One decision is searched from what its seat knows. The terminal gets the root's actions
and the top of the tree; OUTPUT is one HTML page that needs no network: the information-set tree with visits, priors, Q
and availability, what the agent believes others hold, the root's actions by what the worlds held, the value over the
game, and two agents side by side.

Everything comes from the seat's view: what others held in the game is not used and not shown. `reveal=true` shows it,
and adds the values of the other seats. Of a saved game that is not over only your own decisions are explained without.

Settings:
  ply=N               the decision after N steps (orion replay lists them); -1 = the last one (default)
  block=N, place=K    which game of a match: the K-th of block N, both from 0
  agents=[A] or agents=[A,B]   who is asked, as for orion arena: a name (ismcts, puct, gumbel, ...), a checkpoint, or
                      {agent: ismcts, search: {worlds: public}}. Of one that does not search many choices are drawn
  budget.simulations=N or budget.milliseconds=T   what a search may spend on a decision
  seed=1              names worlds and searches: the same seed gives the same page
  every=1             search every N-th decision of the seat for the value over the game; 0 = none
  nodes=200           nodes of the tree on the page, those that most simulations came to
  depth=1             decisions below the root in the terminal
  reveal=false        also show what was hidden
  content=FILE        the content file that the game was played with, if not its own
  options={KEY: VALUE}   options of the game that a view is of (a recorded game names its own)
  output=FILE         default runs/explain/<file>-<ply>.html

Examples:
  orion explain runs/arena/mine block=3 ply=3
  orion explain saved.json agents=[ismcts] budget.simulations=2000
  orion explain game.jsonl ply=12 agents=[ismcts] budget.simulations=2000
  orion explain game.jsonl 'agents=[ismcts,{agent: ismcts, search: {worlds: mix}}]' reveal=true
  orion explain view.json agents=[runs/mine] output=page.html
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from rich.console import Console

from engines.errors import UsageError
from engines.files import refuse_unwritable, write_text
from orion_ai.arena.entrants import attend_to, resolve
from orion_ai.commands.configuration import read
from orion_ai.explain.page import page
from orion_ai.explain.study import ExplainConfig, explain
from orion_ai.explain.subject import Subject
from orion_ai.explain.terminal import render

__all__ = ["run"]

DEFAULT_OUTPUT = Path("runs/explain")
PIPE_WIDTH = 160
"""Columns of the text where it does not go to a terminal."""


def run(argv: Sequence[str]) -> int:
    """See the module."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)
    words = list(_settings(argv))
    for request in read("explain", ExplainConfig, words, positional={"file": "the file of a game or a view"}):
        config = request.config
        attend_to(resolve(config.agents))
        with console.status("searching"):
            told = explain(config, partial(_refuse_unwritable, config))
        console.print(render(told))
        path = _path(config, told.subject)
        write_text(path, page(told))
        console.print(f"written: {path}", markup=False, soft_wrap=True)
    return 0


def _settings(argv: Sequence[str]) -> Iterator[str]:
    """`--replay FILE` and `--view FILE` as FILE, `--ply N` as ply=N; all else as it is."""
    words = iter(argv)
    for word in words:
        flag, _, value = word.partition("=")
        if flag not in ("--replay", "--view", "--ply"):
            yield word
            continue
        value = value or next(words, "")
        if not value:
            raise UsageError(f"{flag} says nothing: expected {'a number' if flag == '--ply' else 'a file'} after it")
        yield f"ply={value}" if flag == "--ply" else value


def _refuse_unwritable(config: ExplainConfig, subject: Subject) -> None:
    refuse_unwritable(_path(config, subject))


def _path(config: ExplainConfig, subject: Subject) -> Path:
    if config.output:
        return Path(config.output)
    ply = "" if subject.ply is None else f"-{subject.ply}"
    stem = subject.source.replace(" ", "-") if Path(config.file).is_dir() else Path(config.file).stem
    return DEFAULT_OUTPUT / f"{stem}{ply}.html"
