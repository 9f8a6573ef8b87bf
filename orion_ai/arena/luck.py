"""How much of a result was luck: what chance gave each seat, so that it can be taken out without a bias.

For every chance event of a finished game, with a value v of positions,

    luck = v(position after the outcome that came) - mean of v over the outcomes that could have come, by their weights.

Each such term has mean zero given all that went before it, whatever v is and whatever the players do; so has their sum
(the idea of MIVAT: White and Bowling 2009). Results less their luck therefore have the same mean as the results; the
better v foretells the end, the less they vary. How much of the luck to take out is estimated for each block from the
other blocks, which keeps the mean exact and does little harm where v knows nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engines.contract import CHANCE, Game

__all__ = ["STANDING", "adjusted", "luck_identity", "luck_of", "make_luck", "network_value", "standing_value"]

Floats = NDArray[np.float64]
Value = Callable[[NDArray[np.uint8]], Floats]
"""From records uint8[n, record] to float64[n, players]: what each seat may expect."""
STANDING = "standing"
"""Names the value that every game has: its returns by the present standing."""
AT_ONCE = 1024
"""Positions that a network is asked about at a time."""


def luck_of(game: Game, history: Sequence[int], value: Value) -> list[float]:
    """What chance gave each seat in the game with this history, in the unit of `value`."""
    state = game.start()
    children: list[NDArray[np.uint8]] = []
    events: list[tuple[int, Floats]] = []
    for step in history:
        if state.to_play == CHANCE:
            outcomes = state.chance()[1]
            for outcome, _ in outcomes:
                child = state.record.copy()
                game.kernels.apply(child, outcome)
                children.append(child)
            came = [outcome for outcome, _ in outcomes].index(step)
            events.append((came, np.array([weight for _, weight in outcomes], np.float64)))
        state.apply(step)
    luck = np.zeros(game.players)
    if children:
        values, first = value(np.array(children)), 0
        for came, weights in events:
            part = values[first : first + len(weights)]
            luck += part[came] - weights @ part / weights.sum()
            first += len(weights)
    return [float(x) for x in luck]


def standing_value(game: Game) -> Value:
    """The returns by the present standing."""

    def value(records: NDArray[np.uint8]) -> Floats:
        out = np.zeros((len(records), game.players), np.float32)
        for record, row in zip(records, out, strict=True):
            game.kernels.returns(record, row)
        return out.astype(np.float64)

    return value


def network_value(game: Game, manifest: Path) -> Value:
    """What a checkpoint's network expects for each seat from what it sees; finished positions by their returns."""
    from orion_ai import checkpoint
    from orion_ai.net.config import EvaluatorConfig
    from orion_ai.net.evaluators import make_evaluator

    network = checkpoint.load_network(manifest, game)
    evaluator = make_evaluator(network, EvaluatorConfig(backend="onnx"), AT_ONCE)
    standing = standing_value(game)

    def value(records: NDArray[np.uint8]) -> Floats:
        seats = game.players
        seen = np.zeros((len(records) * seats, game.observation_size), np.int16)
        for i, record in enumerate(records):
            for seat in range(seats):
                game.kernels.observe(record, seat, seen[i * seats + seat])
        parts = [evaluator.evaluate(seen[i : i + AT_ONCE])[1] for i in range(0, len(seen), AT_ONCE)]
        own = np.concatenate(parts)[:, 0].astype(np.float64).reshape(len(records), seats)
        over = np.array([game.kernels.to_play(record) < CHANCE for record in records])
        return np.where(over[:, None], standing(records), own)

    return value


def make_luck(game: Game, name: str) -> Callable[[Sequence[int]], list[float]] | None:
    """What takes a game's history to its luck: by `standing`, or by the network of a checkpoint; "" is none."""
    if not name:
        return None
    value = standing_value(game) if name == STANDING else network_value(game, Path(name))
    return lambda history: luck_of(game, history, value)


def luck_identity(name: str) -> str:
    """What decides the luck that is measured: of a checkpoint the name of its weights, made from their content."""
    from orion_ai import checkpoint

    return name if name == STANDING else checkpoint.read(Path(name)).weights


def adjusted(results: Floats, luck: Floats) -> Floats:
    """Results of blocks with their luck taken out: same mean, less spread.

    Args:
        results: float64[blocks].
        luck: float64[blocks], of mean zero.

    Returns:
        float64[blocks]: results - share * luck, the share being the regression of the other blocks' results on theirs.
    """
    if len(results) < 3:
        return results - luck
    n = len(results)
    others = (luck.sum() - luck) / (n - 1), (results.sum() - results) / (n - 1)
    product = ((luck * results).sum() - luck * results) / (n - 1) - others[0] * others[1]
    square = ((luck**2).sum() - luck**2) / (n - 1) - others[0] ** 2
    share = np.where(square > 1e-12, product / np.where(square > 1e-12, square, 1.0), 0.0)
    taken: Floats = results - share * luck
    return taken
