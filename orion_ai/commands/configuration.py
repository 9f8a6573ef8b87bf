"""From the words of a command line to a plain frozen dataclass: files in `configs/`, overrides, errors that help.

Hydra composes (`configs/<command>.yaml`, its groups, the overrides) onto the schema, so an unknown key or a value of a
wrong type is refused; what comes out holds no trace of Hydra.
"""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Generic, TypeVar

import yaml
from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

import engines
from engines.errors import UsageError, choose_from
from engines.registry import choose_game, own_folders
from orion_ai.data import configs_dir
from orion_ai.identity import load_game

__all__ = ["Request", "load_game", "quoted", "read"]

C = TypeVar("C")
EXPECTED = {
    "converted to Integer": "a whole number",
    "converted to Float": "a number",
    "is not a valid bool": "true or false",
    "converted to Boolean": "true or false",
    "is not a ListConfig": "a list in brackets, for example [a,b]",
    "Cannot merge DictConfig with ListConfig": "keys below it, for example {KEY: VALUE}",
    "is not a subclass of": "keys below it (KEY.NAME=VALUE), not a value",
}
"""What OmegaConf says of a value of a wrong type, and what we say."""
OPEN = {"options", "space"}
"""Settings whose keys only the game, or the agent, knows: any may be given, and the command checks them."""


@dataclass(frozen=True)
class Request(Generic[C]):
    """One run that the command line asks for: its configuration, and the words that led to it."""

    config: C
    overrides: tuple[str, ...]
    job: int | None = None
    """Number of this run in a sweep (`-m`), from 0; None without a sweep."""


def read(
    command: str,
    schema: type[C],
    argv: Sequence[str],
    *,
    positional: Mapping[str, str] | None = None,
    sweep: bool = False,
) -> list[Request[C]]:
    """The runs that `argv` asks for: one, or with `-m` one for each combination of values.

    The name of a game alone is short for game=NAME, players=N for game.players=N.

    Args:
        command: names `configs/<command>.yaml`, whose defaults list starts with `schema`.
        schema: the frozen dataclass that the configuration is checked against.
        argv: words of the command line after the command.
        positional: key of the word without "=", and what it is ("game" -> "a game"), if the command takes one.
        sweep: whether `-m` is allowed.

    Returns:
        the requests; empty if the words asked only to show the configuration (`--config`), which is then printed.

    Raises:
        UsageError: an unknown key, group choice or flag, or a value of a wrong type; names the nearest valid one.
    """
    free = dict(positional or {})
    if "game" in {f.name for f in fields(schema)}:  # type: ignore[arg-type]
        free["game"] = "the name of a game"
    words, flags = _split(command, argv, free, sweep)
    _register(schema)
    with initialize_config_dir(str(configs_dir()), version_base="1.3"):
        jobs = list(_combinations(words)) if "-m" in flags else [_single(words)]
        composed = [_compose(command, job) for job in jobs]
    if "--config" in flags:
        print("---\n".join(OmegaConf.to_yaml(config) for config in composed), end="")
        return []
    many = len(jobs) > 1
    return [
        Request(_plain(schema, config), tuple(job), number if many else None)
        for number, (config, job) in enumerate(zip(composed, jobs, strict=True))
    ]


def _split(command: str, argv: Sequence[str], free: dict[str, str], sweep: bool) -> tuple[list[str], set[str]]:
    """Overrides and flags. A bare word becomes the value of a key in `free`, which takes one each."""
    words, flags, has_game = [], set(), "game" in free
    allowed = ["--config", *(["-m", "--multirun"] if sweep else [])]
    for word in argv:
        if word.startswith("-"):
            flags.add("-m" if choose_from(f"flag of orion {command}", word, allowed) == "--multirun" else word)
        elif word.startswith("players=") and has_game:
            words.append(f"game.{word}")
        elif "=" in word or word.startswith("~"):
            words.append(word)
        else:
            key = "game" if has_game and word in engines.GAMES else next(iter(free), "game")
            if key not in free:
                raise UsageError(f"cannot understand {word!r}: expected " + " or ".join(["KEY=VALUE", *free.values()]))
            del free[key]
            words.append(f"{key}={quoted(word)}")
    return words, flags


