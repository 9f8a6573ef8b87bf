"""orion games: list the games and their options.

Usage: orion games [GAME]

Without a name: a table of all games. With one: that game's options with their defaults, what is hidden in it, the
sizes of its record, action space and observation, and the parts of an observation. Only declarations are read, nothing
is compiled, so this is quick even for a game that has never been used on this machine.

An option is set in any command as game.OPTION=VALUE; players=N is short for game.players=N.

Examples:
  orion games
  orion games kuhn_poker
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from engines.contract import Game

__all__ = ["run"]


def run(argv: Sequence[str]) -> int:
    """See the module."""
    from rich.console import Console

    console = Console()
    if argv:
        _details(console, _declarations(argv)[argv[0]])
    else:
        _table(console, _declarations(()))
    return 0


def _declarations(argv: Sequence[str]) -> dict[str, type[Game]]:
    """The class of the game named, or of all. Where Numba is not loaded yet, their kernels are not compiled.

    Raises:
        UsageError: words that name no game.
    """
    before = os.environ.get("NUMBA_DISABLE_JIT")
    if "numba" not in sys.modules:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    try:
        from engines.errors import UsageError
        from engines.registry import GAMES, choose_game, game_type

        if len(argv) > 1 or any("=" in word or word.startswith("-") for word in argv):
            raise UsageError(f"cannot understand {' '.join(argv)!r}: expected nothing, or the name of a game")
        names = [choose_game(word) for word in argv] or list(GAMES)
        return {name: game_type(name) for name in names}
    finally:
        if before is None:
            os.environ.pop("NUMBA_DISABLE_JIT", None)


def _players(kind: type[Game]) -> str:
    return f"{kind.min_players} to {kind.max_players}" if kind.max_players > kind.min_players else str(kind.min_players)


def _options(kind: type[Game]) -> list[tuple[str, str]]:
    shown = []
    for option in fields(kind.options_type):
        default = kind.min_players if option.name == "players" else option.default
        shown.append((option.name, str(default)))
    return shown


def _hidden(kind: type[Game]) -> list[str]:
    """The fields of the record that not everybody knows."""
    from engines.contract import Who

    return [name for name, field in kind.fields.items() if field.who is not Who.ALL]


def _table(console: Console, types: dict[str, type[Game]]) -> None:
    from rich.table import Table

    table = Table(show_lines=True)
    table.add_column("game", min_width=max(map(len, types)))
    for heading in ("players", "hidden", "options (defaults)", "record"):
        table.add_column(heading, justify="right" if heading == "record" else "left", no_wrap=heading[0] in "or")
    for name, kind in types.items():
        hidden = f"{len(_hidden(kind))} of {len(kind.fields)} fields" if kind.secrets else "nothing"
        options = "\n".join(f"{key}={value}" for key, value in _options(kind))
        title = f"{name}\n{kind.title}, version {kind.version}"
        table.add_row(title, _players(kind), hidden, options, f"{kind.dtype.itemsize} B")
    console.print(table)


def _details(console: Console, kind: type[Game]) -> None:
    game = kind(kind.options_type(players=kind.min_players))
    lines = [
        f"{kind.title} ({kind.name}, version {kind.version})",
        f"players        {_players(kind)}",
        *(f"option         {key} (default {value})" for key, value in _options(kind)),
        f"hidden         {', '.join(_hidden(kind)) if kind.secrets else 'nothing'}",
        f"actions        {kind.num_actions} decisions, {kind.num_ids - kind.num_actions} outcomes of chance",
        f"longest game   {kind.max_length} steps; at most {kind.max_legal} legal at once",
        f"record         {kind.dtype.itemsize} bytes, {len(kind.fields)} fields",
        f"content        {game.content_hash or 'none'}",
        f"observation    {game.observation_size} numbers for {game.players} players:",
        *(f"  {s.name:<20} {s.kind.value:<8} {' x '.join(map(str, s.shape))}" for s in game.slices),
    ]
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
