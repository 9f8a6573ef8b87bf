"""The page: one HTML file that needs nothing else, no network and no other file; its scripts only fold and colour.

The same search gives the same bytes: no clock, no path and no machine is named.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path

from orion_ai.explain import page_tables as tables
from orion_ai.explain.chart import chart
from orion_ai.explain.numbers import count, signed
from orion_ai.explain.page_tree import tree
from orion_ai.explain.study import Answer, Explanation

__all__ = ["page"]

LOG_LINES = 14
MOST_COLUMNS = 8
"""Actions of the table by what the worlds held; half of them with two agents."""
READING = (
    ("value, Q", "expected utility, from -1 (lost) to +1 (won); Q of an action to the seat that takes it"),
    ("N", "visits: simulations through the action, by the weights of their worlds or of what led there"),
    ("N'", "availability: simulations in which the action could have been chosen"),
    ("prior", "what a network thought before the search; equal shares without one"),
    (
        "policy",
        "the answer of the search: shares of visits, the improved policy of Gumbel search, or the average strategy of a"
        " search that mixes",
    ),
    ("now", "of a search that mixes: the strategy at its end, by the regrets, which only on average becomes stable"),
    (
        "reach",
        "of a search that mixes: how probably all come there by their average strategies, from where its tree starts;"
        " values and Q hold where all keep to these, and histories count by how probably the others lead there",
    ),
    (
        "node",
        "an information set: all states that the seat to move cannot tell apart. Below an action stand the nodes that"
        " simulations came to, named by what the mover saw since and what it alone knows there; its numbers count"
        " all ways to it, and it is shown where most simulations came to it",
    ),
    ("worlds", "states that the seat cannot tell from the true one; each simulation is played in one of them"),
)


def page(told: Explanation) -> str:
    """The whole HTML document."""
    here = Path(__file__).parent
    style, script = (here / "page.css").read_text(), (here / "page.js").read_text()
    subject = told.subject
    where = "" if subject.ply is None else f" after {subject.ply} steps"
    heading = f"{subject.game.title}: seat {subject.seat} decides{where}"
    body = "".join(_sections(told))
    return (
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline';"
        " script-src 'unsafe-inline'\"><meta name=viewport content='width=device-width, initial-scale=1'>"
        f"<title>{escape(heading)}</title><style>\n{style}</style></head>\n<body>"
        f"<header><div><h1>{escape(heading)}</h1><div class=soft>{escape(_origin(told))}</div></div>"
        f"<button id=theme>light / dark</button></header>\n<main>{body}</main>\n"
        f"<script>\n{script}</script></body></html>\n"
    )


def _origin(told: Explanation) -> str:
    subject = told.subject
    options = ", ".join(f"{key} {value}" for key, value in vars(subject.game.options).items())
    shown = (
        "with what was hidden revealed" if subject.truth is not None else f"as seat {subject.seat} knew the game then"
    )
    return f"{subject.source} · {subject.game.name}, version {subject.game.version} ({options}) · {shown}"


def _sections(told: Explanation) -> list[str]:
    answers, seat = told.answers, told.subject.seat
    parts = [_position(told), "<h2>The decision</h2>", _columns(told, lambda k, a: _decision(told, a))]
    if len(answers) > 1:
        parts += ["<h2>Side by side</h2>", f"<div class=panel>{tables.side_by_side(answers)}</div>"]
    if any(answer.places for answer in answers):
        parts += [
            "<h2>The tree</h2>",
            "<p class=soft>The nodes that most simulations came to. Open an action to see what came of it.</p>",
            _columns(told, lambda k, a: tree(a.places, seat, k, a.action, a.from_start) if a.places else _NO_TREE),
        ]
    else:
        parts += ["<h2>The tree</h2>", _NO_TREES]
    parts += [
        "<h2>What it believes</h2>",
        f"<p class=soft>The share of its worlds in which others hold something{_true_mark(told)}.</p>",
        _columns(told, lambda k, a: f"{_worlds(a)}{tables.beliefs(a)}"),
    ]
    if any(answer.conditions for answer in answers):
        parts += [
            "<h2>By what the worlds held</h2>",
            "<p class=soft>Q of the root's actions, and visits, in those worlds alone that hold something. Where rows"
            " disagree about the best action, the choice hangs on what is hidden.</p>",
            _columns(told, lambda k, a: tables.conditions(a, MOST_COLUMNS // len(answers))),
        ]
    if any(answer.root_worlds for answer in answers):
        parts += [
            "<h2>World by world</h2>",
            "<p class=soft>The worlds that the seat may be in, what each is worth, and Q of the root's actions, with"
            " visits, in it. Its strategy is one and the same in all of them: it cannot tell them apart.</p>",
            _columns(told, lambda k, a: tables.root_worlds(a, MOST_COLUMNS // len(answers))),
        ]
    parts += [_values(told), "<h2>How to read this</h2>", "<div class=panel><dl>"]
    parts += [f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in READING]
    return [*parts, "</dl></div>"]


_NO_TREE = "<p class=soft>This agent keeps no tree of information sets.</p>"
_NO_TREES = "<p class=soft>There is no tree: this agent does not search, or keeps no tree of information sets.</p>"


def _true_mark(told: Explanation) -> str:
    return "; outlined: what is true" if told.subject.truth is not None else ""


def _worlds(answer: Answer) -> str:
    return f"<p class='soft small'>{answer.worlds:,} worlds{tables.whence(answer)}</p>"


def _columns(told: Explanation, content: Callable[[int, Answer], str]) -> str:
    """A panel for each agent."""
    two = " two" if len(told.answers) > 1 else ""
    panels = []
    for number, answer in enumerate(told.answers):
        title = f"<h3>{escape(answer.name)}</h3>" if two else ""
        panels.append(f"<div class='panel agent-{number}'>{title}{content(number, answer)}</div>")
    return f"<div class='columns{two}'>{''.join(panels)}</div>"


def _position(told: Explanation) -> str:
    subject = told.subject
    board = escape(subject.game.board(subject.state, subject.seat))
    panels = [f"<div class=panel><h3>What seat {subject.seat} knows</h3><pre>{board}</pre></div>"]
    if subject.truth is not None:
        truth = escape(subject.game.board(subject.truth))
        panels.append(f"<div class=panel><h3>What was true</h3><pre>{truth}</pre></div>")
    if subject.log:
        first = max(0, len(subject.log) - LOG_LINES)
        lines = "".join(f"<li>{escape(line)}</li>" for line in subject.log[first:])
        earlier = f" (the last {LOG_LINES} of {len(subject.log)} events)" if first else ""
        panels.append(
            f"<div class=panel><h3>What it saw happen{earlier}</h3><ol class=log start={first + 1}>{lines}</ol></div>"
        )
    two = " two" if len(panels) > 1 else ""
    return f"<h2>The position</h2><div class='columns{two}'>{''.join(panels)}</div>"


def _decision(told: Explanation, answer: Answer) -> str:
    subject, report = told.subject, answer.report
    played = ""
    if subject.played is not None:
        same = subject.played == answer.action
        text = "as in the game" if same else f"in the game: {subject.game.action_text(subject.played)}"
        played = f"<span class=badge>{escape(text)}</span>"
    tiles = []
    if report is not None:
        values = " / ".join(signed(v) for v in answer.value)
        tiles = [
            (signed(answer.value[subject.seat]), f"value to seat {subject.seat}"),
            *([(values, "value by seat")] if len(answer.value) > 2 else []),
            (f"{int(report.simulations[0]):,}", "simulations"),
            (count(float(report.effective[0])), "effective worlds"),
            (f"{int(report.nodes[0]):,}", "nodes"),
            (f"{float(report.mean_depth[0]):.1f} / {int(report.max_depth[0])}", "mean / greatest depth"),
            *([(f"{int(report.evaluations[0]):,}", "evaluations")] if report.evaluations[0] else []),
        ]
    elif answer.value:
        tiles = [(signed(answer.value[subject.seat]), f"value to seat {subject.seat}, by its network")]
    boxes = "".join(f"<div><b>{escape(number)}</b><span>{escape(name)}</span></div>" for number, name in tiles)
    text = escape(subject.game.action_text(answer.action))
    return (
        f"<div><span class=plays>{text}</span>{played}</div><div class='soft small'>{escape(answer.settings)}</div>"
        f"<div class=tiles>{boxes}</div>{tables.options(answer)}"
    )


def _values(told: Explanation) -> str:
    subject = told.subject
    if not told.points or subject.replay is None or subject.ply is None:
        return ""
    drawn = chart(told.points, [a.name for a in told.answers], subject.seat, subject.ply, len(subject.replay.actions))
    whose = "each seat" if subject.truth is not None else f"seat {subject.seat}"
    return (
        "<h2>Value over the game</h2>"
        f"<p class=soft>What {whose} could expect at its decisions, searched from what it knew at each of them.</p>"
        f"<div class=panel>{drawn}</div>"
    )
