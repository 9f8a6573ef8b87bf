"""Games: rules as compiled kernels over one NumPy record. Works without torch, ray or hydra.

>>> import engines
>>> game = engines.load("kuhn_poker", players=2)
>>> state = game.start(seed=7)
>>> while not state.is_over:
...     state.apply(state.legal_actions()[0])
>>> state.returns()
[1.0, -1.0]
"""

from __future__ import annotations

from engines.contract import CHANCE, PUBLIC, TERMINAL
from engines.errors import ContentError, FileError, IllegalAction, UsageError
from engines.registry import GAMES, load
from engines.state import State

__all__ = [
    "CHANCE",
    "GAMES",
    "PUBLIC",
    "TERMINAL",
    "ContentError",
    "FileError",
    "IllegalAction",
    "State",
    "UsageError",
    "load",
]
