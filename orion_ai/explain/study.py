"""Asking the agents: everything that the text and the page show, as plain values.

An agent gets a world that is dealt from the seat's view, as in a match; never the truth.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game
from engines.errors import UsageError
from engines.rng import generator, key_of
from engines.state import State
from orion_ai.agents import Agent, Follower, FollowingAgent, SearchAgent, Trail, decide_in_game, sealed
from orion_ai.arena.entrants import Entrant, make_agents, resolve
from orion_ai.arena.runner import Budget
from orion_ai.explain.facts import hidden_facts
from orion_ai.explain.histories import GrownTree, root_sample
from orion_ai.explain.outline import outline
from orion_ai.explain.places import Place, lay_out
from orion_ai.explain.samples import (
    Belief,
    Condition,
    RootWorld,
    Sample,
    beliefs,
    conditions,
    root_worlds,
    sampled,
)
from orion_ai.explain.subject import LAST, Subject, read_subject
from orion_ai.explain.unsearched import Unsearched, draw
from orion_ai.search.config import SearchConfig
from orion_ai.search.grown import grown
from orion_ai.search.gt_cfr import GrowingTreeSearch
from orion_ai.search.report import SearchReport
from orion_ai.search.trace import trace, traceable
from orion_ai.trails import new_number, trail_of

__all__ = ["Answer", "ExplainConfig", "Explanation", "Option", "Point", "explain"]

MOST_AGENTS = 2
DEALT_WORLDS = 1000
"""Worlds that are dealt for the beliefs of an agent whose own cannot be watched."""


@dataclass(frozen=True)
class ExplainConfig:
    """Settings of `orion explain` (the manual page explains them)."""

    file: str = ""
    ply: int = LAST
    block: int = 0
    place: int = 0
    agents: list[Any] = field(default_factory=list)
    budget: Budget = field(default_factory=Budget)
    seed: int = 1
    every: int = 1
    nodes: int = 200
    depth: int = 1
    reveal: bool = False
    content: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    output: str = ""


@dataclass(frozen=True)
class Option:
    """A legal action at the root, by the numbers of `SearchReport`."""

    action: int
    text: str
    policy: float
    prior: float
    visits: float
    available: float
    q: float


@dataclass(frozen=True)
class Answer:
    """What one agent thinks of the position.

    Attributes:
        name: of the agent.
        settings: what it is, in a line.
        action: what it plays.
        options: the legal actions with its numbers; without a search only their texts are known.
        report: of its search.
        draws: of an agent that does not search: how often it was asked; `policy` are the shares of its answers.
        value: utility that it expects, by seat; empty without a search or a network.
        places: the shown part of its tree.
        worlds: how many worlds the beliefs come from.
        own_worlds: whether they are those of its search; else they were dealt for its seat.
        from_start: whether its search begins at the start of the game: its worlds are then those that it came to, and
            count by how probably chance and the others' average strategies lead to them.
        beliefs: what the worlds held.
        conditions: the root's actions by what the worlds held.
        root_worlds: the root's actions by world, of its own worlds.
    """

    name: str
    settings: str
    action: int
    options: tuple[Option, ...]
    report: SearchReport | None
    draws: int
    value: tuple[float, ...]
    places: tuple[Place, ...]
    worlds: int
    own_worlds: bool
    from_start: bool
    beliefs: tuple[Belief, ...]
    conditions: tuple[Condition, ...]
    root_worlds: tuple[RootWorld, ...]


@dataclass(frozen=True)
class Point:
    """The value of another decision of the game to the seat that makes it, from what it knew then."""

    ply: int
    seat: int
    agent: int
    value: float
    choice: str
    played: str


@dataclass(frozen=True)
class Explanation:
    """All that is shown."""

    subject: Subject
    answers: tuple[Answer, ...]
    points: tuple[Point, ...]
    depth: int
    """Decisions below the root that the text shows."""


def explain(config: ExplainConfig, found: Callable[[Subject], None] = lambda subject: None) -> Explanation:
    """Ask the agents about the decision that the settings name.

    Args:
        config: the settings.
        found: is told the decision before any agent is asked.

    Raises:
        UsageError: no file, too many agents, a number out of range, or what reading the file and making agents raise.
    """
    if not config.file:
        raise UsageError("what is to be explained? Expected the file of a game that was kept, or of a view")
    if not 1 <= len(config.agents) <= MOST_AGENTS:
        raise UsageError(f"agents names {len(config.agents)}: expected one, or two to be shown side by side")
    for name, least in (("every", 0), ("nodes", 1), ("depth", 0)):
        if getattr(config, name) < least:
            raise UsageError(f"{name} is {getattr(config, name)}: expected at least {least}")
    entrants = resolve(config.agents, simulations=config.budget.simulations, milliseconds=config.budget.milliseconds)
    subject = read_subject(
        Path(config.file),
        config.ply,
        block=config.block,
        place=config.place,
        content=config.content,
        options=config.options,
        reveal=config.reveal,
    )
    found(subject)
    agents = make_agents(subject.game, entrants, lanes=1, guard=True)
    answers = [_answer(subject, entrant, agent, config) for entrant, agent in zip(entrants, agents, strict=True)]
    points = _points(subject, agents, config) if config.every else []
    return Explanation(subject, tuple(answers), tuple(points), config.depth)


def _deal(state: State, seat: int, seed: int, ply: int) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
    """The world and the key that an agent is handed at one decision."""
    world, _ = state.sample_world(seat, generator(seed, "explain", "world", ply))
    return world.record.copy(), sealed(np.array([key_of(seed, "explain", "agent", ply)], np.uint64))


def _trails(agent: Agent, subject: Subject, seat: int, ply: int, seed: int, number: int) -> list[Trail] | None:
    """What an agent that follows games is told of a recorded one up to a decision; None where there is no past."""
    if subject.replay is None or not isinstance(agent, Follower):
        return None
    key = np.uint64(key_of(seed, "explain", "trail", seat))
    return [trail_of(subject.game, subject.replay.actions[:ply], seat, key, number)]


def _answer(subject: Subject, entrant: Entrant, agent: Agent, config: ExplainConfig) -> Answer:
    game, seat = subject.game, subject.seat
    world, keys = _deal(subject.state, seat, config.seed, subject.ply or 0)
    trails = _trails(agent, subject, seat, subject.ply or 0, config.seed, new_number())
    legal = subject.state.legal_actions()
    seen = _seen(subject, agent, trails, world, keys, legal, config.nodes)
    if seen.action not in legal:
        raise RuntimeError(f"agent {agent.name!r} answered action {seen.action}, which is not legal")
    report, sample = seen.report, seen.sample
    plain = draw(game, agent, subject.state, config.seed) if report is None else Unsearched()
    if sample is not None:
        worlds, weights = sample.worlds, sample.weights
    else:
        worlds, weights = _dealt_worlds(subject.state, seat, config.seed)
    facts = hidden_facts(game, worlds, seat)
    options = tuple(_option(game, a, report, seen.action, plain) for a in legal)
    policy = np.array([option.policy for option in options])
    told = beliefs(game, facts, weights, subject.truth, seat)
    return Answer(
        name=agent.name,
        settings=_settings(entrant),
        action=seen.action,
        options=options,
        report=report,
        draws=plain.draws,
        value=plain.value if report is None else tuple(float(v) for v in report.value[0]),
        places=tuple(seen.places),
        worlds=len(weights),
        own_worlds=sample is not None,
        from_start=seen.from_start,
        beliefs=tuple(told),
        conditions=tuple(conditions(facts, told, sample)) if sample else (),
        root_worlds=tuple(root_worlds(facts, sample, policy)) if sample else (),
    )


@dataclass(frozen=True)
class _Seen:
    """What was seen of an agent at work: its answer, and, of a search, the shown tree and the worlds of the root."""

    action: int
    report: SearchReport | None
    places: Sequence[Place] = ()
    sample: Sample | None = None
    from_start: bool = False


def _seen(
    subject: Subject,
    agent: Agent,
    trails: list[Trail] | None,
    world: NDArray[np.uint8],
    keys: NDArray[np.uint64],
    legal: list[int],
    most: int,
) -> _Seen:
    """Let the agent decide, watched as closely as its kind allows."""
    game, seat = subject.game, subject.seat
    if isinstance(agent, SearchAgent) and traceable(agent.search):
        belief = agent.belief(trails[0], world) if trails and isinstance(agent, FollowingAgent) else None
        watched = trace(agent.search, world, seat, int(keys[0]), [belief] if belief else None)
        places = outline(game, agent.search.config, seat, watched, most)
        sample = sampled(watched, legal, seat)
        return _Seen(int(watched.report.action[0]), watched.report, places, sample, watched.from_start)
    decisions = decide_in_game(agent, trails, world[None], np.array([seat], np.int64), keys)
    action = int(decisions.actions[0])
    if not (isinstance(agent, SearchAgent) and isinstance(agent.search, GrowingTreeSearch)):
        return _Seen(action, decisions.report)
    tree = grown(agent.search)
    places = lay_out(GrownTree(game, tree), most)
    return _Seen(action, decisions.report, places, root_sample(game, tree, legal), tree.from_start)


def _settings(entrant: Entrant) -> str:
    """An agent's settings without what is at its default, in a line."""
    plain, defaults = dict(entrant.settings), SearchConfig()
    search = plain.pop("search", {})
    if entrant.opponent:
        plain["opponent"] = {key: value for key, value in plain["opponent"].items() if key in ("kind", "weights")}
    parts = [f"{key}={value}" for key, value in plain.items() if value not in (None, "", {}, "search")]
    parts += [f"{key}={value}" for key, value in search.items() if value != getattr(defaults, key, None)]
    return ", ".join(part if isinstance(part, str) else json.dumps(part) for part in parts)


