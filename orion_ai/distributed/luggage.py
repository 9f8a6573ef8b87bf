"""The files of a match, to take along: a worker on another machine need not find them at their path."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

from engines import files
from engines.errors import FileError
from orion_ai import checkpoint
from orion_ai.arena.luck import STANDING
from orion_ai.arena.runner import Match
from orion_ai.distributed.content import carried, settled

__all__ = ["Luggage", "pack", "received", "sent", "unpack"]

Luggage = Mapping[str, Mapping[str, bytes]]
"""Path of a manifest -> the names of its own file and of its weights' -> their content."""


def sent(match: Match) -> str:
    """A match as text, with a content file of one's own.

    Raises:
        FileError: that file cannot be read.
    """
    return dataclasses.replace(match, game=carried(match.game)).as_text()


def received(text: str) -> Match:
    """Inverse of `sent`, on this machine."""
    match = Match.from_text(text)
    return dataclasses.replace(match, game=settled(match.game))


def pack(match: Match) -> Luggage:
    """The checkpoints that a match names.

    Raises:
        FileError: one cannot be read.
    """
    named = {where for entrant in match.entrants for where in (entrant.where, entrant.opponent_where)} | {match.luck}
    found = {}
    for where in sorted(named - {"", STANDING}):
        manifest = Path(where)
        names = [manifest.name, checkpoint.read(manifest).weights]
        try:
            found[where] = {name: (manifest.parent / name).read_bytes() for name in names}
        except OSError as error:
            raise FileError(f"cannot read checkpoint {where!r}: {error.strerror or error}") from None
    return found


def unpack(match: Match, luggage: Luggage, folder: Path) -> Match:
    """The same match with its checkpoints in `folder`, a folder for each."""
    places = {"": "", STANDING: STANDING}
    for number, (where, contents) in enumerate(luggage.items()):
        there = folder / str(number)
        for name, content in contents.items():
            files.write(there / name, lambda file, content=content: file.write(content))  # type: ignore[misc]
        places[where] = str(there / Path(where).name)
    entrants = tuple(
        dataclasses.replace(e, where=places[e.where], opponent_where=places[e.opponent_where]) for e in match.entrants
    )
    return dataclasses.replace(match, entrants=entrants, luck=places[match.luck])
