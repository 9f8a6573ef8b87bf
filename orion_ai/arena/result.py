"""What came out of a match: figures from blocks, and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game
from orion_ai.arena.comparisons import (
    GroupResult,
    PairResult,
    Ratings,
    compare_all,
    rate,
    seat_effects,
    trait_effects,
)
from orion_ai.arena.luck import adjusted
from orion_ai.arena.match import Block, GameRecord
from orion_ai.arena.schedule import Schedule, ahead
from orion_ai.arena.sprt import Sprt
from orion_ai.arena.statistics import FEW, Interval, blocks_needed, elo_intervals, interval, intervals, percentiles
from orion_ai.arena.stopping import Sequential, Watched

__all__ = ["AgentResult", "ArenaResult", "FaultResult", "summarize"]

FAULTS_TOLD = 20
"""So many faults are told one by one."""


@dataclass(frozen=True)
class AgentResult:
    """One agent's figures.

    Attributes:
        win_share: how often a seat of the agent's wins (tied winners share the win); 1 / players is par.
        utility: mean utility of its seats, in [-1, 1]; 0 is par.
        margin: mean points of its seats less those of the others' seats in the same game.
        elo: rating by pairwise results; the mean of all agents is 0.
        rating: Plackett-Luce rating with ties, in Elo, of games with more than two seats; None for two.
        seconds: wall time a decision.
        decisions: how many decisions it made.
        faults: games that it lost by raising, by an illegal answer, by thinking too long, or by ending its process.
        budget: what its search may spend on a decision, if it has one.
        settings: all that decides how it plays, where it was given as an entrant.
    """

    name: str
    win_share: Interval
    utility: Interval
    margin: Interval
    elo: Interval
    rating: Interval | None
    seconds: float
    decisions: int
    faults: int = 0
    budget: Mapping[str, float] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FaultResult:
    """A game that was lost by a fault: whose, where (number of the block, place of the game in it), and what it was."""

    agent: str
    block: int
    game: int
    what: str


@dataclass(frozen=True)
class ArenaResult:
    """A match's result.

    Attributes:
        lead: mean utility of the first agent less that of the second, block by block; None where they never met.
        lead_adjusted: the same with the luck taken out, where it was measured.
        points_lead: as `lead`, of their points.
        points_lead_adjusted: the same with the luck taken out: what chance gave each seat in utility foretells its
            points as well, and how much of it to take out is estimated in points.
        needed: blocks in all that would tell a true lead of `difference` from 0; None where it cannot be said.
        watched: with two agents: the score with an interval at all times, and the sequential test.
        pairs: every pair of agents.
        seats: what each seat is worth.
        traits: what each faction is worth, by the field that names it.
        faults: the first games that were lost by a fault.
    """

    game: str
    players: int
    schedule: str
    blocks: int
    games: int
    seed: int
    agents: tuple[AgentResult, ...]
    lead: Interval | None
    lead_adjusted: Interval | None
    points_lead: Interval | None
    points_lead_adjusted: Interval | None
    needed: int | None
    difference: float
    watched: Watched | None
    pairs: tuple[PairResult, ...]
    seats: tuple[GroupResult, ...]
    traits: Mapping[str, tuple[GroupResult, ...]]
    faults: tuple[FaultResult, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        data = {**asdict(self), "watched": None if self.watched is None else self.watched.as_json()}
        for pair, row in zip(self.pairs, data["pairs"], strict=True):
            row["told_apart"] = pair.told_apart
        return {**data, "verdict": self.verdict()}

    def verdict(self) -> str:
        """What is settled, and how many more blocks would settle the rest: a line, or a few."""
        lines = []
        if self.watched is not None:
            lines.append(self.watched.sentence(self.agents[0].name, self.agents[1].name))
        if self.lead is not None and not (self.watched and self.watched.stops):
            lines.insert(0, self._lead())
        if len(self.agents) > 2:
            lines.append(self._order())
        blamed = [f"{a.name} lost {a.faults} game{'s' if a.faults > 1 else ''}" for a in self.agents if a.faults]
        if blamed:
            lines.append(f"By a fault: {', '.join(blamed)}; the first: {self.faults[0].what}.")
        return "\n".join(lines)

    def _lead(self) -> str:
        assert self.lead is not None
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
        if self.lead_adjusted is not None:
            text += f" Luck taken out: {self.lead_adjusted}."
            text += f" In points: {self.points_lead}, luck taken out: {self.points_lead_adjusted}."
        if self.needed is not None:
            more = max(self.needed - self.blocks, 0)
            rest = f"needs about {more} more blocks" if more else "these blocks suffice"
            text += f" To resolve a difference of {self.difference:g} (95 %, power 80 %): {rest}."
        return text

    def _order(self) -> str:
        """All agents from strong to weak, and which of them are not told apart."""
        names = [a.name for a in self.agents]
        order = sorted(range(len(names)), key=lambda a: -_points(self.agents[a]))
        told = sum(p.told_apart for p in self.pairs)
        close = [f"{names[p.first]} and {names[p.second]}" for p in self.pairs if not p.told_apart]
        text = f"By rating: {' > '.join(names[a] for a in order)}. "
        text += f"{told} of {len(self.pairs)} pairs are told apart (Holm, 95 % for all together)"
        return text + (f"; not {', '.join(close[:6])}{', ...' if len(close) > 6 else ''}." if close else ".")


def _points(agent: AgentResult) -> float:
    return agent.elo.mean if agent.rating is None else agent.rating.mean


def _figures(games: Sequence[GameRecord], agent: int) -> tuple[float, float, float]:
    """One block's (win share a seat, utility a seat, margin) of an agent, over its seats; NaN where it had none."""
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
    if not wins:
        return np.nan, np.nan, np.nan
    return float(np.mean(wins)), float(np.mean(utilities)), float(np.mean(margins))


