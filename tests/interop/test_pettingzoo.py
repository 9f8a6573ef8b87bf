"""Every engine passes PettingZoo's suites from hundreds of starts, and an agent sees what its seat knows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test
from pettingzoo.test.max_cycles_test import max_cycles_test
from pettingzoo.utils.conversions import aec_to_parallel
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

import engines
from engines.contract import Game
from engines.errors import IllegalAction, UsageError
from engines.rng import generator
from orion_ai.interop.pettingzoo import SeatsEnv, env
from tests.interop.games import every, length

STARTS = 200


class Shifted(SeatsEnv):
    """Other games than the suites ask for: they reset with one fixed seed, so that each would play one game only."""

    starts: set[bytes]

    def __init__(self, shift: int, game: Game, **settings: Any) -> None:
        super().__init__(game, **settings)
        self.shift, self.starts = shift, set()
        for number, agent in enumerate(self.possible_agents):
            self.action_space(agent).seed(1000 * shift + number)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is None and not self.starts:
            seed = 0
        super().reset(None if seed is None else 1000 * self.shift + seed, options)
        self.starts.add(self.table.record.tobytes())


def starts_of(game: Game, most: int) -> int:
    """How many starts: `STARTS`, fewer of long games."""
    return min(STARTS, 1 + most // length(game))


def run_api_test(game: Game, starts: int) -> None:
    seen: set[bytes] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # The mask beside the observation, and the mask of 0 of who is not to move, are PettingZoo's own conventions.
        warnings.filterwarnings("ignore", "Observation is not a NumPy array|Observation space for each agent")
        warnings.filterwarnings("ignore", "Action mask numpy array is all zeros|Observation numpy array is all zeros")
        for shift in range(starts):
            made = Shifted(shift, game)
            api_test(made, num_cycles=game.max_length)
            seen |= made.starts
    if game.num_ids > game.num_actions and game.kernels.to_play(game.start().record) < 0:
        assert len(seen) > 1


def run_seed_test(game: Game, starts: int) -> None:
    for shift in range(starts):
        seed_test(lambda shift=shift: Shifted(shift, game), num_cycles=game.max_length)


@pytest.mark.parametrize("name", engines.GAMES)
def test_api_test_passes(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for game in every(name):
        run_api_test(game, starts_of(game, 800))


@pytest.mark.parametrize("name", engines.GAMES)
def test_seed_test_passes(name: str) -> None:
    for game in every(name):
        run_seed_test(game, starts_of(game, 800))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", engines.GAMES)
def test_both_pass_from_two_hundred_starts(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`pytest -m slow tests/interop/test_pettingzoo.py`."""
    for game in every(name):
        run_api_test(game, STARTS)
        run_seed_test(game, STARTS)


class InTurn(Shifted):
    """Takes any number for a legal action: the suite of cycles pays no heed to masks."""

    def __init__(self, shift: int, game: Game, **settings: Any) -> None:
        super().__init__(shift, game, **settings)
        self.metadata["is_parallelizable"] = True

    def step(self, action: int | None) -> None:
        if action is not None:
            legal = self.observe(self.agent_selection)["action_mask"].nonzero()[0]
            action = int(legal[action % len(legal)])
        super().step(action)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_max_cycles_test_passes(seats: int) -> None:
    """In a game whose seats act in turn, and often enough: the suite expects as many actions of each."""
    game = engines.load("goofspiel", players=seats)
    for shift in range(STARTS):

        def made(max_cycles: int, shift: int = shift) -> InTurn:
            return InTurn(shift, game, max_cycles=max_cycles)

        max_cycles_test(SimpleNamespace(env=made, parallel_env=lambda max_cycles: aec_to_parallel(made(max_cycles))))


# What the suites do not look at


