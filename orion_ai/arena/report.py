"""A match's result for people: a table, a Markdown page, a picture; and as JSON for programs."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from engines.files import write, write_json, write_text
from orion_ai.arena.result import AgentResult, ArenaResult
from orion_ai.arena.statistics import Interval

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["markdown", "table", "write_report"]

HEADINGS = ("agent", "win share", "utility", "margin", "Elo", "s / move")


def _cell(value: Interval, digits: int, signed: bool = True) -> str:
    def number(x: float | None, missing: str) -> str:
        return missing if x is None else f"{x:{'+' if signed else ''}.{digits}f}"

    if value.low is None and value.high is None:
        return number(value.mean, "?")
    return f"{number(value.mean, '?')} [{number(value.low, '-inf')}, {number(value.high, 'inf')}]"


def _row(agent: AgentResult) -> tuple[str, ...]:
    return (
        agent.name,
        _cell(agent.win_share, 3, signed=False),
        _cell(agent.utility, 3),
        _cell(agent.margin, 2),
        _cell(agent.elo, 0),
        f"{agent.seconds:.2g}",
    )


def _title(result: ArenaResult) -> str:
    return (
        f"{result.game}, {result.players} players: {result.blocks} blocks, {result.games} games, seed {result.seed}; "
        "95 % intervals by blocks"
    )


def table(result: ArenaResult) -> Table:
    """The result for a terminal."""
    from rich.table import Table

    made = Table(title=_title(result), caption=result.verdict(), leading=1)
    made.title_justify = made.caption_justify = "left"
    for heading in HEADINGS:
        made.add_column(heading, justify="left" if heading == "agent" else "right")
    for agent in result.agents:
        made.add_row(*(cell.replace(" [", "\n[") for cell in _row(agent)))
    return made


def markdown(result: ArenaResult) -> str:
    """The result as a Markdown page."""
    lines = [f"# {_title(result)}", "", f"| {' | '.join(HEADINGS)} |", "|---|" + "---:|" * (len(HEADINGS) - 1)]
    lines += [f"| {' | '.join(_row(agent))} |" for agent in result.agents]
    lines += [
        "",
        result.verdict(),
        "",
        f"A block is one deal in all seatings. Par: win share {1 / result.players:.3f}, utility 0, margin 0, Elo 0.",
        "",
    ]
    return "\n".join(lines)


def _picture(result: ArenaResult) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 1.6 + 0.5 * len(result.agents)), layout="constrained")
    FigureCanvasAgg(figure)
    names = [agent.name for agent in result.agents]
    parts = (
        ("win share of a seat", [a.win_share for a in result.agents], 1 / result.players),
        ("utility", [a.utility for a in result.agents], 0.0),
        ("Elo", [a.elo for a in result.agents], 0.0),
    )
    for axes, (label, values, par) in zip(figure.subplots(1, 3, sharey=True), parts, strict=True):
        for place, value in enumerate(values):
            low = value.mean if value.low is None else value.low
            high = value.mean if value.high is None else value.high
            axes.plot([low, high], [place, place], color="tab:blue", linewidth=2)
            axes.plot(value.mean, place, "o", color="tab:blue")
        axes.axvline(par, color="grey", linewidth=1, linestyle=":")
        axes.set_xlabel(label)
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.5, -0.5)
    figure.suptitle(_title(result), fontsize=9)
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=120)
    return content.getvalue()


def write_report(result: ArenaResult, folder: Path) -> list[Path]:
    """Write `report.json`, `report.md` and `report.png` into `folder` and return their paths."""
    paths = [folder / f"report.{kind}" for kind in ("json", "md", "png")]
    write_json(paths[0], result.as_json())
    write_text(paths[1], markdown(result))
    write(paths[2], lambda file: file.write(_picture(result)))
    return paths
