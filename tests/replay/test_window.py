"""The window: 1 old shards leave when it is full; 2 it grows more slowly than the run; 3 batches repeat for a seed,
differ for another, use games as often as asked; 4 rows with and without a policy come in the wanted proportion; 5 each
row comes in every image of the game alike."""

from collections import Counter

import numpy as np
import pytest

import engines
from orion_ai.replay.window import ReplayConfig, Window
from tests.replay.games import kuhn, play

GAME = kuhn()


def filled(config: ReplayConfig, shards: int = 3, games: int = 40) -> Window:
    window = Window(GAME, config)
    for number in range(shards):
        window.add(number, [play(GAME, number * games + n) for n in range(games)])
    return window


def test_old_shards_leave() -> None:
    window = filled(ReplayConfig(window=150, growth=0.0), shards=5)
    sizes = [sum(play(GAME, s * 40 + n).samples for n in range(40)) for s in range(5)]
    oldest = window.trim(10_000)
    assert 0 < oldest < 4
    assert window.samples == sum(sizes[oldest:]) >= 150
    assert window.samples - sizes[oldest] < 150
    assert window.trim(10_000) == oldest


def test_the_window_grows_sublinearly() -> None:
    window = Window(GAME, ReplayConfig(window=1000, growth=0.5))
    assert [window.capacity(n) for n in (10, 1000, 4000, 100_000)] == [1000, 1000, 2000, 10_000]


def test_batches_repeat_for_a_seed() -> None:
    window = filled(ReplayConfig(chunk=16))
    batches = window.batches(40, 32, 1)
    once, twice = ([rows.observations.tobytes() for rows in batches] for _ in range(2))  # a learner may begin anew
    assert once == twice
    first, again, other = (list(window.batches(40, 32, seed)) for seed in (1, 1, 2))
    assert all(np.array_equal(a.observations, b.observations) for a, b in zip(first, again, strict=True))
    assert any(not np.array_equal(a.observations, b.observations) for a, b in zip(first, other, strict=False))
    assert all(len(b) == 32 for b in first)


@pytest.mark.parametrize(("reuse", "share"), [(1.0, 1.0), (3.0, 1.0), (2.0, 0.5), (1.0, 0.0)])
def test_how_much_is_drawn(reuse: float, share: float) -> None:
    window = filled(ReplayConfig(reuse=reuse, value_rows=share, chunk=10_000), shards=1)
    rows = window.rows([play(GAME, n) for n in range(40)])
    targets = int(rows.has_policy.sum())
    drawn = list(window.batches(40, 1, 7))
    assert sum(int(b.has_policy.sum()) for b in drawn) == reuse * targets
    assert sum(int((~b.has_policy).sum()) for b in drawn) == pytest.approx(min(share * reuse * targets, 1e9), abs=1)


def test_few_rows_make_one_short_batch() -> None:
    window = filled(ReplayConfig(reuse=1.0), shards=1, games=2)
    (batch,) = window.batches(2, 1000, 0)
    assert 0 < len(batch) < 1000


def test_rows_come_in_all_images_alike() -> None:
    game = engines.load("tic_tac_toe")
    images = [np.arange(9), *(s.actions for s in game.symmetries())]
    window = Window(game, ReplayConfig(reuse=200.0, value_rows=0.0))
    episode = play(game, 1)
    window.add(0, [episode])
    rows = window.rows([episode])
    row = rows.take(np.flatnonzero(rows.has_policy)[-1:])
    policy, observation = row.policy[0], row.observations[0]
    wanted = {tuple(policy[image]): image for image in images}
    assert len(wanted) == 8
    met: Counter[tuple[float, ...]] = Counter()
    for batch in window.batches(1, 64, 5):
        for i in range(len(batch)):
            key = tuple(batch.policy[i])
            if key in wanted:
                met[key] += 1
                image = wanted[key]
                assert np.array_equal(batch.observations[i, :9], observation[:9][image])
                assert np.array_equal(batch.observations[i, 9:18], observation[9:18][image])
                assert np.array_equal(batch.legal[i], row.legal[0][image])
                assert np.array_equal(batch.returns[i], row.returns[0])
    assert len(met) == 8 and sum(met.values()) > 100
    assert max(met.values()) < 3 * min(met.values())
