"""The table and the pictures of run.py's results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from engines.files import read_json, write_text

Rows = list[dict[str, Any]]


def write_report(plan: Mapping[str, Any], results: Path, folder: Path) -> None:
    """Write tables.md and GAME.png into `folder`, from whatever has been measured."""
    texts = ["# Results\n", "Exploitability, mean over seeds ± its 95 % interval; pooled over the seeds in brackets.\n"]
    for game in plan["games"]:
        found = {agent: rows_of(results / game / f"{agent}.json") for agent in [*plan["agents"], "openspiel"]}
        found = {agent: rows for agent, rows in found.items() if rows}
        if found:
            scale = read_json(results / game / "scale.json", "results")
            texts += [f"## {game}\n", table(found, plan["simulations"]), scale_line(scale)]
            draw(found, scale, game, folder / f"{game}.png")
    write_text(folder / "tables.md", "\n".join(texts))


def rows_of(path: Path) -> Rows:
    return sorted(read_json(path, "results"), key=lambda row: row["simulations"]) if path.exists() else []


def table(found: Mapping[str, Rows], simulations: list[int]) -> str:
    """One line an agent, one column a number of simulations."""
    lines = [["search", *(f"{n:,}" for n in simulations), "ms a decision at most"], ["---"] * (len(simulations) + 2)]
    for agent, rows in found.items():
        by = {row["simulations"]: cell(row) for row in rows}
        seconds = rows[-1].get("milliseconds")
        lines.append([f"`{agent}`", *(by.get(n, "") for n in simulations), "" if seconds is None else f"{seconds:.2g}"])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def cell(row: Mapping[str, Any]) -> str:
    spread = row["exploitability"]
    high = spread.get("high")
    between = "" if high is None else f" ± {high - spread['mean']:.3f}"
    pooled = f" ({row['pooled']:.3f})" if "pooled" in row and len(row["values"]) > 1 else ""
    return f"{spread['mean']:.3f}{between}{pooled}"


def scale_line(scale: Mapping[str, Any]) -> str:
    ends = [f"{value:.2g} after {count:,}" for count, value in scale["cfr_plus"] if count in (10, 100, 1000, 10_000)]
    return f"Uniform play: {scale['uniform']:.3f}. CFR+ over the whole tree: {', '.join(ends)} iterations.\n"


def draw(found: Mapping[str, Rows], scale: Mapping[str, Any], game: str, path: Path) -> None:
    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    for number, (agent, rows) in enumerate(found.items()):
        x = [row["simulations"] for row in rows]
        y = [row["exploitability"]["mean"] for row in rows]
        axes.plot(x, y, "o-" if number < 10 else "s--", color=f"C{number % 10}", label=agent, markersize=4)
    axes.axhline(scale["uniform"], color="grey", linestyle=":", label="uniform play")
    axes.set(xscale="log", yscale="log", xlabel="simulations a decision", ylabel="exploitability", title=game)
    axes.legend(fontsize=7, ncols=2)
    figure.savefig(path, dpi=120)
    plt.close(figure)
