"""Who takes part: from a name, a checkpoint or a snippet of configuration to an agent that plays.

An agent is given as
- the name of a file in `configs/agent` ("ismcts"), or the path of such a file anywhere ("runs/tune/mine/best.yaml");
- a checkpoint: a path, or the name of one that ships with Orion: Gumbel search with that network;
- a mapping: `agent` names one of these to start from, the rest changes it ({agent: ismcts, search: {c_uct: 0.7}});
- a mapping with `opponent`, an agent given in one of these ways: a search in whose tree that one plays the others;
- a mapping with `module` and `kind`: the module, imported first, registers the kind, which may have all settings;
- a mapping with `python: "module:callable"`: `callable(game, lanes, **rest)` makes it, so anybody's can take part.
"""

from __future__ import annotations

import dataclasses
import importlib
import sys
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import yaml

from engines.contract import Game
from engines.errors import FileError, UsageError, choose_from, quoted
from orion_ai import attended
from orion_ai.agents import Agent, AgentConfig, kinds, make_agent
from orion_ai.arena.names import Naming, names_of
from orion_ai.arena.own_code import AgentFailure, guarded, making, told
from orion_ai.data import checkpoints_dir, configs_dir
from orion_ai.search.config import SearchConfig
from orion_ai.search.evaluator import Evaluator

__all__ = ["Entrant", "attend_to", "budget_of", "make_agents", "resolve"]

T = TypeVar("T")
KEYS = ("agent", "kind", "name", "search", "temperature", "checkpoint", "evaluator", "module", "options", "opponent")
TAKES = {
    "random": (),
    "scripted": (),
    "policy": ("checkpoint", "evaluator", "temperature"),
    "search": ("search", "checkpoint", "evaluator", "opponent"),
}
"""Settings that act on each kind of agent (kinds that were registered take any)."""
BUDGETS = ("simulations", "milliseconds", "evaluations")
"""What may bound a search; to give one of them to an agent takes back the others that it had."""


@dataclass(frozen=True)
class Entrant:
    """An agent as it takes part in a match: plain data, so that any process can make it.

    Attributes:
        name: what it is called in every output; unique in its match.
        settings: all that decides how it plays (of a network: the name of its weights, made from their content).
        where: the manifest of its checkpoint on this machine, whatever its run goes on to write; "" without one.
        opponent_where: likewise of the agent that plays the others in its tree, whose settings are its own `opponent`.
    """

    name: str
    settings: dict[str, Any]
    where: str = ""
    opponent_where: str = ""

    @property
    def opponent(self) -> Entrant | None:
        """Who plays the others in its tree, if an agent does."""
        settings = self.settings.get("opponent") if self.settings.get("kind") == "search" else None
        if not settings:
            return None
        whose = Entrant("", settings).runs or settings.get("kind")
        return Entrant(f"{whose}, the opponent of {self.name}", settings, self.opponent_where)

    @property
    def is_own_code(self) -> bool:
        """Whether the agent itself is somebody's own code, not only one in its tree."""
        return self.settings.get("kind") == "python" or self.settings.get("module") is not None

    @property
    def runs(self) -> str:
        """What code that is not Orion's own it runs, itself or in its tree, "module" or "module:callable"; else ""."""
        settings = self.settings
        while settings:
            for key in ("python", "module"):
                if settings.get(key) is not None:
                    return str(settings[key]) or key
            if settings.get("kind") == "python":
                return "python"
            settings = settings.get("opponent", {})
        return ""


def resolve(given: Sequence[Any], *, simulations: int = 0, milliseconds: float = 0.0) -> tuple[Entrant, ...]:
    """The entrants that a configuration's list of agents means.

    Args:
        given: names, checkpoints and mappings (see the module).
        simulations: what every search may spend on a decision instead of its own setting; 0 = its own.
        milliseconds: as `simulations`, in wall time.

    Raises:
        UsageError: an unknown agent or key (the text names the nearest), or a snippet that makes no sense.
        FileError: a checkpoint that is none.
    """
    budget: dict[str, Any] = {}
    if simulations or milliseconds:
        budget = {**dict.fromkeys(BUDGETS, 0), "simulations": simulations, "milliseconds": milliseconds}
    found = [_entrant(entry, budget) for entry in given]
    names = names_of([naming for naming, _ in found])
    return tuple(dataclasses.replace(entrant, name=name) for name, (_, entrant) in zip(names, found, strict=True))


def attend_to(entrants: Iterable[Entrant]) -> None:
    """Go on in a child process if an agent runs somebody's own code; for commands that play no match with it."""
    if any(entrant.runs for entrant in entrants):
        attended.attend()


