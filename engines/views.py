"""Views: what a seat knows, as plain JSON data, made from the declarations of who knows each field.

Every channel that shows a position to a player (JSON, log, terminal, front-end) starts from here, so a field is hidden
in one place. A view holds the known fields by name under "state", with stable ids for numbers, and what follows from
them (who plays, legal actions of the seat if it is its turn, scores) beside it. `from_view` reads "state" alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.contract import PUBLIC, TERMINAL, Field, Game, Who
from engines.errors import UsageError, choose_from, quoted
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
    """See `Game.from_view`. Fields may be left out: they are then as in a new game (before its first event).

    Raises:
        UsageError: the view is of another game, version, content or number of players; a field is malformed or out of
            its bounds; or the fields do not fit together (`Game.check_state`): the text names field and expectation.
    """
    seat, known = _frame(game, data)
    state = State(game, np.zeros(game.record_size, np.uint8))
    state.viewer = PUBLIC if seat is None else seat
    game.kernels.setup(state.record, game.encode_options())
    for name, field in game.fields.items():
        if field.who is not Who.ALL:
            state.fields[name] = 0
    for name, value in known.items():
        try:
            choose_from(f"field of a view of {game.name}", name, game.fields)
            _read_field(game, name, state.fields, value, state.viewer)
        except UsageError as error:
            raise UsageError(f"view: {error}") from None
    try:
        game.check_state(state)
        if state.to_play == seat and not state.legal_actions():
            raise UsageError(f"seat {seat} is to play, but has no legal action")
    except UsageError as error:
        missing = [name for name, field in game.fields.items() if _is_told(field, seat) and name not in known]
        hint = f" (left out, and so as in a new game: {', '.join(missing)})" if missing else ""
        raise UsageError(f"view: {error}{hint}") from None
    return state


def _frame(game: Game, data: Mapping[str, Any]) -> tuple[int | None, Mapping[str, Any]]:
    """Seat and known fields of a view, after a look at what it says it is."""
    if not isinstance(data, Mapping):
        raise UsageError(f"view: expected an object, found {quoted(data)}")
    expected = {"game": game.name, "version": game.version, "content": game.content_hash, "players": game.players}
    for key, want in expected.items():
        have = data.get(key, want)
        if type(have) is not type(want) or have != want:
            raise UsageError(f"view: {key} is {quoted(have)}, but this game has {want!r}")
    seat = data.get("seat")
    if seat is not None and (not _is_integer(seat) or not 0 <= seat < game.players):
        raise UsageError(f"view: seat is {quoted(seat)}, expected 0 to {game.players - 1} or null")
    known = data.get("state")
    if not isinstance(known, Mapping):
        raise UsageError("view: 'state' is missing: expected an object with the fields that the seat knows")
    return seat, known


def _is_told(field: Field, seat: int | None) -> bool:
    return field.who is not Who.NOBODY and (field.who is not Who.SEAT or seat is not None)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _read_field(game: Game, name: str, record: Any, value: Any, seat: int) -> None:
    """Put one field into the record."""
    field = game.fields[name]
    target, at = record[name], f"field {name!r}"
    if field.who is Who.NOBODY:
        raise UsageError(f"{at} is known to nobody and cannot be given")
    if field.who is Who.SEAT:
        if seat != PUBLIC and value is not None:
            target[seat] = _read(game, field, field.axes[1:], value, target[seat], at)
    elif field.who is Who.MASK:
        if not isinstance(value, Mapping) or set(value) != {"mask", "known"}:
            raise UsageError(f"{at}: expected an object of 'mask' and 'known', found {quoted(value)}")
        bits = np.asarray(record[field.mask])
        seats = Field(axes=("all",) * bits.ndim, least=0, most=(1 << game.players) - 1)
        bits = np.asarray(_read(game, seats, seats.axes, value["mask"], bits, f"{at}.mask"))
        shown = _read(game, field, field.axes, value["known"], target, f"{at}.known")
        if seat != PUBLIC and np.any(np.where((bits >> seat) & 1, 0, shown)):
            raise UsageError(f"{at}.known: something is given that the mask keeps from seat {seat}")
        record[field.mask], record[name] = bits, shown
    else:
        record[name] = _read(game, field, field.axes, value, target, at)


def _read(game: Game, field: Field, axes: Sequence[str], value: Any, target: Any, at: str) -> Any:
    """`value` as an array (or number) of the shape and dtype of `target`; `at` is its place, for messages."""
    if not axes:
        return _read_number(game, field, value, np.asarray(target).dtype, at)
    out = np.zeros_like(target)
    axis, rest = axes[0], axes[1:]
    if axis in game.labels:
        if not isinstance(value, Mapping):
            raise UsageError(f"{at}: expected an object by {axis}, found {quoted(value)}")
        names = list(game.labels[axis])
        for label, part in value.items():
            try:
                place = names.index(choose_from(axis, label, names))
            except UsageError as error:
                raise UsageError(f"{at}: {error}") from None
            out[place] = _read(game, field, rest, part, out[place], f"{at}.{label}")
        return out
    most = game.players if axis == "seat" else len(out)
    least = 0 if axis == "list" else most
    if not isinstance(value, Sequence) or isinstance(value, str | bytes) or not least <= len(value) <= most:
        found = f"one of {len(value)}" if isinstance(value, list) else quoted(value)
        raise UsageError(f"{at}: expected a list of {'at most ' if least < most else ''}{most}, found {found}")
    for place, part in enumerate(value):
        out[place] = _read(game, field, rest, part, out[place], f"{at}[{place}]")
    return out


def _read_number(game: Game, field: Field, value: Any, dtype: np.dtype[Any], at: str) -> int:
    if field.values is not None:
        if value is None and field.first == 1:
            return 0
        names = list(game.labels[field.values])
        try:
            return names.index(choose_from(field.values, value, names)) + field.first
        except UsageError as error:
            raise UsageError(f"{at}: {error}") from None
    if dtype == np.uint64:
        if not isinstance(value, str) or not re.fullmatch("[0-9a-f]{16}", value):
            raise UsageError(f"{at}: expected 16 hexadecimal digits, found {quoted(value)}")
        return int(value, 16)
    bounds = np.iinfo(dtype)
    least = bounds.min if field.least is None else field.least
    most = bounds.max if field.most is None else field.most
    if not _is_integer(value) or not least <= value <= most:
        raise UsageError(f"{at}: expected an integer from {least} to {most}, found {quoted(value)}")
    return int(value)
