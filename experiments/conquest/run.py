"""How strong is the bot of `orion train experiment=conquest`, and which factions does strong play favour?

    orion ship RUN output=checkpoints/conquest_first    a run's newest checkpoint as a bot
    python experiments/conquest/run.py measure [NAMES]  play the matches (stopped and repeated, it goes on)
    python experiments/conquest/run.py proposal         the scripted player with the content that the report proposes
    python experiments/conquest/run.py report RUN       write tables.md, factions.md and curves.png from log and matches

Run from the root of the repository. The matches are ordinary `orion arena` commands, printed before they start.
"""

from __future__ import annotations

import copy
import itertools
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))
import trained_bot
from trained_bot import Match, searching, timed

import engines

HERE = Path(__file__).parent
SIMULATIONS = 64
TIMED_SIMULATIONS, MILLISECONDS = 16, 5
"""Of the match at equal time: the bot's, and what `ismcts` gets, at least what those take (see the table: s / move)."""
BALANCE_SIMULATIONS = 16
FACTIONS = engines.load("conquest").labels["faction"]

DEALT = "game.factions=dealt"
BOT = searching("conquest_first", SIMULATIONS)
POLICY = "{agent: policy, checkpoint: checkpoints/conquest_first}"
EQUAL = [searching("conquest_first", TIMED_SIMULATIONS), timed("ismcts", MILLISECONDS)]
MATCHES = {
    "random": Match(2, 200, [BOT, "random"], [DEALT]),
    "scripted": Match(2, 200, [BOT, "scripted"], [DEALT]),
    "ismcts": Match(2, 200, EQUAL, [DEALT, "lanes=1"]),
    "policy": Match(2, 200, [POLICY, "scripted"], [DEALT]),
    "search": Match(2, 100, [BOT, POLICY], [DEALT]),
}
ONE = searching("conquest_first", BALANCE_SIMULATIONS)
TWIN = ONE.replace("{", "{name: other, ", 1)
BALANCE = {
    "factions-policy": Match(2, 2000, [POLICY, POLICY.replace("{", "{name: other, ", 1)], [DEALT]),
    "factions-bot": Match(2, 500, [ONE, TWIN], [DEALT]),
    "factions-scripted": Match(2, 2000, ["scripted", "{agent: scripted, name: other}"], [DEALT]),
}
"""A player against itself: what is left between the sides is their factions and who begins."""


def proposal() -> None:
    """One of Darloks' three Patrol Frigates becomes a Raider Frigate, which attacks with 2: content of one's own."""
    content = yaml.safe_load((Path(engines.__file__).parent / "conquest/content/standard.yaml").read_text())
    starting = content["factions"]["darloks"]["starting"]
    patrol = starting["darloks_patrol_frigate"]
    starting["darloks_raider_frigate"] = {**copy.deepcopy(patrol), "name": "Raider Frigate", "attack": 2, "copies": 1}
    patrol["copies"] -= 1
    path = Path("runs/conquest_proposal.yaml").resolve()
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump(content, sort_keys=False))
    match = Match(2, 1500, BALANCE["factions-scripted"].agents, [DEALT, f"game.content={path}"])
    trained_bot.measure("conquest", {"proposal": match}, HERE, [])
    print(table(games_of("proposal")))


def games_of(name: str) -> list[list[dict[str, Any]]]:
    """The games of a match, block by block."""
    lines = (HERE / "matches" / name / "blocks.jsonl").read_text().splitlines()
    return [json.loads(line)["games"] for line in lines[1:]]


def factions() -> str:
    """How often each faction wins when a player meets itself, and against which; 95 % intervals by resampled blocks."""
    parts = ["# Factions of Conquest\n"]
    for name, match in BALANCE.items():
        if not (HERE / "matches" / name).exists():
            continue
        blocks = games_of(name)
        parts += [
            f"## {name}: {match.agents[0]}, {len(blocks)} blocks ({sum(map(len, blocks))} games)\n",
            table(blocks),
        ]
    return "\n".join(parts)


def table(blocks: Sequence[Sequence[dict[str, Any]]]) -> str:
    """A row for each faction: its share of wins, then the same against each other faction."""
    wins, games = count(blocks)
    rows = ["| faction | share of wins | " + " | ".join(f"against {other}" for other in FACTIONS) + " | games |"]
    rows.append("|---" * (len(FACTIONS) + 3) + "|")
    rng = np.random.default_rng(1)
    drawn = rng.integers(len(blocks), size=(2000, len(blocks)))
    for i, faction in enumerate(FACTIONS):
        shares = [interval(wins[:, i].sum(1), games[:, i].sum(1), drawn)]
        for j in range(len(FACTIONS)):
            shares.append(interval(wins[:, i, j], games[:, i, j], drawn) if j != i else "")
        rows.append(f"| {faction} | " + " | ".join(shares) + f" | {games[:, i].sum():.0f} |")
    return "\n".join(rows) + "\n"


def count(blocks: Sequence[Sequence[dict[str, Any]]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of every block: wins (a draw is a half) and games of faction i against faction j, float64[blocks, 4, 4]."""
    wins = np.zeros((len(blocks), len(FACTIONS), len(FACTIONS)))
    games = np.zeros_like(wins)
    for block, played in enumerate(blocks):
        for game, (seat, other) in itertools.product(played, ((0, 1), (1, 0))):
            mine, theirs = (game["traits"]["faction"][s] - 1 for s in (seat, other))
            wins[block, mine, theirs] += (game["returns"][seat] + 1) / 2
            games[block, mine, theirs] += 1
    return wins, games


def interval(wins: NDArray[np.float64], games: NDArray[np.float64], drawn: NDArray[np.int64]) -> str:
    """A share with its interval, from resampled blocks; nothing where no game was played."""
    if not games.any():
        return ""
    played = games[drawn].sum(1)
    shares = (wins[drawn].sum(1) / np.maximum(played, 1))[played > 0]
    low, high = np.percentile(shares, [2.5, 97.5])
    return f"{wins.sum() / games.sum():.3f} [{low:.3f}, {high:.3f}]"


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["measure", *names]:
            trained_bot.measure("conquest", MATCHES | BALANCE, HERE, names)
        case ["proposal"]:
            proposal()
        case ["report", run]:
            trained_bot.report(run, MATCHES, HERE)
            (HERE / "factions.md").write_text(factions())
        case _:
            sys.exit(__doc__)