def _option(game: Game, action: int, report: SearchReport | None, chosen: int, plain: Unsearched) -> Option:
    text = game.action_text(action)
    if report is None:
        share = plain.shares.get(action, 0.0) if plain.draws else float(action == chosen)
        return Option(action, text, share, plain.prior.get(action, 0.0), 0.0, 0.0, 0.0)
    numbers = (report.policy, report.prior, report.visits, report.availability, report.q)
    return Option(action, text, *(float(n[0, action]) for n in numbers))


def _dealt_worlds(state: State, seat: int, seed: int) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Worlds of the seat with their weights, for agents that do not show theirs."""
    rng = generator(seed, "explain", "beliefs")
    drawn = [state.sample_world(seat, rng) for _ in range(DEALT_WORLDS)]
    logs = np.array([ln for _, ln in drawn])
    return np.array([world.record for world, _ in drawn]), np.exp(logs - logs.max())


def _points(subject: Subject, agents: Sequence[Agent], config: ExplainConfig) -> list[Point]:
    """Every `every`-th decision with a choice of the seat (revealed: of each seat), from its own view."""
    if subject.replay is None:
        return []
    game, replay, points = subject.game, subject.replay, []
    state, seen, number = game.start(), [0] * game.players, new_number()
    for ply, action in enumerate(replay.actions):
        seat = state.to_play
        if seat >= 0 and (config.reveal or seat == subject.seat) and len(state.legal_actions()) > 1:
            seen[seat] += 1
            if ply == subject.ply or (seen[seat] - 1) % config.every == 0:
                known = game.from_view(state.view(seat))
                points += _point(subject, known, seat, ply, action, agents, config.seed, number)
        state.apply(action)
    return points


def _point(
    subject: Subject, known: State, seat: int, ply: int, played: int, agents: Sequence[Agent], seed: int, number: int
) -> list[Point]:
    world, keys = _deal(known, seat, seed, ply)
    game, points = subject.game, []
    for place, agent in enumerate(agents):
        trails = _trails(agent, subject, seat, ply, seed, number)
        decisions = decide_in_game(agent, trails, world[None], np.array([seat], np.int64), keys)
        if decisions.report is not None:
            value = float(decisions.report.value[0, seat])
            choice = game.action_text(int(decisions.actions[0]))
            points.append(Point(ply, seat, place, value, choice, game.action_text(played)))
    return points
