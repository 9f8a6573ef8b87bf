"""What does the Ray runtime cost, how does it scale, and where would it saturate?

    python experiments/ray_scaling/run.py workers    games/s in threads here, and by one to four workers
    python experiments/ray_scaling/run.py start      seconds from nothing to the first game that has landed
    python experiments/ray_scaling/run.py server     one inference server: rows/s, fill, latency by the number of askers
    python experiments/ray_scaling/run.py costs      what the model needs: seconds a step, a call, a batch, a task
    python experiments/ray_scaling/run.py served     rows/s of one to four workers and their servers
    python experiments/ray_scaling/run.py model      how well it foretells that; throughput to 1,000 workers and 8 GPUs
    python experiments/ray_scaling/run.py gpu        with a GPU and 16 cores: moo_board, base network, a server's rows/s
    python experiments/ray_scaling/run.py memory     half an hour of Kuhn poker: resident memory of every process
    python experiments/ray_scaling/run.py report     write tables.md and model.png from the results

Run from the root of the repository on an idle machine: about ten minutes in all but for `memory`. `--quick` after the
step divides every duration by ten, to see that it works. Each step writes its figures to results/ beside this file.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from model import FITTED, Costs, Measured, bounds, calibrated, foretold, simulate, with_lanes

from engines.contract import Game
from engines.files import read_json, write_json, write_text
from orion_ai.arena.entrants import resolve
from orion_ai.arena.runner import Match
from orion_ai.distributed.cluster import import_ray
from orion_ai.distributed.door import visit
from orion_ai.distributed.matches import RayMatches
from orion_ai.distributed.plan import Plan
from orion_ai.distributed.pool import RayPool
from orion_ai.distributed.staff import Staff
from orion_ai.identity import load_game
from orion_ai.net.config import EvaluatorConfig, NetConfig
from orion_ai.net.evaluators import make_evaluator
from orion_ai.net.network import Network, make_network
from orion_ai.net.tensors import to_bytes
from orion_ai.runtime import RuntimeConfig
from orion_ai.search.config import SearchConfig
from orion_ai.selfplay.config import SelfPlayConfig
from orion_ai.selfplay.pool import Pool

HERE = Path(__file__).parent
RESULTS = HERE / "results"
QUICK = "--quick" in sys.argv
GAME = {"name": "moo_board", "players": 2}
NET = NetConfig(256, 3, 16, 64)
"""The shape of configs/net/small.yaml."""
BASE = NetConfig(512, 6, 32, 128)
SEARCH = SearchConfig("gumbel", leaf="network", simulations=32)
SELFPLAY = SelfPlayConfig(lanes=32)
SERVED = (32, 256)
"""Lanes of a worker that asks a server: half of them ask at once."""
SHARED = ((1, 1), (2, 1), (3, 1), (4, 1), (2, 2), (4, 2))
"""Workers and servers that are measured together."""
LIMIT = 256
"""Rows of their batches."""
GAMES = 16 if QUICK else 256
ROUNDS = 1 if QUICK else 3
SECONDS = 0.5 if QUICK else 5.0
MINUTES = 1.0 if QUICK else 30.0
"""How long the memory is watched."""
GPU = {"batch_s": 0.5e-3, "row_s": 0.4e-6}
"""Assumed of a GPU with the base network, until `gpu` has measured it."""
WAYS = {"door": tuple(FITTED), "call": ("call_s", "cpu_s", "cpu_row_s")}
"""How a server is asked, on its machine and from another one; what the model is to find of each."""
BANDWIDTH = 1.25e9
"""Assumed of a node's network card: 10 Gbit/s, in bytes."""


def plan(
    net: NetConfig = NET, evaluator: EvaluatorConfig | None = None, selfplay: SelfPlayConfig = SELFPLAY, **runtime: Any
) -> Plan:
    evaluator = evaluator or EvaluatorConfig("onnx")
    return Plan(GAME, net, evaluator, SEARCH, selfplay, RuntimeConfig("ray", **runtime))


def rates(pool: Pool | RayPool, network: Network, games: int) -> list[float]:
    """Games a second of some rounds, the first of them left out: it starts processes and fills caches."""
    found = []
    for number in range(ROUNDS + 1):
        played = pool.play(network.weights(), 1, number * games, games, lambda _: None)
        found.append(games / played.seconds)
    return found[1:]


