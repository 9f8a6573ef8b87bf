"""Games on disk: a header that says what was played, then one line a step, by its text. JSON lines, no seed.

    {"format": "orion game", "game": "kuhn_poker", "version": 1, "content": "", "options": {"players": 2, ...}}
    {"by": "chance", "action": "deal queen"}
    {"by": 0, "action": "bet"}
    ...
    {"steps": 5, "over": true, "returns": [0.5, -0.5], "scores": [1, -1]}

Every outcome is spelled out, hidden ones included: such a file is for the table after the game, not for a player during
it. A file is complete or it is not there: it is written beside its place and moved into it, and the last line says how
many steps there must be.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import engines
from engines.contract import CHANCE, Game
from engines.errors import ContentError, FileError, IllegalAction, UsageError
from engines.files import read_text, write_text
from engines.rng import Dealer
from engines.state import State

__all__ = ["Replay"]

FORMAT = "orion game"


@dataclass(frozen=True)
class Replay:
    """A game as the list of its steps.

    Attributes:
        game: the game with the options it was played under.
        actions: ids of all decisions and outcomes, from the start.
    """

    game: Game
    actions: tuple[int, ...]

    @classmethod
    def of(cls, state: State) -> Replay:
        """The game that led to `state`; UsageError for worlds and states made from a view, which have no past."""
        if state.history is None:
            raise UsageError("this state has no past to write down: it is a world, or was made from a view")
        return cls(state.game, tuple(state.history))

    def state_at(self, ply: int | None = None, deal: int | None = None) -> State:
        """The state after `ply` steps (None: all of them).

        Args:
            ply: 0 to the number of steps.
            deal: with it, a dealer of this number plays the chance events from there on, as if it had dealt those
                before (so that a game it did deal goes on as it would have).
        """
        ply = len(self.actions) if ply is None else ply
        if not 0 <= ply <= len(self.actions):
            raise UsageError(f"ply {ply}: the game has steps 0 to {len(self.actions)}")
        state, streams = self.game.start(), []
        for action in self.actions[:ply]:
            if state.to_play == CHANCE:
                streams.append(state.chance()[0])
            state.apply(action)
        if deal is not None:
            state.dealer = Dealer(deal, self.game.num_streams)
            state.dealer.recount(streams)
            state._play_chance()
        return state

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        game, state = self.game, self.game.start()
        header = {
            "format": FORMAT,
            "game": game.name,
            "version": game.version,
            "content": game.content_hash,
            "options": asdict(game.options),
        }
        lines: list[dict[str, Any]] = [header]
        for action in self.actions:
            by = "chance" if state.to_play == CHANCE else state.to_play
            lines.append({"by": by, "action": game.action_text(action)})
            state.apply(action)
        end = {"steps": len(self.actions), "over": state.is_over, "returns": state.returns(), "scores": state.scores()}
        write_text(path, "".join(json.dumps(line) + "\n" for line in (*lines, end)))

    @classmethod
    def read(cls, path: Path, game: Game | None = None, content: Path | None = None) -> Replay:
        """Read a file and play it through.

        Args:
            path: the file.
            game: the game it must be of; None: the one that the header names.
            content: the content file of that one, if it is not the game's own.

        Raises:
            FileError: missing, foreign, truncated or damaged; of another game, version or content; a step that is not
                legal, or results that are not those of the game. The text names file and line and what differs.
        """
        lines = _lines(path)
        game = _matching(path, lines[0], game, content)
        end = lines[-1] if len(lines) > 1 else {}
        if "steps" not in end:
            raise FileError(f"{path}: the last line is missing: the file is cut short after {len(lines) - 1} steps")
        if end["steps"] != len(lines) - 2:
            raise FileError(f"{path}: {len(lines) - 2} steps, but the last line says {json.dumps(end['steps'])}")
        state = game.start()
        for number, line in enumerate(lines[1:-1], 2):
            by = "chance" if state.to_play == CHANCE else state.to_play
            if line.get("by") != by or not isinstance(line.get("action"), str):
                raise FileError(f"{path}, line {number}: expected an action by {by}, found {json.dumps(line)}")
            try:
                state.apply(line["action"])
            except IllegalAction as error:
                raise FileError(f"{path}, line {number}: {error}") from None
        _check_results(path, state, end)
        return cls.of(state)


def _lines(path: Path) -> list[dict[str, Any]]:
    """The objects of all lines, the first one a header of ours."""
    text, lines = read_text(path), []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            lines.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            why = error.msg if isinstance(error, json.JSONDecodeError) else "a number or nesting too large"
            raise FileError(f"{path}, line {number}: not JSON ({why}); the file is damaged or cut short") from None
        if not isinstance(lines[-1], dict):
            raise FileError(f"{path}, line {number}: expected an object, found {line[:40]}")
    if not lines or lines[0].get("format") != FORMAT:
        raise FileError(f"{path}: no {FORMAT} file: the first line does not say so")
    return lines


def _matching(path: Path, header: dict[str, Any], game: Game | None, content: Path | None) -> Game:
    """The game that the header describes: `game`, if it is that one, else loaded by name, content and options."""
    options = header.get("options")
    if not isinstance(header.get("game"), str) or not isinstance(options, dict):
        raise FileError(f"{path}, line 1: expected 'game' (a name) and 'options' (an object)")
    for key in ("name", "content"):  # arguments of `engines.load`, but no options of a game
        if key in options:
            raise FileError(f"{path}, line 1: {key!r} is no option of a game")
    try:
        loaded = game or engines.load(header["game"], content=content, **options)
    except ContentError:
        raise
    except UsageError as error:
        raise FileError(f"{path}, line 1: {error}") from None
    have = {
        "game": loaded.name,
        "version": loaded.version,
        "content": loaded.content_hash,
        "options": json.loads(json.dumps(asdict(loaded.options))),  # tuples are lists in the file
    }
    for key, ours in have.items():
        if header.get(key) != ours:
            raise FileError(f"{path}: {key} is {json.dumps(header.get(key))}, but this game has {json.dumps(ours)}")
    return loaded


def _check_results(path: Path, state: State, end: dict[str, Any]) -> None:
    if end.get("over") != state.is_over:
        raise FileError(f"{path}: the last line says over: {end.get('over')}, but the game says {state.is_over}")
    if end.get("scores") != state.scores():
        raise FileError(f"{path}: scores are {end.get('scores')}, but the steps give {state.scores()}")
    returns, ours = end.get("returns"), state.returns()
    same = isinstance(returns, list) and len(returns) == len(ours)
    same = same and all(isinstance(u, int | float) and -1 <= u <= 1 for u in returns or [])
    if not same or not all(math.isclose(a, b, abs_tol=1e-6) for a, b in zip(returns or [], ours, strict=True)):
        raise FileError(f"{path}: returns are {returns}, but the steps give {ours}")
