"""What a seat knows of a record, as bytes, straight from the declarations of `Game.fields`.

The conformance suite compares what seats know many thousands of times; comparing views as JSON would be a thousand
times slower. Two records with equal bytes here have equal views, and the other way round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engines.contract import PUBLIC, Who

if TYPE_CHECKING:
    from engines.contract import Game

__all__ = ["Knowledge"]


class Knowledge:
    """Reads records of one game as one of its seats (or PUBLIC) may.

    Attributes:
        padding: bool[record_size], the bytes that belong to no field.
    """

    def __init__(self, game: Game) -> None:
        self._dtype = game.dtype
        self._places: dict[int, NDArray[np.intp]] = {}
        self._masked = [(name, str(f.mask)) for name, f in game.fields.items() if f.who is Who.MASK]
        self._fields = game.fields
        for seat in range(PUBLIC, game.players):
            known = np.zeros(game.record_size, bool)
            for name, field in game.fields.items():
                start, stop = self._span(name)
                if field.who is Who.ALL:
                    known[start:stop] = True
                elif field.who is Who.SEAT and seat >= 0:
                    row = (stop - start) // game.dtype[name].shape[0]
                    known[start + seat * row : start + (seat + 1) * row] = True
            self._places[seat] = np.flatnonzero(known)
        self.padding = np.ones(game.record_size, bool)
        for name in game.dtype.names or ():
            start, stop = self._span(name)
            self.padding[start:stop] = False

    def _span(self, name: str) -> tuple[int, int]:
        """First byte of a field and the byte after its last one."""
        assert self._dtype.fields is not None
        kind, offset = self._dtype.fields[name][:2]
        return offset, offset + kind.itemsize

    def of(self, record: NDArray[np.uint8], seat: int) -> bytes:
        """All that `seat` (or PUBLIC) knows of `record`."""
        known = record[self._places[seat]].tobytes()
        if not self._masked:
            return known
        fields = record.view(self._dtype)[0]
        parts = [np.where(self._bits(fields[mask], seat), fields[name], 0).tobytes() for name, mask in self._masked]
        return known + b"".join(parts)

    @staticmethod
    def _bits(mask: Any, seat: int) -> NDArray[np.bool_]:
        bits = np.asarray(mask).astype(np.int64)
        return (bits >> seat) & 1 == 1 if seat >= 0 else np.zeros(bits.shape, bool)

    def differing(self, a: NDArray[np.uint8], b: NDArray[np.uint8], seat: int | None = None) -> list[str]:
        """Names of the fields in which two records differ; with a seat, only where that seat (or PUBLIC) can see it."""
        one, two = a.view(self._dtype)[0], b.view(self._dtype)[0]
        return [name for name in self._dtype.names or () if self._differs(name, one, two, seat)]

    def _differs(self, name: str, one: Any, two: Any, seat: int | None) -> bool:
        x, y = np.asarray(one[name]), np.asarray(two[name])
        field = self._fields.get(name)
        if seat is None or field is None or field.who is Who.ALL:
            return not np.array_equal(x, y)
        if field.who is Who.SEAT and seat >= 0:
            return not np.array_equal(x[seat], y[seat])
        if field.who is Who.MASK:
            seen = self._bits(one[field.mask], seat)
            return not np.array_equal(np.where(seen, x, 0), np.where(seen, y, 0))
        return False
