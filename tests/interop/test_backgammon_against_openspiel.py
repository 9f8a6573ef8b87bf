"""Backgammon is OpenSpiel's: the same turns from the same rolls, the same ends, the same points.

OpenSpiel plays two checkers in one action (of a double twice, and a pass where nothing can be played); here every
checker is an action. So what is compared are the ways to play the next two checkers, as sequences of (from, to), and
the positions. OpenSpiel rolls the dice in order, one by one.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pyspiel
import pytest

import engines
from engines.contract import CHANCE, TERMINAL
from engines.rng import below, generator
from engines.state import State

Moves = tuple[tuple[int, int], ...]
BAR = 25
GAME = engines.load("backgammon")
ROLLS: dict[bool, dict[int, str]] = {}
"""Our texts of OpenSpiel's outcomes, of the opening roll and of any other."""
SCORINGS = {"win": "winloss_scoring", "points": "full_scoring"}


def roll_of(text: str) -> str:
    """Our text of OpenSpiel's outcome."""
    starts, first, second = re.search(r"(X starts|O starts)?,? ?\(roll: (\d)(\d)\)", text).groups()  # type: ignore[union-attr]
    high, low = max(first, second), min(first, second)
    if starts:
        return f"opening roll {high}-{low}" if starts[0] == "X" else f"opening roll {low}-{high}"
    return f"roll {high}-{low}"


def decoded(theirs: Any, seat: int, action: int) -> Moves:
    """OpenSpiel's action as moves, points counted as the mover does; () for a pass."""
    found = []
    for move in theirs.spiel_move_to_checker_moves(seat, action):
        if move.num > 0 and move.pos >= 0:
            start = BAR if move.pos > 23 else (24 - move.pos if seat == 0 else move.pos + 1)
            found.append((start, max(start - move.num, 0)))
    return tuple(found)


@functools.cache
def step(action: int) -> tuple[int, int]:
    start, _, end = GAME.action_text(action).partition("/")
    return BAR if start == "bar" else int(start), 0 if end == "off" else int(end)


def ways(state: State, checkers: int = 2) -> dict[Moves, tuple[int, ...]]:
    """Every way to play the next two checkers of the turn (or those that are left), with its action ids."""
    found: dict[Moves, tuple[int, ...]] = {}
    apply, turn = state.game.kernels.apply, state.fields["turn"]
    for action in state.legal_actions():
        after = State(state.game, state.record.copy())
        apply(after.record, action)
        same_turn = checkers > 1 and after.fields["turn"] == turn
        rest = ways(after, checkers - 1) if same_turn else {(): ()}
        found |= {(step(action), *moves): (action, *ids) for moves, ids in rest.items()}
    return found


