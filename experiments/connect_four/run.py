"""How often do Orion's searches find the right move in Connect Four, and how soon does a network learn it?

    python experiments/connect_four/run.py accuracy      chosen moves by simulations, playouts against OpenSpiel's
    python experiments/connect_four/run.py timed         the same at equal time, move by move in turn
    python experiments/connect_four/run.py tuning        uct by exploration constant and rule for the final move
    python experiments/connect_four/run.py curve RUN 5   the network's errors and matches over a training run, by every
                                                         fifth iteration whose checkpoint is kept, and the newest
    python experiments/connect_four/run.py network       the shipped network: policy, puct, gumbel by simulations
    python experiments/connect_four/run.py stages        shares by the number of stones, 1,000 simulations
    orion ship RUN output=checkpoints/connect_four_small  the newest checkpoint of a run as a bot
    python experiments/connect_four/run.py report        write tables.md, accuracy.png and curve.png from the results

Run from the root of the repository, with OpenSpiel installed. Each step writes its figures to results/ beside this
file. Times are the processor's, so other work on the machine does not count.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from players import (
    GAME,
    GUMBEL,
    LANES,
    PUCT,
    SCRIPTED,
    UCT,
    Deciding,
    Judged,
    OpenSpiel,
    in_turn,
    judged,
    searching,
    with_simulations,
)

from engines.files import read_json, write_json
from orion_ai import checkpoint
from orion_ai.agents import PolicyAgent, SearchAgent
from orion_ai.arena.runner import evaluate
from orion_ai.net.config import EvaluatorConfig
from orion_ai.net.evaluators import NetworkEvaluator, make_evaluator
from orion_ai.search import Search, SearchConfig, SearchReport
from orion_ai.solve.connect_four import read_positions

HERE = Path(__file__).parent
RESULTS = HERE / "results"
SHIPPED = Path("checkpoints") / "connect_four_small"
SEEDS = {30: 16, 100: 16, 300: 8, 1000: 8, 3000: 4, 10_000: 2}
"""Simulations a move -> how many runs over the test set, so that the error left is that of choosing positions."""
OPPONENT = with_simulations(UCT, 1000)
BOT_SIMULATIONS = (64, 400, 1000)
NOISY = dataclasses.replace(GUMBEL, gumbel_scale=1.0)
"""Gumbel search as it plays a match, where noise in the root makes games differ."""


def accuracy() -> None:
    """Playouts: uct beside OpenSpiel's MCTS at equal simulations."""
    problems, rows = read_positions(), []
    for simulations, seeds in SEEDS.items():
        uct = judged(problems, searching(with_simulations(UCT, simulations)), seeds)
        scripted = judged(problems, searching(with_simulations(SCRIPTED, simulations)), seeds)
        plain = judged(problems, OpenSpiel(simulations, solve=False), seeds // 2)
        solve = judged(problems, OpenSpiel(simulations, solve=True), seeds // 2)
        rows.append(row_of(simulations, uct=uct, scripted=scripted, openspiel=plain, openspiel_solve=solve))
        rows[-1]["lead"] = {"openspiel": uct.lead(plain), "openspiel_solve": uct.lead(solve)}
    write_json(RESULTS / "accuracy.json", rows)


def timed() -> None:
    """Ours and OpenSpiel's (with proven wins) with the same processor time a move, taking turns.

    OpenSpiel's simulations are given; ours are as many as take as long, by a first pass over every eighth position.
    """
    problems, rows, ours = read_positions(), [], (UCT, SCRIPTED)
    for simulations in SEEDS:
        other = OpenSpiel(simulations, solve=True)
        first = in_turn(problems[::8], [*(searching(with_simulations(c, simulations), lanes=1) for c in ours), other])
        counts = [max(1, round(simulations * first[-1].milliseconds / one.milliseconds)) for one in first[:-1]]
        mine = [searching(with_simulations(c, n), lanes=1) for c, n in zip(ours, counts, strict=True)]
        uct, scripted, solve = in_turn(problems, [*mine, other])
        rows.append(row_of(simulations, uct=uct, scripted=scripted, openspiel_solve=solve))
        rows[-1]["uct"]["simulations"], rows[-1]["scripted"]["simulations"] = counts
        rows[-1]["lead"] = {"uct": uct.lead(solve), "scripted": scripted.lead(solve)}
    write_json(RESULTS / "timed.json", rows)


def tuning() -> None:
    """uct by exploration constant, and by what picks the move: visits, mean value, or its lower bound."""
    problems, rows = read_positions(), []
    for simulations in (100, 1000, 10_000):
        seeds, default = SEEDS[simulations] // 2, with_simulations(UCT, simulations)
        usual = judged(problems, searching(default), seeds)
        for c_uct in (0.7, 1.0, 1.4, 2.0, 2.8, 4.0):
            uct = judged(problems, searching(dataclasses.replace(default, c_uct=c_uct)), seeds)
            rows.append({"c_uct": c_uct, **row_of(simulations, uct=uct), "lead": uct.lead(usual)})
        for rule, rank in (("value", by_value), ("bound", by_bound)):
            uct = judged(problems, searching(default, rank=rank), seeds)
            rows.append({"rule": rule, **row_of(simulations, uct=uct), "lead": uct.lead(usual)})
    write_json(RESULTS / "tuning.json", rows)


def stages() -> None:
    """Shares by the number of stones on the board: where do the errors lie?"""
    problems, evaluator, rows = read_positions(), evaluator_of(checkpoint.find(SHIPPED)), []
    tested = {
        "uct": searching(OPPONENT),
        "scripted": searching(with_simulations(SCRIPTED, 1000)),
        "openspiel_solve": OpenSpiel(1000, solve=True),
        "policy": Deciding(PolicyAgent(GAME, evaluator)),
        "puct": searching(with_simulations(PUCT, 1000), evaluator),
        "gumbel": searching(with_simulations(GUMBEL, 1000), evaluator),
    }
    for first, last in ((4, 9), (10, 15), (16, 21), (22, 26)):
        some = [p for p in problems if first <= len(p.actions) <= last]
        found = {n: judged(some, p, 4 if n in ("uct", "scripted", "openspiel_solve") else 1) for n, p in tested.items()}
        rows.append({"first": first, "last": last, **row_of(1000, **found)})
    write_json(RESULTS / "stages.json", rows)


def by_value(report: SearchReport) -> NDArray[np.float32]:
    """The mean value of each action."""
    return np.where(report.visits > 0, report.q, -np.inf).astype(np.float32)


def by_bound(report: SearchReport) -> NDArray[np.float32]:
    """A lower bound of the value: utilities lie in [-1, 1], so a mean of n has a deviation of at most 1 / sqrt(n)."""
    return by_value(report) - 1 / np.sqrt(np.maximum(report.visits, 1))


def network() -> None:
    """The shipped network: its policy alone, and two searches with it."""
    problems, evaluator = read_positions(), evaluator_of(checkpoint.find(SHIPPED))
    rows = [row_of(0, policy=judged(problems, Deciding(PolicyAgent(GAME, evaluator)), 1))]
    for simulations in SEEDS:
        puct = judged(problems, searching(with_simulations(PUCT, simulations), evaluator), 1)
        gumbel = judged(problems, searching(with_simulations(GUMBEL, simulations), evaluator), 1)
        rows.append(row_of(simulations, puct=puct, gumbel=gumbel))
    write_json(RESULTS / "network.json", rows)
    found = [match(evaluator, config, n, blocks=100) for n in BOT_SIMULATIONS for config in (PUCT, NOISY)]
    write_json(RESULTS / "matches.json", found)


def curve(run: str, every: str = "1") -> None:
    """Errors on the test set, and matches against uct, of checkpoints that a run has kept."""
    *kept, newest = sorted((Path(run) / "checkpoints").glob("iteration-*.json"))
    chosen = [path for path in kept if not checkpoint.read(path).counters["iteration"] % int(every)]
    write_json(RESULTS / "curve.json", [point(path) for path in [*chosen, newest]])


def point(path: Path) -> dict[str, Any]:
    """A row of the curve."""
    problems, evaluator, counters = read_positions(), evaluator_of(path), checkpoint.read(path).counters
    alone = judged(problems, Deciding(PolicyAgent(GAME, evaluator)), 1)
    puct = judged(problems, searching(with_simulations(PUCT, 400), evaluator), 1)
    row = row_of(400, policy=alone, puct=puct)
    row |= {name: counters[name] for name in ("iteration", "samples", "seconds")}
    row["matches"] = [match(evaluator, PUCT, simulations, blocks=50) for simulations in BOT_SIMULATIONS]
    return row


def match(evaluator: NetworkEvaluator, config: SearchConfig, simulations: int, blocks: int) -> dict[str, Any]:
    """A search with the network against uct: its share of the points of 2 x `blocks` games, a draw being a half."""
    bot = SearchAgent(Search(GAME, with_simulations(config, simulations), evaluator, 64), "bot")
    result = evaluate(GAME, [bot, SearchAgent(Search(GAME, OPPONENT, lanes=64), "uct")], blocks, seed=1)
    share = result.agents[0].win_share
    found = {"search": config.algorithm, "simulations": simulations, "share": share.mean, "blocks": blocks}
    print(found, flush=True)
    return {**found, "low": share.low, "high": share.high}


def evaluator_of(path: Path) -> NetworkEvaluator:
    return make_evaluator(checkpoint.load_network(path, GAME), EvaluatorConfig(backend="onnx"), LANES)


def row_of(simulations: int, **found: Judged) -> dict[str, Any]:
    """A row of results, printed and as plain data."""
    print(f"{simulations} simulations: " + "; ".join(f"{name} {one}" for name, one in found.items()), flush=True)
    return {"simulations": simulations, **{name: one.as_json() for name, one in found.items()}}


def report() -> None:
    """Tables and pictures of what has been measured."""
    import pictures

    found = {path.stem: read_json(path, "results") for path in sorted(RESULTS.glob("*.json"))}
    pictures.write(found, HERE)


if __name__ == "__main__":
    commands = {f.__name__: f for f in (accuracy, timed, tuning, curve, network, stages, report)}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
