"""OpenSpiel's bots as agents of the arena.

An agent gets worlds. Each becomes a state of the engine's own OpenSpiel game (`SpielGame.state`), whose history begins
there: a bot may search and sample from it, but not ask how the game went. The bot is made anew for each decision from
the key of that decision, so answers do not depend on the batch; it plays by `step_with_policy`, since OpenSpiel 2.0.2's
`MCTSBot.step` crashes the process on every game that is written in Python.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game
from engines.errors import UsageError, choose_from, quoted
from engines.state import State
from orion_ai.agents import Decisions
from orion_ai.interop.openspiel_game import SpielGame
from orion_ai.interop.packages import missing

try:
    import pyspiel
    from open_spiel.python.algorithms import ismcts, mcts
except ModuleNotFoundError as error:
    raise missing("open_spiel", error) from None

__all__ = ["BotMaker", "SpielAgent", "bot"]

MOST = 2**31 - 1
"""OpenSpiel's counts are C's int."""
BotMaker = Callable[[int, int], Any]
"""Makes a `pyspiel.Bot` for (seat, seed)."""
StateMaker = Callable[[NDArray[np.uint8]], Any]
"""Makes a `pyspiel.State` of a record (`uint8[record_size]`)."""
MEMORY = 1000
"""Megabytes that a tree of OpenSpiel's search may grow to."""


class SpielAgent:
    """An OpenSpiel bot that decides in Orion's games."""

    def __init__(
        self, game: SpielGame, make: BotMaker, name: str = "openspiel", state: StateMaker | None = None
    ) -> None:
        """An agent for `game.engine`.

        Args:
            game: the engine in OpenSpiel.
            make: gives the bot for (seat, seed); asked once a decision.
            name: see `Agent`.
            state: what the bot gets for a record, a state of `game` by default.
        """
        self.name, self._make, self._state = name, make, state or game.state

    def decide(self, worlds: NDArray[np.uint8], seats: NDArray[np.int64], keys: NDArray[np.uint64]) -> Decisions:
        """See `orion_ai.agents.Agent.decide`."""
        actions = [self._answer(*asked) for asked in zip(worlds, seats.tolist(), keys.tolist(), strict=True)]
        return Decisions(np.array(actions, np.int32))

    def _answer(self, world: NDArray[np.uint8], seat: int, key: int) -> int:
        _, action = self._make(seat, key & 0x7FFFFFFF).step_with_policy(self._state(world))
        return int(action)


def bot(game: Game, lanes: int, bot: str = "mcts", **settings: Any) -> SpielAgent:
    """An agent for `game` (`lanes` does not matter: it answers one position after another).

    Args:
        game: what it plays.
        lanes: as the arena gives it.
        bot: `random`; `mcts`, for games without secrets; `ismcts`, for games with secrets; `cfr`, the average policy of
            counterfactual regret minimisation over the whole tree, for small games with perfect recall.
        settings: of `mcts` and `ismcts`: `simulations` (100 a decision), `c_uct` (1.4, for values in [-1, 1]),
            `rollouts` (1, that value a leaf); of `mcts` also `solve` (true: proven values are kept) and `own` (false;
            true: search OpenSpiel's own game in C++, set up from the position, which is much faster; `connect_four`
            and `tic_tac_toe` only). Of `cfr`: `iterations` (1000) and `plus` (true: CFR+).

    Raises:
        UsageError: an unknown bot or setting (names the nearest), a value out of range, or a bot that cannot play this
            game.
    """
    made = _MAKERS[choose_from("OpenSpiel bot", bot, _MAKERS)]
    for key, value in settings.items():
        defaults = {p.name: p.default for p in inspect.signature(made).parameters.values() if p.kind is p.KEYWORD_ONLY}
        usual = defaults[choose_from(f"setting of OpenSpiel's {bot}", key, defaults)]
        _check(f"setting {key!r} of OpenSpiel's {bot}", value, usual)
    spiel = SpielGame(game)
    state = own_state(game) if settings.get("own") else None
    return SpielAgent(spiel, made(spiel, **settings), f"openspiel-{bot}", state)


