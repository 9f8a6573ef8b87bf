"""From names and snippets to agents: what is understood, how it is named, and what is refused with the nearest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import engines
from engines.errors import FileError, UsageError
from orion_ai.arena.entrants import make_agents, resolve
from orion_ai.data import configs_dir
from tests.learner.runs import run


def test_every_shipped_agent_resolves_and_those_without_network_play() -> None:
    game = engines.load("kuhn_poker")
    names = sorted(p.stem for p in (configs_dir() / "agent").glob("*.yaml"))
    entrants = resolve(names)
    assert [e.name for e in entrants] == names
    able = [e for e in entrants if "checkpoint" not in (configs_dir() / "agent" / f"{e.name}.yaml").read_text()]
    able = [e for e in able if e.name != "scripted"]
    assert [a.name for a in make_agents(game, able, 1)] == [e.name for e in able]
    assert {"ismcts", "random", "pimc", "epimc", "flat_mc", "ris"} <= {e.name for e in able}


def test_names_say_what_differs_and_are_unique() -> None:
    entrants = resolve(
        ["ismcts", {"agent": "ismcts", "search": {"c_uct": 2}}, "ismcts", {"agent": "random", "name": "me"}]
    )
    assert [e.name for e in entrants] == ["ismcts #1", "ismcts(c_uct=2)", "ismcts #2", "me"]
    assert entrants[1].settings["search"]["c_uct"] == 2.0


LONG = {"worlds": "particles", "particle_policy": "uniform", "particles": 50, "c_uct": 1.5, "cutoff": 20}
"""A change of an agent that is too long for a name."""


def test_names_of_many_settings_are_short_and_say_where_agents_differ() -> None:
    entrants = resolve(
        [
            {"agent": "ismcts", "search": {**LONG, "c_uct": 1}},
            {"agent": "ismcts", "search": {**LONG, "c_uct": 2}},
            {"kind": "search", "search": {"algorithm": "exp3", **LONG, "c_uct": 1.4}},
            {"agent": "random", "name": "n" * 90},
        ]
    )
    names = ["ismcts(c_uct=1)", "ismcts(c_uct=2)", "exp3(worlds=particles,...)", "n" * 90]
    assert [e.name for e in entrants] == names
    assert entrants[0].settings["search"]["particles"] == 50


def test_names_that_say_all_they_can_get_numbers() -> None:
    halves = [{"agent": "ismcts", "search": {**LONG, "milliseconds": m}} for m in (5, 5)]
    assert [e.name for e in resolve(halves)] == ["ismcts #1", "ismcts #2"]
    (alone,) = resolve([{"agent": "ismcts", "search": LONG}])
    assert alone.name == "ismcts(worlds=particles,...)"


def test_a_budget_is_the_same_for_all_who_search() -> None:
    game_searches = resolve(["ismcts", {"agent": "ismcts", "search": {"simulations": 9}}, "random"], simulations=50)
    assert [e.settings.get("search", {}).get("simulations") for e in game_searches] == [50, 50, None]
    timed = resolve(["ismcts"], milliseconds=20)[0].settings["search"]
    assert timed["milliseconds"] == 20.0 and timed["simulations"] == 0


def test_an_agents_own_budget_replaces_that_of_the_agent_it_starts_from() -> None:
    (timed,) = resolve([{"agent": "ismcts", "search": {"milliseconds": 20}}])
    assert timed.settings["search"]["milliseconds"] == 20.0 and timed.settings["search"]["simulations"] == 0
    (both,) = resolve([{"agent": "ismcts", "search": {"milliseconds": 20, "simulations": 9}}])
    assert both.settings["search"]["milliseconds"] == 20.0 and both.settings["search"]["simulations"] == 9
    (other,) = resolve([{"agent": "puct", "search": {"evaluations": 70}}], simulations=50)
    assert other.settings["search"]["evaluations"] == 0 and other.settings["search"]["simulations"] == 50


def test_no_opponent_is_none() -> None:
    plain, none = (resolve([given]) for given in ("ismcts", {"agent": "ismcts", "opponent": None}))
    assert plain == none


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("ismtcs", "unknown agent 'ismtcs'. Did you mean 'ismcts'"),
        ({"agent": "ismcts", "serch": {}}, "unknown key of an agent 'serch'. Did you mean 'search'"),
        ({"agent": "ismcts", "search": {"simulation": 3}}, "unknown key of search 'simulation'.*'simulations'"),
        (
            {"agent": "ismcts", "search": {"simulations": "many"}},
            "search.simulations is 'many': expected a whole number",
        ),
        ({"agent": "ismcts", "search": {"q_rescale": 1}}, "search.q_rescale is 1: expected true or false"),
        ({"agent": "random", "search": {"simulations": 3}}, "'random', which has no use for 'search': it takes no set"),
        ({"agent": "scripted", "checkpoint": "x"}, "kind 'scripted', which has no use for 'checkpoint'"),
        ({"agent": "ismcts", "temperature": 1}, "no use for 'temperature': it takes search and checkpoint"),
        ({"agent": "ismcts", "checkpoint": "x"}, "'ismcts' asks no network, .* 'checkpoint': search.leaf is 'random'"),
        ({"agent": "ismcts", "evaluator": {"threads": 2}}, "asks no network, so it has no use for 'evaluator'"),
        (7, "agent 7: expected a name"),
        ("", "agent {'agent': ''}: expected a name"),
        ({}, "agent {}: expected a name"),
        ({"agent": "ismcts", "opponent": {}}, "agent {}: expected a name"),
        ({"agent": "ismcts", "name": ["a"]}, r"name of an agent is \['a'\]: expected a word"),
        ({"python": "tests.arena.agents:First", "name": 3}, "name of an agent is 3: expected a word"),
        ({"agent": "default", "temperature": 1.0}, r"its search has one of its own: search: {temperature: 1.0}"),
        ({"agent": "ismcts", "search": 5}, "search of an agent is 5: expected keys below it"),
        ({"agent": "policy", "evaluator": "onnx"}, "evaluator of an agent is 'onnx': expected keys below it"),
        ({"agent": "policy", "temperature": "hot"}, "agent.temperature is 'hot': expected a number"),
        ({"kind": "serch"}, "unknown kind of agent 'serch'. Did you mean 'search'"),
        ({"kind": "mine", "module": "no_such_module"}, "module: 'no_such_module' cannot be imported"),
        ({"agent": "ismcts", "options": {"keep": 1}}, "kind 'search', which has no use for 'options'"),
        ({"agent": "ismcts", "module": "json"}, "kind 'search', which has no use for 'module'"),
        ({"opponent": "random"}, "does not say what it is: expected .*, {agent: ismcts, opponent: random}"),
        ({"search": {"c_uct": 1.0}, "name": "x"}, "does not say what it is: expected 'agent', 'kind' or 'python'"),
        ({"agent": "flat_mc", "opponent": "random"}, "has the opponent 'random', but with search.tree_depth 1"),
        ({"kind": "mine", "module": "tests.arena.broken"}, "cannot be imported: ZeroDivisionError: .*broken.py"),
        ({"agent": "ismcts", "options": 3}, "options of an agent is 3: expected keys below it"),
    ],
)
def test_mistakes_name_the_nearest(given: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        resolve([given, "random"])


def test_a_module_beside_one_registers_a_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "beside.py").write_text(
        "from orion_ai.agents import RandomAgent, register\n"
        "class Told(RandomAgent):\n"
        "    def __init__(self, game, config, lanes, evaluator):\n"
        "        super().__init__(game, config.name)\n"
        "        self.told = config, lanes, evaluator\n"
        "register('told', Told)\n"
    )
    monkeypatch.chdir(tmp_path)
    given = {"kind": "told", "module": "beside", "options": {"width": 3}, "search": {"c_uct": 2}, "temperature": 1}
    game = engines.load("kuhn_poker")
    entrants = resolve([given, {"kind": "told", "module": "beside", "name": "plain"}], simulations=30)
    told, plain = (agent.told for agent in make_agents(game, entrants, 5))
    assert told[0].options == {"width": 3} and told[0].search.c_uct == 2.0 and told[0].search.simulations == 30
    assert (told[0].temperature, told[1], told[2]) == (1.0, 5, None)
    assert plain[0].name == "plain" and plain[0].options == {}


@pytest.mark.parametrize("given", ["runs/nobody", {"agent": "puct", "checkpoint": "nobody"}])
def test_a_missing_checkpoint_is_named(given: Any) -> None:
    with pytest.raises(FileError, match="nobody': there is no such checkpoint"):
        resolve([given])


def test_a_network_in_another_precision_plays_without_more_words(tmp_path: Path) -> None:
    run(tmp_path, 1)
    entrants = resolve([{"agent": "policy", "checkpoint": str(tmp_path / "run"), "evaluator": {"precision": "bf16"}}])
    assert len(make_agents(engines.load("kuhn_poker"), entrants, 1)) == 1


def test_an_entrant_stays_who_it_was_while_its_run_goes_on(tmp_path: Path) -> None:
    game = engines.load("kuhn_poker")
    run(tmp_path, 1)
    (then,) = resolve([str(tmp_path / "run")])
    run(tmp_path, 2)
    (now,) = resolve([str(tmp_path / "run")])
    assert Path(then.where).name == "iteration-000001.json" and Path(now.where).name == "iteration-000002.json"
    make_agents(game, [then, now], 1)
    Path(then.where).write_bytes(Path(now.where).read_bytes())
    with pytest.raises(FileError, match=r"iteration-000001\.json' has been replaced since"):
        make_agents(game, [then], 1)


def test_a_file_like_those_of_configs_is_an_agent(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("kind: search\nsearch: {c_uct: 0.7, simulations: 9}\n")
    (mine,) = resolve([str(path)])
    (same,) = resolve([{"agent": "ismcts", "search": {"c_uct": 0.7, "simulations": 9}}])
    assert mine.settings == same.settings and mine.name.endswith("mine")
    (changed,) = resolve([{"agent": str(path), "search": {"c_uct": 1.0}}])
    assert (changed.settings["search"]["c_uct"], changed.settings["search"]["simulations"]) == (1.0, 9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind: [", "cannot be read as an agent's file"),
        ("- search", "is no agent's file: expected keys as in configs/agent"),
        ("search: {}", "is no agent's file: .*'kind' among them"),
        ("kind: search\nserch: {}", "Did you mean 'search'"),
        ("kind: search\nsearch: {c_utc: 1}", "Did you mean 'c_uct'"),
        (None, "cannot be read as an agent's file: .*No such file"),
    ],
)
def test_a_file_that_is_no_agent_is_refused(tmp_path: Path, text: str | None, message: str) -> None:
    path = tmp_path / "mine.yaml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UsageError, match=message):
        resolve([str(path)])
