"""The training loop: play with the weights of now, keep the games, learn from the recent ones, store, measure; again.

A run can be killed at any line. Whatever it wrote is whole, and the same command goes on from the last checkpoint:
games that had landed are read instead of played again, and since all randomness is named by (seed, purpose, counter)
the run ends with the same bits as one that was left alone (with a named evaluator backend in fp32, on CPUs of one kind,
whatever plays the games).
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.contract import Game
from engines.errors import FileError, UsageError
from engines.rng import key_of
from orion_ai import __version__, checkpoint
from orion_ai.arena.runner import Elsewhere, Match
from orion_ai.calibration import Reliability, reliability
from orion_ai.checkpoint import Checkpoint
from orion_ai.identity import identity_of
from orion_ai.learner.config import LearnerConfig
from orion_ai.learner.learner import Learner
from orion_ai.net.config import EvaluatorConfig, NetConfig
from orion_ai.net.evaluators import choose
from orion_ai.net.network import Network, make_network
from orion_ai.ranges import ANY, check_ranges
from orion_ai.replay.episode import Episode
from orion_ai.replay.shard import Shard, read_shard, write_shard
from orion_ai.replay.window import ReplayConfig, Window
from orion_ai.run_folder import RunFolder
from orion_ai.runtime import RuntimeConfig
from orion_ai.search.config import SearchConfig
from orion_ai.selfplay.config import SelfPlayConfig
from orion_ai.selfplay.pool import Played, Pool, batch_of
from orion_ai.selfplay.worker import Counts, scripted_seat
from orion_ai.watch import Watch

if TYPE_CHECKING:
    from orion_ai.distributed.plan import Plan
    from orion_ai.distributed.pool import RayPool

__all__ = ["Counters", "Evaluate", "EvaluationConfig", "Far", "TrainConfig", "against_script", "plan_of", "train"]

NETWORK, SEARCH = "network, unseen games", "search"
"""Whose values are held against the outcomes."""
VALIDATED_GAMES = 64
"""Games of an iteration that the losses on unseen rows are taken from."""

Far = Callable[[Match], Elsewhere]
"""Finds what plays a match instead of this process."""
Evaluate = Callable[[Path, int, Far | None], Mapping[str, float]]
"""Measures the bot of a checkpoint's manifest with so many blocks, here or far away: named figures, `summary` not among
them."""


@dataclass(frozen=True)
class EvaluationConfig:
    """How the bot is measured on the way and at the end.

    Attributes:
        every: iterations between two evaluations; 0 = only at the end.
        blocks: deals of one on the way.
        final_blocks: deals of the one at the end.
        against: agents to meet, besides the run's own untrained network; given as in the arena.
    """

    every: int = 10
    blocks: int = 20
    final_blocks: int = 100
    against: list[Any] = field(default_factory=lambda: ["random"])

    def __post_init__(self) -> None:
        check_ranges("evaluation", self, dict.fromkeys(("every", "blocks", "final_blocks"), (0, ANY)))


@dataclass(frozen=True)
class TrainConfig:
    """Settings of `orion train` (its manual page explains them)."""

    game: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    folder: str = "runs"
    seed: int = 0
    iterations: int = 0
    minutes: float = 0.0
    keep: int = 3
    keep_every: int = 0
    net: NetConfig = field(default_factory=NetConfig)
    evaluator: EvaluatorConfig = field(default_factory=EvaluatorConfig)
    search: SearchConfig = field(default_factory=lambda: SearchConfig("gumbel", leaf="network", simulations=32))
    selfplay: SelfPlayConfig = field(default_factory=SelfPlayConfig)
    replay: ReplayConfig = field(default_factory=ReplayConfig)
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)
    runtime: RuntimeConfig = field(default_factory=RuntimeConfig)

    def __post_init__(self) -> None:
        if self.runtime.overlap and self.keep < 2:
            raise UsageError("keep is 1: runtime.overlap plays with the weights before the last, expected 2 or more")
        check_ranges("", self, {"keep": (1, ANY), **dict.fromkeys(("iterations", "minutes", "keep_every"), (0, ANY))})

    @property
    def run_name(self) -> str:
        """The folder of the run within `folder`: the name, or the game's."""
        return self.name or str(self.game.get("name", "run"))


@dataclass(frozen=True)
class Counters:
    """How far a run is.

    Attributes:
        iteration: iterations finished.
        games: games finished.
        samples: decisions that can be trained on, in all; the x-axis of every curve.
        steps: gradient steps.
        oldest: the oldest shard in the window.
        seconds: time spent on playing and learning, over all sittings.
    """

    iteration: int = 0
    games: int = 0
    samples: int = 0
    steps: int = 0
    oldest: int = 0
    seconds: float = 0.0


