"""Settings that make no sense: numbers out of their range, and values that would change nothing."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING

from engines.errors import UsageError, quoted

__all__ = ["ABOVE_ZERO", "ANY", "check_ranges", "refuse_idle", "refuse_unused"]

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

ABOVE_ZERO = math.ulp(0.0)
"""As the least value: any number greater than 0."""
ANY = math.inf
"""As the greatest value: no bound."""


def check_ranges(section: str, config: object, ranges: Mapping[str, tuple[float, float]]) -> None:
    """Refuse the first field of `config` that lies outside its (least, greatest); NaN and what is no number lie outside
    every range.

    Args:
        section: where the settings stand in a configuration ("learner"), "" for the top.
        config: the settings, a dataclass.
        ranges: name of a field -> its least and greatest value.

    Raises:
        UsageError: names the key, its value and what was expected.
    """
    for name, (least, greatest) in ranges.items():
        value = getattr(config, name)
        if isinstance(value, int | float) and least <= value <= greatest:
            continue
        low = "more than 0" if least == ABOVE_ZERO else f"{least:g}"
        if greatest != ANY:
            expected = f"{low} and at most {greatest:g}" if least == ABOVE_ZERO else f"{low} to {greatest:g}"
        else:
            expected = low if least == ABOVE_ZERO else f"{low} or more"
        raise UsageError(f"{section}{'.' if section else ''}{name} is {quoted(value)}: expected {expected}")


def refuse_idle(
    section: str, config: DataclassInstance, acts_with: Iterable[tuple[str, Collection[object], Collection[str]]]
) -> None:
    """Refuse what was set but would change nothing, so that nothing is compared with itself.

    Args:
        section: as in `check_ranges`.
        config: the settings, a dataclass.
        acts_with: a choice, the values of it with which certain fields act, and their names. A field may depend on
            several choices.

    Raises:
        UsageError: a field differs from its default without acting; names both.
    """
    defaults = {f.name: f.default for f in fields(config)}
    for key, valid, names in acts_with:
        chosen = getattr(config, key)
        for name in names if chosen not in valid else ():
            value = getattr(config, name)
            if value != defaults[name]:
                users = " and ".join(repr(v) for v in valid)
                raise UsageError(
                    f"{section}.{name} is {value}, but {section}.{key} is {chosen!r} and only {users} would use it: "
                    f"expected its default, {defaults[name]}, or {section}.{key}={next(iter(valid))}"
                )


def refuse_unused(section: str, config: DataclassInstance, switch: str, names: Iterable[str]) -> None:
    """Refuse what was set for something that is turned off: `names`, where the field `switch` is 0.

    Raises:
        UsageError: as `refuse_idle`.
    """
    defaults = {f.name: f.default for f in fields(config)}
    for name in names if not getattr(config, switch) else ():
        if getattr(config, name) != defaults[name]:
            raise UsageError(
                f"{section}.{name} is {getattr(config, name)}, but {section}.{switch} is 0, so nothing would use it: "
                f"expected its default, {defaults[name]}"
            )
