"""Positions of backgammon by a line of text for each seat."""

from __future__ import annotations

import engines
from engines.backgammon.layout import BAR, CHECKERS, OFF
from engines.state import State

START = "24:2 13:5 8:3 6:5"


def checkers(line: str) -> list[int]:
    """Of "24:2 bar:1 6:5": checkers on 0 (off) to 25 (the bar); what is not named has been borne off."""
    row = [0] * (BAR + 1)
    for part in line.split():
        place, number = part.split(":")
        row[BAR if place == "bar" else int(place)] = int(number)
    row[OFF] = CHECKERS - sum(row)
    assert row[OFF] >= 0
    return row


def place(mine: str, theirs: str, roll: str = "", mover: int = 0, **options: object) -> State:
    """The position in which `mover` (whose line is `mine`) has just rolled, or is about to roll."""
    state = engines.load("backgammon", **options).start()
    state.fields["turn"], state.fields["mover"] = 20, mover
    state.fields["checkers"][mover], state.fields["checkers"][1 - mover] = checkers(mine), checkers(theirs)
    if roll:
        state.apply(f"roll {roll}")
    return state


def moves(state: State) -> list[str]:
    """Texts of what is legal, sorted."""
    return sorted(state.game.action_text(action) for action in state.legal_actions())


def plays(state: State) -> set[str]:
    """Every way to play the rest of the turn: "13/7 8/7"."""
    turn, found = int(state.fields["turn"]), set()
    for text in moves(state):
        after = state.clone()
        after.apply(text)
        going_on = after.to_play >= 0 and int(after.fields["turn"]) == turn
        found |= {f"{text} {rest}" for rest in plays(after)} if going_on else {text}
    return found


def after(state: State, *texts: str) -> State:
    """The state after some moves."""
    then = state.clone()
    for text in texts:
        then.apply(text)
    return then


def where(state: State, seat: int) -> dict[str, int]:
    """What stands where, of a seat."""
    labels = state.game.labels["point"]
    return {labels[i]: int(n) for i, n in enumerate(state.fields["checkers"][seat]) if n}