def train(game: Game, config: TrainConfig, watch: Watch, evaluate: Evaluate | None = None) -> Path:
    """Run the loop until `config.iterations` or `config.minutes`, going on where an earlier call stopped.

    Args:
        game: what is played.
        config: see `TrainConfig`.
        watch: told of everything that happens.
        evaluate: measures a checkpoint; None = nobody asks how strong it is.

    Returns:
        the manifest of the last checkpoint.

    Raises:
        UsageError, FileError: the settings, the folder or its files cannot be used; the text says why.
        KeyboardInterrupt: Ctrl-C; the last checkpoint stands.
    """
    _check_settings(game, config)
    run = RunFolder(Path(config.folder) / config.run_name, asdict(config), _defaults(game))
    with _cluster(game, config), run, watch, contextlib.ExitStack() as workers:
        learner, window, now, path = _resume(run, game, config)
        weights, evaluator = learner.network.parameter_count, checkpoint.read(path).notes["evaluator"]
        watch.begin(run.path, weights, evaluator, now.samples, now.iteration)
        pool = workers.enter_context(_pool(run, game, config, learner, path))
        far = None if isinstance(pool, Pool) else pool.elsewhere
        _evaluate_if_due(run, config, now, path, evaluate, far, watch, _calibration(config, window.newest, None))
        while not _enough(config, now):
            began = time.perf_counter()
            watch.iteration(now.iteration, config.selfplay.games, _share_done(config, now))
            played = _play(run, game, config, pool, learner, now, path, watch)
            _play_ahead(config, pool, learner, now)
            found, honest = learner.validate(window.rows(played.episodes[:VALIDATED_GAMES]))
            curves = _calibration(config, played.episodes, honest)

            window.add(now.iteration, played.episodes)
            samples = now.samples + sum(e.samples for e in played.episodes)
            oldest = window.trim(samples)
            seed = key_of(config.seed, "batches", now.iteration)
            taught = learner.train(window.batches(len(played.episodes), config.learner.batch, seed), samples)

            now = Counters(
                now.iteration + 1,
                now.games + len(played.episodes),
                samples,
                learner.steps,
                oldest,
                now.seconds + time.perf_counter() - began,
            )
            path = _store(run, game, config, learner, now, checkpoint.read(path).notes)
            figures = _figures(config, played, window, found, taught, curves)
            run.log({"iteration": now.iteration, "samples": now.samples, "seconds": now.seconds, **figures})
            watch.report(now.samples, now.iteration, figures)
            _evaluate_if_due(run, config, now, path, evaluate, far, watch, curves)
        return path


def _defaults(game: Game) -> dict[str, Any]:
    """What every setting is where nothing is said: how a run was that began before the setting existed."""
    options = {f.name: f.default for f in fields(game.options_type)}
    return {**asdict(TrainConfig()), "game": {"content": None, **options}}


def _check_settings(game: Game, config: TrainConfig) -> None:
    """Refuse settings that do not suit the game or one another, before anything is written."""
    search, selfplay = config.search, config.selfplay
    if search.opponents == "agent":
        raise UsageError(
            "search.opponents is 'agent', but in self-play there is no other agent to ask: expected 'searched', or "
            "'network', 'scripted' or 'random' for who plays without a search"
        )
    search.validate(game, has_network=True)
    least = max(1, selfplay.fast_simulations)
    if search.planned_simulations < least:
        raise UsageError(f"search.simulations is {search.simulations}: self-play expects {least} or more")
    if search.leaf != "network":
        raise UsageError(f"search.leaf is {search.leaf!r}, but self-play teaches a network by asking it: use 'network'")
    if search.stop_early:
        raise UsageError(
            "search.stop_early is true, but the shares of visits are what is learned: expected false in self-play"
        )
    for name in ("scripted_games", "sampled_script") if game.kernels.scripted is None else ():
        if wanted := getattr(selfplay, name):
            raise UsageError(f"selfplay.{name} is {wanted}, but {game.name} has no scripted player: expected 0")


