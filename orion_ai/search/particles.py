"""A belief that is carried through a game: particles, weighed by how likely others were to act as they did.

A particle is a record that the seat cannot tell from the truth. Whenever the seat comes to know something new, each
particle lets an event happen that tells the seat just this: an outcome by its weight, another seat's action by a
policy, (1 - epsilon) pi(a) + epsilon / |A|. It is weighed by the probability of all events that would have: a particle
filter (Gordon, Salmond and Smith 1993) whose proposal looks at what was seen. Where few particles carry the weight they
are resampled systematically, and where few are left `determinize` sends others.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game
from engines.rng import mix
from orion_ai.search.config import PARTICLE_POLICIES, SearchConfig
from orion_ai.search.evaluator import Evaluator
from orion_ai.search.particle_kernels import name_generators, observe_movers, renew_particles, walk_particles

__all__ = ["MOST_SILENT", "MOST_TRIED", "Belief", "ParticleFilter"]

MOST_SILENT = 64
"""Events in a row that tell the seat nothing: a particle in which more happen is lost."""
MOST_TRIED = 512
"""Events that are tried at one point of a particle; where there are more, that many drawn at random stand for all."""
_WALK, _RENEW, _SETTLE = np.uint64(1), np.uint64(2), np.uint64(3)


@dataclass
class Belief:
    """What a seat believes at one point of one game.

    Attributes:
        seat: whose belief it is.
        key: names all its randomness.
        known: the seat's `info_key`, which all particles share.
        records: uint8[N, record], the particles.
        weights: float64[N], theirs; they sum to 1.
        told: how many worlds of the seat's trail it has taken in.
        effective: effective number of particles, (sum w)^2 / sum w^2, after the last of them and before resampling.
        least: the smallest `effective` since the seat's last decision.
        newcomers: how many particles `determinize` has sent since the game began.
        asked: whether the seat has decided something and learned nothing since.
        evaluations: rows that its particles have asked of the network since the seat's last decision.
    """

    seat: int
    key: np.uint64
    known: np.uint64
    records: NDArray[np.uint8]
    weights: NDArray[np.float64]
    told: int
    effective: float
    least: float
    newcomers: int = 0
    asked: bool = False
    evaluations: int = 0


def _copied(belief: Belief) -> Belief:
    """To be changed in its stead: who is interrupted midway, by a time limit say, leaves the belief as it was."""
    return dataclasses.replace(belief, records=belief.records.copy(), weights=belief.weights.copy())


class ParticleFilter:
    """Makes beliefs and carries them on: `particles`, `particle_policy`, `particle_epsilon`, `particle_share` of a
    `SearchConfig`.
    """

    def __init__(
        self, game: Game, config: SearchConfig, evaluator: Evaluator | None = None, most: int = MOST_TRIED
    ) -> None:
        """`evaluator` is the policy `network`; `most` see `MOST_TRIED`."""
        self.game, self.count = game, config.particles
        self._policy = PARTICLE_POLICIES.index(config.particle_policy)
        self._epsilon, self._share, self._most = config.particle_epsilon, config.particle_share, most
        asks = config.particle_policy == "network"
        self._evaluator = evaluator if asks else None
        self._spare = np.zeros((self.count, game.record_size), np.uint8)
        self._observations = np.zeros((self.count if asks else 0, game.observation_size), np.int16)
        self._rows: NDArray[np.int64] = np.zeros(self.count, np.int64)
        self._rngs = np.zeros((self.count, 2), np.uint64)
        self._no_logits = np.zeros((1, game.num_actions), np.float32)

    def begin(self, seat: int, key: np.uint64) -> Belief:
        """The belief of `seat` before the first event of a game: it knows everything that there is."""
        record = np.zeros(self.game.record_size, np.uint8)
        self.game.kernels.setup(record, self.game.encode_options())
        return self._belief(record, seat, key, 1.0)

    def begin_at(self, world: NDArray[np.uint8], seat: int, key: np.uint64) -> Belief:
        """A belief in the midst of a game whose past is not known: worlds as `determinize` weighs them.

        Args:
            world: `uint8[record]`, one that the seat cannot tell from the truth.
            seat: whose belief.
            key: names its randomness.
        """
        belief = self._belief(world, seat, key, 0.0)
        belief.effective = belief.least = self._renew(belief, world, _WALK)
        belief.newcomers = 0
        return belief

    def follow(self, belief: Belief, world: NDArray[np.uint8]) -> None:
        """Take in what the seat has come to know: `world` is one that it cannot tell from the truth now."""
        after = _copied(belief)
        if after.asked:
            after.least, after.evaluations, after.asked = float(self.count), 0, False
        known = self._known(world, after.seat)
        self._walk(after, known, _WALK, deciding=False)
        after.known = known
        self._renew(after, world, _RENEW)
        after.told += 1
        vars(belief).update(vars(after))

    def settle(self, belief: Belief, world: NDArray[np.uint8]) -> None:
        """Bring all particles to the decision that the seat is asked for (after events that it saw nothing of)."""
        after = _copied(belief)
        after.asked = True
        movers = (self.game.kernels.to_play(record) for record in after.records)
        if any(mover != after.seat for mover in movers):
            self._walk(after, after.known, _SETTLE, deciding=True)
            self._renew(after, world, _SETTLE)
        vars(belief).update(vars(after))

    def _belief(self, record: NDArray[np.uint8], seat: int, key: np.uint64, mass: float) -> Belief:
        n = self.count
        records, weights = np.tile(record, (n, 1)), np.full(n, mass / n)
        return Belief(seat, key, self._known(record, seat), records, weights, 0, float(n), float(n))

    def _known(self, record: NDArray[np.uint8], seat: int) -> np.uint64:
        return np.uint64(self.game.kernels.info_key(record, seat))

    def _walk(self, belief: Belief, known: np.uint64, purpose: np.uint64, *, deciding: bool) -> None:
        """Move all particles to where the seat knows `known`; what does not get there weighs nothing."""
        waiting = (belief.weights > 0).astype(np.int64)
        if deciding:
            waiting *= [self.game.kernels.to_play(record) != belief.seat for record in belief.records]
        name_generators(mix(mix(belief.key, np.uint64(belief.told)), purpose), self._rngs)
        logits, steps = self._no_logits, MOST_SILENT if self._evaluator is None else 1
        for _ in range(MOST_SILENT // steps):
            if self._evaluator is not None:
                logits = self._ask(self._evaluator, belief, waiting)
            left = walk_particles(
                self.game.table, belief.records, belief.weights, waiting, self._rngs, belief.seat, belief.known, known,
                int(deciding), self._policy, self._epsilon, logits, self._rows, self._most, steps,
            )  # fmt: skip
            if not left:
                break
        belief.weights[waiting > 0] = 0.0

    def _ask(self, evaluator: Evaluator, belief: Belief, waiting: NDArray[np.int64]) -> NDArray[np.float32]:
        rows = observe_movers(self.game.table, belief.records, waiting, belief.seat, self._observations, self._rows)
        if not rows:
            return self._no_logits
        belief.evaluations += int(rows)
        return np.ascontiguousarray(evaluator.evaluate(self._observations[:rows])[0], np.float32)

    def _renew(self, belief: Belief, world: NDArray[np.uint8], purpose: np.uint64) -> float:
        """Normalise, refill, resample; returns the effective number of particles before resampling."""
        out = np.zeros(3)
        key = mix(mix(belief.key, np.uint64(belief.told)), purpose)
        world = np.ascontiguousarray(world)
        renew_particles(
            self.game.table, belief.records, self._spare, belief.weights, world, belief.seat, self._share, key, out
        )
        if not belief.weights.sum() > 0:
            raise RuntimeError(f"{self.game.name}: determinize found no possible world for seat {belief.seat}")
        belief.effective = float(out[0])
        belief.least = min(belief.least, belief.effective)
        belief.newcomers += int(out[1])
        return float(out[2])
