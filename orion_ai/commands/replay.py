"""orion replay: show a recorded game at any step.

Usage: orion replay FILE [KEY=VALUE ...]

FILE is the folder of a match (orion arena keeps its games), a recorded game, or a game saved in orion play. It is
played through by the rules first: a file that was cut short, edited, or made by another version of the game is refused
with the line that does not fit. Then the steps are listed and the board is shown, at the end or after a given step.
With a seat, all is shown as that seat saw it.

Settings:
  ply=N          the board after N steps, and the steps up to there; -1 = the end (default)
  block=N, place=K   which game of a match: the K-th of block N, both from 0 (default)
  seat=all       all (everything, hidden things too), public (what everybody knows), or a seat's number; of a saved game
                 that is not over the default is your own
  last=20        how many of the steps to list; 0 = all
  actions=false  also list what was legal at that step, for the seat to move
  save=FILE      also write the game to a file of its own, with the texts of its steps (docs/formats.md)
  content=FILE   the content file that the game was played with, if not its own

Examples:
  orion replay runs/arena/mine block=3 place=1
  orion replay runs/arena/mine block=3 save=game.jsonl
  orion replay game.jsonl ply=12 seat=1
  orion replay game.jsonl ply=0 last=0 actions=true
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.contract import PUBLIC
from engines.errors import UsageError
from orion_ai.commands.configuration import read
from orion_ai.play.recorded import Recorded, read_recorded
from orion_ai.ranges import ANY, check_ranges

__all__ = ["ViewConfig", "run"]


@dataclass(frozen=True)
class ViewConfig:
    """Settings of `orion replay`."""

    file: str = ""
    ply: int = -1
    block: int = 0
    place: int = 0
    seat: str = ""
    last: int = 20
    actions: bool = False
    save: str = ""
    content: str = ""

    def __post_init__(self) -> None:
        check_ranges("", self, {"ply": (-1, ANY), "last": (0, ANY), "block": (0, ANY), "place": (0, ANY)})


def run(argv: Sequence[str]) -> int:
    """See the module."""
    for request in read("replay", ViewConfig, argv, positional={"file": "the file of a game"}):
        config = request.config
        if not config.file:
            raise UsageError("which game? Expected the file of a recorded game, or the folder of a match")
        found = read_recorded(Path(config.file), config.block, config.place, config.content)
        _show(config, found)
        if config.save:
            found.replay.write(Path(config.save))
            print(f"written: {config.save}")
    return 0


def _seat(config: ViewConfig, found: Recorded) -> tuple[int | None, str]:
    """Whose eyes to show the game with, and their name."""
    game = found.replay.game
    name = config.seat or ("all" if found.person is None else str(found.person))
    named = {"all": None, "public": PUBLIC, **{str(p): p for p in range(game.players)}}
    if name not in named:
        raise UsageError(f"seat is {name!r}: expected all, public, or 0 to {game.players - 1}")
    return named[name], name


def _show(config: ViewConfig, found: Recorded) -> None:
    replay = found.replay
    game, steps = replay.game, len(replay.actions)
    ply = steps if config.ply == -1 else config.ply
    (seat, shown), state = _seat(config, found), replay.state_at(ply)
    options = ", ".join(f"{key}={value}" for key, value in vars(game.options).items())
    print(f"{game.title} ({game.name}, version {game.version}; {options}), {steps} steps; shown: {shown}")
    first = max(0, ply - config.last) if config.last else 0
    position = replay.state_at(first)
    for number, action in enumerate(replay.actions[first:ply], first + 1):
        line = game.action_text(action) if seat is None else game.describe(position, action, seat)
        mover = "chance" if position.to_play < 0 else f"seat {position.to_play}"
        if line:
            print(f"{number:>5}  {f'{mover}: {line}' if seat is None else line}")
        position.apply(action)
    print(f"\nAfter step {ply} of {steps}:")
    print(game.board(state, seat))
    if state.is_over:
        print(f"over: points {state.scores()}, utilities {[round(u, 3) for u in state.returns()]}")
    elif config.actions and seat in (None, state.to_play):
        print("legal: " + ", ".join(game.action_text(a) for a in state.legal_actions()))
