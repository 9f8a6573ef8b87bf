"""What a user did wrong, said so that it can be mended: the culprit, what was expected, the nearest valid choice."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["ContentError", "FileError", "IllegalAction", "UsageError", "choose_from"]


class UsageError(ValueError):
    """A mistake of the user's (exit code 2 on the command line); its text is meant to be read."""


class IllegalAction(UsageError):
    """An action that is not legal now, or is no action at all; the text says what is legal."""


class ContentError(UsageError):
    """A content file that breaks a rule of its game: names file, entry, key and what was expected."""


class FileError(UsageError):
    """A file that cannot be used: missing, truncated, corrupt, or made by something else."""


def choose_from(what: str, given: str, valid: Iterable[str]) -> str:
    """`given` if it is one of `valid`; else raises UsageError with the nearest one and the list.

    Args:
        what: what is being chosen, for the message: "game", "option of moo_board", ...
    """
    choices = list(valid)
    if given in choices:
        return given
    near = difflib.get_close_matches(str(given), choices, 1, 0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise UsageError(f"unknown {what} {given!r}.{hint} Valid: {', '.join(choices) or 'none'}.")
