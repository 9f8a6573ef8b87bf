"""The legal actions as a person picks them: grouped by verb, numbered, typed in full or in part."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from engines.contract import Game
from engines.errors import IllegalAction, quoted

__all__ = ["Option", "menu", "pick"]


@dataclass(frozen=True)
class Option:
    """One legal action: its number in the menu (from 1), its id, its text."""

    number: int
    action: int
    text: str

    @property
    def verb(self) -> str:
        """The first word, by which options are grouped."""
        return self.text.split(" ", 1)[0]


def menu(game: Game, legal: Sequence[int]) -> list[Option]:
    """The options in the order of their numbers: verbs as they first occur, ids ascending within each."""
    texts = [(action, game.action_text(action)) for action in legal]
    verbs = list(dict.fromkeys(text.split(" ", 1)[0] for _, text in texts))
    ordered = sorted(texts, key=lambda pair: verbs.index(pair[1].split(" ", 1)[0]))
    return [Option(number, action, text) for number, (action, text) in enumerate(ordered, 1)]


def pick(options: Sequence[Option], typed: str) -> Option:
    """The option that `typed` means: its number, its text, or the start of its words ("bu fr" for "build frigate").

    Raises:
        IllegalAction: none or several are meant; names them, or the nearest.
    """
    words = typed.lower().split()
    if typed.strip().isdecimal():
        found = [o for o in options if str(o.number) == typed.strip()]
        if found:
            return found[0]
        raise IllegalAction(f"there is no option {typed.strip()[:20]}: expected 1 to {len(options)}")
    exact = [o for o in options if o.text.lower().split() == words]
    found = exact or [o for o in options if words and _starts(o.text.lower().split(), words)]
    if len(found) == 1:
        return found[0]
    if found:
        shown = ", ".join(f"{o.text!r}" for o in found[:6])
        rest = f" and {len(found) - 6} more" if len(found) > 6 else ""
        raise IllegalAction(f"{quoted(typed)} may mean {shown}{rest}: type more of it, or a number")
    near = difflib.get_close_matches(typed.lower(), [o.text.lower() for o in options], 1, 0.5)
    meant = next((o for o in options if near and o.text.lower() == near[0]), None)
    hint = f" Did you mean {meant.text!r} ({meant.number})?" if meant else ""
    raise IllegalAction(f"{quoted(typed)} is not possible now.{hint} Type a number from 1 to {len(options)}, or help.")


def _starts(text: Sequence[str], words: Sequence[str]) -> bool:
    return len(words) <= len(text) and all(t.startswith(w) for t, w in zip(text, words, strict=False))
