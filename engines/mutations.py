"""Seeded defects: does the conformance suite catch them, each by name?

A mutation wraps the kernels or declarations of a loaded game as Python sees them (nothing is edited or recompiled) and
names the checks that must catch it. One that never changed anything the game did (there was no such fact to leak, say)
has had no effect and proves nothing either way. `print(run_mutations(engines.load("kuhn_poker")))`.
"""

from __future__ import annotations

import copy
import dataclasses
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engines.conformance import check
from engines.contract import CHANCE, PUBLIC, Field, Game, Kind, Who
from engines.rng import mix

__all__ = ["Mutant", "Mutation", "MutationReport", "Trial", "mutations", "run_mutations"]

GAMES = 40
"""Random games played to catch a mutation, at most."""


class Mutant:
    """A game under mutation: its own kernels are in `true`, `touched` says whether the defect has shown yet."""

    def __init__(self, game: Game) -> None:
        self.true = game.kernels._replace(apply=self._apply)
        self.base = game
        self.touched = False
        self.game = copy.copy(game)
        vars(self.game).pop("_id_of_text", None)
        self._ids = np.zeros(game.max_legal, np.int32)
        self.put()

    def _apply(self, record: Any, action: int) -> None:
        """The game's own `apply`, but safe: compiled kernels trust their callers, and a mutant cannot be trusted."""
        n = int(self.base.kernels.legal(record, self._ids))
        if action not in self._ids[:n]:
            raise IndexError(f"action {action} is not legal")
        self.base.kernels.apply(record, action)

    def put(self, **kernels: Callable[..., Any]) -> None:
        """Replace kernels by name."""
        vars(self.game)["kernels"] = self.true._replace(**kernels)

    def put_method(self, **methods: Any) -> None:
        """Replace methods or attributes of the game object by name."""
        vars(self.game).update(methods)

    def others(self, record: Any, seat: int, names: tuple[str, ...]) -> Iterator[Any]:
        """The rows of fields `names` (first axis the seat) that belong to seats other than `seat`."""
        fields = record.view(self.base.dtype)[0]
        for name in names:
            for other in range(self.base.players):
                if other != seat:
                    yield fields[name][other : other + 1]

    def secret(self, record: Any, seat: int, names: tuple[str, ...]) -> int:
        """A number made of others' secrets: positive where there are any."""
        return sum(int((np.arange(1, row.size + 1) * row.ravel()).sum()) for row in self.others(record, seat, names))


@dataclass(frozen=True)
class Mutation:
    """A defect: `apply` breaks a mutant in place and says whether the game has what it takes to be broken so."""

    name: str
    defect: str
    caught_by: tuple[str, ...]
    """Checks that must catch it: at least one of them."""
    apply: Callable[[Mutant], bool]


def _secret_fields(game: Game) -> tuple[str, ...]:
    return tuple(name for name, f in game.fields.items() if f.who is Who.SEAT)


def mutations(game: Game) -> list[Mutation]:
    """Every mutation for `game`: those of any game, and one a field for those that concern a secret field."""
    return [*_of_rules(), *_of_worlds(), *_of_channels(), *(m for n, f in game.fields.items() for m in _of_field(n, f))]


