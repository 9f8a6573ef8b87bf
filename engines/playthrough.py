"""Playthroughs: one seeded game of every kind as text, under version control, so that any change of behaviour shows.

At first every seat's observation (named slices) and view are written whole, then, while `DETAILED` steps last, what
changes in them, with every legal action by text; after that one line a step with the keys and a digest of all
observations and views (in very long games, past `FULL` steps, for one step in `THINNED`). The end is written whole.

    python -m engines.playthrough GAME [--players N] [--write [--folder F]]   print one (or write its golden files anew)
    python -m engines.playthrough --all [--folder F]                        write the golden files of all games
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import engines
from engines.contract import CHANCE, PUBLIC, Game
from engines.errors import UsageError
from engines.files import golden_folder, write_text
from engines.registry import GAMES, game_type
from engines.rng import Dealer, below, generator
from engines.state import State

__all__ = ["golden_path", "playthrough", "write_golden"]

GOLDEN = Path("tests/golden/playthroughs")
"""Where golden files are written if nothing else is said: their folder in a checkout, seen from its top."""
SEED = 20
DETAILED = 40
"""Steps of which everything that changes is written out."""
FULL, THINNED = 400, 25
"""Steps that are all written; of later ones one in `THINNED` is. A difference still shows, if a few steps later: keys
and digests cover the whole position."""


def playthrough(game: Game, seed: int = SEED) -> str:
    """A random game of `game`, by `seed`, as text."""
    return "\n".join(_Writer(game, seed).lines()) + "\n"


def golden_path(name: str, players: int, folder: Path) -> Path:
    """Where in `folder` the playthrough of a game and number of players is kept."""
    return folder / f"{name}_{players}.txt"


def write_golden(name: str, players: int, folder: Path) -> Path:
    """Play and write one golden file; returns its path in `folder`."""
    path = golden_path(name, players, golden_folder(folder))
    write_text(path, playthrough(engines.load(name, players=players)))
    return path


class _Writer:
    def __init__(self, game: Game, seed: int) -> None:
        self.game, self.seed = game, seed
        self.rng = generator("playthrough", seed)
        self.dealer = Dealer(seed, game.num_streams)
        self.state = State.start(game)
        self._before: dict[str, str] = {}

    def lines(self) -> Iterator[str]:
        game, state, ply = self.game, self.state, 0
        yield f"{game.name} version {game.version} content {game.content_hash or '-'} options {game.options}"
        yield f"record {game.record_size} observation {game.observation_size} actions {game.num_actions}/{game.num_ids}"
        while not state.is_over:
            detailed = ply < DETAILED
            if detailed:
                yield from self._sights()
            action = self._choose()
            if ply >= FULL and ply % THINNED:
                state._step(action)
                ply += 1
                continue
            seats = range(PUBLIC, game.players)
            keys = " ".join(f"{state.info_key(seat):016x}" for seat in seats)
            told = dict.fromkeys(state.notation(action, seat) for seat in seats)
            yield f"{ply} {self._legal(detailed)} > {game.action_text(action)}"
            yield f"  keys {keys} sights {self._digest()} returns {_floats(state.returns())}"
            if detailed:
                yield f"  told {' | '.join(told)}"
            state.apply(action)
            ply += 1
        self._before = {}
        yield from self._sights()
        yield f"over after {ply} steps: returns {_floats(state.returns())} scores {state.scores()}"
        yield f"record {hashlib.sha256(state.record.tobytes()).hexdigest()[:16]}"
        yield str(state)

    def _choose(self) -> int:
        if self.state.to_play == CHANCE:
            return self.state.draw(self.dealer)
        legal = self.state.legal_actions()
        return legal[below(self.rng, len(legal))]

    def _legal(self, detailed: bool) -> str:
        """Who plays, and from what."""
        if self.state.to_play == CHANCE:
            stream, odds = self.state.chance()
            shown = ", ".join(f"{self.game.action_text(o)} x{w}" for o, w in odds) if detailed else len(odds)
            return f"chance (stream {stream}): {shown}"
        legal = self.state.legal_actions()
        shown = ", ".join(self.game.action_text(a) for a in legal) if detailed else len(legal)
        return f"seat {self.state.to_play}: {shown}"

    def _sights(self) -> Iterator[str]:
        """What has changed in the seats' observations and views since they were last written.

        What a seat's view shares with the public one stands there alone.
        """
        state, now = self.state, dict[str, str]()
        public = state.view(PUBLIC)
        for field in ("scores", "returns"):
            now[f"public {field}"] = json.dumps(public[field])
        for field, value in public["state"].items():
            now[f"public knows {field}"] = json.dumps(value)
        for seat in range(self.game.players):
            for field, value in state.view(seat)["state"].items():
                if value != public["state"][field]:
                    now[f"seat {seat} knows {field}"] = json.dumps(value)
            seen = state.observe(seat)
            for part in self.game.slices:
                now[f"seat {seat} sees {part.name}"] = _compact(seen[part.start : part.start + part.size])
        for what, value in now.items():
            if self._before.get(what) != value:
                yield f"  {what}: {value}"
        self._before = now

    def _digest(self) -> str:
        """Twelve hex digits of all seats' observations and views."""
        digest = hashlib.sha256()
        for seat in range(PUBLIC, self.game.players):
            digest.update(json.dumps(self.state.view(seat)).encode())
            if seat != PUBLIC:
                digest.update(self.state.observe(seat).tobytes())
        return digest.hexdigest()[:12]


def _compact(values: NDArray[np.int16]) -> str:
    """Entries that are not zero, as `place:value`; short slices whole."""
    if len(values) <= 8:
        return " ".join(str(v) for v in values)
    return " ".join(f"{i}:{values[i]}" for i in np.flatnonzero(values)) or "-"


def _floats(values: list[Any]) -> str:
    return " ".join(f"{v:+.4f}" for v in values)


def main(arguments: list[str] | None = None) -> int:
    """See the module."""
    parser = argparse.ArgumentParser(prog="python -m engines.playthrough", description="A seeded game as text.")
    parser.add_argument("game", nargs="?", help="name of the game")
    parser.add_argument("--players", type=int, help="seats (default: every number that the game allows)")
    parser.add_argument("--write", action="store_true", help="write the golden files instead of printing")
    parser.add_argument("--all", action="store_true", help="write the golden files of all games")
    parser.add_argument("--folder", type=Path, default=GOLDEN, help="where they are written (default: %(default)s)")
    given = parser.parse_args(arguments)
    try:
        if not given.game and not given.all:
            raise UsageError(f"name a game ({', '.join(GAMES)}) or give --all")
        for name in [given.game] if given.game else GAMES:
            kind = game_type(name)
            for players in [given.players] if given.players else range(kind.min_players, kind.max_players + 1):
                if given.all or given.write:
                    print(write_golden(name, players, given.folder))
                else:
                    print(playthrough(engines.load(name, players=players)))
    except UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
