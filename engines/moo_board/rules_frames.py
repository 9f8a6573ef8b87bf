# mypy: ignore-errors
"""The stack of pending effects: a frame is a place in `content.PROGRAM` and whose effect runs there."""

from engines.kernel import kernel

from .content import OP_ACTIVATE, OP_DISCARD, OP_PAY_CARDS, PROGRAM
from .layout import DEPTH


@kernel
def enter(s, frame, pc):
    """Let a frame stand at the op `pc`, its count at the op's number."""
    op = int(PROGRAM[pc, 0])
    counts = op in (OP_DISCARD, OP_PAY_CARDS, OP_ACTIVATE)
    s["frame_pc"][frame] = pc
    s["frame_n"][frame] = PROGRAM[pc, 1] if counts else 0


@kernel
def push(s, pc, seat, source, target):
    """Begin the program at `pc`. The content bounds how deep effects nest; none is begun beyond the room there is."""
    frame = int(s["depth"])
    if frame == DEPTH:
        return
    s["depth"] = frame + 1
    s["frame_seat"][frame] = seat
    s["frame_source"][frame] = source
    s["frame_target"][frame] = target
    enter(s, frame, pc)


@kernel
def push_count(s, pc, seat, source, target, n):
    """Begin the program at `pc` with a count of its own."""
    frame = int(s["depth"])
    push(s, pc, seat, source, target)
    if frame < DEPTH:
        s["frame_n"][frame] = n


@kernel
def go_on(s):
    """The top frame goes on to its next op."""
    frame = int(s["depth"]) - 1
    enter(s, frame, int(s["frame_pc"][frame]) + 1)


@kernel
def pop(s):
    """End the top frame."""
    frame = int(s["depth"]) - 1
    s["depth"] = frame
    s["frame_pc"][frame] = 0
    s["frame_seat"][frame] = 0
    s["frame_source"][frame] = 0
    s["frame_target"][frame] = 0
    s["frame_n"][frame] = 0


@kernel
def ask(s, node, seat):
    """Wait for a decision of `seat`, or for chance."""
    s["node"] = node
    s["mover"] = seat
