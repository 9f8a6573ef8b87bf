"""Connect Four: seven columns, six rows, four in a line; on bitboards, the fastest game here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engines.connect_four import rules
from engines.connect_four.layout import CELLS, COLUMNS, DRAW, FIELDS, NAMES, RESULTS, ROWS, STRIDE, State
from engines.contract import Game, Kernels, Kind, Slice, Symmetry
from engines.errors import UsageError
from engines.state import State as Position


class ConnectFour(Game):
    """See the module."""

    name = "connect_four"
    title = "Connect Four"
    version = 2
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
    num_actions = num_ids = max_legal = COLUMNS
    max_length = CELLS
    num_streams = 0
    secrets = False

    @property
    def labels(self) -> Mapping[str, Sequence[str]]:
        return {"result": RESULTS}

    def encode_options(self) -> NDArray[np.int32]:
        return np.array([self.players], np.int32)

    def observation(self) -> list[Slice]:
        return [
            Slice("stones", Kind.MASK, (2, ROWS, COLUMNS), per_seat=True),
            Slice("threats", Kind.MASK, (2, ROWS, COLUMNS), per_seat=True),
            Slice("landings", Kind.MASK, (ROWS, COLUMNS)),
            Slice("wins", Kind.MASK, (2, COLUMNS), per_seat=True),
            Slice("wins_above", Kind.MASK, (2, COLUMNS), per_seat=True),
            Slice("mover", Kind.ONE_HOT, (2,)),
        ]

    def symmetries(self) -> list[Symmetry]:
        """The board mirrored, left for right."""
        places = np.arange(self.observation_size)
        for part in self.slices:
            if part.shape[-1] == COLUMNS:
                inside = slice(part.start, part.start + part.size)
                places[inside] = places[inside].reshape(-1, COLUMNS)[:, ::-1].reshape(-1)
        return [Symmetry(places, np.arange(COLUMNS)[::-1].copy())]

    def action_text(self, action: int) -> str:
        return f"drop {NAMES[action]}"

    def board(self, state: Position, seat: int | None = None) -> str:
        cells = self.cells(state)
        rows = [" ".join(".xo"[cell] for cell in row) for row in cells[::-1]]
        result = int(state.fields["result"])
        last = RESULTS[result - 1] if result else f"seat {state.to_play} ({'xo'[state.to_play]}) to play"
        return "\n".join([*rows, " ".join(NAMES), last])

    @staticmethod
    def cells(state: Position) -> NDArray[np.int8]:
        """The board as `int8[6, 7]`, row 0 at the bottom: 0 empty, 1 or 2 a stone of seat 0 or 1."""
        cells = np.zeros((ROWS, COLUMNS), np.int8)
        for seat, stones in enumerate(state.fields["stones"]):
            for column in range(COLUMNS):
                for row in range(ROWS):
                    cells[row, column] += (seat + 1) * (int(stones) >> STRIDE * column + row & 1)
        return cells

    def scores(self, state: Position) -> list[int]:
        """1, 0 or -1 at the end, 0 before."""
        return [round(u) for u in state.returns()]

    def check_state(self, state: Position) -> None:
        stones, ply, result = state.fields["stones"], int(state.fields["ply"]), int(state.fields["result"])
        cells, taken = self.cells(state), int(stones[0] | stones[1])
        counts = [int(stones[seat]).bit_count() for seat in range(2)]
        if int(stones[0] & stones[1]) or taken.bit_count() != np.count_nonzero(cells):
            raise UsageError("field 'stones': expected a bit for each stone, 7 * column + row, and no cell taken twice")
        if ((cells[1:] > 0) & (cells[:-1] == 0)).any():
            raise UsageError("field 'stones': a stone has nothing below it")
        if counts != [(ply + 1) // 2, ply // 2]:
            raise UsageError(f"field 'ply': {ply}, but the seats have {counts[0]} and {counts[1]} stones")
        lines = [bool(rules.has_line(one)) for one in stones]
        last = (ply - 1) % 2
        if lines[1 - last] or (lines[last] and not self._was_open(int(stones[last]), taken)):
            raise UsageError("field 'stones': somebody played on after a line of four")
        meant = 1 + last if lines[last] else DRAW if ply == CELLS else 0
        if result != meant:
            said = RESULTS[meant - 1] if meant else "null"
            raise UsageError(f"field 'result': expected {said}, as the stones say")

    @staticmethod
    def _was_open(winner: int, taken: int) -> bool:
        """Whether one stone on top of a column makes every line of the winner."""
        tops = [1 << STRIDE * column + row for column in range(COLUMNS) for row in range(ROWS)]
        return any(
            bit & winner and not taken & bit << 1 and not rules.has_line(np.uint64(winner ^ bit)) for bit in tops
        )

    def conserved(self, state: Position) -> Mapping[str, int]:
        stones = state.fields["stones"]
        return {"stones beyond the plies": sum(int(s).bit_count() for s in stones) - int(state.fields["ply"])}


GAME = ConnectFour
__all__ = ["GAME", "ConnectFour"]
