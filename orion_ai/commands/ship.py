"""orion ship: put the bot of a training run into a folder of its own, ready to be given away.

Usage: orion ship RUN [KEY=VALUE ...]

RUN is the folder of a run, or one of its checkpoints (checkpoints/iteration-000012.json); of a run the newest is taken.
The folder holds the manifest and the weights that play: all that `orion play`, `orion arena` and a program need, and
nothing of what only resuming does. A card (README.md) with the game, the network, what it learned from and how to play
it is begun, if there is none: add how strong it is, and where it fails.

Settings:
  run=PATH            the run, or a checkpoint
  output=DIR          the folder; default shipped/NAME, after the run

Examples:
  orion ship runs/conquest
  orion ship runs/conquest/checkpoints/iteration-000040.json output=bots/mine
  orion play conquest agents=[bots/mine]
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from engines import files
from engines.errors import UsageError
from orion_ai import checkpoint
from orion_ai.checkpoint import Checkpoint
from orion_ai.commands.configuration import read
from orion_ai.identity import identity_of

__all__ = ["ShipConfig", "run"]


@dataclass(frozen=True)
class ShipConfig:
    """Settings of `orion ship` (its manual page explains them)."""

    run: str = ""
    output: str = ""


def run(argv: Sequence[str]) -> int:
    """See the module."""
    console = Console(highlight=False)
    for request in read("ship", ShipConfig, argv, positional={"run": "the folder of a run"}):
        if not request.config.run:
            raise UsageError("the folder of a run is missing: orion ship RUN")
        source = Path(request.config.run)
        made = checkpoint.read(source)
        name = str(made.config.get("name") or made.identity.game)
        folder = Path(request.config.output or Path("shipped") / name)
        line = f"orion play {_game(source)} agents=[{folder}]"
        manifest = checkpoint.ship(source, folder)
        card = folder / "README.md"
        if not card.exists():
            files.write_text(card, _card(folder.name, manifest.name, made, line))
        console.print(f"written: {manifest}\nplay against it: {line}", markup=False, soft_wrap=True)
    return 0


def _game(source: Path) -> str:
    """The words of a command line that make the game of a checkpoint: its name, and the options that it depends on."""
    game = checkpoint.game_of(source)
    identity = identity_of(game)
    words = [game.name, f"players={game.players}"]
    for key, value in identity.options.items():
        if value != identity.defaults[key] and key not in identity.free:
            words.append(f"game.{key}={json.dumps(value)}")
    return " ".join(words)


def _card(name: str, manifest: str, made: Checkpoint, line: str) -> str:
    """The facts that the manifest knows, and the line to play."""
    net, told = made.net, made.counters
    content = f", content `{made.identity.content}`" if made.identity.content else ""
    options = ", ".join(f"{key}={value}" for key, value in made.identity.options.items())
    search = made.config.get("search", {})
    facts = {
        "game": f"{made.identity.game}, version {made.identity.version}{content}; {options}",
        "network": f"residual MLP, width {net.width}, {net.blocks} blocks",
        "search": f"`{search.get('algorithm')}`, {search.get('simulations')} simulations a decision in training",
        "learned from": f"{int(told.get('games', 0)):,} games, {int(told.get('samples', 0)):,} samples, "
        f"{told.get('seconds', 0) / 60:.0f} minutes",
        "file": f"safetensors, named by its content; `{manifest}` is the manifest",
        "how strong": "not told: measure it with `orion arena`",
    }
    table = "\n".join(f"| {key} | {value} |" for key, value in facts.items())
    return f"# {name}\n\n| | |\n|---|---|\n{table}\n\n```\n{line}\n```\n"
