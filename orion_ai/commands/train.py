"""orion train: train a network by self-play, resumable.

Usage: orion train [-m] [experiment=NAME] [KEY=VALUE ...]

Repeats iterations: play games with the present network (Gumbel search for every seat), keep them as a shard, learn from
the window of recent games, store a checkpoint, and now and then measure the bot in the arena. Ends after `iterations`
or `minutes`, whichever is first (0 = no bound), with a table: the bot against its own untrained network and `against`.

Everything is in FOLDER/NAME: config.yaml, code.json, checkpoints, shards, log.jsonl, TensorBoard's events. After
Ctrl-C, a crash or kill -9 the same command goes on from the last checkpoint; with greater `iterations` or `minutes`
it extends the run. With evaluator.backend=torch or onnx, on the CPU, an interrupted run ends with the same bits as one
that was left alone. `-m` trains once for each combination of values given with commas: one after another, or with
runtime=ray side by side.

Settings:
  experiment=NAME     a complete setting from configs/experiment: quickstart (moo_board, five minutes), kuhn (seconds)
  game=NAME, players=N, game.OPTION=VALUE         what is played
  name=NAME           folder of the run in `folder` (default: the game's name in runs)
  iterations=N, minutes=T                         when to stop
  net=tiny|small|base                             the network's size; net.width, net.blocks, ...
  search.simulations=N, search.KEY=VALUE          the search that plays
  selfplay.games=N    games of an iteration; selfplay.workers=N threads that play them, selfplay.lanes=N in each
  replay.window=N     samples kept; replay.reuse=X: how often each game is trained on
  learner.batch=N, learner.learning_rate=X, ...   the optimiser
  evaluator.backend=auto|torch|onnx               what runs the network while playing; evaluator.precision=fp32|bf16
  runtime=local|ray   threads of this process, or Ray's workers (docs/distributed.md); runtime.workers=N, ...
  evaluation.every=N  iterations between measurements; evaluation.against=[random,...]
  seed=N              names every random number of the run

Curves (TensorBoard and log.jsonl; the x-axis is samples, the decisions played so far that can be trained on):
  fresh/*      the network on games it has not been trained on: policy (cross-entropy, nats; it cannot fall below
               target_entropy), value (mean squared error of returns), score, entropy, calibration_error (of values)
  learner/*    the same on the batches of the iteration, gradient norm, learning rate, gradient steps
  selfplay/*   games, decisions, simulations and evaluations a second; steps a game
  search/*     the full searches of self-play: depth, nodes, effective worlds, share of simulations refused a node,
               entropy of the policy target and its divergence from the prior, calibration_error of their values
  calibration  a picture at each evaluation: predicted values against outcomes
  arena/*      measured strength: mean utility and win share in the match, Elo above each other agent

Examples:
  orion train experiment=quickstart
  orion train experiment=kuhn name=first
  orion train game=moo_board players=3 net=base minutes=600 name=three selfplay.workers=8
  orion train -m experiment=kuhn search.simulations=8,32
  tensorboard --logdir runs
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from engines.contract import Game
from orion_ai.arena.entrants import resolve
from orion_ai.arena.report import table
from orion_ai.arena.result import ArenaResult
from orion_ai.arena.runner import Match, Players, measure
from orion_ai.commands.configuration import Request, load_game, read
from orion_ai.commands.sweep import side_by_side
from orion_ai.loop import Far, TrainConfig, train
from orion_ai.watch import Watch

__all__ = ["run"]

TRAINED, UNTRAINED = "trained", "untrained"


def run(argv: Sequence[str]) -> int:
    """See the module."""
    console = Console(highlight=False)
    requests = read("train", TrainConfig, argv, sweep=True)
    if len(requests) > 1 and all(request.config.runtime.kind == "ray" for request in requests):
        return side_by_side(requests, console)
    for request in requests:
        if request.job is not None:
            console.print(f"job {request.job}: {' '.join(request.overrides)}", markup=False)
        _train(request, console)
    return 0


def _train(request: Request[TrainConfig], console: Console) -> None:
    config = request.config
    if request.job is not None:
        config = dataclasses.replace(config, name=f"{config.run_name}-{request.job}")
    game = load_game(config.game)
    _prepare(config, game)
    results: list[ArenaResult] = []

    def evaluate(manifest: Path, blocks: int, far: Far | None) -> Mapping[str, float]:
        match = _match(config, manifest)
        results.append(measure(match, game, blocks, far and far(match)))
        return _figures(results[-1])

    try:
        manifest = train(game, config, Watch(console), evaluate)
    except KeyboardInterrupt:
        folder = Path(config.folder) / config.run_name
        print(f"orion train: the last checkpoint is kept in {folder}; the same command goes on", file=sys.stderr)
        raise
    if results:
        console.print(table(results[-1]))
    console.print(f"trained: {manifest}", markup=False, soft_wrap=True)
    folder = manifest.parent.parent
    words = f"game={game.name} players={game.players} agents=[{folder}]"
    console.print(f"play against it: orion play {words}", markup=False, soft_wrap=True)


def _prepare(config: TrainConfig, game: Game) -> None:
    """Make the agents that the bot will meet once: a mistake shows now, not after the first games."""
    if against := resolve(config.evaluation.against):
        with Players(1) as players:
            players.prepare(Match(config.game, against, config.seed, 1), game)


def _match(config: TrainConfig, manifest: Path) -> Match:
    """A match of the bot, its untrained network and the configured agents, searching and evaluated as in training."""
    search = dataclasses.asdict(config.search)
    evaluator = {key: value for key, value in dataclasses.asdict(config.evaluator).items() if value != "auto"}
    if config.runtime.gpus_per_server:  # the GPUs are the servers', and may be on other machines
        del evaluator["device"]
    first = manifest.with_name("iteration-000000.json")
    networks = [
        {"agent": "gumbel", "name": name, "checkpoint": str(path), "search": search, "evaluator": evaluator}
        for name, path in ((TRAINED, manifest), (UNTRAINED, first))
    ]
    entrants = resolve([*networks, *config.evaluation.against])
    return Match(config.game, entrants, config.seed, config.selfplay.lanes)


def _figures(result: ArenaResult) -> dict[str, float]:
    """What TensorBoard shows of a match: the bot's own figures, and its Elo above each of the others."""
    bot, *others = result.agents
    figures = {"arena/utility": bot.utility.mean, "arena/win_share": bot.win_share.mean}
    figures |= {f"arena/elo_above_{other.name}": bot.elo.mean - other.elo.mean for other in others}
    return {name: number for name, number in figures.items() if math.isfinite(number)}
