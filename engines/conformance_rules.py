"""Checks of the rules alone: declarations once, then every state and every step of random games."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.conformance_report import Run, bytes_differing
from engines.contract import CHANCE, PUBLIC, TERMINAL, Game, Kernels, Kind, Slice, Who
from engines.errors import UsageError
from engines.state import State

__all__ = ["RulesChecks", "check_declarations", "check_setup", "check_texts"]

GUARD = 16
"""Entries behind every buffer handed to a kernel; they must stay as they were."""
_STAIN = -77


def check_declarations(run: Run) -> None:
    """The declarations beside the kernels: fields, slices, sizes, one compiled version a kernel."""
    game = run.game
    names = set(game.dtype.names or ())
    declared = set(game.fields)
    run.expect("declarations", names == declared, f"record and Game.fields differ in {sorted(names ^ declared)}")
    for name in sorted(names & declared):
        _check_field(run, name)
    start = 0
    for part in game.slices:
        _check_slice(run, part, start)
        start = part.start + part.size
    run.expect("declarations", start == game.observation_size, f"slices end at {start}, not {game.observation_size}")
    ordered = 0 < game.num_actions <= game.num_ids
    run.expect("declarations", ordered, f"num_actions {game.num_actions} and num_ids {game.num_ids}")
    for name, function in zip(Kernels._fields, game.kernels, strict=True):
        versions = getattr(function, "signatures", None)
        if versions is not None:
            run.expect("declarations", len(versions) == 1, f"kernel {name} is compiled for {len(versions)} signatures")


def _check_field(run: Run, name: str) -> None:
    game, field = run.game, run.game.fields[name]
    shape = game.dtype[name].shape
    axes = len(field.axes)
    run.expect("declarations", axes == len(shape), f"field {name} has {len(shape)} axes, {axes} are named")
    for axis, length in zip(field.axes, shape, strict=False):
        fits = axis != "seat" or length >= game.players
        run.expect("declarations", fits, f"field {name}: {length} rows for {game.players} seats")
        fits = axis not in game.labels or length == len(game.labels[axis])
        run.expect("declarations", fits, f"field {name}: axis {axis} has {length} places for its labels")
    known = field.values is None or field.values in game.labels
    run.expect("declarations", known, f"field {name}: there are no labels named {field.values!r}")
    if field.who is Who.SEAT:
        fits = len(shape) > 0 and shape[0] >= game.players
        run.expect("declarations", fits, f"field {name} is known by seat, but its first axis is no seat")
    if field.who is Who.MASK:
        mask = game.fields.get(str(field.mask))
        fits = mask is not None and mask.who is Who.ALL and game.dtype[str(field.mask)].shape == shape
        run.expect("declarations", fits, f"field {name}: mask {field.mask!r} is no public field of the same shape")


def _check_slice(run: Run, part: Slice, start: int) -> None:
    labels = run.game.labels.get(part.labels)
    run.expect("declarations", part.start == start, f"slice {part.name} starts at {part.start}, not {start}")
    known = not part.labels or labels is not None
    run.expect("declarations", known, f"slice {part.name}: there are no labels named {part.labels!r}")
    run.expect("declarations", part.size > 0 and part.scale > 0, f"slice {part.name} is empty or has no scale")
    if part.per_seat:
        run.expect("declarations", part.shape[0] == run.game.players, f"slice {part.name}: first axis is no seat")
    if part.kind is Kind.CARD:
        run.expect("declarations", labels is not None, f"slice {part.name} holds cards, but names no labels")
    if part.kind is Kind.COUNT and labels is not None:
        run.expect("declarations", part.shape[-1] == len(labels), f"slice {part.name}: not one place a label")


def check_texts(run: Run) -> None:
    """Texts of actions: unique, whole, and parsed back. Ids that are never legal may have an empty text."""
    game = run.game
    owner: dict[str, int] = {}
    for action in range(game.num_ids):
        text = game.action_text(action)
        if not text:
            continue
        other = owner.setdefault(text, action)
        run.expect("texts", other == action, f"ids {other} and {action} have the same text {text!r}")
        try:
            back: int | str = game.parse(text)
        except UsageError as error:
            back = str(error)
        run.expect("texts", back == action, f"id {action} is written {text!r}, which is read as {back}")


def check_setup(run: Run) -> None:
    """`setup` writes every byte, leaves its options alone, and does the same twice."""
    game = run.game
    records = []
    for stain in (0, 0xFF, 0xA5):
        record = np.full(game.record_size, stain, np.uint8)
        options = game.encode_options()
        given = options.copy()
        game.kernels.setup(record, options)
        run.expect("setup", np.array_equal(given, options), "the options were changed")
        records.append(record)
    for record in records[1:]:
        run.expect_same("setup", bytes_differing(run, records[0], record), "depends on what was in the buffer", None)


class RulesChecks:
    """What must hold at a state and across a step, for one loaded game."""

    def __init__(self, run: Run) -> None:
        game = run.game
        self.run = run
        self._ids = np.zeros(game.max_legal + GUARD, np.int32)
        self._weights = np.zeros(game.max_legal + GUARD, np.int64)
        self._returns = np.zeros(game.players + GUARD, np.float32)
        self._seen = np.zeros(game.observation_size + GUARD, np.int16)
        self._kinds = _Kinds(game)
        self._before = np.zeros(0, np.uint8)
        self._totals: dict[str, int] = {}

    def state(self, record: NDArray[np.uint8]) -> tuple[int, NDArray[np.int32]]:
        """Check a state; returns its `to_play` and its legal ids `int32[n]`."""
        run, game = self.run, self.run.game
        self._before = record.copy()
        mover = int(game.kernels.to_play(record))
        self._unchanged(record, "to_play")
        run.expect("turn", TERMINAL <= mover < game.players, f"to_play is {mover}")
        legal = self._legal(record, mover)
        if mover == CHANCE and len(legal):
            self._chance(record, len(legal))
        self._utilities(record)
        for seat in range(game.players):
            self._observation(record, seat)
        for seat in range(PUBLIC, game.players):
            game.kernels.info_key(record, seat)
            self._unchanged(record, "info_key")
        position = State(game, record)
        scores = game.scores(position)
        fits = len(scores) == game.players and all(isinstance(score, int) for score in scores)
        run.expect("scores", fits, f"scores are {scores}")
        run.expect_same("conserved", self._lost(position), "totals changed", None)
        run.expect("padding", not record[run.know.padding].any(), "padding bytes are not zero")
        return mover, legal

    def _lost(self, position: State) -> list[str]:
        totals = dict(self.run.game.conserved(position))
        if not self.run.actions:
            self._totals = totals
        keys = sorted(totals.keys() | self._totals.keys())
        changed = [k for k in keys if totals.get(k) != self._totals.get(k)]
        return [f"{k} {self._totals.get(k)} -> {totals.get(k)}" for k in changed]

    def _legal(self, record: NDArray[np.uint8], mover: int) -> NDArray[np.int32]:
        run, game = self.run, self.run.game
        self._ids[game.max_legal :] = _STAIN
        n = int(game.kernels.legal(record, self._ids[: game.max_legal]))
        self._unchanged(record, "legal")
        self._guard(self._ids[game.max_legal :], "legal")
        if not run.expect("legal", 0 <= n <= game.max_legal, f"{n} ids, declared are at most {game.max_legal}"):
            return self._ids[:0].copy()
        ids = self._ids[:n].copy()
        run.expect("legal", (n == 0) == (mover == TERMINAL), f"{n} legal ids where to_play is {mover}")
        run.expect("legal", bool((np.diff(ids) > 0).all()), f"not strictly ascending: {ids.tolist()}")
        low, high = (game.num_actions, game.num_ids) if mover == CHANCE else (0, game.num_actions)
        inside = n == 0 or (low <= int(ids.min()) and int(ids.max()) < high)
        if run.expect("legal", inside, f"ids outside {low}..{high - 1} where to_play is {mover}: {ids.tolist()}"):
            nameless = [int(a) for a in ids if not game.action_text(int(a))]
            run.expect("texts", not nameless, f"legal ids without a text: {nameless}")
        return ids

    def _chance(self, record: NDArray[np.uint8], n: int) -> None:
        run, game = self.run, self.run.game
        self._weights[:] = _STAIN
        stream = int(game.kernels.weights(record, self._weights[: game.max_legal]))
        self._unchanged(record, "weights")
        self._guard(self._weights[game.max_legal :], "weights")
        weights = self._weights[:n]
        run.expect("weights", bool((weights > 0).all()), f"weights are {weights.tolist()}")
        run.expect("weights", 0 <= stream < game.num_streams, f"stream {stream} of {game.num_streams}")

    def _utilities(self, record: NDArray[np.uint8]) -> None:
        run, game = self.run, self.run.game
        self._returns[:] = _STAIN
        game.kernels.returns(record, self._returns[: game.players])
        self._unchanged(record, "returns")
        self._guard(self._returns[game.players :], "returns")
        values = self._returns[: game.players].tolist()
        bounded = all(math.isfinite(v) and abs(v) <= 1.0 + 1e-6 for v in values)
        run.expect("returns", bounded and abs(sum(values)) < 1e-5, f"utilities are {values}, sum {sum(values):.6f}")

    def _observation(self, record: NDArray[np.uint8], seat: int) -> None:
        run, game = self.run, self.run.game
        size = game.observation_size
        self._seen[:] = _STAIN
        game.kernels.observe(record, seat, self._seen[:size])
        self._unchanged(record, "observe")
        self._guard(self._seen[size:], "observe")
        first = self._seen[:size].copy()
        self._seen[:size] = _STAIN + 1
        game.kernels.observe(record, seat, self._seen[:size])
        unwritten = np.flatnonzero(first != self._seen[:size])
        where = self._kinds.name(int(unwritten[0])) if len(unwritten) else ""
        run.expect("observation", not len(unwritten), f"slice {where} is not wholly written", seat)
        fault = self._kinds.fault(first)
        run.expect("observation", not fault, fault, seat)

    def _unchanged(self, record: NDArray[np.uint8], name: str) -> None:
        self.run.expect_same("reading", bytes_differing(self.run, self._before, record), f"{name} wrote to", None)

    def _guard(self, guard: NDArray[Any], name: str) -> None:
        self.run.expect("reading", bool((guard == _STAIN).all()), f"{name} wrote behind its buffer")

    def step(self, record: NDArray[np.uint8], action: int) -> NDArray[np.uint8]:
        """Check `apply` on copies of `record`; returns the state that follows."""
        run, game = self.run, self.run.game
        before = record.copy()
        after, again = record.copy(), record.copy()
        game.kernels.apply(after, action)
        game.kernels.to_play(record)
        game.kernels.apply(again, action)
        name = game.action_text(action)
        run.expect_same("deterministic", bytes_differing(run, after, again), f"{name!r} applied twice differs in", None)
        run.expect_same("copies", bytes_differing(run, before, record), f"{name!r} on a copy changed the parent", None)
        return after


class _Kinds:
    """The kinds of all slices, gathered so that an observation is judged in a few array operations."""

    def __init__(self, game: Game) -> None:
        self._slices = game.slices
        size = game.observation_size
        self._low = np.full(size, np.iinfo(np.int16).min, np.int64)
        self._high = np.full(size, np.iinfo(np.int16).max, np.int64)
        rows: list[int] = []
        for part in game.slices:
            inside = slice(part.start, part.start + part.size)
            if part.kind is not Kind.SCALAR:
                self._low[inside] = 0
            if part.kind in (Kind.ONE_HOT, Kind.MASK):
                self._high[inside] = 1
            if part.kind is Kind.CARD:
                self._high[inside] = len(game.labels.get(part.labels, ()))
            if part.kind is Kind.ONE_HOT:
                rows.extend(range(part.start, part.start + part.size, part.shape[-1]))
        self._rows = rows
        self._widths = {
            row: next(p.shape[-1] for p in game.slices if p.start <= row < p.start + p.size) for row in rows
        }

    def name(self, place: int) -> str:
        """Name of the slice that holds entry `place`."""
        return next(p.name for p in self._slices if p.start <= place < p.start + p.size)

    def fault(self, seen: NDArray[np.int16]) -> str:
        """What is wrong with an observation `int16[D]`; "" if nothing is."""
        bad = np.flatnonzero((seen < self._low) | (seen > self._high))
        if len(bad):
            place = int(bad[0])
            return f"slice {self.name(place)} holds {seen[place]}, expected {self._low[place]} to {self._high[place]}"
        for row in self._rows:
            total = int(seen[row : row + self._widths[row]].sum())
            if total != 1:
                return f"one-hot slice {self.name(row)} sums to {total}"
        return ""
