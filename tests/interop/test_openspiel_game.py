"""Every engine is a game of OpenSpiel, and OpenSpiel's own suite and algorithms agree."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import best_response, cfr, expected_game_score, exploitability
from open_spiel.python.observation import make_observation

import engines
from engines.contract import Game
from engines.errors import UsageError
from engines.rng import below, generator
from engines.state import State
from orion_ai.interop.features import Features
from orion_ai.interop.openspiel import SpielGame, SpielState, load, register
from orion_ai.interop.openspiel_game import payoffs
from tests.interop.games import every, length, states


def spiel(game: Game) -> SpielGame:
    return load(game.name, players=game.players)


# The suite


@pytest.mark.parametrize("name", engines.GAMES)
def test_random_sim_test_passes(name: str) -> None:
    """As many games as make some 500 steps, 20 at the most."""
    for game in every(name):
        pyspiel.random_sim_test(spiel(game), num_sims=min(20, 1 + 500 // length(game)), serialize=True, verbose=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", engines.GAMES)
def test_random_sim_test_passes_twenty_times(name: str) -> None:
    """`pytest -m slow tests/interop/test_openspiel_game.py`."""
    for game in every(name):
        pyspiel.random_sim_test(spiel(game), num_sims=20, serialize=True, verbose=False)


@pytest.mark.parametrize("name", engines.GAMES)
def test_a_state_is_the_engines(name: str) -> None:
    """Who plays, what is legal, the chances, what is seen, what is paid."""
    for game in every(name):
        theirs = spiel(game).new_initial_state()
        rng = generator("along", name)
        ours, features = State.start(game), Features(game)
        while True:
            assert np.array_equal(theirs.record, ours.record)
            assert theirs.is_terminal() == ours.is_over
            assert theirs.is_chance_node() == ours.is_chance
            if ours.is_over:
                break
            for seat in range(game.players):
                assert np.array_equal(theirs.observation_tensor(seat), features.of(ours.record, seat))
            legal, first = ours.legal_actions(), game.num_actions if ours.is_chance else 0
            assert theirs.legal_actions() == [a - first for a in legal]
            if ours.is_chance:
                total = sum(weight for _, weight in ours.chance()[1])
                assert theirs.chance_outcomes() == [(o - first, w / total) for o, w in ours.chance()[1]]
            else:
                assert theirs.current_player() == ours.to_play
            assert [theirs.action_to_string(a - first) for a in legal] == [game.action_text(a) for a in legal]
            assert theirs.returns() == [0.0] * game.players
            action = legal[below(rng, len(legal))]
            ours.apply(action)
            theirs.apply_action(action - first)
        assert theirs.returns() == pytest.approx([u * game.stakes for u in ours.returns()], abs=1e-6 * game.stakes)
        assert sum(theirs.returns()) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", engines.GAMES)
def test_a_clone_shares_nothing(name: str) -> None:
    game = every(name)[-1]
    state = spiel(game).new_initial_state()
    for _ in range(2):
        clone, before = state.clone(), (state.record.tobytes(), state.current_player(), state.history())
        clone.apply_action(clone.legal_actions()[0])
        assert (state.record.tobytes(), state.current_player(), state.history()) == before
        assert clone.record.tobytes() != before[0]
        state = clone


# Registration and parameters


def test_options_are_parameters() -> None:
    two, three = load("kuhn_poker"), load("kuhn_poker", players=3)
    assert (str(two), str(three)) == ("orion_kuhn_poker()", "orion_kuhn_poker(players=3)")
    again = pyspiel.load_game("orion_kuhn_poker(players=3)")
    assert again.engine == three.engine and again.num_players() == 3 and two.num_players() == 2
    assert pyspiel.load_game("orion_kuhn_poker", {"players": 3}).engine == three.engine
    assert "orion_kuhn_poker" in pyspiel.registered_names()


@pytest.mark.parametrize("name", engines.GAMES)
def test_the_number_of_players_is_enough(name: str) -> None:
    for game in every(name):
        assert pyspiel.load_game(f"{register(name)}(players={game.players})").engine.options == game.options
        assert str(spiel(game)) in (f"orion_{name}()", f"orion_{name}(players={game.players})")


def test_lists_and_truth_values_are_parameters() -> None:
    game = load("moo_board", races=["humans", "psilons"], advisors=False)
    assert str(game) == 'orion_moo_board(advisors=False,races=["humans";"psilons"])'
    again = pyspiel.load_game(str(game))
    assert again.engine.options == game.engine.options
    table = load("matrix", payoffs=[[0, -2], [-1, 3]])
    assert pyspiel.load_game(str(table)).engine.options == table.engine.options != load("matrix").engine.options
    assert again.engine.options.races == ("humans", "psilons") and again.engine.options.advisors is False


def test_wrong_options_are_refused_as_the_engine_refuses_them() -> None:
    for name in ("kuhn_poker", "matrix"):
        register(name)
    with pytest.raises(UsageError, match="players=4, expected 2 to 3"):
        load("kuhn_poker", players=4)
    with pytest.raises(UsageError, match="Did you mean 'players'"):
        load("kuhn_poker", player=3)
    with pytest.raises(UsageError, match="Did you mean 'kuhn_poker'"):
        register("khun_poker")
    with pytest.raises(UsageError, match="players=4, expected 2 to 3"):
        pyspiel.load_game("orion_kuhn_poker(players=4)")
    with pytest.raises(UsageError, match="expected a list as JSON with ; for ,"):
        pyspiel.load_game("orion_matrix(payoffs=[[0;1)")
    with pytest.raises(pyspiel.SpielError, match="seats"):
        pyspiel.load_game("orion_kuhn_poker(seats=3)")


def test_the_type_says_what_the_engine_is() -> None:
    kinds = pyspiel.GameType
    poker, four, dice = (load(name).get_type() for name in ("kuhn_poker", "connect_four", "pig"))
    assert poker.information == kinds.Information.IMPERFECT_INFORMATION
    assert four.information == dice.information == kinds.Information.PERFECT_INFORMATION
    assert four.chance_mode == kinds.ChanceMode.DETERMINISTIC
    assert poker.chance_mode == dice.chance_mode == kinds.ChanceMode.EXPLICIT_STOCHASTIC
    assert (
        poker.provides_information_state_tensor and not load("moo_board").get_type().provides_information_state_string
    )
    assert (load("kuhn_poker", players=3).min_utility(), load("leduc_poker").max_utility()) == (-4.0, 13.0)
    assert load("connect_four").max_chance_outcomes() == 0


def test_python_ends_well_after_games_were_registered() -> None:
    """OpenSpiel drops what makes its games after Python has shut down: a plain function would abort the process."""
    code = """
        from orion_ai.interop import openspiel
        for name in ("kuhn_poker", "connect_four"):
            state = openspiel.load(name).new_initial_state()
            state.observation_tensor(0)
        print(state.clone())
        """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False, env=os.environ
    )
    assert done.returncode == 0, done.stderr


# Utilities


def test_payoffs_sum_to_nothing() -> None:
    third = float(np.float32(1 / 3))
    for returns in ([1.0, third, -third, -1.0], [third, third, third, -1.0], [1.0, -third, -third, -third], [0.0] * 4):
        for stakes in (1.0, 3.0, 7.0):
            paid = payoffs(returns, stakes)
            assert abs(sum(paid)) < 1e-15 * stakes
            assert max(map(abs, paid)) <= stakes
            assert paid == pytest.approx([r * stakes for r in returns], abs=1e-6)
    assert payoffs([third, third, third, -1.0], 3.0) == [1.0, 1.0, 1.0, -3.0]


# Saving


def test_a_saved_state_is_its_history() -> None:
    game = load("leduc_poker")
    state = game.new_initial_state()
    for action in (0, 3, 1, 1):
        state.apply_action(action)
    assert state.serialize() == "0\n3\n1\n1"
    again = game.deserialize_state(state.serialize())
    assert np.array_equal(again.record, state.record) and again.history() == state.history()


@pytest.mark.parametrize("text", ["0\n0", "9", "x", "0\n3\n1\n1\n0\n1\n1\n1", "-1", "gASVAAAAAAAAAAA="])
def test_what_is_no_history_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"line \d of the state"):
        load("leduc_poker").deserialize_state(text)


def test_games_and_states_are_copied_and_pickled() -> None:
    game = load("kuhn_poker", players=3)
    state = game.new_initial_state()
    for action in (2, 0, 1, 1):
        state.apply_action(action)
    world = game.state(state.record)
    world.apply_action(0)
    for again in (copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert isinstance(again, SpielState) and again.history() == state.history()
        assert np.array_equal(again.record, state.record) and again.current_player() == state.current_player()
        assert str(again.get_game()) == str(game)
    copied = pickle.loads(pickle.dumps(world))
    assert copied.past() == world.past() and copied.history() == [0]
    both = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    assert np.array_equal(both[1].record, state.record)


def test_a_world_has_no_history_to_save() -> None:
    game = load("kuhn_poker")
    with pytest.raises(UsageError, match="no history"):
        game.state(State.start(game.engine).record).serialize()


# Knowledge


@pytest.mark.parametrize("name", engines.GAMES)
def test_resampling_keeps_what_the_player_knows(name: str) -> None:
    """Strings, tensors and legal actions stay, another's secrets vary, and the world can be played on."""
    game = every(name)[-1]
    adaptor, varied = spiel(game), False
    kind = adaptor.get_type()
    draw, share = np.random.default_rng(1).random, 15 / length(game, 3)
    for ours in states(game, 3):
        if draw() > share:
            continue
        state = adaptor.state(ours.record)
        for player in range(game.players):
            world = state.resample_from_infostate(player, draw)
            assert world.observation_string(player) == state.observation_string(player)
            assert world.observation_tensor(player) == state.observation_tensor(player)
            assert world.current_player() == state.current_player()
            if kind.provides_information_state_tensor:
                assert world.information_state_string(player) == state.information_state_string(player)
                assert world.information_state_tensor(player) == state.information_state_tensor(player)
            if state.current_player() == player:
                assert world.legal_actions() == state.legal_actions()
            varied = varied or not np.array_equal(world.record, state.record)
        while not world.is_terminal():
            world.apply_action(world.legal_actions()[0])
        assert sum(world.returns()) == pytest.approx(0)
    assert varied == game.secrets


