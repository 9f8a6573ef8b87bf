"""Content files of games: YAML without what none needs (aliases, a key twice), checked by a game's schema.

A game declares its parts as `Entry` classes and calls `read_content`; what is wrong comes out as one line each: place,
what was expected, the nearest valid word. The game compiles the data into tables, which are `frozen`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import yaml
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from engines.errors import ContentError, UsageError, choose_from, quoted

__all__ = ["Entry", "frozen", "read_content", "read_yaml"]

MOST_BYTES = 1_000_000
"""A game's own content has some tens of thousands."""


class _Loader(yaml.SafeLoader):
    """Plain YAML: no key twice in one mapping, and no aliases, which let a short file stand for endless data."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()
            raise yaml.MarkedYAMLError(problem="aliases (*) are not allowed here", problem_mark=event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key, _ in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else None
            if name is not None and name in seen:
                raise yaml.MarkedYAMLError(problem=f"{name!r} stands there twice", problem_mark=key.start_mark)
            seen.add(name)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path) -> Any:
    """The data of a YAML file.

    Raises:
        ContentError: no text, no YAML, or too much of it; names file and line.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ContentError(f"{path}: has {path.stat().st_size} bytes, expected at most {MOST_BYTES}")
        return yaml.load(path.read_text(encoding="utf-8"), _Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise ContentError(f"{path}{where}: not a YAML file of this kind: {error.problem}") from None
    except (yaml.YAMLError, ValueError) as error:
        if isinstance(error, ContentError):
            raise
        raise ContentError(f"{path}: not a YAML file: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise ContentError(f"{path}: not a YAML file of this kind: it nests too deeply") from None
    except OSError as error:
        raise ContentError(f"{path}: cannot be read: {error.strerror}") from None


class Entry(BaseModel):
    """A part of a content file: keys that are not listed are errors, and so is "2" or true where a number belongs."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        for key in data if isinstance(data, dict) else ():
            choose_from("key", key, cls.model_fields)
        return data


Schema = TypeVar("Schema", bound=Entry)


def read_content(path: Path, schema: type[Schema], place: Callable[[Sequence[str]], str] = ".".join) -> Schema:
    """The content of the file `path`, checked.

    Args:
        path: the file.
        schema: what it must hold.
        place: how the keys that lead to a part are written.

    Raises:
        ContentError: the file is no YAML or breaks a rule; names file, entry, key and what was expected.
    """
    try:
        return schema.model_validate(read_yaml(path))
    except ValidationError as error:
        raise ContentError("\n".join(_explain(path, e, place) for e in error.errors()[:10])) from None


def _explain(path: Path, error: Any, place: Callable[[Sequence[str]], str]) -> str:
    """One line: file, entry, key, what was expected, what was found."""
    kind, given = error["type"], error["input"]
    message = re.sub("dictionary( or .*)?", "mapping (KEY: VALUE)", error["msg"].removeprefix("Value error, "))
    if kind == "literal_error" and isinstance(given, str):
        what = str(error["loc"][-1]).strip("[]")  # "[key]" of a mapping's key, else the key whose value it is
        message = _refusal(what, given, re.findall(r"'([^']*)'", error["ctx"]["expected"]))
    elif kind == "union_tag_invalid":
        valid = [tag.strip(" '") for tag in error["ctx"]["expected_tags"].split(",")]
        message = _refusal(error["ctx"]["discriminator"].strip("'"), error["ctx"]["tag"], valid)
    elif kind == "union_tag_not_found":
        message = f"key {error['ctx']['discriminator']} is missing"
    elif not isinstance(given, dict | list) and kind != "missing":
        message += f", found {quoted(given)}"
    return f"{path}: {place([str(part) for part in error['loc']]) or 'file'}: {message}"


def _refusal(what: str, given: str, valid: Sequence[str]) -> str:
    """What is wrong with `given`, and the nearest of `valid`."""
    try:
        return choose_from(what, given, valid)
    except UsageError as error:
        return str(error)


def frozen(data: Any, dtype: type = np.int16) -> NDArray[Any]:
    """`data` as an array that nobody can change: compiled code has its numbers built in."""
    table: NDArray[Any] = np.array(data, dtype)
    table.setflags(write=False)
    return table
