"""orion bench: check the signature, measure speed, compare with peers.

Usage: orion bench [signature|speed|all|compile|peers] [KEY=VALUE ...]

The signature is made of integers that must be the same on every machine: sizes of game trees (perft), a hash of all
that a game's kernels say in random games, and hashes of search trees. A change that is meant to alter nothing keeps it.
Where a golden file is at hand it is compared; a difference is named part by part, and the exit code is 1.

The speed tables give, on one core: decisions a second in random play, nanoseconds of each kernel of a game, simulations
a second of each search (with an evaluator that costs nothing), evaluations a second of the default network by backend
and batch, self-play with the share of time by stage, and memory.

`compile` loads each game in a process of its own, with nothing compiled and again, and gives processor seconds: what a
new machine, or an edit of a game's rules, costs.

`peers` (also `orion bench --peers`) does the same work on OpenSpiel, pgx, mctx, PettingZoo and RLCard and on Orion, in
turn, on one core, and writes report.md, report.json and report.png: the ratios, round by round. It takes about four
minutes. Peers that are not installed are left out; pip install 'orion-ai[peers]' installs them.

Settings:
  what=all            signature, speed, all (of these two), compile or peers (the word alone will do)
  games=[...]         default: all games, with their fewest players
  seconds=6           time for each group of figures of a game
  learning=true       also networks and self-play (imports torch)
  device=cpu          where networks are measured
  golden=FILE         default tests/golden/bench.json, if there is one
  write=false         write the golden file instead of comparing; with games=[...] only their part of it
  output=runs/bench   where bench.json and bench.md are written, or the report on peers
  peers=[...]         which peers: open_spiel, pgx, mctx, pettingzoo, rlcard; default: all that are installed
  rounds=5            peers: how often the two sides take turns
  stretch=0.3         peers: seconds of a side in a round

Examples:
  orion bench signature
  orion bench speed games=[kuhn_poker] seconds=2
  orion bench speed device=cuda
  orion bench compile games=[conquest]
  orion bench peers peers=[mctx] rounds=9
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

import engines
from engines.contract import Game
from engines.errors import FileError, UsageError, choose_from
from engines.files import read_json, refuse_unwritable, write_json, write_text
from engines.registry import choose_game
from orion_ai.bench import signature, speed
from orion_ai.bench.speed import Row
from orion_ai.commands.configuration import read
from orion_ai.ranges import ABOVE_ZERO, ANY, check_ranges

__all__ = ["BenchConfig", "run"]

GOLDEN = "tests/golden/bench.json"
PARTS = ("all", "signature", "speed", "compile", "peers")


@dataclass(frozen=True)
class BenchConfig:
    """Settings of `orion bench` (the manual page explains them)."""

    what: str = "all"
    games: list[str] = field(default_factory=list)
    seconds: float = 6.0
    learning: bool = True
    device: str = "cpu"
    golden: str = ""
    write: bool = False
    output: str = "runs/bench"
    peers: list[str] = field(default_factory=list)
    rounds: int = 5
    stretch: float = 0.3

    def __post_init__(self) -> None:
        choose_from("part of the bench", self.what, PARTS)
        for name in self.games:
            choose_game(name)
        if self.what in ("speed", "compile", "peers") and (self.golden or self.write):
            raise UsageError(f"what is {self.what!r}: golden and write belong to the signature")
        if self.what != "peers" and self.peers:
            raise UsageError(f"peers is {self.peers}, but what is {self.what!r}: expected what=peers")
        positive = dict.fromkeys(("seconds", "stretch"), (ABOVE_ZERO, ANY))
        check_ranges("", self, {**positive, "rounds": (1, ANY)})


def run(argv: Sequence[str]) -> int:
    """See the module."""
    code = 0
    words = ["peers" if word == "--peers" else word for word in argv]
    for request in read("bench", BenchConfig, words, positional={"what": "signature, speed, all, compile or peers"}):
        config = request.config
        if config.what == "peers":
            _peers(config)
            continue
        folder = Path(config.output)
        refuse_unwritable(folder / "bench.json", folder / "bench.md")
        if config.write:
            refuse_unwritable(Path(config.golden or GOLDEN))
        names = config.games or list(engines.GAMES)
        report: dict[str, Any] = {"machine": speed.machine()}
        if config.what == "compile":
            report["speed"] = [dataclasses.asdict(row) for name in names for row in _compiled(name)]
        else:
            games = [engines.load(name) for name in names]
            if config.what != "speed":
                report["signature"], same = _signature(config, games)
                code = code if same else 1
            if config.what != "signature":
                report["speed"] = [dataclasses.asdict(row) for row in _speed(config, games)]
        write_json(folder / "bench.json", report)
        write_text(folder / "bench.md", _markdown(report))
        print(f"written: {folder / 'bench.json'}, {folder / 'bench.md'}")
    return code


def _peers(config: BenchConfig) -> None:
    from orion_ai.bench.peers.measure import available, measure, versions
    from orion_ai.bench.peers.report import line, report_paths, write_report

    refuse_unwritable(*report_paths(Path(config.output)))
    peers = available(config.peers, print)
    machine = {**speed.machine(), **versions(peers), "load before": round(os.getloadavg()[0], 1)}
    results, memory = measure(peers, config.games, config.rounds, config.stretch, lambda result: print(line(result)))
    machine["load after"] = round(os.getloadavg()[0], 1)
    for path in write_report(Path(config.output), machine, results, memory):
        print(f"written: {path}")


def _signature(config: BenchConfig, games: Sequence[Game]) -> tuple[dict[str, Any], bool]:
    """The signature of `games`, and whether it agrees with the golden file (or was written to it)."""
    found = {game.name: signature.game_signature(game) for game in games}
    print(f"signature {signature.total(found)}")
    for name, parts in found.items():
        print(f"  {name}: " + ", ".join(f"{key} {value}" for key, value in parts.items()))
    path = Path(config.golden or GOLDEN)
    if config.write:
        others = _golden_games(path) if config.games and path.exists() else {}
        games_now = dict(sorted({**others, **found}.items()))
        write_json(path, {"signature": signature.total(games_now), "games": games_now})
        print(f"written: {path}")
        return found, True
    if not path.exists():
        if config.golden:
            raise UsageError(f"golden file {str(path)!r} does not exist; write=true makes it")
        print(f"no golden file at {path}: nothing to compare with")
        return found, True
    differences = signature.compare(found, _golden_games(path))
    print("\n".join(differences) or f"same as {path}")
    return found, not differences


def _golden_games(path: Path) -> dict[str, Any]:
    """The signatures that the golden file holds, by game."""
    golden = read_json(path, "golden signature")
    if not isinstance(golden, dict) or not isinstance(golden.get("games"), dict):
        raise FileError(f"{str(path)!r} is no golden signature: it has no 'games'")
    games: dict[str, Any] = golden["games"]
    return games


def _speed(config: BenchConfig, games: Sequence[Game]) -> list[Row]:
    rows: list[Row] = []
    for game in games:
        new = speed.game_rows(game, config.seconds) + speed.search_rows(game, config.seconds)
        new += speed.memory_rows(game)
        if config.learning:
            from orion_ai.bench.learning_speed import network_rows, selfplay_rows

            new += network_rows(game, config.seconds, config.device) + selfplay_rows(game)
        _print(game, new)
        rows += new
    return rows


def _compiled(name: str) -> list[Row]:
    rows = speed.compile_rows(name)
    for row in rows:
        print(f"{row.game}: {row.what} {_number(row.figure)} {row.unit}")
    return rows


def _print(game: Game, rows: Sequence[Row]) -> None:
    from rich.table import Table

    table = Table("what", title=f"{game.title}, {game.players} players", title_justify="left")
    table.add_column("figure", justify="right")
    table.add_column("unit")
    for row in rows:
        table.add_row(row.what, _number(row.figure), row.unit)
    Console().print(table)


def _number(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.3g}"


def _markdown(report: dict[str, Any]) -> str:
    lines = ["# Bench", "", ", ".join(f"{key} {value}" for key, value in report["machine"].items()), ""]
    if "signature" in report:
        lines += [f"Signature {signature.total(report['signature'])}.", ""]
    if "speed" in report:
        lines += ["| game | what | figure | unit |", "|---|---|---:|---|"]
        lines += [f"| {r['game']} | {r['what']} | {_number(r['figure'])} | {r['unit']} |" for r in report["speed"]]
        lines.append("")
    return "\n".join(lines)
