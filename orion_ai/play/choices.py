"""The legal actions as a person picks them: grouped by verb, numbered, typed in full or in part.

An option has two texts: the one that stands in recorded games, and, where that says more, the line of the log that it
would become ("play 3" may be "plays Research Lab").
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engines.contract import Game
from engines.errors import IllegalAction, quoted

__all__ = ["Option", "menu", "pick"]


@dataclass(frozen=True)
class Option:
    """One legal action: number in the menu (from 1), id, text, and what it is in words where that says more."""

    number: int
    action: int
    text: str
    said: str = ""

    def __str__(self) -> str:
        return f"{self.text} ({self.said})" if self.said else self.text

    @property
    def verb(self) -> str:
        """The first word, by which options are grouped."""
        return self.text.split(" ", 1)[0]


def menu(game: Game, legal: Sequence[int], said: Mapping[int, str] | None = None) -> list[Option]:
    """The options in the order of their numbers: verbs as they first occur, ids ascending within each.

    Args:
        game: the game.
        legal: ids of the actions.
        said: what they are in words, of those that have such a text.
    """
    words = said or {}
    texts = [(action, game.action_text(action)) for action in legal]
    verbs = list(dict.fromkeys(text.split(" ", 1)[0] for _, text in texts))
    ordered = sorted(texts, key=lambda pair: verbs.index(pair[1].split(" ", 1)[0]))
    return [Option(number, action, text, words.get(action, "")) for number, (action, text) in enumerate(ordered, 1)]


def pick(options: Sequence[Option], typed: str) -> Option:
    """The option that `typed` means: its number, one of its texts, or the start of its words ("bu fr" for "build
    frigate").

    Raises:
        IllegalAction: none or several are meant; names them, or the nearest.
    """
    words = typed.lower().split()
    if typed.strip().isdecimal():
        found = [o for o in options if str(o.number) == typed.strip()]
        if found:
            return found[0]
        raise IllegalAction(f"there is no option {typed.strip()[:20]}: expected 1 to {len(options)}")
    texts = [(o.text, o) for o in options] + [(o.said, o) for o in options if o.said]
    found = [o for o in options if o.text.lower().split() == words]
    found = found or [o for o in options if o.said and o.said.lower().split() == words]
    found = found or _distinct([o for text, o in texts if words and _starts(text.lower().split(), words)])
    if len(found) == 1:
        return found[0]
    if found:
        shown = ", ".join(repr(str(o)) for o in found[:6])
        rest = f" and {len(found) - 6} more" if len(found) > 6 else ""
        raise IllegalAction(f"{quoted(typed)} may mean {shown}{rest}: type more of it, or a number")
    near = difflib.get_close_matches(typed.lower(), [text.lower() for text, _ in texts], 1, 0.5)
    meant = next(((text, o) for text, o in texts if near and text.lower() == near[0]), None)
    hint = f" Did you mean {meant[0]!r} ({meant[1].number})?" if meant else ""
    raise IllegalAction(f"{quoted(typed)} is not possible now.{hint} Type a number from 1 to {len(options)}, or help.")


def _distinct(options: Sequence[Option]) -> list[Option]:
    return list({o.number: o for o in options}.values())


def _starts(text: Sequence[str], words: Sequence[str]) -> bool:
    return len(words) <= len(text) and all(t.startswith(w) for t, w in zip(text, words, strict=False))