def _of_field(name: str, declared: Field) -> Iterator[Mutation]:
    """Mutations of one field that is not public."""

    def kept(mutant: Mutant) -> bool:
        def determinize(record: Any, seat: int, rng: Any) -> float:
            fields = record.view(mutant.base.dtype)[0]
            before = np.array(fields[name])
            weight = float(mutant.true.determinize(record, seat, rng))
            mutant.touched |= not np.array_equal(before, fields[name])
            fields[name] = before
            return weight

        mutant.put(determinize=determinize)
        return True

    def shown(mutant: Mutant) -> bool:
        def observe(record: Any, seat: int, out: Any) -> None:
            mutant.true.observe(record, seat, out)
            secret = mutant.secret(record, seat, (name,))
            mutant.touched |= secret != 0
            out[-1] ^= secret & 1

        mutant.put(observe=observe)
        return True

    def in_key(mutant: Mutant) -> bool:
        def info_key(record: Any, seat: int) -> Any:
            secret = mutant.secret(record, seat, (name,))
            mutant.touched |= secret != 0
            return mutant.true.info_key(record, seat) ^ np.uint64(secret)

        mutant.put(info_key=info_key)
        return True

    def public(mutant: Mutant) -> bool:
        mutant.put_method(fields={**mutant.base.fields, name: dataclasses.replace(declared, who=Who.ALL)})
        mutant.touched = True
        return True

    def untold(mutant: Mutant) -> bool:
        mutant.put_method(fields={**mutant.base.fields, name: dataclasses.replace(declared, who=Who.NOBODY)})
        mutant.touched = True
        return True

    left = f"determinize leaves {name} as it is"
    if declared.who is not Who.ALL:
        yield Mutation(f"kept:{name}", left, ("world_bytes", "hidden_facts"), kept)
    if declared.who is Who.SEAT:
        seen = ("world_observation", "hidden_facts")
        yield Mutation(f"shown:{name}", f"the observation depends on the others' {name}", seen, shown)
        keyed = ("world_key", "hidden_facts")
        yield Mutation(f"keyed:{name}", f"info_key depends on the others' {name}", keyed, in_key)
    if declared.who in (Who.SEAT, Who.MASK):
        told = ("world_view", "world_facts", "view_round_trip")
        yield Mutation(f"told:{name}", f"views show {name} to everybody", told, public)
        blind = ("drawn_early", "keys_views", "view_round_trip")
        yield Mutation(f"untold:{name}", f"views show {name} to nobody", blind, untold)


def _of_rules() -> list[Mutation]:
    return [
        Mutation("legal_unsorted", "legal ids come in descending order", ("legal",), _legal_unsorted),
        Mutation("legal_twice", "a legal id is listed twice", ("legal",), _legal_twice),
        Mutation("legal_none", "no action is legal where there is only one", ("legal",), _legal_none),
        Mutation("endless", "games are longer than stated", ("length",), _endless),
        Mutation("mover", "to_play names a seat that does not exist", ("turn",), _mover),
        Mutation("not_zero_sum", "utilities do not sum to zero", ("returns",), _not_zero_sum),
        Mutation("scores_short", "a seat has no score", ("scores",), _scores_short),
        Mutation("weight_zero", "an outcome has weight zero", ("weights",), _weight_zero),
        Mutation("stream_unknown", "a chance event names a stream that does not exist", ("weights",), _stream_unknown),
        Mutation("shared_state", "applying to a copy also writes to its parent", ("copies",), _shared_state),
        Mutation("hidden_random", "apply draws from numpy's global generator", ("randomness",), _hidden_random),
        Mutation("hidden_counter", "apply remembers how often it was called", ("deterministic",), _hidden_counter),
        Mutation("start_varies", "no two games start alike", ("setup", "replay"), _start_varies),
        Mutation("lost", "what chance puts into a hand is lost", ("conserved", "posterior"), _lost),
        Mutation("dirty_setup", "setup leaves a byte as it was", ("setup",), _dirty_setup),
        Mutation("dirty_padding", "apply writes between the fields", ("padding",), _dirty_padding),
        Mutation("reader_writes", "observe writes to the state", ("reading",), _reader_writes),
        Mutation("equal_texts", "two actions have one text", ("texts",), _equal_texts),
        Mutation("undeclared", "a field is not declared", ("declarations",), _undeclared),
        Mutation("unwritten", "observe leaves an entry unwritten", ("observation",), _unwritten),
        Mutation("two_hot", "a one-hot slice has two places set", ("observation",), _two_hot),
        Mutation("raising", "apply raises on a legal action", ("raises",), _raising),
    ]


def _legal_unsorted(mutant: Mutant) -> bool:
    def legal(record: Any, out: Any) -> int:
        n = int(mutant.true.legal(record, out))
        out[:n] = out[:n][::-1].copy()
        mutant.touched |= n > 1
        return n

    mutant.put(legal=legal)
    return True


def _legal_twice(mutant: Mutant) -> bool:
    def legal(record: Any, out: Any) -> int:
        n = int(mutant.true.legal(record, out))
        if 0 < n < len(out):
            out[n], n, mutant.touched = out[n - 1], n + 1, True
        return n

    mutant.put(legal=legal)
    return True


def _legal_none(mutant: Mutant) -> bool:
    def legal(record: Any, out: Any) -> int:
        n = int(mutant.true.legal(record, out))
        mutant.touched |= n == 1
        return 0 if n == 1 else n

    mutant.put(legal=legal)
    return True


def _endless(mutant: Mutant) -> bool:
    mutant.put_method(max_length=1)
    mutant.touched = True
    return True


