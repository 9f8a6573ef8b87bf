"""An episode: one finished game of self-play, kept without any seed or state."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Episode", "EpisodeBuilder"]


@dataclass(frozen=True)
class Episode:
    """One finished game with T actions, K of them recorded decisions (those with a real choice).

    Attributes:
        number: which game of the run this is.
        actions: int32[T], every decision and outcome from the start.
        at: int32[K], the places in `actions` of the recorded decisions, ascending.
        seats: int8[K], who decided.
        full: bool[K], whether its policy is a training target: it got a full search, or was chosen to be one.
        values: float32[K, P], what the search expected each seat to get (absolute seats); of a game that was not
            searched what each got from there: the outcome, or lambda-returns.
        first: int32[K + 1], where each decision's policy begins in the two arrays below (empty unless full).
        ids: int16[...], the action ids with a share in the policy target.
        shares: float32[...], what the target wants of them, summing to 1 for each full decision: probabilities, but of
            a sampled game that of an action that went badly may be negative.
        returns: float32[P], the utilities at the end.
        scores: int32[P], the points at the end.
    """

    number: int
    actions: NDArray[np.int32]
    at: NDArray[np.int32]
    seats: NDArray[np.int8]
    full: NDArray[np.bool_]
    values: NDArray[np.float32]
    first: NDArray[np.int32]
    ids: NDArray[np.int16]
    shares: NDArray[np.float32]
    returns: NDArray[np.float32]
    scores: NDArray[np.int32]

    @property
    def samples(self) -> int:
        """How many decisions can be trained on."""
        return len(self.at)


class EpisodeBuilder:
    """Collects the decisions of a game in progress."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._at: list[int] = []
        self._seats: list[int] = []
        self._full: list[bool] = []
        self._values: list[NDArray[np.float32] | None] = []
        self._ids: list[NDArray[np.int16]] = []
        self._shares: list[NDArray[np.float32]] = []

    @property
    def decisions(self) -> int:
        """How many decisions were added."""
        return len(self._at)

    def add(self, at: int, seat: int, value: NDArray[np.float32] | None, policy: NDArray[np.float32] | None) -> None:
        """One decision, at place `at` of the action list.

        Args:
            at: how many actions came before it.
            seat: who decided.
            value: float32[P], what a search expected, by absolute seat; None = none did: the outcome stands for it.
            policy: float32[A], if it is a training target.
        """
        ids = np.zeros(0, np.int64) if policy is None else np.flatnonzero(policy > 0)
        shares = np.zeros(0, np.float32) if policy is None else policy[ids] / policy[ids].sum()
        self._at.append(at)
        self._seats.append(seat)
        self._full.append(policy is not None)
        self._values.append(None if value is None else np.array(value, np.float32))
        self._ids.append(ids.astype(np.int16))
        self._shares.append(shares.astype(np.float32))

    def finish(self, actions: list[int], returns: list[float], scores: list[int]) -> Episode:
        """The episode, now that the game is over."""
        none, outcome = np.zeros(0, np.int16), np.array(returns, np.float32)
        values = [outcome if value is None else value for value in self._values]
        return Episode(
            self.number,
            np.array(actions, np.int32),
            np.array(self._at, np.int32),
            np.array(self._seats, np.int8),
            np.array(self._full, np.bool_),
            np.array(values, np.float32).reshape(-1, len(returns)),
            np.cumsum([0, *(len(ids) for ids in self._ids)], dtype=np.int32),
            np.concatenate([none, *self._ids]),
            np.concatenate([none.astype(np.float32), *self._shares]),
            outcome,
            np.array(scores, np.int32),
        )
