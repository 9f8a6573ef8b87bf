# mypy: ignore-errors
"""The stack of pending effects: a frame is a place in `content.PROGRAM` and whose effect runs there."""

from engines.effects.frames import ask, make_frames
from engines.kernel import kernel

from .content import COUNTS
from .layout import DEPTH, NODE_OVER, PHASE_OVER

__all__ = ["ask", "finish", "go_on", "pop", "pop_all", "push", "push_count"]

push, go_on, pop = make_frames(__name__, COUNTS, DEPTH, "frame_a")
"""Effects nest by at most seven: action, attack, reward, damage."""


@kernel
def push_count(s, pc, seat, n, a):
    """Begin the program at `pc` with a count and a number of its own."""
    frame = push(s, pc, seat)
    if frame >= 0:
        s["frame_n"][frame] = n
        s["frame_a"][frame] = a


@kernel
def pop_all(s):
    """End every frame."""
    while int(s["depth"]) > 0:
        pop(s)


@kernel
def finish(s):
    """The game is over."""
    pop_all(s)
    s["phase"] = PHASE_OVER
    s["node"] = NODE_OVER
    s["mover"] = 0
    s["cursor"] = 0
