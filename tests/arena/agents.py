"""Agents that misbehave in one way each, for matches given as {python: "tests.arena.agents:Name"}."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game
from engines.errors import FileError
from orion_ai.agents import Decisions


class First:
    """Takes the first legal action; remembers what it was shown."""

    name = "first"

    def __init__(self, game: Game, lanes: int, place: int = 0) -> None:
        self.game, self.place = game, place
        self.seen: list[tuple[bytes, int, int]] = []

    def decide(self, worlds: NDArray[np.uint8], seats: NDArray[np.int64], keys: NDArray[np.uint64]) -> Decisions:
        out = np.zeros(self.game.max_legal, np.int32)
        actions = []
        for world, seat, key in zip(worlds, seats, keys, strict=True):
            self.seen.append((world.tobytes(), int(seat), int(key)))
            count = self.game.kernels.legal(world, out)
            actions.append(out[: int(count)][self.place])
        return Decisions(np.array(actions, np.int32))


class Last(First):
    """Takes the last legal action."""

    def __init__(self, game: Game, lanes: int) -> None:
        super().__init__(game, lanes, -1)


class Illegal(First):
    """Answers with an outcome of chance."""

    def decide(self, worlds: Any, seats: Any, keys: Any) -> Decisions:
        return Decisions(np.full(len(worlds), self.game.num_ids - 1, np.int32))


class Raises(First):
    """Fails."""

    def decide(self, worlds: Any, seats: Any, keys: Any) -> Decisions:
        raise ZeroDivisionError("no idea")


class Vast(First):
    """Answers with what is its first legal action if only 32 bits of it are read."""

    def decide(self, worlds: Any, seats: Any, keys: Any) -> Decisions:
        return Decisions(super().decide(worlds, seats, keys).actions.astype(np.int64) + 2**32)  # type: ignore[arg-type]


class Uneven(First):
    """Answers with lists of unlike lengths."""

    def decide(self, worlds: Any, seats: Any, keys: Any) -> Decisions:
        return Decisions([[0], [0, 1]])  # type: ignore[arg-type]


class Scribbles(Illegal):
    """Answers illegally, and writes into what it was shown."""

    def decide(self, worlds: Any, seats: Any, keys: Any) -> Decisions:
        worlds[:] = 255
        return super().decide(worlds, seats, keys)


class Wordless(First):
    """Fails with an exception whose text fails as well."""

    def decide(self, worlds: Any, seats: Any, keys: Any) -> Decisions:
        class Dumb(Exception):
            def __str__(self) -> str:
                raise ValueError

        raise Dumb


class Cancelled(First):
    """Raises what is no Exception."""

    def decide(self, worlds: Any, seats: Any, keys: Any) -> Decisions:
        raise GeneratorExit


class Named(First):
    """Cannot be given a name."""

    name = property(lambda self: "mine")  # type: ignore[assignment]


class Breaks(First):
    """At the decision with one key it does what no process survives, or comes back from."""

    def __init__(self, game: Game, lanes: int, key: int, how: str, marker: str = "") -> None:
        super().__init__(game, lanes)
        self.key, self.how, self.marker = key, how, Path(marker)

    def decide(self, worlds: Any, seats: Any, keys: Any) -> Decisions:
        if self.key in keys.tolist():
            self.do()
        return super().decide(worlds, seats, keys)

    def do(self) -> None:
        if self.how == "hang":
            sum(range(10**13))  # compiled code: no signal gets through to Python
        elif self.how == "exit":
            os._exit(0)
        elif self.how == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif not self.marker.exists():  # once, as somebody from outside may do
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)


class BreaksTheEnd(Breaks):
    """Follows games, and hangs where it is to forget the first one."""

    def decide_after(self, trails: Any, worlds: Any, seats: Any, keys: Any) -> Decisions:
        return super(Breaks, self).decide(worlds, seats, keys)

    def forget(self, games: Any) -> None:
        if 0 in games:
            self.do()


class Unmakeable(First):
    """Ends the process that makes it, or raises; in the process of the command it is not made at all."""

    def __init__(self, game: Game, lanes: int, raises: str = "", log: str = "") -> None:
        super().__init__(game, lanes)
        assert multiprocessing.parent_process() is not None
        if raises == "FileError":
            raise FileError("no such book")
        if raises:
            raise EOFError("no book of openings")
        with Path(log).open("a") as file:
            file.write("made\n")
        os._exit(3)


class Quits(First):
    """Would end the whole program."""

    def decide(self, worlds: Any, seats: Any, keys: Any) -> Decisions:
        raise SystemExit("enough")


class Nothing(First):
    """Has no answer."""

    def decide(self, worlds: Any, seats: Any, keys: Any) -> Any:
        return None


class Ends(First):
    """Ends its process, by itself or by a signal."""

    def __init__(self, game: Game, lanes: int, by: int = 0) -> None:
        super().__init__(game, lanes)
        self.by = by

    def decide(self, worlds: Any, seats: Any, keys: Any) -> Decisions:
        if self.by:
            os.kill(os.getpid(), self.by)
        os._exit(0)


class TooFew(First):
    """Forgets the last game."""

    def decide(self, worlds: Any, seats: Any, keys: Any) -> Decisions:
        return Decisions(super().decide(worlds, seats, keys).actions[:-1])


class Slow(First):
    """Thinks a twentieth of a second."""

    def decide(self, worlds: Any, seats: Any, keys: Any) -> Decisions:
        time.sleep(0.05)
        return super().decide(worlds, seats, keys)


class Floats(First):
    """Answers in numbers that are no ids."""

    def decide(self, worlds: Any, seats: Any, keys: Any) -> Decisions:
        return Decisions(np.full(len(worlds), 0.5))  # type: ignore[arg-type]


class Forever(First):
    """Never comes to an end, whatever is raised at it."""

    def decide(self, worlds: Any, seats: Any, keys: Any) -> Decisions:
        while True:
            with contextlib.suppress(Exception):
                time.sleep(0.001)


class NoKings(First):
    """Fails where it holds the highest card, for the whole batch."""

    def decide(self, worlds: Any, seats: Any, keys: Any) -> Decisions:
        for world, seat in zip(worlds, seats, strict=True):
            if np.frombuffer(world, self.game.dtype)[0]["card"][seat] == 2:
                raise KeyError("king")
        return super().decide(worlds, seats, keys)


class IllegalKings(First):
    """Answers illegally where it holds the highest card."""

    def decide(self, worlds: Any, seats: Any, keys: Any) -> Decisions:
        actions = super().decide(worlds, seats, keys).actions
        for i, (world, seat) in enumerate(zip(worlds, seats, strict=True)):
            if np.frombuffer(world, self.game.dtype)[0]["card"][seat] == 2:
                actions[i] = self.game.num_ids - 1
        return Decisions(actions)


class Leaver(First):
    """Asks the program to exit while it is made."""

    def __init__(self, game: Game, lanes: int) -> None:
        super().__init__(game, lanes)
        sys.exit(0)