def _mover(mutant: Mutant) -> bool:
    def to_play(record: Any) -> int:
        turn = int(mutant.true.to_play(record))
        mutant.touched |= turn == mutant.base.players - 1
        return mutant.base.players if turn == mutant.base.players - 1 else turn

    mutant.put(to_play=to_play)
    return True


def _not_zero_sum(mutant: Mutant) -> bool:
    def returns(record: Any, out: Any) -> None:
        mutant.true.returns(record, out)
        out[0] += 0.25
        mutant.touched = True

    mutant.put(returns=returns)
    return True


def _scores_short(mutant: Mutant) -> bool:
    mutant.put_method(scores=lambda state: mutant.base.scores(state)[:-1])
    mutant.touched = True
    return True


def _weight_zero(mutant: Mutant) -> bool:
    def weights(record: Any, out: Any) -> int:
        stream = int(mutant.true.weights(record, out))
        out[0], mutant.touched = 0, True
        return stream

    mutant.put(weights=weights)
    return True


def _stream_unknown(mutant: Mutant) -> bool:
    def weights(record: Any, out: Any) -> int:
        mutant.true.weights(record, out)
        mutant.touched = True
        return mutant.base.num_streams

    mutant.put(weights=weights)
    return True


def _shared_state(mutant: Mutant) -> bool:
    parents: list[Any] = []

    def to_play(record: Any) -> int:
        parents[:] = [record]
        return int(mutant.true.to_play(record))

    def apply(record: Any, action: int) -> None:
        alike = bool(parents) and parents[0] is not record and np.array_equal(parents[0], record)
        mutant.true.apply(record, action)
        if alike:
            parents[0][:], mutant.touched = record, True

    mutant.put(to_play=to_play, apply=apply)
    return True


def _hidden_random(mutant: Mutant) -> bool:
    def apply(record: Any, action: int) -> None:
        np.random.random()
        mutant.true.apply(record, action)
        mutant.touched = True

    mutant.put(apply=apply)
    return True


def _other_action(mutant: Mutant, record: Any, action: int) -> int:
    """Another legal action than `action`, if there is one."""
    ids = np.zeros(mutant.base.max_legal, np.int32)
    n = int(mutant.true.legal(record, ids))
    mutant.touched |= n > 1
    return int(ids[0]) if int(ids[0]) != action else int(ids[n - 1])


def _hidden_counter(mutant: Mutant) -> bool:
    calls = [0]

    def apply(record: Any, action: int) -> None:
        calls[0] += 1
        mutant.true.apply(record, action if calls[0] % 2 else _other_action(mutant, record, action))

    mutant.put(apply=apply)
    return True


def _lost(mutant: Mutant) -> bool:
    names = _secret_fields(mutant.base)

    def apply(record: Any, action: int) -> None:
        fields = record.view(mutant.base.dtype)[0]
        before = [np.array(fields[name]) for name in names]
        drawn = int(mutant.true.to_play(record)) == CHANCE
        mutant.true.apply(record, action)
        if drawn and any(fields[n].sum() > b.sum() for n, b in zip(names, before, strict=True)):
            for name, rows in zip(names, before, strict=True):
                fields[name] = rows
            mutant.touched = True

    mutant.put(apply=apply)
    return bool(names) and bool(mutant.base.conserved(mutant.base.start()))


def _start_varies(mutant: Mutant) -> bool:
    calls = [0]

    def setup(record: Any, options: Any) -> None:
        mutant.true.setup(record, options)
        calls[0] += 1
        record[-1], mutant.touched = calls[0] % 100, True

    mutant.put(setup=setup)
    return True


def _dirty_setup(mutant: Mutant) -> bool:
    def setup(record: Any, options: Any) -> None:
        last = record[-1]
        mutant.true.setup(record, options)
        record[-1], mutant.touched = last, True

    mutant.put(setup=setup)
    return True


def _dirty_padding(mutant: Mutant) -> bool:
    covered: set[int] = set()
    for kind, offset, *_ in (mutant.base.dtype.fields or {}).values():
        covered.update(range(offset, offset + kind.itemsize))
    free = sorted(set(range(mutant.base.record_size)) - covered)

    def apply(record: Any, action: int) -> None:
        mutant.true.apply(record, action)
        record[free[0]], mutant.touched = 1, True

    mutant.put(apply=apply)
    return bool(free)


