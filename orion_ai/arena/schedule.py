"""Who meets whom: round robin, gauntlet, ladder and Swiss, for any number of agents and seats.

A match is played in rounds of as many blocks; a block is one deal in all the seatings of its round. Round robin and
gauntlet are one round. Ladder and Swiss pair each round by the results of those before, which are read from the blocks:
so a match that was interrupted goes on with the same pairings.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from engines.errors import UsageError, choose_from
from orion_ai.arena.match import Block, GameRecord, seatings

__all__ = ["SCHEDULES", "Places", "Schedule", "ahead"]

SCHEDULES = ("round_robin", "gauntlet", "ladder", "swiss")
Places = list[tuple[int, ...]]
"""The seatings of a block's games: an agent's number for each seat."""


def ahead(games: Sequence[GameRecord], agents: int) -> NDArray[np.float64]:
    """How often seats of each agent came out ahead of seats of each other, ties half: float64[agents, agents]."""
    scores = np.zeros((agents, agents))
    for g in games:
        for p, a in enumerate(g.seats):
            for q, b in enumerate(g.seats):
                if a != b:
                    scores[a, b] += 0.5 * (1 + np.sign(round(g.returns[p] - g.returns[q], 6)))
    return scores


@dataclass
class Schedule:
    """The plan of a match.

    Attributes:
        kind: `round_robin` (every choice of as many agents as seats), `gauntlet` (the first agent against each other),
            `ladder` (agents stand on rungs in their order; neighbours meet, and who wins more than half goes up),
            `swiss` (agents with like results meet, who has not met before).
        agents: how many agents.
        players: how many seats.
        blocks: blocks of a round.
        rounds: how many; 0 = 1 for round robin and gauntlet, as many as agents for a ladder, 1 + log2(agents) for
            Swiss.
    """

    kind: str
    agents: int
    players: int
    blocks: int
    rounds: int = 0
    _known: dict[int, Places] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        choose_from("schedule", self.kind, SCHEDULES)
        if self.agents < 2:
            raise UsageError("a match needs at least two agents")
        if self.rounds and not self.adaptive:
            raise UsageError(f"rounds={self.rounds}: a {self.kind} is one round; give it more blocks")
        usual = {"ladder": self.agents, "swiss": 1 + math.ceil(math.log2(self.agents))}
        self.rounds = self.rounds or usual.get(self.kind, 1)
        if self.rounds == 1 and self.adaptive and self.agents > 2 and (self.agents % 2 or self.kind == "ladder"):
            raise UsageError(f"rounds=1: in one round of a {self.kind} not all {self.agents} agents play; give it more")

    @property
    def adaptive(self) -> bool:
        """Whether results decide who meets."""
        return self.kind in ("ladder", "swiss")

    @property
    def total(self) -> int:
        """Blocks of the whole match."""
        return self.rounds * self.blocks

    def round_of(self, block: int) -> int:
        """The round of a block."""
        return block // self.blocks if self.adaptive else 0

    def places(self, block: int, played: Sequence[Block]) -> Places:
        """The seatings of a block's games.

        Args:
            block: its number.
            played: the blocks played so far, among them all of earlier rounds.

        Raises:
            ValueError: a block of an earlier round is missing.
        """
        number = self.round_of(block)
        if number not in self._known:
            rounds: list[list[Block]] = [[] for _ in range(number)]
            for one in played:
                if self.round_of(one.number) < number:
                    rounds[self.round_of(one.number)].append(one)
            if any(len(found) != self.blocks for found in rounds):
                raise ValueError(f"block {block} is of round {number}, but the rounds before it are not complete")
            self._known[number] = self._plan([[g for b in found for g in b.games] for found in rounds])
        return self._known[number]

    def _plan(self, rounds: Sequence[Sequence[GameRecord]]) -> Places:
        if self.kind == "round_robin":
            return seatings(self.agents, self.players)
        if self.kind == "gauntlet":
            return self._seated([(0, other) for other in range(1, self.agents)])
        tables = [ahead(games, self.agents) for games in rounds]
        groups = self._rungs(tables) if self.kind == "ladder" else self._like(tables)
        return self._seated(groups)

    def _seated(self, groups: Sequence[Sequence[int]]) -> Places:
        """All seatings of each group."""
        return [tuple(group[a] for a in sitting) for group in groups for sitting in seatings(len(group), self.players)]

    def _rungs(self, tables: Sequence[NDArray[np.float64]]) -> list[tuple[int, int]]:
        """Neighbours on the ladder, every other pair, after the rounds so far (an odd-even sort)."""
        order = list(range(self.agents))
        for number, table in enumerate([*tables, None]):
            first = number % 2 if self.agents > 2 else 0
            pairs = [(order[i], order[i + 1]) for i in range(first, self.agents - 1, 2)]
            if table is None:
                return pairs
            for i in range(first, self.agents - 1, 2):
                upper, lower = order[i], order[i + 1]
                if table[lower, upper] > table[upper, lower]:
                    order[i], order[i + 1] = lower, upper
        raise AssertionError("the last round has no table")

    def _like(self, tables: Sequence[NDArray[np.float64]]) -> list[list[int]]:
        """Groups of a Swiss round: from the top, each with those next in line whom it has met least."""
        points, met, rests = np.zeros(self.agents), Counter[tuple[int, int]](), Counter[int]()
        for table in tables:
            games = table + table.T
            sat = games.sum(1) > 0
            points += np.where(sat, table.sum(1) / np.maximum(games.sum(1), 1), 0.5)
            met.update((a, b) for a, b in combinations(range(self.agents), 2) if games[a, b])
            rests.update(int(a) for a in np.flatnonzero(~sat))
        line = sorted(range(self.agents), key=lambda a: (-points[a], a))
        if self.players == 2 and self.agents % 2:  # the last in line that rested least rests
            line.remove(min(reversed(line), key=lambda a: rests[a]))
        groups = []
        while line:
            size = min(self.players, len(line))
            if len(line) - size == 1:  # nobody is left alone
                size -= 1
            group = [line.pop(0)]
            while len(group) < size:
                group.append(min(line, key=lambda a: sum(met[min(a, b), max(a, b)] for b in group)))
                line.remove(group[-1])
            groups.append(group)
        return groups
