"""What a user did wrong, said so that it can be mended: the culprit, what was expected, the nearest valid choice."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["ContentError", "FileError", "IllegalAction", "UsageError", "choose_from", "quoted"]


class UsageError(ValueError):
    """A mistake of the user's (exit code 2 on the command line); its text is meant to be read."""


class IllegalAction(UsageError):
    """An action that is not legal now, or is no action at all; the text says what is legal."""


class ContentError(UsageError):
    """A content file that breaks a rule of its game: names file, entry, key and what was expected."""


class FileError(UsageError):
    """A file that cannot be used: missing, truncated, corrupt, or made by something else."""


def quoted(given: object, most: int = 60) -> str:
    """Any value as it may stand in a message: its `repr`, cut where it is long."""
    try:
        text = repr(given)
    except (ValueError, RecursionError):  # an integer of thousands of digits; lists in lists
        return f"a {type(given).__name__} too large to be shown"
    return text if len(text) <= most else f"{text[:most]}..."


def choose_from(what: str, given: str, valid: Iterable[str]) -> str:
    """`given` if it is one of `valid`; else raises UsageError with the nearest one and the list.

    Args:
        what: what is being chosen, for the message: "game", "option of moo_board", ...
    """
    choices = list(valid)
    if given in choices:
        return given
    near = difflib.get_close_matches(given[:60], choices, 1, 0.5) if isinstance(given, str) else []
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise UsageError(f"unknown {what} {quoted(given)}.{hint} Valid: {', '.join(choices) or 'none'}.")
