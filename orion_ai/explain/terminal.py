"""The same in a terminal: the root's actions, the tree to a given depth, beliefs and values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from orion_ai.explain.facts import HIDDEN
from orion_ai.explain.numbers import count, percent, rare, signed
from orion_ai.explain.page_tables import by_liking, unsearched, whence
from orion_ai.explain.places import Branch, Place
from orion_ai.explain.study import Answer, Explanation

__all__ = ["render"]

MOST_ROWS, MOST_PLACES, MOST_FACTS, MOST_COLUMNS = 12, 5, 12, 4


def render(told: Explanation) -> RenderableType:
    """Everything, for a rich console."""
    subject = told.subject
    where = subject.source if subject.ply is None else f"{subject.source}, after {subject.ply} steps"
    parts: list[RenderableType] = [
        Text(f"{subject.game.title}: seat {subject.seat} decides ({where})", style="bold"),
        Text(subject.game.board(subject.state, subject.seat)),
    ]
    if subject.truth is not None:
        parts += [Text("in truth:"), Text(subject.game.board(subject.truth))]
    for answer in told.answers:
        parts += [Text(""), *_answer(told, answer)]
    for number, answer in enumerate(told.answers):
        values = [f"{p.ply}: {signed(p.value)}" for p in told.points if (p.agent, p.seat) == (number, subject.seat)]
        if len(values) > 1:
            parts.append(Text(f"value to seat {subject.seat} by step, {answer.name}: {'  '.join(values)}"))
    return Group(*parts)


def _answer(told: Explanation, answer: Answer) -> Iterator[RenderableType]:
    subject = told.subject
    plays = subject.game.action_text(answer.action)
    played = "" if subject.played in (None, answer.action) else f" (in the game: {_played(told)})"
    yield Text(f"{answer.name} plays: {plays}{played}", style="bold")
    if answer.report is None:
        yield Text(f"  {unsearched(answer)}")
        if answer.value:
            yield Text(f"  value {signed(answer.value[subject.seat])}, by its network")
        if answer.draws:
            yield _options(answer)
    else:
        report = answer.report
        yield Text(
            f"  value {signed(answer.value[subject.seat])}; {int(report.simulations[0]):,} simulations,"
            f" {int(report.nodes[0]):,} nodes, depth {float(report.mean_depth[0]):.1f} on average,"
            f" {int(report.max_depth[0])} at most; {count(float(report.effective[0]))} effective worlds"
        )
        yield _options(answer)
    if answer.places:
        yield _tree(answer.places[0], told.depth)
    open_facts = [b for b in answer.beliefs if b.share < 1]
    facts = sorted([b for b in open_facts if b.whose != HIDDEN] or open_facts, key=lambda b: -b.share)[:MOST_FACTS]
    if facts:
        said = [
            f"{b.whose} {b.field.replace('_', ' ')} {b.what} {percent(b.share)}{' (true)' if b.true else ''}"
            for b in facts
        ]
        who = "it believes" if answer.own_worlds else "its seat may believe"
        own = whence(answer) if answer.own_worlds else ""
        yield Text(f"{who} ({answer.worlds:,} worlds{own}): {', '.join(said)}")
    if answer.root_worlds:
        yield _root_worlds(answer)


def _played(told: Explanation) -> str:
    assert told.subject.played is not None
    return told.subject.game.action_text(told.subject.played)


def _options(answer: Answer) -> Table:
    table = Table(box=None, pad_edge=True)
    headings: tuple[str, ...] = ("action", "policy", "prior", "N", "N'", "Q")
    if answer.report is None:
        headings = ("action", "chosen", "network") if answer.value else ("action", "chosen")
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "action" else "right")
    ranked = by_liking(answer)
    for o in ranked[:MOST_ROWS]:
        q = signed(o.q) if o.visits > 0 else "-"
        cells = (percent(o.policy), percent(o.prior), count(o.visits), count(o.available), q)
        table.add_row(Text(o.text), *cells[: len(headings) - 1])
    if len(ranked) > MOST_ROWS:
        table.add_row(Text(f"and {len(ranked) - MOST_ROWS} more", style="dim"))
    return table


def _root_worlds(answer: Answer) -> Table:
    table = Table(box=None, pad_edge=True)
    ranked = by_liking(answer)[:MOST_COLUMNS]
    for heading in ("world", "share", "value", *(f"Q {option.text}" for option in ranked)):
        table.add_column(Text(heading), justify="left" if heading == "world" else "right")
    places = [next(i for i, o in enumerate(answer.options) if o.action == option.action) for option in ranked]
    for world in answer.root_worlds[:MOST_ROWS]:
        name = world.text if world.worlds == 1 else f"{world.text} ({world.worlds:,} worlds)"
        q = (signed(world.actions[i][1]) if world.actions[i][0] > 0 else "-" for i in places)
        table.add_row(Text(name), percent(world.share), signed(world.value), *q)
    if len(answer.root_worlds) > MOST_ROWS:
        table.add_row(Text(f"and {len(answer.root_worlds) - MOST_ROWS:,} more", style="dim"))
    return table


def _tree(place: Place, depth: int) -> Tree:
    root = Tree(_place(place))
    _grow(root, place, depth)
    return root


def _grow(at: Tree, place: Place, depth: int) -> None:
    for branch in [b for b in place.branches if b.visits > 0][:MOST_PLACES]:
        below = at.add(_branch(branch))
        if depth > 0:
            shown = [p for p in branch.places[:MOST_PLACES] if p.count > 1 or len(branch.places) <= MOST_PLACES]
            for child in shown:
                grown = below.add(_place(child))
                if not child.again:
                    _grow(grown, child, depth - 1)
            _rest(below, branch.places[len(shown) :], branch)


def _rest(at: Tree, places: Sequence[Place], branch: Branch) -> None:
    nodes = len(places) + branch.unshown_nodes
    if nodes:
        came = sum(p.count for p in places) + branch.unshown
        at.add(Text(f"{nodes} more {'node' if nodes == 1 else 'nodes'} · {came}", style="dim"))
    if branch.ended and branch.places:
        at.add(Text(f"ended here, or went no further · {branch.ended}", style="dim"))


def _place(place: Place) -> Text:
    text = Text(f"seat {place.seat}", style="bold")
    for event in place.events:
        text.append(f" · {event}", style="default not bold")
    if place.holds:
        text.append(f" · {place.holds}", style="cyan not bold")
    if place.again:
        text.append(" · shown elsewhere", style="dim not bold")
    if place.mixture is not None:
        told = place.mixture
        histories = "history" if told.histories == 1 else "histories"
        text.append(f" · reach {rare(told.reach)} · {told.histories:,} {histories}", style="dim not bold")
        text.append(f" · value {signed(told.values[place.seat])}", style="default not bold")
    text.append(f" · {place.count}", style="dim not bold")
    return text


def _branch(branch: Branch) -> Text:
    text = Text(branch.text)
    if branch.average is not None and branch.current is not None:
        text.append(f"  {percent(branch.average)}", style="bold")
        text.append(f" now {percent(branch.current)}")
    text.append(f"  N {count(branch.visits)} of {count(branch.available)}  P {percent(branch.prior)}  ", style="dim")
    text.append(f"Q {signed(branch.q)}", style="green" if branch.q > 0.005 else "red" if branch.q < -0.005 else "")
    return text
