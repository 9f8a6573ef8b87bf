"""Randomness that belongs to the caller: counter-based draws, and the dealer that plays chance events.

A generator is `uint64[2]`: (key, counter). A draw is a hash of the two, so a stream is named by its key alone, two
streams never interfere, and copying a game state (which holds no generator) can never copy the future.

The dealer answers chance events. Event n of a stream takes the outcome with the least -ln(u) / weight, where u is
hashed from (deal, stream, n, outcome): an exponential race, won by each outcome with probability weight / sum. Outcomes
are named by id, so two games that differ a little in what is left of a deck still mostly draw the same cards: the games
of a block stay in step.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numba import types
from numpy.typing import NDArray

from engines.kernel import kernel

__all__ = ["RNG", "Dealer", "below", "deal_event", "generator", "key_of", "mix", "next_u64", "uniform"]

RNG = types.uint64[::1]
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_M1, _M2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S11, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(11), np.uint64(32)
_LOW, _ONE = np.uint64(0xFFFFFFFF), np.uint64(1)
_UNIT = 2.0**-53


@kernel(types.uint64(types.uint64, types.uint64))
def mix(a: np.uint64, b: np.uint64) -> np.uint64:
    """Hash two 64-bit numbers into one (the finaliser of SplitMix64 over a + (b + 1) * golden ratio)."""
    z = a + (b + _ONE) * _GOLDEN
    z = (z ^ (z >> _S30)) * _M1
    z = (z ^ (z >> _S27)) * _M2
    return z ^ (z >> _S31)


@kernel(types.uint64(RNG))
def next_u64(rng: NDArray[np.uint64]) -> np.uint64:
    """The next 64 random bits of the generator; advances its counter."""
    rng[1] += _ONE
    z: np.uint64 = mix(mix(rng[0], rng[1]), _GOLDEN)
    return z


@kernel(types.float64(RNG))
def uniform(rng: NDArray[np.uint64]) -> float:
    """A number in [0, 1) with 53 random bits."""
    return float(next_u64(rng) >> _S11) * _UNIT


@kernel(types.int64(RNG, types.int64))
def below(rng: NDArray[np.uint64], n: int) -> int:
    """A number in 0..n-1, n < 2**31. The bias is under n / 2**32 of the probability."""
    return int(((next_u64(rng) & _LOW) * np.uint64(n)) >> _S32)


@kernel(types.int64(types.uint64, types.int64, types.int64, types.int32[::1], types.int64[::1], types.int64))
def deal_event(
    deal: np.uint64, stream: int, event: int, outcomes: NDArray[np.int32], weights: NDArray[np.int64], n: int
) -> int:
    """The outcome id of event number `event` of `stream`, among the first `n` of `outcomes`."""
    base = mix(mix(deal, np.uint64(stream)), np.uint64(event))
    best, least = outcomes[0], math.inf
    for i in range(n):
        u = (float(mix(base, np.uint64(outcomes[i])) >> _S11) + 0.5) * _UNIT
        time = -math.log(u) / float(weights[i])
        if time < least:
            best, least = outcomes[i], time
    return int(best)


def key_of(*parts: int | str) -> int:
    """One 64-bit key from names and numbers, the same on every machine: `key_of(run, "selfplay", game)`."""
    key = np.uint64(0)
    with np.errstate(over="ignore"):
        for part in parts:
            if isinstance(part, str):
                for byte in part.encode():
                    key = mix(key, np.uint64(byte))
                part = len(part)
            key = mix(key, np.uint64(part & 0xFFFFFFFFFFFFFFFF))
    return int(key)


def generator(*parts: int | str) -> NDArray[np.uint64]:
    """A fresh generator `uint64[2]` named by `parts`."""
    return np.array([key_of(*parts), 0], np.uint64)


class Dealer:
    """Plays the chance events of one game. Never part of a state, never handed to a player."""

    def __init__(self, deal: int, streams: int) -> None:
        """`deal` names the whole future (any 64-bit number); `streams` is the game's number of streams."""
        self.deal = deal & 0xFFFFFFFFFFFFFFFF
        self.counts: NDArray[np.int64] = np.zeros(streams, np.int64)

    def choose(self, stream: int, outcomes: NDArray[np.int32], weights: NDArray[np.int64]) -> int:
        """The outcome of the next event of `stream`; counts the event."""
        event = int(self.counts[stream])
        self.counts[stream] += 1
        return int(deal_event(np.uint64(self.deal), stream, event, outcomes, weights, len(outcomes)))

    def recount(self, streams: Iterable[int]) -> None:
        """Go on after events that are already past: `streams` are those of the chance events of an action list."""
        self.counts[:] = 0
        for stream in streams:
            self.counts[stream] += 1
