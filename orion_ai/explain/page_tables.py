"""The tables of the page: the root's actions, what is believed, and the actions by what the worlds held."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from orion_ai.explain.facts import HIDDEN
from orion_ai.explain.numbers import count, percent, signed
from orion_ai.explain.samples import Belief
from orion_ai.explain.study import Answer, Option

__all__ = ["beliefs", "conditions", "options", "root_worlds", "side_by_side", "unsearched", "whence"]

MOST_OPTIONS, MOST_CONDITIONS, MOST_WORLDS, MAP_ROWS, MAP_BLOCKS = 24, 40, 40, 12, 2


def by_liking(answer: Answer) -> list[Option]:
    """The legal actions, those the agent likes best first."""
    return sorted(answer.options, key=lambda o: (o.action != answer.action, -o.policy, -o.visits, o.action))


def options(answer: Answer) -> str:
    """The root's actions with all that the search says of them."""
    if answer.report is None:
        return _unsearched(answer)
    ranked = by_liking(answer)
    rows = [_option(option, answer.action) for option in ranked]
    heads = "<tr><th>action<th>policy<th>prior<th>N<th>N'<th>Q</tr>"
    shown, rest = rows[:MOST_OPTIONS], rows[MOST_OPTIONS:]
    table = f"<table>{heads}{''.join(shown)}</table>"
    if rest:
        table += (
            f"<details><summary class=small>{len(rest)} more</summary><table>{heads}{''.join(rest)}</table></details>"
        )
    return table


def unsearched(answer: Answer) -> str:
    """What the numbers of an agent that does not search are, in a sentence."""
    if not answer.draws:
        return "It does not search, so there are no numbers behind the choice."
    prior = ", and what its network's policy is" if answer.value else ""
    return f"It does not search: how often it chose each action in {answer.draws} draws{prior}."


def _unsearched(answer: Answer) -> str:
    said = f"<p class=soft>{escape(unsearched(answer))}</p>"
    if not answer.draws:
        return said
    heads = f"<tr><th>action<th>chosen{'<th>network' if answer.value else ''}</tr>"
    rows = []
    for o in by_liking(answer)[: 2 * MOST_OPTIONS]:
        best = " class=best" if o.action == answer.action else ""
        prior = f"<td>{percent(o.prior)}" if answer.value else ""
        bar = f"<span class=bar><i style='--p:{o.policy:.3f}'></i></span>"
        rows.append(f"<tr{best}><td>{escape(o.text)}<td>{bar}{percent(o.policy)}{prior}</tr>")
    return f"{said}<table>{heads}{''.join(rows)}</table>"


def _option(option: Option, chosen: int) -> str:
    best = " class=best" if option.action == chosen else ""
    return (
        f"<tr{best}><td>{escape(option.text)}<td><span class=bar><i style='--p:{option.policy:.3f}'></i></span>"
        f"{percent(option.policy)}<td>{percent(option.prior)}<td>{count(option.visits)}<td>{count(option.available)}"
        f"{_q(option.visits, option.q)}</tr>"
    )


def _q(visits: float, q: float) -> str:
    if visits <= 0:
        return "<td class=soft>&ndash;"
    return f"<td{' class=good' if q > 0.005 else ' class=bad' if q < -0.005 else ''}>{signed(q)}"


def side_by_side(answers: Sequence[Answer]) -> str:
    """Two agents' policies and values, action by action, with how far they are apart."""
    one, two = answers
    other = {option.action: option for option in two.options}
    pairs = [(option, other[option.action]) for option in one.options]
    apart = sum(abs(a.policy - b.policy) for a, b in pairs) / 2
    pairs.sort(key=lambda pair: (-max(pair[0].policy, pair[1].policy), pair[0].action))
    same = one.action == two.action
    said = (
        f"Both play <b>{escape(_text(one))}</b>."
        if same
        else f"{escape(one.name)} plays <b>{escape(_text(one))}</b>, {escape(two.name)} <b>{escape(_text(two))}</b>."
    )
    rows = []
    for pair in pairs[:MOST_OPTIONS]:
        cells = "".join(
            f"<td class=agent-{agent}><span class=bar><i style='--p:{option.policy:.3f}'></i></span>"
            f"{percent(option.policy)}{_q(option.visits, option.q)}"
            for agent, option in enumerate(pair)
        )
        rows.append(
            f"<tr><td>{escape(pair[0].text)}{cells}<td>{100 * (pair[1].policy - pair[0].policy):+.0f} points</tr>"
        )
    heads = "".join(f"<th>{escape(answer.name)}<th>Q" for answer in answers)
    return (
        f"<p>{said} {percent(apart)} of the policy lies elsewhere.</p>"
        f"<table><tr><th>action{heads}<th>difference</tr>{''.join(rows)}</table>"
    )


def _text(answer: Answer) -> str:
    return next(option.text for option in answer.options if option.action == answer.action)


def whence(answer: Answer) -> str:
    """Where the worlds of the beliefs are from, where that is not each simulation or the tree's root."""
    if not answer.own_worlds:
        return " dealt from what the seat knows: the agent shows none of its own"
    reached = " that its search came to, weighted by how probably chance and the others' average strategies lead there"
    return reached if answer.from_start else ""


