"""The solver of Connect Four is exact, and the test positions are its work.

1 A slow alpha-beta on lists, written independently, finds the same scores. 2 So do mirror images, and the code without
the JIT. 3 Positions are read from the engine's record. 4 The golden file is what the script makes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import engines
from engines.errors import FileError, UsageError
from orion_ai.solve import connect_four as solve
from orion_ai.solve.connect_four import Position, Problem, Solver

WIDTH, HEIGHT = 7, 6
Board = list[list[int]]
"""A list for each column, from below: the stones of players 0 and 1."""


def four_through_the_top(board: Board, column: int) -> bool:
    """Whether the stone on top of `column` stands in a line of four of its colour."""
    x, y = column, len(board[column]) - 1
    player = board[x][y]

    def same(i: int, j: int) -> bool:
        return 0 <= i < WIDTH and 0 <= j < len(board[i]) and board[i][j] == player

    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        run = 1
        for sign in (1, -1):
            step = 1
            while same(x + sign * step * dx, y + sign * step * dy):
                run, step = run + 1, step + 1
        if run >= 4:
            return True
    return False


def slow_score(board: Board, column: int, alpha: int, beta: int, known: dict[str, tuple[int, int, int]]) -> int:
    """What a stone in `column` is worth to who puts it: 22 less the winner's stones, negated if he is the other."""
    stones = sum(map(len, board))
    board[column].append(stones % 2)
    try:
        if four_through_the_top(board, column):
            return 22 - (stones // 2 + 1)
        if stones + 1 == WIDTH * HEIGHT:
            return 0
        key = str(board)
        if key in known and known[key][1] <= alpha and known[key][2] >= beta:
            return known[key][0]
        worst, low = 99, beta
        for answer in range(WIDTH):
            if len(board[answer]) < HEIGHT:
                worst = min(worst, -slow_score(board, answer, -low, -alpha, known))
                low = min(low, worst)
                if low <= alpha:
                    break
        known[key] = (worst, alpha, beta)
        return worst
    finally:
        board[column].pop()


def slow_scores(actions: Sequence[int]) -> list[int | None]:
    board: Board = [[] for _ in range(WIDTH)]
    for stones, column in enumerate(actions):
        board[column].append(stones % 2)
    known: dict[str, tuple[int, int, int]] = {}
    return [slow_score(board, c, -99, 99, known) if len(board[c]) < HEIGHT else None for c in range(WIDTH)]


def random_actions(rng: np.random.Generator, plies: int) -> list[int]:
    """Columns of a random game that goes on after `plies` stones."""
    while True:
        actions: list[int] = []
        position = Position()
        while len(actions) < plies and not position.over:
            actions.append(int(rng.choice(position.columns)))
            position = position.put(actions[-1])
        if not position.over:
            return actions


def test_scores_are_those_of_a_slow_alpha_beta() -> None:
    rng, solver = np.random.default_rng(7), Solver(12)  # so small a table forgets: that must change nothing
    for plies in (*range(28, 42), *range(28, 42)):
        actions = random_actions(rng, plies)
        assert solver.scores(Position.after(actions)) == slow_scores(actions), actions


def test_mirror_images_have_mirrored_scores() -> None:
    rng = np.random.default_rng(8)
    for plies in (14, 16, 17, 18, 20):
        actions = random_actions(rng, plies)
        # Each has a solver of its own: with one, they could share what is known of either.
        scores = Solver(18).scores(Position.after(actions))
        assert Solver(18).scores(Position.after([6 - c for c in actions])) == scores[::-1]


def test_known_scores() -> None:
    two_columns = [0, 1] * 3 + [1, 0] * 3
    towers = [*two_columns, 3, 5, 3, 5, 3, 5]  # three stones of each in a column
    scores = Solver(18).scores(Position.after(towers))
    assert scores[3] == 22 - 10  # the mover wins with the tenth stone
    assert scores[4] == -(22 - 10)  # or lets the other win, with the tenth as well
    full = [0, 1] * 3 + [1, 0] * 3 + [2, 3] * 3 + [3, 2] * 3 + [4, 5] * 3 + [5, 4] * 3
    ending = Position.after([*full, *[6] * 5])
    assert Solver(10).scores(ending) == [None] * 6 + [0]


def test_without_the_jit_scores_and_nodes_are_the_same() -> None:
    actions = random_actions(np.random.default_rng(9), 30)
    code = (
        "import json, sys; from orion_ai.solve.connect_four import Position, Solver; solver = Solver(12)\n"
        "print(json.dumps([solver.scores(Position.after(json.loads(sys.argv[1]))), solver.nodes]))"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", code, json.dumps(actions)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    solver = Solver(12)
    assert json.loads(result.stdout) == [solver.scores(Position.after(actions)), solver.nodes]


def test_positions_are_read_from_the_record() -> None:
    game, rng = engines.load("connect_four"), np.random.default_rng(10)
    for _ in range(20):
        state, position = game.start(), Position()
        while not state.is_over:
            assert Position.of(state.record) == position
            assert position.columns == state.legal_actions()
            winning = []
            for action in state.legal_actions():
                after = state.clone()
                after.apply(action)
                assert position.put(action).over == after.is_over
                if after.is_over and any(after.returns()):
                    winning.append(action)
            assert solve.winning_columns(position) == winning
            action = int(rng.choice(position.columns))
            state.apply(action)
            position = position.put(action)
        assert position.over
        assert position.decided == any(state.returns())


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        ([7], "column 7 has no room or does not exist"),
        ([2] * 7, "these have: 0, 1, 3, 4, 5, 6"),
        ([0, 1, 0, 1, 0, 1, 0, 1], "the game was over after 7"),
    ],
)
def test_impossible_games_are_refused(actions: list[int], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Position.after(actions)


def test_a_finished_game_has_no_moves_to_score() -> None:
    with pytest.raises(UsageError, match="the game is over"):
        Solver(10).scores(Position.after([0, 1, 0, 1, 0, 1, 0]))


def test_a_move_keeps_the_value_or_the_score() -> None:
    problem = Problem([], [None, -2, 0, 3, 1, 3, 0])
    assert [problem.keeps_value(c) for c in range(7)] == [False, False, False, True, True, True, False]
    assert [problem.is_optimal(c) for c in range(7)] == [False, False, False, True, False, True, False]
    lost = Problem([], [-3, -2, None, None, None, None, None])
    assert lost.keeps_value(0) and not lost.is_optimal(0)


# The golden file


def test_golden_positions_are_spread_and_undecided() -> None:
    problems = solve.read_positions()
    each = len(problems) // len(solve.PLIES)
    assert len(problems) >= 300
    assert [len(p.actions) for p in problems] == [plies for plies in solve.PLIES for _ in range(each)]
    assert len({Position.after(p.actions) for p in problems}) == len(problems)
    for problem in problems:
        position = Position.after(problem.actions)
        assert not position.over and not solve.winning_columns(position)
        legal = [c for c in range(7) if problem.scores[c] is not None]
        assert legal == position.columns
        assert {problem.keeps_value(c) for c in legal} == {True, False}


def test_golden_positions_are_what_the_script_makes() -> None:
    problems = solve.read_positions()
    each = len(problems) // len(solve.PLIES)
    for plies in (15, 19, 23, 26):
        made = solve.make_positions(Solver(20), plies, each)
        assert made == [p for p in problems if len(p.actions) == plies]


@pytest.mark.parametrize("least", [14, pytest.param(4, marks=[pytest.mark.slow, pytest.mark.timeout(7200)])])
def test_golden_scores_are_found_again(least: int) -> None:
    """All of them take 20 minutes and 512 MiB: `pytest -m slow tests/solve/test_connect_four.py`."""
    solver = Solver(26 if least < 12 else 22)
    for problem in reversed(solve.read_positions()):
        if len(problem.actions) >= least:
            assert solver.scores(Position.after(problem.actions)) == problem.scores, problem.actions


def test_positions_are_written_and_read(tmp_path: Path) -> None:
    problems = solve.make_positions(Solver(18), 26, 2, seed=1)
    solve.write_positions(tmp_path / "some.json", problems)
    assert solve.read_positions(tmp_path / "some.json") == problems
    with pytest.raises(FileError, match="cannot read test positions"):
        solve.read_positions(tmp_path / "none.json")


def test_the_command_prints_scores(capsys: pytest.CaptureFixture[str]) -> None:
    assert solve.main(["--table-bits", "18", *"303030"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[3] == "column 3: 18" and len(lines) == 7
    assert solve.main(["--table-bits", "18", "9"]) == 2
    assert "column 9 has no room" in capsys.readouterr().err