def _resume(run: RunFolder, game: Game, config: TrainConfig) -> tuple[Learner, Window, Counters, Path]:
    """The learner, the window and the counters of the last checkpoint; of the first, if there is none yet."""
    learner = _learner(make_network(game, config.net, key_of(config.seed, "network")), config)
    window = Window(game, config.replay)
    if not any(run.checkpoints.glob("iteration-*.json")):
        chosen = choose(learner.network, config.evaluator, batch_of(game, config.selfplay, config.search))
        notes = {"orion": __version__, "evaluator": f"{chosen.backend} {chosen.precision}"}
        return learner, window, Counters(), _store(run, game, config, learner, Counters(), notes)
    path = checkpoint.find(run.checkpoints)
    found = checkpoint.read(path)
    identity = identity_of(game)
    identity.check(found.identity.as_json(), f"checkpoint {str(path)!r}")
    if len(str(found.notes.get("evaluator")).split()) != 2:
        raise FileError(
            f"checkpoint {str(path)!r} does not say in 'notes' what 'evaluator' played: expected 'torch fp32'"
        )
    if found.learner is None:
        raise FileError(f"checkpoint {str(path)!r} holds no learner's state: it can play, but not be trained further")
    learner.load(
        checkpoint.read_tensors(path.parent / found.learner), checkpoint.read_tensors(path.parent / found.weights)
    )
    try:
        now = Counters(**found.counters)  # type: ignore[arg-type]
    except TypeError as error:
        raise FileError(f"checkpoint {str(path)!r} counts what this version of Orion does not know: {error}") from None
    for number in range(now.oldest, now.iteration):
        window.add(number, read_shard(run.shard(number), identity).episodes)
    run.rewind_log(now.iteration)
    return learner, window, now, path


def _evaluator_of(path: Path, config: TrainConfig) -> EvaluatorConfig:
    """The evaluator asked for; where that is "auto", the one that was chosen when the run began."""
    if config.evaluator.backend != "auto":
        return config.evaluator
    backend, precision = str(checkpoint.read(path).notes["evaluator"]).split()
    return dataclasses.replace(config.evaluator, backend=backend, precision=precision)


def _enough(config: TrainConfig, now: Counters) -> bool:
    """Whether the run is over. It also ends when less than half an iteration's time is left."""
    if config.iterations and now.iteration >= config.iterations:
        return True
    usual = now.seconds / now.iteration if now.iteration else 0.0
    return bool(config.minutes) and now.seconds + usual / 2 >= 60 * config.minutes


def _share_done(config: TrainConfig, now: Counters) -> float | None:
    """How much of the run is over, 0 to 1; None if it has no end."""
    shares = []
    if config.iterations:
        shares.append(now.iteration / config.iterations)
    if config.minutes:
        shares.append(now.seconds / (60 * config.minutes))
    return min(max(shares), 1.0) if shares else None


def _play(
    run: RunFolder,
    game: Game,
    config: TrainConfig,
    pool: Pool | RayPool,
    learner: Learner,
    now: Counters,
    path: Path,
    watch: Watch,
) -> Played:
    """The games of an iteration: played and written, or read if these very weights had played them before a crash."""
    playing, staleness = learner.average, 0
    if config.runtime.overlap and now.iteration:
        path, staleness = path.with_name(f"iteration-{now.iteration - 1:06d}.json"), 1
        playing = checkpoint.read_tensors(path.parent / checkpoint.read(path).weights)
    identity, weights = identity_of(game), checkpoint.read(path).weights
    file = run.shard(now.iteration)
    numbers = list(range(now.games, now.games + config.selfplay.games))
    if file.exists():
        try:
            shard = read_shard(file, identity)
            if shard.weights == weights and [e.number for e in shard.episodes] == numbers:
                return Played(shard.episodes, Counts(), 0.0)
        except FileError:
            pass  # no checkpoint counts on it yet: play it again
    played = pool.play(playing, config.seed, numbers[0], len(numbers), watch.games)
    write_shard(file, Shard(played.episodes, weights), identity)
    run.prune_parts(numbers[-1] + 1)
    if played.figures:
        played = dataclasses.replace(played, figures={**played.figures, "runtime/staleness": float(staleness)})
    return played


@contextlib.contextmanager
def _cluster(game: Game, config: TrainConfig) -> Iterator[None]:
    """The cluster that is asked for, which has to answer, and to have room, before anything is written."""
    if config.runtime.kind == "local":
        yield
        return
    from orion_ai.distributed.cluster import Cluster
    from orion_ai.distributed.pool import check
    from orion_ai.distributed.staff import check_room

    plan = plan_of(config, config.evaluator)
    check(game, plan)
    with Cluster(config.runtime) as cluster:
        check_room(cluster, plan)
        yield


def plan_of(config: TrainConfig, evaluator: EvaluatorConfig) -> Plan:
    """What Ray's actors are told of the self-play of a run, evaluated as `evaluator` says."""
    from orion_ai.distributed.plan import Plan

    return Plan(config.game, config.net, evaluator, config.search, config.selfplay, config.runtime, config.learner)


