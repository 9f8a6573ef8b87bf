# mypy: ignore-errors
"""The stack of pending effects: a frame is a place in a program and whose effect runs there.

It lies in the State of a game: `depth`, the number of frames; `frame_pc`, `frame_seat`, `frame_n`, arrays of as many
places as there is room for: the row of the program at which a frame stands (below the top: what comes next), the seat
whose effect it is, a count; and up to three fields of the game's own. Beyond `depth` all are 0, so that equal positions
are equal bytes.
"""

from typing import Any, NamedTuple

from engines.kernel import kernel

__all__ = ["Frames", "ask", "make_frames"]

MOST_OWN = 3


class Frames(NamedTuple):
    """Kernels that take the State of a game, `s`, first."""

    push: Any
    """(s, pc, seat): begin the program at `pc` for a seat; returns its frame, -1 where there is no room for one."""
    go_on: Any
    """(s): the top frame goes on to its next op."""
    pop: Any
    """(s): end the top frame."""


def make_frames(module, counts, depth, *own):
    """The stack of a game.

    Compiled code has tables built in, so the kernels are made for each program; they are cached as the game's.

    Args:
        module: `__name__` of the game's module that calls this.
        counts: `Program.counts`.
        depth: places for frames.
        own: State fields of the game's own frames, which `pop` clears; at most three.

    Returns:
        `Frames`.
    """
    if len(own) > MOST_OWN:
        raise ValueError(f"{len(own)} fields of its own, expected at most {MOST_OWN}")
    one, two, three = (*own, *["frame_n"] * MOST_OWN)[:MOST_OWN]

    def push(s, pc, seat):
        frame = int(s["depth"])
        if frame == depth:
            return -1
        s["depth"] = frame + 1
        s["frame_pc"][frame] = pc
        s["frame_seat"][frame] = seat
        s["frame_n"][frame] = counts[pc]
        return frame

    def go_on(s):
        frame = int(s["depth"]) - 1
        pc = int(s["frame_pc"][frame]) + 1
        s["frame_pc"][frame] = pc
        s["frame_n"][frame] = counts[pc]

    def pop(s):
        frame = int(s["depth"]) - 1
        s["depth"] = frame
        s["frame_pc"][frame] = 0
        s["frame_seat"][frame] = 0
        s["frame_n"][frame] = 0
        s[one][frame] = 0
        s[two][frame] = 0
        s[three][frame] = 0

    for function in (push, go_on, pop):
        function.__module__ = module
    return Frames(kernel(push), kernel(go_on), kernel(pop))


@kernel
def ask(s, node, seat):
    """Wait for a decision of `seat`, or for chance; returns True."""
    s["node"] = node
    s["mover"] = seat
    return True
