"""The Python face of a game in progress: one obvious object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engines.contract import CHANCE, PUBLIC, TERMINAL
from engines.errors import IllegalAction, UsageError, quoted
from engines.rng import Dealer, generator

if TYPE_CHECKING:
    from engines.contract import Game

__all__ = ["State"]


class State:
    """A position of a game. `state.record` is the whole of it: `uint8[game.record_size]`."""

    __slots__ = ("dealer", "game", "history", "record", "viewer")

    def __init__(self, game: Game, record: NDArray[np.uint8], dealer: Dealer | None = None) -> None:
        self.game = game
        self.record = record
        self.dealer = dealer
        self.history: list[int] | None = None
        """Every decision and outcome since the start; None for worlds and states made from a view."""
        self.viewer: int | None = None
        """The seat (or PUBLIC) from whose view this state was made: what it does not know is zero here."""

    @classmethod
    def start(cls, game: Game, seed: int | None = None) -> State:
        """See `Game.start`."""
        if seed is not None:
            _check_seed(seed)
        record = np.zeros(game.record_size, np.uint8)
        game.kernels.setup(record, game.encode_options())
        state = cls(game, record, None if seed is None else Dealer(int(seed), game.num_streams))
        state.history = []
        state._play_chance()
        return state

    @property
    def fields(self) -> Any:
        """The record's named fields: `state.fields["round"]` (everything, hidden fields included)."""
        return self.record.view(self.game.dtype)[0]

    @property
    def to_play(self) -> int:
        """The seat that decides now; CHANCE (-1) or TERMINAL (-2)."""
        return int(self.game.kernels.to_play(self.record))

    @property
    def is_chance(self) -> bool:
        """Whether something random happens next."""
        return self.to_play == CHANCE

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.to_play == TERMINAL

    def legal_actions(self) -> list[int]:
        """Legal action ids, ascending; at a chance node the possible outcomes; [] at the end."""
        return [int(a) for a in self._legal()]

    def _legal(self) -> NDArray[np.int32]:
        out = np.empty(self.game.max_legal, np.int32)
        return out[: self.game.kernels.legal(self.record, out)]

    def chance(self) -> tuple[int, list[tuple[int, int]]]:
        """At a chance node: its stream and the (outcome, weight) pairs; probability = weight / sum of weights."""
        stream, outcomes, weights = self._odds()
        return stream, [(int(o), int(w)) for o, w in zip(outcomes, weights, strict=True)]

    def draw(self, dealer: Dealer) -> int:
        """The outcome that `dealer` deals at this chance node, not applied yet; the dealer has counted the event."""
        return dealer.choose(*self._odds())

    def _odds(self) -> tuple[int, NDArray[np.int32], NDArray[np.int64]]:
        if not self.is_chance:
            raise UsageError("only a chance node has outcomes and weights")
        outcomes = self._legal()
        weights = np.zeros(len(outcomes), np.int64)
        return int(self.game.kernels.weights(self.record, weights)), outcomes, weights

    def apply(self, action: int | str) -> None:
        """Apply a decision or outcome, by id or by text; then, with a dealer, the chance events that follow.

        Raises:
            IllegalAction: names the action and what was legal; the state is unchanged.
        """
        number = self.game.parse(action) if isinstance(action, str) else self._number(action)
        legal = self.legal_actions()
        if number not in legal:
            raise IllegalAction(self._why_not(number, legal))
        self._step(number)
        self._play_chance()

    @staticmethod
    def _number(action: object) -> int:
        if not isinstance(action, int | np.integer) or isinstance(action, bool):
            raise IllegalAction(f"expected an action's id or text, found {quoted(action)}")
        return int(action)

    def _why_not(self, action: int, legal: list[int]) -> str:
        if not legal:
            why = "the game is over" if self.is_over else "this state knows too little, determinize it first"
            return f"action {quoted(action)} is illegal: {why}"
        known = 0 <= action < self.game.num_ids
        name = f"{action} ({self.game.action_text(action)})" if known else f"{quoted(action)} (no such id)"
        texts = ", ".join(f"{a} ({self.game.action_text(a)})" for a in legal[:12])
        rest = f" and {len(legal) - 12} more" if len(legal) > 12 else ""
        return f"action {name} is illegal here; legal for {self._mover()}: {texts}{rest}"

    def _mover(self) -> str:
        return "chance" if self.is_chance else f"seat {self.to_play}"

    def _step(self, action: int) -> None:
        self.game.kernels.apply(self.record, action)
        if self.history is not None:
            self.history.append(action)

    def _play_chance(self) -> None:
        while self.dealer is not None and self.is_chance:
            self._step(self.draw(self.dealer))

    def clone(self) -> State:
        """A copy without the dealer: a copy never knows the future."""
        copy = State(self.game, self.record.copy())
        copy.viewer = self.viewer
        copy.history = None if self.history is None else list(self.history)
        return copy

    def determinize(self, seat: int, seed: int) -> State:
        """A world: a state that `seat` cannot tell from this one, the rest sampled. PUBLIC resamples every secret."""
        _check_seed(seed)
        return self.sample_world(seat, generator(int(seed)))[0]

    def sample_world(self, seat: int, rng: NDArray[np.uint64]) -> tuple[State, float]:
        """As `determinize`, with the caller's generator; also ln(prior / proposal) of the world."""
        self._check_seat(seat)
        world = State(self.game, self.record.copy())
        weight = self.game.kernels.determinize(world.record, seat, rng)
        return world, float(weight)

    def view(self, seat: int) -> dict[str, Any]:
        """Plain JSON data: all that `seat` (or PUBLIC) knows, nothing else."""
        from engines import views

        self._check_seat(seat)
        return views.view(self, int(seat))

    def observe(self, seat: int) -> NDArray[np.int16]:
        """The observation of `seat`: `int16[game.observation_size]`, parts named by `game.slices`."""
        self._check_seat(seat, public=False)
        out = np.zeros(self.game.observation_size, np.int16)
        self.game.kernels.observe(self.record, seat, out)
        return out

    def info_key(self, seat: int) -> int:
        """64-bit key of all that `seat` knows; PUBLIC: of what everybody knows."""
        self._check_seat(seat)
        return int(self.game.kernels.info_key(self.record, seat))

    def _check_seat(self, seat: int, public: bool = True) -> None:
        integer = isinstance(seat, int | np.integer) and not isinstance(seat, bool)
        if not integer or not (PUBLIC if public else 0) <= seat < self.game.players:
            also = " or PUBLIC (-1)" if public else ""
            raise UsageError(f"seat {quoted(seat)} does not exist: expected 0 to {self.game.players - 1}{also}")
        if self.viewer is not None and seat not in (self.viewer, PUBLIC):
            whose = "a spectator's view" if self.viewer == PUBLIC else f"the view of seat {self.viewer}"
            raise UsageError(f"this state was made from {whose}: it does not hold what seat {seat} knows")

    def returns(self) -> list[float]:
        """Utility of every seat in [-1, 1], sum 0; before the end by the present standing."""
        out = np.zeros(self.game.players, np.float32)
        self.game.kernels.returns(self.record, out)
        return [float(u) for u in out]

    def scores(self) -> list[int]:
        """Points of every seat as they stand."""
        return self.game.scores(self)

    def notation(self, action: int, seat: int = PUBLIC) -> str:
        """What `seat` sees happen if `action` is applied now: the only log that players get."""
        self._check_seat(seat)
        number = self._number(action)
        if not 0 <= number < self.game.num_ids:
            raise IllegalAction(f"action {quoted(action)} does not exist: expected an id below {self.game.num_ids}")
        return self.game.describe(self, number, seat)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.game == other.game and bytes(self.record) == bytes(other.record)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return self.game.board(self)

    def __repr__(self) -> str:
        mover = "over" if self.is_over else self._mover()
        return f"<State of {self.game.name}, {self.game.players} players, {mover} to play>"


def _check_seed(seed: object) -> None:
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool):
        raise UsageError(f"seed {quoted(seed)}: expected an integer")
