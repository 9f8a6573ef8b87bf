"""Search under hidden information: does more search make it less exploitable, or more?

    python experiments/hidden_information/run.py measure [GAME ...] [agent=NAME ...] [most=SIMULATIONS]
    python experiments/hidden_information/run.py network [GAME ...] [agent=NAME ...]      a network, searches with it
    python experiments/hidden_information/run.py match                    each search against each
    python experiments/hidden_information/run.py openspiel [GAME ...]     OpenSpiel's own games and C++ ISMCTSBot
    python experiments/hidden_information/run.py report                   tables.md and a picture for each game

Run from the root of the repository. `measure` asks every search of `agents.yaml` in every information state of every
game there, with each number of simulations, and computes exactly what a best response gains; where a game is too large
for that, an exploiter learns to play against it, which gives a lower bound. `network` trains a network first, into
runs/. A figure that stands in results/ is not measured again: delete the file of a game and an agent for that.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from pictures import write_report

from engines.contract import Game
from engines.files import read_json, write_json
from orion_ai.arena.pages import agent_rows, load_report
from orion_ai.cli import main as main_of_orion
from orion_ai.commands.configuration import load_game
from orion_ai.solve.study import ExploitConfig, Row, bound, measure, reference
from orion_ai.solve.tree import Tree, enumerate_game

HERE = Path(__file__).parent
RESULTS = HERE / "results"
PLAN = yaml.safe_load((HERE / "agents.yaml").read_text())


def game_of(name: str) -> dict[str, Any]:
    """The options of a game of the plan, as `orion exploit` takes them."""
    return dict(PLAN["games"][name]["game"])


def measure_game(name: str, agents: Sequence[str], most: int) -> None:
    """Every figure of one game that is missing, agent by agent."""
    plan = PLAN["games"][name]
    game = load_game(game_of(name))
    tree = None if "learn" in plan else enumerate_game(game)
    scale = RESULTS / name / "scale.json"
    if not scale.exists():
        write_json(scale, uniform_bound(game, name) if tree is None else reference(tree, 10_000))
    for agent in agents:
        if agent not in plan.get("without", []):
            measure_agent(tree or game, name, agent, PLAN["agents"][agent], min(most, plan["most"]))


def config_of(game: str, agent: Any, simulations: int, seeds: int) -> ExploitConfig:
    """What is asked of one agent; exactly, unless the plan of the game says how many games to learn from."""
    plan = PLAN["games"][game]
    given = {"method": "approximate", "learn": plan["learn"], "games": plan["fresh"]} if "learn" in plan else {}
    return ExploitConfig(game_of(game), [agent], [simulations], seeds=seeds, **given)


def uniform_bound(game: Game, name: str) -> dict[str, Any]:
    """For scale where nothing exact is known: the lower bound of uniform play."""
    (row,) = bound(game, config_of(name, "random", 1, 1))
    return {"uniform": row.exploitability.mean, "cfr_plus": []}


def measure_agent(of: Tree | Game, game: str, agent: str, settings: Mapping[str, Any], most: int) -> None:
    """The row of one agent at each number of simulations; written after every one."""
    path = RESULTS / game / f"{agent}.json"
    rows = read_json(path, "results") if path.exists() else []
    done = {row["simulations"] for row in rows}
    most = min(most, settings.get("most_in", {}).get(game, settings.get("most", most)))
    for simulations in PLAN["simulations"] if settings.get("searches", True) else [None]:
        if simulations in done or (simulations or 0) > most:
            continue
        seeds = 1 if isinstance(of, Game) or (simulations or 1) > PLAN["seeds_up_to"] else PLAN["seeds"]
        config = config_of(game, settings["agent"], simulations or 1, seeds)
        (row,) = bound(of, config) if isinstance(of, Game) else measure(of, config)
        rows.append(plain(row))
        write_json(path, rows)
        print(game, agent, simulations, f"{row.exploitability.mean:.4f}, {row.seconds:.1f} s", flush=True)


def network(game: str, agents: Sequence[str]) -> None:
    """Train the network of a game, if its run is not there yet, and measure every search with it."""
    plan = PLAN["networks"].get(game)
    if plan is None:
        return
    run = Path("runs") / f"hidden_information_{game}"
    if main_of_orion(["train", f"game={game}", f"name={run.name}", *plan["train"]]) != 0:
        raise SystemExit(f"{run}: the training failed")
    tree = enumerate_game(load_game(game_of(game)))
    for name, settings in plan["agents"].items():
        if name in agents or agents == list(PLAN["agents"]):
            given = {**settings, "agent": {**settings["agent"], "checkpoint": str(run)}}
            measure_agent(tree, game, name, given, PLAN["games"][game]["most"])


def match() -> None:
    """Every search against every other in one game, with equal simulations; its table is kept."""
    plan = PLAN["match"]
    agents = [{"name": name, **as_mapping(PLAN["agents"][name]["agent"])} for name in plan["agents"]]
    folder = Path("runs") / f"hidden_information_match_{plan['game']}"
    words = [f"game={plan['game']}", "agents=" + json.dumps(agents).replace('"', "")]
    words.append(f"budget.simulations={plan['simulations']}")
    if main_of_orion(["arena", *words, f"blocks={plan['blocks']}", f"output={folder}"]) != 0:
        raise SystemExit(f"{folder}: the match failed")
    write_json(RESULTS / plan["game"] / "match.json", agent_rows(load_report(folder / "report.json")))


def as_mapping(agent: Any) -> dict[str, Any]:
    return {"agent": agent} if isinstance(agent, str) else dict(agent)


def plain(row: Row) -> dict[str, Any]:
    """A row as data: without what the file's name says, and with the time of one decision."""
    data = dataclasses.asdict(row)
    del data["agent"]
    return {**data, "milliseconds": 1000 * data.pop("seconds") / row.asked}


