"""Exact posteriors against sampled worlds: are worlds possible, and as frequent as counting says?

Small games are counted whole: every history is enumerated, with chance by its weights, open decisions as constraints
and secret ones uniform, which is the prior that `determinize` promises. For larger games the caller gives an `Exact`:
the distribution of some hidden feature at a state, counted by hand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.conformance_report import Run
from engines.contract import CHANCE, PUBLIC, TERMINAL
from engines.rng import generator
from engines.state import State

__all__ = ["Exact", "check_feature", "check_posteriors", "chi_square_z"]

Exact = Callable[[State, int], tuple[Callable[[State], Hashable], Mapping[Any, float]] | None]
"""`exact(state, seat)`: a feature of a world and the exact probability of each value; None: nothing to check here."""

MOST_RECORDS = 20_000
"""A game with more positions than this is not counted whole."""
INFORMATION_SETS = 16
"""How many information states of each seat are sampled."""
SAMPLES = 2_000
LIMIT = 5.0
"""Standard normal deviate beyond which a distribution is wrong (3 in 10 million by chance)."""


def chi_square_z(observed: Mapping[Any, float], exact: Mapping[Any, float], effective: float) -> float:
    """How far frequencies are from probabilities, as a standard normal deviate (Wilson and Hilferty 1931).

    Args:
        observed: frequency of each value, summing to 1.
        exact: probability of each value, summing to 1; values expected fewer than five times are pooled.
        effective: how many independent samples the frequencies are worth.
    """
    cells: list[tuple[float, float]] = []
    rest_seen = rest_meant = 0.0
    for value, meant in exact.items():
        if meant * effective >= 5.0:
            cells.append((observed.get(value, 0.0), meant))
        else:
            rest_seen, rest_meant = rest_seen + observed.get(value, 0.0), rest_meant + meant
    if rest_meant * effective >= 5.0:
        cells.append((rest_seen, rest_meant))
    degrees = len(cells) - 1
    if degrees < 1:
        return 0.0
    statistic = sum(effective * (seen - meant) ** 2 / meant for seen, meant in cells)
    spread = 2.0 / (9.0 * degrees)
    return float(((statistic / degrees) ** (1 / 3) - (1.0 - spread)) / math.sqrt(spread))


def check_feature(run: Run, state: State, seat: int, exact: Exact, samples: int = SAMPLES) -> None:
    """Compare a hidden feature's frequency in sampled worlds of `seat` with the caller's exact distribution."""
    asked = exact(state, seat)
    if asked is not None:
        _compare(run, state, seat, *asked, samples)


def _compare(
    run: Run, state: State, seat: int, feature: Callable[[State], Hashable], exact: Mapping[Any, float], samples: int
) -> None:
    rng = generator(run.report.seed, "posterior", seat + 1)
    totals: dict[Hashable, float] = {}
    mass = squares = 0.0
    for _ in range(samples):
        world, log_weight = state.sample_world(seat, rng)
        weight = math.exp(log_weight)
        value = feature(world)
        totals[value] = totals.get(value, 0.0) + weight
        mass, squares = mass + weight, squares + weight * weight
    impossible = [v for v in totals if exact.get(v, 0.0) <= 0.0]
    if run.expect("posterior", not impossible, f"{len(impossible)} sampled worlds are impossible", seat):
        z = chi_square_z({v: t / mass for v, t in totals.items()}, exact, mass * mass / squares)
        run.expect("posterior", z < LIMIT, f"frequencies of {len(exact)} worlds are off by {z:.1f} deviations", seat)


def check_posteriors(run: Run) -> None:
    """Count the whole game, if it is small, and compare the worlds of some information states of every seat."""
    for seat in range(PUBLIC, run.game.players):
        levels = _positions(run, seat)
        if levels is None:
            return
        sets: dict[bytes, dict[bytes, float]] = {}
        secret: set[bytes] = set()
        for record, (weight, chosen) in levels.items():
            known = run.know.of(np.frombuffer(record, np.uint8), seat)
            sets.setdefault(known, {})[record] = weight
            if chosen:
                # Others' secret choices are cleared in a world, so it is no position of the game as it was played.
                secret.add(known)
        eligible = sorted(known for known, worlds in sets.items() if len(worlds) > 1 and known not in secret)
        for known in eligible[:: max(1, len(eligible) // INFORMATION_SETS)]:
            worlds = sets[known]
            total = sum(worlds.values())
            truth = State(run.game, np.frombuffer(min(worlds), np.uint8).copy())
            if truth.is_over:
                continue
            with run.guarded(seat):
                exact = {record: weight / total for record, weight in worlds.items()}
                _compare(run, truth, seat, lambda world: bytes(world.record), exact, SAMPLES)


def _positions(run: Run, seat: int) -> dict[bytes, tuple[float, bool]] | None:
    """Prior weight of every position as `seat` must count it, and whether a secret choice led there; None: too many."""
    record = np.zeros(run.game.record_size, np.uint8)
    run.game.kernels.setup(record, run.game.encode_options())
    level: dict[bytes, tuple[float, bool]] = {record.tobytes(): (1.0, False)}
    found: dict[bytes, tuple[float, bool]] = {}
    while level:
        following: dict[bytes, tuple[float, bool]] = {}
        for position, (weight, chosen) in level.items():
            for child, share, secret in _children(run, np.frombuffer(position, np.uint8).copy(), seat):
                have, was = following.get(child, (0.0, False))
                following[child] = (have + weight * share, was or chosen or secret)
        for position, (weight, chosen) in level.items():
            have, was = found.get(position, (0.0, False))
            found[position] = (have + weight, was or chosen)
        level = following
        if len(found) + len(level) > MOST_RECORDS:
            return None
    return found


def _children(run: Run, record: NDArray[np.uint8], seat: int) -> list[tuple[bytes, float, bool]]:
    """The positions after `record`, each with its share of the prior and whether a secret choice led there."""
    state = State(run.game, record)
    turn = state.to_play
    if turn == TERMINAL:
        return []
    children = []
    for action in state.legal_actions():
        after = record.copy()
        run.game.kernels.apply(after, action)
        children.append(after)
    if turn == CHANCE:
        weights = [w for _, w in state.chance()[1]]
        return [(c.tobytes(), w / sum(weights), False) for c, w in zip(children, weights, strict=True)]
    looks = [run.know.of(c, seat) for c in children]
    alike = [looks.count(look) for look in looks]
    return [(c.tobytes(), 1.0 / n, n > 1) for c, n in zip(children, alike, strict=True)]
