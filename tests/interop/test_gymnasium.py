"""One seat of every engine passes Gymnasium's checker; opponents, seeds, masks and illegal actions are as promised."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import engines
from engines.errors import IllegalAction, UsageError
from orion_ai.agents import Decisions, RandomAgent
from orion_ai.interop.gymnasium import SeatEnv
from tests.interop.games import every


def play(env: SeatEnv, seed: int, first: int = 0) -> list[Any]:
    """An episode by the legal actions in turn, as plain data."""
    seen, info = env.reset(seed=seed)
    log: list[Any] = [seen.tolist(), info["action_mask"].tolist()]
    over, steps = False, first
    while not over:
        legal = info["action_mask"].nonzero()[0]
        seen, reward, over, cut, info = env.step(legal[steps % len(legal)])
        assert not cut
        log += [seen.tolist(), float(reward), info["action_mask"].tolist()]
        steps += 1
    return [*log, info["returns"], env.seat]


@pytest.mark.parametrize("name", engines.GAMES)
def test_check_env_passes(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The checker's actions heed no mask; it must not warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for game in every(name):
            for seat in (*range(min(game.players, 4)), None):
                made = gymnasium.make(f"orion/{name}-v0", players=game.players, seat=seat, illegal="end")
                check_env(made.unwrapped)


def test_check_env_passes_where_everything_is_legal() -> None:
    check_env(gymnasium.make("orion/kuhn_poker-v0", opponents="ismcts").unwrapped)


@pytest.mark.parametrize("name", engines.GAMES)
def test_an_episode_ends_with_the_returns_of_the_game(name: str) -> None:
    for game in every(name)[:3]:
        env = SeatEnv(game, seat=None)
        log = play(env, seed=3)
        returns, seat = log[-2], log[-1]
        assert log[-4] == returns[seat] and sum(returns) == pytest.approx(0, abs=1e-6)
        assert all(reward == 0 for reward in log[3:-4:3])
        assert env.table.is_over and env.table.returns() == returns


def test_a_seed_names_everything() -> None:
    def settings() -> SeatEnv:
        return SeatEnv("leduc_poker", "ismcts", seat=None)

    one, other = settings(), settings()
    assert [play(one, seed) for seed in range(12)] == [play(other, seed) for seed in range(12)]
    assert len({str(play(one, seed)) for seed in range(12)}) > 6
    one.reset(seed=5)
    other.reset(seed=5)
    assert np.array_equal(one.reset()[0], other.reset()[0])


def test_masks_are_what_is_legal() -> None:
    env = SeatEnv("connect_four", seat=1)
    _, info = env.reset(seed=1)
    assert info["action_mask"].tolist() == [1] * 7 and env.action_masks().tolist() == [True] * 7
    for _ in range(2):
        _, _, over, _, info = env.step(2)
        assert not over
    assert np.array_equal(info["action_mask"], env.action_masks())
    column = env.table.text(1).splitlines()[0].split()
    assert info["action_mask"].tolist() == [int(cell == ".") for cell in column]


class Spy:
    """Plays at random, and keeps what it was handed."""

    name = "spy"

    def __init__(self, game: engines.contract.Game) -> None:
        self.inner, self.asked = RandomAgent(game), []

    def decide(self, worlds: Any, seats: Any, keys: Any) -> Decisions:
        self.asked.append((worlds[0].copy(), int(seats[0]), int(keys[0])))
        return self.inner.decide(worlds, seats, keys)


def test_opponents_get_worlds_of_their_own_seat() -> None:
    game = engines.load("leduc_poker", players=3)
    spies = [Spy(game), Spy(game)]
    env = SeatEnv(game, spies, seat=1)
    told, hidden = 0, 0
    for seed in range(60):
        env.reset(seed=seed)
        truth = env.table.record
        for spy in spies:
            for world, seat, _ in spy.asked:
                cards = [w.view(game.dtype)[0]["card"] for w in (world, truth)]
                assert cards[0][seat] == cards[1][seat]
                told += 1
                hidden += not np.array_equal(cards[0], cards[1])
            spy.asked.clear()
    assert told > 40 and hidden > 0.5 * told


def test_opponents_sit_in_the_order_of_their_seats() -> None:
    game = engines.load("kuhn_poker", players=3)
    for seat in range(3):
        spies = [Spy(game), Spy(game)]
        env = SeatEnv(game, spies, seat=seat)
        for seed in range(5):
            play(env, seed, first=seed)
        others = [p for p in range(3) if p != seat]
        assert [{s for _, s, _ in spy.asked} for spy in spies] == [{others[0]}, {others[1]}]


def test_any_agent_can_be_the_opponent() -> None:
    changed = {"agent": "ismcts", "search": {"simulations": 5}}
    theirs = {"python": "orion_ai.interop.openspiel:bot", "bot": "random"}
    for opponents in ("ismcts", changed, theirs, ["random"], RandomAgent(engines.load("kuhn_poker"))):
        play(SeatEnv("kuhn_poker", opponents), seed=1)


def test_an_illegal_action_is_named_or_ends_the_episode() -> None:
    strict, lenient = SeatEnv("connect_four", seat=0), SeatEnv("connect_four", seat=0, illegal="end")
    for env in (strict, lenient):
        env.reset(seed=2)
    before = strict.table.record.tobytes()
    with pytest.raises(IllegalAction, match=r"action 7 \(no such id\) is illegal here; legal for seat 0: 0 \(drop a\)"):
        strict.step(7)
    assert strict.table.record.tobytes() == before
    assert not strict.step(np.array(3))[2]
    _, reward, over, cut, info = lenient.step(7)
    assert (reward, over, cut) == (-1.0, True, False) and "returns" not in info
    with pytest.raises(UsageError, match="call reset"):
        lenient.step(3)


def test_the_episode_must_begin_with_reset() -> None:
    with pytest.raises(UsageError, match="call reset"):
        SeatEnv("kuhn_poker").step(0)


def test_a_seat_may_be_drawn() -> None:
    env = SeatEnv("liars_dice", players=4, seat=None)
    seats = set()
    for seed in range(40):
        env.reset(seed=seed)
        seats.add(env.seat)
        assert env.table.to_play == env.seat
    assert seats == {0, 1, 2, 3}


def test_games_that_leave_the_seat_no_choice_are_dealt_again() -> None:
    """Who begins at Pig to 8 often wins at once; with one turn in all nobody else is ever asked."""
    game = engines.load("pig", target=8)
    env = SeatEnv(game, seat=1)
    for seed in range(50):
        env.reset(seed=seed)
        assert env.table.to_play == 1
    with pytest.raises(UsageError, match="asks seat 1 nothing"):
        SeatEnv("pig", seat=1, max_turns=1).reset(seed=1)


def test_the_board_is_shown_as_the_seat_sees_it(capsys: pytest.CaptureFixture[str]) -> None:
    quiet, loud = (SeatEnv("kuhn_poker", render_mode=mode) for mode in ("ansi", "human"))
    for env in (quiet, loud):
        env.reset(seed=1)
        env.step(1)
    shown = capsys.readouterr().out.strip()
    assert quiet.render() == shown and shown.startswith("cards ") and shown.split()[2] == "?"


def test_what_cannot_be_is_refused() -> None:
    for settings, message in (
        ({"name": "khun_poker"}, "Did you mean 'kuhn_poker'"),
        ({"name": "kuhn_poker", "opponents": "ismts"}, "Did you mean 'ismcts'"),
        ({"name": "kuhn_poker", "opponents": ["random", "random"]}, "2 given, expected one for all, or a list of 1"),
        ({"name": None}, "game is None: expected one of backgammon"),
        ({"name": "kuhn_poker", "seat": 2}, "expected 0 to 1, or None"),
        ({"name": "kuhn_poker", "seat": True}, "expected 0 to 1, or None"),
        ({"name": "kuhn_poker", "illegal": "lose"}, "Valid: error, end"),
        ({"name": engines.load("kuhn_poker"), "players": 3}, "players: kuhn_poker has been loaded already"),
        ({"name": "kuhn_poker", "render_mode": "ascii"}, "Did you mean 'ansi'"),
        ({"name": "kuhn_poker", "players": 5}, "expected 2 to 3"),
    ):
        with pytest.raises(UsageError, match=message):
            SeatEnv(**settings)  # type: ignore[arg-type]
