r"""orion play: play against bots in the terminal.

Usage: orion play [GAME or FILE] [KEY=VALUE ...]

Shows the board from your seat, what you alone know, what you saw the others do, and your options, numbered and grouped
by verb. Pick one by its number or by typing it; the start of its words is enough. Its text is that of recorded games;
where the log would say more, that stands behind it. Nothing is shown that your seat could not know. FILE is a game that
was saved before: it goes on where it stopped.

While playing:
  hint       what a bot would do in your place, with the value of your options (-1 lost, 1 won)
  undo       back to your last decision; chance and bots would answer the same again
  board, log, help, save FILE, quit

Settings:
  game=NAME           the game (default kuhn_poker; orion games lists all)
  players=N           seats (default: the game's)
  game.OPTION=VALUE   an option of the game
  agents=[A,B,...]    the other seats, clockwise from yours; the last one fills the rest. An agent is a name
                      (default, random, scripted, ismcts, puct, gumbel), a checkpoint, or {agent: NAME, search: {...}}
  seat=0              your seat
  seed=0              names the deal; 0 = a new one each time
  hint=default        the agent that answers hints, as for agents
  budget.simulations=N or budget.milliseconds=T   what every bot may spend on a decision
  casual=true         false: no hints, no undo

Examples:
  orion play kuhn_poker
  orion play moo_board players=3 agents=[scripted,ismcts] seat=1
  orion play moo_board agents=[runs/mine] budget.simulations=200
  orion play saved.json
  printf '1\n1\n1\n' | orion play kuhn_poker agents=[random] seed=5
"""

from __future__ import annotations

import io
import secrets
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from engines.contract import Game
from engines.errors import FileError, IllegalAction, UsageError
from orion_ai.agents import Agent
from orion_ai.arena.entrants import Entrant, attend_to, make_agents, resolve
from orion_ai.arena.runner import Budget
from orion_ai.commands.configuration import load_game, read
from orion_ai.identity import identity_of, players_of
from orion_ai.play.savefile import SavedGame, texts
from orion_ai.play.session import Session
from orion_ai.play.terminal import Terminal

__all__ = ["PlayConfig", "run"]


@dataclass(frozen=True)
class PlayConfig:
    """Settings of `orion play` (the manual page explains them); `load` is the file of a saved game."""

    game: dict[str, Any] = field(default_factory=dict)
    agents: list[Any] = field(default_factory=list)
    seat: int = 0
    seed: int = 0
    hint: Any = "default"
    budget: Budget = field(default_factory=Budget)
    casual: bool = True
    load: str = ""


def run(argv: Sequence[str]) -> int:
    """See the module."""
    for request in read("play", PlayConfig, argv, positional={"load": "the file of a saved game"}):
        if request.config.load:
            _refuse_settled(request.overrides)
        _play(request.config)
    return 0


def _refuse_settled(overrides: Sequence[str]) -> None:
    """A saved game holds its own settings; given anew they would change nothing."""
    for word in overrides:
        key = word.partition("=")[0]
        if key.partition(".")[0] in ("game", "agents", "seat", "seed", "casual"):
            raise UsageError(f"{key} cannot be changed in a saved game: expected hint and budget (of hints) at most")


def _play(config: PlayConfig) -> None:
    path = Path(config.load)
    saved = SavedGame.read(path) if config.load else None
    budget = config.budget
    adviser = resolve([config.hint], simulations=budget.simulations, milliseconds=budget.milliseconds)
    chosen = config.hint != PlayConfig.hint
    if chosen and not (saved or config).casual:
        raise UsageError(f"hint is {config.hint!r}, but this game has no hints (casual=false): leave it out")
    entrants = () if saved else _entrants(config)
    attend_to([*(saved.entrants if saved else entrants), *adviser])
    game = load_game(saved.game if saved else config.game)  # what takes time to compile comes last
    past = saved.past(game, path) if saved else []
    start = saved or _new(config, game, entrants)
    try:
        session = Session(game, start.seat, _bots(game, start), start.seed, past)
    except IllegalAction as error:
        raise FileError(f"{str(path)!r}: {error}") from None

    made = _adviser(game, adviser) if chosen else None  # what cannot be made is refused before the game begins

    def hints() -> Agent:
        return made or _adviser(game, adviser)

    def save(to: Path) -> None:
        replace(start, steps=texts(game, session.history)).write(to)

    if isinstance(sys.stdin, io.TextIOWrapper):  # what is no text is no action, and no reason to stop
        sys.stdin.reconfigure(errors="replace")
    Terminal(session, Console(highlight=False, markup=False), hints=hints, casual=start.casual, save=save).run()


def _adviser(game: Game, entrants: Sequence[Entrant]) -> Agent:
    """The agent that answers hints."""
    try:
        return make_agents(game, entrants, lanes=1, guard=True)[0]
    except FileError:
        raise
    except UsageError as error:
        raise UsageError(f"hint: {error}; hint=ismcts suits every game") from None


def _entrants(config: PlayConfig) -> tuple[Entrant, ...]:
    """The bots of a new game, by seat; what is wrong with them or with the person's seat is refused."""
    players = players_of(config.game)
    if not config.agents:
        raise UsageError("agents is empty: expected at least one bot, for example agents=[random]")
    if len(config.agents) > players - 1:
        raise UsageError(f"agents names {len(config.agents)} bots, but there are {players - 1} other seats")
    if not 0 <= config.seat < players:
        raise UsageError(f"seat is {config.seat}: expected 0 to {players - 1}")
    given = [config.agents[min(i, len(config.agents) - 1)] for i in range(players - 1)]
    return resolve(given, simulations=config.budget.simulations, milliseconds=config.budget.milliseconds)


def _new(config: PlayConfig, game: Game, entrants: tuple[Entrant, ...]) -> SavedGame:
    """A game that is about to start, described as if it had been saved at once."""
    seed = config.seed or secrets.randbits(62)
    identity = identity_of(game).as_json()
    return SavedGame(dict(config.game), config.seat, seed, entrants, config.casual, (), identity)


def _bots(game: Game, start: SavedGame) -> dict[int, Agent]:
    """The agents by seat; the first sits clockwise from the person."""
    agents = make_agents(game, start.entrants, lanes=1, guard=True)
    return {(start.seat + 1 + i) % game.players: agent for i, agent in enumerate(agents)}
