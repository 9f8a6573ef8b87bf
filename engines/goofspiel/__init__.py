"""Goofspiel for two to four seats: bid a hand of cards, one a prize, all at the same time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game, Kernels, Kind, Options, Slice
from engines.errors import UsageError, choose_from, quoted
from engines.goofspiel import belief, observe, rules
from engines.goofspiel.layout import (
    FIELDS,
    MAX_CARDS,
    MAX_PLAYERS,
    MIN_CARDS,
    NOBODY,
    ORDERS,
    WINNERS,
    State,
)
from engines.rng import generator
from engines.state import State as Position

TRIES = 10_000
"""Worlds tried before a view is said to fit no game."""
_RETURNS = ("win_loss", "point_difference")


@dataclass(frozen=True)
class GoofspielOptions(Options):
    """Options of the game."""

    cards: int = 13
    """Cards of each seat, and prizes."""
    prizes: str = "random"
    """In which order the prizes come: "random", "ascending" or "descending"."""
    hidden: bool = False
    """Whether bids are never shown, only who won (imperfect information)."""
    returns: str = "win_loss"
    """"win_loss": those with the most points share 1, the others -1; "point_difference": points above the mean."""

    def __post_init__(self) -> None:
        if not isinstance(self.cards, int) or isinstance(self.cards, bool) or not MIN_CARDS <= self.cards <= MAX_CARDS:
            raise UsageError(
                f"goofspiel: cards={quoted(self.cards)}, expected an integer from {MIN_CARDS} to {MAX_CARDS}"
            )
        choose_from("order of prizes of goofspiel", self.prizes, ORDERS)
        choose_from("returns of goofspiel", self.returns, _RETURNS)
        if not isinstance(self.hidden, bool):
            raise UsageError(f"goofspiel: hidden={quoted(self.hidden)}, expected true or false")


class Goofspiel(Game):
    """See the module. The sizes of the action space depend on the options: those of the class are the defaults'."""

    name = "goofspiel"
    title = "Goofspiel"
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
        rules.info_key,
        belief.determinize,
        observe.scripted,
    )
    num_actions, num_ids = MAX_CARDS, 2 * MAX_CARDS
    max_legal = MAX_CARDS
    max_length = (MAX_CARDS - 1) * 3
    num_streams = 1
    perfect_recall = True
    options_type = GoofspielOptions
    options: GoofspielOptions

    def __post_init__(self) -> None:
        cards = self.options.cards
        chances = int(self.options.prizes == "random")
        vars(self).update(
            num_actions=cards,
            num_ids=(1 + chances) * cards,
            max_legal=cards,
            max_length=(cards - 1) * (self.players + chances),
        )
        super().__post_init__()

    @property
    def labels(self) -> Mapping[str, Sequence[str]]:
        return {"order": ORDERS, "winner": WINNERS[: self.players + 1]}

    @property
    def stakes(self) -> float:
        """With point_difference, points above the mean: the most if all prizes are one seat's."""
        if self.options.returns == "win_loss":
            return 1.0
        return self._total * (self.players - 1) / self.players

    @property
    def _total(self) -> int:
        return self.options.cards * (self.options.cards + 1) // 2

    def encode_options(self) -> NDArray[np.int32]:
        o = self.options
        flags = (int(o.hidden), _RETURNS.index(o.returns))
        return np.array([self.players, o.cards, ORDERS.index(o.prizes), *flags], np.int32)

    def observation(self) -> list[Slice]:
        seats, cards = self.players, self.options.cards
        return [
            Slice("mover", Kind.ONE_HOT, (seats,)),
            Slice("turn", Kind.SCALAR, (1,), cards),
            Slice("prizes_left", Kind.MASK, (cards,)),
            Slice("prize", Kind.MASK, (cards,)),
            Slice("prizes", Kind.SCALAR, (cards,), cards),
            Slice("points", Kind.SCALAR, (seats,), self._total, per_seat=True),
            Slice("won", Kind.MASK, (seats, cards), per_seat=True),
            Slice("bids", Kind.SCALAR, (seats, cards), cards, per_seat=True),
            Slice("hands", Kind.MASK, (seats, cards), per_seat=True),
        ]

    def action_text(self, action: int) -> str:
        cards = self.options.cards
        return f"bid {action + 1}" if action < cards else f"prize {action - cards + 1}"

    def describe(self, state: Position, action: int, seat: int) -> str:
        if action >= self.options.cards:
            return f"the prize is {action - self.options.cards + 1}"
        mover = state.to_play
        return f"seat {mover}: {self.action_text(action) if seat == mover else 'bid'}"

    def board(self, state: Position, seat: int | None = None) -> str:
        s, turn, cards = state.fields, int(state.fields["turn"]), self.options.cards
        prize = int(s["prizes"][turn]) if turn < cards else 0
        past = [f"{int(s['prizes'][t])} to {WINNERS[int(s['won'][t]) - 1]}" for t in range(turn)]
        lines = [f"prize: {prize or 'none'}; so far: {', '.join(past) or 'none'}"]
        for p in range(self.players):
            mine = seat in (None, p)
            bids = [int(s["shown"][p, t]) + (int(s["kept"][p, t]) if mine else 0) for t in range(cards)]
            left = [str(card) for card in range(1, cards + 1) if card not in bids]
            shown = " ".join(str(bid or "?") for bid in bids[:turn])
            held = " ".join(left) if mine or not self.options.hidden else "?"
            bid = f", bids {bids[turn]} now" if mine and turn < cards and bids[turn] else ""
            lines.append(
                f"seat {p}: {int(rules.points(s, p))} points, holds {held or 'nothing'}, bid {shown or '-'}{bid}"
            )
        return "\n".join(lines)

    def scores(self, state: Position) -> list[int]:
        """Sum of the prizes won so far."""
        return [int(rules.points(state.fields, p)) for p in range(self.players)]

    def check_state(self, state: Position) -> None:
        s, turn, cards = state.fields, int(state.fields["turn"]), self.options.cards
        meant = dict(zip(("players", "cards", "order", "hidden", "difference"), self.encode_options(), strict=True))
        for name, value in meant.items():
            if int(s[name]) != int(value):
                raise UsageError(f"field {name!r}: {int(s[name])}, but this game has {int(value)}")
        if turn > cards or turn == cards - 1 or int(s["asked"]) >= self.players or (turn == cards and s["asked"]):
            raise UsageError(f"fields 'turn' and 'asked': no seat can be asked in round {turn} of {cards}")
        prizes = [int(prize) for prize in s["prizes"]]
        if self.options.prizes != "random":
            rising = list(range(1, cards + 1)) if self.options.prizes == "ascending" else list(range(cards, 0, -1))
            wanted = (rising + [0] * MAX_CARDS)[: min(turn + 1, cards)]
            if prizes[: len(wanted)] != wanted or any(prizes[len(wanted) :]):
                raise UsageError(f"field 'prizes': expected {wanted}, as they are {self.options.prizes}")
        self._check_row("prizes", prizes, (turn, turn + 1))
        if not all(s["won"][:turn]) or any(s["won"][turn:]):
            raise UsageError(f"field 'won': expected who won each of {turn} prizes")
        if not prizes[min(turn, cards - 1)] and s["asked"]:
            raise UsageError("field 'asked': expected 0 before the prize has come")
        self._check_bids(state)

    def _check_bids(self, state: Position) -> None:
        s, viewer, turn = state.fields, state.viewer, int(state.fields["turn"])
        hidden, own = self.options.hidden, [0] * MAX_CARDS
        for p in range(self.players):
            self._check_row("shown", [int(card) for card in s["shown"][p]], (0 if hidden else turn,))
        if viewer is not None and viewer >= 0:
            own = [int(card) for card in s["kept"][viewer]]
            bids = own if hidden else [int(s["shown"][viewer, t]) + own[t] for t in range(MAX_CARDS)]
            self._check_row("kept", bids, (turn,) if viewer == int(s["asked"]) else (turn, turn + 1))
            if not hidden and any(own[:turn]):
                raise UsageError(f"field 'kept': {own[:turn]}, but bids are shown when all have bid")
        if any(own[turn:]) and not s["prizes"][turn]:
            raise UsageError("field 'kept': expected no bid before the prize has come")
        for t in range(turn):
            self._check_winner(t, int(s["won"][t]), [int(card) for card in s["shown"][: self.players, t]])
        if hidden and not belief.worlds_exist(
            state.record.copy(), -1 if viewer is None else viewer, generator(0), TRIES
        ):
            raise UsageError("fields 'won' and 'kept': no bids of the other seats fit these winners")

    def _check_winner(self, turn: int, won: int, bids: Sequence[int]) -> None:
        best = max(bids)
        wanted = NOBODY if bids.count(best) > 1 else NOBODY + 1 + bids.index(best)
        if best and won != wanted:
            found, named = WINNERS[won - 1], WINNERS[wanted - 1]
            raise UsageError(f"field 'won': {found} in round {turn}, expected {named} with these bids: {list(bids)}")

    def _check_row(self, name: str, row: Sequence[int], lengths: tuple[int, ...]) -> None:
        """Refuse a row that is no list of different cards of one of these lengths."""
        length, cards = sum(1 for card in row if card), self.options.cards
        given = list(row[:length])
        if length not in lengths or not all(given) or len(set(given)) < length or max(given, default=0) > cards:
            numbers = " or ".join(str(n) for n in sorted({min(n, cards) for n in lengths}))
            raise UsageError(f"field {name!r}: {given}, expected {numbers} different cards from 1 to {cards}")


GAME = Goofspiel
__all__ = ["GAME", "Goofspiel", "GoofspielOptions"]
