"""Any Orion engine as an OpenSpiel game.

Decisions keep their ids; an outcome's id is lowered by the engine's number of decisions, since OpenSpiel counts
outcomes from 0. Utilities are in the game's own unit (returns times `Game.stakes`), so published values come out.

A `SpielState` is an engine's record and OpenSpiel's history of it. Worlds (`resample_from_infostate`) and states made
from a record (`SpielGame.state`) know no past: their history begins where they were made.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import engines
from engines.contract import CHANCE, TERMINAL, Game
from engines.errors import UsageError, quoted
from engines.registry import game_type
from engines.rng import generator
from engines.state import State
from orion_ai.interop.features import Features
from orion_ai.interop.packages import missing

try:
    import pyspiel
except ModuleNotFoundError as error:
    raise missing("open_spiel", error) from None

__all__ = ["SpielGame", "SpielState", "load", "register"]

PREFIX = "orion_"
"""An engine `x` is called `orion_x` in OpenSpiel, which has games of its own by the same names."""
_CHANCE, _TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
_PSEUDO_PLAYERS = {CHANCE: _CHANCE, TERMINAL: _TERMINAL}


def load(name: str, **options: Any) -> SpielGame:
    """An engine as a `pyspiel.Game`, registered as `orion_<name>`.

    Args:
        name: one of `engines.GAMES`.
        options: as of `engines.load`, `players` and `content` included. Games of different options differ in their
            parameters: `orion_kuhn_poker(players=3)`.

    Raises:
        UsageError: as of `engines.load`.
    """
    engine = engines.load(name, **options)
    parameters = {key: _parameter(value) for key, value in _differing(engine).items()}
    if options.get("content") is not None:
        parameters["content"] = str(options["content"])
    game: SpielGame = pyspiel.load_game(register(name), parameters)
    return game


def register(name: str) -> str:
    """Make engine `name` known to `pyspiel.load_game`, which then takes its options as parameters.

    Returns the name it is registered by. An option that is a list is written as JSON with `;` for `,`, since a comma
    ends a parameter: `orion_moo_board(races=["humans";"psilons"])`.

    Raises:
        UsageError: there is no such engine.
    """
    game_type(name)
    short = PREFIX + name
    if short not in pyspiel.registered_names():
        engine = engines.load(name)
        names = [f.name for f in dataclasses.fields(engine.options)]
        parameters = {key: _parameter(getattr(engine.options, key)) for key in names}

        class Registered(SpielGame):
            """What OpenSpiel calls with parameters. A class, since OpenSpiel drops it after Python has shut down."""

            def __init__(self, given: Mapping[str, Any]) -> None:
                # OpenSpiel fills in the defaults of the fewest players, where an option may have an entry a seat.
                options = {key: _option(given[key]) for key in names if given[key] != parameters[key]}
                content = given["content"] or None
                super().__init__(engines.load(name, content=content, **options), content)

        pyspiel.register_game(_type_of(engine, {**parameters, "content": ""}), Registered)
    return short


def _differing(engine: Game) -> dict[str, Any]:
    """The options of `engine` that are not those of its game by default."""
    usual = dataclasses.asdict(type(engine.options)(players=engine.players)) | {"players": engine.min_players}
    return {name: value for name, value in dataclasses.asdict(engine.options).items() if value != usual[name]}


def _parameter(value: Any) -> Any:
    """An option as OpenSpiel keeps it: a number, a word, a truth value; a list as JSON with `;` for `,`."""
    return json.dumps(value, separators=(";", ":")) if isinstance(value, list | tuple) else value


def _option(given: Any) -> Any:
    """Inverse of `_parameter`."""
    if not isinstance(given, str) or not given.startswith("["):
        return given
    try:
        return json.loads(given.replace(";", ","))
    except ValueError as error:
        raise UsageError(f"parameter {quoted(given)}: expected a list as JSON with ; for , ({error})") from None


def _type_of(engine: Game, parameters: Mapping[str, Any]) -> Any:
    kinds = pyspiel.GameType
    deals, recalls = engine.num_ids > engine.num_actions, engine.perfect_recall
    return kinds(
        short_name=PREFIX + engine.name,
        long_name=engine.title,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if deals else kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.IMPERFECT_INFORMATION
        if engine.secrets
        else kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=engine.max_players,
        min_num_players=engine.min_players,
        provides_information_state_string=recalls or not engine.secrets,
        provides_information_state_tensor=recalls,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=dict(parameters),
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """An engine, loaded for a number of players and given options. Make one with `load`.

    Attributes:
        engine: Orion's game.
    """

    def __init__(self, engine: Game, content: str | None = None) -> None:
        stakes, outcomes = engine.stakes, engine.num_ids - engine.num_actions
        info = pyspiel.GameInfo(
            num_distinct_actions=engine.num_actions,
            max_chance_outcomes=outcomes,
            num_players=engine.players,
            min_utility=-stakes,
            max_utility=stakes,
            utility_sum=0.0,
            max_game_length=engine.max_length,
        )
        parameters = {key: _parameter(value) for key, value in _differing(engine).items()}
        super().__init__(_type_of(engine, {}), info, parameters | ({"content": content} if content else {}))
        self.engine, self._deals = engine, outcomes > 0
        self._start = State.start(engine).record
        self._first = mover_of(engine, self._start)

    def new_initial_state(self) -> SpielState:
        """A new game, before its first chance event."""
        return SpielState(self, self.engine, self._start, self._first)

    def state(self, record: NDArray[np.uint8]) -> SpielState:
        """The state of a record of `engine` (`uint8[record_size]`), which is trusted; its history is empty."""
        found = SpielState(self, self.engine, record, mover_of(self.engine, record))
        found.origin = f"{int(self.engine.kernels.info_key(found.record, -1)):016x} "
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return _game_again, (self.engine.name, str(self))

    def deserialize_state(self, text: str) -> SpielState:
        """Inverse of `SpielState.serialize`: plays the actions again, each of them checked.

        Raises:
            UsageError: it is no list of actions, or one of them is illegal; names its line.
        """
        found = self.new_initial_state()
        for number, line in enumerate(text.split(), 1):
            legal = [] if found.is_terminal() else found.legal_actions()
            if line not in map(str, legal):
                raise UsageError(f"line {number} of the state, {quoted(line)}: expected one of {quoted(legal)}")
            found.apply_action(int(line))
        return found

    def max_chance_nodes_in_history(self) -> int:
        """A bound on the chance events of a game."""
        return self.engine.max_length if self._deals else 0

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> Observer:
        """What one player sees, public and own; of all of the past if `perfect_recall` is asked for.

        Raises:
            UsageError: parameters; other than one player's knowledge; perfect recall of a game that keeps none.
        """
        if params:
            raise UsageError(f"observers of {self.engine.name} take no parameters, found {quoted(dict(params))}")
        wanted = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not wanted.public_info or wanted.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise UsageError(f"observers of {self.engine.name} show what is public together with one player's secrets")
        if not wanted.perfect_recall or self.engine.perfect_recall:
            return Observer(self.engine)
        if self.engine.secrets:
            raise UsageError(f"{self.engine.name} keeps no player's whole past: it has observations only")
        return PastObserver(self.engine)


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A position.

    Attributes:
        record: the engine's.
        mover: who plays, as OpenSpiel numbers it.
        origin: names the position where the history of a world begins; no other state has it.
    """

    # OpenSpiel copies and saves what is in __dict__: the position, and who plays.
    __slots__ = ("__dict__", "_engine", "_kernels")
    record: NDArray[np.uint8]
    origin: str

    def __init__(self, game: SpielGame, engine: Game, record: NDArray[np.uint8], mover: int) -> None:
        super().__init__(game)
        self._engine, self._kernels = engine, engine.kernels
        self.record, self.mover = record.copy(), mover

    def current_player(self) -> int:
        """The seat that decides, or OpenSpiel's number for chance or the end."""
        return self.mover

    def is_terminal(self) -> bool:
        """Whether the game has ended."""
        return self.mover == _TERMINAL

    def is_chance_node(self) -> bool:
        """Whether something random happens next."""
        return self.mover == _CHANCE

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Decisions of `player` (by default of who is to move), or outcomes; ascending."""
        if player is not None and player != self.mover:
            return []
        ids = self._legal()
        return [i - self._engine.num_actions for i in ids] if self.mover == _CHANCE else ids

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Outcomes from 0 with their probabilities."""
        outcomes = self.legal_actions()
        out = np.zeros(len(outcomes), np.int64)
        self._kernels.weights(self.record, out)
        weights: list[int] = out.tolist()
        total = sum(weights)
        return [(outcome, weight / total) for outcome, weight in zip(outcomes, weights, strict=True)]

    def returns(self) -> list[float]:
        """Utility of every player in the game's own unit; 0 before the end."""
        if self.mover != _TERMINAL:
            return [0.0] * self._engine.players
        out = np.zeros(self._engine.players, np.float32)
        self._kernels.returns(self.record, out)
        return payoffs(out.tolist(), self._engine.stakes)

    def resample_from_infostate(self, player_id: int, probability_sampler: Callable[[], float]) -> SpielState:
        """A world that `player_id` cannot tell from this state, drawn by numbers of `probability_sampler` in [0, 1)."""
        if not self._engine.secrets:
            return self.clone()  # type: ignore[no-any-return]
        game: SpielGame = self.get_game()
        world = self.record.copy()
        self._kernels.determinize(world, player_id, generator(int(probability_sampler() * 2**53)))
        return game.state(world)

    def serialize(self) -> str:
        """The history, an action a line (OpenSpiel's own functions in C++ pickle the record instead).

        Raises:
            UsageError: the state was made from a record, so that its past is not known.
        """
        if self._origin:
            raise UsageError("a state that was made from a record has no history to save")
        return "\n".join(str(action) for action in self.history())

    def past(self) -> str:
        """The actions since the start, or since the position that a state was made from, which is named first."""
        return self._origin + " ".join(str(action) for action in self.history())

    def __str__(self) -> str:
        return self._engine.board(State(self._engine, self.record))

    def __reduce__(self) -> tuple[Any, ...]:
        return _state_again, (self.get_game(), super().serialize())

    @property
    def _origin(self) -> str:
        return str(self.__dict__.get("origin", ""))

    def _legal(self) -> list[int]:
        out = np.empty(self._engine.max_legal, np.int32)
        ids: list[int] = out[: self._kernels.legal(self.record, out)].tolist()
        return ids

    def _legal_actions(self, player: int) -> list[int]:
        return self._legal()

    def _apply_action(self, action: int) -> None:
        self._kernels.apply(self.record, action + self._engine.num_actions if self.mover == _CHANCE else action)
        self.mover = mover_of(self._engine, self.record)

    def _action_to_string(self, player: int, action: int) -> str:
        return self._engine.action_text(action + self._engine.num_actions if player < 0 else action)


