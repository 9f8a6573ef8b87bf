"""Who is stronger than whom among many agents, and what seats and factions are worth.

Ratings are fitted to all games (Bradley-Terry in two seats, Plackett-Luce in more). Their errors come from resampling
whole blocks, within each round of the match. Every pair of agents is compared, and since many pairs are, p-values are
corrected (Holm 1979): among all pairs that are called different, there is a wrong one in 5 % of matches at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game
from orion_ai.arena.match import Block, GameRecord
from orion_ai.arena.ratings import Ranking, bradley_terry, choices_of, holm, plackett_luce, two_sided
from orion_ai.arena.schedule import ahead
from orion_ai.arena.statistics import ELO, FEW, Interval, intervals, resampled

__all__ = ["GroupResult", "PairResult", "Ratings", "compare_all", "rate", "seat_effects", "trait_effects"]

Floats = NDArray[np.float64]
RESAMPLES = 1000
LEVEL = 0.05
"""Pairs with a corrected p-value below are told apart."""


@dataclass(frozen=True)
class PairResult:
    """Two agents, by number.

    Attributes:
        score: share of pairs of their seats in which the first came out ahead, ties half; None: they never met.
        met: how many pairs of seats that were.
        elo: the first one's rating less the second one's.
        p: how likely so great a difference were among equals; None: too few blocks to say.
        p_holm: the same, corrected for the number of pairs.
    """

    first: int
    second: int
    score: float | None
    met: int
    elo: float
    p: float | None
    p_holm: float | None

    @property
    def told_apart(self) -> bool:
        """Whether one is stronger, all other comparisons taken into account."""
        return self.p_holm is not None and self.p_holm < LEVEL


@dataclass(frozen=True)
class GroupResult:
    """Mean utility of a seat, or of all seats with the same faction, whoever sat there."""

    name: str
    seats: int
    utility: Interval


@dataclass(frozen=True)
class Ratings:
    """Ratings in Elo with mean 0, and as they came out of resamples of the blocks."""

    points: Floats
    """float64[agents]"""
    sampled: Floats
    """float64[resamples, agents]; none where there are too few blocks."""


def ranking(game: GameRecord) -> Ranking:
    """The agents of a game from first to last place; equal utilities share a place."""
    by_utility: dict[float, list[int]] = {}
    for agent, utility in zip(game.seats, game.returns, strict=True):
        by_utility.setdefault(round(utility, 6), []).append(agent)
    return [tuple(by_utility[u]) for u in sorted(by_utility, reverse=True)]


def rate(blocks: Sequence[Block], agents: int, players: int, rounds: Sequence[int]) -> Ratings:
    """The ratings of all agents.

    Args:
        blocks: the match.
        agents: how many agents.
        players: how many seats.
        rounds: the round of each block; blocks are resampled within their round.
    """
    strata, few = np.array(rounds), len(blocks) < FEW
    if players == 2:
        scores = np.array([ahead(b.games, agents) for b in blocks]).reshape(len(blocks), -1)
        fit = bradley_terry(scores.sum(0).reshape(agents, agents))
        sums = np.zeros((0, agents * agents)) if few else resampled(scores, strata, RESAMPLES)
        sampled = bradley_terry(sums.reshape(-1, agents, agents)) if len(sums) else sums[:, :agents]
        return Ratings(ELO * fit, ELO * sampled)
    choices, added = choices_of([[ranking(g) for g in b.games] for b in blocks], agents)
    fit = plackett_luce(choices, added)[0][0]
    counts = np.concatenate([choices.times, choices.chosen], 1)
    if few:
        return Ratings(ELO * fit, np.zeros((0, agents)))
    return Ratings(ELO * fit, ELO * plackett_luce(choices, added, resampled(counts, strata, RESAMPLES))[0])


def compare_all(blocks: Sequence[Block], ratings: Ratings) -> tuple[PairResult, ...]:
    """Every pair of agents.

    A pair's p-value rests on the normal law with the resampled error, and is never below that of a sign test with all
    blocks in which both played: so like blocks, which show no error, are no certainty.
    """
    agents = len(ratings.points)
    tables = np.array([ahead(b.games, agents) for b in blocks])
    total = tables.sum(0)
    present = np.array([[any(a in g.seats for g in b.games) for a in range(agents)] for b in blocks])
    rows: list[tuple[int, int, float | None]] = []
    for a, b in combinations(range(agents), 2):
        p = None
        if len(ratings.sampled):
            difference = float(ratings.points[a] - ratings.points[b])
            error = float((ratings.sampled[:, a] - ratings.sampled[:, b]).std(ddof=1))
            least = min(1.0, 2 * 0.5 ** int((present[:, a] & present[:, b]).sum()))
            alike = error < 1e-9 and abs(difference) > 1e-9
            p = max(least, 0.0 if alike else two_sided(difference, error))
        rows.append((a, b, p))
    known = [p for _, _, p in rows if p is not None]
    corrected = iter(holm(known))
    found = []
    for a, b, p in rows:
        met = total[a, b] + total[b, a]
        score = float(total[a, b] / met) if met else None
        difference = float(ratings.points[a] - ratings.points[b])
        found.append(PairResult(a, b, score, int(met), difference, p, None if p is None else next(corrected)))
    return tuple(found)


def seat_effects(blocks: Sequence[Block]) -> tuple[GroupResult, ...]:
    """Mean utility of each seat: every agent sits there equally often, so what differs is the seat."""
    players = len(blocks[0].games[0].seats)
    values = np.array([np.mean([g.returns for g in b.games], 0) for b in blocks]).reshape(len(blocks), players)
    found = intervals(values, [(-1.0, 1.0)] * players)
    games = sum(len(b.games) for b in blocks)
    return tuple(GroupResult(f"seat {seat}", games, found[seat]) for seat in range(players))


def trait_effects(game: Game, blocks: Sequence[Block]) -> dict[str, tuple[GroupResult, ...]]:
    """Mean utility by label, for each public field that labels seats, from the blocks in which a label occurred.

    Fields in which all seats always had the same label are left out, and those in which a seat had none at the end:
    they are no traits, but what happened to lie there.
    """
    found: dict[str, tuple[GroupResult, ...]] = {}
    for name in sorted({name for b in blocks for g in b.games for name in g.traits}):
        declared = game.fields[name]
        if any(number < declared.first for b in blocks for g in b.games for number in g.traits.get(name, ())):
            continue
        labels = game.labels[str(declared.values)]
        rows: dict[int, list[float]] = {}
        counts: dict[int, int] = {}
        for block in blocks:
            seen: dict[int, list[float]] = {}
            for g in block.games:
                for number, utility in zip(g.traits.get(name, ()), g.returns, strict=False):
                    seen.setdefault(number - declared.first, []).append(utility)
            for label, utilities in seen.items():
                rows.setdefault(label, []).append(float(np.mean(utilities)))
                counts[label] = counts.get(label, 0) + len(utilities)
        found[name] = tuple(
            GroupResult(labels[label], counts[label], intervals(np.array(rows[label])[:, None], [(-1.0, 1.0)])[0])
            for label in sorted(rows)
            if 0 <= label < len(labels)
        )
    return {name: groups for name, groups in found.items() if len(groups) > 1}
