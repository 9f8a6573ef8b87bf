# mypy: ignore-errors
"""The stack of pending effects: a frame is a place in `content.PROGRAM` and whose effect runs there."""

from engines.kernel import kernel

from .content import PROGRAM
from .layout import DEPTH, NODE_OVER, PHASE_OVER


@kernel
def enter(s, frame, pc):
    """Let a frame stand at the op `pc`, its count at the op's number."""
    s["frame_pc"][frame] = pc
    s["frame_n"][frame] = PROGRAM[pc, 1]
    s["frame_a"][frame] = 0


@kernel
def push(s, pc, seat):
    """Begin the program at `pc`. Effects nest by at most seven: action, attack, reward, damage."""
    frame = int(s["depth"])
    if frame == DEPTH:
        return
    s["depth"] = frame + 1
    s["frame_seat"][frame] = seat
    enter(s, frame, pc)


@kernel
def push_count(s, pc, seat, n, a):
    """Begin the program at `pc` with a count and a number of its own."""
    frame = int(s["depth"])
    push(s, pc, seat)
    if frame < DEPTH:
        s["frame_n"][frame] = n
        s["frame_a"][frame] = a


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
    s["frame_n"][frame] = 0
    s["frame_a"][frame] = 0


@kernel
def pop_all(s):
    """End every frame."""
    while int(s["depth"]) > 0:
        pop(s)


@kernel
def ask(s, node, seat):
    """Wait for a decision of `seat`, or for chance; returns True."""
    s["node"] = node
    s["mover"] = seat
    return True


@kernel
def finish(s):
    """The game is over."""
    pop_all(s)
    s["phase"] = PHASE_OVER
    s["node"] = NODE_OVER
    s["mover"] = 0
    s["cursor"] = 0
