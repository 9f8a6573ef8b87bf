"""The actors that play: processes with lanes of their own. They hold nothing that could not be made again elsewhere."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import socket
from collections.abc import AsyncIterator, Sequence
from typing import Any

import numpy as np
import psutil
import ray

from orion_ai.arena.runner import Player
from orion_ai.arena.schedule import Places
from orion_ai.distributed.answers import answered
from orion_ai.distributed.foreign import ForeignPlayer
from orion_ai.distributed.match_worker import player_of
from orion_ai.distributed.plan import Plan, introduction
from orion_ai.distributed.playing import Hand, Players, Round
from orion_ai.distributed.servers import RemoteEvaluator
from orion_ai.identity import identity_of
from orion_ai.learner.parallel import PartLearner, Share
from orion_ai.net.evaluators import make_evaluator
from orion_ai.net.network import make_network
from orion_ai.net.tensors import from_bytes, to_bytes
from orion_ai.replay.rows import Rows
from orion_ai.selfplay.pool import batch_of
from orion_ai.selfplay.worker import Worker

__all__ = ["LearnerActor", "SelfPlayWorker"]


class SelfPlayWorker:
    """Plays games by number. The calls return at once or when their games are over, any number of them side by side."""

    def __init__(self, plan_text: str, name: str, server: Any) -> None:
        """A worker.

        Args:
            plan_text: see `Plan`.
            name: of this worker.
            server: the inference server that it asks; None = it runs the network itself.
        """
        plan = Plan.from_text(plan_text)
        self._game = plan.load()
        hands = (
            [self._remote_hand(plan, f"{name}/{i}", server) for i in range(2)]
            if server is not None
            else [self._hand(plan)]
        )
        self._players = Players(identity_of(self._game), hands)
        self._process = psutil.Process()
        self._newest = -1
        self._player: tuple[str, Player | ForeignPlayer] | None = None

    def _hand(self, plan: Plan) -> Hand:
        batch = batch_of(self._game, plan.selfplay, plan.search)
        evaluator = make_evaluator(make_network(self._game, plan.net), plan.evaluator, batch)

        def prepare(round_: Round) -> None:
            evaluator.load(from_bytes(ray.get(round_.source[0])))

        return Hand(Worker(self._game, plan.selfplay, plan.search, evaluator), prepare)

    def _remote_hand(self, plan: Plan, caller: str, server: Any) -> Hand:
        """One of two half sets of lanes: while one waits for the server, the other searches."""
        evaluator = RemoteEvaluator(server, caller, plan.runtime.batch_limit, plan.runtime.start_seconds)
        half = dataclasses.replace(plan.selfplay, lanes=-(-plan.selfplay.lanes // 2))
        return Hand(Worker(self._game, half, plan.search, evaluator), evaluator.load)

    async def greet(self) -> dict[str, Any]:
        """Who this is: see `introduction`."""
        return introduction(self._game)

    async def play(
        self, number: int, weights: str, source: list[Any], seed: int, games: Sequence[int]
    ) -> tuple[bytes, dict[str, Any]]:
        """Play games and hand back their shard (b"" if a later round has begun), and what was done since the last time.

        Args:
            number: of the round.
            weights: content name of the weights.
            source: holds the reference to the weights, a safetensors file; they are fetched once a round.
            seed: names the run.
            games: numbers of the games.
        """
        if number > self._newest:
            self._newest = number
            self._leave_match()  # what it has needed is not kept
        round_ = Round(number, weights, source, seed)
        shard: bytes = await answered(lambda answer: self._players.submit(round_, games, answer))
        counts, searches = map(dataclasses.asdict, self._players.done())
        return shard, {"counts": counts, "searches": searches, "rss_mb": self._process.memory_info().rss / 2**20}

    async def match(
        self, match_text: str, luggage: list[Any], places: Places, run: Sequence[int]
    ) -> AsyncIterator[str]:
        """The blocks of a run of a match as they are finished, as JSON; see `MatchWorker`."""
        if self._player is None or self._player[0] != match_text:
            self._leave_match()
            carried = await luggage[0]
            self._player = match_text, await asyncio.to_thread(player_of, match_text, carried, self._game)
        blocks = self._player[1].play([tuple(seats) for seats in places], run)
        while (block := await asyncio.to_thread(next, blocks, None)) is not None:
            yield json.dumps(block.as_data(history=True))

    def _leave_match(self) -> None:
        if self._player is not None and isinstance(self._player[1], ForeignPlayer):
            self._player[1].end()
        self._player = None


class LearnerActor:
    """One of several learners."""

    def __init__(self, plan_text: str) -> None:
        """A learner of the network that `plan_text` describes (see `Plan`)."""
        plan = Plan.from_text(plan_text)
        self._learner = PartLearner(make_network(plan.load(), plan.net), plan.learner)

    def address(self) -> str:
        """A place where the others can meet this one: "HOST:PORT"."""
        host = ray.util.get_node_ip_address()
        with socket.socket() as asked:
            asked.bind((host, 0))
            return f"{host}:{asked.getsockname()[1]}"

    def join(self, address: str, rank: int, count: int, seconds: float) -> int:
        """See `PartLearner.join`; returns the number of this process."""
        self._learner.join(address, rank, count, self._learner.config.device, seconds)
        return os.getpid()

    def load(self, state: bytes, average: bytes) -> None:
        """Go on from here; see `Learner.load`."""
        self._learner.load(from_bytes(state), from_bytes(average))

    def step(
        self, rows: dict[str, Any], share_of_rows: float, share_of_policy: float, samples: int
    ) -> tuple[dict[str, float], float]:
        """See `PartLearner.step`; `rows` are the arrays of a `Rows` by name."""
        copied = {name: np.array(array) for name, array in rows.items()}  # Ray's own are read-only
        return self._learner.step(Rows(**copied), Share(share_of_rows, share_of_policy), samples)

    def state(self) -> tuple[bytes, bytes]:
        """What `load` takes."""
        return to_bytes(self._learner.state()), to_bytes(self._learner.average)
