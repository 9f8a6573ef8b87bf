"""How fast the adaptors are: `python -m orion_ai.interop.speed kuhn_poker connect_four`.

Random play from a Python loop, by processor time. A step is a decision or an outcome in OpenSpiel, a decision in the
environments (in Gymnasium's, of the one seat; its opponents are random).
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import engines
from engines.errors import UsageError
from engines.registry import choose_game
from orion_ai.interop.packages import missing

try:
    import pyspiel
    from open_spiel.python.games import kuhn_poker, tic_tac_toe
except ModuleNotFoundError as error:
    raise missing("open_spiel", error) from None

from orion_ai.interop import gymnasium, openspiel, pettingzoo

__all__ = ["main", "measure"]

SECONDS, SAMPLES = 0.5, 5
IN_PYTHON = {"kuhn_poker": kuhn_poker.KuhnPokerGame, "tic_tac_toe": tic_tac_toe.TicTacToeGame}
"""OpenSpiel's games that are written in Python."""


def measure(name: str) -> dict[str, float]:
    """Steps a second of engine `name` at its fewest players, by what it is played through; medians."""
    ways: dict[str, Callable[[], int]] = {"OpenSpiel, this adaptor": _spiel(openspiel.load(name))}
    if name in pyspiel.registered_names():
        ways["OpenSpiel, its own game in C++"] = _spiel(pyspiel.load_game(name))
    if name in IN_PYTHON:
        ways["OpenSpiel, its own game in Python"] = _spiel(IN_PYTHON[name]())
    ways["PettingZoo, this adaptor"] = _seats(name)
    ways["Gymnasium, this adaptor"] = _seat(name)
    return {way: _rate(play) for way, play in ways.items()}


def _rate(play: Callable[[], int]) -> float:
    play()
    samples = []
    for _ in range(SAMPLES):
        started, steps = time.process_time(), 0
        while (spent := time.process_time() - started) < SECONDS:
            steps += play()
        samples.append(steps / spent)
    return statistics.median(samples)


def _spiel(game: Any) -> Callable[[], int]:
    rng = random.Random(1)

    def play() -> int:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_simultaneous_node():
                state.apply_actions([rng.choice(state.legal_actions(p)) for p in range(game.num_players())])
            elif state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, chances)[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))
        return int(state.move_number())

    return play


def _seats(name: str) -> Callable[[], int]:
    env = pettingzoo.SeatsEnv(name)
    env.reset(seed=1)
    rng = random.Random(1)

    def play() -> int:
        env.reset()
        steps = 0
        for _ in env.agent_iter():
            seen, _, over, cut, _ = env.last()
            if over or cut:
                return steps
            assert seen is not None
            env.step(rng.choice(seen["action_mask"].nonzero()[0]))
            steps += 1
        return steps

    return play


def _seat(name: str) -> Callable[[], int]:
    env = gymnasium.SeatEnv(name)
    env.reset(seed=1)
    rng = random.Random(1)

    def play() -> int:
        _, info = env.reset()
        steps, over = 0, False
        while not over:
            _, _, over, _, info = env.step(rng.choice(info["action_mask"].nonzero()[0]))
            steps += 1
        return steps

    return play


def main(words: Sequence[str]) -> int:
    """Measure the games named, or all; returns the exit code."""
    try:
        names = [choose_game(word) for word in words] or list(engines.GAMES)
    except UsageError as error:
        print(error, file=sys.stderr)
        return 2
    for name in names:
        for way, rate in measure(name).items():
            print(f"{name:20} {way:36} {rate:12,.0f} steps/s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
