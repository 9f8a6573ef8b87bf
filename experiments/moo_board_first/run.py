"""How strong are the bots of `orion train experiment=moo_board_first` (`_three`, `_four`), and how did they get there?

    python experiments/moo_board_first/run.py ship RUN         copy the newest checkpoint of a run to checkpoints/
    python experiments/moo_board_first/run.py measure [NAMES]  play the matches (stopped and repeated, it goes on)
    python experiments/moo_board_first/run.py report RUN       write tables.md and curves.png from log and matches

Run from the root of the repository. The matches are ordinary `orion arena` commands, printed before they start.
"""

from __future__ import annotations

import dataclasses
import json
import shlex
import subprocess
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from orion_ai import checkpoint

HERE = Path(__file__).parent
SIMULATIONS = 64
MILLISECONDS = 18
"""Of `ismcts`, at least what the bot's search takes for a move in a lane of its own (see the table: s / move)."""


def searching(bot: str) -> str:
    """The agent that plays a shipped network."""
    return f"{{agent: {bot}, search: {{simulations: {SIMULATIONS}}}}}"


ISMCTS = "{agent: ismcts, search: {simulations: 400}}"
TIMED = f"{{agent: ismcts, search: {{simulations: 0, milliseconds: {MILLISECONDS}}}}}"
MATCHES = {
    "2-ismcts": (2, 200, [searching("moo_board_first"), TIMED]),
    "2-random": (2, 200, [searching("moo_board_first"), "random"]),
    "2-scripted": (2, 200, [searching("moo_board_first"), "scripted"]),
    "3-scripted": (3, 100, [searching("moo_board_three"), "scripted", "random"]),
    "3-ismcts": (3, 40, [searching("moo_board_three"), "scripted", ISMCTS]),
    "4-scripted": (4, 60, [searching("moo_board_four"), "scripted", "random"]),
}
"""Name -> players, blocks, agents."""


def ship(run: str) -> None:
    """Put the newest checkpoint of a run where Orion's own bots lie, without what only resuming needs."""
    shipped = Path("checkpoints") / Path(run).name
    shipped.mkdir(exist_ok=True)
    found = checkpoint.find(Path(run))
    made = checkpoint.read(found)
    weights = checkpoint.read_tensors(found.parent / made.weights)
    for old in [*shipped.glob("*.json"), *shipped.glob("*.safetensors")]:
        old.unlink()
    config = {**made.config, "folder": "runs"}
    print(checkpoint.write(shipped, dataclasses.replace(made, config=config), weights, None))


def measure(*names: str) -> None:
    """Play every match (or those named), or go on with it."""
    for name in names or MATCHES:
        players, blocks, agents = MATCHES[name]
        command = [
            *("orion", "arena", "moo_board", f"players={players}", f"agents=[{','.join(agents)}]", f"blocks={blocks}"),
            f"output={HERE / 'matches' / name}",
        ]
        if name == "2-ismcts":
            command.append("lanes=1")
        print(shlex.join(command), flush=True)
        subprocess.run(command, check=True)


def report(run: str) -> None:
    """Tables of the matches and curves of the run."""
    parts = []
    for name in MATCHES:
        file = HERE / "matches" / name / "report.md"
        if file.exists():
            parts.append(file.read_text())
    (HERE / "tables.md").write_text("\n".join(parts))
    entries = [json.loads(line) for line in (Path(run) / "log.jsonl").read_text().splitlines()]
    curves(entries, HERE / "curves.png")


def curves(entries: list[dict[str, float]], path: Path) -> None:
    """Losses, calibration and strength against samples."""
    panels = {
        "policy: cross-entropy on fresh games": ["fresh/policy", "fresh/target_entropy"],
        "value: mean squared error on fresh games": ["fresh/value", "learner/value"],
        "value: calibration error on fresh games": ["fresh/calibration_error"],
        "Elo (matches of 20 blocks)": sorted({key for e in entries for key in e if key.startswith("arena/elo_above")}),
    }
    figure, axes = plt.subplots(2, 2, figsize=(11, 7))
    for axis, (title, keys) in zip(axes.flat, panels.items(), strict=True):
        for key in keys:
            points = [(e["samples"] / 1e6, e[key]) for e in entries if key in e]
            axis.plot(*zip(*points, strict=True), marker="o" if len(points) < 30 else "", label=key)
        axis.set_title(title)
        axis.set_xlabel("samples (millions of decisions)")
        axis.legend()
        axis.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    commands = {"ship": ship, "measure": measure, "report": report}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
