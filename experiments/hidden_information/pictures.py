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
        networks = plan["networks"].get(game, {"agents": {}})["agents"]
        agents = [*plan["agents"], *networks, "openspiel"]
        found = {agent: rows_of(results / game / f"{agent}.json") for agent in agents}
        found = {agent: rows for agent, rows in found.items() if rows}
        if found:
            scale = read_json(results / game / "scale.json", "results")
            learned = plan["games"][game].get("learn")
            texts.append(f"## {game}\n")
            if learned:
                texts.append(f"Lower bounds, by an exploiter of each seat that learns from {learned:,} games.\n")
            texts += [
                table(found, plan["simulations"]),
                scale_line(scale),
                *match_of(results / game / "match.json", plan),
            ]
            draw(found, scale, game + (", lower bounds" if learned else ""), folder / f"{game}.png")
    write_text(folder / "tables.md", "\n".join(texts))


def match_of(path: Path, plan: Mapping[str, Any]) -> list[str]:
    """The table of the match that is kept beside the measurements of its game."""
    if not path.exists():
        return []
    head, *rows = read_json(path, "results")
    lines = [head, ["---"] * len(head), *rows]
    said = f"Each against each, {plan['match']['simulations']} simulations a decision:\n"
    return [said, "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"]


def rows_of(path: Path) -> Rows:
    return sorted(read_json(path, "results"), key=lambda row: row["simulations"] or 0) if path.exists() else []


def table(found: Mapping[str, Rows], simulations: list[int]) -> str:
    """One line an agent, one column a number of simulations; of those that have rows, and the last one's time."""
    met = {row["simulations"] for rows in found.values() for row in rows}
    columns = [n for n in [None, *simulations] if n in met]
    heads = ["no search" if n is None else f"{n:,}" for n in columns]
    lines = [["search", *heads, "ms a decision at most"], ["---"] * (len(columns) + 2)]
    for agent, rows in found.items():
        by = {row["simulations"]: cell(row) for row in rows}
        seconds = rows[-1].get("milliseconds")
        lines.append([f"`{agent}`", *(by.get(n, "") for n in columns), "" if seconds is None else f"{seconds:.2g}"])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def cell(row: Mapping[str, Any]) -> str:
    spread = row["exploitability"]
    high = spread.get("high")
    between = "" if high is None else f" ± {high - spread['mean']:.3f}"
    pooled = f" ({row['pooled']:.3f})" if row.get("pooled") is not None and len(row["values"]) > 1 else ""
    return f"{spread['mean']:.3f}{between}{pooled}"


def scale_line(scale: Mapping[str, Any]) -> str:
    ends = [f"{value:.2g} after {count:,}" for count, value in scale["cfr_plus"] if count in (10, 100, 1000, 10_000)]
    whole = f" CFR+ over the whole tree: {', '.join(ends)} iterations." if ends else ""
    return f"Uniform play: {scale['uniform']:.3f}.{whole}\n"


def draw(found: Mapping[str, Rows], scale: Mapping[str, Any], game: str, path: Path) -> None:
    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    for number, (agent, rows) in enumerate(found.items()):
        x = [row["simulations"] for row in rows]
        y = [row["exploitability"]["mean"] for row in rows]
        if None in x:
            axes.axhline(y[0], color=f"C{number % 10}", linestyle="-.", label=agent)
        else:
            style = ("o-", "s--", "^:")[number // 10]
            axes.plot(x, y, style, color=f"C{number % 10}", label=agent, markersize=4)
    axes.axhline(scale["uniform"], color="grey", linestyle=":", label="uniform play")
    axes.set(xscale="log", yscale="log", xlabel="simulations a decision", ylabel="exploitability", title=game)
    axes.legend(fontsize=7, ncols=2)
    figure.savefig(path, dpi=120)
    plt.close(figure)
