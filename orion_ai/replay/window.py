"""The window of recent shards that training draws from, and the order in which it does."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from engines.contract import Game
from orion_ai.ranges import ABOVE_ZERO, ANY, check_ranges
from orion_ai.replay.episode import Episode
from orion_ai.replay.rows import Rebuilder, Rows

__all__ = ["ReplayConfig", "Window"]


@dataclass(frozen=True)
class ReplayConfig:
    """How much of the past is trained on, and how often.

    Attributes:
        window: samples that are kept at first; later the window grows with the power `growth` of all samples so far, as
            KataGo's does (Wu 2019, section 4), so that old games of a weak player leave early.
        growth: 1 keeps everything in proportion, 0 a fixed window.
        reuse: how many games are drawn from the window for each new one.
        value_rows: rows without a policy target (fast searches, other seats) that are drawn for each row with one.
        chunk: games rebuilt and shuffled at a time; bounds the memory.
    """

    window: int = 20_000
    growth: float = 0.75
    reuse: float = 4.0
    value_rows: float = 1.0
    chunk: int = 128

    def __post_init__(self) -> None:
        ranges = {
            **dict.fromkeys(("window", "chunk"), (1, ANY)),
            "growth": (0, 1),
            "reuse": (ABOVE_ZERO, ANY),
            "value_rows": (0, ANY),
        }
        check_ranges("replay", self, ranges)


class Window:
    """The newest episodes of a run, as many as the window holds."""

    def __init__(self, game: Game, config: ReplayConfig) -> None:
        self.config = config
        self._shards: deque[tuple[int, list[Episode]]] = deque()
        self._rebuilder = Rebuilder(game)
        self._symmetries = tuple(game.symmetries())
        self.samples = 0
        """Samples in the window."""

    def add(self, number: int, episodes: list[Episode]) -> None:
        """Take in shard `number`."""
        self._shards.append((number, episodes))
        self.samples += _samples(episodes)

    @property
    def newest(self) -> list[Episode]:
        """The episodes of the newest shard; none in an empty window."""
        return self._shards[-1][1] if self._shards else []

    def trim(self, total: int) -> int:
        """Let old shards go, whole, now that the run has made `total` samples; returns the oldest one's number."""
        while len(self._shards) > 1 and self.samples - _samples(self._shards[0][1]) >= self.capacity(total):
            self.samples -= _samples(self._shards.popleft()[1])
        return self._shards[0][0]

    def capacity(self, total: int) -> int:
        """Samples that the window should hold when the run has made `total`."""
        least = self.config.window
        return least if total <= least else int(least * (total / least) ** self.config.growth)

    def rows(self, episodes: list[Episode]) -> Rows:
        """Every row of `episodes`."""
        return Rows.join([self._rebuilder.rows(e) for e in episodes])

    def batches(self, new_games: int, batch: int, seed: int) -> Iterable[Rows]:
        """Shuffled batches from `reuse` x `new_games` games of the window; the same for the same seed, and each time
        that they are gone through.

        Where the game has symmetries, each row is taken in a random one of its images.

        Every batch has `batch` rows, save that a draw of fewer rows gives one short batch.
        """
        games = [e for _, episodes in self._shards for e in episodes]
        return _Repeatable(lambda: self._drawn(games, max(1, round(new_games * self.config.reuse)), batch, seed))

    def _drawn(self, games: list[Episode], wanted: int, batch: int, seed: int) -> Iterator[Rows]:
        rng = np.random.default_rng(seed)
        rounds = -(-wanted // len(games))
        drawn = np.concatenate([rng.permutation(len(games)) for _ in range(rounds)])[:wanted]
        left: Rows | None = None
        full = False
        for start in range(0, wanted, self.config.chunk):
            rows = self._chosen([games[i] for i in drawn[start : start + self.config.chunk]], rng)
            rows = rows if left is None else Rows.join([left, rows])
            whole = len(rows) // batch * batch
            for i in range(0, whole, batch):
                full = True
                yield rows.take(np.arange(i, i + batch))
            left = rows.take(np.arange(whole, len(rows)))
        if left is not None and len(left) and not full:
            yield left

    def _chosen(self, games: list[Episode], rng: np.random.Generator) -> Rows:
        """The rows of `games` that are trained on this time, shuffled."""
        have_policy = [self._rebuilder.have_policy(e) for e in games]
        joined = np.concatenate(have_policy)
        with_policy, without = np.flatnonzero(joined), np.flatnonzero(~joined)
        # Games without any full search still teach values.
        wanted = max(round(len(with_policy) * self.config.value_rows), 0 if len(with_policy) else len(without))
        chosen = np.concatenate([with_policy, rng.permutation(without)[:wanted]])
        taken = np.zeros(len(joined), np.bool_)
        taken[chosen] = True  # only these are rebuilt
        parts = np.split(taken, np.cumsum([len(part) for part in have_policy])[:-1])
        found = [self._rebuilder.rows(e, np.flatnonzero(part)) for e, part in zip(games, parts, strict=True)]
        place = np.cumsum(taken) - 1
        rows = Rows.join(found).take(place[rng.permutation(chosen)])
        return rows if not self._symmetries else self._in_images(rows, rng)

    def _in_images(self, rows: Rows, rng: np.random.Generator) -> Rows:
        """Each row in a random image of the game, as it is being one of them."""
        images = rng.integers(1 + len(self._symmetries), size=len(rows))
        for number, symmetry in enumerate(self._symmetries, 1):
            rows = rows.image(symmetry, images == number)
        return rows


@dataclass(frozen=True)
class _Repeatable:
    """What can be gone through more than once, made anew each time."""

    make: Callable[[], Iterator[Rows]]

    def __iter__(self) -> Iterator[Rows]:
        return self.make()


def _samples(episodes: list[Episode]) -> int:
    return sum(e.samples for e in episodes)
