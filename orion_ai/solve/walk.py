"""Walking a whole game in slices: what it has, counted under the eyes of whoever waits, or why it is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from engines.contract import Game
from engines.errors import UsageError
from engines.kernel import compiling
from engines.rng import generator

with compiling("the solvers"):
    from orion_ai.solve import tree_kernels as kernels

__all__ = ["TooLarge", "Watcher", "unwatched", "walk_whole"]

Watcher = Callable[[str], None]
"""Told in words how far a long computation is. What it raises ends the computation."""
FIRST_DRAFT = 1 << 12
SLICE = 1 << 14
"""Steps of a walk between two looks at whether to go on: some milliseconds, which is what Ctrl-C waits."""
GUESSES = 32
"""Random games that guess how large a game is that the first slice did not finish."""
CERTAIN = 2.0
"""A game is refused where its guesses are this many times the limit, by their geometric mean."""


class TooLarge(UsageError):
    """A game with more histories or positions than the limit; the text names the size reached, or guessed."""


def unwatched(text: str) -> None:
    """A `Watcher` that does nothing."""


def walk_whole(game: Game, limit: int, watch: Watcher) -> Any:
    """The `Draft` of a walk through the whole game.

    Args:
        game: what to walk through.
        limit: most nodes, at least 1.
        watch: told after each slice.

    Raises:
        TooLarge: there are more nodes than that; or guesses make it certain (`_refuse_huge`).
        UsageError: a seat forgets what it has done, or positions repeat.
    """
    room, guessed = FIRST_DRAFT, not game.secrets  # positions meet: their number cannot be guessed from games
    while True:
        draft = kernels.draft(game, room)
        kernels.begin(game.table, draft, game.encode_options(), not game.secrets, limit)
        while draft.count[kernels.STATUS] == kernels.UNDER_WAY:
            kernels.walk(game.table, draft, not game.secrets, limit, SLICE)
            watch(f"counting: {_counted(game, draft)}, limit={limit:,}")
            if draft.count[kernels.NODES] > SLICE and not guessed:
                guessed = True
                _refuse_huge(game, limit)
        if draft.count[kernels.STATUS] != kernels.FULL:
            break
        room *= 4
    _refuse(game, draft, limit)
    return draft


def _refuse_huge(game: Game, limit: int) -> None:
    """Give up early on a game of histories that is larger than the limit beyond doubt.

    A guess is on average the number of histories. So of a game with `limit` histories or fewer the product of n
    independent guesses is on average at most limit ** n, and by Markov's inequality it is CERTAIN ** n times that with
    a probability of at most CERTAIN ** -n: one in 4 billion.
    """
    scratch, rng = kernels.draft(game, 1), generator("size", game.name)
    guesses = [kernels.guess(game.table, scratch, game.encode_options(), rng) for _ in range(GUESSES)]
    power = sum(map(math.log10, guesses)) / GUESSES
    if power > math.log10(CERTAIN * limit):
        size = f"{float(f'{10**power:.1e}'):,.0f}" if power < 9 else f"10^{power:.0f}"
        raise TooLarge(_too_large(game, limit, f"some {size} histories or more, as {GUESSES} random games tell"))


def _too_large(game: Game, limit: int, found: str) -> str:
    options = ", ".join(f"{key}={getattr(game.options, key)}" for key in game.options.names())
    return (
        f"{game.name} is too large to be solved exactly: {found}, limit={limit:,}. "
        f"Shrink it by its options ({options}), or raise limit (about 200 bytes each)"
    )


def _counted(game: Game, draft: Any) -> str:
    nodes, states = int(draft.count[kernels.NODES]), int(draft.count[kernels.STATES])
    return f"{nodes:,} histories ({states:,} information states)" if game.secrets else f"{nodes:,} positions"


def _refuse(game: Game, draft: Any, limit: int) -> None:
    """Say why a walk has ended before its time, if it has."""
    status = int(draft.count[kernels.STATUS])
    if status == kernels.DONE:
        return
    if status == kernels.OVER_LIMIT:
        raise TooLarge(_too_large(game, limit, f"more than {_counted(game, draft)}"))
    if status == kernels.NO_RECALL:
        raise UsageError(
            f"{game.name} cannot be solved by these methods: a seat's info_key forgets what the seat has done "
            f"(no perfect recall). How exploitable an agent is at least, `orion exploit {game.name} "
            "method=approximate` measures"
        )
    if status == kernels.CYCLE:
        raise UsageError(f"{game.name} cannot be solved by backward induction: a position can come up again in a game")
    why = {
        kernels.BROKEN_ACTIONS: "two states with one info_key have different legal actions",
        kernels.BROKEN_END: "two finished games with one info_key have different returns",
        kernels.TOO_LONG: "a game went on longer than max_length steps",
        kernels.STUCK: "a state that is not over has no legal action",
    }
    raise RuntimeError(f"{game.name}: {why[status]}; `orion check {game.name}` looks into it")
