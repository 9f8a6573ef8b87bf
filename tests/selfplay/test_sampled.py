"""Games that are drawn from the network's policy: 1 their targets are the policy moved by the advantage of the action
that was drawn, and a step towards them at the policy is one of REINFORCE with a baseline; 2 lambda-returns run from the
outcome to the next value; 3 every action is drawn by its share; 4 seats of the script are as many as asked for, and
teach no policy; 5 scripted, sampled and searched games follow one another; 6 what would change nothing is refused."""

import threading
from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import engines
from engines.errors import UsageError
from engines.rng import key_of, mix
from engines.state import State
from orion_ai.agents import ScriptedAgent
from orion_ai.learner.losses import policy_losses
from orion_ai.loop import TrainConfig, against_script
from orion_ai.replay.episode import Episode
from orion_ai.replay.window import ReplayConfig, Window
from orion_ai.search.config import SearchConfig
from orion_ai.search.evaluator import HashEvaluator
from orion_ai.selfplay.config import SelfPlayConfig
from orion_ai.selfplay.outcomes import returns_of, taught_by_outcome
from orion_ai.selfplay.worker import SCRIPT, Worker
from tests.replay.games import kuhn

SEARCH = SearchConfig(algorithm="gumbel", leaf="network", simulations=4)
CONFIG = SelfPlayConfig(lanes=8, sampled_games=1000, full_share=0.5)


def played(
    config: SelfPlayConfig, games: range, name: str = "moo_board", players: int = 2, lanes: int = 8
) -> list[Episode]:
    game = engines.load(name, players=players)
    worker = Worker(game, replace(config, lanes=lanes), SEARCH, HashEvaluator(game))
    return worker.play(1, games, lambda _: None, threading.Event())


def drawn_from(monkeypatch: pytest.MonkeyPatch, games: range, **choices: object) -> list[tuple[Episode, Episode]]:
    """Sampled games as they were played, and what was made of them."""
    pairs: list[tuple[Episode, Episode]] = []

    def noted(episode: Episode, step: float, trace: float) -> Episode:
        pairs.append((episode, taught_by_outcome(episode, step, trace)))
        return pairs[-1][1]

    monkeypatch.setattr("orion_ai.selfplay.worker.taught_by_outcome", noted)
    played(replace(CONFIG, **choices), games)  # type: ignore[arg-type]
    return pairs


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    shares = np.exp(logits.astype(np.float64) - logits.max())
    return np.asarray(shares / shares.sum())


def test_lambda_returns(monkeypatch: pytest.MonkeyPatch) -> None:
    (episode, _), *_ = drawn_from(monkeypatch, range(1))
    assert np.array_equal(returns_of(episode, 1.0), np.tile(episode.returns, (episode.samples, 1)))
    assert np.array_equal(returns_of(episode, 0.0), [*episode.values[1:], episode.returns])
    expected, following = [], episode.returns.astype(float)
    for value in episode.values[::-1]:
        expected.append(following)
        following = 0.25 * value + 0.75 * following
    np.testing.assert_allclose(returns_of(episode, 0.75), expected[::-1], rtol=1e-5, atol=1e-6)


def test_a_step_towards_the_target_is_one_of_the_policy_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    rose = fell = 0
    for before, after in drawn_from(monkeypatch, range(4), sampled_step=0.8, sampled_trace=0.9):
        advantage = (returns_of(before, 0.9) - before.values)[np.arange(before.samples), before.seats]
        for k in np.flatnonzero(before.full):
            part = slice(before.first[k], before.first[k + 1])
            policy = torch.tensor(before.shares[part])
            logits = torch.log(policy).requires_grad_()
            drawn = int(np.flatnonzero(before.ids[part] == before.actions[before.at[k]])[0])
            (-0.8 * float(advantage[k]) * torch.log_softmax(logits, 0)[drawn]).backward()  # type: ignore[no-untyped-call]
            wanted, logits.grad = logits.grad, None
            target = torch.tensor(after.shares[part])[None]
            loss, _, floor = policy_losses(logits[None], torch.ones((1, len(policy)), dtype=torch.bool), target)
            assert bool(torch.isfinite(floor).all())
            loss.sum().backward()  # type: ignore[no-untyped-call]
            torch.testing.assert_close(logits.grad, wanted, atol=1e-6, rtol=1e-4)
            assert after.shares[part].sum() == pytest.approx(1, abs=1e-5)
            rose += after.shares[part][drawn] > before.shares[part][drawn]
            fell += after.shares[part][drawn] < 0
        assert np.array_equal(after.values, returns_of(before, 0.9))
    assert rose and fell  # shares below 0 are among them


def test_a_large_advantage_moves_no_further_than_the_action_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    ((before, after),) = drawn_from(monkeypatch, range(1), sampled_step=1e6, sampled_trace=1.0)
    for k in np.flatnonzero(before.full):
        part = slice(before.first[k], before.first[k + 1])
        mine = before.ids[part] == before.actions[before.at[k]]
        if before.returns[before.seats[k]] > before.values[k, before.seats[k]]:
            np.testing.assert_allclose(after.shares[part], mine, atol=1e-6)
        else:
            np.testing.assert_allclose(after.shares[part], 2 * before.shares[part] - mine, atol=1e-6)


