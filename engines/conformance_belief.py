"""Checks of beliefs: what each seat sees must be a function of what it knows, and worlds must fit it.

Worlds are compared with the truth channel by channel. Beside every random game run its *twins*, one for each seat and
one for PUBLIC: games with the same actions as that seat saw them, but other hidden outcomes and other secret choices
wherever the seat could not tell. They come from the rules and the declarations alone, so they convict a `determinize`
that looks at the truth, and an observation that shows it, without asking either.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.conformance_report import Run, bytes_differing
from engines.contract import CHANCE, PUBLIC, TERMINAL
from engines.rng import below, generator
from engines.state import State

__all__ = ["BeliefChecks"]

DRAWS = 500
"""Worlds drawn before they are said not to vary: enough where the likeliest world has 99 % (chance of error 0.7 %)."""
TRIES = 2
"""Other actions tried at each step to lead a twin away from its game."""


@dataclass(frozen=True)
class Sight:
    """A state as one seat has it, in every channel."""

    turn: int
    legal: tuple[int, ...]
    key: int
    observation: bytes
    view: dict[str, Any]
    board: str

    @classmethod
    def of(cls, state: State, seat: int) -> Sight:
        """All that `seat` (or PUBLIC) is shown of `state`; results, and what follows from them, are left out."""
        turn = state.to_play
        view = state.view(seat)
        over = turn == TERMINAL
        if over:
            del view["returns"], view["scores"]
        return cls(
            turn,
            tuple(state.legal_actions()) if turn == seat >= 0 else (),
            state.info_key(seat),
            b"" if seat == PUBLIC else state.observe(seat).tobytes(),
            view,
            "" if over else state.game.board(state, seat),
        )

    def differing(self, other: Sight) -> list[str]:
        """Names of the channels in which two sights differ."""
        channels = ("turn", "legal", "key", "observation", "view", "board")
        return [name for name in channels if getattr(self, name) != getattr(other, name)]


class BeliefChecks:
    """What must hold for every seat and PUBLIC along one random game."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.seats = range(PUBLIC, run.game.players)
        self._key_of: dict[tuple[int, bytes], int] = {}
        self._known_of: dict[tuple[int, int], bytes] = {}
        self._chain_of: dict[tuple[int, int], int] = {}
        self._chains: list[int] = []
        self._last: list[int] = []
        self._twins: dict[int, NDArray[np.uint8]] = {}

    def start(self, record: NDArray[np.uint8]) -> None:
        """A new random game begins at `record`."""
        self._twins = {seat: record.copy() for seat in self.seats}
        self._chains, self._last = [0] * self.run.game.players, [0] * self.run.game.players

    def meet(self, record: NDArray[np.uint8]) -> None:
        """Enter a state into the ledgers of keys and what they stand for."""
        run = self.run
        for seat in self.seats:
            known = run.know.of(record, seat)
            key = int(run.game.kernels.info_key(record, seat))
            same = self._key_of.setdefault((seat, known), key)
            run.expect("keys_views", same == key, "equal views have different keys", seat)
            same_known = self._known_of.setdefault((seat, key), known)
            run.expect("keys_views", same_known == known, "different views have one key", seat)

    def remember(self, record: NDArray[np.uint8]) -> None:
        """Follow the sequence of keys that each seat has had (games with perfect recall)."""
        run = self.run
        for seat in range(run.game.players) if run.game.perfect_recall else ():
            key = int(run.game.kernels.info_key(record, seat))
            if key != self._last[seat]:
                self._chains[seat] = hash((self._chains[seat], key))
                self._last[seat] = key
            same = self._chain_of.setdefault((seat, key), self._chains[seat])
            run.expect("recall", same == self._chains[seat], "one key after different pasts", seat)

    def probe(self, record: NDArray[np.uint8], action: int | None, moment: int) -> None:
        """Examine every seat's beliefs at a state; `action` is what happens next (None at the end)."""
        if action is not None and int(self.run.game.kernels.to_play(record)) == CHANCE:
            with self.run.guarded():
                self._drawn_early(record.copy(), action)
        for seat in self.seats:
            with self.run.guarded(seat):
                _Probe(self, record, seat, moment).examine(action)
            self.run.report.probes += 1

    def _drawn_early(self, record: NDArray[np.uint8], action: int) -> None:
        run = self.run
        one = _applied(run, record, action)
        for other in State(run.game, record).legal_actions()[:3]:
            two = _applied(run, record, other)
            told = any(run.know.of(one, seat) != run.know.of(two, seat) for seat in self.seats)
            hidden = not told and not np.array_equal(one, two)
            names = ", ".join(run.know.differing(one, two)) if hidden else ""
            run.expect("drawn_early", not hidden, f"the outcome goes into {names}, which nobody sees yet")

    def follow(self, record: NDArray[np.uint8], action: int, after: NDArray[np.uint8], rng: NDArray[np.uint64]) -> None:
        """Take every twin along the step `record` -> `after`, by another way where its seat cannot tell."""
        run = self.run
        mover = int(run.game.kernels.to_play(record))
        for seat in self.seats:
            twin = self._twins[seat]
            target = run.know.of(after, seat)
            legal = State(run.game, twin).legal_actions()
            tries = [legal[below(rng, len(legal))] for _ in range(TRIES)] if legal and mover != seat else []
            self._twins[seat] = after.copy()
            for other in (*tries, *([action] if action in legal else [])):
                moved = _applied(run, twin, other)
                if run.know.of(moved, seat) == target:
                    self._twins[seat] = moved
                    break

    def twin(self, seat: int) -> NDArray[np.uint8]:
        """A state that the seat cannot tell from the game's own (often the same)."""
        return self._twins[seat]


