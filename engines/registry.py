"""Which games there are, and how one is loaded.

A game of Orion's own is one line in `GAMES`. A game of somebody else's lies in a folder that $ORION_GAMES names, laid
out like a checkout (`engines/NAME/`, `configs/game/NAME.yaml`); it is imported as a module of the package `engines`, so
the same files work in both places.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from engines import kernel
from engines.contract import Game, Options
from engines.errors import FileError, UsageError, choose_from, quoted

__all__ = ["GAMES", "OWN", "game_type", "load", "own_folders"]

OWN = "ORION_GAMES"
"""The environment variable that names folders of games of one's own, separated as in PATH."""

GAMES: dict[str, str] = {
    "backgammon": "engines.backgammon",
    "connect_four": "engines.connect_four",
    "conquest": "engines.conquest",
    "goofspiel": "engines.goofspiel",
    "kuhn_poker": "engines.kuhn_poker",
    "leduc_poker": "engines.leduc_poker",
    "liars_dice": "engines.liars_dice",
    "matrix": "engines.matrix",
    "moo_board": "engines.moo_board",
    "phantom_tic_tac_toe": "engines.phantom_tic_tac_toe",
    "pig": "engines.pig",
    "tic_tac_toe": "engines.tic_tac_toe",
}
"""Package of every game, by name. Each package defines `GAME`, its subclass of `Game`."""


def own_folders() -> list[Path]:
    """The folders that $ORION_GAMES names, absolute, each once; none where it is not set.

    Raises:
        FileError: one of them holds no folder `engines`.
    """
    words = os.environ.get(OWN, "").split(os.pathsep)
    folders = list(dict.fromkeys(Path(word).absolute() for word in words if word))
    for folder in folders:
        if not (folder / "engines").is_dir():
            raise FileError(f"{OWN}: {str(folder)!r} has no folder 'engines', expected one that `orion new-game` made")
    return folders


def _join(folder: Path) -> None:
    """Make the games of `folder` known, as modules of this package."""
    package = sys.modules[__package__ or "engines"]
    for place in sorted((folder / "engines").glob("*/__init__.py")):
        name = place.parent.name
        if importlib.util.find_spec(f"engines.{name}") is not None:
            raise UsageError(f"{OWN}: {str(place.parent)!r} has the name of another game or module: rename it")
        GAMES[name] = f"engines.{name}"
    package.__path__.append(str(folder / "engines"))


for _folder in own_folders():
    _join(_folder)


def game_type(name: str, content: str | Path | None = None) -> type[Game]:
    """The class of game `name`, compiled if need be; with `content`, built from a content file of the user's own."""
    choose_from("game", name, GAMES)
    if not isinstance(content, str | Path | None):
        raise UsageError(f"content={quoted(content)}, expected the path of a file")
    with kernel.compiling(name if content is None else f"{name} with {content}"):
        module = importlib.import_module(GAMES[name]) if content is None else _with_content(name, Path(content))
    if not hasattr(module, "GAME"):
        raise UsageError(f"{module.__file__!r} defines no GAME: expected GAME = the game's class, a subclass of Game")
    found: type[Game] = module.GAME
    return found


def load(name: str, *, content: str | Path | None = None, **options: Any) -> Game:
    """A game, ready to start.

    Args:
        name: one of `GAMES`.
        content: a content file to use instead of the game's own (games with content data only). Its kernels are
            compiled on first use, like a game of its own.
        options: the game's options (`game.options_type`): players, and what the game adds.

    Raises:
        UsageError: an unknown game or option, or a value out of range; the text names the nearest valid one. Or a
            package of one's own without `GAME`.
        ContentError: a content file that breaks a rule; nothing is loaded.
    """
    kind = game_type(name, content)
    for key in options:
        choose_from(f"option of {name}", key, kind.options_type.names())
    players = options.setdefault("players", kind.min_players)
    if not isinstance(players, int) or isinstance(players, bool) or not kind.min_players <= players <= kind.max_players:
        raise UsageError(f"{name}: players={quoted(players)}, expected {kind.min_players} to {kind.max_players}")
    made: Options = kind.options_type(**options)
    return kind(made)


def _with_content(name: str, path: Path) -> ModuleType:
    """Import the game's package a second time under an alias whose content is `path`.

    Numba freezes tables into compiled code, so other content is other code: the alias has a cache of its own, named by
    the content's hash, and both variants can be used side by side.
    """
    original = importlib.util.find_spec(GAMES[name])
    assert original is not None and original.origin is not None
    if not any(Path(original.origin).parent.glob("content/*")):
        raise UsageError(f"{name} has no content: a content file cannot be given")
    if not path.is_file():
        raise FileError(f"content file {str(path)!r} does not exist or is no file")
    alias = f"{GAMES[name]}__{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
    if alias in sys.modules:
        return sys.modules[alias]
    kernel.set_content(alias, path)
    spec = importlib.util.spec_from_file_location(
        alias, original.origin, submodule_search_locations=list(original.submodule_search_locations or ())
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[alias] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        for imported in [m for m in sys.modules if m == alias or m.startswith(f"{alias}.")]:
            del sys.modules[imported]
        raise
    return module