def make_agents(game: Game, entrants: Sequence[Entrant], lanes: int, *, guard: bool = False) -> list[Agent]:
    """The agents, ready to decide for up to `lanes` games at once.

    Args:
        game: what they play.
        entrants: who they are.
        lanes: positions that each is asked about at once.
        guard: what those of somebody's own do wrong becomes an AgentFailure; for where there is no umpire.

    Raises:
        UsageError: settings that this game, or a search, does not allow; names the agent.
        FileError: a checkpoint that does not fit the game.
        AgentFailure: somebody's own code fails where an agent is made.
    """
    made = []
    for entrant in entrants:
        try:
            agent = _make(game, entrant, lanes)
            made.append(guarded(agent, _named(entrant), game) if guard and entrant.is_own_code else agent)
        except (AgentFailure, FileError):
            raise
        except UsageError as error:
            said = str(error)
            raise UsageError(said if said.startswith("agent ") else f"agent {entrant.name!r}: {said}") from None
        except Exception as error:
            error.add_note(f"while agent {entrant.name!r} was made")
            raise
    return made


def budget_of(entrant: Entrant) -> dict[str, float]:
    """What the search of an entrant may spend on a decision; empty for one that does not search."""
    search = entrant.settings.get("search", {})
    return {key: search[key] for key in BUDGETS if search.get(key)}


def _entrant(given: Any, budget: Mapping[str, Any]) -> tuple[Naming, Entrant]:
    """An agent that has no name yet, and what to make one of."""
    if isinstance(given, str):
        given = {"agent": given}
    if not isinstance(given, Mapping) or not given or given.get("agent") == "":
        raise UsageError(f"agent {given!r}: expected a name, a checkpoint, or a mapping with 'agent' or 'python'")
    changes = dict(given)
    if changes.get("opponent", "") is None:  # none, as where nothing is said
        del changes["opponent"]
    if not isinstance(changes.get("name", ""), str | None):
        raise UsageError(f"name of an agent is {quoted(changes['name'])}: expected a word")
    if "python" in changes:
        name = changes.pop("name", None) or str(changes["python"]).rpartition(":")[2]
        return Naming(name, "", {}), Entrant("", {**changes, "kind": "python"})
    for key in changes:
        choose_from("key of an agent", key, (*KEYS, "python"))
    base = changes.pop("agent", None)
    if base is None and "kind" not in changes:
        own = ", ".join(f"{key}: {value}" for key, value in changes.items())
        raise UsageError(
            f"agent {quoted(given)} does not say what it is: expected 'agent', 'kind' or 'python' beside the rest, "
            f"{{agent: ismcts, {own}}}"
        )
    settings, label = ({}, str(changes["kind"])) if base is None else _base(str(base))
    own_name = changes.pop("name", None)
    if settings.get("kind") == "python":  # a file that says so
        return Naming(str(own_name or label), "", {}), Entrant("", {**settings, **changes})
    changed = _mapping("search", changes.pop("search", {}))
    settings = {**settings, **changes}
    kind = _known_kind(settings)
    opponent_where, implied = "", {}
    if settings.get("opponent") is not None:
        settings["opponent"], opponent_where = _opponent(settings["opponent"])
        implied = {"opponents": "agent"}
    if changed or kind == "search" or (kind not in TAKES and "search" in given):
        settings["search"] = _search(settings.get("search", {}), {**implied, **changed}, budget)
    for key in ("evaluator", "options"):
        _mapping(key, settings.get(key, {}))
    if "temperature" in settings:
        settings["temperature"] = _filled(AgentConfig, {"temperature": settings["temperature"]}, "agent").temperature
    _refuse_idle(label, settings)
    differs = {k: v for k, v in {**changes, **changed}.items() if k not in ("kind", "checkpoint", "module")}
    algorithm = settings["search"]["algorithm"] if base is None and kind == "search" else ""
    naming = Naming(str(own_name or ""), label, differs, algorithm)
    where = str(settings.pop("checkpoint", None) or "")
    if where:
        from orion_ai import checkpoint

        manifest = checkpoint.find(_checkpoint_path(where))
        where, settings["weights"] = str(manifest), checkpoint.read(manifest).weights
    return naming, Entrant("", settings, where, opponent_where)


def _opponent(given: Any) -> tuple[dict[str, Any], str]:
    """The settings of an agent that plays in another's tree, and where its checkpoint is."""
    _, found = _entrant(given, {})
    if found.opponent:
        raise UsageError("an opponent in the tree cannot be given an opponent of its own")
    return found.settings, found.where


