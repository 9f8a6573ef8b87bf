"""The space that is searched: some settings of an agent, each with its bounds or choices.

A setting that acts only with certain choices (`c_puct` with PUCT) is part of a trial only where it acts, so that no two
trials are the same agent under different names.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from engines.errors import UsageError, choose_from, quoted
from orion_ai.agents import AgentConfig
from orion_ai.search.config import SearchConfig
from orion_ai.search.validation import ACTS_WITH

__all__ = ["Parameter", "Space", "read_space"]

Value = bool | int | float | str
Condition = tuple[str, tuple[Value, ...]]
LOG = "log"
SEARCH, OPTIONS = "search.", "options."
_NAMES: dict[type, str] = {bool: "true and false", int: "whole numbers", float: "numbers", str: "words"}
_NO_SETTINGS = ("name", "kind")
"""Fields of `AgentConfig` that make no agent stronger."""


@dataclass(frozen=True)
class Parameter:
    """One setting of an agent.

    Attributes:
        key: "search.c_uct".
        low: the least value of a number, with `high`, the greatest; None where there are choices.
        high: see `low`.
        whole: whether only whole numbers are meant.
        log: whether the logarithm is searched evenly.
        choices: the values, where these are choices.
        acts_with: settings that it depends on, each with the values of that with which it acts.
    """

    key: str
    low: float | None = None
    high: float | None = None
    whole: bool = False
    log: bool = False
    choices: tuple[Value, ...] = ()
    acts_with: tuple[Condition, ...] = ()

    @property
    def extremes(self) -> tuple[Value, ...]:
        """The values at its ends, or all choices."""
        if self.low is None or self.high is None:
            return self.choices
        return (int(self.low), int(self.high)) if self.whole else (self.low, self.high)

    def holds(self, value: object) -> bool:
        """Whether a value lies in it."""
        if self.low is None or self.high is None:
            return any(type(value) is type(choice) and value == choice for choice in self.choices)
        number = isinstance(value, int if self.whole else int | float) and not isinstance(value, bool)
        return number and self.low <= value <= self.high  # type: ignore[operator]

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        if self.choices:
            return {"choices": list(self.choices)}
        return {"low": self.extremes[0], "high": self.extremes[1], "log": self.log}


@dataclass(frozen=True)
class Space:
    """Parameters of an agent, those first on which others depend.

    Attributes:
        agent: the agent as it is given, as a mapping.
        base: the settings of its search, in full; empty without one.
        parameters: what is tuned.
        options: those that an agent of one's own kind has as it is.
    """

    agent: Mapping[str, Any]
    base: Mapping[str, Any]
    parameters: tuple[Parameter, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    def acts(self, parameter: Parameter, values: Mapping[str, Value]) -> bool:
        """Whether a parameter changes anything beside the `values` chosen so far."""
        return all(self._meets(condition, values) for condition in parameter.acts_with)

    def _meets(self, condition: Condition, values: Mapping[str, Value]) -> bool:
        key, valid = condition
        return values.get(key, self.base.get(key.removeprefix(SEARCH))) in valid

    def default(self) -> dict[str, Value] | None:
        """The agent as it is, as a point of the space; None if it lies outside."""
        values: dict[str, Value] = {}
        for p in self.parameters:
            if self.acts(p, values):
                own = self._own(p.key)
                if own is None or not p.holds(own):
                    return None
                values[p.key] = own
        return values

    def _own(self, key: str) -> Any:
        """A setting of the agent as it is; None where it has none."""
        if key.startswith(SEARCH):
            return self.base.get(key[len(SEARCH) :])
        if not key.startswith(OPTIONS):
            return self.agent.get(key)
        found: Any = self.options
        for part in key[len(OPTIONS) :].split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
        return found

    def changed(self, values: Mapping[str, Value]) -> dict[str, Any]:
        """The agent with these values, as a configuration gives one; what does not act is at its default."""
        found = dict(self.agent)
        search = dict(found.get("search") or {})
        defaults = {f.name: f.default for f in fields(SearchConfig)}
        for p in self.parameters:
            name = p.key.removeprefix(SEARCH)
            if p.key.startswith(OPTIONS) and "python" not in self.agent:
                if p.key in values:
                    found["options"] = _with(found.get("options", self.options), name.split(".")[1:], values[p.key])
            elif name == p.key:
                found |= {p.key: values[p.key]} if p.key in values else {}
            elif p.key in values:
                search[name] = values[p.key]
            elif self.base.get(name) != defaults.get(name):
                search[name] = defaults[name]
        return {**found, **({"search": search} if search else {})}

    def corners(self) -> Iterator[dict[str, Value]]:
        """Every extreme of every parameter, alone (with a choice under which it acts): what must make an agent."""
        for p in self.parameters:
            for value in p.extremes:
                yield {**self._with(p), p.key: value}

    def _with(self, parameter: Parameter) -> dict[str, Value]:
        """Choices of the space under which a parameter acts; none where the agent itself makes it act."""
        chosen: dict[str, Value] = {}
        for key, valid in (c for c in parameter.acts_with if not self._meets(c, {})):
            for p in self.parameters:
                fitting = [choice for choice in p.choices if choice in valid] if p.key == key else []
                if fitting:
                    chosen |= {**self._with(p), key: fitting[0]}
        return chosen


def _with(given: Any, path: Sequence[str], value: Value) -> dict[str, Any]:
    """A mapping with the value at the end of the path; what stands in its way is replaced."""
    first, *rest = path
    here = dict(given) if isinstance(given, Mapping) else {}
    return {**here, first: _with(here.get(first), rest, value) if rest else value}


def read_space(
    given: Mapping[str, Any],
    agent: Mapping[str, Any],
    base: Mapping[str, Any],
    options: Mapping[str, Any] | None = None,
) -> Space:
    """The space that a configuration means.

    Args:
        given: key of a setting, dotted or nested -> [low, high], [low, high, log], other lists for choices, or
            {choices: [...]}.
        agent: the agent, as a mapping; with `python` its settings are whatever its callable takes.
        base: the settings of its search in full; empty without one.
        options: its own, in full: of an agent of one's own kind any may be tuned, whatever they are called.

    Raises:
        UsageError: nothing to tune, an unknown setting (names the nearest), or bounds or choices that make no sense.
    """
    kinds = _fields()
    found: dict[str, Parameter] = {}
    for key, values in _flat(given):
        if "python" not in agent and not key.startswith(OPTIONS):
            choose_from("setting of an agent", key, kinds)
        elif key == "python":
            raise UsageError("space.python: expected settings that the callable takes")
        if key in found:
            raise UsageError(f"space.{key} is given twice: expected each setting once")
        found[key] = _parameter(key, values, kinds.get(key) if "python" not in agent else None)
    if not found:
        raise UsageError("space is empty: expected settings to tune, for example space={search.c_uct: [0.2, 4.0, log]}")

    def depth(p: Parameter) -> int:
        return max((1 + depth(found[key]) for key, _ in p.acts_with if key in found), default=0)

    return Space(agent, base, tuple(sorted(found.values(), key=depth)), options or {})


def _fields() -> dict[str, type]:
    """The settings that can be tuned, with their types."""
    agent = {k: t for k, t in typing.get_type_hints(AgentConfig).items() if k not in _NO_SETTINGS}
    search = {f"{SEARCH}{name}": kind for name, kind in typing.get_type_hints(SearchConfig).items()}
    return {**search, **{name: kind for name, kind in agent.items() if kind in (bool, int, float, str)}}


def _flat(given: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in given.items():
        nested = isinstance(value, Mapping) and {*value} != {"choices"}
        if nested and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _parameter(key: str, given: Any, kind: type | None) -> Parameter:
    acts_with: list[Condition] = []
    if kind is not None and key.startswith(SEARCH):
        acts_with = [(SEARCH + on, tuple(valid)) for on, valid, names in ACTS_WITH if key[len(SEARCH) :] in names]
    as_choices = isinstance(given, Mapping)
    values = given.get("choices") if isinstance(given, Mapping) else given
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise UsageError(f"space.{key} is {quoted(given)}: expected [low, high], [low, high, log] or a list of choices")
    log = len(values) == 3 and values[2] == LOG
    bounds = values[:2] if log else values
    if not as_choices and kind not in (str, bool) and len(bounds) == 2 and all(map(_is_number, bounds)):
        return _range(key, bounds[0], bounds[1], kind, log, acts_with)
    return _choice(key, values, kind, acts_with)


def _range(key: str, low: Any, high: Any, kind: type | None, log: bool, acts_with: Sequence[Condition]) -> Parameter:
    if not (math.isfinite(low) and math.isfinite(high)):
        raise UsageError(f"space.{key} goes from {low} to {high}: expected finite numbers")
    if low >= high:
        raise UsageError(f"space.{key} goes from {low} to {high}: expected the lower bound first, then a higher one")
    if log and low <= 0:
        raise UsageError(f"space.{key} is to be searched by its logarithm from {low} on: expected a bound above 0")
    whole = kind is int or (kind is None and isinstance(low, int) and isinstance(high, int))
    if whole and not (isinstance(low, int) and isinstance(high, int)):
        raise UsageError(f"space.{key} goes from {low} to {high}: expected whole numbers")
    low, high = (low, high) if whole else (float(low), float(high))
    return Parameter(key, low, high, whole, log, acts_with=tuple(acts_with))


def _choice(key: str, values: Sequence[Any], kind: type | None, acts_with: Sequence[Condition]) -> Parameter:
    found: list[Any] = []
    for value in values:
        if kind is float and _is_number(value):
            value = float(value)
        fits = isinstance(value, kind or (bool, int, float, str))
        if not fits or (kind not in (bool, None) and isinstance(value, bool)):
            expected = _NAMES[kind] if kind else "numbers, words, true or false"
            raise UsageError(f"space.{key} holds {quoted(value)}: expected {expected}")
        found.append(value)
    if len(found) < 2 or len({repr(v) for v in found}) < len(found):
        raise UsageError(f"space.{key} is {quoted(list(values))}: expected two choices or more, all different")
    return Parameter(key, choices=tuple(found), acts_with=tuple(acts_with))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
