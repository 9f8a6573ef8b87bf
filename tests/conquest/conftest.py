"""A table for rulebook tests: set up a position, act by text with cards by name, force what is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

import engines
from engines.conquest import content as k
from engines.conquest import layout as at
from engines.state import State

HUMANS, DARLOKS, BULRATHI, PSILONS = range(4)
_BY_CARD = ("play", "or", "add", "defend", "card", "pile", "draw", "refill")
_CARD_IDS = {at.PLAY, at.OR, at.ADD, at.DEFEND, at.CARD, at.PILE, at.DRAW, at.REFILL}


class Table:
    """A game without a dealer, in the Explore phase of seat 0, with empty hands, Rows and Exploration Row.

    All cards that are not laid out are in the Empire Decks, all exploration cards in the shuffled part of the deck; on
    it lies a Megacity.
    """

    def __init__(self, players: int = 2, factions: Any = "default", **options: Any) -> None:
        self.game = engines.load("conquest", players=players, factions=factions, **options)
        self.state: State = self.game.start()
        while self.node != "explore":
            self.state.apply("first 0" if self.node == "first" else self.state.legal_actions()[0])
        self.s = self.state.fields
        self.explore(top="megacity")
        for seat in range(players):
            self.cards(seat)

    @property
    def node(self) -> str:
        """What is asked, by name."""
        return at.NODES[int(self.state.fields["node"])]

    @property
    def mover(self) -> int:
        return int(self.s["mover"])

    def faction(self, seat: int) -> int:
        return int(self.s["faction"][seat]) - 1

    def type_of(self, seat: int, name: str) -> int:
        """Number of a card by its id without the faction."""
        return k.CARD_IDS[self.faction(seat)].index(f"{k.FACTION_IDS[self.faction(seat)]}_{name}")

    def name_of(self, seat: int, t: int) -> str:
        return k.CARD_IDS[self.faction(seat)][t].removeprefix(f"{k.FACTION_IDS[self.faction(seat)]}_")

    def act(self, *texts: str) -> None:
        """Apply decisions and outcomes; cards by name ("play scout"), of the mover."""
        for text in texts:
            verb, _, rest = text.rpartition(" ")
            if verb in _BY_CARD and not rest.isdigit():
                text = f"{verb} {self.type_of(self.mover, rest)}"
            self.state.apply(text)

    def legal(self, prefix: str = "") -> list[str]:
        """The texts of what is legal, those that begin with `prefix`; cards by name."""
        found = []
        for action in self.state.legal_actions():
            text = self.game.action_text(action)
            first = max((a for a in _CARD_IDS if a <= action), default=0)
            if action - first < at.TYPES and text.rpartition(" ")[0] in _BY_CARD:
                text = f"{text.rpartition(' ')[0]} {self.name_of(self.mover, action - first)}"
            found.append(text)
        return [text for text in found if text.startswith(prefix)]

    def main(self) -> None:
        """Go on to the main loop."""
        self.act("done")

    def cards(
        self,
        seat: int,
        hand: Sequence[str] = (),
        deck: Sequence[str] = (),
        discard: Sequence[str] = (),
        row: Sequence[str | None] = (),
        known: Sequence[str] = (),
    ) -> None:
        """Lay out a seat's cards anew; those not named go to the Empire Deck. An empty deck makes the hand known."""
        s, f = self.s, self.faction(seat)
        for name in ("hand", "deck", "unseen", "known", "discard", "row", "accrued"):
            s[name][seat] = 0
        for pile, names in (("hand", hand), ("deck", deck), ("discard", discard), ("known", known)):
            for name in names:
                s[pile][seat, self.type_of(seat, name)] += 1
        for slot, card in enumerate(row):
            s["row"][seat, slot] = 0 if card is None else 1 + self.type_of(seat, card)
        s["unseen"][seat] = s["hand"][seat] + s["deck"][seat]
        if not deck:
            s["known"][seat] = s["hand"][seat]
        s["hand_size"][seat], s["deck_size"][seat], s["faceup"][seat] = len(hand), len(deck), 0
        s["empire"][seat], s["scrapped"][seat] = 0, 0
        rest = k.COPIES[f] - _lying(self.game, self.state, seat)
        assert rest.min() >= 0, "more copies than there are"
        s["empire"][seat], s["empire_size"][seat] = rest, int(rest.sum())

    def explore(
        self,
        row: Sequence[str] = (),
        top: str | None = None,
        deck: Sequence[str] | None = None,
        under: Sequence[str] = (),
    ) -> None:
        """Lay out the Exploration Row, the deck's top, the shuffled part (None: all others) and the recycled cards."""
        s = self.s
        s["explore"], s["tokens"], s["recycled"], s["top_new"] = 0, 0, 0, 0
        for i, name in enumerate(row):
            s["explore"][i] = 1 + face(name)
        s["top"] = 0 if top is None else 1 + face(top)
        for i, name in enumerate(under):
            s["recycled"][i] = 1 + face(name)
        s["recycled_size"] = len(under)
        left = k.FACE_COPIES * int(k.DECKS[self.game.players])
        for number in [*s["explore"], *s["planet"].reshape(-1), s["top"], *s["recycled"]]:
            if number:
                left[int(number) - 1] -= 1
        s["gone"] = 0
        if deck is not None:
            rest, left = int(left.sum()), left * 0
            for name in deck:
                left[face(name)] += 1
            s["gone"] = rest - len(deck)
        beaten = [i for i in range(at.FACE_BACK, at.FACE_EVENT) if left[i] < 0]
        for i in beaten:
            left[list(k.OTHER_SIDE).index(1 + i)] -= 1
            left[i] = 0
        s["explore_deck"], s["explore_size"] = left, int(left.sum())

    def planet(
        self,
        seat: int,
        place: int,
        name: str,
        side: int = 0,
        damage: int = 0,
        base: str | None = None,
        techs: Sequence[str] = (),
    ) -> None:
        """Lay a Planet or a roving hazard before a seat, out of the shuffled part."""
        s = self.s
        number = face(name)
        if not int(s["planet"][seat, place - 1]):
            s["explore_deck"][number] -= 1
            s["explore_size"] = int(s["explore_size"]) - 1
        s["planet"][seat, place - 1], s["side"][seat, place], s["damage"][seat, place] = 1 + number, side, damage
        self.world(seat, place, base, techs)

    def world(self, seat: int, world: int, base: str | None = None, techs: Sequence[str] = ()) -> None:
        """Station a Base on a world, attach Techs, all out of the Empire Deck."""
        s, f = self.s, self.faction(seat)
        for name in ([base] if base else []) + list(techs):
            s["empire"][seat, self.type_of(seat, name)] -= 1
            s["empire_size"][seat] -= 1
        if base:
            s["base"][seat, world] = 1 + self.type_of(seat, base)
        for name in techs:
            s["attached"][seat, world, int(k.ATTACH_PLACE[f, self.type_of(seat, name)])] += 1

    def ready(self, *names: str) -> None:
        """Ships of the active seat that were played already, out of the Empire Deck or the starting cards."""
        seat = int(self.s["active"])
        for name in names:
            t = self.type_of(seat, name)
            self.s["ready"][t] += 1
            self.s["empire"][seat, t] -= 1
            self.s["empire_size"][seat] -= 1

    def money(self, **kinds: int) -> None:
        """Set the production: general, factory, colony, empire."""
        for i, kind in enumerate(("general", "factory", "colony", "empire")):
            self.s["money"][i] = kinds.get(kind, 0)

    def spend(self) -> dict[str, int]:
        """The production that is left, without zeros."""
        kinds = zip(("general", "factory", "colony", "empire"), self.s["money"].tolist(), strict=True)
        return {kind: n for kind, n in kinds if n}

    def points(self) -> int:
        """Command points left."""
        classes = int(self.s["classes"]).bit_count()
        return int(k.CP_OF[classes]) + int(self.s["cp_gained"]) - int(self.s["cp_spent"])

    def pile(self, seat: int, name: str = "discard") -> list[str]:
        """Cards of a pile by name: discard, hand, deck, empire, known."""
        return [self.name_of(seat, t) for t, n in enumerate(self.s[name][seat]) for _ in range(int(n))]

    def faces(self) -> list[str]:
        """The Exploration Row."""
        return [k.FACE_IDS[int(n) - 1] for n in self.s["explore"] if n]

    def under(self) -> list[str]:
        """The recycled cards under the deck."""
        return [k.FACE_IDS[int(n) - 1] for n in self.s["recycled"] if n]

    def top(self) -> str | None:
        return k.FACE_IDS[int(self.s["top"]) - 1] if int(self.s["top"]) else None

    def place(self, seat: int, place: int) -> str | None:
        number = int(self.s["planet"][seat, place - 1])
        return k.FACE_IDS[number - 1] if number else None

    def left(self, seat: int, world: int = 0) -> int:
        """Population left of a world."""
        from engines.conquest.rules_worlds import population

        return int(population(self.s, seat, world)) - int(self.s["damage"][seat, world])

    def chance(self) -> None:
        """Let chance do anything until somebody decides."""
        while self.state.is_chance:
            self.state.apply(self.state.legal_actions()[0])

    def end_turn(self) -> None:
        """Finish the turn and go on to the next player's."""
        seat = int(self.s["active"])
        while not self.state.is_over and int(self.s["active"]) == seat:
            legal = self.state.legal_actions()
            self.state.apply(at.DONE if at.DONE in legal else legal[0])
        self.chance()

    def check(self) -> None:
        """The position is one that views would accept, and every card is somewhere."""
        self.game.check_state(self.state)
        totals: Mapping[str, int] = self.game.conserved(self.state)
        for seat in range(self.game.players):
            assert totals[f"cards of seat {seat} beside its faction's"] == 0
        assert totals["exploration cards"] == 38 * int(k.DECKS[self.game.players])


def _lying(game: Any, state: State, seat: int) -> Any:
    from engines.conquest.checks import cards_of

    return cards_of(state.fields, seat)


def face(name: str) -> int:
    """Number of an exploration card."""
    return k.FACE_IDS.index(name)


@pytest.fixture
def table() -> Callable[..., Table]:
    """Makes tables: `table(players=3, factions="humans")`."""
    return Table
