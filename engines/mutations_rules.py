"""Defects of the rules: what is legal, random, counted and written."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.contract import CHANCE, Kind, Symmetry, Who
from engines.mutations_base import Mutant, Mutation, secret_fields

__all__ = ["of_rules"]


def of_rules() -> list[Mutation]:
    """Mutations of any game's rules."""
    return [
        Mutation("legal_unsorted", "legal ids come in descending order", ("legal",), _legal_unsorted),
        Mutation("legal_twice", "a legal id is listed twice", ("legal",), _legal_twice),
        Mutation("legal_none", "no action is legal where there is only one", ("legal", "world_playable"), _legal_none),
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
        Mutation("image", "a symmetry is declared that the game does not have", ("images",), _image),
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
    names = secret_fields(mutant.base)

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


def _image(mutant: Mutant) -> bool:
    game = mutant.base
    actions = np.arange(game.num_ids)
    actions[: game.num_actions] = actions[: game.num_actions][::-1].copy()
    mutant.put_method(symmetries=lambda: [Symmetry(np.arange(game.observation_size), actions)])
    mutant.touched = game.num_actions > 1
    return mutant.touched
