"""A game between a person and bots, without any input or output: the terminal and tests drive it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engines.contract import Game
from engines.errors import IllegalAction, UsageError
from engines.rng import Dealer, generator, key_of
from engines.state import State
from orion_ai.agents import Agent, Decisions, Follower, decide_in_game, sealed
from orion_ai.trails import new_number, trail_of

__all__ = ["Session"]


class Session:
    """The true game, the bots' seats, and what the person has seen happen.

    Attributes:
        seat: the person's seat.
        log: what the person saw happen, a line an event.
    """

    def __init__(self, game: Game, seat: int, bots: Mapping[int, Agent], seed: int, past: Sequence[int] = ()) -> None:
        """Start a game and play on to the person's first choice.

        Args:
            game: the game, loaded.
            seat: the person's seat.
            bots: an agent for every other seat.
            seed: names the deal and the bots' random numbers.
            past: decisions and outcomes of a saved game, replayed first.

        Raises:
            UsageError: no such seat.
            IllegalAction: `past` breaks the rules; names the step.
        """
        if not 0 <= seat < game.players:
            raise UsageError(f"seat is {seat}: expected 0 to {game.players - 1}")
        self.game, self.seat, self.bots, self.seed = game, seat, bots, seed
        self._choices: list[int] = []
        self._restart(past)
        self._advance()

    @property
    def history(self) -> list[int]:
        """Every decision and outcome so far. It holds what is hidden: only for saving."""
        assert self._state.history is not None
        return list(self._state.history)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._state.is_over

    def legal(self) -> list[int]:
        """The person's legal actions; empty when the game is over."""
        return self._state.legal_actions()

    def said(self) -> dict[int, str]:
        """What the person's legal actions are in words, of those whose line in the log says more than their text.

        Made from what the person knows: the line itself may tell what only the action would bring to light.
        """
        known, found = self.game.from_view(self.view()), {}
        for action in self.legal():
            line = known.notation(action, self.seat).removeprefix(f"seat {self.seat}").lstrip(": ")
            if line.casefold() != self.game.action_text(action).casefold():
                found[action] = line
        return found

    def board(self) -> str:
        """The board as the person sees it."""
        return self.game.board(self._state, self.seat)

    def view(self) -> dict[str, object]:
        """All that the person knows, as plain data."""
        return self._state.view(self.seat)

    def result(self) -> tuple[list[int], list[float]]:
        """Points and utilities of every seat."""
        return self._state.scores(), self._state.returns()

    def act(self, action: int) -> None:
        """The person decides; the game goes on to the person's next choice.

        Raises:
            IllegalAction: it is not legal; nothing has changed.
        """
        if action not in self.legal():
            raise IllegalAction(f"{self.game.action_text(action)!r} is not possible now")
        self._choices.append(len(self.history))
        self._step(action)
        self._advance()

    def undo(self) -> None:
        """Back to the person's last choice; chance and bots would answer the same again.

        Raises:
            UsageError: there is nothing to take back.
        """
        if not self._choices:
            raise UsageError("there is no decision of yours to take back")
        self._restart(self.history[: self._choices[-1]])

    def ask(self, agent: Agent) -> Decisions:
        """What `agent` would do in the person's place, knowing what the person knows."""
        return self._decide(agent, self.seat, "hint")

    def _restart(self, past: Sequence[int]) -> None:
        self._number = new_number()  # who remembers the game that was taken back shall not take this for it
        self._state = State.start(self.game)
        self._dealer = Dealer(key_of(self.seed, "play", "deal"), self.game.num_streams)
        self.log: list[str] = []
        self._choices = []
        for number, action in enumerate(past):
            legal = self._state.legal_actions()
            if action not in legal:
                text = self.game.action_text(action) if 0 <= action < self.game.num_ids else str(action)
                raise IllegalAction(f"step {number + 1} of the game, {text!r}, breaks the rules")
            if self._state.is_chance:
                self._dealer.counts[self._state.chance()[0]] += 1
            elif self._state.to_play == self.seat and len(legal) > 1:
                self._choices.append(number)
            self._step(action)

    def _advance(self) -> None:
        """Play chance, the bots and decisions that leave no choice, up to the person's next choice or the end."""
        while not self._state.is_over:
            seat, legal = self._state.to_play, self._state.legal_actions()
            if self._state.is_chance:
                self._step(self._state.draw(self._dealer))
            elif len(legal) == 1:
                self._step(legal[0])
            elif seat == self.seat:
                return
            else:
                self._bot(seat, legal)

    def _bot(self, seat: int, legal: Sequence[int]) -> None:
        agent = self.bots[seat]
        action = int(self._decide(agent, seat, "bot").actions[0])
        if action not in legal:
            raise RuntimeError(f"agent {agent.name!r} in seat {seat} answered action {action}, which is not legal")
        self._step(action)

    def _decide(self, agent: Agent, seat: int, purpose: str) -> Decisions:
        at = len(self.history)
        world, _ = self._state.sample_world(seat, generator(self.seed, "play", purpose, "world", at))
        key = np.array([key_of(self.seed, "play", purpose, "agent", at)], np.uint64)
        trails = None
        if isinstance(agent, Follower):
            name = np.uint64(key_of(self.seed, "play", purpose, "trail", seat))
            trails = [trail_of(self.game, self.history, seat, name, self._number)]
        return decide_in_game(agent, trails, world.record[None].copy(), np.array([seat], np.int64), sealed(key))

    def _step(self, action: int) -> None:
        line = self._state.notation(action, self.seat)
        if line:
            self.log.append(line)
        self._state.apply(action)