def workers() -> dict[str, Any]:
    game = load_game(GAME)
    network = make_network(game, NET, 1)
    local = Pool(game, SELFPLAY, SEARCH, network, EvaluatorConfig("onnx"))
    found: dict[str, Any] = {"games": GAMES, "local": rates(local, network, GAMES)}
    import_ray("").init(num_cpus=8, log_to_driver=False, include_dashboard=False)
    for count in (1, 2, 3, 4):
        with tempfile.TemporaryDirectory() as parts, RayPool(game, plan(workers=count), Path(parts)) as pool:
            while len(pool._crew.ready()) < count:
                pool.play(network.weights(), 9, 10**6, 4 * count, lambda _: None)
                for part in Path(parts).iterdir():
                    part.unlink()
            found[f"ray {count}"] = rates(pool, network, GAMES)
    return found


def start() -> dict[str, Any]:
    game = load_game(GAME)
    network = make_network(game, NET, 1)
    seconds = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        with (
            tempfile.TemporaryDirectory() as parts,
            RayPool(game, plan(workers=1, games_per_task=1), Path(parts)) as pool,
        ):
            ready = time.perf_counter() - began
            pool.play(network.weights(), 1, 0, 1, lambda _: None)
            seconds.append({"cluster": ready, "first game": time.perf_counter() - began})
    return {"seconds": seconds}


class Askers:
    """Threads that ask a server for rows, one request after another, as the half sets of workers do: through its door,
    or by Ray's calls, as from another machine."""

    def __init__(self, ray: Any, server: Any, rows: int, size: int, count: int, near: bool) -> None:
        self.latencies: list[float] = []
        self._stop = threading.Event()
        self._arguments = ray, server, np.zeros((rows, size), np.int16)
        self._door = ray.get(server.door.remote()) if near else ""
        self._threads = [threading.Thread(target=self._ask, args=(f"asker {i}",)) for i in range(count)]

    def run(self, seconds: float) -> list[float]:
        for thread in self._threads:
            thread.start()
        time.sleep(seconds)
        self._stop.set()
        for thread in self._threads:
            thread.join()
        return self.latencies

    def _ask(self, name: str) -> None:
        ray, server, observations = self._arguments
        visitor = visit(self._door, 60.0)
        while not self._stop.is_set():
            began = time.perf_counter()
            if visitor is not None:
                visitor.ask(1, observations)
            else:
                ray.get(server.answer.remote(name, 1, observations))
            self.latencies.append(time.perf_counter() - began)
        if visitor is not None:
            visitor.close()


def server() -> dict[str, Any]:
    """The latency-throughput curve: closed loops of 1, 2, 4, ... askers by door and by call, batches of at most 128."""
    game, found = load_game(GAME), []
    limit = 128
    asked = plan(evaluator=EvaluatorConfig("torch"), workers=1, inference="server", batch_limit=limit)
    with tempfile.TemporaryDirectory() as parts, RayPool(game, asked, Path(parts)) as pool:
        staff: Staff = pool._staff
        ray, actor = pool.cluster.ray, staff.servers.ready()[0].actor
        ray.get(actor.load.remote(1, [ray.put(to_bytes(make_network(game, NET, 1).weights()))]))
        for by, rows, count in itertools.product(WAYS, (32, 120), (1, 2, 4, 8, 16)):
            staff.server_figures()
            latencies = Askers(ray, actor, rows, game.observation_size, count, by == "door").run(SECONDS)
            figures = staff.server_figures()
            quantiles = statistics.quantiles(latencies, n=20)
            found.append(
                {
                    "by": by,
                    "rows": rows,
                    "askers": count,
                    "rows/s": len(latencies) * rows / SECONDS,
                    "fill": figures["runtime/batch_fill"],
                    "latency ms": 1000 * statistics.median(latencies),
                    "95 % ms": 1000 * quantiles[-1],
                    "batch ms": figures["runtime/batch_ms"],
                }
            )
    return {"limit": limit, "curve": found}


