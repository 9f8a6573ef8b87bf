"""OpenSpiel's bots play in Orion's arena, by what their seat knows."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import ismcts, mcts

import engines
from engines.errors import UsageError
from engines.state import State
from orion_ai.arena.entrants import make_agents, resolve
from orion_ai.arena.runner import evaluate
from orion_ai.cli import main
from orion_ai.interop.openspiel import SpielAgent, SpielGame, bot, load
from orion_ai.interop.openspiel_bots import own_state
from tests.interop.games import states

PLACE = "orion_ai.interop.openspiel:bot"


def share(name: str, spiel_bot: dict[str, Any], against: str, blocks: int) -> float:
    """The bot's share of wins."""
    game = engines.load(name)
    agents = make_agents(game, resolve([{"python": PLACE, "name": "theirs", **spiel_bot}, against]), lanes=4)
    return float(evaluate(game, agents, blocks=blocks, seed=1).as_json()["agents"][0]["win_share"]["mean"])


def decisions(agent: SpielAgent, state: State, keys: list[int]) -> list[int]:
    worlds = np.repeat(state.record[None], len(keys), axis=0)
    seats = np.full(len(keys), state.to_play, np.int64)
    return [int(a) for a in agent.decide(worlds, seats, np.array(keys, np.uint64)).actions]


def at(name: str, actions: tuple[int, ...], **options: Any) -> State:
    state = State.start(engines.load(name, **options))
    for action in actions:
        state.apply(action)
    return state


def test_mcts_beats_random_play() -> None:
    assert share("connect_four", {"bot": "mcts", "simulations": 60}, "random", blocks=5) > 0.9


def test_ismcts_beats_random_play() -> None:
    assert share("leduc_poker", {"bot": "ismcts", "simulations": 60}, "random", blocks=40) > 0.55


def test_random_is_a_match_for_random() -> None:
    assert 0.4 < share("kuhn_poker", {"bot": "random"}, "random", blocks=100) < 0.6


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize(
    ("name", "played", "best"),
    [
        ("connect_four", (3, 0, 3, 0, 3, 0), 3),
        ("connect_four", (3, 0, 3, 0, 6, 0), 0),
        ("tic_tac_toe", (0, 3, 1, 4), 2),
    ],
)
def test_mcts_sees_a_win_and_a_threat(name: str, played: tuple[int, ...], best: int, own: bool) -> None:
    state = at(name, played)
    agent = bot(state.game, 1, "mcts", simulations=300, own=own)
    assert decisions(agent, state, [1, 2, 3]) == [best] * 3


@pytest.mark.parametrize("name", ["connect_four", "tic_tac_toe"])
def test_openspiels_own_game_is_set_up_from_any_position(name: str) -> None:
    game = engines.load(name)
    theirs = own_state(game)
    for seed in range(20):
        played = pyspiel.load_game(name).new_initial_state()
        state = State.start(game)
        for after in states(game, seed):
            if state.record.tobytes() != after.record.tobytes():
                action = next(a for a in state.legal_actions() if _leads(state, a, after))
                state.apply(action)
                played.apply_action(action)
            if not state.is_over:
                found = theirs(state.record)
                assert (str(found), found.legal_actions()) == (str(played), played.legal_actions())
                assert found.current_player() == state.to_play


def _leads(state: State, action: int, after: State) -> bool:
    copy = state.clone()
    copy.apply(action)
    return copy == after


def test_the_solved_policy_of_kuhn_poker_is_played() -> None:
    """A jack never calls and a king always does; a queen that was checked to never bets (in every equilibrium)."""
    game = engines.load("kuhn_poker")
    agent = bot(game, 1, "cfr", iterations=1000)
    jack, queen, king = 2, 3, 4
    certain = {(queen, jack, 1): 0, (jack, king, 1): 1, (jack, queen, 0): 0}
    for (first, second, bet), answer in certain.items():
        assert decisions(agent, at("kuhn_poker", (first, second, bet)), list(range(100))) == [answer] * 100
    bluffs = Counter(decisions(agent, at("kuhn_poker", (queen, jack, 0)), list(range(2000))))
    assert bluffs[1] / 2000 == pytest.approx(1 / 3, abs=0.04)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("kuhn_poker", {"bot": "random"}),
        ("kuhn_poker", {"bot": "cfr", "iterations": 20}),
        ("leduc_poker", {"bot": "ismcts", "simulations": 20}),
        ("connect_four", {"bot": "mcts", "simulations": 20}),
    ],
)
def test_an_answer_depends_on_world_and_key_alone(name: str, settings: dict[str, Any]) -> None:
    game = engines.load(name)
    state = game.start(seed=4)
    one, other = bot(game, 1, **settings), bot(game, 8, **settings)
    keys = [11, 2**63 + 5, 7, 11, 3]
    answers = decisions(one, state, keys)
    assert answers == decisions(one, state, keys) == [decisions(other, state, [key])[0] for key in keys]
    assert answers[0] == answers[3]


