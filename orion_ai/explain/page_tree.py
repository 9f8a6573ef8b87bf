"""The tree of the page: nodes below actions below nodes, each action that goes on can be opened."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from orion_ai.explain.numbers import count, percent, rare, signed
from orion_ai.explain.places import Branch, Mixture, Place

__all__ = ["tree"]

HEADS = (
    ("action", ""),
    ("visits", " class=optional"),
    ("N", ""),
    ("N'", " class=optional"),
    ("prior", " class=optional"),
    ("Q", ""),
)
MIXED_HEADS = (
    ("action", ""),
    ("policy", " class=optional"),
    ("", ""),
    ("now", " class=optional"),
    ("N", " class=optional"),
    ("prior", " class=optional"),
    ("Q", ""),
)
"""Of a search that mixes."""

MOST_PLACES = 6
"""Nodes below one action that are not folded away."""


def tree(places: Sequence[Place], seat: int, agent: int, chosen: int, from_start: bool) -> str:
    """HTML of an agent's tree.

    Args:
        places: the root, then nodes that simulations began at otherwise.
        seat: who searched.
        agent: number of the agent, for names of nodes on the page.
        chosen: the action that it plays.
        from_start: whether the search began at the start of the game, which is where the other nodes are then.
    """
    mixed = any(branch.average is not None for branch in places[0].branches)
    heads = "".join(f"<span{how}>{name}</span>" for name, how in (MIXED_HEADS if mixed else HEADS))
    parts = [
        "<div class=tools><button data-open=all>open all</button><button data-open=none>close all</button></div>",
        f"<div class=heads>{heads}</div>",
        _place(places[0], seat, agent, chosen, first=True),
    ]
    if len(places) > 1:
        others = "".join(_place(place, seat, agent, None) for place in places[1:])
        begin = "the search begins: the start of the game" if from_start else _PUBLIC
        parts.append(_folded(f"{len(places) - 1} more, where {begin}", others))
    return f"<div class=mixed>{''.join(parts)}</div>" if mixed else "".join(parts)


_PUBLIC = "worlds begin that keep only what everybody knows"


def _folded(title: str, content: str) -> str:
    return (
        f"<details class=edge><summary><span class='name soft'>{title}</span></summary>"
        f"<div class=below>{content}</div></details>"
    )


def _place(place: Place, seat: int, agent: int, chosen: int | None, first: bool = False) -> str:
    mine = " mine" if place.seat == seat else ""
    name = f"n{agent}-{place.node}"
    about = _about(place)
    if place.again:
        return (
            f"<div class='node again{mine}'><div class='about soft'>{about} &middot; "
            f"<a href='#{name}'>shown elsewhere</a></div></div>"
        )
    total = sum(branch.visits for branch in place.branches)
    tried = [b for b in place.branches if b.visits > 0 or first or b.places]
    rows = "".join(_branch(b, total, seat, agent, b.action == chosen, first) for b in tried)
    if len(tried) < len(place.branches):
        share, rest = 1 - sum(b.prior for b in tried), len(place.branches) - len(tried)
        rows += f"<div class='about soft'>{rest} actions not tried, prior {percent(share)}</div>"
    return f"<div class='node{mine}' id='{name}'><div class=about>{about}</div>{rows}</div>"


def _about(place: Place) -> str:
    who = f"<span class=chip>seat {place.seat}</span>"
    told = [escape(event) for event in place.events]
    if place.holds:
        told.append(f"<b>{escape(place.holds)}</b>")
    if place.pooled:
        told.append("whatever it holds")
    times = f"<span class=soft title='simulations that came this way'>{place.count:,}&times;</span>"
    return who + " &middot; ".join([*told, *_mixture(place.mixture, place.seat), times])


def _mixture(mixture: Mixture | None, seat: int) -> list[str]:
    if mixture is None:
        return []
    histories = "history" if mixture.histories == 1 else "histories"
    return [
        f"<span class=soft title='probability of coming here by the average strategies'>reach {rare(mixture.reach)}"
        f"</span> &middot; <span class=soft>{mixture.histories:,} {histories}</span>",
        f"value {signed(mixture.values[seat])}",
    ]


def _branch(branch: Branch, total: float, seat: int, agent: int, best: bool, first: bool) -> str:
    untried = branch.visits == 0
    share = branch.visits / total if total else 0.0
    everyone = ", ".join(f"seat {p} {signed(v)}" for p, v in enumerate(branch.values))
    sign = " class=good" if branch.q > 0.005 else " class=bad" if branch.q < -0.005 else ""
    if branch.average is None or branch.current is None:
        numbers = f"<span>{count(branch.visits)}</span><span class=optional>{count(branch.available)}</span>"
    else:
        share = branch.average
        numbers = (
            f"<span>{percent(branch.average)}</span><span class=optional>{percent(branch.current)}</span>"
            f"<span class=optional title='of {count(branch.available)}'>{count(branch.visits)}</span>"
        )
    cells = (
        f"<span class=name><b>{escape(branch.text)}</b>{' &#10003;' if best else ''}</span>"
        f"<span class=optional><span class=bar><i style='--p:{share:.3f}'></i></span></span>{numbers}"
        f"<span class=optional>{percent(branch.prior)}</span>"
        f"<span{sign} title='{everyone}'>{'' if untried else signed(branch.q)}</span>"
    )
    kinds = f"{' best' if best else ''}{' untried' if untried else ''}"
    below = [_place(place, seat, agent, None) for place in branch.places[:MOST_PLACES]]
    rest = branch.places[MOST_PLACES:]
    if rest:
        folded = "".join(_place(place, seat, agent, None) for place in rest)
        came = sum(place.count for place in rest)
        below.append(_folded(f"{len(rest)} more nodes, {came:,}&times;", folded))
    if branch.ended:
        below.append(f"<div class='about soft'>{branch.ended:,} ended here, or went no further</div>")
    if branch.unshown:
        nodes = "node" if branch.unshown_nodes == 1 else "nodes"
        below.append(
            f"<div class='about soft'>{branch.unshown:,} went on to {branch.unshown_nodes:,} {nodes} not shown</div>"
        )
    if not branch.places and not branch.unshown:
        return f"<div class='leaf{kinds}'><div class=row>{cells}</div></div>"
    is_open = " open" if first and best else ""
    return (
        f"<details class='edge{kinds}'{is_open}><summary class=row>{cells}</summary>"
        f"<div class=below>{''.join(below)}</div></details>"
    )