class Timed:
    """An evaluator that remembers how long it was asked and for how many rows."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.calls, self.rows, self.seconds = inner, 0, 0, 0.0

    def evaluate(self, observations: Any) -> Any:
        began = time.perf_counter()
        found = self.inner.evaluate(observations)
        self.seconds += time.perf_counter() - began
        self.calls += 1
        self.rows += len(observations)
        return found


def costs() -> dict[str, Any]:
    """Of this machine's CPUs: a half set of lanes in this process, a call over Ray, a batch, a task."""
    from orion_ai.selfplay.worker import Worker

    game = load_game(GAME)
    network = make_network(game, NET, 1)
    evaluator = Timed(make_evaluator(network, EvaluatorConfig("torch"), 64))
    half = dataclasses.replace(SELFPLAY, lanes=SELFPLAY.lanes // 2)
    worker = Worker(game, half, SEARCH, evaluator)
    worker.play(1, range(4), lambda _: None, threading.Event())
    evaluator.calls = evaluator.rows = 0
    evaluator.seconds, games = 0.0, max(16, GAMES // 4)
    began = time.perf_counter()
    worker.play(1, range(games), lambda _: None, threading.Event())
    seconds = time.perf_counter() - began
    rows = round(evaluator.rows / evaluator.calls)

    batch_s, row_s = _batch_seconds(evaluator.inner, game.observation_size, (16, 256))
    curve = read_json(RESULTS / "server.json", "results of the step server")["curve"]
    call_s = max(1e-5, curve[0]["latency ms"] / 1000 - curve[0]["batch ms"] / 1000)
    return {
        "costs": dataclasses.asdict(
            Costs(
                rows,
                (seconds - evaluator.seconds) / evaluator.calls,
                call_s,
                batch_s,
                row_s,
                _task_seconds(),
                evaluator.calls / games,
                2 * game.observation_size + 4 * (game.num_actions + game.players),
            )
        )
    }


def served() -> dict[str, Any]:
    """What servers answer while workers play, all on the cores of this machine: rows/s in the middle of the games."""
    game = load_game(GAME)
    network = make_network(game, NET, 1)
    import_ray("").init(num_cpus=8, log_to_driver=False, include_dashboard=False)
    found = []
    for lanes in SERVED:
        for workers, servers in SHARED:
            figures = _served_rows(game, network, NET, EvaluatorConfig("torch"), workers, lanes, servers)
            found.append({"lanes": lanes, "servers": servers, **figures})
            print(found[-1], flush=True)
    return {"cores": os.cpu_count(), "limit": LIMIT, "lines": found}


def _task_seconds() -> float:
    """Of the command's process for a task: kuhn_poker, whose games cost next to nothing, by one worker."""
    small = {"name": "kuhn_poker"}
    game, net = load_game(small), NetConfig(16, 1, 4, 8)
    few = SearchConfig("gumbel", leaf="network", simulations=2)
    config = RuntimeConfig("ray", workers=1, games_per_task=1)
    made = Plan(small, net, EvaluatorConfig("torch"), few, SELFPLAY, config)
    network = make_network(game, net, 1)
    with tempfile.TemporaryDirectory() as parts, RayPool(game, made, Path(parts)) as pool:
        pool.play(network.weights(), 1, 10**6, 16, lambda _: None)
        began = time.process_time()
        games = 40 * GAMES
        pool.play(network.weights(), 1, 0, games, lambda _: None)
        return (time.process_time() - began) / games


def _measured(costs: Costs, by: str) -> list[Measured]:
    """What `server` and `served` have measured, for the model to foretell: of requests through a server's door, or by
    Ray's calls. Of one worker and one server first."""
    told = read_json(RESULTS / "served.json", "results of the step served")
    curve = read_json(RESULTS / "server.json", "results of the step server")
    found = []
    for row in curve["curve"]:
        asked = dataclasses.replace(costs, rows=row["rows"], search_s=0.0)
        if row["by"] == by:
            requests = row["rows/s"] / row["rows"]
            found.append(Measured(asked, row["askers"], curve["limit"], requests, cores=told["cores"]))
    if by == "door":  # as workers ask here
        for line in sorted(told["lines"], key=lambda line: line["workers"] * line["servers"]):
            of = with_lanes(costs, line["lanes"] / SELFPLAY.lanes)
            several = line["workers"], line["servers"], told["cores"]
            found.append(Measured(of, 2, told["limit"], line["rows/s"] / of.rows, *several))
    return found


def model() -> dict[str, Any]:
    """Calibrated by what one server did with one and two workers, it foretells what more of both do on these cores.

    Of calls from other machines only askers without a search are measured; all they cost is taken to be on the way.
    """
    plain = Costs(**read_json(RESULTS / "costs.json", "results of the step costs")["costs"])
    calibration, check, rows = {}, [], []
    of_gpu = read_json(RESULTS / "gpu.json", "")["batch bf16"] if (RESULTS / "gpu.json").exists() else GPU
    for by, names in WAYS.items():
        measured = _measured(plain, by)
        fitted = calibration[by] = calibrated([one for one in measured if one.calibrates], names)
        for one in measured:
            check.append(
                {
                    "by": by,
                    "workers": one.workers,
                    "servers": one.servers,
                    "sets": one.halves,
                    "rows": one.costs.rows,
                    "measured": one.requests,
                    "calibrates": one.calibrates,
                    "foretold": foretold(one, fitted),
                }
            )
        gpu = dataclasses.replace(plain, **fitted, **of_gpu)
        for lanes, servers, count in itertools.product(SERVED, (1, 2, 4, 8), (8, 32, 125, 500, 1000)):
            costs = with_lanes(gpu, lanes / SELFPLAY.lanes)
            out = simulate(costs, -(-count // servers), 1024, 0.002, 0.2 if QUICK else 1.0)
            parts = bounds(costs, count, servers, 1024, 4, None if by == "door" else BANDWIDTH)
            games = min(servers * out.requests / costs.requests_a_game, *parts.values())
            row = {"by": by, "lanes": lanes, "servers": servers, "workers": count, "games/s": games}
            rows.append({**row, **dataclasses.asdict(out), "bounds": parts})
    return {"gpu": of_gpu, "calibration": calibration, "check": check, "rows": rows}


def gpu(device: str = "cuda", workers: int = 14, net: NetConfig = BASE, lanes: int = 256) -> dict[str, Any]:
    """Rows a second of a server on a GPU that so many workers ask, beside two cores; what a batch costs the GPU.

    Five minutes at most on 16 cores, the compiling of moo_board in it. What is known is written at once.
    """
    import torch

    if device == "cuda" and not torch.cuda.is_available():
        sys.exit(
            f"run.py gpu: torch {torch.__version__} sees no GPU (it was built for CUDA {torch.version.cuda}): "
            "`nvidia-smi` shows whether there is one; https://pytorch.org names the build for it"
        )
    game = load_game(GAME)
    network = make_network(game, net, 1)
    two = dataclasses.replace(SELFPLAY, workers=2)
    pool = Pool(game, two, SEARCH, network, EvaluatorConfig("onnx"))
    played = pool.play(network.weights(), 1, 0, 8 if QUICK else 32, lambda _: None)
    found: dict[str, Any] = {"two cores": {"rows/s": played.counts.evaluations / played.seconds}}
    _write_gpu(found)
    for precision in ("fp32", "bf16"):
        evaluator = EvaluatorConfig("torch", precision, device)
        found[f"server {precision}"] = _served_rows(game, network, net, evaluator, workers, lanes)
        _write_gpu(found)
        batch_s, row_s = _batch_seconds(make_evaluator(network, evaluator, 1024), game.observation_size, (64, 1024))
        found[f"batch {precision}"] = {"batch_s": batch_s, "row_s": row_s}
        _write_gpu(found)
    return found


def _write_gpu(found: dict[str, Any]) -> None:
    print(found, flush=True)
    write_json(RESULTS / "gpu.json", found)


def _served_rows(
    game: Game,
    network: Network,
    net: NetConfig,
    evaluator: EvaluatorConfig,
    workers: int,
    lanes: int,
    servers: int = 1,
    limit: int = LIMIT,
) -> dict[str, float]:
    """What servers do while all their workers play, in the middle of their games."""
    settings = {"inference": "server", "workers_per_inference_server": -(-workers // servers), "workers": workers}
    settings["gpus_per_server"] = 1.0 if evaluator.device == "cuda" else 0.0
    made = plan(net, evaluator, dataclasses.replace(SELFPLAY, lanes=lanes), **settings, batch_limit=limit)
    with tempfile.TemporaryDirectory() as parts, RayPool(game, made, Path(parts)) as pool:
        pool.start(network.weights(), 1, 0, 100 * workers * lanes)
        until = time.monotonic() + 90
        while len(pool._crew.ready()) < workers and time.monotonic() < until:
            time.sleep(0.5)
        time.sleep(SECONDS)
        _figures(pool)
        began = time.perf_counter()
        time.sleep(4 * SECONDS)
        done = _figures(pool)
        return {
            "workers": len(pool._crew.ready()),
            "rows/s": done["rows"] / (time.perf_counter() - began),
            "fill": done["rows"] / max(done["batches"], 1) / limit,
            "batch ms": 1000 * done["busy"] / max(done["batches"], 1),
            "queue ms": 1000 * done["waited"] / max(done["rows"], 1),
        }


def _figures(pool: RayPool) -> dict[str, float]:
    """What all servers have done since this was last asked."""
    ray = pool.cluster.ray
    said = ray.get([server.actor.figures.remote() for server in pool._staff.servers.ready()])
    return {key: sum(one[key] for one in said) for key in said[0]}


def _batch_seconds(evaluator: Any, size: int, rows: tuple[int, int]) -> tuple[float, float]:
    """An evaluator's seconds for a batch, and more for each of its rows."""
    times = []
    for count in rows:
        batch = np.zeros((count, size), np.int16)
        evaluator.evaluate(batch)
        began, done = time.perf_counter(), 0
        while time.perf_counter() - began < SECONDS / 5:
            evaluator.evaluate(batch)
            done += 1
        times.append((time.perf_counter() - began) / done)
    row_s = (times[1] - times[0]) / (rows[1] - rows[0])
    return max(0.0, times[0] - rows[0] * row_s), row_s


def memory() -> dict[str, Any]:
    """Resident MB of every process while rounds of Kuhn poker are played, in turn with the network in the worker and in
    a server, and a match between them; a line every ten seconds."""
    small = {"name": "kuhn_poker"}
    game, net = load_game(small), NetConfig(32, 1, 4, 16)
    search = SearchConfig("gumbel", leaf="network", simulations=16)
    network = make_network(game, net, 1)
    made = [
        Plan(small, net, EvaluatorConfig("torch"), search, SelfPlayConfig(lanes=16), RuntimeConfig("ray", **settings))
        for settings in ({"workers": 1}, {"workers": 1, "inference": "server"})
    ]
    agents = resolve([{"agent": "ismcts", "search": {"simulations": 20}}, "random"])
    match = Match(small, agents, 1, 16)
    lines, rounds = list[dict[str, Any]](), 0
    import_ray("").init(num_cpus=4, log_to_driver=False, include_dashboard=False, object_store_memory=100 << 20)
    with contextlib.ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in made]
        pools = [stack.enter_context(RayPool(game, p, f)) for p, f in zip(made, folders, strict=True)]
        far = stack.enter_context(RayMatches(match, RuntimeConfig("ray", workers=1)))
        began = now = 0.0
        while now < 60 * MINUTES:
            for pool, folder in zip(pools, folders, strict=True):
                pool.play(network.weights(), 1, 200 * rounds, 200, lambda _: None)
                for part in folder.iterdir():
                    part.unlink()
            list(far.play([(0, 1), (1, 0)], [range(50 * rounds, 50 * rounds + 50)]))
            rounds += 1
            began = began or time.monotonic()  # when everybody has played once
            now = time.monotonic() - began
            if not lines or now - lines[-1]["seconds"] >= 10:
                lines.append({"seconds": now, "rounds": rounds, **_resident()})
        return {"lines": lines, "processes": _slopes(lines, _titles())}


def _resident() -> dict[str, float]:
    """MB of this process and of those below it, by number."""
    found = {}
    for process in (psutil.Process(), *psutil.Process().children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            found[str(process.pid)] = process.memory_info().rss / 2**20
    return found


def _titles() -> dict[str, str]:
    """What those processes are, by number."""
    below = psutil.Process().children(recursive=True)
    found = {str(p.pid): (p.cmdline() or [p.name()])[0].rpartition("/")[2] for p in below}
    return {**found, str(os.getpid()): "command"}


def _slopes(lines: list[dict[str, Any]], titles: dict[str, str]) -> list[dict[str, Any]]:
    """Of each process that was there all the time: MB at the end, MB an hour over the last half."""
    late = lines[len(lines) // 2 :]
    hours = np.array([line["seconds"] for line in late]) / 3600
    names = [n for n in late[0] if n not in ("seconds", "rounds") and all(n in line for line in late)]
    fits = {n: float(np.polyfit(hours, [line[n] for line in late], 1)[0]) for n in names}
    return [{"process": titles[n], "MB": late[-1][n], "MB an hour": fits[n]} for n in names if n in titles]


def report() -> None:
    lines = ["# Tables of the Ray experiment", "", "Written by `run.py report`.", ""]
    found = read_json(RESULTS / "workers.json", "results of the step workers")
    best = {name: max(found[name]) for name in ("local", *(f"ray {n}" for n in (1, 2, 3, 4)))}
    lines += ["| | games/s, best of the rounds | ratio |", "|---|---|---|"]
    lines += [f"| {name} | {rate:.2f} | {rate / best['local']:.2f} |" for name, rate in best.items()]
    lines += ["", f"Two workers against one: {best['ray 2'] / best['ray 1']:.2f}.", ""]
    for s in read_json(RESULTS / "start.json", "results of the step start")["seconds"]:
        lines.append(f"- cluster after {s['cluster']:.1f} s, first game after {s['first game']:.1f} s")
    curve = read_json(RESULTS / "server.json", "results of the step server")["curve"]
    lines += ["", "| " + " | ".join(curve[0]) + " |", "|" + "---|" * len(curve[0])]
    lines += ["| " + " | ".join(x if isinstance(x, str) else f"{x:.3g}" for x in row.values()) + " |" for row in curve]
    said = read_json(RESULTS / "model.json", "results of the step model")
    lines += ["", "What a request costs, in µs (model.py says what they are):", ""]
    lines += ["| by | " + " | ".join(FITTED) + " |", "|" + "---|" * (1 + len(FITTED))]
    for by, fitted in said["calibration"].items():
        lines.append(f"| {by} | " + " | ".join(f"{1e6 * fitted.get(name, 0.0):.1f}" for name in FITTED) + " |")
    lines += [
        "",
        "| by | workers | servers | sets a worker | rows a request | requests/s measured | by the model | ratio | |",
        "|" + "---|" * 9,
    ]
    lines += [
        f"| {c['by']} | {c['workers']} | {c['servers']} | {c['sets']} | {c['rows']} | {c['measured']:.0f} | "
        f"{c['foretold']:.0f} | {c['foretold'] / c['measured']:.2f} | "
        f"{'calibrates' if c['calibrates'] else 'foretold'} |"
        for c in said["check"]
    ]
    lines += [
        "",
        "| by | lanes | servers | workers | games/s | fill | latency ms | server busy | tightest bound |",
        "|" + "---|" * 9,
    ]
    for row in said["rows"]:
        tightest = min(row["bounds"], key=row["bounds"].get)
        lines.append(
            f"| {row['by']} | {row['lanes']} | {row['servers']} | {row['workers']} | {row['games/s']:.1f} | "
            f"{row['fill']:.2f} | {1000 * row['latency_s']:.2f} | {row['busy']:.2f} | {tightest} |"
        )
    watched = read_json(RESULTS / "memory.json", "results of the step memory")
    minutes = watched["lines"][-1]["seconds"] / 60
    lines += ["", f"Resident memory after {minutes:.0f} minutes, and its slope over the last half of them:", ""]
    lines += ["| process | MB | MB an hour |", "|---|---|---|"]
    lines += [f"| {p['process']} | {p['MB']:.0f} | {p['MB an hour']:+.1f} |" for p in watched["processes"]]
    write_text(HERE / "tables.md", "\n".join(lines) + "\n")
    _picture(said["rows"])


def _picture(rows: list[dict[str, Any]]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    for number, servers in enumerate(sorted({row["servers"] for row in rows})):
        for by, line in zip(WAYS, ("o-", "o--"), strict=True):
            some = [r for r in rows if (r["servers"], r["lanes"], r["by"]) == (servers, SERVED[-1], by)]
            label = f"{servers} servers, {by}"
            axes.plot([r["workers"] for r in some], [r["games/s"] for r in some], line, color=f"C{number}", label=label)
    axes.set(xlabel="workers", ylabel="games/s (simulated)", xscale="log", yscale="log")
    axes.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(HERE / "model.png", dpi=120)


STEPS = {
    "workers": workers,
    "start": start,
    "server": server,
    "costs": costs,
    "served": served,
    "model": model,
    "gpu": gpu,
    "memory": memory,
}

if __name__ == "__main__":
    step = sys.argv[1] if len(sys.argv) > 1 else ""
    if step == "report":
        report()
    elif step in STEPS:
        write_json(RESULTS / f"{step}.json", STEPS[step]())
    else:
        sys.exit(__doc__)
