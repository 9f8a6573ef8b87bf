"""What the conformance suite checks, by name, and what it reports."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engines.contract import PUBLIC, Game
from engines.knowledge import Knowledge

__all__ = ["CHECKS", "Failure", "FoundError", "Report", "Run", "bytes_differing"]

CHECKS: dict[str, str] = {
    # the rules alone, at every state
    "declarations": "every field is declared; axes, masks, labels, slices and sizes agree with the record",
    "texts": "action texts are unique, say an id whole, and are parsed back",
    "setup": "a start position does not depend on what was in the buffer",
    "padding": "bytes between fields stay zero",
    "length": "random games end within max_length",
    "turn": "to_play is a seat, CHANCE or TERMINAL",
    "legal": "never empty before the end, ascending, in range, at most max_legal; decisions and outcomes apart",
    "weights": "positive, and the stream exists",
    "returns": "finite, in [-1, 1], summing to 0, before the end too",
    "scores": "one integer a seat",
    "reading": "kernels that read leave the record alone, and stay within their buffers",
    "copies": "applying to a copy leaves the parent alone",
    "deterministic": "the same action on the same record gives the same bytes",
    "randomness": "the global generators of random and numpy are not touched",
    "conserved": "no action changes the totals of conserved()",
    "observation": "defined at every state, every entry written, each slice as its kind says",
    "images": "a declared symmetry is one: mirrored steps give the mirrored choices and observations, the same returns",
    "replay": "the texts of a game, parsed and applied without a dealer, give the same bytes",
    "raises": "no kernel raises on a legal action",
    # for every seat and PUBLIC
    "world_turn": "determinising leaves to_play unchanged",
    "world_legal": "determinising leaves the seat's legal actions unchanged",
    "world_key": "determinising leaves the seat's info_key unchanged",
    "world_observation": "determinising leaves the seat's observation unchanged",
    "world_view": "determinising leaves the seat's view unchanged",
    "world_board": "determinising leaves the board that the seat is shown unchanged",
    "world_facts": "a world differs from the truth only in what is hidden from the seat",
    "world_bytes": "a world is a function of what the seat knows and of the generator: three ways, the same bytes",
    "world_weight": "ln(prior / proposal) is a finite number",
    "world_playable": "a world can be played to the end",
    "worlds_vary": "worlds differ where more than one is possible",
    "hidden_facts": "states that differ only in hidden facts look the same in every channel and give the same worlds",
    "view_round_trip": "a view survives JSON, and from_view gives a state with the same view, observation and key",
    "step_keys": "the same action on the truth and on a world: the seat's keys stay equal just if its views do",
    "log": "the log line of an action shows a seat nothing that its view does not",
    "keys_views": "equal keys just where views are equal, over all states met",
    "recall": "with perfect_recall, an info_key determines the seat's keys before it",
    "drawn_early": "nothing is drawn before some seat learns it",
    "scripted": "the scripted policy acts legally, and in a world as in the truth: it looks at what its mover knows",
    "no_future": "copies and worlds have no dealer",
    "posterior": "sampled worlds are possible, and as frequent as exact counting says (chi-square)",
}
"""Every check, and what it proves. Mutations name the checks that must catch them."""


@dataclass(frozen=True)
class Failure:
    """Where a check failed first, with all that is needed to see it again."""

    check: str
    message: str
    game: int
    """Number of the random game; -1 for checks that need none."""
    ply: int
    """Steps (decisions and outcomes) before the state at hand."""
    seat: int | None
    actions: tuple[str, ...]
    """Texts of the steps that lead to the state."""

    def __str__(self) -> str:
        seat = "" if self.seat is None else ", PUBLIC" if self.seat == PUBLIC else f", seat {self.seat}"
        where = f" [game {self.game}, ply {self.ply}{seat}]" if self.game >= 0 else ""
        steps = f"\n    after: {' | '.join(self.actions)}" if self.actions else ""
        return f"{self.check}: {self.message}{where}{steps}"


@dataclass
class Report:
    """Outcome of a conformance run; printing it shows a table of the checks and what failed."""

    game: str
    players: int
    seed: int
    games: int = 0
    steps: int = 0
    probes: int = 0
    """How often a seat's beliefs were examined."""
    seconds: float = 0.0
    runs: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    failures: dict[str, Failure] = field(default_factory=dict)
    """The first failure of each check that failed."""

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return not self.failures

    def __str__(self) -> str:
        head = (
            f"{self.game}, {self.players} players, seed {self.seed}: {self.games} random games, {self.steps} steps, "
            f"{self.probes} seats examined, {self.seconds:.1f} s"
        )
        width = max(len(name) for name in CHECKS)
        rows = [f"{name:{width}}  {self._verdict(name):>9}  {self.runs[name]:>9}  {CHECKS[name]}" for name in CHECKS]
        table = [f"{'check':{width}}  {'result':>9}  {'times':>9}  what it proves", *rows]
        faults = [str(failure) for failure in self.failures.values()]
        return "\n".join([head, *table, *(["", *faults] if faults else [])])

    def _verdict(self, name: str) -> str:
        if self.failed[name]:
            return "FAILED"
        return "ok" if self.runs[name] else "not run"


def bytes_differing(run: Run, a: NDArray[np.uint8], b: NDArray[np.uint8]) -> list[str]:
    """Names of the fields in which two records differ, "padding" if it is only there; [] if they are the same bytes."""
    return [] if np.array_equal(a, b) else run.know.differing(a, b) or ["padding"]


class FoundError(Exception):
    """A check failed that the caller was waiting for: the run ends here."""


class Run:
    """A conformance run in progress: where it stands, and what it has found."""

    def __init__(self, game: Game, seed: int, budget: float | None, stop: frozenset[str]) -> None:
        self.game = game
        self.know = Knowledge(game)
        self.report = Report(game.name, game.players, seed)
        self.number = -1
        self.actions: list[int] = []
        self._began = time.monotonic()
        self._budget = budget
        self._stop = stop

    @property
    def over(self) -> bool:
        """Whether the time is spent."""
        return self._budget is not None and time.monotonic() - self._began > self._budget

    def expect(self, check: str, holds: bool, message: str = "", seat: int | None = None) -> bool:
        """Count one run of `check`; note a failure if it does not hold. Returns `holds`."""
        self.report.runs[check] += 1
        if not holds:
            self.fail(check, message, seat)
        return holds

    def expect_same(self, check: str, differing: Mapping[str, bool] | list[str], what: str, seat: int | None) -> bool:
        """As `expect`, with the names of what differed."""
        names = differing if isinstance(differing, list) else [name for name, differs in differing.items() if differs]
        return self.expect(check, not names, f"{what}: {', '.join(names)}", seat)

    def fail(self, check: str, message: str, seat: int | None = None) -> None:
        """Note a failure; only the first of each check is kept whole."""
        self.report.failed[check] += 1
        if check not in self.report.failures:
            texts = tuple(self.game.action_text(a) for a in self.actions)
            self.report.failures[check] = Failure(check, message, self.number, len(texts), seat, texts)
        if check in self._stop:
            raise FoundError(check)

    @contextmanager
    def guarded(self, seat: int | None = None) -> Iterator[None]:
        """Turn an exception of the engine into a failure of `raises`."""
        self.report.runs["raises"] += 1
        try:
            yield
        except FoundError:
            raise
        except Exception as error:
            self.fail("raises", f"{type(error).__name__}: {error}", seat)

    def finish(self) -> Report:
        """The report, with its time."""
        self.report.seconds = time.monotonic() - self._began
        return self.report
