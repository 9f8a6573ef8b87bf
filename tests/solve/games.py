"""Enumerated games that several tests look at, and random policies for them."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

import engines
from orion_ai.solve.tree import Tree, enumerate_game
from tests import games
from tests.solve import matrix_game


@functools.cache
def tree(name: str, **options: Any) -> Tree:
    """A registered game."""
    return enumerate_game(engines.load(name, **options))


@functools.cache
def tiny(name: str, players: int = 0, **options: Any) -> Tree:
    """A game of tests/games."""
    return enumerate_game(games.load(name, players, **options))


@functools.cache
def matrix(name: str) -> Tree:
    """A matrix game."""
    return enumerate_game(matrix_game.load(name))


def random_policy(of: Tree, seed: int) -> NDArray[np.float64]:
    """Some probabilities, none of them 0."""
    return of.normalized(np.random.default_rng(seed).exponential(size=of.slots))
