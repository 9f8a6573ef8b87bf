"""The rules of Connect Four: dropping, lines, the end; views; the scripted player."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import engines
from engines.connect_four import rules
from engines.connect_four.layout import CELLS, COLUMNS, NAMES, ROWS, STRIDE
from engines.contract import TERMINAL
from engines.errors import IllegalAction, UsageError
from engines.rng import below, generator, next_u64
from engines.state import State

GAME = engines.load("connect_four")
DRAWN = "edgabeffbbfabgabffbaegdcggaegfcaececccdddd"
WON_BY_THE_LAST_STONE = "cffgcdadecdffgedgfgefbbeabbbaaegeadcbdacgc"
LINES = [
    [(row + i * up, column + i * right) for i in range(4)]
    for up, right in ((0, 1), (1, 0), (1, 1), (-1, 1))
    for row in range(ROWS)
    for column in range(COLUMNS)
    if 0 <= row + 3 * up < ROWS and column + 3 * right < COLUMNS
]
"""Every line of four, as (row, column) pairs."""


def play(columns: str) -> State:
    state = GAME.start()
    for column in columns:
        state.apply(NAMES.index(column))
    return state


def bits(cells: Any) -> np.uint64:
    return np.uint64(sum(1 << STRIDE * column + row for row, column in cells))


# The board and its lines


def test_there_are_69_lines() -> None:
    assert len(LINES) == 69
    for line in LINES:
        assert rules.has_line(bits(line))
        for gap in line:
            assert not rules.has_line(bits(cell for cell in line if cell != gap))


def test_a_line_is_what_the_table_of_lines_says() -> None:
    rng = generator("lines")
    board = bits((row, column) for row in range(ROWS) for column in range(COLUMNS))
    found = 0
    for _ in range(3000):
        stones = next_u64(rng) & next_u64(rng) & board
        meant = any(stones & bits(line) == bits(line) for line in LINES)
        assert rules.has_line(stones) == meant
        found += meant
    assert 300 < found < 2700


def test_no_line_runs_over_the_edge_of_a_column() -> None:
    for column in range(COLUMNS - 1):
        top = [(row, column) for row in (4, 5)]
        assert not rules.has_line(bits([*top, (0, column + 1), (1, column + 1)]))
        assert not rules.has_line(bits([(5, column), (0, column + 1), (1, column + 1), (2, column + 1)]))


# Moves


def test_stones_fall_upon_each_other_and_seats_alternate() -> None:
    state = play("ddcd")
    cells = GAME.cells(state)
    assert cells[:, 3].tolist() == [1, 2, 2, 0, 0, 0]
    assert cells[0].tolist() == [0, 0, 1, 1, 0, 0, 0]
    assert np.count_nonzero(cells) == 4 == int(state.fields["ply"])
    assert state.to_play == 0


def test_a_full_column_is_closed() -> None:
    state = play("aaaaaa")
    assert state.legal_actions() == [1, 2, 3, 4, 5, 6]
    with pytest.raises(IllegalAction, match=r"action 0 \(drop a\) is illegal here; legal for seat 0: 1 \(drop b\)"):
        state.apply("drop a")


# The end


@pytest.mark.parametrize(
    ("columns", "winner"),
    [
        ("abababa", 0),  # upright
        ("aabbccd", 0),  # level
        ("abbcdccdded", 0),  # rising to the right
        ("gffedeeddcd", 0),  # rising to the left
        ("gabababa", 1),
        (WON_BY_THE_LAST_STONE, 1),
    ],
)
def test_four_in_a_line_win(columns: str, winner: int) -> None:
    before, state = play(columns[:-1]), play(columns)
    assert before.to_play == winner
    assert state.to_play == TERMINAL and state.legal_actions() == []
    assert state.returns() == [1.0 - 2.0 * winner, 2.0 * winner - 1.0]
    assert f"seat {winner} has won" in str(state)


def test_a_full_board_without_a_line_is_a_draw() -> None:
    assert not play(DRAWN[:-1]).is_over
    state = play(DRAWN)
    assert state.is_over and int(state.fields["ply"]) == CELLS
    assert state.returns() == state.scores() == [0, 0]
    assert str(state).endswith("draw")


# What is seen


def test_the_board_is_readable() -> None:
    assert str(play("ddcd")).splitlines() == [
        ". . . . . . .",
        ". . . . . . .",
        ". . . . . . .",
        ". . . o . . .",
        ". . . o . . .",
        ". . x x . . .",
        "a b c d e f g",
        "seat 0 (x) to play",
    ]


def test_an_observation_has_ones_own_stones_first() -> None:
    state = play("ddc")
    parts = {part.name: part for part in GAME.slices}
    stones, mover = parts["stones"], parts["mover"]
    for seat in range(2):
        seen = state.observe(seat)
        boards = seen[stones.start : stones.start + stones.size].reshape(stones.shape)
        assert boards[seat][0, [2, 3]].tolist() == [1, 1] and boards[seat].sum() == 2
        assert boards[1 - seat][1, 3] == 1 and boards[1 - seat].sum() == 1
        assert seen[mover.start : mover.start + 2].tolist() == ([0, 1] if seat == 0 else [1, 0])


def test_an_observation_tells_where_a_stone_would_win() -> None:
    rng, told = generator(3, "threats"), 0
    for _ in range(40):
        state = GAME.start()
        while not state.is_over:
            state.apply(state.legal_actions()[below(rng, len(state.legal_actions()))])
            cells = GAME.cells(state)
            heights = (cells != 0).sum(0)
            for seat in range(2):
                seen = state.observe(seat)
                parts = {p.name: seen[p.start : p.start + p.size].reshape(p.shape) for p in GAME.slices}
                lands = np.zeros((ROWS, COLUMNS), np.int16)
                for column in np.flatnonzero(heights < ROWS):
                    lands[heights[column], column] = 1
                assert np.array_equal(parts["landings"], lands)
                for whose in range(2):
                    threats = completing(cells, 1 + (seat ^ whose))
                    assert np.array_equal(parts["threats"][whose], threats)
                    assert np.array_equal(parts["wins"][whose], (threats & lands).any(0))
                    assert np.array_equal(parts["wins_above"][whose], (threats[1:] & lands[:-1]).any(0))
                    told += int(threats.sum())
    assert told > 500


def completing(cells: NDArray[np.int8], mark: int) -> NDArray[np.int16]:
    """The empty cells where a stone would make a line, one line after another."""
    found = np.zeros((ROWS, COLUMNS), np.int16)
    for line in LINES:
        held = [int(cells[cell]) for cell in line]
        if held.count(mark) == 3 and held.count(0) == 1:
            found[line[held.index(0)]] = 1
    return found


def test_the_mirrored_board_is_the_same_game() -> None:
    (mirror,) = GAME.symmetries()
    state, image = play("ddcdfga"), play("ddedbag")
    for seat in range(2):
        assert np.array_equal(image.observe(seat), state.observe(seat)[mirror.places])
        assert not np.array_equal(image.observe(seat), state.observe(seat))
    assert [NAMES[a] for a in mirror.actions] == list("gfedcba")


def test_equal_positions_have_one_key() -> None:
    assert play("abc").info_key(0) == play("cba").info_key(1)
    assert play("abc").info_key(0) != play("acb").info_key(0)


def test_two_seats_only() -> None:
    with pytest.raises(UsageError, match="connect_four: players=3, expected 2 to 2"):
        engines.load("connect_four", players=3)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"stones": ["0000000000000001", "0000000000000001"]}, "a bit for each stone"),
        ({"stones": ["0000000000000040", "0000000000000080"]}, "a bit for each stone"),
        ({"stones": ["8000000000000000", "0000000000000080"]}, "a bit for each stone"),
        ({"stones": ["0000000000000002", "0000000000000080"]}, "nothing below it"),
        ({"ply": 3}, "'ply': 3, but the seats have 1 and 1 stones"),
        ({"ply": 43}, "from 0 to 42"),
        ({"result": "draw"}, "'result': expected null"),
        ({"stones": ["000000000000000f", "0000000000204080"], "ply": 7}, "'result': expected seat 0 has won"),
        ({"stones": ["000000000000000f", "0000000000204080"], "ply": 7, "result": "seat 0 has won"}, ""),
        ({"stones": ["000000000000000f", "0000000010204080"], "ply": 8}, "played on after a line"),
        ({"stones": ["00000000000000cf", "0000000000204080"], "ply": 9}, "a bit for each stone"),
        ({"stones": ["000000000000000f", "0000000010204090"], "ply": 9}, "the seats have 4 and 5"),
        ({"stones": ["000000001020408f", "0000000000000070"], "ply": 8}, "a bit for each stone"),
    ],
)
def test_a_view_that_cannot_be_is_refused(change: dict[str, Any], expected: str) -> None:
    view = play("ab").view(0)
    view["state"] = {**json.loads(json.dumps(view["state"])), **change}
    if not expected:
        assert GAME.from_view(view).is_over
        return
    with pytest.raises(UsageError, match=expected):
        GAME.from_view(view)


# The scripted player


def scripted(state: State, number: int = 0) -> str:
    assert GAME.kernels.scripted is not None
    return NAMES[int(GAME.kernels.scripted(state.record.copy(), generator("script", number)))]


def test_it_wins_where_it_can_and_else_blocks() -> None:
    assert scripted(play("ababab")) == "a"  # both could win: seat 0 does
    assert scripted(play("abacab")) == "a"
    assert scripted(play("abaca")) == "a"  # seat 1 must stop the column
    assert scripted(play("agbgc")) == "d"


def test_it_prefers_the_centre_left_or_right_at_random() -> None:
    assert {scripted(play(""), n) for n in range(20)} == {"d"}
    assert {scripted(play("dddddd"), n) for n in range(20)} == {"c", "e"}


def test_it_does_not_lift_the_other_seat_to_a_win() -> None:
    # Seat 1 holds b, c and e of the second row: a stone of seat 0 at the bottom of d would be topped by its fourth.
    state = play("bcecabge")
    assert GAME.cells(state)[1].tolist() == [0, 2, 2, 0, 2, 0, 0]
    assert play("bcecabgedd").returns() == [-1.0, 1.0]
    assert {scripted(state, n) for n in range(20)} == {"c", "e"}


def against_random(seat: int, games: int) -> float:
    """Mean utility of the scripted player in `seat` against random play."""
    assert GAME.kernels.scripted is not None
    rng, total = generator("against random", seat), 0.0
    for _ in range(games):
        state = State.start(GAME)
        while legal := state.legal_actions():
            mine = state.to_play == seat
            action = GAME.kernels.scripted(state.record, rng) if mine else legal[below(rng, len(legal))]
            GAME.kernels.apply(state.record, int(action))
        total += state.returns()[seat]
    return total / games


def test_it_beats_random_play() -> None:
    assert min(against_random(seat, 200) for seat in range(2)) > 0.9
