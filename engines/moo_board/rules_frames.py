# mypy: ignore-errors
"""The stack of pending effects: a frame is a place in `content.PROGRAM`, whose effect runs there, whence, at whom."""

from engines.effects.frames import ask, make_frames
from engines.kernel import kernel

from .content import COUNTS
from .layout import DEPTH

__all__ = ["ask", "go_on", "pop", "push", "push_count"]

begin, go_on, pop = make_frames(__name__, COUNTS, DEPTH, "frame_source", "frame_target")
"""The content bounds how deep effects nest."""


@kernel
def push(s, pc, seat, source, target):
    """Begin the program at `pc`; returns its frame, or -1."""
    frame = begin(s, pc, seat)
    if frame >= 0:
        s["frame_source"][frame] = source
        s["frame_target"][frame] = target
    return frame


@kernel
def push_count(s, pc, seat, source, target, n):
    """Begin the program at `pc` with a count of its own."""
    frame = push(s, pc, seat, source, target)
    if frame >= 0:
        s["frame_n"][frame] = n
