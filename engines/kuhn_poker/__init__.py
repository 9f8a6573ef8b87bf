"""Kuhn poker for two and three seats: the smallest game with a secret, and the shortest example of a game's folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engines.contract import PUBLIC, Game, Kernels, Kind, Slice
from engines.errors import UsageError
from engines.kuhn_poker import rules
from engines.kuhn_poker.layout import FIELDS, FIRST_CARD, RANKS, State
from engines.state import State as Position


class KuhnPoker(Game):
    """See the module."""

    name = "kuhn_poker"
    title = "Kuhn poker"
    version = 1
    min_players, max_players = 2, 3
    dtype = State
    fields = FIELDS
    kernels = Kernels(
        rules.setup,
        rules.to_play,
        rules.legal,
        rules.weights,
        rules.apply,
        rules.returns,
        rules.observe,
        rules.info_key,
        rules.determinize,
    )
    num_actions, num_ids = 2, 6
    max_legal = 4
    max_length = 8
    num_streams = 3
    perfect_recall = True

    @property
    def labels(self) -> Mapping[str, Sequence[str]]:
        return {"rank": RANKS, "bet": ("pass", "bet")}

    @property
    def stakes(self) -> float:
        """Chips: the most that can be won is 2 from every other seat."""
        return 2.0 * (self.players - 1)

    def encode_options(self) -> NDArray[np.int32]:
        return np.array([self.players], np.int32)

    def observation(self) -> list[Slice]:
        return [
            Slice("mover", Kind.ONE_HOT, (self.players,)),
            Slice("card", Kind.CARD, (1,), labels="rank"),
            Slice("bets", Kind.MASK, (self.players, 2, 2), per_seat=True),
        ]

    def action_text(self, action: int) -> str:
        return ("pass", "bet", *(f"deal {rank}" for rank in RANKS))[action]

    def describe(self, state: Position, action: int, seat: int) -> str:
        if action < FIRST_CARD:
            return f"seat {state.to_play}: {self.action_text(action)}"
        dealt = int(state.fields["dealt"])
        card = f"the {RANKS[action - FIRST_CARD]}" if seat == dealt else "a card"
        return f"seat {dealt} is dealt {card}"

    def board(self, state: Position, seat: int | None = None) -> str:
        s = state.fields
        cards = []
        for p in range(self.players):
            rank = int(s["card"][p])
            cards.append(RANKS[rank - 1] if rank and seat in (None, p) else "?")
        bets = [("pass", "bet")[int(b) - 1] for b in s["bet"][: int(s["turns"])]]
        return f"cards {' '.join(cards)} | {' '.join(bets) or 'no bets yet'}"

    def scores(self, state: Position) -> list[int]:
        """Chips put in so far (public); at the end what each seat has won or lost."""
        if not state.is_over:
            return [-int(rules.paid(state.fields, p)) for p in range(self.players)]
        return [round(u * self.stakes) for u in state.returns()]

    def check_state(self, state: Position) -> None:
        s, players, viewer = state.fields, self.players, state.viewer
        dealt, turns = int(s["dealt"]), int(s["turns"])
        if int(s["players"]) != players or dealt > players:
            raise UsageError(f"fields 'players' and 'dealt': {int(s['players'])} and {dealt}, expected {players} seats")
        bets = [int(b) for b in s["bet"]]
        first = bets.index(2) if 2 in bets[:players] else 0
        most = 0 if dealt < players else first + players
        if turns > most or 0 in bets[:turns] or any(bets[turns:]):
            raise UsageError(f"field 'bet': expected {turns} bets, as 'turns' says, and no more than {most}")
        if viewer is not None and viewer >= 0:
            card, has = int(s["card"][viewer]), viewer < dealt
            if (card > 0) != has or card > players + 1:
                expected = f"one of {', '.join(RANKS[: players + 1])}" if has else "none"
                raise UsageError(f"field 'card': expected {expected}, since 'dealt' is {dealt}")

    def conserved(self, state: Position) -> Mapping[str, int]:
        dealt = [int(card) for card in state.fields["card"][: int(state.fields["dealt"])]]
        return {"distinct cards dealt": len(set(dealt)) - len(dealt)}


GAME = KuhnPoker
__all__ = ["GAME", "PUBLIC", "KuhnPoker"]
