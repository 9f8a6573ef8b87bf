"""Orion's side of the comparisons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import engines
from engines.contract import Game
from engines.rng import generator, key_of
from orion_ai.agents import Agent, AgentConfig, make_agent
from orion_ai.bench import kernels
from orion_ai.bench.peers.protocol import Work
from orion_ai.lanes import Lanes
from orion_ai.search.config import SearchConfig
from orion_ai.search.evaluator import Evaluator
from orion_ai.search.search import Search

__all__ = ["first_decision", "grown", "lane_loop", "python_loop", "rollouts", "search"]


def first_decision(game: Game) -> NDArray[np.uint8]:
    """uint8[record], the position before the first decision, dealt by a fixed seed."""
    return game.start(seed=1).record


def rollouts(name: str, options: Mapping[str, Any], *, observe: bool = False, unit: str = "games") -> Work:
    """Random games to the end from the first decision on; with `observe` the mover's observation at every decision."""
    game = engines.load(name, **options)
    root, state, rng = first_decision(game), np.zeros(game.record_size, np.uint8), generator("bench", "peers")
    ids, weights = np.zeros(game.max_legal, np.int32), np.zeros(game.max_legal, np.int64)
    observation = np.zeros(game.observation_size if observe else 0, np.int16)
    value = np.zeros(game.players, np.float32)

    def work(repeats: int) -> float:
        decisions = kernels.rollouts(game.table, root, state, rng, ids, weights, observation, value, repeats)
        return float(repeats if unit == "games" else decisions)

    return work


def search(
    game: Game, config: SearchConfig, evaluator: Evaluator | None = None, worlds: NDArray[np.uint8] | None = None
) -> Work:
    """Searches of the same positions (default: the first decision), a fresh key each time; counts simulations."""
    worlds = first_decision(game)[None] if worlds is None else worlds
    searcher = Search(game, config, evaluator, len(worlds))
    seats = [game.kernels.to_play(world) for world in worlds]
    first = np.array([key_of("peers", lane) for lane in range(len(worlds))], np.uint64)
    past = 0

    def work(repeats: int) -> float:
        nonlocal past
        done = 0
        for _ in range(repeats):
            past += 1
            done += int(searcher.run(worlds, seats, first + np.uint64(past)).simulations.sum())
        return float(done)

    return work


def python_loop(name: str, options: Mapping[str, Any], *, observe: bool = True) -> Work:
    """Random games by way of `State`, a Python call for every question; counts decisions."""
    game, rng = engines.load(name, **options), np.random.default_rng(1)
    deal = 0

    def work(repeats: int) -> float:
        nonlocal deal
        decisions = 0
        for _ in range(repeats):
            deal += 1
            state = game.start(deal)
            while (seat := state.to_play) >= 0:
                if observe:
                    state.observe(seat)
                legal = state.legal_actions()
                state.apply(legal[int(rng.random() * len(legal))])
                decisions += 1
            state.returns()
        return float(decisions)

    return work


def lane_loop(name: str, options: Mapping[str, Any], lanes: int = 64) -> Work:
    """The same with many games side by side, played by the random agent; counts decisions."""
    game = engines.load(name, **options)
    table, agent = Lanes(game, lanes), make_agent(game, AgentConfig(kind="random"), lanes)
    deal = 0

    def work(repeats: int) -> float:
        nonlocal deal
        decisions = 0
        for _ in range(repeats):
            for lane in range(lanes):
                deal += 1
                table.start(lane, deal)
            decisions += _play(table, agent, deal)
        return float(decisions)

    return work


def _play(table: Lanes, agent: Agent, deal: int) -> int:
    """Play the games of all lanes to their ends; returns the decisions."""
    decisions = 0
    while len(running := table.running()):
        seats = table.to_play[running]
        keys = np.arange(len(running), dtype=np.uint64) + np.uint64((deal << 32) + decisions)
        worlds = table.worlds(running, seats, keys)
        table.apply(running, agent.decide(worlds, seats, keys).actions)
        decisions += len(running)
    return decisions


def grown(make: Callable[[int], object], size: int) -> float:
    """Bytes by which the process has grown after `make(size)`, whose result is kept until then.

    To be asked before anything large was freed: memory that is used again does not show.
    """
    import psutil

    process = psutil.Process()
    make(8)
    before = process.memory_info().rss
    kept = make(size)
    after = process.memory_info().rss
    del kept
    return float(after - before)
