"""Self-play: 1 an episode depends on the run, the weights and its number alone: not on lanes, workers or neighbours;
2 full and fast searches come in the wanted shares, and only full ones leave a target; 3 openings differ and later play
follows the search; 4 episodes are games of the engine; 5 workers can be stopped."""

import threading
from dataclasses import replace

import numpy as np
import pytest
import torch

import engines
from engines.errors import UsageError
from orion_ai.net.config import EvaluatorConfig, NetConfig
from orion_ai.net.network import make_network
from orion_ai.replay.episode import Episode
from orion_ai.replay.rows import Rebuilder
from orion_ai.search.config import SearchConfig
from orion_ai.search.evaluator import HashEvaluator
from orion_ai.selfplay.config import SelfPlayConfig
from orion_ai.selfplay.pool import Pool
from orion_ai.selfplay.worker import Stopped, Worker
from tests.replay.games import equal, kuhn

SEARCH = SearchConfig(algorithm="gumbel", leaf="network", simulations=12)
CONFIG = SelfPlayConfig(lanes=8, opening=1)


def played(config: SelfPlayConfig = CONFIG, games: range = range(40), seed: int = 1, players: int = 2) -> list[Episode]:
    game = kuhn(players)
    worker = Worker(game, config, SEARCH, HashEvaluator(game))
    return worker.play(seed, games, lambda _: None, threading.Event())


@pytest.mark.parametrize("lanes", [1, 3, 64])
def test_lanes_do_not_matter(lanes: int) -> None:
    for a, b in zip(played(), played(replace(CONFIG, lanes=lanes)), strict=True):
        assert equal(a, b)


def test_neighbours_do_not_matter_but_run_and_number_do() -> None:
    games = played()
    assert all(equal(a, b) for a, b in zip(games[20:], played(games=range(20, 40)), strict=True))
    other = played(seed=2)
    assert sum(not np.array_equal(a.actions, b.actions) for a, b in zip(games, other, strict=True)) > 10
    assert len({tuple(e.actions) for e in games}) > 5


def test_episodes_are_games() -> None:
    for players in (2, 3):
        rebuilder = Rebuilder(kuhn(players))
        for episode in played(players=players):
            assert len(rebuilder.rows(episode)) == 2 * episode.samples  # replays, and compares the returns
            assert np.all(np.abs(episode.values) <= 1) and np.isfinite(episode.values).all()


def test_full_searches_leave_targets() -> None:
    episodes = played(replace(CONFIG, full_share=0.25), range(400))
    full = np.concatenate([e.full for e in episodes])
    assert full.mean() == pytest.approx(0.25, abs=0.05)
    for e in episodes:
        counts = np.diff(e.first)
        assert np.array_equal(counts > 0, e.full)
        for k in np.flatnonzero(e.full):
            assert e.shares[e.first[k] : e.first[k + 1]].sum() == pytest.approx(1.0, abs=1e-5)


def test_fast_searches_cost_less() -> None:
    game = kuhn()
    worker = Worker(game, replace(CONFIG, full_share=1e-9, fast_simulations=3), SEARCH, HashEvaluator(game))
    finished: list[int] = []
    worker.play(1, range(30), finished.append, threading.Event())
    assert worker.counts.simulations == 3 * worker.counts.decisions
    assert worker.counts.games == sum(finished) == 30 and worker.counts.evaluations > 0


def test_only_full_searches_have_noise() -> None:
    def games(full_share: float, noise_share: float) -> list[Episode]:
        game, search = kuhn(), SearchConfig("puct", leaf="network", simulations=12, noise_share=noise_share)
        worker = Worker(game, replace(CONFIG, full_share=full_share), search, HashEvaluator(game))
        return worker.play(1, range(40), lambda _: None, threading.Event())

    for full_share, same in ((1e-9, True), (1.0, False)):
        pairs = zip(games(full_share, 0.0), games(full_share, 0.9), strict=True)
        assert all(np.array_equal(a.values, b.values) for a, b in pairs) == same


def test_openings_are_drawn_from_the_policy() -> None:
    def share_of_bets(config: SelfPlayConfig) -> dict[int, float]:
        """How often the first decision is a bet, by card, over many games."""
        bets: dict[int, list[bool]] = {}
        for e in played(config, range(600)):
            bets.setdefault(int(e.actions[0]), []).append(int(e.actions[e.at[0]]) == 1)
        return {card: float(np.mean(b)) for card, b in bets.items()}

    every = replace(CONFIG, full_share=1.0)
    flat = share_of_bets(replace(every, opening=1, opening_temperature=100.0))
    assert all(0.4 < share < 0.6 for share in flat.values()) and len(flat) == 3
    best = share_of_bets(replace(every, opening=0))
    assert share_of_bets(replace(every, opening=1, opening_temperature=1e-300)).keys() == best.keys()
    assert max(abs(share - 0.5) for share in best.values()) > 0.15