@contextlib.contextmanager
def _pool(run: RunFolder, game: Game, config: TrainConfig, learner: Learner, path: Path) -> Iterator[Pool | RayPool]:
    """What plays the games: threads of this process, or Ray's workers."""
    evaluator = _evaluator_of(path, config)
    if config.runtime.kind == "local":
        yield Pool(game, config.selfplay, config.search, learner.network, evaluator)
        return
    from orion_ai.distributed.pool import RayPool

    plan = plan_of(config, evaluator)
    with RayPool(game, plan, run.parts) as pool:
        if config.runtime.learners > 1:
            from orion_ai.distributed.learners import RayLearner

            assert isinstance(learner, RayLearner)
            learner.open(pool.cluster, plan)
        yield pool


def _learner(network: Network, config: TrainConfig) -> Learner:
    """What makes the gradient steps: this process, or several of Ray's."""
    if config.runtime.learners == 1:
        return Learner(network, config.learner)
    from orion_ai.distributed.learners import RayLearner

    return RayLearner(network, config.learner, config.runtime.learners)


def _play_ahead(config: TrainConfig, pool: Pool | RayPool, learner: Learner, now: Counters) -> None:
    """Under `runtime.overlap`: begin the next iteration's games with the weights from before this one's learning."""
    if config.runtime.overlap and not isinstance(pool, Pool):
        following = dataclasses.replace(now, iteration=now.iteration + 1)
        if not _enough(config, following):
            pool.start(learner.average, config.seed, now.games + config.selfplay.games, config.selfplay.games)


def _store(
    run: RunFolder, game: Game, config: TrainConfig, learner: Learner, now: Counters, notes: Mapping[str, Any]
) -> Path:
    made = Checkpoint(identity_of(game), config.net, "", "", asdict(now), {"seed": config.seed}, asdict(config), notes)
    path = checkpoint.write(run.checkpoints, made, learner.average, learner.state())
    checkpoint.prune(run.checkpoints, config.keep, config.keep_every)
    run.prune_shards(now.oldest)
    return path


def _calibration(config: TrainConfig, episodes: list[Episode], network: Reliability | None) -> dict[str, Reliability]:
    """Own values against outcomes: the network's on unseen games, where it was asked, and those of the searches."""
    searched = [e for e in episodes if config.selfplay.phase(e.number) == "searched" and e.samples]
    curves = {} if network is None else {NETWORK: network}
    if searched:
        said = [e.values[np.arange(e.samples), e.seats] for e in searched]
        came = [e.returns[e.seats] for e in searched]
        curves[SEARCH] = reliability(np.concatenate(said), np.concatenate(came))
    return curves


def against_script(config: TrainConfig, episodes: list[Episode]) -> dict[str, float]:
    """How the network's policy fared in those games that the scripted player took part in; empty without any."""
    found = []
    for e in episodes:
        seat = scripted_seat(config.selfplay, config.seed, e.number, len(e.returns))
        if seat >= 0:
            found.append(float(np.delete(e.returns, seat).mean()))
    return {"selfplay/utility_against_script": sum(found) / len(found)} if found else {}


def _figures(
    config: TrainConfig,
    played: Played,
    window: Window,
    found: Mapping[str, float],
    taught: Mapping[str, float],
    curves: Mapping[str, Reliability],
) -> dict[str, float]:
    """What an iteration is remembered by, under the names that TensorBoard shows."""
    figures = {f"fresh/{name}": number for name, number in found.items()}
    figures |= {f"learner/{name}": number for name, number in taught.items()}
    figures["replay/samples"] = float(window.samples)
    lengths = [len(e.actions) for e in played.episodes]
    figures["selfplay/steps_a_game"] = sum(lengths) / len(lengths)
    figures |= against_script(config, played.episodes)
    if played.seconds:
        for name, count in asdict(played.counts).items():
            figures[f"selfplay/{name}_a_second"] = count / played.seconds
    figures |= played.searches.figures()
    if SEARCH in curves:
        figures["search/calibration_error"] = curves[SEARCH].calibration_error
    return {**figures, **played.figures}


def _evaluate_if_due(
    run: RunFolder,
    config: TrainConfig,
    now: Counters,
    path: Path,
    evaluate: Evaluate | None,
    far: Far | None,
    watch: Watch,
    curves: Mapping[str, Reliability],
) -> None:
    """Measure the bot now and then, and at the end; once for each checkpoint, whatever was interrupted."""
    last = _enough(config, now)
    every = config.evaluation.every
    due = now.iteration > 0 and (last or (every > 0 and now.iteration % every == 0))
    blocks = config.evaluation.final_blocks if last else config.evaluation.blocks
    if evaluate is None or not due or not blocks:
        return
    if any(e.get("iteration") == now.iteration and e.get("blocks", 0) >= blocks for e in run.entries()):
        return
    figures = dict(evaluate(path, blocks, far))
    run.log({"iteration": now.iteration, "samples": now.samples, "blocks": blocks, **figures})
    watch.evaluated(now.samples, figures, curves)
