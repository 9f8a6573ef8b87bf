"""Agents of somebody's own: what they do wrong is told as theirs, by name, with the place in their code.

In a match an agent that fails loses its game (`faults`, `watched`). Where no match is played (`orion play`, `explain`,
`exploit`), and in the tree of another agent, it stands behind `guarded`.
"""

from __future__ import annotations

import functools
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import engines
from engines.contract import Game
from engines.errors import UsageError, quoted
from orion_ai import attended
from orion_ai.agents import Agent

__all__ = ["AgentFailure", "actions_of", "guarded", "making", "said_by", "told"]

_WORLDS = {"decide": 0, "decide_after": 1}
"""The place of the worlds among the arguments of what answers with actions."""
_METHODS = (*_WORLDS, "policies", "forget")
"""What an agent may be asked to do."""
_NOT_THEIRS = tuple(
    f"{Path(place)}/" for place in (Path(engines.__file__).parent, Path(__file__).parents[1], sys.prefix)
)


class AgentFailure(UsageError):
    """An agent of somebody's own failed, or gave what is no answer; the text says which one, and how."""


def actions_of(given: Any, count: int) -> NDArray[np.int32]:
    """The actions of an agent's answer about `count` positions: int32[count], legal or not.

    Raises:
        AgentFailure: it is no answer; the text says what it is, not whose.
    """
    if not hasattr(given, "actions"):
        raise AgentFailure(f"gave {quoted(given)}: expected Decisions, with an action for each of {count} games")
    try:
        actions = np.asarray(given.actions)
    except ValueError:  # lists of unlike lengths
        raise AgentFailure(f"gave {quoted(given.actions)} for the actions of {count} games") from None
    if actions.shape != (count,) or actions.dtype.kind not in "iu":
        raise AgentFailure(f"gave {actions.dtype}{list(actions.shape)} for the actions of {count} games")
    small = actions.astype(np.int32)
    if (small != actions).any():
        raise AgentFailure(f"answered action {actions[small != actions][0]}, which no game has")
    return small


@contextmanager
def making(who: str) -> Iterator[None]:
    """Within, an agent of somebody's own is made; what goes wrong there is told as its failure.

    Raises:
        AgentFailure: it raised anything but a UsageError, which speaks for itself.
    """
    with attended.asking(f"{who} was made"):
        try:
            yield
        except (UsageError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise AgentFailure(f"{who} cannot be made: {told(error)}") from error


def guarded(agent: Agent, who: str, game: Game) -> Agent:
    """The same agent, whose mistakes are AgentFailures from now on.

    Args:
        agent: somebody's own.
        who: what it is called in messages, "agent 'rogue'".
        game: what it plays: its actions must be legal in the worlds that it is asked about.
    """
    for method in _METHODS:
        act = getattr(agent, method, None)
        if callable(act):
            with suppress(AttributeError):  # one that cannot be changed speaks for itself
                setattr(agent, method, functools.partial(_ask, act, method, who, game))
    return agent


def _ask(act: Callable[..., Any], method: str, who: str, game: Game, *given: Any, **named: Any) -> Any:
    worlds = None
    if method in _WORLDS:
        worlds = (named["worlds"] if "worlds" in named else given[_WORLDS[method]]).copy()  # it may write into its own
    actions, wrong = None, ""
    with attended.asking(f"{who} was asked"):
        try:
            answer = act(*given, **named)
            if worlds is not None:
                actions, wrong = _looked_at(answer, len(worlds))
        except (AgentFailure, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise AgentFailure(f"{who} failed: {told(error)}") from error
    if worlds is not None and actions is not None:
        wrong = _illegal(game, worlds, actions)
    if wrong:
        raise AgentFailure(f"{who} {wrong}")
    return answer


def _looked_at(answer: Any, count: int) -> tuple[NDArray[np.int32] | None, str]:
    """The actions of an answer, or what is wrong with it."""
    try:
        return actions_of(answer, count), ""
    except AgentFailure as error:
        return None, str(error)


def _illegal(game: Game, worlds: NDArray[np.uint8], actions: NDArray[np.int32]) -> str:
    """In words, the first action that is not legal; "" if all are."""
    out = np.zeros(game.max_legal, np.int32)
    for world, action in zip(worlds, actions.tolist(), strict=True):
        legal = out[: game.kernels.legal(world, out)].tolist()
        if action not in legal:
            valid = ", ".join(f"{a} ({game.action_text(a)})" for a in legal[:8])
            more = f" and {len(legal) - 8} more" if len(legal) > 8 else ""
            return f"answered action {action}, which is not legal: legal were {valid}{more}"
    return ""


def told(error: BaseException) -> str:
    """An exception in a line: its class, its text, and where in somebody's own code it came up."""
    frames = list(traceback.extract_tb(error.__traceback__))
    own = [frame for frame in frames if not frame.filename.startswith(_NOT_THEIRS)] or frames
    place = f" ({own[-1].filename}, line {own[-1].lineno})" if own else ""
    if isinstance(error, SystemExit):
        return f"it asked the program to exit (SystemExit: {error.code}){place}"
    return f"{said_by(error)}{place}"


def said_by(error: BaseException) -> str:
    """An exception's class and its text, which may be somebody's own code too."""
    try:
        said = str(error)
    except BaseException as another:
        said = f"(its text cannot be had: {type(another).__name__})"
    return f"{type(error).__name__}{': ' if said else ''}{said}"
