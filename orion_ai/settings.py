"""Settings as plain nested data: how what a file says is compared with what is asked for now.

A file that an older version wrote lacks the settings that came later: they count as their defaults there, since that is
how it worked. A setting that is gone, or has another value, is a difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engines.errors import quoted

__all__ = ["differences", "filled", "without_defaults"]


def filled(given: Any, defaults: Any) -> Any:
    """`given`, with the keys that it lacks taken from `defaults`, at every depth; lists are met place by place."""
    if isinstance(given, Mapping) and isinstance(defaults, Mapping):
        return {**defaults, **{key: filled(value, defaults.get(key)) for key, value in given.items()}}
    if isinstance(given, list) and isinstance(defaults, list) and len(given) == len(defaults):
        return [filled(value, default) for value, default in zip(given, defaults, strict=True)]
    return given


def without_defaults(given: Any, defaults: Any) -> Any:
    """`given` without the values that are as in `defaults`: what a setting added later, left alone, does not change."""
    if isinstance(given, Mapping) and isinstance(defaults, Mapping):
        left = {k: v for k, v in given.items() if isinstance(v, Mapping) or k not in defaults or v != defaults[k]}
        return {key: without_defaults(value, defaults.get(key)) for key, value in left.items()}
    if isinstance(given, list) and isinstance(defaults, list) and len(given) == len(defaults):
        return [without_defaults(value, default) for value, default in zip(given, defaults, strict=True)]
    return given


def differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> dict[str, str]:
    """What differs: dotted key -> "is 32 there, 64 here", in the order of `here`."""
    old, new = dict(_flat(there)), dict(_flat(here))
    found = {}
    for key in dict.fromkeys([*new, *old]):
        if key not in new:
            found[key] = f"is {quoted(old[key])} there, and is no setting here"
        elif key not in old:
            found[key] = f"is missing there, {quoted(new[key])} here"
        elif old[key] != new[key]:
            found[key] = f"is {quoted(old[key])} there, {quoted(new[key])} here"
    return found


def _flat(data: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every setting with its dotted key; lists of mappings by place."""
    if isinstance(data, list) and data and all(isinstance(part, Mapping) for part in data):
        data = {str(place): part for place, part in enumerate(data)}
    if isinstance(data, Mapping) and (data or not prefix):
        for key, value in data.items():
            yield from _flat(value, f"{prefix}.{key}" if prefix else str(key))
    else:
        yield prefix, data
