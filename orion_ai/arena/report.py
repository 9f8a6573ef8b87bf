"""A match's result in the terminal and on disk: data for programs, and pages made from the data for people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.errors import FileError
from engines.files import refuse_unwritable, write, write_json, write_text
from orion_ai.arena import plots
from orion_ai.arena.pages import agent_rows, html_page, load_report, markdown, title
from orion_ai.arena.result import ArenaResult

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["data_of", "find_reports", "page_paths", "table", "write_pages", "write_report"]


def data_of(result: ArenaResult) -> dict[str, Any]:
    """What `report.json` holds."""
    return dict(json.loads(json.dumps(result.as_json(), allow_nan=False)))


def table(result: ArenaResult) -> Table:
    """The result for a terminal."""
    from rich.table import Table

    data = data_of(result)
    made = Table(title=title(data), caption=result.verdict(), leading=1)
    made.title_justify = made.caption_justify = "left"
    head, *rows = agent_rows(data)
    for heading in head:
        made.add_column(heading, justify="left" if heading == "agent" else "right")
    for row in rows:
        made.add_row(*(text.replace(" [", "\n[") for text in row))
    return made


def page_paths(folder: Path, matches: int = 1) -> list[Path]:
    """The files that `write_pages` writes: only of a single match a picture."""
    return [folder / name for name in ("report.md", "report.html", "report.png")[: 3 if matches == 1 else 2]]


def write_report(result: ArenaResult, folder: Path) -> list[Path]:
    """Write `report.json`, and from it the pages, into `folder`; returns the paths."""
    path = folder / "report.json"
    write_json(path, data_of(result))
    return [path, *write_pages([path], folder)]


def write_pages(paths: Sequence[Path], folder: Path) -> list[Path]:
    """Write `report.md`, `report.html` and, of a single match, `report.png` into `folder`, from files of data alone."""
    reports = [load_report(path) for path in paths]
    written = page_paths(folder, len(reports))
    refuse_unwritable(*written)
    write_text(written[0], markdown(reports))
    write_text(written[1], html_page(reports))
    if len(reports) == 1:
        picture = plots.png(plots.figures_plot(reports[0], title(reports[0])))
        write(written[2], lambda file: file.write(picture))
    return written


def find_reports(folder: Path) -> list[Path]:
    """The `report.json` of a folder, else those in folders below it, in order.

    Raises:
        FileError: there is none.
    """
    if (folder / "report.json").is_file():
        return [folder / "report.json"]
    found = sorted(folder.rglob("report.json"), key=lambda p: [(len(part), part) for part in p.parts])
    if not found:
        raise FileError(f"{str(folder)!r} holds no report.json: expected the output of orion arena or orion compare")
    return found
