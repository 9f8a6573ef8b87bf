"""Backgammon for two seats: a race of fifteen checkers with dice, hits and blocks, without the doubling cube."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engines.backgammon import notation, rules, scripted
from engines.backgammon.layout import (
    BAR,
    CHECKERS,
    FIELDS,
    FIRST_ROLL,
    MAX_TURNS,
    NUM_IDS,
    OFF,
    SCORINGS,
    SEATS,
    START,
    State,
)
from engines.contract import Game, Kernels, Kind, Options, Slice
from engines.errors import UsageError, choose_from, quoted
from engines.state import State as Position


@dataclass(frozen=True)
class BackgammonOptions(Options):
    """Options of the game."""

    scoring: str = "win"
    """What the end is worth: "win" (1 to the winner) or "points" (single 1, gammon 2, backgammon 3)."""
    max_turns: int = MAX_TURNS
    """Turns, of both seats together, after which nobody has won."""

    def __post_init__(self) -> None:
        choose_from("scoring of backgammon", self.scoring, SCORINGS)
        turns = self.max_turns
        if not isinstance(turns, int) or isinstance(turns, bool) or not 1 <= turns <= MAX_TURNS:
            raise UsageError(f"backgammon: max_turns={quoted(turns)}, expected an integer from 1 to {MAX_TURNS}")


class Backgammon(Game):
    """See the module."""

    name = "backgammon"
    title = "Backgammon"
    version = 1
    min_players, max_players = 2, 2
    dtype = State
    fields = FIELDS
    kernels = Kernels(
        rules.setup,
        rules.to_play,
        rules.legal,
        rules.weights,
        rules.apply,
        rules.returns,
        rules.observe,
        rules.info_key,
        rules.determinize,
        scripted.scripted,
    )
    num_actions, num_ids = FIRST_ROLL, NUM_IDS
    # Fifteen points with a checker each, two dice; the opening has thirty rolls.
    max_legal = 2 * CHECKERS
    # A roll and at most four moves a turn.
    max_length = 5 * MAX_TURNS
    num_streams = SEATS + 1
    secrets = False
    options_type = BackgammonOptions
    options: BackgammonOptions

    @property
    def labels(self) -> Mapping[str, Sequence[str]]:
        return {"scoring": SCORINGS, "point": ("off", *(str(p) for p in range(1, BAR)), "bar")}

    @property
    def stakes(self) -> float:
        """Points: a backgammon is worth 3."""
        return 3.0 if self.options.scoring == "points" else 1.0

    def encode_options(self) -> NDArray[np.int32]:
        return np.array([self.players, SCORINGS.index(self.options.scoring), self.options.max_turns], np.int32)

    def observation(self) -> list[Slice]:
        return [
            Slice("mover", Kind.ONE_HOT, (SEATS,)),
            Slice("dice", Kind.COUNT, (6,), 4),
            Slice("stacks", Kind.MASK, (SEATS, 24, 3), per_seat=True),
            Slice("more", Kind.SCALAR, (SEATS, 24), 2, per_seat=True),
            Slice("bar", Kind.SCALAR, (SEATS,), 2, per_seat=True),
            Slice("off", Kind.SCALAR, (SEATS,), CHECKERS, per_seat=True),
            Slice("pips", Kind.SCALAR, (SEATS,), 167, per_seat=True),
            Slice("turn", Kind.SCALAR, (1,), self.options.max_turns),
        ]

    def action_text(self, action: int) -> str:
        return notation.ACTION_TEXTS[action]

    def describe(self, state: Position, action: int, seat: int) -> str:
        return notation.describe(state.record, state.fields, action)

    def board(self, state: Position, seat: int | None = None) -> str:
        return notation.board(state.fields, max(seat or 0, 0))

    def scores(self, state: Position) -> list[int]:
        """What the winner has won: 1, 2 for a gammon, 3 for a backgammon; 0 to others, and before the end."""
        won = int(rules.winner(state.fields))
        return [int(rules.worth(state.fields, won)) if seat == won else 0 for seat in range(SEATS)]

    def conserved(self, state: Position) -> Mapping[str, int]:
        return {f"checkers of seat {seat}": int(state.fields["checkers"][seat].sum()) for seat in range(SEATS)}

    def check_state(self, state: Position) -> None:
        s, options = state.fields, self.encode_options()
        for name, value in (("scoring", options[1]), ("max_turns", options[2])):
            if int(s[name]) != value:
                raise UsageError(f"field {name!r}: {int(s[name])}, but this game was loaded with {value}")
        if int(s["turn"]) > self.options.max_turns:
            raise UsageError(f"field 'turn': {int(s['turn'])}, expected at most {self.options.max_turns}")
        self._check_checkers(state)
        self._check_dice(state)

    def _check_checkers(self, state: Position) -> None:
        checkers = np.asarray(state.fields["checkers"])
        for seat in range(SEATS):
            if (total := int(checkers[seat].sum())) != CHECKERS:
                raise UsageError(f"field 'checkers': seat {seat} has {total}, expected {CHECKERS}")
        for point in range(1, BAR):
            if checkers[0, point] and checkers[1, BAR - point]:
                raise UsageError(f"field 'checkers': both seats stand on point {point} of seat 0")
        if (checkers[:, OFF] == CHECKERS).all():
            raise UsageError("field 'checkers': both seats have borne off all of them")

    def _check_dice(self, state: Position) -> None:
        s = state.fields
        dice = [int(die) for die in s["dice"]]
        left = [die for die in dice if die]
        alike = len(set(left)) <= 1
        if dice != [*left, *[0] * (4 - len(left))] or not (alike or (len(left) == 2 and left[0] > left[1])):
            raise UsageError(f"field 'dice': {dice}, expected one, two with the higher first, or up to four alike")
        if left and (rules.is_over(s) or not rules.can_move(s)):
            raise UsageError(f"field 'dice': {left} cannot be played here")
        if int(s["turn"]) == 0 and left and alike and len(left) > 1:
            raise UsageError("field 'dice': the opening roll is no double")
        if rules.is_opening(s):
            start = np.zeros(BAR + 1, np.int8)
            for point, number in START:
                start[point] = number
            if int(s["mover"]) or (s["checkers"] != start).any():
                raise UsageError("field 'checkers': before the opening roll all stand as at the start")


GAME = Backgammon
__all__ = ["GAME", "Backgammon", "BackgammonOptions"]
