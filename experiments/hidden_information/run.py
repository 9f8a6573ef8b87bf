"""Search under hidden information: does more search make it less exploitable, or more?

    python experiments/hidden_information/run.py measure [GAME ...] [agent=NAME ...] [most=SIMULATIONS]
    python experiments/hidden_information/run.py openspiel [GAME ...]     OpenSpiel's own games and C++ ISMCTSBot
    python experiments/hidden_information/run.py report                   tables.md and a picture for each game

Run from the root of the repository. `measure` asks every search of `agents.yaml` in every information state of every
game there, with each number of simulations, and computes exactly what a best response gains. A figure that stands in
results/ is not measured again: delete the file of a game and an agent to have it made anew.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from pictures import write_report

from engines.files import read_json, write_json
from orion_ai.commands.configuration import load_game
from orion_ai.solve.study import ExploitConfig, Row, measure, reference
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
    tree = enumerate_game(load_game(game_of(name)))
    scale = RESULTS / name / "scale.json"
    if not scale.exists():
        write_json(scale, reference(tree, 10_000))
    for agent in agents:
        if agent not in plan.get("without", []):
            measure_agent(tree, name, agent, min(most, plan["most"]))


def measure_agent(tree: Tree, game: str, agent: str, most: int) -> None:
    """The row of one agent at each number of simulations; written after every one."""
    path = RESULTS / game / f"{agent}.json"
    rows = read_json(path, "results") if path.exists() else []
    done = {row["simulations"] for row in rows}
    settings = PLAN["agents"][agent]
    for simulations in PLAN["simulations"]:
        if simulations in done or simulations > min(most, settings.get("most", most)):
            continue
        seeds = PLAN["seeds"] if simulations <= PLAN["seeds_up_to"] else 1
        config = ExploitConfig(game_of(game), [settings["agent"]], [simulations], seeds=seeds, iterations=0)
        (row,) = measure(tree, config)
        rows.append(plain(row, int((tree.widths > 1).sum())))
        write_json(path, rows)
        print(game, agent, simulations, f"{row.exploitability.mean:.4f}, pooled {row.pooled:.4f}", flush=True)


def plain(row: Row, decisions: int) -> dict[str, Any]:
    """A row as data: without what the file's name says, and with the time of one of so many decisions."""
    data = dataclasses.asdict(row)
    del data["agent"]
    return {**data, "milliseconds": 1000 * data.pop("seconds") / decisions}


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
    elif command == "openspiel":
        for game in games:
            openspiel(game)
    elif command == "report":
        write_report(PLAN, RESULTS, HERE)
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