def test_actions_are_drawn_by_their_shares() -> None:
    game = kuhn(2)
    evaluator = HashEvaluator(game)
    worker = Worker(game, CONFIG, SEARCH, evaluator)
    first: dict[tuple[int, ...], list[int]] = {}
    for episode in worker.play(3, range(900), lambda _: None, threading.Event()):
        state = State.start(game)
        for action in episode.actions[: episode.at[0]]:
            state.apply(int(action))
        seen = tuple(int(x) for x in state.observe(state.to_play))
        first.setdefault(seen, []).append(int(episode.actions[episode.at[0]]))
        assert len(episode.values) == episode.samples
    assert len(first) == 3
    for seen, actions in first.items():
        logits, _ = evaluator.evaluate(np.array([seen], np.int16))
        share = softmax(logits[0])[1]
        assert np.mean(actions) == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / len(actions)))


def test_games_do_not_depend_on_their_neighbours() -> None:
    config = replace(CONFIG, sampled_script=0.5)
    wide, narrow = played(config, range(5)), played(config, range(3, 5), lanes=1)
    for a, b in zip(wide[3:], narrow, strict=True):
        for name in a.__dataclass_fields__:
            assert np.array_equal(getattr(a, name), getattr(b, name)), name


def test_the_script_plays_its_share_of_the_games_and_teaches_no_policy() -> None:
    game = engines.load("moo_board", players=3)
    script = ScriptedAgent(game)
    seats = []
    config = replace(CONFIG, sampled_script=0.6, full_share=1.0)
    episodes = played(config, range(40), players=3)
    for episode in episodes:
        quiet = [s for s in range(3) if not episode.full[episode.seats == s].any()]
        assert len(quiet) <= 1 and all(episode.full[~np.isin(episode.seats, quiet)])
        seats += quiet or [None]
        if quiet and len(seats) < 8:
            state, base = State.start(game), np.uint64(key_of(1, "selfplay", episode.number, "decisions"))
            at = {int(a): i for i, a in enumerate(episode.at)}
            for ply, action in enumerate(episode.actions):
                if ply in at and state.to_play == quiet[0]:
                    key = mix(mix(base, np.uint64(at[ply])), SCRIPT)
                    answer = script.decide(state.record[None], np.array(quiet), np.array([key]))
                    assert int(action) == int(answer.actions[0])
                state.apply(int(action))
    assert 14 <= 40 - seats.count(None) <= 34
    told = against_script(TrainConfig(seed=1, selfplay=config), episodes)
    means = [np.delete(e.returns, s).mean() for e, s in zip(episodes, seats, strict=True) if s is not None]
    assert told == {"selfplay/utility_against_script": pytest.approx(np.mean(means))}
    assert set(seats) == {0, 1, 2, None}


def test_rows_of_sampled_games_can_be_learned_from() -> None:
    game = engines.load("moo_board", players=2)
    window = Window(game, ReplayConfig(window=1))
    window.add(0, played(replace(CONFIG, sampled_script=1.0), range(2)))
    (rows, *_) = window.batches(2, 64, 5)
    assert rows.has_policy.any()
    np.testing.assert_allclose(rows.policy[rows.has_policy].sum(1), 1, atol=1e-4)
    assert not rows.policy[:, : rows.legal.shape[1]][~rows.legal].any()


def test_scripted_sampled_and_searched_games_follow_one_another() -> None:
    config = replace(CONFIG, scripted_games=2, sampled_games=2, full_share=1.0)
    assert [config.phase(n) for n in range(5)] == ["scripted", "scripted", "sampled", "sampled", "searched"]
    for number, episode in enumerate(played(config, range(5))):
        assert (np.abs(episode.values) == 1).all() == (number < 2)
        assert np.all(np.diff(episode.first) == 1) == (number < 2)
        assert (episode.shares < 0).any() == (2 <= number < 4)


@pytest.mark.parametrize(
    ("choices", "text"),
    [
        ({"sampled_games": -1}, r"selfplay\.sampled_games is -1: expected 0 or more"),
        ({"sampled_games": 9, "sampled_trace": 1.5}, r"selfplay\.sampled_trace is 1.5: expected 0 to 1"),
        (
            {"sampled_games": 9, "sampled_step": 0.0},
            r"selfplay\.sampled_step is 0.0: expected more than 0",
        ),
        ({"sampled_games": 9, "sampled_step": np.inf}, r"selfplay\.sampled_step is inf: expected more than 0"),
        ({"sampled_script": 0.5}, r"selfplay\.sampled_script is 0.5, but selfplay\.sampled_games is 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(choices: dict[str, float], text: str) -> None:
    with pytest.raises(UsageError, match=text):
        SelfPlayConfig(**choices)  # type: ignore[arg-type]


def test_a_game_without_a_script_is_refused() -> None:
    game = kuhn(2)
    Worker(game, CONFIG, SEARCH, HashEvaluator(game))
    with pytest.raises(UsageError, match="kuhn_poker has no scripted policy"):
        Worker(game, replace(CONFIG, sampled_script=0.1), SEARCH, HashEvaluator(game))


class Diverged(HashEvaluator):
    """Answers with what is no number."""

    def evaluate(self, observations: NDArray[np.int16]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        logits, values = super().evaluate(observations)
        return logits * np.float32(np.nan), values


def test_a_network_that_has_diverged_plays_nothing() -> None:
    game = kuhn(2)
    with pytest.raises(UsageError, match="numbers that are not finite"):
        Worker(game, CONFIG, SEARCH, Diverged(game)).play(1, range(4), lambda _: None, threading.Event())
