"""The rules of tic-tac-toe: marks, lines, the end; views; the scripted player."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

import engines
from engines.contract import TERMINAL
from engines.errors import IllegalAction, UsageError
from engines.rng import below, generator
from engines.state import State

GAME = engines.load("tic_tac_toe")


def play(*cells: int) -> State:
    state = GAME.start()
    for cell in cells:
        state.apply(cell)
    return state


def test_seats_mark_empty_cells_in_turn() -> None:
    state = play(4, 0)
    assert state.fields["cells"].tolist() == [2, 0, 0, 0, 1, 0, 0, 0, 0]
    assert state.to_play == 0 and state.legal_actions() == [1, 2, 3, 5, 6, 7, 8]
    with pytest.raises(IllegalAction, match=r"action 4 \(mark b2\) is illegal here"):
        state.apply("mark b2")


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


@pytest.mark.parametrize("line", LINES, ids=str)
@pytest.mark.parametrize("winner", [0, 1])
def test_three_in_a_line_win(line: tuple[int, int, int], winner: int) -> None:
    rest = [cell for cell in range(9) if cell not in line]
    idle = next(three for three in combinations(rest, 3) if three not in LINES)
    order = (line, idle) if winner == 0 else (idle, line)
    state = play(*[cell for pair in zip(*order, strict=True) for cell in pair][: 5 + winner])
    assert state.to_play == TERMINAL and state.legal_actions() == []
    assert state.returns() == state.scores() == [1 - 2 * winner, 2 * winner - 1]
    assert str(state).endswith(f"seat {winner} has won")


def test_a_full_board_without_a_line_is_a_draw() -> None:
    state = play(0, 1, 2, 4, 3, 5, 7, 6, 8)
    assert state.is_over and state.returns() == [0.0, 0.0]
    assert str(state) == "  a b c\n1 x o x\n2 x o o\n3 o x x\ndraw"


def test_the_ninth_mark_can_win_two_lines() -> None:
    state = play(0, 1, 2, 3, 6, 5, 8, 7, 4)
    assert state.returns() == [1.0, -1.0]
    assert GAME.from_view(state.view(1)).is_over


def test_the_board_is_readable() -> None:
    assert str(play(4, 0)) == "  a b c\n1 o . .\n2 . x .\n3 . . .\nseat 0 (x) to play"
    assert play(4, 0).view(1)["state"]["cells"] == ["o", None, None, None, "x", None, None, None, None]


def test_an_observation_has_ones_own_marks_first() -> None:
    state = play(4, 0, 8)
    marks, mover = GAME.slices
    for seat in range(2):
        seen = state.observe(seat)[: marks.size].reshape(2, 9)
        assert seen[seat].nonzero()[0].tolist() == [4, 8] and seen[1 - seat].nonzero()[0].tolist() == [0]
        assert state.observe(seat)[mover.start :].tolist() == ([0, 1] if seat == 0 else [1, 0])


def test_two_seats_only() -> None:
    with pytest.raises(UsageError, match="tic_tac_toe: players=1, expected 2 to 2"):
        engines.load("tic_tac_toe", players=1)


X, O, E = "x", "o", None  # noqa: E741


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"ply": 1}, "'ply': 1, but the seats have 1 and 1 marks"),
        ({"ply": 10}, "from 0 to 9"),
        ({"cells": [X, X, O, E, E, E, E, E, E]}, "'ply': 2, but the seats have 2 and 1 marks"),
        ({"cells": [X, "y", E, E, E, E, E, E, E]}, "y"),
        ({"result": "draw"}, "'result': expected null"),
        ({"cells": [X, X, X, O, O, E, E, E, E], "ply": 5}, "'result': expected seat 0 has won"),
        ({"cells": [X, X, X, O, O, E, O, E, E], "ply": 6}, "played on after a line"),
        ({"cells": [X, X, X, O, O, O, E, E, E], "ply": 6, "result": "seat 1 has won"}, "played on after a line"),
    ],
)
def test_a_view_that_cannot_be_is_refused(change: dict[str, Any], expected: str) -> None:
    view = play(4, 0).view(0)
    view["state"] = {**view["state"], **change}
    with pytest.raises(UsageError, match=expected):
        GAME.from_view(view)


def scripted(state: State, number: int = 0) -> int:
    assert GAME.kernels.scripted is not None
    return int(GAME.kernels.scripted(state.record.copy(), generator("script", number)))


def test_the_scripted_player_wins_blocks_and_likes_the_centre() -> None:
    assert scripted(play(0, 3, 1, 4)) == 2  # both could win
    assert scripted(play(0, 3, 1)) == 2
    assert scripted(play()) == 4
    assert {scripted(play(4), n) for n in range(40)} == {0, 2, 6, 8}
    assert {scripted(play(0, 4, 8), n) for n in range(40)} == {2, 6}


def test_the_scripted_player_beats_random_play() -> None:
    assert GAME.kernels.scripted is not None
    rng = generator("against random")
    for mine, least in ((0, 0.9), (1, 0.6)):
        total = 0.0
        for _ in range(300):
            state = State.start(GAME)
            while legal := state.legal_actions():
                action = scripted_or_random(state, mine, legal, rng)
                GAME.kernels.apply(state.record, action)
            total += state.returns()[mine]
        assert total / 300 > least


def scripted_or_random(state: State, mine: int, legal: list[int], rng: Any) -> int:
    assert GAME.kernels.scripted is not None
    return int(GAME.kernels.scripted(state.record, rng)) if state.to_play == mine else legal[below(rng, len(legal))]


def test_the_board_has_seven_images() -> None:
    images = [tuple(s.actions.tolist()) for s in GAME.symmetries()]
    assert len({*images, tuple(range(9))}) == 8
    lines = {frozenset(line) for line in LINES}
    for image in images:
        assert {frozenset(image[cell] for cell in line) for line in LINES} == lines
    # One after another they make one of the eight again.
    assert {tuple(a[i] for i in b) for a in images for b in images} == {*images, tuple(range(9))}
