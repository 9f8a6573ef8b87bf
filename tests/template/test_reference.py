"""The Template once more, without kernels: slow, plain, by the rulebook.

FILL IN: play both with the same steps and compare all that can be seen, after every step. A reference that takes more
than a few seconds: mark its test `@pytest.mark.slow`. Write it before you look at the kernels again, or have another
write it: it finds what was misread only if it does not share the misreading.
"""

from __future__ import annotations

import random

import engines


class Reference:
    """The rules as a person would play them: cards and choices by seat."""

    def __init__(self, players: int, deck: int) -> None:
        self.players, self.deck = players, deck
        self.cards, self.choices = list[int](), list[str]()

    def is_over(self) -> bool:
        return len(self.choices) == self.players

    def legal(self) -> set[str]:
        if len(self.cards) < self.players:
            return {f"deal card {n}" for n in range(1, self.deck + 1) if n not in self.cards}
        return set() if self.is_over() else {"pass", "dare"}

    def apply(self, text: str) -> None:
        if text.startswith("deal"):
            self.cards.append(int(text.removeprefix("deal card ")))
        else:
            self.choices.append(text)

    def points(self) -> list[int]:
        darers = [seat for seat, choice in enumerate(self.choices) if choice == "dare"]
        if not darers:
            return [0] * self.players
        winner = max(darers, key=lambda seat: self.cards[seat])
        won = [-2 if choice == "dare" else -1 for choice in self.choices]
        won[winner] = -sum(lost for seat, lost in enumerate(won) if seat != winner)
        return won


def test_random_games_go_as_in_the_reference() -> None:
    kind, rng = engines.registry.game_type("template"), random.Random(1)
    for number in range(300):
        players = kind.min_players + number % (kind.max_players - kind.min_players + 1)
        game = engines.load("template", players=players)
        state, reference = game.start(), Reference(players, deck=kind.max_players + 1)
        while not reference.is_over():
            texts = {game.action_text(action) for action in state.legal_actions()}
            assert texts == reference.legal()
            text = rng.choice(sorted(texts))
            state.apply(text)
            reference.apply(text)
        assert state.is_over and state.scores() == reference.points()
        assert [round(u * game.stakes, 4) for u in state.returns()] == reference.points()
