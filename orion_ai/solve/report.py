"""Exploitability for people and programs: a table, a picture, plain data."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.files import write, write_json
from orion_ai.solve.study import Row

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["cells", "report_paths", "scale_lines", "table", "write_report"]

HEADINGS = ("agent", "simulations", "exploitability", "pooled", "asked", "s")


def cells(row: Row) -> tuple[str, ...]:
    """A row as texts, in the order of `HEADINGS`."""
    e = row.exploitability
    between = "" if e.high is None else f" ± {e.high - e.mean:.4f}"
    count = "" if row.simulations is None else f"{row.simulations:,}"
    pooled = "" if row.pooled is None else f"{row.pooled:.4f}"
    return row.agent, count, f"{e.mean:.4f}{between}", pooled, f"{row.asked:,}", f"{row.seconds:.2g}"


def table(rows: Sequence[Row], title: str) -> Table:
    """The rows for a terminal."""
    from rich.table import Table

    made = Table(title=title)
    made.title_justify = "left"
    for heading in HEADINGS:
        made.add_column(heading, justify="left" if heading == "agent" else "right")
    for row in rows:
        made.add_row(*cells(row))
    return made


def scale_lines(scale: Mapping[str, Any]) -> list[str]:
    """Uniform play, and CFR+ by powers of ten, a line each; nothing where neither is known."""
    if not scale:
        return []
    curve = scale["cfr_plus"]
    shown = [(n, e) for place, (n, e) in enumerate(curve) if str(n).rstrip("0") == "1" or place == len(curve) - 1]
    lines = [f"uniform play {scale['uniform']:.4f}"]
    if shown:
        lines.append("CFR+ " + ", ".join(f"{e:.3g} after {n:,}" for n, e in shown) + " iterations")
    return lines


def report_paths(folder: Path) -> list[Path]:
    """The files that `write_report` writes."""
    return [folder / "exploit.json", folder / "exploit.png"]


def write_report(rows: Sequence[Row], scale: Mapping[str, Any], heading: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write `exploit.json` and `exploit.png` into `folder` and return their paths.

    Args:
        rows: what was measured.
        scale: what `reference` found; empty with lower bounds.
        heading: plain data about the game and the settings; `title` stands above the picture.
        folder: made if need be.
    """
    paths = report_paths(folder)
    write_json(paths[0], {**heading, "rows": [_plain(row) for row in rows], "reference": dict(scale)})
    write(paths[1], lambda file: file.write(_picture(rows, scale, str(heading["title"]))))
    return paths


def _plain(row: Row) -> dict[str, Any]:
    return {
        "agent": row.agent,
        "simulations": row.simulations,
        "exploitability": row.exploitability.mean,
        "interval": [row.exploitability.low, row.exploitability.high],
        "pooled": row.pooled,
        "gains": list(row.gains),
        "values": list(row.values),
        "asked": row.asked,
        "seconds": row.seconds,
    }


def _picture(rows: Sequence[Row], scale: Mapping[str, Any], title: str) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for number, name in enumerate(dict.fromkeys(row.agent for row in rows)):
        own, color = [row for row in rows if row.agent == name], f"C{number}"
        x = [row.simulations for row in own if row.simulations is not None]
        if x:
            e = [row.exploitability for row in own]
            axes.plot(x, [i.mean for i in e], "o-", color=color, label=name)
            bounds = [(i.mean if i.low is None else i.low, i.mean if i.high is None else i.high) for i in e]
            axes.fill_between(x, [low for low, _ in bounds], [high for _, high in bounds], color=color, alpha=0.2)
            pooled = [row.pooled for row in own if row.pooled is not None]
            if pooled:
                axes.plot(x, pooled, ":", color=color, label=f"{name}, seeds pooled")
        else:
            axes.axhline(own[0].exploitability.mean, color=color, label=name)
    if scale:
        axes.axhline(scale["uniform"], color="grey", linestyle="--", label="uniform play")
    if scale.get("cfr_plus"):
        axes.plot(*zip(*scale["cfr_plus"], strict=True), "-", color="grey", label="CFR+, by iterations")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("simulations a decision")
    axes.set_ylabel("exploitability")
    axes.set_title(title, fontsize=9)
    axes.legend(fontsize=8)
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=120)
    return content.getvalue()
