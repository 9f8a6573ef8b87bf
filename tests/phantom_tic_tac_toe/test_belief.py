"""Worlds of phantom tic-tac-toe are exact: all histories that fit what a seat has seen, and all alike.

The histories are enumerated by the rules alone: what the seat has tried is tried again, the other seat tries anything.
"""

from __future__ import annotations

import numpy as np
import pytest

import engines
from engines.conformance_exact import chi_square_z
from engines.contract import PUBLIC, Game
from engines.phantom_tic_tac_toe.layout import CELLS, NAMES
from engines.rng import below, generator
from engines.state import State

GAMES = {name: engines.load("phantom_tic_tac_toe", obstype=name) for name in ("reveal-nothing", "reveal-numturns")}
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
MOST = 12_000
LIMIT = 4.5
"""Standard deviations; with some 120 comparisons there is a chance of 1 in 2000 that one is beyond by chance."""


def play(game: Game, text: str) -> State:
    state = game.start()
    for name in text.split():
        state.apply(NAMES.index(name))
    return state


def histories(truth: State, seat: int, most: int = MOST) -> dict[bytes, int]:
    """The records of all histories that `seat` (or PUBLIC) cannot tell from `truth`; {} if more than `most`."""
    game, known = truth.game, truth.info_key(seat)
    tries = truth.fields["tries"][seat].tolist() if seat != PUBLIC else []
    found: dict[bytes, int] = {}
    stack = [game.start()]
    while stack:
        state = stack.pop()
        turn, result = int(state.fields["turn"]), int(state.fields["result"])
        if state.info_key(seat) == known:
            found[state.record.tobytes()] = found.get(state.record.tobytes(), 0) + 1
            if len(found) > most:
                return {}
        ended = result != 0 or turn > int(truth.fields["turn"])
        legal = [] if ended or (state.fields["attempts"] > truth.fields["attempts"]).any() else state.legal_actions()
        if state.to_play == seat:
            made = np.count_nonzero(state.fields["tries"][seat])
            legal = [(tries[made] - 1) % CELLS] if made < CELLS and tries[made] else []
        for action in legal:
            after = State(game, state.record.copy())
            game.kernels.apply(after.record, action)
            own = after.fields["tries"][seat].tolist() if seat != PUBLIC else []
            if all(one in (0, meant) for one, meant in zip(own, tries, strict=True)):
                stack.append(after)
    return found


def check(truth: State, seat: int, number: int, most: int = MOST) -> int:
    """Compare worlds with histories; returns how many histories there are (0: too many to compare)."""
    exact = histories(truth, seat, most)
    if exact:
        assert {*exact.values()} == {1} and truth.record.tobytes() in exact
        samples, seen, rng = 10 * len(exact) + 200, dict.fromkeys(exact, 0), generator("worlds", number, seat + 1)
        for _ in range(samples):
            world, weight = truth.sample_world(seat, rng)
            assert weight == 0.0
            seen[world.record.tobytes()] += 1
        odds = dict.fromkeys(exact, 1 / len(exact))
        assert chi_square_z({w: n / samples for w, n in seen.items()}, odds, samples) < LIMIT, f"seat {seat}\n{truth}"
    return len(exact)


def test_the_histories_of_a_first_turn_are_counted_right() -> None:
    hidden, counted = GAMES.values()
    assert len(histories(hidden.start(), 0)) == 1
    # Seat 0 has b2. The other seat is to play and has tried nothing, or b2; then it marks one of eight cells. From
    # then on seat 0 may have tried that one.
    assert len(histories(play(hidden, "b2"), 0)) == 2 and len(histories(play(counted, "b2"), 0)) == 1
    assert len(histories(play(hidden, "b2 a1"), 0)) == 16 and len(histories(play(counted, "b2 b2 a1"), 0)) == 8
    assert len(histories(play(hidden, "b2 a1 a1"), 0)) == 2, "what it ran into is where the other seat has marked"
    assert len(histories(play(hidden, "b2 a1"), 1)) == 16 and len(histories(play(hidden, "b2 b2"), 1)) == 1
    assert len(histories(play(hidden, "b2 a1"), PUBLIC)) == 9 * 8 * 2 * 2


@every_game
@pytest.mark.parametrize(
    "text",
    [
        "b2 a1",
        "b2 b2 a1 a1",
        "b2 a1 a1 c3 c3 b3",  # two marks met, one of them known to be old
        "a1 a1 b1 b1 c1 c1 b2 b2 a2 a2 c2 c2 b3 b3 a3 a3",  # all is known
        "a1 b1 b2 c3 b3 a2 b1 a3",  # lines of the other seat are ruled out
        "a1 b2 b2 a2 b1 b1 c3 a3 a3 b3",
        "b2 b2 a1 c3 c3 b1 b1 b3 c2 c2 a2",
    ],
)
def test_worlds_of_chosen_games(game: Game, text: str) -> None:
    state = play(game, text)
    assert all(check(state, seat, 0) for seat in range(2))


@every_game
def test_worlds_of_spectators(game: Game) -> None:
    assert all(check(play(game, text), PUBLIC, 0) for text in ("", "b2", "b2 a1", "b2 b2 a1", "b2 b2"))


@every_game
def test_worlds_at_an_end(game: Game) -> None:
    """Even there: the loser's marks, or the winner's, whose last one made the line."""
    draw = "a1 a1 b1 b1 c1 c1 b2 b2 a2 a2 c2 c2 b3 b3 a3 c3"
    for text in ("a1 b2 b1 a2 c1", "a1 b2 b1 b1 a2 c3 c2", draw):
        assert all(check(play(game, text), seat, 0) for seat in range(2))


@every_game
def test_worlds_of_random_games(game: Game) -> None:
    rng, compared = generator("games"), 0
    for number in range(12):
        state = game.start()
        for _ in range(3 + below(rng, 9)):
            legal = state.legal_actions()
            if legal:
                state.apply(legal[below(rng, len(legal))])
        compared += sum(check(state, seat, number, 2000) > 1 for seat in range(2))
    assert compared >= 16
