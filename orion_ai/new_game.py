"""A new game from the template that ships with Orion (`engines/template`, `tests/template`): all its files, or none.

The template is a game like others, linted, typed and tested; a new game is its text with another name.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import json
import keyword
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template

import yaml

import engines
from engines.errors import FileError, UsageError, quoted
from engines.files import discard, write_text
from engines.registry import OWN
from orion_ai.data import template_tests_dir

__all__ = ["NewGame", "checkout_above", "make"]

_TEMPLATE = Path(engines.__file__).parent / "template"
_LONGEST, _LONGEST_TITLE = 30, 40
_LOADED = """
import json, sys
import engines
kind = engines.registry.game_type(sys.argv[1])
games = [engines.load(sys.argv[1], players=n) for n in range(kind.min_players, kind.max_players + 1)]
print(json.dumps({
    "version": kind.version,
    "state": f"{kind.dtype.itemsize:,}",
    "decisions": kind.num_actions,
    "ids": kind.num_ids,
    "legal": kind.max_legal,
    "observation": " / ".join(str(game.observation_size) for game in games),
    "streams": kind.num_streams,
    "recall": "yes" if kind.perfect_recall else "no",
}))
"""
"""A program that loads a game for every number of seats and prints the figures of its page."""


@dataclass(frozen=True)
class NewGame:
    """What a new game is called, and for how many.

    Attributes:
        name: the folder and the word on command lines.
        title: the full name; "" = made from `name`.
        players: seats at most; the fewest are two.

    Raises:
        UsageError: a name that cannot be one; the text says why.
    """

    name: str
    title: str = ""
    players: int = 4

    def __post_init__(self) -> None:
        if not self.name:
            raise UsageError("name is missing: expected the name of the new game, for example high_card")
        if not re.fullmatch(r"[a-z][a-z0-9_]*", self.name) or len(self.name) > _LONGEST:
            expected = f"small letters, digits and underscores, a letter first, {_LONGEST} at most"
            raise UsageError(f"name is {quoted(self.name)}: expected {expected}{_near(self.name)}")
        if keyword.iskeyword(self.name) or keyword.issoftkeyword(self.name):
            raise UsageError(f"name is {self.name!r}: that is a word of the Python language")
        if yaml.safe_load(self.name) != self.name:
            raise UsageError(f"name is {self.name!r}: settings files read that as {yaml.safe_load(self.name)!r}")
        if self.name in engines.GAMES:
            raise UsageError(f"name is {self.name!r}: there is a game of that name (`orion games {self.name}`)")
        taken = [m for m in (f"engines.{self.name}", self.name) if importlib.util.find_spec(m) is not None]
        if taken:
            raise UsageError(f"name is {self.name!r}: it would hide the Python module {taken[0]!r}")
        if self.camel in _words_of_the_template():
            raise UsageError(f"name is {self.name!r}: its class would hide {self.camel!r}, which the game's files need")
        if not self.title:
            object.__setattr__(self, "title", self.name.replace("_", " ").capitalize())
        if not re.fullmatch(r"[^\W_][\w ,.:'-]*", self.title) or len(self.title) > _LONGEST_TITLE:
            expected = f"letters, digits, spaces and , . : ' -, a letter or digit first, {_LONGEST_TITLE} at most"
            raise UsageError(f"title is {quoted(self.title)}: expected {expected}")

    @property
    def words(self) -> Mapping[str, str]:
        """What the texts of the template that are no program name by `$word`."""
        counts = f"2 to {self.players}" if self.players > 2 else "2"
        return {"name": self.name, "title": self.title, "counts": counts}

    @property
    def camel(self) -> str:
        """The name of the game's class."""
        return "".join(part.capitalize() for part in self.name.split("_"))

    def program(self, text: str) -> str:
        """A module of the template as the new game's."""
        words = {"The Template": self.title, "Template": self.camel, "template": self.name}
        text = re.sub("|".join(words), lambda found: words[found.group()], text)
        return re.sub(r"^MAX_PLAYERS = \d+$", f"MAX_PLAYERS = {self.players}", text, flags=re.MULTILINE)