def _reader_writes(mutant: Mutant) -> bool:
    def observe(record: Any, seat: int, out: Any) -> None:
        mutant.true.observe(record, seat, out)
        record[-1] ^= 1
        mutant.touched = True

    mutant.put(observe=observe)
    return True


def _equal_texts(mutant: Mutant) -> bool:
    mutant.put_method(action_text=lambda action: mutant.base.action_text(0 if action == 1 else action))
    mutant.touched = True
    return True


def _undeclared(mutant: Mutant) -> bool:
    public = [name for name, f in mutant.base.fields.items() if f.who is Who.ALL]
    mutant.put_method(fields={n: f for n, f in mutant.base.fields.items() if n != public[-1]})
    mutant.touched = True
    return True


def _unwritten(mutant: Mutant) -> bool:
    def observe(record: Any, seat: int, out: Any) -> None:
        last = out[-1]
        mutant.true.observe(record, seat, out)
        mutant.touched |= last != out[-1]
        out[-1] = last

    mutant.put(observe=observe)
    return True


def _two_hot(mutant: Mutant) -> bool:
    wide = [part for part in mutant.base.slices if part.kind is Kind.ONE_HOT and part.shape[-1] > 1]

    def observe(record: Any, seat: int, out: Any) -> None:
        mutant.true.observe(record, seat, out)
        out[wide[0].start : wide[0].start + 2], mutant.touched = 1, True

    mutant.put(observe=observe)
    return bool(wide)


def _raising(mutant: Mutant) -> bool:
    def apply(record: Any, action: int) -> None:
        mutant.touched = True
        raise IndexError("index out of bounds")

    mutant.put(apply=apply)
    return True


def _of_worlds() -> list[Mutation]:
    by_bytes = ("world_bytes", "hidden_facts")
    own = ("world_facts", "world_key", "world_observation")
    return [
        Mutation("truth_kept", "determinize does nothing", ("worlds_vary", *by_bytes), _truth_kept),
        Mutation("hand_kept", "determinize leaves the last other seat's secrets in place", by_bytes, _hand_kept),
        Mutation("truth_shuffled", "determinize depends on the hidden truth", by_bytes, _truth_shuffled),
        Mutation("rng_ignored", "determinize ignores its generator: worlds never vary", ("worlds_vary",), _rng_ignored),
        Mutation("own_resampled", "determinize resamples the seat's own secrets", own, _own_resampled),
        Mutation("wrong_seat", "determinize takes the view of the next seat", own, _wrong_seat),
        Mutation("last_seat", "determinize does nothing for the last seat alone", by_bytes, _last_seat),
        Mutation("biased", "likely worlds come up too often", ("posterior",), _biased),
        Mutation("weight_nan", "the weight of a world is no number", ("world_weight",), _weight_nan),
        Mutation("dead_worlds", "worlds cannot be played to the end", ("world_playable",), _dead_worlds),
    ]


def _put_determinize(mutant: Mutant, body: Callable[[Any, int, Any], float]) -> bool:
    def determinize(record: Any, seat: int, rng: Any) -> float:
        proper = record.copy()
        mutant.true.determinize(proper, seat, rng.copy())
        weight = body(record, seat, rng)
        mutant.touched |= not np.array_equal(proper, record) or not np.isfinite(weight)
        return weight

    mutant.put(determinize=determinize)
    return mutant.base.secrets


def _truth_kept(mutant: Mutant) -> bool:
    return _put_determinize(mutant, lambda record, seat, rng: 0.0)


def _hand_kept(mutant: Mutant) -> bool:
    names = _secret_fields(mutant.base)

    def body(record: Any, seat: int, rng: Any) -> float:
        fields = record.view(mutant.base.dtype)[0]
        victim = mutant.base.players - 1 if seat != mutant.base.players - 1 else 0
        kept = {name: np.array(fields[name][victim]) for name in names}
        weight = float(mutant.true.determinize(record, seat, rng))
        for name, row in kept.items():
            fields[name][victim] = row
        return weight

    return _put_determinize(mutant, body) and bool(names)


def _truth_shuffled(mutant: Mutant) -> bool:
    names = _secret_fields(mutant.base)

    def body(record: Any, seat: int, rng: Any) -> float:
        rng[0] = mix(rng[0], np.uint64(mutant.secret(record, seat, names)))
        return float(mutant.true.determinize(record, seat, rng))

    return _put_determinize(mutant, body) and bool(names)


