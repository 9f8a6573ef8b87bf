"""Views damaged at random, and the proof that what `from_view` still accepts is safe to play on."""

from __future__ import annotations

import functools
import json
import math
import random
from collections.abc import Callable
from typing import Any

import engines
from engines import PUBLIC
from engines.contract import Game
from engines.errors import UsageError
from engines.rng import generator
from engines.state import State

WILD: list[Any] = [
    *(-1, -2, -128, 127, 128, 200, 255, 256, 2**31, 2**63, 2**64, 10**400, -(10**30), 1.0, 2.5, math.nan, math.inf),
    *(None, True, False, "", "0", "1", "frigate", "x" * 5000, [], [[]], [0] * 200, {}, {"": 0}, {"mask": -1}, "ff" * 8),
]


@functools.cache
def vocabularies(name: str) -> list[list[str]]:
    """The labels of a shipped game."""
    return [list(labels) for labels in engines.load(name).labels.values()] if name in engines.GAMES else []


def positions(game: Game, games: int, rate: float, seed: int) -> list[State]:
    """States of random games: a share `rate` of all there are."""
    rng, found = random.Random(seed), []
    for deal in range(games):
        state = game.start(seed=seed + deal)
        while not state.is_over:
            if rng.random() < rate:
                found.append(state.clone())
            choose = game.kernels.scripted
            if choose is not None and rng.random() < 0.6:
                state.apply(int(choose(state.record, generator(seed, len(state.history or ())))))
            else:
                state.apply(rng.choice(state.legal_actions()))
        found.append(state.clone())
    return found


def leaves(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values in JSON data, containers included."""
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(leaf for key, value in inner for leaf in leaves(value, (*path, key)))]


def get(data: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        data = data[key]
    return data


def put(data: Any, path: tuple[Any, ...], value: Any) -> None:
    get(data, path[:-1])[path[-1]] = value


def somewhere(view: dict[str, Any], rng: random.Random) -> tuple[Any, ...]:
    """A path in a view: a field first, so that large ones do not crowd out the others."""
    if rng.random() < 0.05:
        return (rng.choice(list(view)),)
    name = rng.choice(list(view["state"]))
    return rng.choice(leaves(view["state"][name], ("state", name)))


def wild(view: dict[str, Any], other: dict[str, Any], rng: random.Random) -> None:
    put(view, somewhere(view, rng), rng.choice(WILD))


def near(view: dict[str, Any], other: dict[str, Any], rng: random.Random) -> None:
    """A value a little off, a list a little longer or shorter, or another label of the same kind."""
    path = somewhere(view, rng)
    value = get(view, path)
    if isinstance(value, int) and not isinstance(value, bool):
        put(view, path, value + rng.choice((-2, -1, 1, 1, 2, 5)))
    elif isinstance(value, list):
        put(view, path, rng.choice(([*value, *value[-1:]], value[:-1], value[::-1], [*value, 1])))
    elif isinstance(value, dict) and value:
        value.pop(rng.choice(list(value)))
    elif isinstance(value, str):
        labels = next((names for names in vocabularies(str(view["game"])) if value in names), [])
        put(view, path, rng.choice([None, *labels]))


def drop(view: dict[str, Any], other: dict[str, Any], rng: random.Random) -> None:
    view["state"].pop(rng.choice(list(view["state"])))


def crossed(view: dict[str, Any], other: dict[str, Any], rng: random.Random) -> None:
    """A field as it is in another position."""
    name = rng.choice(list(view["state"]))
    if name in other["state"]:
        view["state"][name] = other["state"][name]


def swapped(view: dict[str, Any], other: dict[str, Any], rng: random.Random) -> None:
    """Two values of one field exchanged: sums stay."""
    name = rng.choice(list(view["state"]))
    paths = leaves(view["state"][name], ("state", name))
    one, two = rng.choice(paths), rng.choice(paths)
    if one[: len(two)] != two and two[: len(one)] != one:
        a, b = get(view, one), get(view, two)
        put(view, one, b)
        put(view, two, a)


def course(view: dict[str, Any], other: dict[str, Any], rng: random.Random) -> None:
    """All that says what goes on, from another position; the table stays."""
    names = ("phase", "cursor", "round", "node", "mover", "turn", "first", "draws", "depth", "open_sources", "placed")
    names += ("frame_pc", "frame_seat", "frame_source", "frame_target", "frame_n", "used_sources", "available", "gray")
    for name in names:
        if name in view["state"] and rng.random() < 0.95:
            view["state"][name] = other["state"][name]


MUTATIONS: tuple[Callable[[dict[str, Any], dict[str, Any], random.Random], None], ...] = (
    *(wild, near, near, drop, crossed, crossed, swapped, swapped, course),
)


def damaged(states: list[State], rng: random.Random) -> dict[str, Any]:
    """The view of some seat in some state, with one to three mutations."""
    state, other = rng.choice(states), rng.choice(states)
    seat = rng.randrange(PUBLIC, state.game.players)
    view, source = (json.loads(json.dumps(s.view(seat))) for s in (state, other))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        try:
            rng.choice(MUTATIONS)(view, source, rng)
        except (AttributeError, KeyError, IndexError, TypeError):
            continue  # an earlier mutation took away what this one was to change
    return view  # type: ignore[no-any-return]


def exercise(state: State, rng: random.Random, steps: int) -> None:
    """Every kernel on a state made from a view and on worlds of it, which are played on."""
    viewer = PUBLIC if state.viewer is None else state.viewer
    str(state), state.legal_actions(), state.returns(), state.scores(), state.view(viewer), state.info_key(viewer)
    play(state.clone(), rng, min(steps, 20))
    for seat in {viewer, PUBLIC}:
        world = state.determinize(seat, rng.randrange(1000))
        assert world.info_key(seat) == state.info_key(seat)
        play(world, rng, steps)


def play(state: State, rng: random.Random, steps: int) -> None:
    game = state.game
    seats = range(game.players) if state.viewer is None else [s for s in (state.viewer,) if s >= 0]
    for step in range(steps):
        for seat in seats:
            state.observe(seat), state.info_key(seat)
        legal = state.legal_actions()
        assert state.to_play < game.players
        if not legal:
            assert state.is_over or state.viewer is not None, "no legal action"
            return
        choice = rng.choice(legal)
        if game.kernels.scripted is not None and not state.is_chance:
            advised = int(game.kernels.scripted(state.record, generator(step)))
            choice = advised if rng.random() < 0.3 else choice
        if state.is_chance:
            assert state.viewer is not None or min(weight for _, weight in state.chance()[1]) > 0
        state.apply(choice)


def fuzz(game: Game, tries: int, seed: int, steps: int, games: int = 2, rate: float = 0.1) -> int:
    """Damage `tries` views; return how many of them were accepted (and then withstood `exercise`)."""
    rng, states, accepted = random.Random(seed), positions(game, games, rate, seed), 0
    for _ in range(tries):
        view = damaged(states, rng)
        try:
            state = game.from_view(view)
        except UsageError as error:
            assert str(error).startswith("view: ") and len(str(error)) < 2000, str(error)
            continue
        accepted += 1
        if type(game).check_state is not Game.check_state:
            exercise(state, rng, steps)
    return accepted
