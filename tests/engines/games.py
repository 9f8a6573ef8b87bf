"""The games that the tests of this folder run on: every one that ships, and the duel."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

import engines
from engines.contract import Game
from engines.registry import GAMES, game_type
from tests.engines.duel import duel

GOLDEN = Path(__file__).parents[1] / "golden"
SMALL = [("kuhn_poker", 2), ("kuhn_poker", 3), ("duel", 2), ("duel", 3)]


def make(name: str, players: int) -> Game:
    return duel(players) if name == "duel" else engines.load(name, players=players)


def counts(name: str) -> range:
    """The numbers of players that a shipped game allows."""
    kind = game_type(name)
    return range(kind.min_players, kind.max_players + 1)


def option_sets(name: str) -> list[dict[str, Any]]:
    """Options under which the shared suites examine a shipped game: the fewest seats, the most, and what its tests add.

    A game whose options lead kernels along other ways lists them as `SETS` in `tests/NAME/option_sets.py`.
    """
    listed = Path(__file__).parents[1] / name / "option_sets.py"
    more = importlib.import_module(f"tests.{name}.option_sets").SETS if listed.is_file() else []
    return [*({"players": players} for players in sorted({counts(name)[0], counts(name)[-1]})), *more]


def is_long(game: Game) -> bool:
    """Whether a game takes so many steps that suites look at some of them only."""
    return game.max_length > 10_000


small = pytest.mark.parametrize(("name", "players"), SMALL)
every_shipped = pytest.mark.parametrize("name", GAMES)