def _rng_ignored(mutant: Mutant) -> bool:
    def body(record: Any, seat: int, rng: Any) -> float:
        return float(mutant.true.determinize(record, seat, np.array([1, 0], np.uint64)))

    return _put_determinize(mutant, body)


def _own_resampled(mutant: Mutant) -> bool:
    return _put_determinize(mutant, lambda record, seat, rng: float(mutant.true.determinize(record, PUBLIC, rng)))


def _wrong_seat(mutant: Mutant) -> bool:
    def body(record: Any, seat: int, rng: Any) -> float:
        other = PUBLIC if seat == PUBLIC else (seat + 1) % mutant.base.players
        return float(mutant.true.determinize(record, other, rng))

    return _put_determinize(mutant, body)


def _last_seat(mutant: Mutant) -> bool:
    def body(record: Any, seat: int, rng: Any) -> float:
        return 0.0 if seat == mutant.base.players - 1 else float(mutant.true.determinize(record, seat, rng))

    return _put_determinize(mutant, body)


def _biased(mutant: Mutant) -> bool:
    def body(record: Any, seat: int, rng: Any) -> float:
        other = record.copy()
        mutant.true.determinize(other, seat, rng)
        weight = float(mutant.true.determinize(record, seat, rng))
        if other.tobytes() < record.tobytes():
            record[:] = other
        return weight

    return _put_determinize(mutant, body)


def _weight_nan(mutant: Mutant) -> bool:
    return _put_determinize(mutant, lambda record, seat, rng: mutant.true.determinize(record, seat, rng) * np.nan)


def _dead_worlds(mutant: Mutant) -> bool:
    worlds: set[bytes] = set()

    def determinize(record: Any, seat: int, rng: Any) -> float:
        weight = float(mutant.true.determinize(record, seat, rng))
        worlds.add(record.tobytes())
        return weight

    def legal(record: Any, out: Any) -> int:
        # A descendant of a world is stuck; what is wrong shows only once play goes on from the world.
        dead = bytes(record) in worlds
        mutant.touched |= dead
        return 0 if dead else int(mutant.true.legal(record, out))

    mutant.put(determinize=determinize, legal=legal)
    return mutant.base.secrets


def _of_channels() -> list[Mutation]:
    return [
        Mutation("key_blind", "info_key ignores the seat's own secrets", ("keys_views", "step_keys"), _key_blind),
        Mutation("key_path", "info_key counts how often it was asked", ("keys_views", "world_key"), _key_path),
        Mutation("key_amnesia", "info_key has one bit: positions and pasts fall together", ("keys_views", "recall"), _key_amnesia),
        Mutation("turn_secret", "who is to play depends on secrets", ("world_turn", "hidden_facts"), _turn_secret),
        Mutation("legal_secret", "a seat's legal actions show others' secrets", ("world_legal",), _legal_secret),
        Mutation("shown_last", "the last seat alone observes others' secrets", ("world_observation",), _shown_last),
        Mutation("log_secret", "the log shows secrets to all", ("log",), _log_secret),
        Mutation("board_secret", "the board shows secrets to all", ("world_board",), _board_secret),
        Mutation("seatless_view", "from_view forgets whose view it is", ("view_round_trip", "raises"), _seatless_view),
    ]


def _key_blind(mutant: Mutant) -> bool:
    def info_key(record: Any, seat: int) -> Any:
        blind = record.copy()
        if seat >= 0:
            for name in _secret_fields(mutant.base):
                row = blind.view(mutant.base.dtype)[0][name][seat : seat + 1]
                mutant.touched |= bool(row.any())
                row[:] = 0
        return mutant.true.info_key(blind, seat)

    mutant.put(info_key=info_key)
    return bool(_secret_fields(mutant.base))


def _key_path(mutant: Mutant) -> bool:
    calls = [0]

    def info_key(record: Any, seat: int) -> Any:
        calls[0] += 1
        mutant.touched = True
        return mix(mutant.true.info_key(record, seat), np.uint64(calls[0]))

    mutant.put(info_key=info_key)
    return True


def _key_amnesia(mutant: Mutant) -> bool:
    def info_key(record: Any, seat: int) -> Any:
        mutant.touched = True
        return mutant.true.info_key(record, seat) & np.uint64(1)

    mutant.put(info_key=info_key)
    return True


def _turn_secret(mutant: Mutant) -> bool:
    names = _secret_fields(mutant.base)

    def to_play(record: Any) -> int:
        turn = int(mutant.true.to_play(record))
        odd = turn >= 0 and mutant.secret(record, PUBLIC, names) % 2 == 1
        mutant.touched |= odd
        return (turn + 1) % mutant.base.players if odd else turn

    mutant.put(to_play=to_play)
    return bool(names)


