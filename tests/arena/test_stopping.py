"""Matches that end when they are decided.

1 The end does not depend on the number of processes nor on the order in which blocks are finished, and a match that is
over is not played on. 2 Equal agents are seldom told apart. 3 What is said fits what was found. 4 Settings that
contradict each other are refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.errors import UsageError
from orion_ai.arena.entrants import resolve
from orion_ai.arena.match import Block, GameRecord
from orion_ai.arena.result import summarize
from orion_ai.arena.runner import ArenaConfig, Match, run_match
from orion_ai.arena.sprt import Sprt
from orion_ai.arena.stopping import Sequential, block_score

KUHN = {"name": "kuhn_poker", "players": 2}


def nothing(*_: Any) -> None:
    pass


def a_block(number: int, score: float) -> Block:
    lead = 4 * (score - 0.5)
    games = [
        GameRecord(s, [u if a == 0 else -u for a in s], [0, 0], [1, 1], [0.1, 0.1])
        for s, u in (((0, 1), lead / 2), ((1, 0), lead / 2))
    ]
    return Block(number, games)


def test_the_end_does_not_depend_on_processes_and_is_the_end(tmp_path: Path) -> None:
    entrants = resolve([{"agent": "ismcts", "search": {"simulations": 30}}, "random"])
    match = Match(KUHN, entrants, 3, 8)
    found = []
    for processes in (1, 2):
        stop = Sequential(Sprt(0, 80), False)
        blocks = run_match(match, 1000, tmp_path / str(processes), processes, nothing, stop=stop)
        assert stop.decided and sorted(b.number for b in blocks) == list(range(stop.blocks))
        found.append((stop.blocks, stop.watched.sprt, {b.number: [g.returns for g in b.games] for b in blocks}))
    assert found[0] == found[1]
    assert 8 <= found[0][0] < 900
    played: list[Block] = []
    stop = Sequential(Sprt(0, 80), False)
    again = run_match(match, 1000, tmp_path / "2", 2, lambda _, block: played.append(block), stop=stop)
    assert not played and len(again) == found[0][0]


def test_blocks_are_shown_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    """Games of one process end in any order, short ones first; the rule sees 0, 1, 2, ..."""

    class Seen(Sequential):
        def __init__(self) -> None:
            super().__init__(Sprt(), False)
            self.numbers: list[int] = []

        def add(self, block: Block) -> None:
            self.numbers.append(block.number)
            super().add(block)

    stop, finished = Seen(), []
    match = Match(KUHN, resolve(["random", "random"]), 3, 16)
    run_match(match, 60, tmp_path, 1, lambda _, block: finished.append(block.number), stop=stop)
    assert stop.numbers == list(range(60)) and finished != sorted(finished)


def test_equal_agents_are_seldom_told_apart() -> None:
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(200):
        stop = Sequential(Sprt(), True)
        for number, score in enumerate(rng.choice([0.0, 0.25, 0.5, 0.75, 1.0], p=[0.1, 0.2, 0.4, 0.2, 0.1], size=80)):
            stop.add(a_block(number, float(score)))
            if stop.decided:
                wrong += 1
                break
    assert wrong <= 0.05 * 200


def test_what_is_said_fits_what_was_found() -> None:
    rng = np.random.default_rng(5)
    strong, even = Sequential(Sprt(), True), Sequential(Sprt(), True)
    for number in range(60):
        strong.add(a_block(number, float(rng.choice([0.0, 0.25, 0.5]))))
        even.add(a_block(number, float(rng.choice([0.5, 0.25, 0.75, 0.75]))))
    assert strong.decided and strong.watched.needed == 0
    assert "b is stronger than a" in strong.watched.sentence("a", "b")
    watched = even.watched
    assert not even.decided and watched.needed is not None and watched.needed > 0
    assert f"a and b are not told apart (60 blocks; a: score {watched.score.mean:.3f}" in watched.sentence("a", "b")
    assert f"needs about {watched.needed} more blocks" in watched.sentence("a", "b")


def test_the_score_of_a_block_is_the_share_of_games_won() -> None:
    won, lost, drawn = [1.0, -1.0], [-1.0, 1.0], [0.0, 0.0]
    for returns, score in (([won, lost], 1.0), ([lost, won], 0.0), ([won, won], 0.5), ([won, drawn], 0.75)):
        games = [
            GameRecord(s, list(r), [0, 0], [1, 1], [0.1, 0.1]) for s, r in zip([(0, 1), (1, 0)], returns, strict=True)
        ]
        assert block_score(Block(0, games)) == pytest.approx(score)
    assert block_score(a_block(0, 0.3)) == pytest.approx(0.3)


def test_a_match_that_was_stopped_claims_no_interval_of_a_fixed_length(tmp_path: Path) -> None:
    match = Match(KUHN, resolve(["random", "random"]), 3, 16)
    blocks = run_match(match, 20, tmp_path, 1, nothing)
    names = ["a", "b"]
    free = summarize(match.load(), names, blocks, 3).verdict()
    stopped = summarize(match.load(), names, blocks, 3, test=Sprt(0, 50)).verdict()
    assert "lead in utility" in free and "Whenever one looked" in free
    assert "lead in utility" not in stopped and stopped.startswith("SPRT (H0: elo = 0, H1: elo = 50")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"agents": ["a", "b", "c"], "sprt": Sprt(0, 5)}, "sprt: a match is stopped early between two agents, not 3"),
        ({"agents": ["a"], "until_clear": True}, "until_clear: a match is stopped early between two agents"),
        ({"agents": ["a", "b"], "until_clear": True, "sprt": Sprt(0, 5)}, "a match has one rule for stopping"),
        ({"agents": ["a", "b"], "move_seconds": -1}, "move_seconds is -1: expected 0 to 3.1536e"),
    ],
)
def test_contradictions_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ArenaConfig(**settings)
