"""Ranges of settings: the one way in which a number that makes no sense is refused."""

from __future__ import annotations

import math
from collections.abc import Mapping

from engines.errors import UsageError

__all__ = ["ABOVE_ZERO", "ANY", "check_ranges"]

ABOVE_ZERO = math.ulp(0.0)
"""As the least value: any number greater than 0."""
ANY = math.inf
"""As the greatest value: no bound."""


def check_ranges(section: str, config: object, ranges: Mapping[str, tuple[float, float]]) -> None:
    """Refuse the first field of `config` that lies outside its (least, greatest); NaN lies outside every range.

    Args:
        section: where the settings stand in a configuration ("learner"), "" for the top.
        config: the settings, a dataclass.
        ranges: name of a field -> its least and greatest value.

    Raises:
        UsageError: names the key, its value and what was expected.
    """
    for name, (least, greatest) in ranges.items():
        value = getattr(config, name)
        if least <= value <= greatest:
            continue
        low = "more than 0" if least == ABOVE_ZERO else f"{least:g}"
        if greatest != ANY:
            expected = f"{low} and at most {greatest:g}" if least == ABOVE_ZERO else f"{low} to {greatest:g}"
        else:
            expected = low if least == ABOVE_ZERO else f"{low} or more"
        raise UsageError(f"{section}{'.' if section else ''}{name} is {value}: expected {expected}")
