"""The Template: one hidden card each, one decision each, the highest that dared takes all.

FILL IN: in one line what the game is. Where to begin: layout.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game, Kernels, Kind, Slice
from engines.errors import UsageError
from engines.state import State as Position

from . import belief, observe, rules
from .layout import CARDS, FIELDS, FIRST_CARD, MAX_PLAYERS, RANKS, State

_CHOICES = ("pass", "dare")


class Template(Game):
    """See the module."""

    name = "template"
    title = "The Template"
    # FILL IN: the sizes that the rules have. Once others play the game, a change of behaviour raises `version`.
    version = 1
    min_players, max_players = 2, MAX_PLAYERS
    dtype = State
    fields = FIELDS
    kernels = Kernels(
        rules.setup,
        rules.to_play,
        rules.legal,
        rules.weights,
        rules.apply,
        rules.returns,
        observe.observe,
        observe.info_key,
        belief.determinize,
    )
    num_actions, num_ids = FIRST_CARD, FIRST_CARD + CARDS
    max_legal = CARDS
    max_length = 2 * MAX_PLAYERS
    num_streams = MAX_PLAYERS
    # FILL IN: False where a seat can forget something that it has seen, or where the key leaves out how it came about.
    perfect_recall = True
    # An option of the game is a field of a subclass of `Options` (engines/contract.py): name it here as `options_type`,
    # encode it below, read it in `setup`, and put it with its default into the game's YAML file.

    @property
    def labels(self) -> Mapping[str, Sequence[str]]:
        return {"rank": RANKS, "choice": _CHOICES}

    @property
    def stakes(self) -> float:
        """Points: the most that can be won is 2 from every other seat."""
        return 2.0 * (self.players - 1)

    def encode_options(self) -> NDArray[np.int32]:
        return np.array([self.players], np.int32)

    def observation(self) -> list[Slice]:
        return [
            Slice("mover", Kind.ONE_HOT, (self.players,)),
            Slice("card", Kind.CARD, (1,), labels="rank"),
            Slice("choice", Kind.MASK, (self.players, 2), per_seat=True),
        ]

    def action_text(self, action: int) -> str:
        return _CHOICES[action] if action < FIRST_CARD else f"deal {RANKS[action - FIRST_CARD]}"

    def describe(self, state: Position, action: int, seat: int) -> str:
        if action < FIRST_CARD:
            return f"seat {state.to_play}: {self.action_text(action)}"
        # FILL IN: nobody may read here what another seat alone learns.
        dealt = int(state.fields["dealt"])
        return f"seat {dealt} is dealt {RANKS[action - FIRST_CARD] if seat == dealt else 'a card'}"

    def board(self, state: Position, seat: int | None = None) -> str:
        s = state.fields
        lines = []
        for p in range(self.players):
            card, choice = int(s["card"][p]), int(s["choice"][p])
            known = RANKS[card - 1] if card and seat in (None, p) else "?"
            lines.append(f"seat {p}: {known}, {_CHOICES[choice - 1] if choice else 'to choose'}")
        return "\n".join(lines)

    def scores(self, state: Position) -> list[int]:
        """Points won or lost at the end, none before: what a card is worth is not public."""
        return [round(u * self.stakes) for u in state.returns()] if state.is_over else [0] * self.players

    def check_state(self, state: Position) -> None:
        s, viewer = state.fields, state.viewer
        dealt, turns = int(s["dealt"]), int(s["turns"])
        # FILL IN: whatever the kernels take for granted, of a record that somebody may have written by hand.
        if int(s["players"]) != self.players or dealt > self.players or turns > (dealt if dealt == self.players else 0):
            raise UsageError(f"fields 'players', 'dealt' and 'turns': expected a game of {self.players} seats")
        if [int(choice) > 0 for choice in s["choice"]] != [p < turns for p in range(MAX_PLAYERS)]:
            raise UsageError(f"field 'choice': expected the choices of {turns} seats, as 'turns' says")
        if viewer is not None and viewer >= 0 and (int(s["card"][viewer]) > 0) != (viewer < dealt):
            raise UsageError(f"field 'card': expected {'one' if viewer < dealt else 'none'}, since 'dealt' is {dealt}")

    def conserved(self, state: Position) -> Mapping[str, int]:
        # FILL IN: totals that no action may change; left out, nothing is counted.
        dealt = [int(card) for card in state.fields["card"][: int(state.fields["dealt"])]]
        return {"cards that two seats hold": len(dealt) - len(set(dealt))}


GAME = Template
__all__ = ["GAME", "Template"]
