"""Pig for two to four seats: roll on, or hold what the turn has brought. The smallest game of decisions and dice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game, Kernels, Kind, Options, Slice
from engines.errors import UsageError, choose_from, quoted
from engines.pig import rules
from engines.pig.layout import (
    FACES,
    FIELDS,
    FIRST_FACE,
    HOLD,
    MAX_PLAYERS,
    MAX_TARGET,
    MAX_TURNS,
    ROLL,
    UTILITIES,
    State,
)
from engines.state import State as Position


@dataclass(frozen=True)
class PigOptions(Options):
    """Options of the game."""

    utility: str = "placement"
    """What `returns` measures with more than two seats: "placement" or "win"."""
    target: int = 100
    """Points that win."""
    max_turns: int = MAX_TURNS
    """Turns, of all seats together, after which nobody has won."""

    def __post_init__(self) -> None:
        choose_from("utility of pig", self.utility, UTILITIES)
        for name, most in (("target", MAX_TARGET), ("max_turns", MAX_TURNS)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
                raise UsageError(f"pig: {name}={quoted(value)}, expected an integer from 1 to {most}")


class Pig(Game):
    """See the module."""

    name = "pig"
    title = "Pig"
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
        rules.observe,
        rules.info_key,
        rules.determinize,
        rules.scripted,
    )
    num_actions, num_ids = 2, 8
    max_legal = FACES
    # A roll that does not end the turn brings two points or more: with half of the target rolled there is only holding.
    max_length = MAX_TURNS * (MAX_TARGET + 1)
    num_streams = MAX_PLAYERS
    secrets = False
    options_type = PigOptions
    options: PigOptions

    @property
    def labels(self) -> Mapping[str, Sequence[str]]:
        return {"utility": UTILITIES}

    def encode_options(self) -> NDArray[np.int32]:
        chosen = self.options
        return np.array([self.players, UTILITIES.index(chosen.utility), chosen.target, chosen.max_turns], np.int32)

    def observation(self) -> list[Slice]:
        return [
            Slice("mover", Kind.ONE_HOT, (self.players,)),
            Slice("score", Kind.SCALAR, (self.players,), self.options.target, per_seat=True),
            Slice("total", Kind.SCALAR, (1,), self.options.target),
            Slice("rolling", Kind.MASK, (1,)),
            Slice("turn", Kind.SCALAR, (1,), self.options.max_turns),
        ]

    def action_text(self, action: int) -> str:
        return ("roll", "hold", *(f"die {face + 1}" for face in range(FACES)))[action]

    def describe(self, state: Position, action: int, seat: int) -> str:
        s, mover, total = state.fields, int(rules.mover(state.fields)), int(state.fields["total"])
        if action == ROLL:
            return f"seat {mover}: roll"
        if action == HOLD:
            return f"seat {mover}: hold {total}, now at {int(s['score'][mover]) + total}"
        face = action - FIRST_FACE + 1
        what = f"the turn is over, {total} lost" if face == 1 else f"{total + face} so far"
        return f"seat {mover} rolls a {face}: {what}"

    def board(self, state: Position, seat: int | None = None) -> str:
        s = state.fields
        scores = "   ".join(f"seat {p}: {int(s['score'][p])}" for p in range(self.players))
        turn, mover, total = int(s["turn"]), int(rules.mover(s)), int(s["total"])
        if not state.is_over:
            rolling = ", rolling" if int(s["rolling"]) else ""
            return f"{scores} | to {self.options.target} | turn {turn + 1}, seat {mover}: {total} so far{rolling}"
        won = int(rules.winner(s))
        return f"{scores} | {f'seat {won} has won' if won >= 0 else f'a draw after {turn} turns'}"

    def scores(self, state: Position) -> list[int]:
        """Points held."""
        return [int(points) for points in state.fields["score"][: self.players]]

    def check_state(self, state: Position) -> None:
        s = state.fields
        for name, value in zip(("players", "utility", "target", "max_turns"), self.encode_options(), strict=True):
            if int(s[name]) != value:
                raise UsageError(f"field {name!r}: {int(s[name])}, but this game was loaded with {value}")
        turn, target, total = int(s["turn"]), self.options.target, int(s["total"])
        if turn > self.options.max_turns:
            raise UsageError(f"field 'turn': {turn}, expected at most {self.options.max_turns}")
        for seat, points in enumerate(self.scores(state)):
            last = turn > 0 and seat == (turn - 1) % self.players
            most = target + FACES - 1 if last else target - 1
            if points == 1 or points > (most if turn > seat else 0):
                raise UsageError(f"field 'score': seat {seat} cannot have {points} points after {turn} turns")
        points = 0 if rules.is_over(s) else target - int(s["score"][rules.mover(s)])
        before = {0, *range(2, points)} if points else set()
        if total and not before & {total - face for face in range(2, FACES + 1)}:
            raise UsageError(f"field 'total': {total} cannot have been rolled here")
        if int(s["rolling"]) and total not in before:
            raise UsageError("field 'rolling': nobody rolls here")


GAME = Pig
__all__ = ["GAME", "Pig", "PigOptions"]
