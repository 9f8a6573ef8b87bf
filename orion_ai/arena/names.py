"""What agents that were given no name are called: by what they are and what was changed, short enough for any table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Naming", "names_of", "shortened"]

MOST = 48
"""Characters of a name that is made here, its number aside."""


@dataclass(frozen=True)
class Naming:
    """What the name of an agent is made of.

    Attributes:
        own: the name that it was given; "" where there is none.
        label: what it starts from, or its kind.
        changes: its settings that differ from that.
        algorithm: of a search that starts from nothing; "" of all others.
    """

    own: str
    label: str
    changes: Mapping[str, Any]
    algorithm: str = ""


def names_of(agents: Sequence[Naming]) -> list[str]:
    """A name for each agent of a match, no two alike.

    One is called by the name that it was given, else by its label and what was changed. Where that is too long what
    all with this label have in common is left out, and then what does not fit; equal names get numbers.
    """
    found = [agent.own or _called(agent.label, agent.changes) for agent in agents]
    for place, agent in enumerate(agents):
        if not agent.own and len(found[place]) > MOST:
            alike = [_long(other)[1] for other in agents if not other.own and _long(other)[0] == _long(agent)[0]]
            found[place] = _apart(*_long(agent), alike)
    counts, numbers = Counter(found), Counter[str]()
    unique = []
    for name in found:
        numbers[name] += 1
        unique.append(f"{name} #{numbers[name]}" if counts[name] > 1 else name)
    return unique


def shortened(name: str, most: int = MOST) -> str:
    """The name, its middle left out where it is longer than `most` characters."""
    if len(name) <= most:
        return name
    end = (most - 3) // 2
    return f"{name[: most - 3 - end]}...{name[-end:]}"


def _called(label: str, changes: Mapping[str, Any]) -> str:
    return f"{label}({','.join(f'{key}={value}' for key, value in changes.items())})" if changes else label


def _long(agent: Naming) -> tuple[str, dict[str, Any]]:
    """The label and changes of an agent whose name is too long as it is."""
    changes = dict(_flat(agent.changes))
    if not agent.algorithm:
        return agent.label, changes
    changes.pop("algorithm", None)
    return agent.algorithm, changes


def _flat(changes: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in changes.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _apart(label: str, changes: Mapping[str, Any], alike: Sequence[Mapping[str, Any]]) -> str:
    """The label with the first of those changes that are not in all of `alike`, as many as fit."""
    missing = object()
    own = [k for k, v in changes.items() if len(alike) == 1 or any(other.get(k, missing) != v for other in alike)]
    label = shortened(label, MOST - len("(...)"))
    for count in range(len(own), 0, -1):
        parts = [f"{key}={changes[key]}" for key in own[:count]]
        name = f"{label}({','.join(parts + ['...'] * (count < len(own)))})"
        if len(name) <= MOST:
            return name
    return f"{label}(...)" if own else label
