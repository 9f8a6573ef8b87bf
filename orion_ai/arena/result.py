"""What came out of a match: figures from blocks, as a table, as JSON and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game
from orion_ai.arena.match import Block, GameRecord
from orion_ai.arena.statistics import Interval, blocks_needed, elo_intervals, interval

__all__ = ["AgentResult", "ArenaResult", "summarize"]


@dataclass(frozen=True)
class AgentResult:
    """One agent's figures.

    Attributes:
        win_share: how often a seat of the agent's wins (tied winners share the win); 1 / players is par.
        utility: mean utility of its seats, in [-1, 1]; 0 is par.
        margin: mean points of its seats less those of the others' seats in the same game.
        elo: rating by pairwise results; the mean of all agents is 0.
        seconds: wall time a decision.
        decisions: how many decisions it made.
    """

    name: str
    win_share: Interval
    utility: Interval
    margin: Interval
    elo: Interval
    seconds: float
    decisions: int


@dataclass(frozen=True)
class ArenaResult:
    """A match's result; `lead` is the mean utility of the first agent less that of the second."""

    game: str
    players: int
    blocks: int
    games: int
    seed: int
    agents: tuple[AgentResult, ...]
    lead: Interval
    needed: int | None
    difference: float

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    def verdict(self) -> str:
        """One line: what is settled, and how many more blocks would settle the rest."""
        first, second = self.agents[0].name, self.agents[1].name
        if self.lead.low is None or self.lead.high is None:
            return "One block sets no bounds; play more."
        if self.lead.low > 0:
            said = f"{first} is stronger than {second}"
        elif self.lead.high < 0:
            said = f"{second} is stronger than {first}"
        else:
            said = f"{first} and {second} are not told apart"
        text = f"{said}: lead in utility {self.lead}."
        if self.needed is not None:
            more = max(self.needed - self.blocks, 0)
            rest = f"needs about {more} more blocks" if more else "these blocks suffice"
            text += f" To resolve a difference of {self.difference:g} (95 %, power 80 %): {rest}."
        return text


def _pairwise(games: Sequence[GameRecord], count: int) -> NDArray[np.float64]:
    """How often each agent's seats came out ahead of each other agent's, ties half: float64[count, count]."""
    scores = np.zeros((count, count))
    for g in games:
        for p, a in enumerate(g.seats):
            for q, b in enumerate(g.seats):
                if a != b:
                    scores[a, b] += 0.5 * (1 + np.sign(round(g.returns[p] - g.returns[q], 6)))
    return scores


def _figures(games: Sequence[GameRecord], agent: int) -> tuple[float, float, float]:
    """One block's (win share a seat, utility a seat, margin) of an agent, over its seats in the games it played."""
    wins, utilities, margins = [], [], []
    for g in games:
        own = [p for p, a in enumerate(g.seats) if a == agent]
        others = [p for p, a in enumerate(g.seats) if a != agent]
        best = max(g.returns)
        winners = [p for p, u in enumerate(g.returns) if u > best - 1e-6]
        for p in own:
            wins.append((p in winners) / len(winners))
            utilities.append(g.returns[p])
            margins.append(g.scores[p] - float(np.mean([g.scores[q] for q in others])))
    return float(np.mean(wins)), float(np.mean(utilities)), float(np.mean(margins))


def summarize(
    game: Game, names: Sequence[str], blocks: Sequence[Block], seed: int, difference: float = 0.05
) -> ArenaResult:
    """The figures of a match, from at least one block; the order of `blocks` does not matter."""
    ordered = sorted(blocks, key=lambda b: b.number)
    figures = np.array([[_figures(b.games, a) for a in range(len(names))] for b in ordered])
    ratings = elo_intervals(np.array([_pairwise(b.games, len(names)) for b in ordered]))
    games = [g for b in ordered for g in b.games]
    spread = max(max(g.scores) - min(g.scores) for g in games) or 1
    agents = []
    for a, name in enumerate(names):
        decisions = sum(g.decisions[a] for g in games)
        agents.append(
            AgentResult(
                name,
                interval(figures[:, a, 0], (0, 1)),
                interval(figures[:, a, 1], (-1, 1)),
                interval(figures[:, a, 2], (-spread, spread)),
                ratings[a],
                sum(g.seconds[a] for g in games) / max(decisions, 1),
                decisions,
            )
        )
    lead = figures[:, 0, 1] - figures[:, 1, 1]
    needed = blocks_needed(lead, difference)
    return ArenaResult(
        game.name,
        game.players,
        len(ordered),
        len(games),
        seed,
        tuple(agents),
        interval(lead, (-2, 2)),
        needed,
        difference,
    )
