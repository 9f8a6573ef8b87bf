"""Pictures of a match, drawn from its report's data; the same data give the same bytes."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from orion_ai.arena.names import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "figures_plot",
    "matrix_plot",
    "new_figure",
    "png",
    "ratings_plot",
    "seconds_plot",
    "strength_plot",
    "svg",
    "values_of",
]

Data = Mapping[str, Any]
"""A report as plain data."""
COLOUR = "tab:blue"


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of this size in inches, drawn without a screen."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def png(figure: Figure) -> bytes:
    """The figure as a PNG file."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=120, metadata={"Software": None})
    return content.getvalue()


def svg(figure: Figure) -> str:
    """The figure as an <svg> element, its texts as text."""
    import matplotlib

    content = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "orion", "svg.fonttype": "none"}):
        figure.savefig(content, format="svg", metadata={"Date": None, "Creator": None})
    text = content.getvalue()
    return text[text.index("<svg") :]


def _bars(axes: Axes, names: Sequence[str], values: Sequence[Data], par: float, label: str) -> None:
    """A dot for each value with a line over its interval."""
    for place, value in enumerate(values):
        low, high = (value["mean"] if value[b] is None else value[b] for b in ("low", "high"))
        axes.plot([low, high], [place, place], color=COLOUR, linewidth=2)
        axes.plot(value["mean"], place, "o", color=COLOUR)
    axes.axvline(par, color="grey", linewidth=1, linestyle=":")
    axes.set_xlabel(label)
    axes.set_yticks(range(len(names)), [shortened(name) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)


def values_of(agent: Data) -> Data:
    """The rating of an agent: Plackett-Luce where there is one, else Elo."""
    found: Data = agent["rating"] or agent["elo"]
    return found


def figures_plot(data: Data, title: str) -> Figure:
    """Win shares, utilities and Elo beside each other."""
    agents = data["agents"]
    figure = new_figure(9, 1.6 + 0.5 * len(agents))
    parts = (
        ("win share of a seat", "win_share", 1 / data["players"]),
        ("utility", "utility", 0.0),
        ("Elo", "elo", 0.0),
    )
    for axes, (label, key, par) in zip(figure.subplots(1, 3, sharey=True), parts, strict=True):
        _bars(axes, [a["name"] for a in agents], [a[key] for a in agents], par, label)
    figure.suptitle(title, fontsize=9)
    return figure


def ratings_plot(data: Data) -> Figure:
    """Ratings with their intervals, the strongest on top."""
    agents = sorted(data["agents"], key=lambda a: -values_of(a)["mean"])
    figure = new_figure(7, 1.2 + 0.4 * len(agents))
    label = "Elo (Bradley-Terry)" if data["players"] == 2 else "Elo (Plackett-Luce)"
    _bars(figure.subplots(), [a["name"] for a in agents], [values_of(a) for a in agents], 0.0, label)
    return figure


def matrix_plot(data: Data) -> Figure:
    """How often the agent of a row came out ahead of the agent of a column."""
    names = [shortened(a["name"]) for a in data["agents"]]
    count = len(names)
    score: list[list[float]] = [[float("nan")] * count for _ in names]
    for pair in data["pairs"]:
        if pair["score"] is not None:
            score[pair["first"]][pair["second"]] = pair["score"]
            score[pair["second"]][pair["first"]] = 1 - pair["score"]
    written = 0.08 * max(map(len, names))
    figure = new_figure(1.8 + written + 0.7 * count, 1 + written / 2 + 0.55 * count)
    axes = figure.subplots()
    axes.imshow(score, cmap="RdYlGn", vmin=0, vmax=1)
    for row in range(count):
        for column in range(count):
            if score[row][column] == score[row][column]:
                axes.text(column, row, f"{score[row][column]:.2f}", ha="center", va="center")
    axes.set_xticks(range(count), names, rotation=30, ha="right")
    axes.set_yticks(range(count), names)
    return figure


def seconds_plot(data: Data) -> Figure:
    """Wall time of a decision."""
    agents = data["agents"]
    figure = new_figure(7, 1.2 + 0.4 * len(agents))
    axes = figure.subplots()
    axes.barh(range(len(agents)), [1000 * a["seconds"] for a in agents], color=COLOUR)
    if any(a["seconds"] > 0 for a in agents):  # nobody was ever asked where all games were lost by faults
        axes.set_xscale("log")
    axes.set_xlabel("milliseconds a decision")
    axes.set_yticks(range(len(agents)), [shortened(a["name"]) for a in agents])
    axes.invert_yaxis()
    return figure


def strength_plot(reports: Sequence[Data]) -> Figure | None:
    """Ratings against budgets, a line for each agent and kind of budget; None where no two budgets differ.

    Agents whose names differ only in what stands in brackets are one line.
    """
    lines: dict[tuple[str, str], list[tuple[float, Data]]] = {}
    for data in reports:
        for agent in data["agents"]:
            for unit, amount in agent["budget"].items():
                name = agent["name"].partition("(")[0].partition(" #")[0]
                lines.setdefault((name, unit), []).append((amount, values_of(agent)))
    lines = {
        key: sorted(points, key=lambda p: p[0]) for key, points in lines.items() if len({p[0] for p in points}) > 1
    }
    if not lines:
        return None
    figure = new_figure(7, 4)
    axes = figure.subplots()
    for (name, unit), points in lines.items():
        means = [value["mean"] for _, value in points]
        bounds = [[value["mean"] if value[b] is None else value[b] for _, value in points] for b in ("low", "high")]
        errors = [
            [max(m - b, 0.0) for m, b in zip(means, bounds[0], strict=True)],
            [max(b - m, 0.0) for m, b in zip(means, bounds[1], strict=True)],
        ]
        axes.errorbar(
            [x for x, _ in points], means, yerr=errors, marker="o", capsize=3, label=f"{shortened(name)}, {unit}"
        )
    axes.set_xscale("log")
    axes.set_xlabel("budget of a decision")
    axes.set_ylabel("Elo in its match")
    axes.legend()
    return figure
