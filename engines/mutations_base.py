"""What a mutation is: a defect put into a loaded game by wrapping its kernels or declarations as Python sees them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.contract import Game, Who

__all__ = ["Mutant", "Mutation", "secret_fields"]


class Mutant:
    """A game under mutation: its own kernels are in `true`, `touched` says whether the defect has shown yet."""

    def __init__(self, game: Game) -> None:
        self.true = game.kernels._replace(apply=self._apply)
        self.base = game
        self.touched = False
        self.game = copy.copy(game)
        vars(self.game).pop("_id_of_text", None)
        self._ids = np.zeros(game.max_legal, np.int32)
        self.put()

    def _apply(self, record: Any, action: int) -> None:
        """The game's own `apply`, but safe: compiled kernels trust their callers, and a mutant cannot be trusted."""
        n = int(self.base.kernels.legal(record, self._ids))
        if action not in self._ids[:n]:
            raise IndexError(f"action {action} is not legal")
        self.base.kernels.apply(record, action)

    def put(self, **kernels: Callable[..., Any]) -> None:
        """Replace kernels by name."""
        vars(self.game)["kernels"] = self.true._replace(**kernels)

    def put_method(self, **methods: Any) -> None:
        """Replace methods or attributes of the game object by name."""
        vars(self.game).update(methods)

    def others(self, record: Any, seat: int, names: tuple[str, ...]) -> Iterator[Any]:
        """The rows of fields `names` (first axis the seat) that belong to seats other than `seat`."""
        fields = record.view(self.base.dtype)[0]
        for name in names:
            for other in range(self.base.players):
                if other != seat:
                    yield fields[name][other : other + 1]

    def secret(self, record: Any, seat: int, names: tuple[str, ...]) -> int:
        """A number made of others' secrets: positive where there are any."""
        return sum(int((np.arange(1, row.size + 1) * row.ravel()).sum()) for row in self.others(record, seat, names))


@dataclass(frozen=True)
class Mutation:
    """A defect: `apply` breaks a mutant in place and says whether the game has what it takes to be broken so."""

    name: str
    defect: str
    caught_by: tuple[str, ...]
    """Checks that must catch it: at least one of them."""
    apply: Callable[[Mutant], bool]


def secret_fields(game: Game) -> tuple[str, ...]:
    """Names of the fields whose rows belong to one seat each."""
    return tuple(name for name, f in game.fields.items() if f.who is Who.SEAT)
