"""Views: what a seat knows, as plain JSON data, made from the declarations of who knows each field.

Every channel that shows a position to a player (JSON, log, terminal, front-end) starts from here, so a field is hidden
in one place. A view holds the known fields by name under "state", with stable ids for numbers, and what follows from
them (who plays, legal actions of the seat if it is its turn, scores) beside it. `from_view` reads "state" alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.contract import PUBLIC, TERMINAL, Field, Game, Who
from engines.errors import UsageError, choose_from
from engines.state import State

__all__ = ["from_view", "view"]


def view(state: State, seat: int) -> dict[str, Any]:
    """See `State.view`. The content hash guards against reading a view with other content."""
    game, record = state.game, state.fields
    known = {}
    for name, field in game.fields.items():
        if field.who is not Who.NOBODY:
            known[name] = _shown(game, name, field, record, seat)
    to_play = state.to_play
    return {
        "game": game.name,
        "version": game.version,
        "content": game.content_hash,
        "players": game.players,
        "seat": None if seat == PUBLIC else seat,
        "to_play": {-1: "chance", TERMINAL: "over"}.get(to_play, to_play),
        "scores": state.scores(),
        "returns": state.returns() if to_play == TERMINAL else None,
        "legal": [game.action_text(a) for a in state.legal_actions()] if to_play == seat and seat >= 0 else [],
        "state": known,
    }


def _shown(game: Game, name: str, field: Field, record: Any, seat: int) -> Any:
    value = np.asarray(record[name])
    if field.who is Who.SEAT:
        return None if seat == PUBLIC else _write(game, field, field.axes[1:], value[seat])
    if field.who is Who.MASK:
        bits = np.asarray(record[field.mask])
        visible = (bits >> max(seat, 0)) & 1 if seat != PUBLIC else np.zeros_like(bits)
        return {"mask": bits.tolist(), "known": _write(game, field, field.axes, np.where(visible, value, 0))}
    return _write(game, field, field.axes, value)


def _write(game: Game, field: Field, axes: Sequence[str], value: NDArray[Any]) -> Any:
    if not axes:
        return _write_number(game, field, value)
    axis, rest = axes[0], axes[1:]
    if axis in game.labels:
        names = game.labels[axis]
        filled = np.flatnonzero(value.reshape(len(value), -1).any(axis=1))
        return {names[i]: _write(game, field, rest, value[i]) for i in filled.tolist()}
    if axis == "seat":
        value = value[: game.players]
    if axis == "list":
        filled = np.flatnonzero(value)
        value = value[: filled[-1] + 1] if len(filled) else value[:0]
    if not rest and field.values is None and value.dtype != np.uint64:
        return value.tolist()
    return [_write(game, field, rest, v) for v in value]


def _write_number(game: Game, field: Field, value: NDArray[Any]) -> Any:
    number = int(value)
    if field.values is not None:
        index = number - field.first
        return None if index < 0 else game.labels[field.values][index]
    return f"{number:016x}" if value.dtype == np.uint64 else number


def from_view(game: Game, data: Mapping[str, Any]) -> State:
    """See `Game.from_view`.

    Raises:
        UsageError: the view is of another game, version, content or number of players, or a field is malformed.
    """
    expected = {"game": game.name, "version": game.version, "content": game.content_hash, "players": game.players}
    for key, want in expected.items():
        if data.get(key, want) != want:
            raise UsageError(f"view: {key} is {data[key]!r}, but this game has {want!r}")
    seat = data.get("seat")
    if seat is not None and (not isinstance(seat, int) or not 0 <= seat < game.players):
        raise UsageError(f"view: seat is {seat!r}, expected 0 to {game.players - 1} or null")
    known = data.get("state")
    if not isinstance(known, Mapping):
        raise UsageError("view: 'state' is missing: expected an object with the fields that the seat knows")
    state = State(game, np.zeros(game.record_size, np.uint8))
    # A front-end may leave fields out: what everybody knows from the start (sizes, options) is as in a new game.
    game.kernels.setup(state.record, game.encode_options())
    for name, value in known.items():
        choose_from(f"field of a view of {game.name}", name, game.fields)
        _read_field(game, name, state.fields, value, PUBLIC if seat is None else seat)
    return state


def _read_field(game: Game, name: str, record: Any, value: Any, seat: int) -> None:
    field = game.fields[name]
    if field.who is Who.NOBODY:
        raise UsageError(f"view: field {name!r} is known to nobody and cannot be given")
    target = record[name]
    try:
        if field.who is Who.SEAT:
            if seat != PUBLIC and value is not None:
                target[seat] = _read(game, field, field.axes[1:], value, target[seat])
        elif field.who is Who.MASK:
            record[field.mask] = np.asarray(value["mask"])
            record[name] = _read(game, field, field.axes, value["known"], target)
        else:
            record[name] = _read(game, field, field.axes, value, target)
    except UsageError as error:
        raise UsageError(f"view: field {name!r}: {error}") from None
    except (AttributeError, TypeError, ValueError, KeyError, IndexError, OverflowError) as error:
        raise UsageError(f"view: field {name!r} is malformed: {error}") from None


def _read(game: Game, field: Field, axes: Sequence[str], value: Any, target: Any) -> Any:
    """`value` as an array (or number) of the shape and dtype of `target`."""
    if not axes:
        return _read_number(game, field, value)
    out = np.zeros_like(target)
    axis, rest = axes[0], axes[1:]
    if axis in game.labels:
        names = list(game.labels[axis])
        for label, part in value.items():
            place = names.index(choose_from(axis, label, names))
            out[place] = _read(game, field, rest, part, out[place])
        return out
    if len(value) > len(out):
        raise UsageError(f"a list of {len(value)} where at most {len(out)} fit")
    for place, part in enumerate(value):
        out[place] = _read(game, field, rest, part, out[place])
    return out


def _read_number(game: Game, field: Field, value: Any) -> int:
    if field.values is not None:
        if value is None:
            return 0
        names = list(game.labels[field.values])
        return names.index(choose_from(field.values, value, names)) + field.first
    return int(value, 16) if isinstance(value, str) else int(value)