def own_state(game: Game) -> StateMaker:
    """From a record to a state of OpenSpiel's own game in C++, by the position that it can be set up from.

    Raises:
        UsageError: OpenSpiel takes no positions of this game.
    """
    if game.name not in _POSITIONS:
        raise UsageError(f"own: OpenSpiel's own game can be set up from a position of {', '.join(_POSITIONS)} only")
    theirs, position = pyspiel.load_game(game.name), _POSITIONS[game.name]
    return lambda record: theirs.new_initial_state(position(State(game, record)))


def _connect_four(state: State) -> dict[str, Any]:
    cells: Any = state.game
    board = [[".xo"[cell] for cell in row] for row in cells.cells(state)]
    return {"board": board, "current_player": "xo"[state.to_play], "is_terminal": False, "winner": ""}


def _tic_tac_toe(state: State) -> dict[str, Any]:
    return {"board": [".xo"[cell] for cell in state.fields["cells"]], "current_player": "xo"[state.to_play]}


_POSITIONS: Mapping[str, Callable[[State], dict[str, Any]]] = {
    "connect_four": _connect_four,
    "tic_tac_toe": _tic_tac_toe,
}
"""How OpenSpiel writes a position in which somebody has to decide, for games with equal action ids."""


def _check(what: str, value: Any, usual: Any) -> None:
    if isinstance(usual, bool) or isinstance(value, bool):
        fits, expected = isinstance(value, type(usual)), "true or false" if isinstance(usual, bool) else "a number"
    elif isinstance(usual, int):
        fits, expected = isinstance(value, int) and 1 <= value <= MOST, f"a whole number from 1 to {MOST:,}"
    else:
        fits, expected = isinstance(value, int | float) and 0 <= value < math.inf, "a number from 0"
    if not fits:
        raise UsageError(f"{what} is {quoted(value)}: expected {expected}")


def _random(game: SpielGame) -> BotMaker:
    return lambda seat, seed: pyspiel.make_uniform_random_bot(seat, seed)


def _mcts(
    game: SpielGame,
    *,
    simulations: int = 100,
    c_uct: float = 1.4,
    rollouts: int = 1,
    solve: bool = True,
    own: bool = False,
) -> BotMaker:
    engine = game.engine
    played = pyspiel.load_game(engine.name) if own else game
    if engine.secrets:
        raise UsageError(f"OpenSpiel's mcts takes what is hidden in {engine.name} for known: use ismcts")

    def make(seat: int, seed: int) -> Any:
        leaf = pyspiel.RandomRolloutEvaluator(rollouts, seed)
        return pyspiel.MCTSBot(played, leaf, c_uct * engine.stakes, simulations, MEMORY, solve, seed, False)

    return make


def _ismcts(game: SpielGame, *, simulations: int = 100, c_uct: float = 1.4, rollouts: int = 1) -> BotMaker:
    engine = game.engine
    if not engine.secrets:
        raise UsageError(f"OpenSpiel's ismcts is for games with secrets, and {engine.name} has none: use mcts")

    def make(seat: int, seed: int) -> Any:
        rng = np.random.RandomState(seed)
        leaf = mcts.RandomRolloutEvaluator(rollouts, rng)
        found = ismcts.ISMCTSBot(
            game,
            leaf,
            c_uct * engine.stakes,
            simulations,
            random_state=rng,
            use_observation_string=not engine.perfect_recall,
        )
        found.set_resampler(lambda state, player: state.resample_from_infostate(player, rng.uniform))
        return found

    return make


def _cfr(game: SpielGame, *, iterations: int = 1000, plus: bool = True) -> BotMaker:
    if not game.engine.perfect_recall:
        raise UsageError(f"cfr needs information states, and {game.engine.name} keeps no player's whole past")
    solver = pyspiel.CFRPlusSolver(game) if plus else pyspiel.CFRSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    policy = solver.tabular_average_policy()
    return lambda seat, seed: pyspiel.make_policy_bot(game, seat, seed, policy)


_MAKERS: Mapping[str, Callable[..., BotMaker]] = {"random": _random, "mcts": _mcts, "ismcts": _ismcts, "cfr": _cfr}
