"""One seat of any Orion engine as an environment of Gymnasium; the others are played by agents.

    from orion_ai.interop import gymnasium
    env = gymnasium.SeatEnv("moo_board", opponents="scripted")

Importing this module also registers every engine: `gymnasium.make("orion/moo_board-v0", opponents="scripted")`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import NDArray

import engines
from engines.contract import Game
from engines.errors import IllegalAction, UsageError, choose_from, quoted
from engines.rng import mix
from orion_ai.agents import Agent, decide_in_game, sealed
from orion_ai.arena.entrants import make_agents, resolve
from orion_ai.interop.packages import missing
from orion_ai.interop.table import Table, game_of

try:
    import gymnasium
    from gymnasium import spaces
except ModuleNotFoundError as error:
    raise missing("gymnasium", error) from None

__all__ = ["ILLEGAL", "RENDER_MODES", "SeatEnv"]

RENDER_MODES = ("human", "ansi")
ILLEGAL = ("error", "end")
"""What an illegal action does: raises IllegalAction, or ends the episode with a reward of -1."""
TRIES = 1000
"""Games that are dealt until one lets the seat choose."""


class SeatEnv(gymnasium.Env[NDArray[np.float32], int]):
    """A game seen from one seat.

    An observation is float32[D], see `orion_ai.interop.features`. The reward is 0 before the end, then the seat's
    utility in [-1, 1]. `info["action_mask"]` (int8[num_actions]) says what is legal; at the end `info["returns"]` holds
    all utilities.

    Attributes:
        seat: the seat of this episode.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012 (as Gymnasium has it)

    def __init__(
        self,
        name: str | Game,
        opponents: Any = "random",
        *,
        seat: int | None = 0,
        illegal: str = "error",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """A new environment; nothing is dealt before `reset`.

        Args:
            name: one of `engines.GAMES`, or a game that has been loaded.
            opponents: one agent for every other seat, or a list with one for each of them, in the order of the seats.
                An agent is a name, a checkpoint or a mapping, as for `orion arena`, or an object with `decide`.
            seat: whose place is taken; None draws it anew for every episode.
            illegal: see `ILLEGAL`.
            render_mode: `human` prints the board as the seat sees it after every step, `ansi` lets `render` return it.
            options: of the game, as of `engines.load`.

        Raises:
            UsageError: an unknown game, option, agent or mode, or a seat that does not exist.
        """
        self.game = game_of(name, options)
        self.illegal = choose_from("illegal", illegal, ILLEGAL)
        self.render_mode = render_mode if render_mode is None else choose_from("render_mode", render_mode, RENDER_MODES)
        if seat is not None and (
            not isinstance(seat, int) or isinstance(seat, bool) or not 0 <= seat < self.game.players
        ):
            raise UsageError(f"seat is {quoted(seat)}: expected 0 to {self.game.players - 1}, or None")
        self._wanted, self.seat = seat, seat or 0
        self.opponents = _agents(self.game, opponents)
        self.table = Table(self.game)
        features = self.table.features
        self.observation_space = spaces.Box(features.low, features.high, dtype=np.float32)
        self.action_space = spaces.Discrete(self.game.num_actions)  # type: ignore[assignment]
        self._key, self._asked = np.uint64(0), 0
        self._done = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """A new game, played on to the seat's first choice; `options` are unused.

        The seed names chance, the opponents' random numbers and a drawn seat; without one the games go on from the last
        seed.

        Raises:
            UsageError: in a thousand games the seat was never asked.
        """
        super().reset(seed=seed)
        for _ in range(TRIES):
            drawn = int(self.np_random.integers(self.game.players))
            self.seat = drawn if self._wanted is None else self._wanted
            self._key, self._asked = np.uint64(self.np_random.integers(2**63)), 0
            self.table.start(int(self.np_random.integers(2**63)))
            self.table.follow({s: self._opponent(s) for s in range(self.game.players) if s != self.seat}, self._key)
            self._play_others()
            if not self.table.is_over:
                self._done = False
                return self._seen()
        raise UsageError(f"{self.game.name} asks seat {self.seat} nothing: {TRIES} games ended before its first choice")

    def step(self, action: int) -> tuple[NDArray[np.float32], SupportsFloat, bool, bool, dict[str, Any]]:
        """The seat decides, and the game goes on to its next choice or to the end.

        Raises:
            IllegalAction: names the action and what was legal; nothing has changed (with `illegal="error"`).
            UsageError: the episode is over.
        """
        if self._done:
            raise UsageError("the episode is over: call reset")
        reward, lost = 0.0, False
        try:
            self.table.apply(action)
        except IllegalAction:
            if self.illegal == "error":
                raise
            reward, lost = -1.0, True
        else:
            self._play_others()
        self._done = lost or self.table.is_over
        observation, info = self._seen()
        if self.table.is_over:
            info["returns"] = self.table.returns()
            reward = info["returns"][self.seat]
        if self.render_mode == "human":
            self.render()
        return observation, reward, self._done, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """bool[num_actions], what is legal now (by the name that maskable learners look for)."""
        return self.table.mask(self.seat).astype(np.bool_)

    def render(self) -> str | None:  # type: ignore[override]
        """The board as the seat sees it: returned (`ansi`) or printed (`human`)."""
        text = self.table.text(self.seat)
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def _seen(self) -> tuple[NDArray[np.float32], dict[str, Any]]:
        return self.table.observe(self.seat), {"action_mask": self.table.mask(self.seat)}

    def _opponent(self, seat: int) -> Agent:
        """Who plays another seat."""
        return self.opponents[seat - (seat > self.seat)]

    def _play_others(self) -> None:
        """Let the opponents decide until it is the seat's turn, or the end."""
        while not self.table.is_over and self.table.to_play != self.seat:
            seat = self.table.to_play
            agent = self._opponent(seat)
            key = mix(self._key, np.uint64(self._asked))
            world = self.table.world(seat, key)
            keys, trails = sealed(np.array([key], np.uint64)), self.table.trails(agent, seat)
            decided = decide_in_game(agent, trails, world, np.array([seat], np.int64), keys)
            self.table.apply(int(decided.actions[0]))
            self._asked += 1


def _agents(game: Game, given: Any) -> list[Agent]:
    """An agent for every seat but one."""
    others = game.players - 1
    wanted = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given] * others
    if len(wanted) != others:
        raise UsageError(f"opponents: {len(wanted)} given, expected one for all, or a list of {others}")
    return [agent if hasattr(agent, "decide") else make_agents(game, resolve([agent]), 1)[0] for agent in wanted]


for _name in engines.GAMES:
    gymnasium.register(id=f"orion/{_name}-v0", entry_point=f"{__name__}:SeatEnv", kwargs={"name": _name})
