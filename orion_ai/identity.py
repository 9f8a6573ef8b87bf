"""Which game: as settings describe it, and as files name it, so that none is used with rules it does not fit."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import engines
from engines.contract import Game, Options
from engines.errors import FileError, UsageError
from engines.registry import checked, own_folders
from orion_ai.settings import differences, filled

__all__ = ["GameIdentity", "identity_of", "load_game", "players_of", "sources"]


def load_game(settings: Mapping[str, Any]) -> Game:
    """The game that a `game` section describes: `name`, `content` and the game's own options (null: its default).

    Raises:
        UsageError: no such game, or an option that it does not have or allow.
    """
    name, options = _name_and_options(settings)
    return engines.load(name, **options)


def players_of(settings: Mapping[str, Any]) -> int:
    """The number of seats of the game that `load_game` would load, without compiling it. Errors as there."""
    name, options = _name_and_options(settings)
    return checked(name, **options).players


def _name_and_options(settings: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    options = {str(k): v for k, v in settings.items() if v is not None}
    name = options.pop("name", None)
    if not isinstance(name, str):
        raise UsageError("game.name is missing: expected one of " + ", ".join(engines.GAMES))
    return name, options


@dataclass(frozen=True)
class GameIdentity:
    """What must agree before a file of one game is used with another.

    Attributes:
        game: the game's stable name.
        version: raised by the game when behaviour, layout, observation or ids change.
        content: hash of the content data ("" for a game without).
        options: the game's options, players first.
        layout: hash of the record's dtype, the observation's slices, the vocabularies and the sizes of the action
            space.
        defaults: the options' defaults: those that a file does not know, because they came later. Not written.
        free: options that may differ between a network and the game that it plays (`Options.FREE`). Not written.
    """

    game: str
    version: int
    content: str
    options: Mapping[str, Any]
    layout: str
    defaults: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    free: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def as_json(self) -> dict[str, Any]:
        """Plain data for a manifest."""
        return {key: value for key, value in dataclasses.asdict(self).items() if key not in ("defaults", "free")}

    def check(self, found: Mapping[str, Any], source: str, *, network: bool = False) -> None:
        """Refuse a file whose manifest names another game.

        Args:
            found: the identity in the file's manifest.
            source: the file, for the message.
            network: the file holds a network, which plays whatever the `free` options are.

        Raises:
            FileError: names the file, the first thing that differs, and both values.
        """
        why = {
            "game": "it is for another game",
            "version": "the rules of the game have changed since",
            "content": "it was made with other cards or boards",
            "options": "it was made with other options of the game",
            "layout": "the record, the observation or the action space has changed since",
        }
        there = filled(found, {"options": self.defaults})
        for name, how in differences(there, self.as_json()).items():
            key, _, option = name.partition(".")
            if network and key == "options" and option.partition(".")[0] in self.free:
                continue
            raise FileError(f"{source} does not fit: {why.get(key, 'it is of another kind')} ({name} {how})")


def identity_of(game: Game) -> GameIdentity:
    """The identity of a loaded game."""
    layout = {
        "dtype": game.dtype.descr,
        "size": game.record_size,
        "slices": [(s.name, s.kind.value, s.shape, s.scale, s.labels, s.per_seat, s.start) for s in game.slices],
        "labels": {name: list(labels) for name, labels in game.labels.items()},
        "actions": (game.num_actions, game.num_ids),
    }
    digest = hashlib.sha256(json.dumps(layout, sort_keys=True).encode()).hexdigest()[:12]
    options, defaults = (_plain(o) for o in (game.options, type(game.options)(players=game.players)))
    return GameIdentity(game.name, game.version, game.content_hash, options, digest, defaults, game.options.FREE)


def _plain(options: Options) -> dict[str, Any]:
    """Options as they are read back from a file: lists, no tuples."""
    plain: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(options)))
    return plain


def sources() -> str:
    """Twelve hex digits that name the code of this installation, games of one's own with it: equal for equal texts."""
    root = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for folder in (root / "engines", root / "orion_ai", *(own / "engines" for own in own_folders())):
        for source in sorted(folder.rglob("*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()[:12]