@pytest.mark.parametrize("name", [n for n in engines.GAMES if engines.registry.game_type(n).perfect_recall])
def test_an_information_state_is_told_by_string_and_tensor_alike(name: str) -> None:
    adaptor, game = load(name), engines.load(name)
    tensor_of: dict[str, bytes] = {}
    string_of: dict[bytes, str] = {}
    for seed in range(300):
        for ours in states(game, seed):
            if (player := ours.to_play) >= 0:
                state = adaptor.state(ours.record)
                string = state.information_state_string(player)
                tensor = np.array([player, *state.information_state_tensor(player)]).tobytes()
                assert tensor_of.setdefault(string, tensor) == tensor
                assert string_of.setdefault(tensor, string) == string


def test_without_secrets_the_information_state_is_the_past() -> None:
    game = load("connect_four")
    one, other = game.new_initial_state(), game.new_initial_state()
    for a, b in zip((0, 1, 2), (2, 1, 0), strict=True):
        one.apply_action(a)
        other.apply_action(b)
    assert one.observation_string(0) == other.observation_string(0)
    assert (one.information_state_string(0), other.information_state_string(1)) == ("0 1 2", "2 1 0")
    assert one.resample_from_infostate(0, lambda: 0.5).history() == one.history()
    world = game.state(one.record)
    world.apply_action(3)
    assert world.clone().information_state_string(0).split()[1:] == ["3"]