def test_what_is_hidden_does_not_change_an_answer() -> None:
    """The bot's worlds are drawn from what the seat knows: two truths that it cannot tell apart, one answer."""
    agent = bot(engines.load("leduc_poker"), 1, "ismcts", simulations=30)
    answers = [decisions(agent, at("leduc_poker", (3, other)), list(range(10))) for other in (4, 8)]
    assert answers[0] == answers[1]


def test_any_bot_of_openspiel_can_be_an_agent() -> None:
    game = load("connect_four")

    def make(seat: int, seed: int) -> Any:
        rng = np.random.RandomState(seed)
        return mcts.MCTSBot(game, 2.0, 30, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)

    result = evaluate(game.engine, [SpielAgent(game, make, "in python"), *_random(game)], blocks=2, seed=1)
    assert result.as_json()["agents"][0]["win_share"]["mean"] > 0.5


def _random(game: SpielGame) -> list[Any]:
    return make_agents(game.engine, resolve(["random"]), 1)


def test_python_ismcts_searches_the_large_game() -> None:
    game = load("moo_board")
    rng = np.random.RandomState(1)
    searcher = ismcts.ISMCTSBot(
        game, mcts.RandomRolloutEvaluator(1, rng), 1.4, 4, random_state=rng, use_observation_string=True
    )
    state = game.state(game.engine.start(seed=1).record)
    policy, action = searcher.step_with_policy(state)
    assert action in state.legal_actions() and sum(p for _, p in policy) == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("kuhn_poker", {"bot": "mcts"}, "use ismcts"),
        ("connect_four", {"bot": "ismcts"}, "use mcts"),
        ("moo_board", {"bot": "cfr"}, "keeps no player's whole past"),
        ("kuhn_poker", {"bot": "ismts"}, "Did you mean 'ismcts'"),
        ("kuhn_poker", {"bot": "ismcts", "simulation": 3}, "Did you mean 'simulations'"),
        ("kuhn_poker", {"bot": "ismcts", "simulations": 0}, "expected a whole number from 1"),
        ("kuhn_poker", {"bot": "ismcts", "c_uct": "high"}, "expected a number from 0"),
        ("connect_four", {"bot": "mcts", "simulations": 10**30}, "expected a whole number from 1 to 2,147,483,647"),
        ("connect_four", {"bot": "mcts", "c_uct": float("inf")}, "expected a number from 0"),
        ("connect_four", {"bot": "mcts", "own": 1}, "expected true or false"),
        ("pig", {"bot": "mcts", "own": True}, "from a position of connect_four, tic_tac_toe only"),
        ("kuhn_poker", {"bot": "random", "simulations": 3}, "Valid: none"),
    ],
)
def test_what_cannot_be_is_refused(name: str, settings: dict[str, Any], message: str) -> None:
    game = engines.load(name)
    with pytest.raises(UsageError, match=message):
        make_agents(game, resolve([{"python": PLACE, **settings}, "random"]), 1)


def test_the_command_line_takes_it(tmp_path: Path) -> None:
    agents = f'agents=[{{python: "{PLACE}", bot: ismcts, simulations: 5, name: theirs}},ismcts]'
    assert main(["arena", "kuhn_poker", agents, "blocks=2", "processes=1", f"output={tmp_path}/match"]) == 0
    report = json.loads((tmp_path / "match/report.json").read_text())
    assert [agent["name"] for agent in report["agents"]] == ["theirs", "ismcts"]