class Walk:
    """One game of both, side by side."""

    def __init__(self, scoring: str, max_turns: int, counts: Counter[str]) -> None:
        self.counts = counts
        self.state = engines.load("backgammon", scoring=scoring, max_turns=max_turns).start()
        # OpenSpiel's limit counts the halves of a double as turns of their own: its games may go on here.
        name = f"backgammon(scoring_type={SCORINGS[scoring]},max_player_turns=100000)"
        self.theirs = pyspiel.load_game(name).new_initial_state()

    def play(self, choose: Callable[[State, dict[Moves, tuple[int, ...]]], Moves], rng: Any) -> None:
        while self.state.to_play != TERMINAL:
            self._same_position()
            if self.state.to_play == CHANCE:
                self._roll(rng)
            else:
                self._move(choose)
        if int(self.state.fields["turn"]) == self.state.game.options.max_turns and not any(self.state.scores()):
            assert self.state.returns() == [0, 0]
            self.counts["drawn"] += 1
            return
        assert self.theirs.is_terminal(), str(self.theirs)
        assert [u * self.state.game.stakes for u in self.state.returns()] == pytest.approx(self.theirs.returns())
        self.counts[f"worth {max(self.state.scores())}"] += 1

    def _same_position(self) -> None:
        assert self.theirs.is_chance_node() == self.state.is_chance
        if not self.state.is_chance:
            assert self.theirs.current_player() == self.state.to_play
        checkers, board = self.state.fields["checkers"].tolist(), self.theirs.board
        assert checkers[0][24:0:-1] == [board(0, p) for p in range(24)]
        assert checkers[1][1:25] == [board(1, p) for p in range(24)]

    def _roll(self, rng: Any) -> None:
        opening = int(self.state.fields["turn"]) == 0
        if opening not in ROLLS:
            ROLLS[opening] = self._rolls()
        outcome, text = list(ROLLS[opening].items())[below(rng, len(ROLLS[opening]))]
        seat = int(self.state.fields["mover"])
        self.theirs.apply_action(outcome)
        self.state.apply(text)
        if self.state.to_play < 0:
            self._passes(seat)

    def _rolls(self) -> dict[int, str]:
        """Our texts of OpenSpiel's outcomes, whose chances must add up to ours."""
        ours = self.state.chance()[1]
        total = sum(weight for _, weight in ours)
        chances = {self.state.game.action_text(o): Fraction(weight, total) for o, weight in ours}
        texts = {o: roll_of(self.theirs.action_to_string(o)) for o in self.theirs.legal_actions()}
        spread = dict.fromkeys(chances, Fraction())
        for outcome, chance in self.theirs.chance_outcomes():
            spread[texts[outcome]] += Fraction(chance).limit_denominator(36)
        assert spread == chances
        return texts

    def _passes(self, seat: int) -> None:
        """OpenSpiel says in so many words that nothing can be played."""
        passes = self.theirs.legal_actions()
        assert self.theirs.current_player() == seat and [decoded(self.theirs, seat, a) for a in passes] == [()]
        self.theirs.apply_action(passes[0])
        self.counts["nothing to play"] += 1

    def _move(self, choose: Callable[[State, dict[Moves, tuple[int, ...]]], Moves]) -> None:
        state, theirs, seat = self.state, self.theirs, self.state.to_play
        ours = ways(state)
        other = {decoded(theirs, seat, action): action for action in theirs.legal_actions()}
        assert set(ours) == set(other), f"{sorted(ours)} here, {sorted(other)} there\n{theirs}"
        self.counts[f"{int(state.fields['checkers'][seat, BAR])} on the bar"] += 1
        self.counts["one checker"] += len(next(iter(ours))) == 1
        moves, turn, double = choose(state, ours), int(state.fields["turn"]), int(state.fields["dice"][3])
        self.counts["borne off"] += any(end == 0 for _, end in moves)
        theirs.apply_action(other[moves])
        for action in ours[moves]:
            state.apply(action)
        ended = state.is_over or int(state.fields["turn"]) > turn
        if double and ended and not theirs.is_terminal() and theirs.current_player() == seat:
            self._passes(seat)


def play(
    games: int, seed: int, wish: Callable[[State, Moves], float] | None = None, max_turns: int = 500
) -> Counter[str]:
    rng, counts = generator("openspiel", "backgammon", seed), Counter[str]()

    def choose(state: State, found: dict[Moves, tuple[int, ...]]) -> Moves:
        best = sorted(found)
        if wish is not None and below(rng, 5):
            rated = {moves: wish(state, moves) for moves in best}
            best = [moves for moves in best if rated[moves] == max(rated.values())]
        return best[below(rng, len(best))]

    for number in range(games):
        Walk("win" if number % 4 == 0 else "points", max_turns, counts).play(choose, rng)
    return counts


def blots_and_hits(state: State, moves: Moves) -> float:
    """Goes where a lone checker of the other seat stands, and leaves single ones."""
    checkers, mover = state.fields["checkers"], state.to_play
    hits = sum(int(checkers[1 - mover, BAR - end]) for _, end in moves if 0 < end < BAR)
    return 3 * hits + sum(int(checkers[mover, end]) == 0 for _, end in moves)


def runs(state: State, moves: Moves) -> float:
    """Moves the checkers that are farthest from home: games that are raced and borne off to the end."""
    return sum(start for start, _ in moves)


def test_random_games() -> None:
    counts = play(200, 1)
    assert counts["borne off"] > 1000 and counts["one checker"] > 50 and counts["nothing to play"] > 500


def test_games_with_many_on_the_bar() -> None:
    counts = play(12, 2, blots_and_hits, max_turns=200)
    assert sum(counts[f"{n} on the bar"] for n in range(4, 12)) > 5
    assert counts["nothing to play"] > 50 and counts["drawn"]


def test_games_that_are_raced() -> None:
    counts = play(40, 3, runs)
    assert counts["borne off"] > 400 and sum(counts[f"worth {n}"] for n in (1, 2, 3)) == 40


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_many_random_games(part: int) -> None:
    """`pytest -m slow tests/interop/test_backgammon_against_openspiel.py`: some ten minutes."""
    counts = play(1_000, 10 + part) + play(20, 20 + part, blots_and_hits, max_turns=200) + play(100, 30 + part, runs)
    assert all(counts[f"worth {n}"] for n in (1, 2, 3))