def quoted(word: str) -> str:
    """A word as the value of a setting, also one that would be read as something else (null, true, 1)."""
    plain = re.fullmatch(r"[\w./-]+", word, re.ASCII) and yaml.safe_load(word) == word
    return word if plain else "'" + word.replace("'", "\\'") + "'"


def _register(schema: type[Any]) -> None:
    """Make the schema known as the config `schema`, thawed: frozen dataclasses would refuse overrides."""
    node = OmegaConf.structured(schema)
    _thaw(node)
    for key in OPEN & {*node}:
        OmegaConf.set_struct(node[key], False)
    ConfigStore.instance().store(name="schema", node=node)


def _thaw(node: Any) -> None:
    OmegaConf.set_readonly(node, None)
    for key in node if OmegaConf.is_dict(node) else range(len(node)):
        if not OmegaConf.is_missing(node, key) and OmegaConf.is_config(node[key]):
            _thaw(node[key])


def _parse(words: Sequence[str]) -> list[Override]:
    try:
        return list(OverridesParser.create().parse_overrides(list(words)))
    except OverrideParseException as error:
        raise UsageError(_unreadable(str(error.override), error)) from None


def _unreadable(word: str, error: OverrideParseException) -> str:
    """What is wrong with a word that Hydra cannot read: often a value that wants quotes."""
    key, _, value = word.partition("=")
    said = f"cannot understand the setting {word!r}: "
    if re.fullmatch(r"[\w.]+", key) and not re.match(r"[\[{'\"]", value):
        with suppress(OverrideParseException):
            setting = f"{key}={quoted(value)}"
            OverridesParser.create().parse_overrides([setting])
            return f'{said}expected such a value in quotes, and the whole in others for the shell: "{setting}"'
    return f"{said}{_first_line(error)}"


def _single(words: Sequence[str]) -> list[str]:
    for override in _parse(words):
        if override.is_sweep_override():
            raise UsageError(f"{override.input_line!r} gives several values: add -m to run once for each of them")
    return list(words)


def _combinations(words: Sequence[str]) -> Iterator[list[str]]:
    """Every combination of the values given with commas, the last one varying fastest."""
    choices = []
    for override in _parse(words):
        key = override.get_key_element()
        many = override.is_sweep_override()
        choices.append([f"{key}={v}" for v in override.sweep_string_iterator()] if many else [override.input_line])
    for combination in itertools.product(*choices):
        yield [str(word) for word in combination]


def _composed(command: str, words: Sequence[str]) -> DictConfig:
    """The configuration as Hydra makes it, with the settings of games of one's own."""
    own = [str(folder / "configs") for folder in own_folders() if (folder / "configs").is_dir()]
    quoted = ",".join("'file://" + path.replace("'", "\\'") + "'" for path in own)
    return compose(command, overrides=[*([f"hydra.searchpath=[{quoted}]"] if own else []), *words])


def _compose(command: str, words: list[str]) -> DictConfig:
    try:
        config = _composed(command, words)
        if stranger := next(_strangers(config), None):
            raise UsageError(_unknown_key(command, [word for word in words if "+" not in word], stranger))
        return config
    except UsageError:
        raise
    except MissingConfigException as error:
        raise UsageError(_unknown_choice(error)) from None
    except HydraException as error:
        raise UsageError(_explain(command, words, error)) from None
    except ValueError as error:  # a group that is given something else than a name
        raise UsageError(f"{' '.join(words)!r}: {_first_line(error)}") from None


