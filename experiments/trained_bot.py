"""What every experiment about a trained bot does: play its matches, and make tables and curves of them."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@dataclass(frozen=True)
class Match:
    """A match: an `orion arena` command.

    Attributes:
        players: seats.
        blocks: of paired games.
        agents: as `agents=[...]` has them.
        more: further settings.
    """

    players: int
    blocks: int
    agents: Sequence[str]
    more: Sequence[str] = ()


def searching(bot: str, simulations: int) -> str:
    """The agent that plays a shipped network with `simulations` a move."""
    return f"{{agent: {bot}, search: {{simulations: {simulations}}}}}"


def timed(agent: str, milliseconds: float) -> str:
    """An agent with `milliseconds` a move."""
    return f"{{agent: {agent}, search: {{simulations: 0, milliseconds: {milliseconds}}}}}"


def measure(game: str, matches: Mapping[str, Match], folder: Path, names: Sequence[str]) -> None:
    """Play every match (or those named), or go on with it; the results lie in `folder`/matches."""
    for name in names or matches:
        match = matches[name]
        command = [
            *("orion", "arena", game, f"players={match.players}", f"agents=[{','.join(match.agents)}]"),
            *(f"blocks={match.blocks}", f"output={folder / 'matches' / name}", "replays=false", *match.more),
        ]
        print(shlex.join(command), flush=True)
        subprocess.run(command, check=True)


def report(run: str, matches: Mapping[str, Match], folder: Path) -> None:
    """tables.md of the matches and curves.png of the run, in `folder`."""
    pages = [folder / "matches" / name / "report.md" for name in matches]
    (folder / "tables.md").write_text("\n".join(page.read_text() for page in pages if page.exists()))
    curves(Path(run) / "log.jsonl", folder / "curves.png")


def curves(log: Path, path: Path) -> None:
    """Losses, calibration and strength against samples."""
    entries = [json.loads(line) for line in log.read_text().splitlines()]
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
        if keys:
            axis.legend()
        axis.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