def _applied(run: Run, record: NDArray[np.uint8], action: int) -> NDArray[np.uint8]:
    after = record.copy()
    run.game.kernels.apply(after, action)
    return after


class _Probe:
    """One seat's beliefs at one state."""

    def __init__(self, checks: BeliefChecks, record: NDArray[np.uint8], seat: int, moment: int) -> None:
        self.checks, self.run, self.game = checks, checks.run, checks.run.game
        self.seat = seat
        self.state = State(self.game, record.copy())
        self.sight = Sight.of(self.state, seat)
        self.back = self.game.from_view(json.loads(json.dumps(self.sight.view)))
        self.names = (self.run.report.seed, "probe", moment, seat + 1)

    def draw(self, state: State, *more: int) -> State:
        """A world of the seat from `state`; equal arguments mean equal randomness."""
        return self.weighed(state, *more)[0]

    def weighed(self, state: State, *more: int) -> tuple[State, float]:
        """As `draw`, with ln(prior / proposal)."""
        return state.sample_world(self.seat, generator(*self.names, *more))

    def expect(self, check: str, holds: bool, message: str = "") -> None:
        self.run.expect(check, holds, message, self.seat)

    def expect_bytes(self, check: str, a: State, b: State, what: str) -> None:
        self.run.expect_same(check, bytes_differing(self.run, a.record, b.record), what, self.seat)

    def examine(self, action: int | None) -> None:
        self.round_trip()
        if self.sight.turn == TERMINAL:
            self.hidden_facts(None)
            return
        world, weight = self.weighed(self.state)
        self.expect("world_weight", math.isfinite(weight), f"the weight is {weight}")
        self.world(world)
        self.three_ways(world)
        self.hidden_facts(world)
        if action is not None:
            self.step(world, action)
        self.playable(world)

    def world(self, world: State) -> None:
        """The world looks like the truth to its seat, and differs from it only where the seat cannot see."""
        run, seat = self.run, self.seat
        differing = self.sight.differing(Sight.of(world, seat))
        for channel in ("turn", "legal", "key", "observation", "view", "board"):
            self.expect(f"world_{channel}", channel not in differing, f"the world has another {channel} than the truth")
        same = run.know.of(self.state.record, seat) == run.know.of(world.record, seat)
        names = [] if same else run.know.differing(self.state.record, world.record, seat)
        run.expect_same("world_facts", names, "the world differs in what the seat knows", seat)
        copy = self.state.clone()
        if self.sight.turn == seat >= 0 and self.game.kernels.scripted is not None:
            mine, other = self.script(self.state), self.script(world)
            self.expect("scripted", mine in self.sight.legal, f"action {mine} is illegal")
            self.expect("scripted", mine == other, f"action {mine} in the truth, {other} in a world")
        self.expect("no_future", world.dealer is None and copy.dealer is None, "a world or copy has a dealer")
        self.checks.meet(world.record)

    def script(self, state: State) -> int:
        """What the scripted policy does in `state`, always with the same randomness."""
        policy = self.game.kernels.scripted
        assert policy is not None
        return int(policy(state.record.copy(), generator(*self.names, "script")))

    def three_ways(self, world: State) -> None:
        """From the truth, from the seat's view and from another world: the same bytes."""
        seen = self.draw(self.back)
        self.expect_bytes("world_bytes", world, seen, "worlds from the truth and from the view differ in")
        other = self.draw(self.state, 1)
        self.expect_bytes("world_bytes", world, self.draw(other), "worlds from the truth and from a world differ in")

    def round_trip(self) -> None:
        """The view as JSON text and back says the same to the seat."""
        view, known = self.sight.view, self.run.know
        self.expect("view_round_trip", json.loads(json.dumps(view)) == view, "the view is not plain JSON data")
        seen = Sight.of(self.back, self.seat)
        same = known.of(self.back.record, self.seat) == known.of(self.state.record, self.seat)
        names = [] if same else known.differing(self.back.record, self.state.record, self.seat) or ["facts"]
        if seen.view["state"] != view["state"]:
            names.append("view")
        names += [n for n in ("turn", "key", "observation", "legal") if getattr(seen, n) != getattr(self.sight, n)]
        self.run.expect_same("view_round_trip", names, "from_view(view) differs in", self.seat)

    def hidden_facts(self, world: State | None) -> None:
        """The twin, a true state that differs only in hidden facts, cannot be told apart by any channel."""
        twin = State(self.game, self.checks.twin(self.seat))
        if np.array_equal(twin.record, self.state.record):
            return
        names = self.sight.differing(Sight.of(twin, self.seat))
        self.run.expect_same("hidden_facts", names, "a state that differs in hidden facts alone shows it by", self.seat)
        if world is not None:
            self.expect_bytes("hidden_facts", world, self.draw(twin), "worlds depend on hidden facts in")
            self.vary(world, twin)

    def vary(self, world: State, twin: State) -> None:
        """More than one world is possible (the truth and the twin), so more than one must come up."""
        for draw in range(1, DRAWS):
            if not np.array_equal(self.draw(self.state, draw).record, world.record):
                self.expect("worlds_vary", True)
                return
        # What determinize clears (pending choices of others) is no evidence: there every world holds zero.
        names = []
        for name in self.run.know.differing(self.state.record, twin.record):
            differs = np.asarray(self.state.fields[name] != twin.fields[name])
            if np.any(np.asarray(world.fields[name])[differs]):
                names.append(name)
        self.run.expect_same(
            "worlds_vary", names, f"{DRAWS} worlds are all the same, though the truth may differ in", self.seat
        )

    def step(self, world: State, action: int) -> None:
        """The same action on the truth and on a world: key, view and log line part company together or not at all."""
        if world.to_play != self.sight.turn or action not in world.legal_actions():
            return
        run, seat = self.run, self.seat
        lines = [self.game.describe(s, action, seat) for s in (self.state, world)]
        true, other = (_applied(run, s.record, action) for s in (self.state, world))
        same_view = run.know.of(true, seat) == run.know.of(other, seat)
        same_key = self.game.kernels.info_key(true, seat) == self.game.kernels.info_key(other, seat)
        text = self.game.action_text(action)
        names = "" if same_view else ", ".join(run.know.differing(true, other, seat))
        self.expect(
            "step_keys",
            same_view == bool(same_key),
            f"after {text!r} keys are {'equal' if same_key else 'different'}, views {names or 'equal'}",
        )
        told = same_view and lines[0] != lines[1]
        self.expect("log", not told, f"{text!r} is told as {lines[0]!r} and {lines[1]!r}, while the views are equal")
        self.checks.meet(other)

    def playable(self, world: State) -> None:
        """Random play from the world ends within the bound, through legal ids only."""
        game, kernels = self.game, self.game.kernels
        record, rng = world.record.copy(), generator(*self.names, "play")
        ids = np.zeros(game.max_legal, np.int32)
        for _ in range(game.max_length):
            turn = int(kernels.to_play(record))
            n = int(kernels.legal(record, ids))
            if turn == TERMINAL or n == 0:
                self.expect("world_playable", turn == TERMINAL, f"no legal id where to_play is {turn}")
                return
            kernels.apply(record, int(ids[below(rng, n)]))
        over = int(kernels.to_play(record)) == TERMINAL
        self.expect("world_playable", over, f"not over after {game.max_length} more steps")
