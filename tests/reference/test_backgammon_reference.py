"""The engine of backgammon plays as the slow reference does: every roll of random games, and of rare positions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import engines
from engines.backgammon.layout import FIRST_ROLL
from engines.rng import below, generator
from engines.state import State
from tests.reference import backgammon as reference

Choice = Callable[[State, list[int]], int]


def board(state: State) -> reference.Board:
    checkers, mover = state.fields["checkers"].tolist(), int(state.fields["mover"])
    return tuple(checkers[mover]), tuple(checkers[1 - mover])


def step(state: State, action: int) -> tuple[int, int]:
    """(from, to) of a move."""
    start, _, end = state.game.action_text(action).partition("/")
    return 25 if start == "bar" else int(start), 0 if end == "off" else int(end)


def check_turn(state: State, counts: Counter[str], choose: Choice) -> None:
    """A roll has just been made with a move to play: every question until the turn is over."""
    dice = tuple(int(die) for die in state.fields["dice"] if die)
    legal, before, played = reference.plays(board(state), dice), int(state.fields["turn"]), ()
    size = len(next(iter(legal)))
    counts[f"{len(dice)} dice, {size} played"] += 1
    counts[f"{min(board(state)[0][25], 3)} on the bar"] += 1
    counts["one die, not the larger"] += size == 1 and len(dice) == 2 and _uses(state, legal) != dice[0]
    while True:
        mover = int(state.fields["mover"])
        steps = {step(state, action): action for action in state.legal_actions()}
        then = {play[len(played)] for play in legal if play[: len(played)] == played}
        assert set(steps) == then, f"{sorted(steps)} here, {sorted(then)} in the reference\n{state}"
        counts["some first moves are barred"] += len(played) == 0 and len(steps) < _movable(state, dice)
        action = choose(state, list(steps.values()))
        played = (*played, step(state, action))
        state.apply(action)
        if state.is_over or int(state.fields["turn"]) > before:
            break
    assert played in legal, f"{played} ends too early\n{state}"
    checkers = state.fields["checkers"].tolist()
    assert (tuple(checkers[mover]), tuple(checkers[1 - mover])) == legal[played]
    counts["borne off"] += any(end == 0 for _, end in played)


def _uses(state: State, legal: dict[reference.Play, reference.Board]) -> int:
    start, end = next(iter(legal))[0]
    return start - end if end else max(int(die) for die in state.fields["dice"])


def _movable(state: State, dice: tuple[int, ...]) -> int:
    """How many different moves there would be, were each die alone."""
    now = board(state)
    return len({(p, max(p - d, 0)) for d in dice for p in range(1, 26) if reference.may_move(now, p, d)})


def play_games(games: int, seed: int, choose: Choice, max_turns: int = 500) -> Counter[str]:
    counts: Counter[str] = Counter()
    game = engines.load("backgammon", scoring="points", max_turns=max_turns)
    for number in range(games):
        state = game.start(seed=seed + number)
        while not state.is_over:
            check_turn(state, counts, choose)
        if int(state.fields["turn"]) == max_turns and not any(state.scores()):
            assert state.returns() == [0, 0]
            continue
        winner = int(np.argmax(state.returns()))
        loser = tuple(state.fields["checkers"][1 - winner].tolist())
        worth = reference.points(loser)
        assert state.scores()[winner] == worth and state.returns()[winner] == pytest.approx(worth / 3)
        counts[f"worth {worth}"] += 1
    return counts


def at_random(seed: int) -> Choice:
    rng = generator("reference", seed)
    return lambda state, legal: legal[below(rng, len(legal))]


def by(seed: int, wish: Callable[[State, int], float]) -> Choice:
    """One of the moves that a wish rates highest."""
    pick = at_random(seed)

    def choose(state: State, legal: list[int]) -> int:
        if below(generator("whim", seed, bytes(state.record).hex()), 4) == 0:
            return pick(state, legal)
        rated = {action: wish(state, action) for action in legal}
        return pick(state, [a for a in legal if rated[a] == max(rated.values())])

    return choose


def hits_and_blots(state: State, action: int) -> float:
    """Sends as many checkers as it can to the bar, and leaves its own alone on as many points as it can."""
    mover, after = int(state.fields["mover"]), state.clone()
    after.apply(action)
    checkers = after.fields["checkers"]
    return 3 * int(checkers[1 - mover, 25]) + int((checkers[mover, 1:25] == 1).sum())


def holds_its_home(state: State, action: int) -> float:
    """Makes points in its home board and hits: the other seat waits on the bar."""
    mover, after = int(state.fields["mover"]), state.clone()
    after.apply(action)
    checkers = after.fields["checkers"]
    return 2 * int((checkers[mover, 1:7] > 1).sum()) + int(checkers[1 - mover, 25])


@cache
def ordinary() -> Counter[str]:
    return play_games(40, 0, at_random(1))


@cache
def rare() -> Counter[str]:
    counts = play_games(6, 100, by(1, hits_and_blots), max_turns=150)
    return counts + play_games(12, 200, by(2, holds_its_home), max_turns=200)


def test_random_games() -> None:
    counts = ordinary()
    assert sum(n for what, n in counts.items() if what.startswith("worth")) == 40


def test_rare_positions() -> None:
    counts = ordinary() + rare()
    for what in (
        "2 dice, 1 played",
        "one die, not the larger",
        "some first moves are barred",
        *(f"4 dice, {n} played" for n in (1, 2, 3, 4)),
        *(f"{n} on the bar" for n in range(4)),
        *(f"worth {n}" for n in (1, 2, 3)),
    ):
        assert counts[what], f"never met: {what}; met: {counts}"


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_many_games(part: int) -> None:
    """`pytest -m slow tests/reference/test_backgammon_reference.py`: some minutes."""
    play_games(400, 10_000 + 1000 * part, at_random(10 + part))
    play_games(25, 20_000 + 1000 * part, by(20 + part, hits_and_blots), max_turns=200)
    play_games(50, 30_000 + 1000 * part, by(30 + part, holds_its_home), max_turns=200)


def bear_off_position(rng: np.ndarray) -> tuple[list[int], list[int]]:
    """Checkers of a seat at home or nearly, of the other anywhere that is free, some of both borne off."""
    own, other = [0] * 26, [0] * 26
    own[0], other[0] = 4 + below(rng, 11), below(rng, 10)
    for _ in range(15 - own[0]):
        own[1 + below(rng, 6 if below(rng, 4) else 9)] += 1
    free = [q for q in range(1, 26) if q == 25 or own[25 - q] == 0]
    for _ in range(15 - other[0]):
        other[free[-1 - below(rng, min(8, len(free)))]] += 1
    return own, other


def test_every_roll_of_random_bear_offs() -> None:
    game, rng, counts = engines.load("backgammon"), generator("bear off"), Counter[str]()
    state = game.start(seed=1)
    while state.to_play >= 0:
        state.apply(state.legal_actions()[0])
    for number in range(60):
        place = game.start()
        place.record[:] = state.record
        own, other = bear_off_position(rng)
        place.fields["turn"], place.fields["mover"], place.fields["dice"] = 10, 0, 0
        place.fields["checkers"] = own, other
        for roll in range(21):
            rolled = place.clone()
            rolled.apply(FIRST_ROLL + roll)
            if rolled.to_play < 0:
                high, low = (int(d) for d in game.action_text(FIRST_ROLL + roll).removeprefix("roll ").split("-"))
                dice = (high, low) if high > low else (high,) * 4
                assert reference.plays((tuple(own), tuple(other)), dice) == {(): (tuple(own), tuple(other))}
                counts["no move"] += 1
            else:
                check_turn(rolled, counts, at_random(number * 21 + roll))
    assert counts["borne off"] > 500 and counts["no move"] > 5 and counts["some first moves are barred"] > 20
