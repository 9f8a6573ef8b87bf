"""A table for rulebook tests: set up a position, act by text, force what is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import pytest

import engines
from engines.moo_board import content as k
from engines.moo_board.layout import CARDS, COPIES, DESIGNS, NODES, NUMBERS
from engines.state import State

Cards = Sequence[str]


class Table:
    """A game without a dealer, begun at the first main action of seat 0 with empty hands and no buildings."""

    def __init__(self, players: int = 2, **options: object) -> None:
        options.setdefault("races", "humans")
        self.game = engines.load("moo_board", players=players, **options)
        self.state: State = self.game.start()
        while self.node != "main":
            if self.node == "first":
                self.act("first 0")
            else:
                self.state.apply(self.state.legal_actions()[0])
        self.s = self.state.fields
        self.lay()

    @property
    def node(self) -> str:
        """What is asked, by name."""
        return NODES[int(self.state.fields["node"])]

    @property
    def mover(self) -> int:
        return int(self.state.fields["mover"])

    def legal(self, prefix: str = "") -> list[str]:
        """The texts of what is legal, those that begin with `prefix`."""
        texts = [self.game.action_text(a) for a in self.state.legal_actions()]
        return [t for t in texts if t.startswith(prefix)]

    def act(self, *texts: str) -> None:
        """Apply decisions and outcomes in turn."""
        for text in texts:
            self.state.apply(text)

    def draw_any(self) -> int:
        """Let the pending draws find any card; return how many there were."""
        drawn = 0
        while self.node == "draw":
            self.state.apply(self.state.legal_actions()[0])
            drawn += 1
        return drawn

    def lay(
        self,
        hands: Mapping[int, Cards] | None = None,
        systems: Mapping[int, Sequence[Cards]] | None = None,
        pile: Cards = (),
        deck: Cards | None = None,
    ) -> None:
        """Lay out all cards anew.

        Args:
            hands: designs by seat, all of deck number 0 and unknown to others.
            systems: by seat, systems from 0 on; each lists its cards from the top down.
            pile: the discard pile from the bottom up.
            deck: what the deck holds; the other cards are put under the pile. None: all other cards.
        """
        s = self.s
        for field in ("hand", "known", "unknown", "unseen", "systems", "discard", "deck", "hand_size", "cube", "drawn"):
            s[field] = 0
        left = [int(n) for n in k.COPIES_OF]
        for seat, cards in (hands or {}).items():
            for name in cards:
                self._into_hand(seat, name)
                left[design(name)] -= 1
        for seat, stacks in (systems or {}).items():
            for i, stack in enumerate(stacks):
                for j, name in enumerate(stack):
                    s["systems"][seat, i, j] = 1 + design(name)
                    left[design(name)] -= 1
        below: list[int] = []
        for name in pile:
            left[design(name)] -= 1
        if deck is not None:
            for name in deck:
                left[design(name)] -= 1
            below = [d for d in range(DESIGNS) for _ in range(left[d])]
            left = [0] * DESIGNS
            for name in deck:
                left[design(name)] += 1
        assert min(left) >= 0, "more copies than there are"
        cards_of_pile = below + [design(name) for name in pile]
        s["discard"][: len(cards_of_pile)] = [1 + d for d in cards_of_pile]
        s["discard_size"] = len(cards_of_pile)
        s["deck"] = left
        s["deck_size"] = sum(left)
        for d, n in enumerate(left):
            for _ in range(n):
                self._unseen(d)

    def _unseen(self, d: int) -> None:
        row = self.s["unseen"][d]
        row[int((row > 0).sum())] = 1

    def _into_hand(self, seat: int, name: str) -> None:
        row = self.s["hand"][seat, design(name)]
        row[int((row > 0).sum())] = 1
        self._unseen(design(name))
        self.s["unknown"][seat, 0] += 1
        self.s["hand_size"][seat] += 1

    def stock(self, seat: int, food: int = 0, fleet: int = 0, production: int = 0) -> None:
        """Set the resources of a seat."""
        self.s["resources"][seat] = (food, fleet, production)

    def resources(self, seat: int) -> tuple[int, ...]:
        return tuple(int(x) for x in self.s["resources"][seat])

    def actions(self, *cubes: int) -> None:
        """Set the available cubes of the seats, from seat 0 on."""
        self.s["available"][: len(cubes)] = cubes

    def advisor(self, seat: int, name: str | None) -> None:
        """Give a seat an advisor, wherever it is now."""
        if name is None:
            self.s["advisor"][seat] = 0
            return
        a = k.ADVISOR_IDS.index(name)
        self.s["table"][a] = 0
        self.s["advisor"][seat] = 1 + a

    def on_table(self, *names: str) -> None:
        """Lay exactly these advisors on the table."""
        self.s["table"] = [int(name in names) for name in k.ADVISOR_IDS]

    def hand(self, seat: int) -> list[str]:
        """The designs in a hand."""
        cards: list[str] = []
        for d in range(DESIGNS):
            copies = int(self.s["known"][seat, d]) + sum(1 for i in range(COPIES) if self.s["hand"][seat, d, i])
            cards += [k.DESIGN_IDS[d]] * copies
        return cards

    def system(self, seat: int, system: int) -> list[str]:
        """The cards of a system from the top down."""
        return [k.DESIGN_IDS[int(c) - 1] for c in self.s["systems"][seat, system][:CARDS] if c]

    def pile(self) -> list[str]:
        """The discard pile from the bottom up."""
        return [k.DESIGN_IDS[int(c) - 1] for c in self.s["discard"][: int(self.s["discard_size"])]]

    def loyalty(self, seat: int) -> int:
        return int(self.s["loyalty"][seat])

    def vp(self, seat: int) -> int:
        return int(self.s["vp"][seat])

    def cube(self, seat: int, source: int) -> int:
        return int(self.s["cube"][seat, source])

    def reserve(self, seat: int) -> int:
        from engines.moo_board.rules_cards import reserve

        return int(reserve(self.s, seat))

    def end_round(self) -> None:
        """Let the turn's seat spend the last cube of the round on Propaganda, and go on to what is asked next."""
        assert self.node == "main"
        self.s["available"] = 0
        self.s["available"][self.mover] = 1
        self.s["propaganda"][self.mover] = 0
        self.s["loyalty"][self.mover] -= 3
        self.act("propaganda")

    def check(self) -> None:
        """The record agrees with itself: counts, deck numbers, cubes."""
        s, players = self.s, self.game.players
        for seat in range(players):
            assert int(s["hand_size"][seat]) == len(self.hand(seat))
            assert self.reserve(seat) >= 0
            for number in range(NUMBERS):
                assert int(s["unknown"][seat, number]) == int((s["hand"][seat] == 1 + number).sum())
        current = 1 + int(s["deck_number"])
        for d in range(DESIGNS):
            of = [int(x) for x in s["unseen"][d] if x]
            assert of == sorted(of)
            in_hands = sorted(int(x) for seat in range(players) for x in s["hand"][seat, d] if x)
            in_deck = [current] * int(s["deck"][d])
            assert sorted(in_hands + in_deck) == of
        assert int(s["deck_size"]) == int(s["deck"].sum())
        totals = self.game.conserved(self.state)
        assert totals["cards"] == 90
        assert all(totals[f"cubes of seat {p}"] == 10 for p in range(players))


def design(name: str) -> int:
    """The number of a design."""
    return k.DESIGN_IDS.index(name)


def texts(verb: str, names: Iterable[str]) -> list[str]:
    """`verb` before every name."""
    return [f"{verb} {name}" for name in names]


@pytest.fixture
def table() -> Callable[..., Table]:
    """Makes tables: `table(players=3, races=[...])`."""
    return Table
