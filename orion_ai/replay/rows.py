"""Training rows, rebuilt from episodes a whole game at a time by playing them again."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game, Symmetry
from engines.errors import FileError
from orion_ai.replay.episode import Episode
from orion_ai.replay.kernels import FINE, UNFINISHED, rebuild

__all__ = ["Rebuilder", "Rows"]


@dataclass(frozen=True)
class Rows:
    """R observations and what a network should say about them. Seat entries: own first, then clockwise.

    Attributes:
        observations: int16[R, D].
        legal: bool[R, A], the mover's legal actions.
        policy: float32[R, A], the target; zero where the row has none.
        has_policy: bool[R], whether it has one.
        returns: float32[R, P], the utilities at the end of the game.
        search_values: float32[R, P], what the search expected then.
        scores: float32[R, P], the points at the end.
    """

    observations: NDArray[np.int16]
    legal: NDArray[np.bool_]
    policy: NDArray[np.float32]
    has_policy: NDArray[np.bool_]
    returns: NDArray[np.float32]
    search_values: NDArray[np.float32]
    scores: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.observations)

    def take(self, places: NDArray[np.int64]) -> Rows:
        """The rows at `places`, in that order."""
        return Rows(*(getattr(self, name)[places] for name in self.__dataclass_fields__))

    def image(self, symmetry: Symmetry, chosen: NDArray[np.bool_]) -> Rows:
        """These rows, those with `chosen` (bool[R]) as they look in another image of the game."""
        actions = symmetry.actions[: self.legal.shape[1]]

        def moved(array: NDArray[Any], places: NDArray[np.int64]) -> NDArray[Any]:
            return np.where(chosen[:, None], array[:, places], array)

        return dataclasses.replace(
            self,
            observations=moved(self.observations, symmetry.places),
            legal=moved(self.legal, actions),
            policy=moved(self.policy, actions),
        )

    @classmethod
    def join(cls, parts: Sequence[Rows]) -> Rows:
        """The rows of several, one after another."""
        return cls(*(np.concatenate([getattr(p, name) for p in parts]) for name in cls.__dataclass_fields__))


class Rebuilder:
    """Rebuilds the rows of episodes of one game."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._options = game.encode_options()
        self._state = np.zeros(game.record_size, np.uint8)
        self._ids = np.zeros(game.max_legal, np.int32)

    def have_policy(self, episode: Episode) -> NDArray[np.bool_]:
        """bool[R]: which rows of `episode` have a policy target."""
        if not self.game.secrets:
            return episode.full
        return np.stack([episode.full, np.zeros_like(episode.full)], 1).reshape(-1)

    def rows(self, episode: Episode, places: NDArray[np.int64] | None = None) -> Rows:
        """One row for each recorded decision, seen by the seat that decided.

        In a game with secrets a second row follows each, seen by one of the other seats in turn, without a policy:
        there a search asks what a position is worth to a seat that is not to move (its value comes from its own
        observation).

        Args:
            episode: the game.
            places: which of these rows, in ascending order; all by default.

        Raises:
            FileError: the actions are no game of this engine.
        """
        players, has_policy = self.game.players, self.have_policy(episode)
        if places is None:
            places = np.arange(len(has_policy))
        of = places // 2 if self.game.secrets else places
        seats = episode.seats.astype(np.int64)[of]
        if self.game.secrets:
            seats = np.where(places % 2, (seats + 1 + of % (players - 1)) % players, seats)
        has_policy = has_policy[places]
        observations, legal = self._replay(episode, episode.at.astype(np.int64)[of], seats)
        turn = (seats[:, None] + np.arange(players)) % players
        return Rows(
            observations,
            legal,
            self._policies(episode, of, has_policy),
            has_policy,
            episode.returns[turn],
            episode.values[of[:, None], turn],
            episode.scores.astype(np.float32)[turn],
        )

    def _replay(
        self, episode: Episode, at: NDArray[np.int64], seats: NDArray[np.int64]
    ) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
        observations = np.zeros((len(at), self.game.observation_size), np.int16)
        packed = np.zeros((len(at), (self.game.num_ids + 7) // 8), np.uint8)
        returns = np.zeros(self.game.players, np.float32)
        result = int(
            rebuild(
                self.game.table,
                self._options,
                self._state,
                self._ids,
                episode.actions,
                at,
                seats,
                observations,
                packed,
                returns,
            )
        )
        if result == UNFINISHED or (result == FINE and not np.array_equal(returns, episode.returns)):
            raise FileError(
                f"episode {episode.number} does not end as recorded: it is no game of this {self.game.name}"
            )
        if result != FINE:
            raise FileError(
                f"episode {episode.number}: action {int(episode.actions[result])} at step {result} is illegal; "
                f"it is no game of this {self.game.name}"
            )
        legal = np.unpackbits(packed, axis=1, count=self.game.num_actions, bitorder="little")
        return observations, legal.astype(np.bool_)

    def _policies(self, episode: Episode, of: NDArray[np.int64], has_policy: NDArray[np.bool_]) -> NDArray[np.float32]:
        policy = np.zeros((len(of), self.game.num_actions), np.float32)
        for row in np.flatnonzero(has_policy):
            part = slice(episode.first[of[row]], episode.first[of[row] + 1])
            policy[row, episode.ids[part]] = episode.shares[part]
        return policy
