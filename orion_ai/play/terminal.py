"""The conversation with the person: prints what their seat may know, reads what they type."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from rich.columns import Columns
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from engines.contract import Who
from engines.errors import UsageError
from orion_ai.agents import Agent
from orion_ai.arena.own_code import AgentFailure
from orion_ai.play.choices import Option, menu, pick
from orion_ai.play.session import Session
from orion_ai.search.report import SearchReport

__all__ = ["Terminal", "private_lines"]

HELP = """Pick an action by its number or by typing it; the start of its words is enough ("bu fr" for "build frigate").
What stands behind it in brackets may be typed as well; the text before them is the one in files of games.
  hint        what a bot would do in your place, with the value of your options
  undo        back to your last decision
  board       show the board again          log         all that you have seen happen
  save FILE   keep the game in a file       quit        leave (the game is not saved)
  help        this page"""


def private_lines(session: Session) -> list[str]:
    """What the person alone knows: their hand and their pending choices, a line each."""
    known = session.view()["state"]
    assert isinstance(known, dict)
    lines = []
    for name, field in session.game.fields.items():
        value = known.get(name)
        if field.who is Who.SEAT and value not in (None, 0, [], {}) and any(_flat(value)):
            lines.append(f"{name.replace('_', ' ')}: {_said(value)}")
    return lines


def _flat(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _flat(part)
    else:
        yield value


def _said(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(_counted(key, part) for key, part in value.items())
    if isinstance(value, list):
        return ", ".join("-" if v is None else _said(v) for v in value)
    return str(value)


def _counted(key: str, value: object) -> str:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, int):
        return key if value == 1 else f"{key} x{value}"
    return f"{key}: {_said(value)}"


class Terminal:
    """Lets a person play a session.

    Attributes:
        session: the game.
    """

    def __init__(
        self,
        session: Session,
        console: Console,
        *,
        hints: Callable[[], Agent],
        casual: bool,
        save: Callable[[Path], None],
    ) -> None:
        """Talk through `console` and standard input.

        Args:
            session: the game to play.
            console: where everything is printed.
            hints: makes the agent that answers `hint`, on first use.
            casual: whether `hint` and `undo` are allowed.
            save: writes the game to a file.
        """
        self.session, self.console, self._save, self._casual = session, console, save, casual
        self._make_hints = hints
        self._hints: Agent | None = None
        self._left = False
        self._shown = 0
        self._commands: dict[str, Callable[[str], bool]] = {
            "help": self._help,
            "hint": self._hint,
            "undo": self._undo,
            "board": self._board,
            "log": self._log,
            "save": self._save_to,
            "quit": lambda _: True,
        }

    def run(self) -> bool:
        """Play until the game is over or the person leaves; returns whether it is over."""
        self._say(f"You are seat {self.session.seat} of {self.session.game.title}. Type help for all commands.")
        while not self.session.is_over:
            options = self._options()
            self._present(options)
            while not self._answered(options):
                pass
            if self._left:
                return False
        self._news()
        self._result()
        return True

    def _options(self) -> list[Option]:
        return menu(self.session.game, self.session.legal(), self.session.said())

    def _answered(self, options: Sequence[Option]) -> bool:
        """Read one line; returns whether the position has changed or the person leaves."""
        self.console.print(f"seat {self.session.seat}> ", end="", markup=False, highlight=False)
        line = sys.stdin.readline()
        if not sys.stdin.isatty():
            self._say(line.rstrip("\n"))
        typed = line.strip()
        if not line:
            self._say("End of input: the game is not finished and not saved.")
            self._left = True
            return True
        try:
            return bool(typed) and self._obey(typed, options)
        except AgentFailure:  # a bot that cannot go on
            raise
        except UsageError as error:
            self._say(str(error))
            return False

    def _obey(self, typed: str, options: Sequence[Option]) -> bool:
        word, _, rest = typed.partition(" ")
        command = self._commands.get(word.lower())
        verbs = {o.verb.lower() for o in options}
        if command is not None and word.lower() not in verbs:
            self._left = word.lower() == "quit"
            return command(rest.strip())
        self.session.act(pick(options, typed).action)
        return True

    def _present(self, options: Sequence[Option]) -> None:
        self._news()
        self._board("")
        self._say("Your options:")
        for verb in dict.fromkeys(o.verb for o in options):
            texts = [f"{o.number} {o}" for o in options if o.verb == verb]
            self.console.print(Columns([Text("  " + t) for t in texts], padding=(0, 2)))

    def _news(self) -> None:
        for line in self.session.log[self._shown :]:
            self._say(f"  {line}")
        self._shown = len(self.session.log)

    def _say(self, text: str) -> None:
        self.console.print(Text(text), soft_wrap=True)

    def _board(self, _: str) -> bool:
        self.console.print(Panel(Text(self.session.board()), title="board", title_align="left"))
        for line in private_lines(self.session):
            self._say(f"Yours alone: {line}")
        return False

    def _help(self, _: str) -> bool:
        self._say(HELP)
        return False

    def _log(self, _: str) -> bool:
        for line in self.session.log:
            self._say(f"  {line}")
        return False

    def _undo(self, _: str) -> bool:
        self._allow("undo")
        self.session.undo()
        self._shown = len(self.session.log)
        self._say("Back to your last decision.")
        return True

    def _save_to(self, name: str) -> bool:
        if not name or not name.isprintable():
            raise UsageError("save where? Type: save FILE")
        self._save(Path(name))
        self._say(f"Saved. To go on: orion play {name}")
        return False

    def _hint(self, _: str) -> bool:
        self._allow("hint")
        if self._hints is None:
            self._hints = self._make_hints()
        try:
            decided = self.session.ask(self._hints)
        except AgentFailure as error:
            raise UsageError(f"hint: {error}") from None
        texts = {option.action: str(option) for option in self._options()}
        action = int(decided.actions[0])
        self._say(f"{self._hints.name} would play: {texts.get(action, self.session.game.action_text(action))}")
        for line in _considered(texts, decided.report):
            self._say(f"  {line}")
        return False

    def _allow(self, what: str) -> None:
        if not self._casual:
            raise UsageError(f"{what} is off in this game (casual=false)")

    def _result(self) -> None:
        self.console.print(Panel(Text(self.session.board()), title="the end", title_align="left"))
        scores, utilities = self.session.result()
        best = max(utilities)
        for seat, (points, utility) in enumerate(zip(scores, utilities, strict=True)):
            you = " (you)" if seat == self.session.seat else ""
            won = "  wins" if utility == best and utilities.count(best) == 1 else ""
            self._say(f"seat {seat}{you}: {points} points, utility {utility + 0.0:+.2f}{won}")


def _considered(texts: Mapping[int, str], report: SearchReport | None, most: int = 8) -> list[str]:
    """The options that a search looked at most, with their values from -1 (lost) to 1 (won)."""
    if report is None:
        return ["(this bot does not search, so it has no values)"]
    visits, values, policy = report.visits[0], report.q[0], report.policy[0]
    ordered = sorted(texts, key=lambda a: (-float(policy[a]), -float(visits[a])))
    return [
        f"{texts[a]:<32} value {values[a]:+.2f}  weight {policy[a]:.2f}  visits {visits[a]:.0f}"
        for a in ordered[:most]
        if visits[a] > 0
    ]
