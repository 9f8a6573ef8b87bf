"""The scripted start of a run: 1 its games are the script's, its targets what the script would do, also where a stray
move was played; 2 targets come at the configured share; 3 the values are the outcome; 4 the numbers after them are
searched; 5 it needs a game with a scripted player."""

import threading
from dataclasses import replace

import numpy as np
import pytest

import engines
from engines.errors import UsageError
from engines.rng import key_of, mix, uniform
from engines.state import State
from orion_ai.agents import ScriptedAgent
from orion_ai.replay.episode import Episode
from orion_ai.search.config import SearchConfig
from orion_ai.search.evaluator import HashEvaluator
from orion_ai.selfplay.config import SelfPlayConfig
from orion_ai.selfplay.worker import SCRIPT, STRAYS, Worker
from tests.replay.games import kuhn

SEARCH = SearchConfig(algorithm="gumbel", leaf="network", simulations=4)
CONFIG = SelfPlayConfig(lanes=4, scripted_games=4, scripted_noise=0.3, full_share=0.5)


def played(config: SelfPlayConfig, games: range) -> list[Episode]:
    game = engines.load("moo_board", players=2)
    worker = Worker(game, config, SEARCH, HashEvaluator(game))
    return worker.play(1, games, lambda _: None, threading.Event())


def test_targets_are_what_the_script_would_do() -> None:
    game = engines.load("moo_board", players=2)
    script = ScriptedAgent(game)
    strays = targets = decisions = 0
    for episode in played(CONFIG, range(4)):
        assert np.array_equal(episode.values, np.tile(episode.returns, (episode.samples, 1)))
        assert np.array_equal(np.diff(episode.first), episode.full.astype(int))
        state = State.start(game)
        at = {int(a): i for i, a in enumerate(episode.at)}
        base = np.uint64(key_of(1, "selfplay", episode.number, "decisions"))
        for ply, action in enumerate(episode.actions):
            if ply in at:
                decisions += 1
                key = mix(base, np.uint64(at[ply]))
                wanted = script.decide(state.record[None], np.array([state.to_play]), np.array([mix(key, SCRIPT)]))
                strayed = uniform(np.array([mix(key, STRAYS), 0], np.uint64)) < CONFIG.scripted_noise
                assert strayed or int(action) == int(wanted.actions[0])
                strays += int(action) != int(wanted.actions[0])
                if episode.full[at[ply]]:
                    targets += 1
                    assert int(episode.ids[episode.first[at[ply]]]) == int(wanted.actions[0])
            state.apply(int(action))
    assert 0.15 < strays / decisions < 0.35  # a random move may also be the script's
    assert 0.4 < targets / decisions < 0.6


def test_later_games_are_searched() -> None:
    config = replace(CONFIG, full_share=1.0)
    first, later = played(config, range(3, 5))
    assert np.all(np.diff(first.first) == 1)
    assert np.mean(np.diff(later.first)) > 2


def test_no_script_is_made_that_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(*_: object) -> None:
        raise AssertionError

    for name in ("ScriptedAgent", "RandomAgent"):
        monkeypatch.setattr(f"orion_ai.selfplay.worker.{name}", made)
    game = kuhn(2)
    Worker(game, SelfPlayConfig(lanes=4), SEARCH, HashEvaluator(game))


def test_a_game_without_a_script_is_refused() -> None:
    game = kuhn(2)
    with pytest.raises(UsageError, match="kuhn_poker has no scripted policy"):
        Worker(game, CONFIG, SEARCH, HashEvaluator(game))
    with pytest.raises(UsageError, match=r"selfplay\.scripted_noise is 2"):
        SelfPlayConfig(scripted_noise=2)
