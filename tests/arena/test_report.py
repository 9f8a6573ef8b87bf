"""Reports.

1 Pages are made from the data alone, the same bytes each time, and say what the data say. 2 The HTML page loads
nothing. 3 Factions are reported by label. 4 Several matches share a page, with strength against budget. 5 A foreign
file is refused.
"""

from __future__ import annotations

import json
import warnings
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import engines
from engines.errors import FileError
from orion_ai.arena.comparisons import trait_effects
from orion_ai.arena.entrants import resolve
from orion_ai.arena.match import Block, GameRecord, traits_of
from orion_ai.arena.pages import markdown
from orion_ai.arena.plots import figures_plot, matrix_plot, png, ratings_plot, seconds_plot
from orion_ai.arena.report import data_of, find_reports, write_pages, write_report
from orion_ai.arena.result import ArenaResult, summarize
from orion_ai.arena.runner import Match, run_match
from orion_ai.arena.schedule import Schedule
from orion_ai.cli import main


def a_result(folder: Path, players: int = 2, names: tuple[str, ...] = ("<b>x|y</b>", "rogue", "r")) -> ArenaResult:
    entrants = resolve(
        [
            {"agent": "random", "name": names[0]},
            {"python": "tests.arena.agents:IllegalKings", "name": names[1]},
            {"agent": "random", "name": names[2]},
        ]
    )
    match = Match({"name": "kuhn_poker", "players": players}, entrants, 4, 16)
    blocks = run_match(match, 12, folder, 1, lambda *_: None)
    schedule = Schedule("round_robin", 3, players, 12)
    return summarize(match.load(), list(names), blocks, 4, schedule=schedule, budgets=[{}, {"simulations": 8}, {}])


class Page(HTMLParser):
    """Collects tags, and whatever they would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loads += [
            v or "" for k, v in attrs if k in ("src", "href", "xlink:href") and not (v or "").startswith(("#", "data:"))
        ]


@pytest.mark.parametrize("players", [2, 3])
def test_pages_come_from_the_data_alone_and_are_the_same_each_time(tmp_path: Path, players: int) -> None:
    result = a_result(tmp_path, players)
    paths = write_report(result, tmp_path)
    assert [p.name for p in paths] == ["report.json", "report.md", "report.html", "report.png"]
    first = {p.name: p.read_bytes() for p in paths}
    write_pages(find_reports(tmp_path), tmp_path)
    assert {p.name: p.read_bytes() for p in paths} == first
    assert main(["report", str(tmp_path), f"output={tmp_path}/again"]) == 0
    assert (tmp_path / "again" / "report.html").read_bytes() == first["report.html"]
    data = json.loads(first["report.json"])
    assert data == data_of(result)
    page = first["report.html"].decode()
    parsed = Page(page)
    assert not parsed.loads and "script" not in parsed.tags and "b" not in parsed.tags
    assert parsed.tags.count("svg") == 3 and "&lt;b&gt;x|y&lt;/b&gt;" in page
    text = first["report.md"].decode()
    assert r"| <b>x\|y</b> |" in text and "## Pairs" in text and "## Seats" in text
    assert "## Games lost by a fault" in text and f"{data['agents'][1]['faults']} |" in text
    assert ("| rating |" in text) == (players == 3)
    for line in data["verdict"].splitlines():
        assert line in text


def test_the_tables_hold_the_figures(tmp_path: Path) -> None:
    data = data_of(a_result(tmp_path))
    text = markdown([data])
    agent = data["agents"][2]
    assert f"| r | {agent['win_share']['mean']:.3f} [" in text
    pair = data["pairs"][1]
    assert rf"| <b>x\|y</b> - r | {pair['score']:.3f} | {pair['elo']:+.0f} | " in text
    assert pair["met"] == 24 and {p["told_apart"] for p in data["pairs"]} <= {True, False}


def test_long_names_leave_room_for_the_plots_and_settings_are_told_in_full(tmp_path: Path) -> None:
    data = data_of(a_result(tmp_path / "match", names=("a" * 200, "b" * 200, "r")))
    for agent in data["agents"]:
        agent["settings"] = {"kind": "search", "search": {"algorithm": "ismcts", "c_uct": 0.25, "c_puct": 1.25}}
    assert f"| {'a' * 200} | kind: search, algorithm: ismcts, c_uct: 0.25 |" in markdown([data])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # "axes sizes collapsed to zero"
        for figure in (figures_plot(data, "t"), ratings_plot(data), matrix_plot(data), seconds_plot(data)):
            figure.draw_without_rendering()
            assert all(axes.get_window_extent().width > 80 for axes in figure.axes)


def test_a_match_in_which_nobody_was_asked_is_drawn_without_a_warning() -> None:
    data = {"agents": [{"name": name, "seconds": 0.0} for name in ("ann", "bob")]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        png(seconds_plot(data))


def test_factions_are_reported_by_label() -> None:
    """`matrix` shows every seat's choice at the end; the second choice wins here."""
    game = engines.load("matrix")
    (name,) = traits_of(game)
    declared = game.fields[name]
    blocks = [
        Block(
            n,
            [
                GameRecord(
                    (0, 1), [-0.5, 0.5], [0, 1], [1, 1], [0.1, 0.1], traits={name: [declared.first, declared.first + 1]}
                )
            ],
        )
        for n in range(12)
    ]
    labels = game.labels[str(declared.values)]
    first, second = trait_effects(game, blocks)[name]
    assert (first.name, second.name) == (labels[0], labels[1])
    assert first.seats == 12 and first.utility.mean == -0.5 and second.utility.mean == 0.5
    assert traits_of(engines.load("kuhn_poker")) == ()
    blocks[3].games[0].traits[name][1] = declared.first - 1
    assert trait_effects(game, blocks) == {}, "a seat without a label: no trait"


def test_a_match_records_the_factions_of_its_seats(tmp_path: Path) -> None:
    match = Match({"name": "matrix"}, resolve(["random", "random"]), 4, 16)
    blocks = run_match(match, 12, tmp_path, 1, lambda *_: None)
    (name,) = traits_of(match.load())
    seen = {x for b in blocks for g in b.games for x in g.traits[name]}
    assert len(seen) > 1 and 0 not in seen
    again = run_match(match, 12, tmp_path, 1, lambda *_: None)
    assert [g.traits for b in again for g in b.games] == [g.traits for b in blocks for g in b.games]


def test_a_sweep_becomes_one_page_with_strength_against_budget(tmp_path: Path) -> None:
    words = ["arena", "-m", "agents=[ismcts,random]", "budget.simulations=2,8", "blocks=4", "processes=1"]
    assert main([*words, f"output={tmp_path}"]) == 0
    assert main(["report", str(tmp_path)]) == 0
    page = (tmp_path / "report.html").read_text()
    assert "Strength against budget" in page and "ismcts, simulations" in page
    assert page.count("<h2>") == 2 and not Page(page).loads
    assert (tmp_path / "report.md").read_text().count("# kuhn_poker, 2 players") == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "holds no report.json"), ("{}", "is no report of a match: expected the key 'game'"), ("{", "report")],
)
def test_what_is_no_report_is_refused(
    tmp_path: Path, content: Any, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        (tmp_path / "report.json").write_text(content)
    assert main(["report", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err
    if content is None:
        with pytest.raises(FileError):
            find_reports(tmp_path)
