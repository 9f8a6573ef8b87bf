"""Tic-tac-toe: nine cells, three in a line; small enough to be known to the last position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game, Kernels, Kind, Slice, Symmetry
from engines.errors import UsageError
from engines.state import State as Position
from engines.tic_tac_toe import rules
from engines.tic_tac_toe.layout import CELLS, DRAW, FIELDS, LINES, MARKS, NAMES, RESULTS, SIZE, State


class TicTacToe(Game):
    """See the module."""

    name = "tic_tac_toe"
    title = "Tic-tac-toe"
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
        rules.scripted,
    )
    num_actions = num_ids = max_legal = CELLS
    max_length = CELLS
    num_streams = 0
    secrets = False

    @property
    def labels(self) -> Mapping[str, Sequence[str]]:
        return {"mark": MARKS, "result": RESULTS}

    def encode_options(self) -> NDArray[np.int32]:
        return np.array([self.players], np.int32)

    def observation(self) -> list[Slice]:
        return [
            Slice("marks", Kind.MASK, (2, SIZE, SIZE), per_seat=True),
            Slice("mover", Kind.ONE_HOT, (2,)),
        ]

    def symmetries(self) -> list[Symmetry]:
        """The board turned and mirrored: seven images."""
        cells, board, found = np.arange(CELLS), np.arange(CELLS).reshape(SIZE, SIZE), []
        for turn in range(8):
            turned = np.rot90(board, turn % 4)
            actions = (turned.T if turn >= 4 else turned).reshape(-1)
            if not np.array_equal(actions, cells):
                found.append(Symmetry(np.concatenate([actions, CELLS + actions, [2 * CELLS, 2 * CELLS + 1]]), actions))
        return found

    def action_text(self, action: int) -> str:
        return f"mark {NAMES[action]}"

    def board(self, state: Position, seat: int | None = None) -> str:
        cells = ["." if mark == 0 else MARKS[mark - 1] for mark in state.fields["cells"].tolist()]
        rows = [f"{row + 1} {' '.join(cells[SIZE * row : SIZE * row + SIZE])}" for row in range(SIZE)]
        result = int(state.fields["result"])
        last = RESULTS[result - 1] if result else f"seat {state.to_play} ({MARKS[state.to_play]}) to play"
        return "\n".join(["  a b c", *rows, last])

    def scores(self, state: Position) -> list[int]:
        """1, 0 or -1 at the end, 0 before."""
        return [round(u) for u in state.returns()]

    def check_state(self, state: Position) -> None:
        cells, ply, result = state.fields["cells"], int(state.fields["ply"]), int(state.fields["result"])
        counts = [int((cells == mark).sum()) for mark in (1, 2)]
        if counts != [(ply + 1) // 2, ply // 2]:
            raise UsageError(f"field 'ply': {ply}, but the seats have {counts[0]} and {counts[1]} marks")
        last = 2 - ply % 2
        if self._lines(cells, 3 - last):
            raise UsageError("field 'cells': somebody played on after a line of three")
        # Two lines of at most five marks share a cell: the last mark can have made both.
        meant = last if self._lines(cells, last) else DRAW if ply == CELLS else 0
        if result != meant:
            said = RESULTS[meant - 1] if meant else "null"
            raise UsageError(f"field 'result': expected {said}, as the cells say")

    @staticmethod
    def _lines(cells: NDArray[np.int8], mark: int) -> int:
        return int((cells[LINES] == mark).all(axis=1).sum())

    def conserved(self, state: Position) -> Mapping[str, int]:
        return {"marks beyond the plies": int((state.fields["cells"] != 0).sum()) - int(state.fields["ply"])}


GAME = TicTacToe
__all__ = ["GAME", "TicTacToe"]
