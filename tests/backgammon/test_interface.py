"""What people and networks see of backgammon: texts, the board, views, observations; options; the scripted player."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import engines
from engines.errors import UsageError
from orion_ai.agents import AgentConfig, make_agent
from orion_ai.arena.runner import evaluate
from tests.backgammon.positions import START, after, place

GAME = engines.load("backgammon")


def test_moves_have_the_usual_notation() -> None:
    texts = [GAME.action_text(action) for action in range(GAME.num_ids)]
    assert {"13/7", "24/18", "bar/20", "6/off", "6/5", "roll 6-5", "roll 3-3", "opening roll 1-6"} <= set(texts)
    written = [text for text in texts if text]
    assert len(written) == len(set(written)) == 150 - 15 + 21 + 30
    assert all(GAME.parse(text) == action for action, text in enumerate(texts) if text)


def test_the_log_tells_rolls() -> None:
    start = GAME.start()
    told = "seat 0 rolls 2, seat 1 rolls 5: seat 1 begins and plays both dice"
    assert start.notation(GAME.parse("opening roll 2-5")) == told
    assert place(START, START, mover=1).notation(GAME.parse("roll 4-4")) == "seat 1 rolls 4-4"


BOARD = """\
+13-14-15-16-17-18-+---+19-20-21-22-23-24-+
| X           O    |   | O              O |
| X                |   | O              O |
| X                |   | O                |
| X                |   | O                |
| X                |   | 8                |
|                  |BAR|                  |
|                  |   | X                |
|                  |   | X                |
|             X    |   | X                |
| O           X    |   | X                |
| O           X    |   | X           O    |
+12-11-10--9--8--7-+---+-6--5--4--3--2--1-+
X seat 0: 144 pips, 1 on the bar, 1 of 15 off
O seat 1: 107 pips, 0 on the bar, 1 of 15 off
turn 21: seat 0 has to play 6-5"""


def test_the_board_is_drawn_from_the_side_of_a_seat() -> None:
    mine, theirs = "bar:1 13:5 8:3 6:5", "1:2 23:1 13:2 6:8 8:1"
    state = place(mine, theirs, "6-5")
    assert str(state) == BOARD
    # Seat 1 sees its own home board at the bottom right: the seats' places exchanged, their signs not.
    other = GAME.board(state, 1).splitlines()
    assert other[0] == BOARD.splitlines()[0] and other[12:] == BOARD.splitlines()[12:]
    swapped = GAME.board(place(theirs, mine, mover=0), 0).replace("X", "?").replace("O", "X").replace("?", "O")
    assert other[:12] == swapped.splitlines()[:12]


def test_a_view_names_points() -> None:
    view = place("bar:1 6:14", "3:2 24:12", "6-5").view(1)
    assert view["state"]["checkers"] == [{"6": 14, "bar": 1}, {"off": 1, "3": 2, "24": 12}]
    assert view["state"]["dice"] == [6, 5] and view["to_play"] == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scoring": "points"}, "field 'scoring'"),
        ({"max_turns": 499}, "field 'max_turns'"),
        ({"turn": 501}, "field 'turn'"),
        ({"checkers": [{"6": 14}, {"6": 15}]}, "seat 0 has 14, expected 15"),
        ({"checkers": [{"6": 14, "8": 2}, {"6": 15}]}, "seat 0 has 16, expected 15"),
        ({"checkers": [{"6": 15}, {"19": 15}]}, "both seats stand on point 6"),
        ({"checkers": [{"off": 15}, {"off": 15}], "dice": []}, "both seats have borne off"),
        ({"checkers": [{"off": 15}, {"1": 15}]}, "field 'dice': \\[6, 5\\] cannot be played"),
        ({"turn": 500}, "field 'dice': \\[6, 5\\] cannot be played"),
        ({"dice": [5, 6]}, "field 'dice': \\[5, 6, 0, 0\\], expected"),
        ({"dice": [6, 5, 4]}, "field 'dice'"),
        ({"dice": [6, 0, 5]}, "field 'dice'"),
        ({"dice": [7]}, "field 'dice'"),
        ({"checkers": [{"bar": 15}, {"6": 8, "5": 7}]}, "field 'dice': \\[6, 5\\] cannot be played"),
        ({"turn": 0, "dice": [6, 6]}, "the opening roll is no double"),
        ({"turn": 0, "dice": [], "mover": 1}, "before the opening roll"),
        ({"turn": 0, "dice": [], "checkers": [{"6": 15}, {"6": 15}]}, "before the opening roll"),
    ],
)
def test_views_of_impossible_positions_are_refused(changes: dict[str, Any], message: str) -> None:
    state = place(START, START, "6-5")
    view = json.loads(json.dumps(state.view(0)))
    assert GAME.from_view(view) == state
    view["state"].update(changes)
    with pytest.raises(UsageError, match=message):
        GAME.from_view(view)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scoring": "wins"}, "'win'"),
        ({"max_turns": 0}, "max_turns=0, expected an integer from 1 to 500"),
        ({"max_turns": 501}, "max_turns=501, expected an integer from 1 to 500"),
        ({"max_turns": 1.5}, "max_turns=1.5, expected an integer"),
        ({"players": 3}, "players=3, expected 2"),
        ({"cube": True}, "'cube'"),
    ],
)
def test_bad_options_are_refused_by_name(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        engines.load("backgammon", **options)
    assert message in str(refusal.value)


def test_an_observation_counts_points_as_its_seat_does() -> None:
    state = place("bar:1 13:5 8:3 6:5", "1:2 23:1 13:2 6:8 8:1", "3-3")
    for seat in range(2):
        seen = state.observe(seat)
        part = {s.name: seen[s.start : s.start + s.size].reshape(s.shape) for s in GAME.slices}
        rows = state.fields["checkers"][[seat, 1 - seat]]
        points = np.stack([rows[0][1:25], rows[1][24:0:-1]])
        assert (part["stacks"].sum(2) + part["more"] == points).all()
        assert (part["stacks"] == (points[:, :, None] > np.arange(3))).all()
        assert part["bar"].tolist() == rows[:, 25].tolist() and part["off"].tolist() == rows[:, 0].tolist()
        assert part["pips"].tolist() == [int((row * np.arange(26)).sum()) for row in rows]
        assert part["dice"].tolist() == [0, 0, 4, 0, 0, 0] and part["turn"].tolist() == [20]
        assert part["mover"].tolist() == [1 - seat, seat]


def scripted_play(mine: str, theirs: str, roll: str) -> set[str]:
    """What the scripted player does with a roll."""
    state, found = place(mine, theirs, roll), set()
    script = GAME.kernels.scripted
    assert script is not None
    while state.to_play == 0 and int(state.fields["turn"]) == 20:
        action = GAME.action_text(script(state.record, np.zeros(2, np.uint64)))
        found.add(action)
        state = after(state, action)
    return found


def test_the_scripted_player_makes_points_hits_and_bears_off() -> None:
    assert scripted_play(START, START, "3-1") == {"8/5", "6/5"}
    assert scripted_play(START, START, "4-2") == {"8/4", "6/4"}
    assert scripted_play(START, START, "6-1") == {"13/7", "8/7"}
    assert "8/4" in scripted_play("13:5 8:3 6:5 24:2", "21:1 24:1 13:5 8:3 6:5", "4-2")
    assert scripted_play("6:1 5:1 4:1 3:1 2:1", "1:15", "5-3") == {"5/off", "3/off"}


def test_the_scripted_player_beats_a_random_one() -> None:
    agents = [make_agent(GAME, AgentConfig(kind=kind), lanes=64) for kind in ("scripted", "random")]
    result = evaluate(GAME, agents, blocks=50, seed=1)
    assert result.agents[0].utility.low > 0.8
