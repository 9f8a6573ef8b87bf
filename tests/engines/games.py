"""The games that the tests of this folder run on: every one that ships, and the duel."""

from __future__ import annotations

from pathlib import Path

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


small = pytest.mark.parametrize(("name", "players"), SMALL)
every_shipped = pytest.mark.parametrize("name", GAMES)
