"""The op table of a game: one row an op, and what content files may say."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field, GetCoreSchemaHandler, create_model
from pydantic_core import CoreSchema

from engines.content_file import Entry
from engines.errors import ContentError

__all__ = ["Ops", "Rows", "Word"]

Rows = list[list[int]]
"""A piece of a program: [op, number, ...] for each op."""


class Word(NamedTuple):
    """What a content file calls an effect."""

    name: str
    text: str
    keys: Mapping[str, Any]
    """Types of its keys as pydantic takes them, or (type, default)."""
    op: int
    """Number of its op; -1: `rows` says what it is made of."""
    rows: Callable[..., Rows] | None
    """From the effect (and what `Ops.rows` was given beside it) to its rows; None: the op with its keys' numbers."""


class Ops:
    """The ops of a game, numbered in the order of their rows; the first one ends a frame.

    Args:
        columns: width of a program: an op and the most numbers that one has.
        counts: whether an op's first number is its frame's count to begin with, unless its row says otherwise.
    """

    def __init__(self, columns: int, counts: bool = False) -> None:
        self.columns = columns
        self.texts: list[str] = []
        """What an op does, by number."""
        self.asked: list[tuple[int, ...]] = []
        """The nodes at which a decision (or chance) is asked for while an op is the top frame's, by number."""
        self.counted: list[bool] = []
        """Whether the first number of an op is its frame's count to begin with, by number."""
        self.words: dict[str, dict[str, Word]] = {}
        """By group, what content files may say there."""
        self._counts = counts
        self._models: dict[str, list[type[Entry]]] = {}

    def __len__(self) -> int:
        return len(self.texts)

    def add(
        self,
        text: str,
        *,
        word: str = "",
        on: str = "",
        asks: Sequence[int] = (),
        counts: bool | None = None,
        rows: Callable[..., Rows] | None = None,
        **keys: Any,
    ) -> int:
        """Add a row.

        Args:
            text: what the op does.
            word: what content files call it; without one only the rules use it.
            on: the group of words it belongs to, with a word.
            asks: nodes at which it waits.
            counts: see `Ops`.
            rows: see `Word`.
            keys: what a content file says beside the word, as `Word.keys`.

        Returns:
            the number of the op.

        Raises:
            ContentError: a word without a group, or one that another row has; a group, rows or keys without a word.
        """
        if not word and (on or rows or keys):
            given = next(iter([*(["on"] if on else []), *(["rows"] if rows else []), *keys]))
            raise ContentError(f"op {text!r}: {given} says how content files use its word, but it has none: give word=")
        self.texts.append(text)
        self.asked.append(tuple(asks))
        self.counted.append(self._counts if counts is None else counts)
        if word:
            self._say(Word(word, text, keys, len(self) - 1, rows), on)
        return len(self) - 1

    def say(self, word: str, text: str, *, on: str, rows: Callable[..., Rows], **keys: Any) -> None:
        """Add a word for several ops; arguments and errors as in `add`."""
        self._say(Word(word, text, keys, -1, rows), on)

    def _say(self, word: Word, group: str) -> None:
        if not group:
            groups = ", ".join(map(repr, self.words)) or "none yet"
            raise ContentError(f"word {word.name!r} has no group: expected on=GROUP, where it may stand ({groups})")
        if any(word.name in words for words in self.words.values()):
            raise ContentError(f"two rows have the word {word.name!r}")
        self.words.setdefault(group, {})[word.name] = word

    @property
    def asking(self) -> NDArray[np.bool_]:
        """Whether an op asks anything: read-only bool, by number."""
        table = np.array([bool(nodes) for nodes in self.asked])
        table.setflags(write=False)
        return table

    def entry(self, *groups: str) -> Any:
        """What a content file may say that is of these groups: the metadata of an `Annotated[Any, ...]` in a schema."""
        return _OneOf(self, groups)

    def rows(self, effect: Any, *context: Any) -> Rows:
        """An effect of a content file (made through `entry`) as rows; `context` goes to the word's own `rows`."""
        word = next(words[effect.op] for words in self.words.values() if effect.op in words)
        if word.rows is not None:
            return word.rows(effect, *context)
        return [[word.op, *(n for key in word.keys for n in _numbers(getattr(effect, key)))]]

    def models(self, group: str) -> list[type[Entry]]:
        """The schema of every word of a group. They may name the group themselves, so each is built when it is used."""
        if group not in self._models:
            self._models[group] = [_model(word) for word in self.words[group].values()]
        return self._models[group]


class _Effect(Entry):
    model_config = ConfigDict(defer_build=True)


def _model(word: Word) -> type[Entry]:
    fields: dict[str, Any] = {"op": (Literal[word.name], ...), **word.keys}
    return create_model(word.name, __base__=_Effect, __doc__=word.text, **fields)


class _OneOf:
    """Lets pydantic read an effect by its `op`."""

    def __init__(self, ops: Ops, groups: Sequence[str]) -> None:
        self.ops, self.groups = ops, groups

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        models = [model for group in self.groups for model in self.ops.models(group)]
        if len(models) == 1:
            return handler.generate_schema(models[0])
        return handler.generate_schema(Annotated[functools.reduce(operator.or_, models), Field(discriminator="op")])


def _numbers(value: Any) -> list[int]:
    """A key's value in a program: 0 for what is left out, the fields of an entry, a list's length before its parts."""
    if value is None:
        return [0]
    if isinstance(value, Entry):
        return [n for key in type(value).model_fields for n in _numbers(getattr(value, key))]
    if isinstance(value, list):
        return [len(value), *(n for part in value for n in _numbers(part))]
    return [int(value)]
