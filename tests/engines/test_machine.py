"""Hypothesis plays any game: it draws every decision and every outcome, takes copies, worlds and views on the way."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from engines.contract import CHANCE, PUBLIC, TERMINAL
from engines.registry import GAMES
from engines.state import State
from tests.engines.games import counts, make

INTENSE = os.environ.get("ORION_INTENSE") == "1"
INDEX = st.integers(0, 2**16)


class Machine(RuleBasedStateMachine):
    """One game by drawn indices, so that Hypothesis can shrink a failure to the fewest, smallest choices."""

    name = ""
    state: State
    totals: dict[str, int]

    @initialize(players=INDEX)
    def begin(self, players: int) -> None:
        allowed = (2, 3) if self.name == "duel" else counts(self.name)
        self.state = make(self.name, allowed[players % len(allowed)]).start()
        self.totals = dict(self.state.game.conserved(self.state))

    @precondition(lambda self: self.state.to_play != TERMINAL)
    @rule(choice=INDEX, many=st.integers(1, 12))
    def play(self, choice: int, many: int) -> None:
        """Decisions and outcomes alike: any outcome can be forced."""
        for step in range(many):
            legal = self.state.legal_actions()
            if not legal:
                return
            self.state.apply(legal[(choice + 7 * step) % len(legal)])

    @precondition(lambda self: self.state.to_play == TERMINAL)
    @rule()
    def end(self) -> None:
        assert abs(sum(self.state.returns())) < 1e-5
        self.state = self.state.game.start()

    @rule(seat=INDEX, seed=INDEX, choice=INDEX)
    def go_on_in_a_world(self, seat: int, seed: int, choice: int) -> None:
        """The true game is left alone, and what is played on instead must keep every invariant too."""
        seat = seat % (self.state.game.players + 1) - 1
        before = bytes(self.state.record)
        world = self.state.determinize(seat, seed)
        assert bytes(self.state.record) == before
        assert world.info_key(seat) == self.state.info_key(seat) and world.to_play == self.state.to_play
        if choice % 2 and self.state.to_play != TERMINAL:
            self.state = world

    @precondition(lambda self: self.state.to_play != TERMINAL)
    @rule(seat=INDEX, seed=INDEX)
    def go_on_from_a_view(self, seat: int, seed: int) -> None:
        seat = seat % (self.state.game.players + 1) - 1
        view: Any = json.loads(json.dumps(self.state.view(seat)))
        world = self.state.game.from_view(view).determinize(seat, seed)
        assert world == self.state.determinize(seat, seed)
        self.state = world

    @rule(choice=INDEX)
    def copies_are_independent(self, choice: int) -> None:
        copy, before = self.state.clone(), bytes(self.state.record)
        legal = copy.legal_actions()
        if legal:
            copy.apply(legal[choice % len(legal)])
        assert bytes(self.state.record) == before

    @invariant()
    def totals_are_conserved(self) -> None:
        assert dict(self.state.game.conserved(self.state)) == self.totals

    @invariant()
    def something_is_legal_unless_it_is_over(self) -> None:
        legal, game = self.state.legal_actions(), self.state.game
        assert (legal == []) == (self.state.to_play == TERMINAL)
        assert legal == sorted(set(legal))
        low, high = (game.num_actions, game.num_ids) if self.state.to_play == CHANCE else (0, game.num_actions)
        assert all(low <= action < high for action in legal)

    @invariant()
    def every_seat_has_an_observation_and_a_key(self) -> None:
        for seat in range(PUBLIC, self.state.game.players):
            assert isinstance(self.state.info_key(seat), int)
            assert seat == PUBLIC or self.state.observe(seat).dtype == np.int16


def machine(name: str, examples: int) -> type[Any]:
    made = type(f"Machine_{name}", (Machine,), {"name": name}).TestCase
    made.settings = settings(
        max_examples=examples * (50 if INTENSE else 1),
        stateful_step_count=25,
        deadline=None,
        derandomize=not INTENSE,
        suppress_health_check=list(HealthCheck),
    )
    return made


for _name in (*GAMES, "duel"):
    globals()[f"Test_{_name}"] = machine(_name, 12)