def played(made: SeatsEnv, seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """A random game, asked for before every action."""
    rng = np.random.default_rng(seed)
    made.reset(seed=seed)
    for agent in made.agent_iter():
        seen, _, over, cut, _ = made.last()
        if over or cut:
            return
        assert seen is not None
        yield agent, seen
        made.step(rng.choice(seen["action_mask"].nonzero()[0]))


@pytest.mark.parametrize("name", engines.GAMES)
def test_an_agent_sees_nothing_that_its_seat_does_not_know(name: str) -> None:
    """The truth replaced by a world of the seat leaves its observation as it is; with secrets worlds differ from it."""
    differed = False
    game = every(name)[-1]
    made, every_so_often = SeatsEnv(game), max(1, length(game) // 40)
    for number, _ in enumerate(played(made, 5)):
        if number % every_so_often:
            continue
        truth = made.table.record.copy()
        for seat, agent in enumerate(made.agents):
            before = made.observe(agent)
            made.table.record[:] = truth
            game.kernels.determinize(made.table.record, seat, generator("leak", number, seat))
            differed = differed or not np.array_equal(made.table.record, truth)
            after = made.observe(agent)
            assert all(np.array_equal(before[key], after[key]) for key in before)
            made.table.record[:] = truth
    assert differed == game.secrets


@pytest.mark.parametrize("name", engines.GAMES)
def test_masks_agents_and_rewards_are_the_engines(name: str) -> None:
    game = every(name)[0]
    made = SeatsEnv(game)
    for agent, seen in played(made, 2):
        state = made.table._lanes.state(0)
        assert agent == f"player_{state.to_play}"
        assert seen["action_mask"].nonzero()[0].tolist() == state.legal_actions()
        assert len(state.legal_actions()) > 1
        for other in set(made.agents) - {agent}:
            assert not made.observe(other)["action_mask"].any()
        assert not any(made.rewards.values())
    state = made.table._lanes.state(0)
    assert state.is_over and list(made.rewards.values()) == state.returns()
    assert all(made.terminations.values()) and not any(made.truncations.values())


@pytest.mark.parametrize("name", ["pig", "backgammon", "goofspiel"])
def test_max_cycles_bounds_the_actions_of_a_seat(name: str) -> None:
    for most in (1, 2):
        made = SeatsEnv(name, max_cycles=most)
        acted = dict.fromkeys(made.possible_agents, 0)
        for agent, _ in played(made, 3):
            acted[agent] += 1
        assert max(acted.values()) == most
        assert all(made.truncations.values()) or all(made.terminations.values())
        if all(made.truncations.values()):
            assert not any(made.rewards.values())


def test_seeds_name_the_games() -> None:
    made, starts = SeatsEnv("kuhn_poker"), []
    for seed in (7, None, None, 7, None, None, 8):
        made.reset(seed=seed)
        starts.append(made.table.record.tobytes())
    assert starts[:3] == starts[3:6]
    assert len({made.table.record.tobytes() for s in range(30) if made.reset(seed=s) is None}) == 6


def test_an_illegal_action_is_named_and_changes_nothing() -> None:
    made = SeatsEnv("connect_four")
    made.reset(seed=1)
    for _ in range(6):
        made.step(0)
    before = made.table.record.tobytes()
    for action, message in (
        (0, r"action 0 \(drop a\) is illegal here; legal for seat 0: 1 \(drop b\)"),
        (7, r"no such id"),
        (-1, r"no such id"),
        (2**70, r"no such id"),
        ("drop b", "expected an action's id, a whole number, found 'drop b'"),
        (None, "found None"),
    ):
        with pytest.raises(IllegalAction, match=message):
            made.step(action)
        assert made.table.record.tobytes() == before and made.agent_selection == "player_0"
    for action in (np.int32(1), np.array(1), np.uint8(1)):
        made.step(action)


def test_pettingzoos_wrapper_ends_the_game_instead(capsys: pytest.CaptureFixture[str]) -> None:
    made = TerminateIllegalWrapper(SeatsEnv("connect_four"), illegal_reward=-1)
    made.reset(seed=1)
    for _ in range(7):
        made.step(0)
    assert made.terminations == {"player_0": True, "player_1": True}
    assert made.rewards == {"player_0": -1, "player_1": 0}


def test_order_is_enforced() -> None:
    with pytest.raises(Exception, match="reset"):
        env("kuhn_poker").step(0)


def test_the_board_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    quiet, loud = SeatsEnv("kuhn_poker", render_mode="ansi"), SeatsEnv("kuhn_poker", render_mode="human")
    for made in (quiet, loud):
        made.reset(seed=1)
        made.step(1)
    assert quiet.render() == capsys.readouterr().out.strip()
    assert "bet" in str(quiet.render()) and "?" not in str(quiet.render())


def test_what_cannot_be_is_refused() -> None:
    for settings, message in (
        ({"name": "khun_poker"}, "Did you mean 'kuhn_poker'"),
        ({"name": "kuhn_poker", "players": 9}, "expected 2 to 3"),
        ({"name": "kuhn_poker", "player": 2}, "Did you mean 'players'"),
        ({"name": engines.load("kuhn_poker"), "players": 3}, "players: kuhn_poker has been loaded already"),
        ({"name": "kuhn_poker", "render_mode": "ascii"}, "Did you mean 'ansi'"),
        ({"name": "kuhn_poker", "max_cycles": 0}, "whole number from 1"),
    ):
        with pytest.raises(UsageError, match=message):
            SeatsEnv(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", ["x", -1, 1.5])
def test_seeds_that_are_none_are_refused(seed: Any) -> None:
    with pytest.raises(UsageError, match="expected a whole number from 0"):
        SeatsEnv("kuhn_poker").reset(seed=seed)


def test_an_agent_that_is_not_there_is_named() -> None:
    env = SeatsEnv("kuhn_poker")
    env.reset(seed=1)
    with pytest.raises(UsageError, match="Did you mean 'player_"):
        env.observe("player_7")
