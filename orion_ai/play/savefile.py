"""A game put aside: who plays, and every step so far, as JSON.

Steps are texts, not numbers, so the file can be read. It holds what is hidden from the person (the steps of others, the
deal): it says so in its first line, and is for resuming only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from engines.contract import Game
from engines.errors import FileError, UsageError, quoted
from engines.files import read_json, write_json
from orion_ai.arena.entrants import Entrant
from orion_ai.identity import identity_of

__all__ = ["SavedGame", "texts"]

T = TypeVar("T")
FORMAT = 1
KIND = "orion saved game"
WARNING = "This file holds everything that is hidden in the game: reading it spoils the game."


@dataclass(frozen=True)
class SavedGame:
    """What a file of a game put aside says.

    Attributes:
        game: the `game` section of the configuration it was started with.
        seat: the person's seat.
        seed: names the deal and the bots' random numbers.
        entrants: the bots, clockwise from the person's seat.
        casual: whether hints and undo are allowed.
        steps: texts of all decisions and outcomes so far.
        identity: the game's identity when it was saved.
    """

    game: Mapping[str, Any]
    seat: int
    seed: int
    entrants: tuple[Entrant, ...]
    casual: bool
    steps: tuple[str, ...]
    identity: Mapping[str, Any]

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all.

        Raises:
            FileError: the disk refuses.
            UsageError: an agent is somebody's own code, and a file that is opened must never run code.
        """
        for entrant in self.entrants:
            if entrant.runs:
                raise UsageError(f"a game with an agent of one's own ({entrant.runs!r}) cannot be saved")
        data = asdict(self)
        write_json(path, {"warning": WARNING, "kind": KIND, "format": FORMAT, **data})

    @classmethod
    def read(cls, path: Path) -> SavedGame:
        """The game saved in `path`.

        Raises:
            FileError: it cannot be read, is something else, or is damaged.
        """
        data = read_json(path, "saved game")
        if not isinstance(data, dict) or data.get("kind") != KIND:
            raise FileError(f"{str(path)!r} is no saved game: expected kind {KIND!r}")
        if data.get("format") != FORMAT:
            raise FileError(f"{str(path)!r} has format {data.get('format')!r}; this version of Orion reads {FORMAT}")
        try:
            entrants = tuple(Entrant(**e) for e in data["entrants"])
            steps = tuple(_of(str, step) for step in data["steps"])
            for entrant in entrants:
                _of(str, entrant.name), _of(dict, entrant.settings), _of(str, entrant.where)
                _of(str, entrant.opponent_where)
            if any(entrant.runs for entrant in entrants):
                raise FileError(f"{str(path)!r} names Python code as an agent: a saved game may not, and none is run")
            return cls(
                _of(dict, data["game"]),
                _of(int, data["seat"]),
                _of(int, data["seed"]),
                entrants,
                _of(bool, data["casual"]),
                steps,
                _of(dict, data["identity"]),
            )
        except UsageError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise FileError(f"{str(path)!r} is damaged ({type(error).__name__}: {error})") from None

    def past(self, game: Game, path: Path) -> list[int]:
        """The steps as ids of `game`.

        Raises:
            FileError: the game has changed since, or a step is no action of it; names the step.
        """
        identity_of(game).check(self.identity, f"saved game {str(path)!r}")
        if len(self.entrants) != game.players - 1:
            bots, seats = len(self.entrants), game.players
            raise FileError(f"{str(path)!r} is damaged: {bots} bots in a game of {seats} seats")
        ids = []
        for number, text in enumerate(self.steps, 1):
            try:
                ids.append(game.parse(text))
            except UsageError as error:
                raise FileError(f"{str(path)!r}, step {number}: {error}") from None
        return ids


def _of(kind: type[T], value: object) -> T:
    if type(value) is not kind:
        raise TypeError(f"expected a {kind.__name__}, found {quoted(value)}")
    return value


def texts(game: Game, actions: Sequence[int]) -> tuple[str, ...]:
    """The steps of a game as the file holds them."""
    return tuple(game.action_text(action) for action in actions)