def _search(base: Mapping[str, Any], changed: Mapping[str, Any], budget: Mapping[str, Any]) -> dict[str, Any]:
    """All settings of a search that starts from `base`; a budget in `changed`, or of the match, replaces its own."""
    if any(key in changed for key in BUDGETS):
        base = {key: value for key, value in base.items() if key not in BUDGETS}
    return dataclasses.asdict(_filled(SearchConfig, {**base, **changed, **budget}, "search"))


def _refuse_idle(label: str, settings: Mapping[str, Any]) -> None:
    """Refuse settings that would change nothing, so that no agent is measured for what it does not have."""
    kind = settings.get("kind")
    taken = TAKES.get(str(kind), tuple(settings))
    search = SearchConfig(**settings["search"]) if kind == "search" else None
    search_keys = vars(search) if search else ()
    for key in ("search", "temperature", "checkpoint", "evaluator", "module", "options", "opponent"):
        if settings.get(key) and (key not in taken or (key == "opponent" and kind != "search")):
            valid = " and ".join(taken) or "no settings"
            if key in search_keys:
                valid += f"; its search has one of its own: search: {{{key}: {settings[key]}}}"
            raise UsageError(f"agent {label!r} is of kind {kind!r}, which has no use for {key!r}: it takes {valid}")
        if settings.get(key) and key in ("checkpoint", "evaluator") and search and not search.asks_network:
            leaf = search.leaf
            raise UsageError(f"agent {label!r} asks no network, so it has no use for {key!r}: search.leaf is {leaf!r}")
    plays = (settings.get("opponent") or {}).get("kind")
    if search and search.tree_depth == 1 and plays == search.leaf != "network":
        raise UsageError(
            f"agent {label!r} has the opponent {plays!r}, but with search.tree_depth 1 a playout follows, in which "
            "opponents play so anyway: leave it out"
        )
    if search and settings.get("opponent") and search.opponents != "agent":
        raise UsageError(
            f"agent {label!r} has an opponent, but search.opponents is {search.opponents!r}: leave one of them out"
        )


def _base(name: str) -> tuple[dict[str, Any], str]:
    """The settings that a name stands for, and what to call them."""
    path = configs_dir() / "agent" / f"{name}.yaml"
    if "/" not in name and path.is_file():
        return _snippet(path), name
    if name.endswith(".yaml"):
        return _snippet(Path(name)), _label(Path(name))
    if Path(name).exists() or name in _shipped():
        found = _checkpoint_path(name)
        return {**_snippet(configs_dir() / "agent" / "gumbel.yaml"), "checkpoint": str(found)}, _label(Path(name))
    if "/" in name or name.endswith(".json"):
        _checkpoint_path(name)
    names = [p.stem for p in sorted((configs_dir() / "agent").glob("*.yaml"))]
    choose_from("agent", name, [*names, *_shipped()])
    raise UsageError(f"agent {name!r} cannot be used")


def _label(path: Path) -> str:
    """A short name for a checkpoint: a run's folder, and the iteration if one is named."""
    parts = [part for part in path.with_suffix("").parts if part not in ("runs", "checkpoints", "/", "..", ".")]
    return "/".join(parts[-2:]) or path.name


def _shipped() -> list[str]:
    try:
        return sorted(p.name for p in checkpoints_dir().iterdir() if p.is_dir())
    except FileError:
        return []


def _checkpoint_path(name: str) -> Path:
    if Path(name).exists():
        return Path(name).resolve()
    if name in _shipped():
        return checkpoints_dir() / name
    raise FileError(f"{name!r}: there is no such checkpoint (a manifest, or the folder of a run)")


def _mapping(key: str, given: Any) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise UsageError(f"{key} of an agent is {given!r}: expected keys below it, {{{key}: {{KEY: VALUE}}}}")
    return given


def _snippet(path: Path) -> dict[str, Any]:
    try:
        loaded = yaml.safe_load(path.read_text())
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise FileError(f"{str(path)!r} cannot be read as an agent's file: {str(error).splitlines()[0]}") from None
    if not isinstance(loaded, dict) or "kind" not in loaded:
        raise FileError(f"{str(path)!r} is no agent's file: expected keys as in configs/agent, 'kind' among them")
    for key in loaded if loaded["kind"] != "python" else ():
        choose_from(f"key of {str(path)!r}", str(key), KEYS)
    return loaded