def test_observers_name_the_slices() -> None:
    game = load("leduc_poker")
    state = game.new_initial_state()
    for action in (0, 3, 2):
        state.apply_action(action)
    seen = make_observation(game)
    seen.set_from(state, 1)
    assert list(seen.dict) == [part.name for part in game.engine.slices]
    assert seen.dict["paid"].tolist() == [float(np.float32(1) / np.float32(13)), float(np.float32(3) / np.float32(13))]
    assert np.array_equal(seen.tensor, state.observation_tensor(1))
    assert game.observation_tensor_shape() == [game.engine.observation_size]


def test_observers_that_are_not_there_are_refused() -> None:
    with pytest.raises(UsageError, match="observations only"):
        load("moo_board").make_py_observer(pyspiel.IIGObservationType(perfect_recall=True))
    hidden = pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS)
    with pytest.raises(UsageError, match="one player's secrets"):
        load("kuhn_poker").make_py_observer(hidden)
    with pytest.raises(UsageError, match="no parameters"):
        load("kuhn_poker").make_py_observer(None, {"a": 1})


# Algorithms


@pytest.mark.parametrize(("name", "expected"), [("kuhn_poker", 0.4583333), ("leduc_poker", 2.3736111)])
def test_exploitability_of_uniform_play(name: str, expected: float) -> None:
    """OpenSpiel's figures for its own games of that name."""
    game = load(name)
    assert pyspiel.exploitability(game, pyspiel.UniformRandomPolicy(game)) == pytest.approx(expected, abs=1e-6)


def test_solvers_in_cpp_end_where_they_end_on_openspiels_kuhn_poker() -> None:
    ours, theirs = load("kuhn_poker"), pyspiel.load_game("kuhn_poker")
    for solver in (pyspiel.CFRSolver, pyspiel.CFRPlusSolver):
        left = []
        for game in (ours, theirs):
            made = solver(game)
            for _ in range(100):
                made.evaluate_and_update_policy()
            left.append(pyspiel.exploitability(game, made.tabular_average_policy()))
        assert left[0] == pytest.approx(left[1], rel=1e-6)


def test_external_sampling_learns() -> None:
    game = load("kuhn_poker")
    solver = pyspiel.ExternalSamplingMCCFRSolver(game, seed=1)
    for _ in range(2000):
        solver.run_iteration()
    assert pyspiel.exploitability(game, solver.average_policy()) < 0.05


def test_algorithms_in_python() -> None:
    game = load("kuhn_poker")
    solver = cfr.CFRPlusSolver(game)
    for _ in range(50):
        solver.evaluate_and_update_policy()
    assert exploitability.exploitability(game, solver.average_policy()) < 0.01
    uniform = policy.UniformRandomPolicy(game)
    value = expected_game_score.policy_value(game.new_initial_state(), [uniform, uniform])
    assert value == pytest.approx([1 / 8, -1 / 8])
    best = best_response.BestResponsePolicy(game, 0, uniform)
    assert best.value(game.new_initial_state()) == pytest.approx(0.5)


def test_three_seats_in_python() -> None:
    ours, theirs = load("kuhn_poker", players=3), pyspiel.load_game("kuhn_poker(players=3)")
    conv = [exploitability.nash_conv(game, policy.UniformRandomPolicy(game)) for game in (ours, theirs)]
    assert conv[0] == pytest.approx(conv[1])
