"""Defects of belief: worlds that keep or twist the truth, and channels that show what is hidden."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from engines.contract import PUBLIC, Field, Who
from engines.mutations_base import Mutant, Mutation, secret_fields
from engines.rng import mix

__all__ = ["of_channels", "of_field", "of_worlds"]


def of_field(name: str, declared: Field) -> Iterator[Mutation]:
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
        keyed = ("world_key", "hidden_facts", "step_keys")
        yield Mutation(f"keyed:{name}", f"info_key depends on the others' {name}", keyed, in_key)
    if declared.who in (Who.SEAT, Who.MASK):
        told = ("world_view", "world_facts", "view_round_trip")
        yield Mutation(f"told:{name}", f"views show {name} to everybody", told, public)
        # A game that checks its views may refuse one without the field ("raises").
        blind = ("drawn_early", "keys_views", "view_round_trip", "raises")
        yield Mutation(f"untold:{name}", f"views show {name} to nobody", blind, untold)


def of_worlds() -> list[Mutation]:
    """Mutations of `determinize`."""
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
        Mutation("script_peeks", "the scripted policy looks at others' secrets", ("scripted",), _script_peeks),
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
    names = secret_fields(mutant.base)

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
    names = secret_fields(mutant.base)

    def body(record: Any, seat: int, rng: Any) -> float:
        rng[0] = mix(rng[0], np.uint64(mutant.secret(record, seat, names)))
        return float(mutant.true.determinize(record, seat, rng))

    return _put_determinize(mutant, body) and bool(names)


def _script_peeks(mutant: Mutant) -> bool:
    names, ids = secret_fields(mutant.base), np.zeros(mutant.base.max_legal, np.int32)

    def scripted(record: Any, rng: Any) -> int:
        secret = mutant.secret(record, int(mutant.true.to_play(record)), names)
        mutant.touched |= secret != 0
        return int(ids[secret % int(mutant.true.legal(record, ids))])

    mutant.put(scripted=scripted)
    return bool(names)


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


def of_channels() -> list[Mutation]:
    """Mutations of what seats are shown: keys, logs, boards, views."""
    return [
        Mutation("key_blind", "info_key ignores the seat's own secrets", ("keys_views",), _key_blind),
        Mutation("key_path", "info_key counts how often it was asked", ("keys_views", "world_key"), _key_path),
        Mutation("key_amnesia", "info_key has but one bit", ("keys_views", "recall"), _key_amnesia),
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
            for name in secret_fields(mutant.base):
                row = blind.view(mutant.base.dtype)[0][name][seat : seat + 1]
                mutant.touched |= bool(row.any())
                row[:] = 0
        return mutant.true.info_key(blind, seat)

    mutant.put(info_key=info_key)
    return bool(secret_fields(mutant.base))


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
    names = secret_fields(mutant.base)

    def to_play(record: Any) -> int:
        turn = int(mutant.true.to_play(record))
        odd = turn >= 0 and mutant.secret(record, PUBLIC, names) % 2 == 1
        mutant.touched |= odd
        return (turn + 1) % mutant.base.players if odd else turn

    mutant.put(to_play=to_play)
    return bool(names)


def _legal_secret(mutant: Mutant) -> bool:
    names = secret_fields(mutant.base)

    def legal(record: Any, out: Any) -> int:
        n, turn = int(mutant.true.legal(record, out)), int(mutant.true.to_play(record))
        odd = turn >= 0 and n > 1 and mutant.secret(record, turn, names) % 2 == 1
        mutant.touched |= odd
        return n - 1 if odd else n

    mutant.put(legal=legal)
    return bool(names)


def _shown_last(mutant: Mutant) -> bool:
    names = secret_fields(mutant.base)

    def observe(record: Any, seat: int, out: Any) -> None:
        mutant.true.observe(record, seat, out)
        secret = mutant.secret(record, seat, names) if seat == mutant.base.players - 1 else 0
        mutant.touched |= secret != 0
        out[-1] ^= secret & 1

    mutant.put(observe=observe)
    return bool(names)


def _log_secret(mutant: Mutant) -> bool:
    names = secret_fields(mutant.base)

    def describe(state: Any, action: int, seat: int) -> str:
        secret = mutant.secret(state.record, seat, names)
        after = state.record.copy()
        mutant.true.apply(after, action)
        mutant.touched |= secret != 0 and mutant.secret(after, seat, names) != 0  # else the step itself reveals it
        return f"{mutant.base.describe(state, action, seat)} ({secret})"

    mutant.put_method(describe=describe)
    return bool(names)


def _board_secret(mutant: Mutant) -> bool:
    mutant.put_method(board=lambda state, seat=None: mutant.base.board(state))
    mutant.touched = True
    return bool(secret_fields(mutant.base))


def _seatless_view(mutant: Mutant) -> bool:
    mutant.put_method(from_view=lambda view: mutant.base.from_view({**view, "seat": None}))
    mutant.touched = True
    return bool(secret_fields(mutant.base))
