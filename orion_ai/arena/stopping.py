"""When a match between two agents may end: rules that hold although they are looked at after every block."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from orion_ai.arena.match import Block
from orion_ai.arena.sequence import ConfidenceSequence
from orion_ai.arena.sprt import Sprt, SprtState
from orion_ai.arena.statistics import Interval

__all__ = ["Sequential", "Watched", "block_score"]


def block_score(block: Block) -> float:
    """Score of agent 0 in a block against agent 1: 1/2 + lead / 4, the lead being its mean utility less the other's.

    In [0, 1], par 1/2; where all is won or lost between two seats it is the share of games won, a draw half.
    """
    means = [
        np.mean([u for g in block.games for a, u in zip(g.seats, g.returns, strict=True) if a == agent])
        for agent in (0, 1)
    ]
    return min(max(0.5 + float(means[0] - means[1]) / 4, 0.0), 1.0)


@dataclass(frozen=True)
class Watched:
    """Where a match between two agents stands.

    Attributes:
        blocks: how many were played.
        score: mean score of the first agent (see `block_score`), with an interval that holds at all times (95 %).
        sprt: the sequential test, if there is one.
        stops: whether the match is over as soon as it is decided: then no interval for a length fixed before holds.
    """

    blocks: int
    score: Interval
    sprt: SprtState | None
    stops: bool = False

    @property
    def bounds(self) -> tuple[float, float]:
        """Of the interval."""
        assert self.score.low is not None and self.score.high is not None
        return self.score.low, self.score.high

    @property
    def clear(self) -> bool:
        """Whether the interval excludes par."""
        low, high = self.bounds
        return not low <= 0.5 <= high

    @property
    def needed(self) -> int | None:
        """About how many more blocks a decision takes if the score stays as it is; None: nothing can be said.

        The interval is taken to narrow with the square root of the number of blocks.
        """
        if self.sprt is not None:
            return self.sprt.needed
        if self.clear:
            return 0
        low, high = self.bounds
        lead = self.score.mean - 0.5
        if abs(lead) < 1e-9:
            return None
        reach = self.score.mean - low if lead > 0 else high - self.score.mean
        return max(1, math.ceil(self.blocks * ((reach / lead) ** 2 - 1)))

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        low, high = self.bounds
        test = None if self.sprt is None else dict(self.sprt.as_json())
        return {
            "blocks": self.blocks,
            "score": {"mean": self.score.mean, "low": low, "high": high},
            "needed": self.needed,
            "stops": self.stops,
            "sprt": test,
        }

    def sentence(self, first: str, second: str) -> str:
        """What may be said whenever one looks."""
        low, high = self.bounds
        score = f"score {self.score.mean:.3f}, at all times (95 %) in [{low:.3f}, {high:.3f}]"
        if self.sprt is not None:
            return f"{self.sprt.sentence(first, second)} For {first}: {score}."
        if self.clear:
            strong, weak = (first, second) if low > 0.5 else (second, first)
            return f"Whenever one looked: {strong} is stronger than {weak} ({self.blocks} blocks; {first}: {score})."
        more = f"; needs about {self.needed} more blocks if the score stays" if self.needed else ""
        seen = f"{self.blocks} blocks; {first}: {score}"
        return f"Whenever one looked: {first} and {second} are not told apart ({seen}){more}."


class Sequential:
    """Takes the blocks of a match between agents 0 and 1, in the order of their numbers.

    Attributes:
        blocks: how many were taken.
        decided: whether the match may end.
    """

    def __init__(self, test: Sprt, until_clear: bool) -> None:
        """End by a sequential test (if it has hypotheses), or when the interval at all times excludes par, or never."""
        self.test, self.until_clear = test, until_clear
        self.blocks, self.decided = 0, False
        self._scores: list[float] = []
        self._sequence = ConfidenceSequence()
        self._games = 1

    def add(self, block: Block) -> None:
        """Take the next block."""
        self._scores.append(block_score(block))
        self._sequence.add(self._scores[-1])
        self._games, self.blocks = len(block.games), self.blocks + 1
        if self.test:
            self.decided = bool(self._test().decided)
        elif self.until_clear:
            self.decided = self.watched.clear

    def _test(self) -> SprtState:
        return SprtState.of(self.test, np.array(self._scores), self._games)

    @property
    def watched(self) -> Watched:
        """Where the match stands; there must have been a block."""
        test = self._test() if self.test else None
        return Watched(self.blocks, self._sequence.interval, test, bool(self.test) or self.until_clear)

    @classmethod
    def over(cls, blocks: Sequence[Block], test: Sprt, until_clear: bool = False) -> Watched:
        """Where a match with these blocks stands."""
        seen = cls(test, until_clear)
        for block in sorted(blocks, key=lambda b: b.number):
            seen._scores.append(block_score(block))
            seen._sequence.add(seen._scores[-1])
        seen._games, seen.blocks = len(blocks[0].games), len(blocks)
        return seen.watched
