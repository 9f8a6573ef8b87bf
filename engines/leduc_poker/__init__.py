"""Leduc poker for two and three seats: two betting rounds around one public card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game, Kernels, Kind, Slice
from engines.errors import UsageError
from engines.leduc_poker import observe, rules
from engines.leduc_poker.layout import (
    BOARD,
    CARDS,
    DEAL,
    FIELDS,
    FIRST_CARD,
    MOST_PAID,
    MOST_RAISES,
    OVER,
    ROUNDS,
    SUITS,
    State,
)
from engines.state import State as Position

_ACTIONS = ("fold", "call", "raise")
_PHASES = ("deal", "first round", "board", "second round", "over")


class LeducPoker(Game):
    """See the module."""

    name = "leduc_poker"
    title = "Leduc poker"
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
        observe.observe,
        rules.info_key,
        rules.determinize,
        observe.scripted,
    )
    num_actions, num_ids = FIRST_CARD, FIRST_CARD + len(CARDS)
    max_legal = len(CARDS)
    max_length = 18
    num_streams = 4
    perfect_recall = True

    @property
    def labels(self) -> Mapping[str, Sequence[str]]:
        return {"card": CARDS, "bet": _ACTIONS, "phase": _PHASES}

    @property
    def stakes(self) -> float:
        """Chips: the most that can be won is 13 from every other seat."""
        return float(MOST_PAID * (self.players - 1))

    def encode_options(self) -> NDArray[np.int32]:
        return np.array([self.players], np.int32)

    def observation(self) -> list[Slice]:
        seats = self.players
        return [
            Slice("phase", Kind.ONE_HOT, (len(_PHASES),), labels="phase"),
            Slice("mover", Kind.ONE_HOT, (seats,)),
            Slice("card", Kind.CARD, (1,), labels="card"),
            Slice("board", Kind.CARD, (1,), labels="card"),
            Slice("raises", Kind.SCALAR, (1,), MOST_RAISES),
            Slice("paid", Kind.SCALAR, (seats,), MOST_PAID, per_seat=True),
            Slice("out", Kind.MASK, (seats,), per_seat=True),
            Slice("bets", Kind.MASK, (seats, ROUNDS, seats, len(_ACTIONS)), per_seat=True),
        ]

    def action_text(self, action: int) -> str:
        return _ACTIONS[action] if action < FIRST_CARD else f"deal {CARDS[action - FIRST_CARD]}"

    def describe(self, state: Position, action: int, seat: int) -> str:
        if action < FIRST_CARD:
            return f"seat {state.to_play}: {self.action_text(action)}"
        card, dealt = CARDS[action - FIRST_CARD], int(state.fields["dealt"])
        if int(state.fields["phase"]) == BOARD:
            return f"the board is the {card}"
        return f"seat {dealt} is dealt {f'the {card}' if seat == dealt else 'a card'}"

    def board(self, state: Position, seat: int | None = None) -> str:
        s = state.fields
        lines = [f"{_PHASES[int(s['phase'])]}, board: {CARDS[int(s['board']) - 1] if s['board'] else 'none'}"]
        for p in range(self.players):
            card = int(s["card"][p])
            held = CARDS[card - 1] if card and seat in (None, p) else "?"
            done = [", ".join(_ACTIONS[int(b) - 1] for b in row if b) or "-" for row in s["bets"][p]]
            lines.append(f"seat {p}: {held}, {int(s['paid'][p])} chips in, {' | '.join(done)}")
        return "\n".join(lines)

    def scores(self, state: Position) -> list[int]:
        """Chips put in so far, as losses; at the end what each seat has won or lost, a half chip left out."""
        if not state.is_over:
            return [-int(chips) for chips in state.fields["paid"][: self.players]]
        return [int(round(2 * u * self.stakes) / 2) for u in state.returns()]

    def check_state(self, state: Position) -> None:
        """The public fields must be those that the betting leads to, and the cards must fit in."""
        s, viewer = state.fields, state.viewer
        dealt, board, cards = int(s["dealt"]), int(s["board"]), SUITS * (self.players + 1)
        if dealt > self.players or board > cards:
            raise UsageError(f"fields 'dealt' and 'board': {dealt} and {board}, expected {self.players} seats' cards")
        own = int(s["card"][viewer]) if viewer is not None and viewer >= 0 else 0
        if viewer is not None and viewer >= 0 and ((own > 0) != (viewer < dealt) or own > cards):
            expected = f"one of {', '.join(CARDS[:cards])}" if viewer < dealt else "none"
            raise UsageError(f"field 'card': expected {expected}, since 'dealt' is {dealt}")
        if own and own == board:
            raise UsageError(f"fields 'card' and 'board': the {CARDS[own - 1]} is in both")
        played = self._played(s, board)
        for name in ("players", "phase", "asked", "raises", "calls", "board", "paid", "out", "bets"):
            if not np.array_equal(s[name], played[name]):
                found, wanted = np.asarray(s[name]).tolist(), np.asarray(played[name]).tolist()
                raise UsageError(f"field {name!r}: {found}, expected {wanted} by the deal and by 'bets' in turn")

    def _played(self, s: np.void, board: int) -> np.void:
        """The record after deal, betting and board of `s`, as far as they can be played; private cards are any."""
        kernels, record = self.kernels, self.start().record
        again: np.void = record.view(self.dtype)[0]
        ids = np.zeros(self.max_legal, np.int32)
        done = np.zeros((self.players, ROUNDS), int)
        while int(again["phase"]) != OVER:
            legal = ids[: kernels.legal(record, ids)].tolist()
            if int(again["phase"]) == DEAL:
                if int(again["dealt"]) == int(s["dealt"]):
                    break
                action = next(a for a in legal if a != FIRST_CARD + board - 1)
            elif int(again["phase"]) == BOARD:
                action = FIRST_CARD + board - 1
            else:
                place = (int(again["asked"]), int(int(again["phase"]) > BOARD))
                if done[place] == self.players:
                    break
                action = int(s["bets"][place][done[place]]) - 1
                done[place] += 1
            if action not in legal:
                break
            kernels.apply(record, action)
        return again


GAME = LeducPoker
__all__ = ["GAME", "LeducPoker"]