def mover_of(engine: Game, record: NDArray[np.uint8]) -> int:
    """Who plays, as OpenSpiel numbers it."""
    seat = int(engine.kernels.to_play(record))
    return seat if seat >= 0 else _PSEUDO_PLAYERS[seat]


def _game_again(name: str, text: str) -> SpielGame:
    """The game that OpenSpiel writes as `text`, of engine `name`: for copies in other processes."""
    register(name)
    game: SpielGame = pyspiel.load_game(text)
    return game


def _state_again(game: SpielGame, text: str) -> SpielState:
    state: SpielState = super(SpielGame, game).deserialize_state(text)
    return state


def payoffs(returns: list[float], stakes: float) -> list[float]:
    """Utilities (float32 values, one a seat) in the game's own unit, summing to 0 exactly.

    What float32 has lost is given back: a value by a whole number of the unit is that number, and a remainder of the
    sum goes to the entry nearest to 0, which cannot pass the bounds by it.
    """
    paid = [value * stakes for value in returns]
    paid = [float(round(value)) if abs(value - round(value)) <= 1e-6 * stakes else value for value in paid]
    rest = sum(paid)
    if rest:
        paid[min(range(len(paid)), key=lambda seat: abs(paid[seat]))] -= rest
    return paid


class Observer:
    """What a player knows, as numbers and as a key (OpenSpiel's protocol for observers in Python).

    Attributes:
        tensor: float32[D], see `orion_ai.interop.features`.
        dict: its slices by name.
    """

    tensor: NDArray[np.float32] | None

    def __init__(self, engine: Game) -> None:
        self._engine, self._features = engine, Features(engine)
        row = np.zeros(engine.observation_size, np.float32)
        self.tensor = row
        self.dict = self._features.named(row)

    def set_from(self, state: SpielState, player: int) -> None:
        """Fill `tensor` with what `player` sees."""
        assert self.tensor is not None
        self.tensor[:] = self._features.of(state.record, player)

    def string_from(self, state: SpielState, player: int) -> str:
        """A key of all that `player` knows: equal just where the player cannot tell two states apart."""
        return f"p{player} {int(self._engine.kernels.info_key(state.record, player)):016x}"


class PastObserver(Observer):
    """The past of a game without secrets: all actions. It has no tensor."""

    def __init__(self, engine: Game) -> None:
        super().__init__(engine)
        self.tensor, self.dict = None, {}

    def set_from(self, state: SpielState, player: int) -> None:
        """Nothing to fill."""

    def string_from(self, state: SpielState, player: int) -> str:
        """The actions so far; everybody knows them."""
        return state.past()
