"""Tables and pictures from the figures of run.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from engines.files import write_text

Rows = Sequence[Mapping[str, Any]]
NAMES = {
    "uct": "`uct`",
    "scripted": "`uct`, scripted playouts",
    "openspiel": "OpenSpiel MCTS",
    "openspiel_solve": "OpenSpiel MCTS, proven wins",
    "puct": "`puct`, network",
    "gumbel": "`gumbel`, network",
    "policy": "policy alone",
}
COLOURS = {name: f"C{i}" for i, name in enumerate(NAMES)}


def share(cell: Mapping[str, Any]) -> str:
    return f"{100 * cell['kept']:.1f} ± {100 * cell['kept_error']:.1f} ({100 * cell['best']:.1f})"


def lead(pair: Sequence[float]) -> str:
    return f"{100 * pair[0]:+.1f} ± {100 * pair[1]:.1f}"


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"


def accuracy_table(rows: Rows) -> str:
    names = ["uct", "scripted", "openspiel", "openspiel_solve"]
    head = ["simulations", *(NAMES[n] for n in names), "`uct` leads OpenSpiel by", "with proven wins by"]
    cells = [
        [
            r["simulations"],
            *(share(r[n]) for n in names),
            lead(r["lead"]["openspiel"]),
            lead(r["lead"]["openspiel_solve"]),
        ]
        for r in rows
    ]
    return table(head, cells)


def timed_table(rows: Rows) -> str:
    head = [f"{NAMES['openspiel_solve']}: simulations", "ms", "share"]
    for name in ("uct", "scripted"):
        head += [f"{NAMES[name]}: simulations", "ms", "share", "leads by"]
    cells = []
    for r in rows:
        other = r["openspiel_solve"]
        line = [r["simulations"], f"{other['milliseconds']:.2f}", share(other)]
        for name in ("uct", "scripted"):
            one = r[name]
            line += [one["simulations"], f"{one['milliseconds']:.2f}", share(one), lead(r["lead"][name])]
        cells.append(line)
    return table(head, cells)


def tuning_table(rows: Rows) -> str:
    by_choice: dict[str, dict[int, str]] = {}
    for r in rows:
        choice = f"`c_uct` {r['c_uct']}" if "c_uct" in r else f"move by {r['rule']}"
        by_choice.setdefault(choice, {})[r["simulations"]] = f"{share(r['uct'])}, {lead(r['lead'])}"
    budgets = sorted({r["simulations"] for r in rows})
    head = ["`uct` with: share, lead over the default (1.4, by visits)", *(f"{n} simulations" for n in budgets)]
    return table(head, [[choice, *(cells.get(n, "") for n in budgets)] for choice, cells in by_choice.items()])


def stages_table(rows: Rows) -> str:
    names = [name for name in NAMES if name in rows[0]]
    head = ["stones", *(NAMES[n] for n in names)]
    return table(head, [[f"{r['first']} to {r['last']}", *(share(r[n]) for n in names)] for r in rows])


def network_table(rows: Rows) -> str:
    names = ["puct", "gumbel"]
    alone = next(share(r["policy"]) for r in rows if "policy" in r)
    cells = [[r["simulations"], *(share(r[n]) for n in names)] for r in rows if "puct" in r]
    return table(["simulations", *(NAMES[n] for n in names)], [["policy alone", alone, ""], *cells])


def curve_table(rows: Rows) -> str:
    budgets = [m["simulations"] for m in rows[0]["matches"]]
    head = ["minutes", "iteration", "samples", "error of the policy", "error of `puct`, 400 simulations"]
    head += [f"points of `puct`, {n} simulations, against `uct` 1,000" for n in budgets]
    cells = []
    for r in rows:
        errors = [f"{100 * (1 - r[n]['kept']):.1f} ± {100 * r[n]['kept_error']:.1f}" for n in ("policy", "puct")]
        matches = [f"{m['share']:.3f} [{m['low']:.3f}, {m['high']:.3f}]" for m in r["matches"]]
        cells.append([f"{r['seconds'] / 60:.1f}", int(r["iteration"]), f"{int(r['samples']):,}", *errors, *matches])
    return table(head, cells)


def matches_table(rows: Rows) -> str:
    head = ["search with the network", "simulations", "points against `uct` with 1,000 simulations", "games"]
    cells = [
        [f"`{r['search']}`", r["simulations"], f"{r['share']:.3f} [{r['low']:.3f}, {r['high']:.3f}]", 2 * r["blocks"]]
        for r in rows
    ]
    return table(head, cells)


TABLES = {
    "accuracy": ("At equal simulations", accuracy_table),
    "timed": ("At equal time", timed_table),
    "tuning": ("Exploration and final move", tuning_table),
    "network": ("With the shipped network", network_table),
    "matches": ("Matches of the shipped network", matches_table),
    "stages": ("By the number of stones, 1,000 simulations", stages_table),
    "curve": ("Over the training", curve_table),
}


def accuracy_picture(found: Mapping[str, Rows], path: Path) -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), sharey=True)
    for name in ("uct", "scripted", "openspiel", "openspiel_solve"):
        accuracy_curve(left, found["accuracy"], name)
    for name in ("puct", "gumbel"):
        accuracy_curve(left, [r for r in found.get("network", []) if name in r], name)
    left.set_xlabel("simulations a move")
    for name in ("uct", "scripted", "openspiel_solve"):
        accuracy_curve(right, found["timed"], name, by_time=True)
    right.set_xlabel("milliseconds of processor time a move")
    for axis in (left, right):
        axis.set_xscale("log")
        axis.grid(alpha=0.3)
        axis.legend()
    left.set_ylabel("share of moves that keep the game's value")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def accuracy_curve(axis: Axes, rows: Rows, name: str, by_time: bool = False) -> None:
    """One player's shares, in the same colour in every picture."""
    at = [r[name]["milliseconds"] if by_time else r["simulations"] for r in rows]
    kept, errors = [r[name]["kept"] for r in rows], [r[name]["kept_error"] for r in rows]
    label = NAMES[name].replace("`", "")
    axis.errorbar(at, kept, errors, marker="o", capsize=2, color=COLOURS[name], label=label)


