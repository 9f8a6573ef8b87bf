# mypy: ignore-errors
"""Pieces of `observe` and `info_key` that games share: runs of an observation, and a hash of a record's bytes."""

import numpy as np

from engines.kernel import kernel
from engines.rng import mix

__all__ = ["hashed", "put_one_hot", "put_row", "put_seat"]

_MULTIPLIER, _SHIFT = np.uint64(0xBF58476D1CE4E5B9), np.uint64(29)


@kernel
def put_one_hot(out, at, size, place):
    """Set the one place of a run (none where `place` lies outside); return where the next slice begins."""
    if 0 <= place < size:
        out[at + place] = 1
    return at + size


@kernel
def put_seat(s, out, at, seat, other):
    """Set the place of a seat, counted from the observer (`other` < 0: none)."""
    players = int(s["players"])
    return put_one_hot(out, at, players, -1 if other < 0 else (other - seat) % players)


@kernel
def put_row(out, at, row):
    """Copy an array; return where the next slice begins."""
    for i in range(row.shape[0]):
        out[at + i] = int(row[i])
    return at + row.shape[0]


@kernel
def word(state, at):
    """Eight bytes as one number; the compiler makes it one load, at any alignment."""
    total = np.uint64(state[at])
    for i in range(1, 8):
        total |= np.uint64(state[at + i]) << np.uint64(8 * i)
    return total


@kernel
def hashed(state, start, end, key):
    """Hash the bytes start..end-1 onto `key`, in two strands so that the processor works on both at once."""
    one, two = key, key ^ _MULTIPLIER
    at = np.uint64(start)
    while at + np.uint64(16) <= np.uint64(end):
        one = (one ^ word(state, at)) * _MULTIPLIER
        one ^= one >> _SHIFT
        two = (two ^ word(state, at + np.uint64(8))) * _MULTIPLIER
        two ^= two >> _SHIFT
        at += np.uint64(16)
    while at < np.uint64(end):
        one = (one ^ np.uint64(state[at])) * _MULTIPLIER
        one ^= one >> _SHIFT
        at += np.uint64(1)
    return mix(one, two)
