"""Any Orion engine as an environment of PettingZoo (its AEC interface: agents take turns).

    from orion_ai.interop import pettingzoo
    env = pettingzoo.env("moo_board", players=3)

Chance is played by the environment from the seed of `reset`, decisions that leave no choice too: an agent is asked only
where it can choose. Rewards come at the end: the utility of every seat, in [-1, 1].
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game
from engines.errors import UsageError, choose_from, quoted
from orion_ai.interop.packages import missing
from orion_ai.interop.table import Table, game_of

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper
except ModuleNotFoundError as error:
    raise missing("pettingzoo", error) from None

__all__ = ["RENDER_MODES", "SeatsEnv", "env"]

RENDER_MODES = ("human", "ansi")

Observation = dict[str, NDArray[Any]]


def env(name: str | Game, **settings: Any) -> OrderEnforcingWrapper[str, Observation, int]:
    """A `SeatsEnv` that insists on `reset` before anything else; settings as there."""
    return OrderEnforcingWrapper(SeatsEnv(name, **settings))


class SeatsEnv(AECEnv[str, Observation, int]):  # type: ignore[misc]
    """A game whose seats are `player_0` to `player_P-1`.

    An observation is `{"observation": float32[D], "action_mask": int8[num_actions]}`: what the seat sees (see
    `orion_ai.interop.features`), and which actions are legal, none for a seat that is not to move.
    """

    def __init__(
        self,
        name: str | Game,
        *,
        render_mode: str | None = None,
        max_cycles: int | None = None,
        **options: Any,
    ) -> None:
        """A new environment; nothing is dealt before `reset`.

        Args:
            name: one of `engines.GAMES`, or a game that has been loaded.
            render_mode: `human` prints the board after every action, `ansi` lets `render` return it. It shows
                everything, what is hidden too: it is for people who watch.
            max_cycles: the episode is cut off (truncated, no rewards) when a seat that has acted so often is asked
                again; never by default.
            options: of the game, as of `engines.load`.

        Raises:
            UsageError: an unknown game, option or mode, or a value out of range.
        """
        super().__init__()
        self.game = game_of(name, options)
        if render_mode is not None:
            choose_from("render_mode", render_mode, RENDER_MODES)
        if max_cycles is not None and (not isinstance(max_cycles, int) or max_cycles < 1):
            raise UsageError(f"max_cycles is {quoted(max_cycles)}: expected a whole number from 1, or None")
        self.metadata = {
            "name": f"orion_{self.game.name}_v{self.game.version}",
            "render_modes": list(RENDER_MODES),
            "render_fps": 1,
            "is_parallelizable": False,
        }
        self.render_mode, self.max_cycles = render_mode, max_cycles
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.players)]
        self.table = Table(self.game)
        low, high = self.table.features.low, self.table.features.high
        count = self.game.num_actions
        self.action_spaces = {agent: spaces.Discrete(count) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {"observation": spaces.Box(low, high, dtype=np.float32), "action_mask": spaces.MultiBinary(count)}
            )
            for agent in self.possible_agents
        }
        self._rng = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's actions, always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new game; `options` are unused.

        The seed names its chance; without one the games go on from the last seed.

        Raises:
            UsageError: the seed is no whole number from 0.
        """
        if seed is not None:
            if not isinstance(seed, int | np.integer) or seed < 0:
                raise UsageError(f"seed is {quoted(seed)}: expected a whole number from 0")
            self._rng = np.random.default_rng(seed)
        self.table.start(int(self._rng.integers(2**63)))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._acted = [0] * self.game.players
        self._skip_agent_selection = None
        self.agent_selection = self.agents[0]
        self._go_on()

    def observe(self, agent: str) -> Observation:
        """What `agent` sees now, and its legal actions.

        Raises:
            UsageError: there is no such agent.
        """
        seat = self.possible_agents.index(choose_from("agent", agent, self.possible_agents))
        return {"observation": self.table.observe(seat), "action_mask": self.table.mask(seat)}

    def step(self, action: int | None) -> None:
        """The selected agent acts (None once it is finished).

        Raises:
            IllegalAction: names the action and what was legal; nothing has changed. (Wrapped in PettingZoo's
                `TerminateIllegalWrapper` the game ends instead.)
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)  # type: ignore[arg-type]
            return
        seat = self.table.to_play
        self.table.apply(action)
        self._acted[seat] += 1
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._go_on()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _go_on(self) -> None:
        """Select who is to act, or finish."""
        seat = self.table.to_play
        if self.table.is_over:
            self.rewards = dict(zip(self.agents, self.table.returns(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
        elif self.max_cycles is not None and self._acted[seat] >= self.max_cycles:
            self.truncations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self.agents[seat]
            return
        self._deads_step_first()

    def render(self) -> str | None:  # type: ignore[override]
        """The whole board as text: returned (`ansi`) or printed (`human`)."""
        text = self.table.text()
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def close(self) -> None:
        """Nothing is open; who renders must have it."""
