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
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from engines import kernel
from engines.contract import Game, Options
from engines.errors import FileError, UsageError, choose_from, quoted

__all__ = ["GAMES", "OWN", "checked", "choose_game", "game_type", "load", "own_folders"]

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


def choose_game(name: str) -> str:
    """`name` if there is such a game.

    Raises:
        UsageError: there is none; names the nearest one, or says where games of one's own come from.
    """
    try:
        return choose_from("game", name, GAMES)
    except UsageError as error:
        if "Did you mean" in str(error):
            raise
        folders = [str(folder) for folder in own_folders()]
        there = f"names {', '.join(folders)}" if folders else "is not set"
        raise UsageError(f"{error} Games of your own are those of the folders that ${OWN} names; it {there}.") from None


def game_type(name: str, content: str | Path | None = None) -> type[Game]:
    """The class of game `name`, compiled if need be; with `content`, built from a content file of the user's own."""
    _check_names(name, content)
    with kernel.compiling(name if content is None else f"{name} with {content}"):
        module = importlib.import_module(GAMES[name]) if content is None else _with_content(name, Path(content))
    return _game_of(module)


def checked(name: str, *, content: str | Path | None = None, **options: Any) -> Options:
    """The options of a game as `load` would take them, every default in its place; errors as there.

    A game that was never used on this machine is read without compiling it, so a mistake costs no time.
    """
    _check_names(name, content)
    return _options(name, _declared(name, content), options)


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
    checked(name, content=content, **options)
    kind = game_type(name, content)
    return kind(_options(name, kind, options))


def _check_names(name: str, content: str | Path | None) -> None:
    choose_game(name)
    if not isinstance(content, str | Path | None):
        raise UsageError(f"content={quoted(content)}, expected the path of a file")


def _options(name: str, kind: type[Game], given: dict[str, Any]) -> Options:
    for key in given:
        choose_from(f"option of {name}", key, kind.options_type.names())
    players = given.setdefault("players", kind.min_players)
    if not isinstance(players, int) or isinstance(players, bool) or not kind.min_players <= players <= kind.max_players:
        raise UsageError(f"{name}: players={quoted(players)}, expected {kind.min_players} to {kind.max_players}")
    made: Options = kind.options_type(**given)
    return made


def _game_of(module: ModuleType) -> type[Game]:
    if not hasattr(module, "GAME"):
        raise UsageError(f"{module.__file__!r} defines no GAME: expected GAME = the game's class, a subclass of Game")
    found: type[Game] = module.GAME
    return found


def _declared(name: str, content: str | Path | None) -> type[Game]:
    """The class of a game, to be asked what it declares: the compiled one where that was compiled before, else one
    whose kernels are plain functions. Whatever is imported for that is forgotten again.
    """
    package = GAMES[name] if content is None else _alias(name, Path(content))
    if not kernel.JIT or package in sys.modules or (kernel.cache_root() / f"{package}.rules").is_dir():
        return game_type(name, content)
    before = set(sys.modules)
    kernel.JIT = False
    try:
        return _game_of(_second(name, f"{package}__declared", content))
    finally:
        kernel.JIT = True
        for added in {module for module in sys.modules if module.startswith("engines.")} - before:
            parent, _, child = added.rpartition(".")
            if parent in before:
                vars(sys.modules[parent]).pop(child, None)
            del sys.modules[added]


def _with_content(name: str, path: Path) -> ModuleType:
    """Import the game's package a second time under an alias whose content is `path`.

    Numba freezes tables into compiled code, so other content is other code: the alias has a cache of its own, named by
    the content's hash, and both variants can be used side by side.
    """
    alias = _alias(name, path)
    return sys.modules[alias] if alias in sys.modules else _second(name, alias, path)


def _alias(name: str, path: Path) -> str:
    """The name of the game's package with the content at `path`."""
    if not any(Path(_spec(name).origin or "").parent.glob("content/*")):
        raise UsageError(f"{name} has no content: a content file cannot be given")
    if not path.is_file():
        raise FileError(f"content file {str(path)!r} does not exist or is no file")
    return f"{GAMES[name]}__{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"


def _spec(name: str) -> ModuleSpec:
    found = importlib.util.find_spec(GAMES[name])
    assert found is not None and found.origin is not None
    return found


def _second(name: str, alias: str, content: str | Path | None) -> ModuleType:
    """Import the game's package as `alias`; with `content`, built from that."""
    original = _spec(name)
    if content is not None:
        kernel.set_content(alias, Path(content))
    spec = importlib.util.spec_from_file_location(
        alias, original.origin or "", submodule_search_locations=list(original.submodule_search_locations or ())
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
