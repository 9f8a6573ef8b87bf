"""Liar's dice for two to six seats: one round of bids about dice that nobody else sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game, Kernels, Kind, Options, Slice
from engines.errors import UsageError, quoted
from engines.liars_dice import observe, rules
from engines.liars_dice.layout import (
    FACES,
    FIELDS,
    MAX_BIDS,
    MAX_DICE,
    MAX_FACES,
    MAX_PLAYERS,
    MIN_FACES,
    State,
)
from engines.state import State as Position


@dataclass(frozen=True)
class LiarsDiceOptions(Options):
    """Options of the game."""

    dice: int = 1
    """Dice of each seat."""
    faces: int = 6
    """Faces of a die; the highest is wild."""

    def __post_init__(self) -> None:
        for name, least, most in (("dice", 1, MAX_DICE), ("faces", MIN_FACES, MAX_FACES)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
                raise UsageError(f"liars_dice: {name}={quoted(value)}, expected an integer from {least} to {most}")
        bids = self.players * self.dice * self.faces
        if bids > MAX_BIDS:
            given = f"players={self.players}, dice={self.dice}, faces={self.faces}"
            raise UsageError(f"liars_dice: {given} make {bids} different bids, expected at most {MAX_BIDS}")


class LiarsDice(Game):
    """See the module. The sizes of the action space depend on the options: those of the class are the defaults'."""

    name = "liars_dice"
    title = "Liar's dice"
    version = 1
    min_players, max_players = 2, MAX_PLAYERS
    dtype = State
    fields = FIELDS
    kernels = Kernels(
        rules.setup,
        rules.to_play,
        rules.legal,
        rules.weights,
        rules.apply,
        rules.returns,
        observe.observe,
        rules.info_key,
        rules.determinize,
        observe.scripted,
    )
    num_actions, num_ids = 13, 19
    max_legal = 12
    max_length = 15
    num_streams = MAX_PLAYERS
    perfect_recall = True
    options_type = LiarsDiceOptions
    options: LiarsDiceOptions

    def __post_init__(self) -> None:
        dice, faces = self.options.dice, self.options.faces
        self._bids = self.players * dice * faces
        self._rolls = [" ".join(roll) for roll in combinations_with_replacement(FACES[:faces], dice)]
        vars(self).update(
            num_actions=self._bids + 1,
            num_ids=self._bids + 1 + len(self._rolls),
            max_legal=max(self._bids, len(self._rolls)),
            max_length=self.players + self._bids + 1,
        )
        super().__post_init__()

    @property
    def labels(self) -> Mapping[str, Sequence[str]]:
        return {"face": FACES, "bid": tuple(self._bid(bid) for bid in range(self._bids))}

    def encode_options(self) -> NDArray[np.int32]:
        return np.array([self.players, self.options.dice, self.options.faces], np.int32)

    def observation(self) -> list[Slice]:
        seats, dice, faces = self.players, self.options.dice, self.options.faces
        return [
            Slice("mover", Kind.ONE_HOT, (seats,)),
            Slice("hand", Kind.COUNT, (faces,), dice),
            Slice("quantity", Kind.SCALAR, (1,), seats * dice),
            Slice("face", Kind.MASK, (faces,)),
            Slice("called", Kind.MASK, (1,)),
            Slice("bids", Kind.MASK, (seats, self._bids), per_seat=True),
        ]

    def _bid(self, bid: int) -> str:
        quantity, face = divmod(bid, self.options.faces)
        return f"{quantity + 1} x {face + 1}"

    def action_text(self, action: int) -> str:
        if action < self._bids:
            return f"bid {self._bid(action)}"
        return "liar" if action == self._bids else f"roll {self._rolls[action - self._bids - 1]}"

    def describe(self, state: Position, action: int, seat: int) -> str:
        if action <= self._bids:
            return f"seat {state.to_play}: {self.action_text(action)}"
        roller = int(state.fields["rolled"])
        return f"seat {roller} rolls{f' {self._rolls[action - self._bids - 1]}' if seat == roller else ''}"

    def board(self, state: Position, seat: int | None = None) -> str:
        s = state.fields
        hands = []
        for p in range(self.players):
            shown = " ".join(FACES[face] for face, n in enumerate(s["hand"][p]) for _ in range(int(n)))
            hands.append(f"seat {p}: {shown if shown and seat in (None, p) else '?'}")
        bids = [self._bid(int(bid) - 1) for bid in s["bids"][: int(s["turns"])]]
        return f"{'   '.join(hands)}\nbids: {', '.join(bids) or 'none'}{', liar!' if s['called'] else ''}"

    def scores(self, state: Position) -> list[int]:
        """At the end 1 for who was right, -1 for who was wrong, 0 for the others; 0 before."""
        return [round(u) if state.is_over else 0 for u in state.returns()]

    def conserved(self, state: Position) -> Mapping[str, int]:
        s = state.fields
        return {"dice": int(s["hand"].sum()) + (self.players - int(s["rolled"])) * self.options.dice}

    def check_state(self, state: Position) -> None:
        s, viewer, options = state.fields, state.viewer, self.options
        for name, meant in (("players", self.players), ("dice", options.dice), ("faces", options.faces)):
            if int(s[name]) != meant:
                raise UsageError(f"field {name!r}: {int(s[name])}, but this game has {meant}")
        rolled, turns, bids = int(s["rolled"]), int(s["turns"]), s["bids"].astype(int)
        if rolled > self.players:
            raise UsageError(f"field 'rolled': {rolled}, expected at most {self.players}")
        if (bids[:turns] == 0).any() or bids[turns:].any() or (np.diff(bids[:turns]) <= 0).any():
            raise UsageError(f"field 'bids': expected {turns} bids, as 'turns' says, each higher than the one before")
        if ((turns or int(s["called"])) and rolled < self.players) or int(s["called"]) > turns:
            raise UsageError(f"field 'called' or 'turns': expected 0 bids and no call while 'rolled' is {rolled}")
        if viewer is not None and viewer >= 0:
            hand, meant = s["hand"][viewer], options.dice if viewer < rolled else 0
            if int(hand.sum()) != meant or hand[options.faces :].any():
                raise UsageError(f"field 'hand': expected {meant} dice of {options.faces} faces")


GAME = LiarsDice
__all__ = ["GAME", "LiarsDice", "LiarsDiceOptions"]
