"""A game of ours and OpenSpiel's game of the same rules, walked side by side.

At every state: who plays, the legal actions, the chances of every outcome, what the game pays at its end. Over all
states: two histories have one `info_key` for a seat just if OpenSpiel gives them one information state string.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyspiel

from engines.contract import CHANCE, TERMINAL, Game
from engines.rng import below, generator
from engines.state import State

Follow = Callable[[State, int, Any], None]
"""`follow(state, action, theirs)`: applies to OpenSpiel's state what `action`, not applied yet, means there."""
Info = Callable[[State, Any, int], str | None]
"""`info(state, theirs, seat)`: OpenSpiel's name of what `seat` knows; None where the two are not to be compared."""


def same_ids(state: State, action: int, theirs: Any) -> None:
    """Decisions have the same numbers, and outcomes the same ones after our decisions."""
    theirs.apply_action(action - state.game.num_actions if state.is_chance else action)


def information_state(state: State, theirs: Any, seat: int) -> str | None:
    """The information state string, wherever somebody has to decide."""
    return None if state.is_chance or state.is_over else theirs.information_state_string(seat)


class Pair:
    """The two games, and the ledger of what their seats know.

    Args:
        game: ours.
        theirs: what `pyspiel.load_game` is given.
        follow, info: how they correspond.
        chances: whether outcomes correspond one to one, so that their chances can be compared.
    """

    def __init__(
        self,
        game: Game,
        theirs: str,
        *,
        follow: Follow = same_ids,
        info: Info = information_state,
        chances: bool = True,
    ) -> None:
        self.game, self.theirs = game, pyspiel.load_game(theirs)
        self.follow, self.info, self.chances = follow, info, chances
        self.states = self.ends = 0
        self.decided: set[tuple[int, int]] = set()
        """(seat, info_key) of every information state in which a seat had to decide."""
        self._name_of: dict[tuple[int, int], str] = {}
        self._key_of: dict[tuple[int, str], int] = {}

    def whole_tree(self) -> Pair:
        """Compare at every history."""
        stack = [(State.start(self.game), self.theirs.new_initial_state())]
        while stack:
            state, theirs = stack.pop()
            for action in self.compare(state, theirs):
                ours, other = state.clone(), theirs.clone()
                self._step(ours, action, other)
                stack.append((ours, other))
        return self

    def random_games(self, games: int, seed: int = 0) -> Pair:
        """Compare along random games."""
        rng = generator("openspiel", self.game.name, seed)
        for _ in range(games):
            state, theirs = State.start(self.game), self.theirs.new_initial_state()
            while legal := self.compare(state, theirs):
                self._step(state, self._random(state, legal, rng), theirs)
        return self

    @staticmethod
    def _random(state: State, legal: list[int], rng: Any) -> int:
        weights = [w for _, w in state.chance()[1]] if state.is_chance else [1] * len(legal)
        return int(np.repeat(legal, weights)[below(rng, sum(weights))])

    def _step(self, state: State, action: int, theirs: Any) -> None:
        self.follow(state, action, theirs)
        self.game.kernels.apply(state.record, action)
        if state.history is not None:
            state.history.append(action)

    def compare(self, state: State, theirs: Any) -> list[int]:
        """Compare one state; returns our legal actions or outcomes."""
        self.states += 1
        turn, legal = state.to_play, state.legal_actions()
        for seat in range(self.game.players):
            self._enter(state, theirs, seat)
        if turn == TERMINAL:
            self.ends += 1
            assert theirs.is_terminal(), f"over here, not there:\n{state}\n{theirs}"
            paid = [u * self.game.stakes for u in state.returns()]
            assert np.allclose(paid, theirs.returns(), atol=1e-4), f"{paid} here, {theirs.returns()} there\n{theirs}"
        elif turn == CHANCE:
            assert theirs.is_chance_node(), f"chance here, not there:\n{state}\n{theirs}"
            if self.chances:
                _, weights = state.chance()
                total = sum(w for _, w in weights)
                ours = [(o - self.game.num_actions, w / total) for o, w in weights]
                assert np.allclose(ours, theirs.chance_outcomes()), f"{ours} here, {theirs.chance_outcomes()} there"
        else:
            assert turn == theirs.current_player(), f"seat {turn} here, {theirs.current_player()} there\n{theirs}"
            assert legal == theirs.legal_actions(), f"legal {legal} here, {theirs.legal_actions()} there\n{theirs}"
            self.decided.add((turn, state.info_key(turn)))
        return legal

    def _enter(self, state: State, theirs: Any, seat: int) -> None:
        name = self.info(state, theirs, seat)
        if name is not None:
            key = state.info_key(seat)
            assert self._name_of.setdefault((seat, key), name) == name, f"one key for two information states:\n{name}"
            assert self._key_of.setdefault((seat, name), key) == key, f"two keys for one information state:\n{name}"


def expected_value(game: Game) -> list[float]:
    """What every seat gets on average, in the game's own unit, if all choose uniformly (the whole tree is counted)."""

    def below_this(state: State) -> Iterator[tuple[State, float]]:
        odds = state.chance()[1] if state.is_chance else [(a, 1) for a in state.legal_actions()]
        total = sum(w for _, w in odds)
        for action, weight in odds:
            after = state.clone()
            game.kernels.apply(after.record, action)
            yield after, weight / total

    def value(state: State) -> np.ndarray[Any, Any]:
        if state.is_over:
            return np.array(state.returns()) * game.stakes
        return sum((p * value(after) for after, p in below_this(state)), np.zeros(game.players))

    return [float(v) for v in value(State.start(game))]
