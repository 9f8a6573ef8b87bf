"""orion new-game: write the files of a new game, to fill in.

Usage: orion new-game NAME [KEY=VALUE ...]

Writes a small game that is whole: each seat is dealt a hidden card and decides once. It can be checked, played and
learned as it is; every place where a game of one's own differs says FILL IN. What is written:

  engines/NAME/           the rules: layout, rules, belief, observation, texts
  configs/game/NAME.yaml  its settings
  tests/NAME/             its tests, and a reference that knows nothing of the kernels
  docs/games/NAME.md      its page

In a checkout of Orion the game is also registered: one line in engines/registry.py. With folder=DIR the same files go
to a folder of your own, for an Orion that was installed without its sources; the environment variable ORION_GAMES=DIR
then makes its games known to every command (several folders as in PATH). A game can move between the two as it is.

Either everything is written or nothing (unless the process is killed: then remove what lies there). No file is ever
overwritten.

Settings:
  NAME or name=NAME   what the game is called: a Python name in small letters
  title=TEXT          its full name (default: made from NAME)
  players=4           seats at most, 2 to 6; the fewest are two
  folder=DIR          where to (default: the checkout that this is called in)

Examples:
  orion new-game high_card
  orion new-game high_card title='"High Card"' players=2 folder=games
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.errors import UsageError
from engines.registry import OWN
from orion_ai.commands.configuration import read
from orion_ai.new_game import NewGame, checkout_above, make
from orion_ai.ranges import check_ranges

__all__ = ["NewGameConfig", "run"]


@dataclass(frozen=True)
class NewGameConfig:
    """Settings of `orion new-game`."""

    name: str = ""
    title: str = ""
    players: int = 4
    folder: str = ""

    def __post_init__(self) -> None:
        check_ranges("", self, {"players": (2, 6)})


def run(argv: Sequence[str]) -> int:
    """See the module."""
    for request in read("new-game", NewGameConfig, argv, positional={"name": "the name of the new game"}):
        config = request.config
        game = NewGame(config.name, config.title, config.players)
        folder = Path(config.folder).expanduser().absolute() if config.folder else checkout_above(Path.cwd())
        if folder is None:
            raise UsageError("here is no checkout of Orion: name a folder for games of your own, folder=DIR")
        _tell(make(game, folder), config.name, folder)
    return 0


def _tell(written: Sequence[Path], name: str, folder: Path) -> None:
    """What was written, and what comes next."""
    for path in written:
        print(f"written: {path}")
    if (registry := folder / "engines" / "registry.py").is_file():
        print(f"registered: {registry}")
        if folder != Path(__file__).resolve().parents[2]:
            print(f"note: the Orion that runs now is another one; that of {folder} knows the game")
    else:
        print(f"next: export {OWN}={folder}")
    print(f"next: orion check {name}, then whatever says FILL IN; the recipe is 'Add a game' in CONTRIBUTING.md")