def _words_of_the_template() -> set[str]:
    """Every name that a module of the template uses."""
    trees = [ast.parse(path.read_text()) for path in _TEMPLATE.glob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    imported = {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    return imported | {node.id for node in nodes if isinstance(node, ast.Name)} - {"Template"}


def _near(name: str) -> str:
    """A valid name that looks like `name`, as a question."""
    near = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:_LONGEST]
    return f". Did you mean {near!r}?" if re.match(r"[a-z]", near) else ""


def checkout_above(folder: Path) -> Path | None:
    """The checkout of Orion that `folder` is, or lies in; None if there is none."""
    return next((f for f in (folder, *folder.parents) if _is_checkout(f)), None)


def _is_checkout(folder: Path) -> bool:
    return (folder / "engines" / "registry.py").is_file() and (folder / "pyproject.toml").is_file()


def make(game: NewGame, folder: Path) -> list[Path]:
    """Write the files of `game` below `folder`; in a checkout, register it too.

    Args:
        game: what to write.
        folder: a checkout of Orion, or a folder of one's own, made if need be.

    Returns:
        what was written: two folders and two files.

    Raises:
        UsageError: something of that name is there, or `folder` holds another package `engines`. Nothing is written.
        FileError: the disk denies us. What had been written is taken back.
    """
    checkout = _is_checkout(folder)
    if not checkout and (folder / "engines" / "__init__.py").exists():
        raise UsageError(f"{str(folder)!r} has a package 'engines' and is no checkout of Orion: name another folder")
    name = game.name
    places = (f"engines/{name}", f"configs/game/{name}.yaml", f"tests/{name}", f"docs/games/{name}.md")
    there = [place for place in places if os.path.lexists(folder / place)]
    if there:
        raise UsageError(f"{str(folder / there[0])!r} is there already: nothing is overwritten")
    try:
        with _taken_back() as made:
            _make_folder(folder, made)
            with tempfile.TemporaryDirectory(prefix=".new-game-", dir=folder) as beside:
                _write(game, Path(beside))
                for place in places:
                    _make_folder((folder / place).parent, made)
                    _put(Path(beside) / place, folder / place)
                    made.append(folder / place)
            if checkout:
                _register(folder / "engines" / "registry.py", name)
    except OSError as error:
        raise FileError(f"cannot write {error.filename or str(folder)!r}: {error.strerror or error}") from None
    return [folder / place for place in places]


@contextlib.contextmanager
def _taken_back() -> Iterator[list[Path]]:
    """Paths that are removed again, the last first, if what follows fails or is interrupted."""
    made: list[Path] = []
    try:
        yield made
    except BaseException:
        for path in reversed(made):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                discard(path)
        raise


def _put(source: Path, place: Path) -> None:
    """Move a file or a folder to a place where nothing is: what another process has put there meanwhile stays."""
    if source.is_dir():
        source.rename(place)  # which refuses a folder that is not empty
    else:
        os.link(source, place)


def _make_folder(folder: Path, made: list[Path]) -> None:
    """Make a folder and those above it, and add what was not there to `made`."""
    new = [f for f in (folder, *folder.parents) if not f.exists()]
    for path in reversed(new):
        path.mkdir()
        made.append(path)


def _write(game: NewGame, folder: Path) -> None:
    """All files of the game below `folder`; loaded once there, so that what is put in place works."""
    for source in sorted(_TEMPLATE.glob("*.py")):
        write_text(folder / "engines" / game.name / source.name, game.program(source.read_text()))
    for source in sorted(template_tests_dir().glob("*.py")):
        if source.name != "conftest.py":  # it makes the template known, which is no game
            write_text(folder / "tests" / game.name / source.name, game.program(source.read_text()))
    settings, page = (Template((_TEMPLATE / name).read_text()) for name in ("settings.yaml", "page.md"))
    write_text(folder / "configs" / "game" / f"{game.name}.yaml", settings.substitute(game.words))
    figures = _figures(game.name, folder)
    write_text(folder / "docs" / "games" / f"{game.name}.md", page.substitute(game.words, **figures))


def _figures(name: str, folder: Path) -> dict[str, str]:
    """The figures of the game in `folder`, from a process of its own, where its kernels need not be compiled."""
    own = {OWN: str(folder), "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    words = [sys.executable, "-c", _LOADED, name]
    told = subprocess.run(words, env={**os.environ, **own}, capture_output=True, text=True, check=False)
    if told.returncode:
        raise RuntimeError(f"the new game cannot be loaded:\n{told.stderr}")
    figures: dict[str, str] = json.loads(told.stdout)
    return figures


def _register(registry: Path, name: str) -> None:
    """Add the game's line to `GAMES`, in the order of the alphabet."""
    text = registry.read_text()
    table = re.search(r'^GAMES: dict\[str, str\] = \{\n((?:    "\w+": "[\w.]+",\n)+)\}$', text, re.MULTILINE)
    if table is None:
        raise UsageError(f"{str(registry)!r} has no table GAMES of one game a line: cannot register {name!r}")
    lines = sorted([*table.group(1).splitlines(keepends=True), f'    "{name}": "engines.{name}",\n'])
    write_text(registry, text[: table.start(1)] + "".join(lines) + text[table.end(1) :])
