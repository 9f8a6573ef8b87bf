"""A content file as plain data: YAML, less what no content file needs (aliases, a key twice)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from engines.errors import ContentError

__all__ = ["read_yaml"]

MOST_BYTES = 1_000_000
"""The standard content has 25 thousand."""


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
