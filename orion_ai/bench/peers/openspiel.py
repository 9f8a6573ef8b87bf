"""OpenSpiel (Lanctot et al. 2019), by its C++ bots and solvers and by its Python bindings.

Its C++ rollouts are not bound, so they are had from an `MCTSBot` of one simulation whose evaluator plays many: they
begin at the position at hand, after the deal.
"""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import engines
from orion_ai.bench.peers import ours
from orion_ai.bench.peers.protocol import Comparison, Memory, Work, require
from orion_ai.search.config import SearchConfig
from orion_ai.search.search import Search

__all__ = ["MODULES", "comparisons", "memory"]

MODULES = {"open_spiel": "pyspiel"}

C_UCT = 1.4
SIMULATIONS = 1000
NODES = 100_000
"""Simulations of the search whose memory is compared."""
ROLLOUTS: tuple[tuple[str, str, dict[str, Any], float | None], ...] = (
    ("connect_four", "connect_four", {}, 3.0),
    ("tic_tac_toe", "tic_tac_toe", {}, None),
    ("kuhn_poker", "kuhn_poker", {}, None),
    ("leduc_poker", "leduc_poker", {}, None),
    ("liars_dice", "liars_dice", {}, None),
    ("backgammon", "backgammon", {}, None),
)
"""Orion's name, OpenSpiel's, options, and the goal."""


def _begin(name: str) -> tuple[Any, Any]:
    """OpenSpiel's game, and a state before the first decision."""
    game = require("pyspiel").load_game(name)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    return game, state


def _rollouts(name: str) -> Work:
    spiel = require("pyspiel")
    game, state = _begin(name)
    many = 20 if name == "backgammon" else 1000
    bot = spiel.MCTSBot(game, spiel.RandomRolloutEvaluator(many, 1), C_UCT, 1, 1000, False, 1, False)

    def work(repeats: int) -> float:
        for _ in range(repeats):
            bot.mcts_search(state)
        return float(many * repeats)

    return work


def _uct(name: str) -> Work:
    spiel = require("pyspiel")
    game, state = _begin(name)
    bot = spiel.MCTSBot(game, spiel.RandomRolloutEvaluator(1, 1), C_UCT, SIMULATIONS, 1000, False, 1, False)

    def work(repeats: int) -> float:
        for _ in range(repeats):
            bot.mcts_search(state)
        return float(SIMULATIONS * repeats)

    return work


def _ismcts(name: str) -> Work:
    spiel = require("pyspiel")
    _, state = _begin(name)
    final = spiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
    evaluator = spiel.RandomRolloutEvaluator(1, 1)
    c_uct = C_UCT * engines.load(name).stakes  # its values are in chips
    bot = spiel.ISMCTSBot(1, evaluator, c_uct, SIMULATIONS, -1, final, False, False)

    def work(repeats: int) -> float:
        for _ in range(repeats):
            bot.step(state)
        return float(SIMULATIONS * repeats)

    return work


def _our_search(name: str) -> Work:
    return ours.search(engines.load(name), SearchConfig(algorithm="ismcts", simulations=SIMULATIONS, c_uct=C_UCT))


def _python_loop(name: str) -> Work:
    """Random games through the bindings, with the mover's observation at every decision; counts decisions."""
    game, dice = require("pyspiel").load_game(name), random.Random(1)

    def work(repeats: int) -> float:
        decisions = 0
        for _ in range(repeats):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(dice.choices(outcomes, weights)[0])
                    continue
                state.observation_tensor(state.current_player())
                legal = state.legal_actions()
                state.apply_action(legal[int(dice.random() * len(legal))])
                decisions += 1
            state.returns()
        return float(decisions)

    return work


def _cfr_plus(name: str) -> Work:
    spiel = require("pyspiel")
    solver = spiel.CFRPlusSolver(spiel.load_game(name))

    def work(repeats: int) -> float:
        for _ in range(repeats):
            solver.evaluate_and_update_policy()
        return float(repeats)

    return work


def _our_cfr_plus(name: str) -> Work:
    from orion_ai.solve.cfr import make_solver
    from orion_ai.solve.tree import enumerate_game

    solver = make_solver(enumerate_game(engines.load(name)), "cfr_plus")

    def work(repeats: int) -> float:
        solver.run(repeats)
        return float(repeats)

    return work


def comparisons() -> list[Comparison]:
    """Random play, both tree searches, a solver, and the Python bindings."""
    found = [
        Comparison(
            name, "random play", "games/s", "C++ rollouts",
            partial(_rollouts, theirs), partial(ours.rollouts, name, options), goal=goal,
        )
        for name, theirs, options, goal in ROLLOUTS
    ]  # fmt: skip
    for name, goal in (("connect_four", 2.0), ("tic_tac_toe", None)):
        sides = partial(_uct, name), partial(_our_search, name)
        work, peer = f"uct, {SIMULATIONS} simulations", "C++ MCTSBot"
        found.append(Comparison(name, work, "simulations/s", peer, *sides, by="Search", goal=goal))
    for name, goal in (("leduc_poker", 1.5), ("kuhn_poker", None)):
        sides = partial(_ismcts, name), partial(_our_search, name)
        work, peer = f"ismcts, {SIMULATIONS} simulations", "C++ ISMCTSBot"
        found.append(Comparison(name, work, "simulations/s", peer, *sides, by="Search", goal=goal))
    solvers = partial(_cfr_plus, "leduc_poker"), partial(_our_cfr_plus, "leduc_poker")
    found.append(Comparison("leduc_poker", "CFR+", "iterations/s", "C++ CFRPlusSolver", *solvers, by="solver"))
    for name in ("connect_four", "leduc_poker"):
        loops = partial(_python_loop, name), partial(ours.python_loop, name, {})
        found.append(
            Comparison(name, "random play with observations", "decisions/s", "Python loop", *loops, by="State")
        )
    return found


def _their_tree() -> float:
    spiel = require("pyspiel")
    game, state = _begin("connect_four")

    def make(simulations: int) -> object:
        bot = spiel.MCTSBot(game, spiel.RandomRolloutEvaluator(1, 1), C_UCT, simulations, 4000, False, 1, False)
        return bot.mcts_search(state)

    return ours.grown(make, NODES) / NODES


def _our_tree() -> float:
    game = engines.load("connect_four")
    root = ours.first_decision(game)[None]

    def make(simulations: int) -> object:
        search = Search(game, SearchConfig(algorithm="ismcts", simulations=simulations, c_uct=C_UCT))
        search.run(root, [0], [1])
        return search

    return ours.grown(make, NODES) / NODES


def memory() -> list[Memory]:
    """What a simulation of a long search leaves behind."""
    what = f"uct, {NODES:,} simulations: bytes each"
    return [Memory("connect_four", what, "C++ MCTSBot", _their_tree, _our_tree)]