def curve_picture(rows: Rows, path: Path) -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4))
    at = [r["seconds"] / 60 for r in rows]
    for name, label in (("policy", "policy alone"), ("puct", "puct, 400 simulations")):
        errors = [r[name]["kept_error"] for r in rows]
        left.errorbar(at, [1 - r[name]["kept"] for r in rows], errors, marker="o", capsize=2, label=label)
    left.set_ylabel("share of moves that lose the game's value")
    for i, one in enumerate(rows[0]["matches"]):
        matches = [r["matches"][i] for r in rows]
        spread = [[m["share"] - m["low"] for m in matches], [m["high"] - m["share"] for m in matches]]
        label = f"puct, {one['simulations']} simulations"
        right.errorbar(at, [m["share"] for m in matches], spread, marker="o", capsize=2, label=label)
    right.axhline(0.95, color="grey", linestyle=":")
    right.set_ylabel("points against uct with 1,000 simulations")
    for axis in (left, right):
        axis.set_xlabel("minutes of training")
        axis.grid(alpha=0.3)
        axis.legend()
    left.set_ylim(bottom=0)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def write(found: Mapping[str, Rows], folder: Path) -> None:
    """Write tables.md, accuracy.png and curve.png from what has been measured."""
    note = (
        "Share of moves that keep the game's value, in per cent ± standard error (in brackets: that are best of all).\n"
    )
    parts = [f"## {title}\n\n{make(found[name])}" for name, (title, make) in TABLES.items() if name in found]
    write_text(folder / "tables.md", "\n".join(["# Results\n", note, *parts]))
    if "timed" in found:
        accuracy_picture(found, folder / "accuracy.png")
    if "curve" in found:
        curve_picture(found["curve"], folder / "curve.png")