def _leads(blocks: Sequence[Block], together: bool) -> NDArray[np.float64]:
    """Of each block that has both agents 0 and 1 the first one's utility, points and luck less the second one's.

    With `together` only games count in which both sit: elsewhere their opponents differ.

    Returns:
        float64[blocks, 3]; luck is NaN where it was not measured.
    """
    rows = []
    for block in blocks:
        games = [g for g in block.games if not together or {0, 1} <= {*g.seats}]
        values = []
        for agent in (0, 1):
            own = [(g, p) for g in games for p, a in enumerate(g.seats) if a == agent]
            if own:
                each = [(g.returns[p], g.scores[p], g.luck[p] if g.luck else np.nan) for g, p in own]
                values.append(np.mean(each, axis=0))
        if len(values) == 2:
            rows.append(values[0] - values[1])
    return np.array(rows, np.float64).reshape(-1, 3)


def summarize(
    game: Game,
    names: Sequence[str],
    blocks: Sequence[Block],
    seed: int,
    difference: float = 0.05,
    *,
    schedule: Schedule | None = None,
    test: Sprt | None = None,
    until_clear: bool = False,
    budgets: Sequence[Mapping[str, float]] = (),
    settings: Sequence[Mapping[str, Any]] = (),
) -> ArenaResult:
    """The figures of a match, from at least one block; the order of `blocks` does not matter.

    Args:
        game: what was played.
        names: of the agents.
        blocks: the match.
        seed: of the match.
        difference: see `ArenaResult.needed`.
        schedule: who met whom; None: a round robin.
        test: hypotheses of a sequential test between two agents, by which the match was stopped.
        until_clear: whether the match was stopped when its interval at all times excluded par.
        budgets: of each agent, for the report.
        settings: of each agent, for the report.
    """
    ordered = sorted(blocks, key=lambda b: b.number)
    count, kind = len(names), "round_robin" if schedule is None else schedule.kind
    rounds = np.array([schedule.round_of(b.number) if schedule else 0 for b in ordered])
    games = [g for b in ordered for g in b.games]
    ratings = rate(ordered, count, game.players, list(rounds))
    lead, points, luck = _leads(ordered, together=kind != "round_robin").T
    known = len(lead) > 0 and not np.isnan(luck).any()
    most = float(max(max(g.scores) - min(g.scores) for g in games) or 1)
    leads = ((lead, 2.0), (adjusted(lead, luck), 2.0), (points, most), (adjusted(points, luck), most))
    met = [interval(values, (-bound, bound)) if len(lead) else None for values, bound in leads]
    watched = Sequential.over(ordered, test or Sprt(), until_clear) if count == 2 else None
    return ArenaResult(
        game.name,
        game.players,
        kind,
        len(ordered),
        len(games),
        seed,
        _agents(game, names, ordered, ratings, rounds, (budgets, settings)),
        met[0],
        met[1] if known else None,
        met[2],
        met[3] if known else None,
        blocks_needed(lead, difference),
        difference,
        watched,
        compare_all(ordered, ratings),
        seat_effects(ordered),
        trait_effects(game, ordered),
        tuple(_faults(names, ordered))[:FAULTS_TOLD],
    )


def _agents(
    game: Game,
    names: Sequence[str],
    blocks: Sequence[Block],
    ratings: Ratings,
    rounds: NDArray[np.int64],
    told: tuple[Sequence[Mapping[str, float]], Sequence[Mapping[str, Any]]],
) -> tuple[AgentResult, ...]:
    games = [g for b in blocks for g in b.games]
    figures = np.array([[_figures(b.games, a) for a in range(len(names))] for b in blocks])
    spread = max(max(g.scores) - min(g.scores) for g in games) or 1
    bounds = [(0.0, 1.0), (-1.0, 1.0), (-spread, spread)]
    elo = elo_intervals(np.array([ahead(b.games, len(names)) for b in blocks]), strata=rounds)
    blamed = [fault.agent for fault in _faults(names, blocks)]
    found = []
    for a, name in enumerate(names):
        win_share, utility, margin = intervals(figures[~np.isnan(figures[:, a, 0]), a], bounds)
        decisions = sum(g.decisions[a] for g in games)
        seconds = sum(g.seconds[a] for g in games) / max(decisions, 1)
        rating = None if game.players == 2 else _rating(ratings, a, len(blocks))
        budget, settings = (given[a] if given else {} for given in told)
        counts = (decisions, blamed.count(name), budget, settings)
        found.append(AgentResult(name, win_share, utility, margin, elo[a], rating, seconds, *counts))
    return tuple(found)


def _rating(ratings: Ratings, agent: int, blocks: int) -> Interval:
    point = float(ratings.points[agent])
    sampled = ratings.sampled[:, agent]
    if blocks < FEW or np.ptp(sampled) < 1e-9:
        return Interval(point, None, None)
    return Interval(point, *percentiles(sampled, blocks))


def _faults(names: Sequence[str], blocks: Sequence[Block]) -> list[FaultResult]:
    """Every game that was lost by a fault."""
    found = []
    for block in blocks:
        for place, g in enumerate(block.games):
            if g.fault is not None:
                seat, what = g.fault
                name = names[g.seats[seat]]
                found.append(FaultResult(name, block.number, place, f"block {block.number}, {name} {what}"))
    return found
