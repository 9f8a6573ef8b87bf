"""Searching many positions at once: the loop of descent, evaluation and backup."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engines.contract import Game
from engines.errors import UsageError
from engines.rng import next_u64
from orion_ai.search.backup import expand_and_back_up, read_roots
from orion_ai.search.cache import Answer, Cache
from orion_ai.search.config import SearchConfig
from orion_ai.search.descend import descend, simulate
from orion_ai.search.evaluator import Evaluator, Opponent
from orion_ai.search.forest import (
    ASKED,
    NO_LEGAL,
    NOT_FINITE,
    SOUND,
    TOO_LONG,
    WALKING,
    WORLD_DIFFERS,
    allocate,
)
from orion_ai.search.handle import handle_of
from orion_ai.search.history import keys_to
from orion_ai.search.kept import Kept, load, pack
from orion_ai.search.particles import Belief, ParticleFilter
from orion_ai.search.report import SearchReport
from orion_ai.search.worlds import start

__all__ = ["Search"]

_CHUNK, _LONG_CHUNK = 64, 4096
"""Most simulations of a lane in one kernel call, with a network and without (Ctrl-C waits for its end)."""
_LOOKS = 32
"""How often the clock is looked at in a budget of milliseconds, or up to twice as often."""
_FAULTS = {
    WORLD_DIFFERS: "determinize returned a world whose information key differs from the root's for the searching seat",
    TOO_LONG: "a simulation went on longer than max_length steps",
    NOT_FINITE: "the evaluator answered with a number that is not finite",
    NO_LEGAL: "a state that is not over has no legal action",
}


class Search:
    """A search of one game by one config, for up to `lanes` positions at once. Memory is allocated here, once."""

    _grows = False

    def __init__(
        self,
        game: Game,
        config: SearchConfig,
        evaluator: Evaluator | None = None,
        lanes: int = 1,
        opponent: Opponent | None = None,
    ) -> None:
        """`evaluator` answers the leaves (`leaf="network"`), it may be None for playouts; `opponent` plays the others
        (`opponents="agent"`).

        Raises:
            UsageError: `config` contradicts itself or does not fit the game (`SearchConfig.validate`).
        """
        config.validate(game, evaluator is not None, opponent is not None)
        if config.algorithm == "auto" or (config.algorithm == "gt_cfr") != self._grows:
            raise TypeError(f"a {type(self).__name__} cannot run {config.algorithm!r}: make_search finds what can")
        if lanes < 1:
            raise UsageError(f"lanes is {lanes}: expected at least 1")
        self.game, self.config, self.lanes = game, config, lanes
        self._evaluator, self._opponent = evaluator, opponent
        self._forest: Any = self._allocate()
        batch = lanes * config.lane_rows(game) if config.leaf == "network" else 0
        self.filter = ParticleFilter(game, config, evaluator) if config.worlds == "particles" else None
        self._before: list[NDArray[np.float64]] = []
        self._effective: NDArray[np.float32] | None = None
        self._asked: NDArray[np.int32] = np.zeros(lanes, np.int32)
        self._observations = np.zeros((batch, game.observation_size), np.int16)
        self.cache = Cache(config.cache, game.num_actions, game.players) if config.cache else None
        """Answers of the network that are kept (`SearchConfig.cache`); `clear` it when the network changes."""

    @property
    def nbytes(self) -> int:
        """Bytes of the trees of all lanes, as they are set aside; what no search has reached takes no memory yet."""
        return sum(int(array.nbytes) for array in self._forest if isinstance(array, np.ndarray))

    def run(
        self,
        worlds: NDArray[np.uint8],
        seats: ArrayLike,
        keys: ArrayLike,
        simulations: ArrayLike | None = None,
        noise: ArrayLike | None = None,
        beliefs: Sequence[Belief] | None = None,
        kept: Sequence[Kept | None] | None = None,
    ) -> SearchReport:
        """Search B positions, B at most `lanes`. A lane's answer depends on nothing but its own arguments.

        Args:
            worlds: `uint8[B, record]`, for each lane a state that its seat cannot tell from the true one.
            seats: `int[B]`, whose decision each is.
            keys: `uint64[B]`, names all randomness of a lane.
            simulations: `int[B]`, a budget for each lane instead of `config.simulations`, and no greater.
            noise: `bool[B]`, which roots get Dirichlet noise where the config has any; default all.
            beliefs: under `worlds="particles"` what the seat of each lane believes (`filter` makes them); without them
                the past is taken for unknown.
            kept: under `keep_tree` what `keep` gave for each lane's seat at its last decision, or None.

        Raises:
            UsageError: shapes do not fit, a seat is not to play, or a budget is out of range.
            RuntimeError: the game or the evaluator broke its contract; the text says how.
        """
        begun = time.perf_counter()
        count = self._set_up(np.asarray(worlds), np.asarray(seats), np.asarray(keys), simulations, noise)
        self._take_beliefs(count, beliefs)
        self._start(count)
        self._forest.lane["evaluations"][:count] += self._asked[:count]
        self._take_trees(count, kept)
        if self.config.leaf == "network":
            seconds = self._evaluate_leaves(count, begun)
        else:
            self._play_out_leaves(count, begun)
            seconds = (time.perf_counter() - begun, 0.0, 0.0)
        self._check(count)
        return self._report(count, seconds)

    def tree(self, lane: int = 0) -> list[dict[str, Any]]:
        """The tree that the last `run` left in `lane`, as plain data: its nodes in the order in which they were made.

        Every node has `seat`, `value` (its own evaluation, by absolute seat) and `edges`, ascending by action:
        `action`, `visits`, `available`, `prior` (not normalised) and `total` (by absolute seat).
        """
        f, nodes = self._forest, []
        for node in range(int(f.lane["nodes"][lane])):
            edges, e = [], int(f.node_first[lane, node])
            while e >= 0:
                edges.append(
                    {
                        "action": int(f.edge_action[lane, e]),
                        "visits": float(f.edge_visits[lane, e]),
                        "available": float(f.edge_available[lane, e]),
                        "prior": float(f.edge_prior[lane, e]),
                        "total": f.edge_total[lane, e].tolist(),
                    }
                )
                e = int(f.edge_next[lane, e])
            edges.sort(key=lambda edge: edge["action"])
            value = f.node_value[lane, node].tolist()
            nodes.append({"seat": int(f.node_seat[lane, node]), "value": value, "edges": edges})
        return nodes

    def _set_up(
        self,
        worlds: NDArray[np.uint8],
        seats: NDArray[np.int64],
        keys: NDArray[np.uint64],
        simulations: ArrayLike | None,
        noise: ArrayLike | None,
    ) -> int:
        count = len(worlds)
        if not 1 <= count <= self.lanes:
            raise UsageError(f"{count} positions to search: this search has {self.lanes} lanes")
        if worlds.shape != (count, self.game.record_size) or worlds.dtype != np.uint8:
            given = f"{worlds.dtype}{list(worlds.shape)}"
            raise UsageError(f"worlds are {given}: expected uint8[{count}, {self.game.record_size}]")
        if seats.shape != (count,) or keys.shape != (count,):
            raise UsageError(
                f"seats {list(seats.shape)}, keys {list(keys.shape)}: expected one of each for {count} worlds"
            )
        forest = self._forest
        forest.roots[:count] = worlds
        for b in range(count):
            mover = self.game.kernels.to_play(forest.roots[b])
            if mover != seats[b] or mover < 0:
                raise UsageError(f"lane {b}: seat {seats[b]} is to search, but to_play is {mover}")
        most = self.config.most_simulations
        budget = np.broadcast_to(np.asarray(most if simulations is None else simulations, np.int64), (count,))
        if budget.min() < 1 or budget.max() > most:
            raise UsageError(f"simulations {budget.min()} to {budget.max()}: expected 1 to {most} (search.simulations)")
        if self.config.two_kinds and int(budget.min() * self.config.mix_delta) < 1:
            raise UsageError(
                f"{budget.min()} simulations: none in a private world at mix_delta {self.config.mix_delta}"
            )
        for b in range(count if self.config.algorithm == "oos" else 0):
            keys_there = keys_to(self.game, worlds[b], int(seats[b]), self.config.oos_target == "public")
            forest.lane["target"][b] = max(len(keys_there) - 1, 0)
            forest.target[b, : len(keys_there)] = keys_there
        lane = forest.lane[:count]
        lane["key"], lane["seat"], lane["budget"] = keys, seats, budget
        lane["noisy"] = 1 if noise is None else np.asarray(noise)
        return count

    def _take_beliefs(self, count: int, beliefs: Sequence[Belief] | None) -> None:
        """Copy the particles that the worlds of each lane are drawn from."""
        if self.filter is None:
            if beliefs is not None:
                raise UsageError(f"beliefs are given, but search.worlds is {self.config.worlds!r}, not 'particles'")
            return
        f = self._forest
        if beliefs is None:
            given = zip(f.roots[:count], f.lane["seat"][:count], f.lane["key"][:count], strict=True)
            beliefs = [self.filter.begin_at(world, int(seat), key) for world, seat, key in given]
        if len(beliefs) != count:
            raise UsageError(f"{len(beliefs)} beliefs: expected one of each of {count} positions")
        for b, belief in enumerate(beliefs):
            f.particle[b] = belief.records
            sums = np.cumsum(belief.weights)
            f.particle_sum[b] = sums / sums[-1]
            self._asked[b] = belief.evaluations
        self._effective = np.array([belief.least for belief in beliefs], np.float32)

    def _take_trees(self, count: int, kept: Sequence[Kept | None] | None) -> None:
        """Go on with trees of earlier decisions where there are some."""
        if kept is not None and not self.config.keep_tree:
            raise UsageError("trees are given, but search.keep_tree is false")
        trees = [None] * count if kept is None else kept
        if len(trees) != count:
            raise UsageError(f"{len(trees)} trees: expected one, or None, for each of {count} positions")
        new = np.zeros(0)
        self._before = [new if tree is None else load(self._handle, b, tree) for b, tree in enumerate(trees)]

    def keep(self, lane: int) -> Kept:
        """The tree that the last `run` left in `lane`, for the same seat's next decision in the same game."""
        return pack(self._forest, self._handle, lane, self._before[lane])

    # What a search with trees of another kind does in its own way:

    def _allocate(self) -> Any:
        forest = allocate(self.game, self.config, self.lanes)
        forest.opening[:] = self.game.start().record
        self._handle = handle_of(forest)
        return forest

    def _start(self, count: int) -> None:
        start(self._handle, count)

    def _simulate(self, count: int, chunk: int) -> bool:
        """Run up to `chunk` simulations of every lane, valued by playouts; whether any lane goes on."""
        return int(simulate(self._handle, count, chunk)) > 0

    def _descend(self, count: int, chunk: int) -> int:
        """Write what the lanes need evaluated; how many rows, -1 when all are idle."""
        return int(descend(self._handle, count, chunk, self._observations))

    def _back_up(self, count: int, logits: NDArray[np.float32], values: NDArray[np.float32]) -> None:
        expand_and_back_up(self._handle, count, logits, values)

    def _read_roots(self, count: int, *into: NDArray[Any]) -> None:
        """Read the roots off into the arrays of a report: action, policy, value, visits, q, availability, prior."""
        read_roots(self._handle, count, *into)

    def _worlds_used(self, count: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """How many worlds each lane has sampled, and the effective number of them."""
        lane = self._forest.lane[:count]
        done = lane["done"].copy()
        pool = int(self._forest.parameters["world_pool"][0]) * (2 if self.config.divided else 1)
        sampled = np.minimum(done, pool) if pool else done
        if self._effective is not None:
            return sampled, self._effective
        alike = sampled / np.maximum(done, 1)  # a world that was used in n simulations counts once
        squares = np.maximum(lane["weights_squared"], 1e-300)
        return sampled, (lane["weights"] ** 2 / squares * alike).astype(np.float32)

    def _out_of_time(self, begun: float) -> bool:
        limit = self.config.milliseconds
        return limit > 0 and (time.perf_counter() - begun) * 1000 >= limit

    def _play_out_leaves(self, count: int, begun: float) -> None:
        """Simulate until a budget is used up, as many at a time as take a small part of the time there is."""
        share = self.config.milliseconds / 1000 / _LOOKS
        chunk, clock = 1 if share else _LONG_CHUNK, begun
        while self._simulate(count, chunk) and not self._out_of_time(begun):
            self.ask_opponent(count)
            now = time.perf_counter()
            if share and now - clock > share:
                chunk = max(chunk // 2, 1)
            elif share and now - clock < share / 2:
                chunk = min(2 * chunk, _LONG_CHUNK)
            clock = now

    def _evaluate_leaves(self, count: int, begun: float) -> tuple[float, float, float]:
        assert self._evaluator is not None
        clock, descent, evaluation, backup = begun, 0.0, 0.0, 0.0
        while True:
            rows = self._descend(count, _CHUNK)
            self.ask_opponent(count)
            now = time.perf_counter()
            descent, clock = descent + now - clock, now
            if rows < 0:
                break
            if rows > 0:
                logits, values = self._answer(rows)
                now = time.perf_counter()
                evaluation, clock = evaluation + now - clock, now
                self._back_up(count, logits, values)
            now = time.perf_counter()
            backup, clock = backup + now - clock, now
            if self._out_of_time(begun):
                break
        return descent, evaluation, backup

    def ask_opponent(self, count: int) -> None:
        """Let the opponent play the decisions that the first `count` lanes wait for, in worlds dealt from its view.

        Raises:
            RuntimeError: it chose what is not legal.
        """
        if self._opponent is None:
            return
        f, game = self._forest, self.game
        waiting = np.flatnonzero(f.lane["status"][:count] == ASKED)
        if not len(waiting):
            return
        worlds, seats = f.state[waiting], f.lane["mover"][waiting].astype(np.int64)
        for world, seat, b in zip(worlds, seats, waiting, strict=True):
            game.kernels.determinize(world, int(seat), f.rng[b])
        keys = np.array([next_u64(f.rng[b]) for b in waiting], np.uint64)
        for b, action in zip(waiting, self._opponent.decide(worlds, seats, keys).actions, strict=True):
            if action not in f.legal[b, : f.lane["legal"][b]]:
                raise RuntimeError(f"{game.name}: the opponent in the tree chose {action}, which is not legal there")
            game.kernels.apply(f.state[b], int(action))
            f.lane["decisions"][b] += 1
            f.lane["status"][b] = WALKING

    def _answer(self, rows: int) -> Answer:
        observations = self._observations[:rows]
        return self._ask(observations) if self.cache is None else self.cache.answer(observations, self._ask)

    def _ask(self, observations: NDArray[np.int16]) -> Answer:
        assert self._evaluator is not None
        logits, values = self._evaluator.evaluate(observations)
        logits, values = np.ascontiguousarray(logits, np.float32), np.ascontiguousarray(values, np.float32)
        rows = len(observations)
        expected = (rows, self.game.num_actions), (rows, self.game.players)
        if (logits.shape, values.shape) != expected:
            raise RuntimeError(
                f"the evaluator gave logits {logits.shape} and values {values.shape}: expected {expected}"
            )
        return logits, values

    def _check(self, count: int) -> None:
        broken = np.flatnonzero(self._forest.lane["broken"][:count] != SOUND)
        if len(broken):
            fault = _FAULTS[int(self._forest.lane["broken"][broken[0]])]
            raise RuntimeError(f"{self.game.name}, lane {broken[0]} of {count}: {fault}")

    def _report(self, count: int, seconds: tuple[float, float, float]) -> SearchReport:
        wide, tall = (count, self.game.num_actions), (count, self.game.players)
        action, value = np.zeros(count, np.int32), np.zeros(tall, np.float32)
        policy, visits, q, available, prior = (np.zeros(wide, np.float32) for _ in range(5))
        self._read_roots(count, action, policy, value, visits, q, available, prior)
        lane = self._forest.lane[:count]
        done = lane["done"].copy()
        sampled, effective = self._worlds_used(count)
        return SearchReport(
            algorithm=self.config.algorithm,
            action=action,
            policy=policy,
            value=value,
            prior=prior,
            visits=visits,
            q=q,
            availability=available,
            simulations=done,
            worlds=sampled,
            effective=effective,
            max_depth=lane["max_depth"].copy(),
            mean_depth=(lane["depths"] / np.maximum(done, 1)).astype(np.float32),
            nodes=lane["nodes"].copy(),
            refused=lane["refused"].copy(),
            evaluations=lane["evaluations"].copy(),
            descent_seconds=seconds[0],
            evaluation_seconds=seconds[1],
            backup_seconds=seconds[2],
        )
