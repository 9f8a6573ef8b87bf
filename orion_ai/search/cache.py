# mypy: ignore-errors
"""Answers of the network that are kept: an observation that comes again is not asked about again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import types
from numpy.typing import NDArray

from engines.kernel import kernel
from engines.rng import mix

__all__ = ["Answer", "Cache"]

Answer = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Logits and values, as `Evaluator.evaluate` returns them."""

_STEP = np.uint64(16)


@kernel(types.void(types.int16[:, ::1], types.uint64[::1]))
def hash_rows(rows, out):
    """A 64-bit key of each row, never 0."""
    for i in range(rows.shape[0]):
        key, word = np.uint64(rows.shape[1]), np.uint64(0)
        for j in range(rows.shape[1]):
            word = (word << _STEP) | np.uint64(np.uint16(rows[i, j]))
            if j & 3 == 3:
                key = mix(key, word)
        out[i] = max(mix(key, word), np.uint64(1))


MATRIX, KEYS, PLACES = types.float32[:, ::1], types.uint64[::1], types.int64[::1]


@kernel(types.int64(KEYS, PLACES, KEYS, MATRIX, MATRIX, MATRIX, MATRIX, PLACES))
def recall(keys, index, known, known_logits, known_values, logits, values, lacking):
    """Write the answers that are known, list in `lacking` the rows of those that are not; return how many."""
    count = 0
    for i in range(keys.shape[0]):
        place = index[np.int64(keys[i] % np.uint64(index.shape[0]))]
        if known[place] == keys[i]:
            logits[i] = known_logits[place]
            values[i] = known_values[place]
        else:
            lacking[count] = i
            count += 1
    return count


class Cache:
    """The newest `entries` answers, side by side in the order in which they came; an index finds them by key.

    Of answers that meet in the index the newer is found. Observations are told apart by a 64-bit hash: among a million
    different ones two are taken for equal once in 40 million times.

    Attributes:
        rows: rows that were asked for.
        hits: those of them that the network was not asked about.
    """

    def __init__(self, entries: int, actions: int, players: int) -> None:
        self.rows = self.hits = 0
        self._next = 0
        self._index: NDArray[np.int64] = np.zeros(4 * entries, np.int64)
        self._key: NDArray[np.uint64] = np.zeros(entries, np.uint64)
        self._logits = np.zeros((entries, actions), np.float32)
        self._values = np.zeros((entries, players), np.float32)

    def clear(self) -> None:
        """Forget all answers: the network has changed."""
        self._key[:] = 0

    def answer(self, observations: NDArray[np.int16], ask: Callable[[NDArray[np.int16]], Answer]) -> Answer:
        """What `ask(observations)` answers, asked only about rows that are not known, and once about equal ones."""
        rows = len(observations)
        keys, lacking = np.empty(rows, np.uint64), np.empty(rows, np.int64)
        logits = np.empty((rows, self._logits.shape[1]), np.float32)
        values = np.empty((rows, self._values.shape[1]), np.float32)
        hash_rows(observations, keys)
        kept = self._index, self._key, self._logits, self._values
        lacking = lacking[: recall(keys, *kept, logits, values, lacking)]
        asked = 0
        if len(lacking):
            _, first, which = np.unique(keys[lacking], return_index=True, return_inverse=True)
            new = lacking[first]
            asked = len(new)
            new_logits, new_values = ask(observations[new])
            logits[lacking], values[lacking] = new_logits[which], new_values[which]
            places = (self._next + np.arange(asked)) % len(self._key)
            self._next = (self._next + asked) % len(self._key)
            self._index[keys[new] % np.uint64(len(self._index))] = places
            self._key[places] = keys[new]
            self._logits[places], self._values[places] = new_logits, new_values
        self.rows += rows
        self.hits += rows - asked
        return logits, values