def beliefs(answer: Answer) -> str:
    """Heat maps: for each hidden field, what it may hold, by whose it is."""
    if not answer.beliefs:
        return "<p class=soft>Nothing is hidden from this seat.</p>"
    seats = _fields([belief for belief in answer.beliefs if belief.whose != HIDDEN])
    rest = _fields([belief for belief in answer.beliefs if belief.whose == HIDDEN])
    if not seats:
        return rest
    return seats + (f"<details class=rest><summary>what no seat sees</summary>{rest}</details>" if rest else "")


def _fields(told: Sequence[Belief]) -> str:
    return "".join(
        f"<div class=maps>{_maps(field, [belief for belief in told if belief.field == field])}</div>"
        for field in dict.fromkeys(belief.field for belief in told)
    )


def _maps(field: str, mine: Sequence[Belief]) -> str:
    owners = list(dict.fromkeys(belief.whose for belief in mine))
    found = {(belief.what, belief.whose): belief for belief in mine}
    things = list(dict.fromkeys(belief.what for belief in mine))
    height = max(MAP_ROWS, -(-len(things) // MAP_BLOCKS))
    blocks = [things[i : i + height] for i in range(0, len(things), height)]
    made = []
    for number, block in enumerate(blocks):
        caption = "&nbsp;" if number else escape(field.replace("_", " "))
        heads = "".join(f"<th style='text-align:center'>{escape(owner)}" for owner in owners)
        rows = "".join(
            f"<tr><td>{escape(what)}" + "".join(_heat(found.get((what, owner))) for owner in owners) + "</tr>"
            for what in block
        )
        made.append(f"<table><caption>{caption}</caption><tr><th>{heads}</tr>{rows}</table>")
    return "".join(made)


def _heat(belief: Belief | None) -> str:
    if belief is None:
        return "<td class=none>&middot;"
    often = f"<small>&times;{belief.mean:.1f}</small>" if belief.mean > belief.share + 0.05 else ""
    true = " true" if belief.true else ""
    return f"<td class='heat{true}' style='--p:{belief.share:.3f}'>{percent(belief.share)}{often}"


def conditions(answer: Answer, columns: int) -> str:
    """The root's actions in the worlds that held a fact: the `columns` that the agent likes best."""
    if not answer.conditions:
        why = "No search of this agent's was watched" if answer.report is None else "All its worlds held the same"
        return f"<p class=soft>{why}.</p>"
    ranked = by_liking(answer)[:columns]
    places = [next(i for i, o in enumerate(answer.options) if o.action == option.action) for option in ranked]
    told = sorted(answer.conditions, key=lambda c: -c.belief.share * (1 - c.belief.share))[:MOST_CONDITIONS]
    kept = [condition for condition in answer.conditions if condition in told]
    numbers = [abs(c.actions[i][1]) for c in kept for i in places] + [abs(o.q) for o in ranked]
    top = max([*numbers, 1e-9])
    heads = "".join(f"<th style='text-align:center'>{escape(option.text)}" for option in ranked)
    overall = "".join(_tint(option.visits, option.q, top) for option in ranked)
    rows = [f"<tr class=all><td>all worlds<td>100%{overall}</tr>"]
    for condition in kept:
        belief = condition.belief
        cells = "".join(_tint(*condition.actions[i], top) for i in places)
        name = f"{escape(belief.whose)}: {escape(belief.field.replace('_', ' '))} <b>{escape(belief.what)}</b>"
        rows.append(f"<tr><td>{name}<td>{percent(belief.share)}{cells}</tr>")
    hidden = len(answer.conditions) - len(kept)
    more = f"<p class='soft small'>{hidden} rarer or almost certain facts are left out.</p>" if hidden else ""
    return f"<table><tr><th>worlds in which<th>share{heads}</tr>{''.join(rows)}</table>{more}"


def root_worlds(answer: Answer, columns: int) -> str:
    """The root's actions world by world, the likeliest worlds first."""
    if not answer.root_worlds:
        return "<p class=soft>All its worlds look the same, or none were watched.</p>"
    ranked = by_liking(answer)[:columns]
    places = [next(i for i, o in enumerate(answer.options) if o.action == option.action) for option in ranked]
    shown = answer.root_worlds[:MOST_WORLDS]
    top = max([abs(world.actions[i][1]) for world in shown for i in places] + [1e-9])
    heads = "".join(f"<th style='text-align:center'>{escape(option.text)}" for option in ranked)
    rows = []
    for world in shown:
        cells = "".join(_tint(*world.actions[i], top) for i in places)
        times = f"<small>&times;{world.worlds:,}</small>" if world.worlds > 1 else ""
        name = f"{escape(world.text)}{times}"
        rows.append(f"<tr><td>{name}<td>{percent(world.share)}<td>{signed(world.value)}{cells}</tr>")
    rest = answer.root_worlds[MOST_WORLDS:]
    share = percent(sum(world.share for world in rest))
    more = f"<p class='soft small'>{len(rest):,} others, together {share}, are left out.</p>" if rest else ""
    return f"<table><tr><th>world<th>share<th>value{heads}</tr>{''.join(rows)}</table>{more}"


def _tint(visits: float, q: float, top: float) -> str:
    if visits <= 0:
        return "<td class=none>&ndash;"
    kind = "good" if q >= 0 else "bad"
    return f"<td class=tint-{kind} style='--p:{abs(q) / top:.3f}'>{signed(q)}<small>{count(visits)}</small>"