def _filled(kind: type[T], values: Mapping[str, Any], where: str) -> T:
    """A flat dataclass from plain data; wrong keys and types are refused by name."""
    hints = typing.get_type_hints(kind)
    made = {}
    for key, value in values.items():
        choose_from(f"key of {where}", key, hints)
        wanted = hints[key]
        if wanted is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, wanted) or (wanted is not bool and isinstance(value, bool)):
            raise UsageError(f"{where}.{key} is {value!r}: expected {_article(wanted.__name__)}")
        made[key] = value
    return kind(**made)


def _article(name: str) -> str:
    return {"int": "a whole number", "float": "a number", "str": "a word", "bool": "true or false"}.get(name, name)


def _make(game: Game, entrant: Entrant, lanes: int) -> Agent:
    settings = dict(entrant.settings)
    if settings.get("kind") == "python":
        del settings["kind"]
        return _from_python(game, entrant, settings, lanes)
    kind = _known_kind(settings)
    search = _filled(SearchConfig, _mapping("search", settings.get("search", {})), "search")
    temperature = _filled(AgentConfig, {"temperature": settings.get("temperature", 0.0)}, "agent").temperature
    rows = lanes * (1 if kind == "policy" else search.lane_rows(game))
    evaluator = _evaluator(game, entrant, settings.get("evaluator", {}), rows) if entrant.where else None
    opponent = _make(game, entrant.opponent, lanes) if entrant.opponent else None
    if opponent and entrant.opponent and entrant.opponent.is_own_code:
        opponent = guarded(opponent, _named(entrant.opponent), game)
    config = AgentConfig(
        name=entrant.name,
        kind=kind,
        search=search,
        temperature=temperature,
        options=settings.get("options", {}),
    )
    if not entrant.is_own_code:
        return make_agent(game, config, lanes, evaluator, opponent)
    with making(_named(entrant)):
        return make_agent(game, config, lanes, evaluator, opponent)


def _named(entrant: Entrant) -> str:
    """What an agent is called in messages."""
    return f"agent {entrant.name!r}"


def _evaluator(game: Game, entrant: Entrant, settings: Mapping[str, Any], rows: int) -> Evaluator:
    """The network's evaluator. Its backend is fixed by the settings, not measured, so that a match can be repeated:
    in fp32 on a CPU ONNX Runtime, the faster one (or within 5 %) for every network and batch that was measured.
    """
    from orion_ai import checkpoint
    from orion_ai.net.config import EvaluatorConfig
    from orion_ai.net.evaluators import make_evaluator

    config = _filled(EvaluatorConfig, settings, "evaluator")
    if "backend" not in settings:
        plain = config.device == "cpu" and config.precision == "fp32"
        config = dataclasses.replace(config, backend="onnx" if plain else "torch")
    manifest = Path(entrant.where)
    if checkpoint.read(manifest).weights != entrant.settings.get("weights"):
        raise FileError(f"agent {entrant.name!r}: the checkpoint {str(manifest)!r} has been replaced since")
    return make_evaluator(checkpoint.load_network(manifest, game), config, rows)


def _known_kind(settings: Mapping[str, Any]) -> str:
    """The kind of an agent, which the module that is named beside it may be the one to register."""
    module = settings.get("module")
    if module is not None:
        attended.attend()  # it may end the process as soon as it is imported
        try:
            with attended.asking(f"module {module!r} was imported"):
                _imported(str(module))
        except (ImportError, ValueError) as error:
            raise UsageError(f"module: {module!r} cannot be imported ({error}): expected a module's name") from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise AgentFailure(f"module: {module!r} cannot be imported: {told(error)}") from error
    return choose_from("kind of agent", str(settings.get("kind", "search")), kinds())


def _imported(module: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)  # as `python -m` does: one's own file in the current folder is found
    return importlib.import_module(module)


def _from_python(game: Game, entrant: Entrant, settings: dict[str, Any], lanes: int) -> Agent:
    place = str(settings.pop("python"))
    module, _, attribute = place.partition(":")
    with making(_named(entrant)):
        try:
            factory: Callable[..., Agent] = getattr(_imported(module), attribute)
        except (ImportError, AttributeError, ValueError) as error:
            raise UsageError(f"python: {place!r} cannot be imported ({error}): expected 'module:callable'") from None
        try:
            agent = factory(game, lanes, **settings)
        except TypeError as error:
            raise UsageError(f"python: {place!r} cannot be made: {error}") from None
        if not callable(getattr(agent, "decide", None)):
            made = type(agent).__name__
            raise UsageError(f"python: {place!r} makes a {made} without `decide`: expected an agent (docs/search.md)")
        agent.name = entrant.name
    return agent
