"""What the comparisons gave, as a table for people, data for programs, and a picture."""

from __future__ import annotations

import io
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engines.files import write, write_json, write_text
from orion_ai.bench.peers.rounds import Result

__all__ = ["as_json", "line", "markdown", "report_paths", "write_report"]

TITLES = {
    "open_spiel": "OpenSpiel",
    "pgx": "pgx",
    "mctx": "mctx",
    "pettingzoo": "PettingZoo",
    "rlcard": "RLCard",
}
HOW = """\
Made by `orion bench peers` (docs/bench.md). Both sides of a row do the same work, one after the other, {rounds} times;
which of them begins changes from round to round. A rate is units a second of processor time on one core with one
thread; a ratio is that of one round, so what else the machine does falls out as far as it can. The median and, in
brackets, the least and the greatest ratio are given.

- OpenSpiel's C++ rollouts are had from an `MCTSBot` of one simulation whose evaluator plays many games; they begin
  after the deal. In OpenSpiel's backgammon a decision moves two checkers, in Orion's one: whole games are compared.
- A step of pgx makes the observation and, where a game ends, begins the next one; "with observations" means that
  Orion's side does the first, too. pgx's Leduc has other rules of betting, so steps are compared, not games.
- The model of mctx is pgx's Connect Four with the network 84-128-128-(7+1); Orion's network has the same weights, gives
  the same answers, and runs as a kernel that skips inputs that are 0. OpenSpiel's and Orion's `uct` and `ismcts` play
  random games from a leaf, with the same constant.
- PettingZoo and RLCard are played by their usual loops in Python, Orion by the same loop over `State` and by lanes.
- The share of the core is the least that the process had of it: with less than about 90 % something else was running.
"""


def line(result: Result) -> str:
    """One result as a line of progress."""
    low, high, goal = min(result.ratios), max(result.ratios), f", goal {result.goal:g}" if result.goal else ""
    versus = f"{result.ours_by} / {TITLES[result.peer]}, {result.theirs_by}"
    return f"{result.game}: {result.work}: {result.ratio:.2f} ({low:.2f} - {high:.2f}{goal}), {versus}"


def _number(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.3g}"


def _spread(result: Result) -> str:
    return f"**{result.ratio:.2f}** ({min(result.ratios):.2f} - {max(result.ratios):.2f})"


def _goal(result: Result) -> str:
    if result.goal is None:
        return ""
    return f"{result.goal:g}: {'met' if result.ratio >= result.goal else 'missed'}"


def markdown(machine: Mapping[str, Any], results: Sequence[Result], memory: Sequence[Mapping[str, Any]]) -> str:
    """The report's text."""
    lines = ["# Orion and its peers", "", ", ".join(f"{key} {value}" for key, value in machine.items()) + ".", ""]
    rounds = max((len(result.ours) for result in results), default=0)
    lines += [HOW.format(rounds=rounds), "![ratios](report.png)", ""]
    lines += ["| game | work | peer | theirs | Orion, by | Orion's | unit | ratio | goal | share of the core |"]
    lines += ["|---|---|---|---:|---|---:|---|---|---|---:|"]
    for r in results:
        theirs, ours = _number(statistics.median(r.theirs)), _number(statistics.median(r.ours))
        peer = f"{TITLES[r.peer]}, {r.theirs_by}"
        cells = (r.game, r.work, peer, theirs, r.ours_by, ours, r.unit, _spread(r), _goal(r), f"{r.busy:.0%}")
        lines.append("| " + " | ".join(cells) + " |")
    if memory:
        lines += [
            "",
            "## Memory",
            "",
            "| game | what | peer | theirs | Orion's | theirs / Orion's |",
            "|---|---|---|---:|---:|---:|",
        ]
        for row in memory:
            peer, figures = f"{TITLES[row['peer']]}, {row['theirs_by']}", (row["theirs"], row["ours"])
            cells = (row["game"], row["memory"], peer, *map(_number, figures), f"{figures[0] / figures[1]:.2f}")
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def as_json(machine: Mapping[str, Any], results: Sequence[Result], memory: Sequence[Mapping[str, Any]]) -> Any:
    """The report as plain data: every round of every comparison."""
    return {
        "machine": dict(machine),
        "comparisons": [{**vars(result), "ratios": result.ratios, "ratio": result.ratio} for result in results],
        "memory": [dict(row) for row in memory],
    }


def _picture(results: Sequence[Result]) -> bytes:
    """PNG: a bar for each comparison from 1 to its median ratio, with the spread and the goal."""
    from matplotlib.figure import Figure

    rows = list(reversed(results))
    figure = Figure(figsize=(10, 1.2 + 0.3 * len(rows)), layout="constrained")
    axes = figure.subplots()
    for place, result in enumerate(rows):
        reached = result.goal is None or result.ratio >= result.goal
        axes.barh(place, result.ratio - 1, left=1, height=0.6, color="tab:blue" if reached else "tab:red", alpha=0.7)
        axes.plot([min(result.ratios), max(result.ratios)], [place, place], color="black", linewidth=1.2)
        if result.goal is not None:
            axes.plot([result.goal] * 2, [place - 0.4, place + 0.4], color="black", linewidth=2.5)
    labels = [f"{r.game}: {r.work}, {r.ours_by} / {TITLES[r.peer]}, {r.theirs_by}" for r in rows]
    axes.set_yticks(range(len(rows)), labels, fontsize=7)
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel("Orion's rate over the peer's, one core: median, least to greatest (line), goal (mark)")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    return buffer.getvalue()


def report_paths(folder: Path) -> list[Path]:
    """The files that `write_report` writes."""
    return [folder / f"report.{end}" for end in ("md", "json", "png")]


def write_report(
    folder: Path, machine: Mapping[str, Any], results: Sequence[Result], memory: Sequence[Mapping[str, Any]]
) -> list[Path]:
    """Write report.md, report.json and report.png into `folder`; returns their paths."""
    text, data, picture = report_paths(folder)
    write_text(text, markdown(machine, results, memory))
    write_json(data, as_json(machine, results, memory))
    drawn = _picture(results)
    write(picture, lambda file: file.write(drawn))
    return [text, data, picture]
