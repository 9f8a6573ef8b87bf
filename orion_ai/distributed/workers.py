"""The actors that play: processes with lanes of their own. They hold nothing that could not be made again elsewhere."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from typing import Any

import psutil
import ray

from orion_ai.arena.runner import Match, Player
from orion_ai.arena.schedule import Places
from orion_ai.distributed.answers import answered
from orion_ai.distributed.plan import Plan
from orion_ai.distributed.playing import Hand, Players, Round
from orion_ai.distributed.servers import RemoteEvaluator, introduction
from orion_ai.identity import identity_of
from orion_ai.net.evaluators import make_evaluator
from orion_ai.net.network import make_network
from orion_ai.net.tensors import from_bytes
from orion_ai.selfplay.pool import batch_of
from orion_ai.selfplay.worker import Worker

__all__ = ["MatchWorker", "SelfPlayWorker"]


class SelfPlayWorker:
    """Plays games by number. The calls return at once or when their games are over, any number of them side by side."""

    def __init__(self, plan_text: str, name: str, server: str) -> None:
        """A worker.

        Args:
            plan_text: see `Plan`.
            name: of this worker.
            server: name of the inference server that it asks; "" = it runs the network itself.
        """
        plan = Plan.from_text(plan_text)
        self._game = plan.load()
        hands = [self._remote_hand(plan, f"{name}/{i}", server) for i in range(2)] if server else [self._hand(plan)]
        self._players = Players(identity_of(self._game), hands)
        self._process = psutil.Process()

    def _hand(self, plan: Plan) -> Hand:
        batch = batch_of(self._game, plan.selfplay, plan.search)
        evaluator = make_evaluator(make_network(self._game, plan.net), plan.evaluator, batch)

        def prepare(round_: Round) -> None:
            evaluator.load(from_bytes(ray.get(round_.source[0])))

        return Hand(Worker(self._game, plan.selfplay, plan.search, evaluator), prepare)

    def _remote_hand(self, plan: Plan, caller: str, server: str) -> Hand:
        """One of two half sets of lanes: while one waits for the server, the other searches."""
        evaluator = RemoteEvaluator(server, caller, plan.runtime.start_seconds)
        half = dataclasses.replace(plan.selfplay, lanes=-(-plan.selfplay.lanes // 2))
        return Hand(Worker(self._game, half, plan.search, evaluator), evaluator.load)

    async def greet(self) -> dict[str, Any]:
        """Who this is: see `introduction`."""
        return introduction(self._game)

    async def play(
        self, number: int, weights: str, source: list[Any], seed: int, games: Sequence[int]
    ) -> tuple[bytes, dict[str, float]]:
        """Play games and hand back their shard (b"" if a later round has begun), and what was done since the last time.

        Args:
            number: of the round.
            weights: content name of the weights.
            source: holds the reference to the weights, a safetensors file; they are fetched once a round.
            seed: names the run.
            games: numbers of the games.
        """
        round_ = Round(number, weights, source, seed)
        shard: bytes = await answered(lambda answer: self._players.submit(round_, games, answer))
        counts = dataclasses.asdict(self._players.counts())
        return shard, {**counts, "rss_mb": self._process.memory_info().rss / 2**20}


class MatchWorker:
    """Plays runs of blocks."""

    def __init__(self, match_text: str) -> None:
        """A worker for the match that `match_text` describes (see `Match`)."""
        match = Match.from_text(match_text)
        self._player = Player(match, match.load())

    def greet(self) -> dict[str, Any]:
        """See `introduction`."""
        return introduction(self._player.game)

    def play(self, places: Places, run: Sequence[int]) -> Iterator[str]:
        """The blocks of a run as they are finished, as JSON."""
        for block in self._player.play([tuple(seats) for seats in places], run):
            yield json.dumps(block.as_data(history=True))
