"""Phantom tic-tac-toe: tic-tac-toe where nobody sees the other's marks; a small game with a very large tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engines.contract import PUBLIC, Game, Kernels, Kind, Options, Slice
from engines.errors import choose_from
from engines.phantom_tic_tac_toe import belief, rules
from engines.phantom_tic_tac_toe.checks import check_state
from engines.phantom_tic_tac_toe.layout import (
    CELLS,
    FIELDS,
    MARKS,
    MOST_ATTEMPTS,
    NAMES,
    OBSTYPES,
    RESULTS,
    SIZE,
    TRIES,
    State,
)
from engines.state import State as Position


@dataclass(frozen=True)
class PhantomOptions(Options):
    """Options of the game."""

    obstype: str = OBSTYPES[0]
    """What the seats learn of each other's tries: "reveal-nothing", or how many there were, "reveal-numturns"."""

    def __post_init__(self) -> None:
        choose_from("obstype of phantom_tic_tac_toe", self.obstype, OBSTYPES)


class PhantomTicTacToe(Game):
    """See the module."""

    name = "phantom_tic_tac_toe"
    title = "Phantom tic-tac-toe"
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
        belief.determinize,
    )
    num_actions = num_ids = max_legal = CELLS
    max_length = 17
    num_streams = 0
    perfect_recall = True
    options_type = PhantomOptions
    options: PhantomOptions

    @property
    def labels(self) -> Mapping[str, Sequence[str]]:
        return {"try": TRIES, "result": RESULTS, "obstype": OBSTYPES}

    def encode_options(self) -> NDArray[np.int32]:
        return np.array([self.players, OBSTYPES.index(self.options.obstype)], np.int32)

    def observation(self) -> list[Slice]:
        slices = [
            Slice("mover", Kind.ONE_HOT, (2,)),
            Slice("turn", Kind.SCALAR, (1,), CELLS),
            Slice("own", Kind.MASK, (SIZE, SIZE)),
            Slice("met", Kind.MASK, (SIZE, SIZE)),
            Slice("tries", Kind.CARD, (CELLS,), labels="try"),
        ]
        if self.options.obstype != OBSTYPES[0]:
            slices.append(Slice("attempts", Kind.SCALAR, (CELLS,), MOST_ATTEMPTS))
        return slices

    def action_text(self, action: int) -> str:
        return f"mark {NAMES[action]}"

    def describe(self, state: Position, action: int, seat: int) -> str:
        mover = state.to_play
        taken = bool(rules.marked(state.fields, 1 - mover) >> action & 1)
        if seat == mover:
            return f"seat {mover}: {NAMES[action]} is taken" if taken else f"seat {mover}: mark {NAMES[action]}"
        if not taken:
            return f"seat {mover} has made a mark"
        return "" if self.options.obstype == OBSTYPES[0] else f"seat {mover} has run into a mark"

    def board(self, state: Position, seat: int | None = None) -> str:
        s, cells = state.fields, ["." if seat is None else "?"] * CELLS
        for viewer in range(2) if seat is None else (seat,) if seat != PUBLIC else ():
            for cell in range(CELLS):
                if rules.marked(s, viewer) >> cell & 1:
                    cells[cell] = MARKS[viewer]
                elif rules.met(s, viewer) >> cell & 1:
                    cells[cell] = MARKS[1 - viewer]
        rows = [f"{row + 1} {' '.join(cells[SIZE * row : SIZE * row + SIZE])}" for row in range(SIZE)]
        lines = ["  a b c", *rows]
        turn, result = int(s["turn"]), int(s["result"])
        if self.options.obstype != OBSTYPES[0]:
            lines.append(f"tries by turn: {' '.join(str(n) for n in s['attempts'][: turn + 1])}")
        mover = RESULTS[result - 1] if result else f"seat {state.to_play} ({MARKS[state.to_play]}) to play"
        return "\n".join([*lines, f"{turn} marks, {mover}"])

    def scores(self, state: Position) -> list[int]:
        """1, 0 or -1 at the end, 0 before."""
        return [round(u) for u in state.returns()]

    def check_state(self, state: Position) -> None:
        check_state(state, self.options.obstype)

    def conserved(self, state: Position) -> Mapping[str, int]:
        marks = [int(rules.marked(state.fields, seat)) for seat in range(2)]
        count = sum(cells.bit_count() for cells in marks)
        return {"marks beyond the turns": count - int(state.fields["turn"]), "cells marked twice": marks[0] & marks[1]}


GAME = PhantomTicTacToe
__all__ = ["GAME", "PhantomOptions", "PhantomTicTacToe"]
