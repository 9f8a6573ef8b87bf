"""Trials of an agent's settings against a fixed opponent, and a match on fresh deals that says what the best is worth.

Every trial plays the same blocks with the same deals (common random numbers), so what differs between two trials are
the settings. A trial is given up as soon as it is known to be worse than the best so far: when the interval of their
difference on the blocks that both have played, which holds at all times, lies below zero. The best of many trials owes
part of its score to luck (the winner's curse), so it meets the agent as it was on deals that no trial has seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engines.contract import Game
from engines.errors import FileError, UsageError
from engines.rng import key_of
from orion_ai.arena.entrants import BUDGETS, Entrant, resolve
from orion_ai.arena.match import Block, seatings
from orion_ai.arena.result import ArenaResult, summarize
from orion_ai.arena.runner import Match, Players, run_match
from orion_ai.arena.sequence import ConfidenceSequence
from orion_ai.arena.statistics import Interval, interval
from orion_ai.arena.stopping import block_score
from orion_ai.arena.watched import ArenaFailure
from orion_ai.identity import identity_of
from orion_ai.search.config import SearchConfig
from orion_ai.tune.config import TuneConfig
from orion_ai.tune.journal import TrialLog
from orion_ai.tune.sampler import Sampler
from orion_ai.tune.space import Space, Value, read_space

__all__ = ["Plan", "Study", "Trial", "confirm", "plan", "run_trials"]

LOOKS, LEAST_BLOCKS = 8, 4
"""A trial is compared with the best so far so many times, and after so many blocks at least."""
DOUBT = 0.2
"""How often the interval of a difference may ever miss the truth, on both sides together: a trial as good as one given
beforehand is given up in a tenth of cases at most (the best so far also had luck on these deals, so somewhat more)."""


@dataclass(frozen=True)
class Trial:
    """One point of the space.

    Attributes:
        number: 0 is the agent as it is.
        values: of the parameters that act.
        state: `done`, `pruned` (known to be worse than the best so far) or `refused` (no such agent can be made).
        scores: of its blocks, in the order of their numbers; 1/2 is par (see `block_score`).
        why: of a refused one; of others the first fault of an agent, if games were lost by one.
    """

    number: int
    values: Mapping[str, Value]
    state: str
    scores: tuple[float, ...]
    why: str = ""

    @property
    def mean(self) -> float:
        """Mean over its blocks; NaN without any."""
        return float(np.mean(self.scores)) if self.scores else math.nan

    @property
    def score(self) -> Interval:
        """Mean over its blocks, with an interval for a length fixed beforehand."""
        return interval(np.array(self.scores), (0.0, 1.0))


@dataclass(frozen=True)
class Plan:
    """A study before it begins: who plays what, and what is tried."""

    config: TuneConfig
    game: Game
    agent: Entrant
    opponent: Entrant
    space: Space
    lanes: int

    def entrant(self, values: Mapping[str, Value], name: str) -> Entrant:
        """The agent with these values."""
        return _resolve({**self.space.changed(values), "name": name}, self.config)

    def match(self, entrant: Entrant) -> Match:
        """Of an agent against the opponent."""
        config = self.config
        return Match(config.game, (entrant, self.opponent), config.seed, self.lanes, move_seconds=config.move_seconds)

    def identity(self) -> dict[str, Any]:
        """What must agree for two files to belong to the same study."""
        identity = {
            "game": identity_of(self.game).as_json(),
            "agent": self.agent.settings,
            "opponent": self.opponent.settings,
            "space": {p.key: p.as_json() for p in self.space.parameters},
            "blocks": self.config.blocks,
            "prune": self.config.prune,
            "seed": self.config.seed,
        }
        return {**identity, "move_seconds": self.config.move_seconds} if self.config.move_seconds else identity

    def defaults(self) -> dict[str, Any]:
        """What settings in `identity` are where a file from before they existed says nothing."""
        search = {"search": asdict(SearchConfig())}
        sides = {"agent": self.agent, "opponent": self.opponent}
        searching = {key: search for key, entrant in sides.items() if "search" in entrant.settings}
        return {"game": {"options": identity_of(self.game).defaults}, **searching}


@dataclass(frozen=True)
class Study:
    """What came of a plan: its trials, the agent as it is among them as number 0."""

    plan: Plan
    trials: tuple[Trial, ...]

    @property
    def best(self) -> Trial:
        """The trial with the highest score over all blocks; of equal ones the first."""
        return max((t for t in self.trials if t.state == "done"), key=lambda t: (t.mean, -t.number))


def plan(config: TuneConfig, game: Game) -> Plan:
    """Who plays and what is tried, all of it examined.

    Raises:
        UsageError: the space, the agent or the opponent make no sense, or a value in the space makes no agent of this
            game; names the setting.
        FileError: a checkpoint that is none.
    """
    if config.opponent is None:
        raise UsageError("opponent is missing: expected an agent to play against, for example opponent=ismcts")
    given = dict(config.tuned) if isinstance(config.tuned, Mapping) else {"agent": config.tuned}
    agent, opponent = _resolve(given, config), _resolve(config.opponent, config)
    settings = agent.settings
    space = read_space(config.space, given, settings.get("search", {}), settings.get("options"))
    spent = [k for p in space.parameters if (k := p.key.removeprefix("search.")) in BUDGETS]
    if spent and (config.budget.simulations or config.budget.milliseconds):
        raise UsageError(f"space.search.{spent[0]}: the match's budget replaces it; tune it without budget")
    timed = "milliseconds" in spent or any(e.settings.get("search", {}).get("milliseconds") for e in (agent, opponent))
    made = Plan(config, game, agent, opponent, space, 1 if timed else config.lanes)
    with Players(1) as players:
        players.prepare(made.match(agent), game)
        for values in space.corners():
            try:
                players.prepare(made.match(made.entrant(values, "tuned")), game)
            except (ArenaFailure, FileError):
                raise
            except UsageError as error:
                said = ", ".join(f"{key}={value}" for key, value in values.items())
                raise UsageError(f"space: no agent with {said}: {error}") from None
    return made


def run_trials(plan: Plan, folder: Path, told: Callable[[Trial, Trial], None]) -> Study:
    """Play what is missing of a study; finished blocks are read from `folder`.

    Args:
        plan: what is tried.
        folder: where `trials.jsonl` lies or is made.
        told: called after each trial with it and the best so far.

    Raises:
        UsageError: Optuna is not installed.
        FileError: the folder cannot be written, or holds another study.
        KeyboardInterrupt: Ctrl-C; finished blocks stand.
    """
    config, sampler = plan.config, Sampler(plan.space, plan.config.seed)
    log = TrialLog(folder / "trials.jsonl", plan.identity(), plan.defaults(), plan.space.parameters)
    with log, Players(config.processes) as players:
        tries = _Tries(plan, log, players)
        first = best = tries.play(0, {}, None, lambda score, blocks: None)
        own = plan.space.default()
        if own is not None:
            sampler.add(own, first.mean)
        told(first, best)
        trials = [first]
        for number in range(1, config.trials + 1):
            values = sampler.propose(number, log.values.get(number))
            trial = tries.play(number, values, best, sampler.played)
            sampler.end(trial.state, trial.mean)
            trials.append(trial)
            best = Study(plan, (best, trial)).best
            told(trial, best)
    return Study(plan, tuple(trials))


class _Tries:
    """Plays trials: blocks that the log holds are not played again."""

    def __init__(self, plan: Plan, log: TrialLog, players: Players) -> None:
        self._plan, self._log, self._players = plan, log, players
        self._places = seatings(2, plan.game.players)

    def play(
        self, number: int, values: Mapping[str, Value], best: Trial | None, played: Callable[[float, int], None]
    ) -> Trial:
        """A trial with these values, as long as it is not known to be worse than `best`."""
        plan, blocks = self._plan, self._plan.config.blocks
        self._log.begin(number, values)
        try:
            match = plan.match(plan.entrant(values, f"trial {number}"))
            self._players.prepare(match, plan.game)
        except (ArenaFailure, FileError):
            raise
        except UsageError as error:
            return Trial(number, values, "refused", (), str(error))
        size = max(LEAST_BLOCKS, math.ceil(blocks / LOOKS)) if plan.config.prune and best is not None else blocks
        sequence, scores = ConfidenceSequence(DOUBT), []
        for first in range(0, blocks, size):
            chunk = range(first, min(first + size, blocks))
            scores += self._scores(number, match, chunk)
            played(float(np.mean(scores)), len(scores))
            if best is not None and plan.config.prune and len(scores) < blocks:
                for block in chunk:
                    sequence.add(0.5 + (scores[block] - best.scores[block]) / 2)
                if sequence.high < 0.5:
                    return self._trial(number, values, "pruned", scores)
        return self._trial(number, values, "done", scores)

    def _trial(self, number: int, values: Mapping[str, Value], state: str, scores: Sequence[float]) -> Trial:
        faults = {b: what for b, what in self._log.faults[number].items() if b < len(scores)}
        why = f"{len(faults)} blocks with a fault, the first: {faults[min(faults)]}" if faults else ""
        return Trial(number, values, state, tuple(scores), why)

    def _scores(self, number: int, match: Match, chunk: Sequence[int]) -> list[float]:
        """The scores of these blocks."""
        plan, known = self._plan, self._log.scores[number]
        missing = [block for block in chunk if block not in known]
        size = max(1, plan.lanes // len(self._places))
        for block in self._players.play(match, plan.game, self._places, missing, size=size):
            self._log.add(number, block.number, block_score(block), _fault(block, match))
        return [known[block] for block in chunk]


def confirm(study: Study, folder: Path) -> ArenaResult | None:
    """A match of the best trial against the agent as it is, on deals that no trial has seen; None: that is the best.

    Args:
        study: with all its trials.
        folder: the match goes to `folder/confirm-<trial>`, and goes on there.

    Raises:
        FileError: the folder cannot be written.
    """
    plan, best = study.plan, study.best
    config = plan.config
    if best.number == 0 or config.confirm == 0:
        return None
    entrants = (plan.entrant(best.values, "tuned"), plan.entrant({}, "default"))
    seed = key_of(config.seed, "tune", "confirm", best.number) % 2**53  # fits any JSON reader's numbers
    match = Match(config.game, entrants, seed, plan.lanes, True, move_seconds=config.move_seconds)
    place = folder / f"confirm-{best.number}"
    blocks = run_match(match, config.confirm, place, config.processes, lambda journal, block: None)
    return summarize(plan.game, [e.name for e in entrants], blocks, seed, settings=[e.settings for e in entrants])


def _fault(block: Block, match: Match) -> str:
    """The first game of a block that was lost by a fault, in words; "" without one."""
    for game in block.games:
        if game.fault is not None:
            seat, what = game.fault
            return f"{match.entrants[game.seats[seat]].name} {what}"
    return ""


def _resolve(given: Any, config: TuneConfig) -> Entrant:
    budget = config.budget
    (entrant,) = resolve([given], simulations=budget.simulations, milliseconds=budget.milliseconds)
    return entrant
