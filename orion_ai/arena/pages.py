"""A match's report as pages for people, made from its data alone: Markdown, and HTML that needs nothing beside it."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engines.errors import FileError
from engines.files import read_json
from orion_ai.arena import plots
from orion_ai.search.config import SearchConfig

__all__ = ["html_page", "load_report", "markdown", "title"]

Data = Mapping[str, Any]
Rows = list[tuple[str, ...]]
KEYS = ("game", "players", "schedule", "blocks", "agents", "pairs", "seats", "verdict")
"""Some of what a report must have."""
_DEFAULTS = asdict(SearchConfig())


def load_report(path: Path) -> Data:
    """The data of a `report.json`.

    Raises:
        FileError: it cannot be read, or is no report of a match.
    """
    data = read_json(path, "the report of a match")
    if not isinstance(data, dict) or any(key not in data for key in KEYS):
        missing = [key for key in KEYS if not isinstance(data, dict) or key not in data]
        raise FileError(f"{str(path)!r} is no report of a match: expected the key {missing[0]!r}")
    return data


def title(data: Data) -> str:
    """What was played, in a line."""
    kind = "" if data["schedule"] == "round_robin" else f"{data['schedule']}, "
    return (
        f"{data['game']}, {data['players']} players: {kind}{data['blocks']} blocks, {data['games']} games, "
        f"seed {data['seed']}; 95 % intervals by blocks"
    )


def cell(value: Data | None, digits: int, signed: bool = True) -> str:
    """A figure with its interval."""

    def number(x: float | None, missing: str) -> str:
        return missing if x is None else f"{x:{'+' if signed else ''}.{digits}f}"

    if value is None:
        return ""
    if value["low"] is None and value["high"] is None:
        return number(value["mean"], "?")
    return f"{number(value['mean'], '?')} [{number(value['low'], '-inf')}, {number(value['high'], 'inf')}]"


def agent_rows(data: Data) -> Rows:
    """The table of agents, headings first; columns that hold nothing are left out."""
    many, faults = data["players"] > 2, any(a["faults"] for a in data["agents"])
    head = ["agent", "win share", "utility", "margin", "Elo", *["rating"] * many, "s / move", *["faults"] * faults]
    rows = [tuple(head)]
    for a in data["agents"]:
        figures = [cell(a["win_share"], 3, False), cell(a["utility"], 3), cell(a["margin"], 2), cell(a["elo"], 0)]
        figures += [cell(a["rating"], 0)] * many + [f"{a['seconds']:.2g}"] + [str(a["faults"])] * faults
        rows.append((a["name"], *figures))
    return rows


def _pair_rows(data: Data) -> Rows:
    names = [a["name"] for a in data["agents"]]
    rows: Rows = [("pair", "score", "Elo apart", "p", "p (Holm)", "told apart")]
    for p in data["pairs"]:
        score = "" if p["score"] is None else f"{p['score']:.3f}"
        chances = ("" if p[key] is None else f"{p[key]:.2g}" for key in ("p", "p_holm"))
        told = "yes" if p["told_apart"] else "no"
        rows.append((f"{names[p['first']]} - {names[p['second']]}", score, f"{p['elo']:+.0f}", *chances, told))
    return rows


def _group_rows(what: str, groups: Sequence[Data]) -> Rows:
    rows: Rows = [(what, "seats played", "utility")]
    return rows + [(g["name"], str(g["seats"]), cell(g["utility"], 3)) for g in groups]


def _setting_rows(data: Data) -> Rows:
    """What each agent is; of a search what differs from the defaults."""
    rows: Rows = [("agent", "settings")]
    for a in data["agents"]:
        given = a.get("settings", {})  # which reports of earlier versions lack
        search = given.get("search", {})
        changed = [k for k, v in search.items() if k == "algorithm" or v != _DEFAULTS.get(k)]
        texts = [f"{k}: {v}" for k, v in given.items() if k != "search"] + [f"{k}: {search[k]}" for k in changed]
        if texts:
            rows.append((a["name"], ", ".join(texts)))
    return rows


def _sections(data: Data) -> list[tuple[str, Rows]]:
    """Headings and tables below the main one."""
    found: list[tuple[str, Rows]] = []
    if len(data["agents"]) > 2:
        found.append(("Pairs", _pair_rows(data)))
    if len(settings := _setting_rows(data)) > 1:
        found.append(("Settings", settings))
    found.append(("Seats", _group_rows("seat", data["seats"])))
    found += [(name.capitalize(), _group_rows(name, groups)) for name, groups in data["traits"].items()]
    if data["faults"]:
        rows: Rows = [("agent", "block", "game", "fault")]
        rows += [(f["agent"], str(f["block"]), str(f["game"]), f["what"]) for f in data["faults"]]
        found.append(("Games lost by a fault", rows))
    return found


def _par(data: Data) -> str:
    return f"A block is one deal in all seatings. Par: win share {1 / data['players']:.3f}, utility 0, margin 0, Elo 0."


def _markdown_table(rows: Rows) -> list[str]:
    head, *body = [[text.replace("|", "\\|").replace("\n", " ") for text in row] for row in rows]
    return [f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1), *(f"| {' | '.join(r)} |" for r in body)]


def markdown(reports: Sequence[Data]) -> str:
    """The reports as a Markdown page."""
    lines: list[str] = []
    for data in reports:
        lines += [f"# {title(data)}", "", *_markdown_table(agent_rows(data)), "", *data["verdict"].splitlines(), ""]
        lines += [_par(data), ""]
        for heading, rows in _sections(data):
            lines += [f"## {heading}", "", *_markdown_table(rows), ""]
    return "\n".join(lines)


STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; } th, td { border-bottom: 1px solid #ddd; padding: .25rem .7rem; }
td { text-align: right; font-variant-numeric: tabular-nums; } td:first-child, th:first-child { text-align: left; }
svg { max-width: 100%; height: auto; }
.verdict { background: #f3f6fa; padding: .6rem 1rem; border-left: 4px solid #4878a8; }
"""


def _html_table(rows: Rows) -> str:
    def line(row: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in row) + "</tr>"

    return "<table>" + line(rows[0], "th") + "".join(line(row, "td") for row in rows[1:]) + "</table>"


def _plot(heading: str, drawn: str) -> str:
    return f"<h3>{html.escape(heading)}</h3>{drawn}"


def html_page(reports: Sequence[Data]) -> str:
    """The reports as one page, with plots; nothing is loaded from anywhere."""
    parts = []
    strength = plots.strength_plot(reports)
    if strength is not None:
        parts.append(_plot("Strength against budget", plots.svg(strength)))
    for data in reports:
        verdict = "<br>".join(html.escape(line) for line in data["verdict"].splitlines())
        parts.append(f"<h2>{html.escape(title(data))}</h2>{_html_table(agent_rows(data))}")
        parts.append(f'<p class="verdict">{verdict}</p><p>{html.escape(_par(data))}</p>')
        parts.append(_plot("Ratings", plots.svg(plots.ratings_plot(data))))
        parts.append(_plot("Row ahead of column", plots.svg(plots.matrix_plot(data))))
        parts.append(_plot("Time of a decision", plots.svg(plots.seconds_plot(data))))
        parts += [f"<h3>{html.escape(heading)}</h3>{_html_table(rows)}" for heading, rows in _sections(data)]
    names = ", ".join(dict.fromkeys(str(data["game"]) for data in reports))
    head = f'<meta charset="utf-8"><title>Arena: {html.escape(names)}</title><style>{STYLE}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body><h1>Arena</h1>{"".join(parts)}</body></html>\n'
