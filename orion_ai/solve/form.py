# mypy: ignore-errors
"""The sequence form as the kernels read it: for every sequence of a seat, the ends that it leads to.

A *place* is a slot, or slots + seat for the sequence of a seat that has made no choice. A *term* is an end as one seat
sees it: what the seat gets there, and the places of the other seats' sequences. The terms of a place stand side by
side, so a seat's counterfactual values are sums over neighbours, and need no pass over the tree.
"""

from typing import NamedTuple

import numpy as np
from numba import types

from engines.kernel import lean_kernel

__all__ = ["FORM", "Form", "form_of"]


class Form(NamedTuple):
    """See the module. States are numbered so that a seat's earlier ones come first."""

    term: np.ndarray
    """int32[places + 1], the first term of each place."""
    value: np.ndarray
    """float64[terms], weight of the end times what the place's seat gets."""
    other: np.ndarray
    """int32[terms, seats - 1], the places of the others' sequences."""
    state: np.ndarray
    """int32[states], the information states, those of seat 0 first."""
    state_from: np.ndarray
    """int32[seats + 1], where each seat's begin in `state`."""
    slot: np.ndarray
    """int32[states + 1], the first slot of each information state."""
    parent: np.ndarray
    """int32[states], the place of the seat's sequence before it."""


_I4 = types.int32[::1]
FORM = types.NamedTuple((_I4, types.float64[::1], types.int32[:, ::1], _I4, _I4, _I4, _I4), Form)


def form_of(tree):
    """The form of a tree of histories."""
    ends, players, places = tree.require_histories("the sequence form"), tree.players, tree.slots + tree.players
    count = len(ends.payoff)
    place, end = ends.sequence.T.ravel(), np.tile(np.arange(count), players)
    seat = np.repeat(np.arange(players), count)
    order = np.argsort(place, kind="stable")
    end, seat = end[order], seat[order]
    others = np.array([[q for q in range(players) if q != p] for p in range(players)], np.int64).reshape(players, -1)
    by_seat = np.argsort(tree.seat, kind="stable")
    return Form(
        term=np.searchsorted(place[order], np.arange(places + 1)).astype(np.int32),
        value=ends.payoff[end, seat],
        other=np.ascontiguousarray(ends.sequence[end[:, None], others[seat]], np.int32),
        state=by_seat.astype(np.int32),
        state_from=np.searchsorted(tree.seat[by_seat], np.arange(players + 1)).astype(np.int32),
        slot=tree.slot,
        parent=tree.parent,
    )


@lean_kernel
def gather(f, reach, place):
    """What the place's seat gets over the ends that its sequence leads to, counted by the others' reach."""
    total = 0.0
    if f.other.shape[1] == 1:
        for t in range(f.term[place], f.term[place + 1]):
            total += f.value[t] * reach[f.other[t, 0]]
        return total
    for t in range(f.term[place], f.term[place + 1]):
        part = f.value[t]
        for j in range(f.other.shape[1]):
            part *= reach[f.other[t, j]]
        total += part
    return total


@lean_kernel
def set_reach(f, policy, reach, seat):
    """Reach of the seat's sequences under `policy`."""
    reach[f.slot[f.slot.shape[0] - 1] + seat] = 1.0
    for i in range(f.state_from[seat], f.state_from[seat + 1]):
        state = f.state[i]
        before = reach[f.parent[state]]
        for s in range(f.slot[state], f.slot[state + 1]):
            reach[s] = before * policy[s]


@lean_kernel(types.void(FORM, types.float64[::1], types.float64[::1]))
def all_reach(f, policy, reach):
    """Reach `float64[places]` of every seat's sequences under `policy` (`float64[slots]`)."""
    for seat in range(f.state_from.shape[0] - 1):
        set_reach(f, policy, reach, seat)


@lean_kernel(types.float64(FORM, types.float64[::1], types.int64))
def expected(f, reach, seat):
    """What `seat` gets when all play as `reach` says."""
    empty = f.slot[f.slot.shape[0] - 1] + seat
    total = gather(f, reach, empty)
    for i in range(f.state_from[seat], f.state_from[seat + 1]):
        for s in range(f.slot[f.state[i]], f.slot[f.state[i] + 1]):
            if reach[s] > 0.0:
                total += reach[s] * gather(f, reach, s)
    return total


@lean_kernel(types.float64(FORM, types.float64[::1], types.float64[::1], types.float64[::1], types.int64))
def best(f, reach, below, answer, seat):
    """The most that `seat` can get against the others' `reach`.

    Args:
        f: the form.
        reach: float64[places]; the seat's own is not looked at.
        below: float64[places], scratch of zeros; zeros again afterwards.
        answer: float64[slots], gets 1 for the best action of each of the seat's information states (the first of
            equals), 0 for its others.
        seat: who answers.
    """
    empty = f.slot[f.slot.shape[0] - 1] + seat
    for i in range(f.state_from[seat + 1] - 1, f.state_from[seat] - 1, -1):
        state = f.state[i]
        most, chosen = -np.inf, -1
        for s in range(f.slot[state], f.slot[state + 1]):
            value = gather(f, reach, s) + below[s]
            below[s], answer[s] = 0.0, 0.0
            if value > most:
                most, chosen = value, s
        answer[chosen] = 1.0
        below[f.parent[state]] += most
    total = gather(f, reach, empty) + below[empty]
    below[empty] = 0.0
    return total
