"""The duel: a game for tests with hidden hands, pending choices, a face-down token that some have seen, and a deck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game, Kernels, Kind, Options, Slice
from engines.state import State as Position
from tests.engines.duel import rules
from tests.engines.duel.layout import A_DEAL, A_PLAY, A_PRIZE, FIELDS, N_IDS, PRIZE_NAMES, RANK_NAMES, State


class Duel(Game):
    name = "duel"
    title = "Duel"
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
    num_actions, num_ids = A_DEAL, N_IDS
    max_legal = 4
    max_length = 24
    num_streams = 4

    @property
    def labels(self) -> Mapping[str, Sequence[str]]:
        return {"rank": RANK_NAMES, "prize": PRIZE_NAMES}

    def encode_options(self) -> NDArray[np.int32]:
        return np.array([self.players], np.int32)

    def observation(self) -> list[Slice]:
        return [
            Slice("phase", Kind.ONE_HOT, (4,)),
            Slice("round", Kind.SCALAR, (1,)),
            Slice("asked", Kind.ONE_HOT, (self.players,)),
            Slice("pending", Kind.CARD, (1,), labels="rank"),
            Slice("prize", Kind.CARD, (1,), labels="prize"),
            Slice("hand", Kind.COUNT, (4,), labels="rank"),
            Slice("played", Kind.COUNT, (4,), labels="rank"),
            Slice("held", Kind.COUNT, (self.players, 1), per_seat=True),
            Slice("points", Kind.SCALAR, (self.players,), per_seat=True),
            Slice("peeked", Kind.MASK, (self.players,), per_seat=True),
        ]

    def action_text(self, action: int) -> str:
        if action >= A_PRIZE:
            return f"prize {PRIZE_NAMES[action - A_PRIZE]}"
        if action >= A_DEAL:
            return f"deal {RANK_NAMES[action - A_DEAL]}"
        return ("peek", "skip")[action] if action < A_PLAY else f"play {RANK_NAMES[action - A_PLAY]}"

    def describe(self, state: Position, action: int, seat: int) -> str:
        asked = int(state.fields["asked"])
        if action >= A_PRIZE:
            peeking = int(state.fields["pending"][asked]) == 0
            return self.action_text(action) if seat == asked or not peeking else f"seat {asked} sees the prize"
        if action >= A_DEAL:
            return f"seat {asked}: {self.action_text(action)}" if seat == asked else f"seat {asked} draws"
        if action >= A_PLAY and seat != asked:
            return f"seat {asked} chooses"
        return f"seat {asked}: {self.action_text(action)}"

    def board(self, state: Position, seat: int | None = None) -> str:
        s = state.fields
        rows = [f"round {s['round']}, phase {s['phase']}, seat {s['asked']} asked, played {s['played'].tolist()}"]
        for p in range(self.players):
            hand = s["hand"][p].tolist() if seat in (None, p) else f"{s['held'][p]} cards"
            rows.append(f"seat {p}: {s['points'][p]} points, hand {hand}")
        return "\n".join(rows)

    def scores(self, state: Position) -> list[int]:
        return [int(n) for n in state.fields["points"][: self.players]]

    def conserved(self, state: Position) -> Mapping[str, int]:
        s = state.fields
        total = s["deck"] + s["played"] + s["hand"].sum(axis=0)
        return {name: int(n) for name, n in zip(RANK_NAMES, total, strict=True)}


def duel(players: int = 2) -> Duel:
    return Duel(Options(players=players))
