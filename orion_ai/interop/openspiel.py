"""Orion's games in OpenSpiel, and OpenSpiel's bots in Orion's arena (needs the package open_spiel).

- `load(name, **options)` gives any engine as a `pyspiel.Game`; `register(name)` makes it known to `pyspiel.load_game`.
- `bot` makes an agent of an OpenSpiel bot: `{python: "orion_ai.interop.openspiel:bot", bot: mcts, simulations: 500}`.
"""

from __future__ import annotations

from orion_ai.interop.openspiel_bots import SpielAgent, bot
from orion_ai.interop.openspiel_game import SpielGame, SpielState, load, register

__all__ = ["SpielAgent", "SpielGame", "SpielState", "bot", "load", "register"]
