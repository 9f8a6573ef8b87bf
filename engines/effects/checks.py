"""Whether the stack of a position made from a view can be a game's; what else a frame needs is the game's to say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from engines.errors import UsageError

__all__ = ["check_stack", "expect"]


def expect(holds: bool, field: str, text: str) -> None:
    """Refuse a field of a position.

    Raises:
        UsageError: it does not hold; names the field.
    """
    if not holds:
        raise UsageError(f"field {field!r}: {text}")


def check_stack(s: Mapping[str, Any] | Any, program: NDArray[Any], *own: str) -> list[int]:
    """Refuse frames that stand at no op or belong to no seat, and numbers where there is no frame.

    Args:
        s: the State's fields, as arrays or lists; `depth` and `players` are within their bounds.
        program: `Program.table`.
        own: fields of the game's own frames.

    Returns:
        the ops at which the frames stand, the lowest frame first.

    Raises:
        UsageError: names the field and what was expected.
    """
    depth, players, ops = int(s["depth"]), int(s["players"]), []
    for name in ("frame_pc", "frame_seat", "frame_n", *own):
        expect(not any(int(n) for n in s[name][depth:]), name, f"more entries than 'depth', {depth}")
    for i in range(depth):
        pc, seat = int(s["frame_pc"][i]), int(s["frame_seat"][i])
        expect(0 < pc < len(program), "frame_pc", f"entry {i}: {pc}, expected 1 to {len(program) - 1}")
        expect(seat < players, "frame_seat", f"entry {i}: {seat}, expected a seat below {players}")
        ops.append(int(program[pc, 0]))
    return ops