def _legal_secret(mutant: Mutant) -> bool:
    names = _secret_fields(mutant.base)

    def legal(record: Any, out: Any) -> int:
        n, turn = int(mutant.true.legal(record, out)), int(mutant.true.to_play(record))
        odd = turn >= 0 and n > 1 and mutant.secret(record, turn, names) % 2 == 1
        mutant.touched |= odd
        return n - 1 if odd else n

    mutant.put(legal=legal)
    return bool(names)


def _shown_last(mutant: Mutant) -> bool:
    names = _secret_fields(mutant.base)

    def observe(record: Any, seat: int, out: Any) -> None:
        mutant.true.observe(record, seat, out)
        secret = mutant.secret(record, seat, names) if seat == mutant.base.players - 1 else 0
        mutant.touched |= secret != 0
        out[-1] ^= secret & 1

    mutant.put(observe=observe)
    return bool(names)


def _log_secret(mutant: Mutant) -> bool:
    names = _secret_fields(mutant.base)

    def describe(state: Any, action: int, seat: int) -> str:
        secret = mutant.secret(state.record, seat, names)
        mutant.touched |= secret != 0
        return f"{mutant.base.describe(state, action, seat)} ({secret})"

    mutant.put_method(describe=describe)
    return bool(names)


def _board_secret(mutant: Mutant) -> bool:
    mutant.put_method(board=lambda state, seat=None: mutant.base.board(state))
    mutant.touched = True
    return bool(_secret_fields(mutant.base))


def _seatless_view(mutant: Mutant) -> bool:
    mutant.put_method(from_view=lambda view: mutant.base.from_view({**view, "seat": None}))
    mutant.touched = True
    return bool(_secret_fields(mutant.base))


@dataclass(frozen=True)
class Trial:
    """What became of one mutation."""

    mutation: Mutation
    status: str
    """caught | MISSED | no effect (it never changed what the game did, or the checks that see it do not run here)."""
    by: tuple[str, ...] = ()
    """The checks that failed."""


@dataclass
class MutationReport:
    """Outcome of `run_mutations`; printing it shows a table."""

    game: str
    players: int
    seconds: float = 0.0
    trials: list[Trial] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether every mutation that had an effect was caught by a check that it names."""
        return all(trial.status != "MISSED" for trial in self.trials)

    def __str__(self) -> str:
        counts = Counter(trial.status for trial in self.trials)
        head = f"{self.game}, {self.players} players: " + ", ".join(f"{n} {status}" for status, n in counts.items())
        wide = max((len(trial.mutation.name) for trial in self.trials), default=0)
        rows = [f"{t.mutation.name:{wide}}  {t.status:>9}  {t.mutation.defect}{_named(t)}" for t in self.trials]
        return "\n".join([f"{head}, {self.seconds:.1f} s", *rows])


def _named(trial: Trial) -> str:
    if trial.status == "MISSED":
        return f": expected {' or '.join(trial.mutation.caught_by)}, failed {', '.join(trial.by) or 'nothing'}"
    named = [name for name in trial.by if name in trial.mutation.caught_by]
    return f": caught by {', '.join(named)}" if named else ""


def run_mutations(game: Game, games: int = GAMES, seed: int = 0, budget_seconds: float | None = 20.0) -> MutationReport:
    """Apply every mutation to `game` in turn and run the conformance suite until a check named by it fails.

    Args:
        game: a loaded game that passes the suite as it is.
        games: random games for each mutation, at most.
        seed: names the random games.
        budget_seconds: time for each mutation, at most.
    """
    began = time.monotonic()
    report = MutationReport(game.name, game.players)
    for mutation in mutations(game):
        mutant = Mutant(game)
        if not mutation.apply(mutant):
            report.trials.append(Trial(mutation, "no effect"))
            continue
        found = check(mutant.game, games, seed, budget_seconds, stop=mutation.caught_by)
        failed = tuple(found.failures)
        if not set(mutation.caught_by).isdisjoint(failed):
            status = "caught"
        else:
            examined = any(found.runs[name] for name in mutation.caught_by)
            status = "MISSED" if mutant.touched and examined else "no effect"
        report.trials.append(Trial(mutation, status, failed))
    report.seconds = time.monotonic() - began
    return report