def _strangers(node: DictConfig, prefix: str = "") -> Iterator[str]:
    """The keys that were added (`+KEY=VALUE`) where the schema knows none of that name.

    Raises:
        UsageError: one that the schema knows is missing.
    """
    schema = OmegaConf.get_type(node)
    known = {f.name for f in fields(schema)} if is_dataclass(schema) else None
    for key in sorted((known or set()) - {*map(str, node)}):
        raise UsageError(f"{prefix}{key} cannot be taken away (~{prefix}{key}): expected a value for every setting")
    for key in map(str, node):
        if known is not None and key not in known:
            yield f"{prefix}{key}"
        elif not OmegaConf.is_missing(node, key) and OmegaConf.is_dict(node[key]):
            yield from _strangers(node[key], f"{prefix}{key}.")


def _unknown_choice(error: MissingConfigException) -> str:
    missing = str(error.missing_cfg_file or "")
    group, _, name = missing.rpartition("/")
    options = [str(o) for o in error.options or []]
    if not group:
        return _first_line(error)
    if group == "game" and name in engines.GAMES:
        return f"game {name!r} has no settings: expected a file 'configs/game/{name}.yaml' beside its folder 'engines'"
    if group == "game":
        return _caught(lambda: choose_game(name)) or f"game: {name!r} cannot be used here"
    return _caught(lambda: choose_from(group, name, options)) or f"{group}: {name!r} cannot be used here"


def _caught(choose: Callable[[], str]) -> str:
    """The text of the UsageError of an unknown name; "" where there is none."""
    try:
        choose()
    except UsageError as error:
        return str(error)
    return ""


def _explain(command: str, words: Sequence[str], error: Exception) -> str:
    """What is wrong with one of the overrides: an unknown key with its nearest, or the type that was expected."""
    text = f"{error} {error.__cause__ or ''}"
    culprit = re.search(r"Could not override '([^']+)'", text)
    if culprit:
        below = re.search(r"Key '([^']+)' not in '", text)  # of a whole section, KEY={NAME: VALUE}
        inner = below and not culprit.group(1).endswith(below.group(1))
        return _unknown_key(
            command, words, f"{culprit.group(1)}.{below.group(1)}" if below and inner else culprit.group(1)
        )
    merged = re.search(r"Error merging override (.+)", str(error))
    if merged:
        cause = error.__cause__
        unknown = re.search(r"Key '([^']+)' not in '", str(cause))
        key = merged.group(1).strip().lstrip("+~").split("=", 1)[0]
        if unknown:
            full = key if key.endswith(unknown.group(1)) else f"{key}.{unknown.group(1)}"
            return _unknown_key(command, words, full)
        return f"{merged.group(1).strip()!r}: {_expected(_first_line(cause or error))}"
    return f"{' '.join(words)!r}: {_first_line(error)}"


def _expected(text: str) -> str:
    """What a value should have been, in plain words."""
    for sign, wanted in EXPECTED.items():
        if sign in text:
            return f"expected {wanted}"
    return text


def _unknown_key(command: str, words: Sequence[str], given: str) -> str:
    groups = [word for word in words if (configs_dir() / word.partition("=")[0]).is_dir()]
    chosen = [word for word in groups if word.partition("=")[0] != given]
    every = sorted(_keys(OmegaConf.to_container(_composed(command, chosen))))
    keys = [key for key in every if not given.startswith(f"{key}.")]
    near = difflib.get_close_matches(given, keys, 1, 0.6)
    if not near:  # the right name in a wrong section, or only its last part remembered
        last = given.rpartition(".")[2]
        ends = {k.rpartition(".")[2]: k for k in reversed(keys)}
        near = [ends[m] for m in difflib.get_close_matches(last, list(ends), 1, 0.6)]
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"unknown key {given!r}.{hint} `orion {command} --config` shows all keys."


def _keys(node: Any, prefix: str = "") -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield f"{prefix}{key}"
            yield from _keys(value, f"{prefix}{key}.")


def _plain(schema: type[C], config: DictConfig) -> C:
    """The frozen dataclass; checks made in `__post_init__` speak for themselves."""
    try:
        made = OmegaConf.to_object(config)
    except OmegaConfBaseException as error:
        raise UsageError(_first_line(error)) from None
    assert isinstance(made, schema)
    return made


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
