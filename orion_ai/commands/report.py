"""orion report: write the pages of a match, or of several together, from their data.

Usage: orion report FOLDER [KEY=VALUE ...]

FOLDER is the output of orion arena or orion compare. From its report.json alone report.md, report.html and report.png
are written: the table, the verdict, ratings with intervals, who came out ahead of whom, seconds a move. The page needs
nothing beside it. The same data give the same pages.

Without a report.json of its own, the reports in the folders below are put on one page, with a plot of strength against
budget: what a sweep (orion arena -m) leaves.

Settings:
  folder=DIR          where report.json lies, or folders that hold one
  output=DIR          where the pages go; default FOLDER

Examples:
  orion arena -m agents=[ismcts,random] budget.simulations=16,64,256 output=runs/budgets
  orion report runs/budgets
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from engines.errors import UsageError
from orion_ai.arena.report import find_reports, write_pages
from orion_ai.commands.configuration import read

__all__ = ["ReportConfig", "run"]


@dataclass(frozen=True)
class ReportConfig:
    """Settings of `orion report` (its manual page explains them)."""

    folder: str = ""
    output: str = ""


def run(argv: Sequence[str]) -> int:
    """See the module."""
    console = Console(highlight=False)
    for request in read("report", ReportConfig, argv, positional={"folder": "a folder"}):
        if not request.config.folder:
            raise UsageError("the folder of a match is missing: orion report FOLDER")
        folder = Path(request.config.folder)
        paths = write_pages(find_reports(folder), Path(request.config.output or folder))
        console.print(f"written: {', '.join(str(p) for p in paths)}", markup=False, soft_wrap=True)
    return 0