def openspiel(game: str) -> None:
    """OpenSpiel's game and its C++ bot: the policy it reports in each information state, exploited by its own code."""
    import pyspiel
    from open_spiel.python import policy as policies
    from open_spiel.python.algorithms import exploitability

    plan = PLAN["games"][game].get("openspiel")
    path, rows = RESULTS / game / "openspiel.json", []
    if plan is None or path.exists():
        return
    theirs = pyspiel.load_game(plan["game"])
    table = policies.TabularPolicy(theirs)
    states = dict(zip(table.state_lookup, table.states, strict=True))
    for simulations in [n for n in PLAN["simulations"] if n <= plan["most"]]:
        values = []
        for seed in range(PLAN["seeds"] if simulations <= PLAN["seeds_up_to"] else 1):
            bot = pyspiel.ISMCTSBot(seed, pyspiel.RandomRolloutEvaluator(1, seed), plan["c"], simulations)
            for key, state in states.items():
                row = table.action_probability_array[table.state_lookup[key]]
                row[:] = 0.0
                for action, share in bot.get_policy(state):
                    row[action] = share
            values.append(float(exploitability.exploitability(theirs, table)))
        rows.append({"simulations": simulations, "values": values, "exploitability": {"mean": float(np.mean(values))}})
        write_json(path, rows)
        print(game, "openspiel", simulations, f"{np.mean(values):.4f}", flush=True)


def main(words: Sequence[str]) -> None:
    """See the module."""
    command, rest = words[0] if words else "", words[1:]
    named = dict(word.split("=", 1) for word in rest if "=" in word)
    games = [word for word in rest if "=" not in word] or list(PLAN["games"])
    agents = named["agent"].split(",") if "agent" in named else list(PLAN["agents"])
    if command == "measure":
        for game in games:
            measure_game(game, agents, int(named.get("most", 10**9)))
    elif command == "network":
        for game in games:
            network(game, agents)
    elif command == "match":
        match()
    elif command == "openspiel":
        for game in games:
            openspiel(game)
    elif command == "report":
        write_report(PLAN, RESULTS, HERE)
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