def test_half_of_the_games_begin_at_random() -> None:
    game = engines.load("tic_tac_toe")
    rebuilder = Rebuilder(game)

    def episodes(**choices: int) -> list[Episode]:
        worker = Worker(game, replace(CONFIG, **choices), SEARCH, HashEvaluator(game))  # type: ignore[arg-type]
        return worker.play(1, range(800), lambda _: None, threading.Event())

    begun = [int(e.at[0]) for e in episodes(random_start=3)]
    assert [begun.count(n) / 800 for n in range(4)] == pytest.approx([1 / 2, 1 / 6, 1 / 6, 1 / 6], abs=0.05)
    long = episodes(random_start=9, lanes=3)  # may be over before anything is decided
    assert all((np.diff(e.at) == 1).all() for e in long)
    assert any(e.samples == 0 for e in long) and len(rebuilder.rows(long[0])) == long[0].samples
    firsts = {int(e.actions[0]) for e in long if e.samples == 0}
    assert len(firsts) > 3
    scripted = episodes(random_start=9, scripted_games=800, full_share=1.0)
    assert all(e.at[0] == 0 for e in scripted)


def test_workers_share_the_games() -> None:
    game = kuhn()
    network = make_network(game, NetConfig(16, 1, 4, 8), seed=3)
    one, two = (
        Pool(game, replace(CONFIG, workers=n), SEARCH, network, EvaluatorConfig("torch")).play(
            network.weights(), 7, 100, 21, lambda _: None
        )
        for n in (1, 2)
    )
    assert [e.number for e in two.episodes] == list(range(100, 121))
    assert all(np.array_equal(a.actions, b.actions) for a, b in zip(one.episodes, two.episodes, strict=True))
    assert two.counts.games == 21 and two.counts.decisions == one.counts.decisions


def test_answers_that_are_kept_are_those_of_the_weights_at_hand() -> None:
    """A pool that has played with other weights before plays as a new one does, whatever its searches keep."""
    game = kuhn()
    first = make_network(game, NetConfig(16, 1, 4, 8), seed=3)
    # Fresh heads hardly speak: other weights that do.
    then = {name: weight + 0.3 * torch.ones_like(weight).cumsum(0).sin() for name, weight in first.weights().items()}

    def pool() -> Pool:
        return Pool(game, replace(CONFIG, workers=1), replace(SEARCH, cache=5000), first, EvaluatorConfig("torch"))

    used = pool()
    used.play(first.weights(), 7, 0, 12, lambda _: None)
    again, fresh = (p.play(then, 7, 50, 12, lambda _: None).episodes for p in (used, pool()))
    for a, b in zip(again, fresh, strict=True):
        assert np.array_equal(a.actions, b.actions)
        assert np.allclose(a.values, b.values, atol=1e-4, equal_nan=True)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_stops_all_workers(workers: int) -> None:
    game = kuhn()
    network = make_network(game, NetConfig(16, 1, 4, 8))
    pool = Pool(game, replace(CONFIG, workers=workers), SEARCH, network, EvaluatorConfig("torch"))

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pool.play(network.weights(), 1, 0, 10_000, interrupt)
    assert pool.play(network.weights(), 1, 0, 4, lambda _: None).counts.games == 4


def test_a_worker_can_be_stopped() -> None:
    game, stop = kuhn(), threading.Event()
    worker = Worker(game, CONFIG, SEARCH, HashEvaluator(game))
    with pytest.raises(Stopped):
        worker.play(1, range(10_000), lambda _: stop.set(), stop)
    stop.clear()
    assert len(worker.play(1, range(3), lambda _: None, stop)) == 3


def test_wrong_settings() -> None:
    for change, text in (
        ({"games": 0}, r"selfplay\.games is 0"),
        ({"full_share": 0.0}, r"selfplay\.full_share is 0"),
        ({"opening_temperature": 0.0}, r"selfplay\.opening_temperature is 0"),
    ):
        with pytest.raises(UsageError, match=text):
            replace(CONFIG, **change)  # type: ignore[arg-type]
