"""All peers, one after the other, each in a process of its own."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

from engines.errors import UsageError, choose_from
from orion_ai.bench.peers.protocol import INSTALL, missing
from orion_ai.bench.peers.rounds import ENVIRONMENT, PEERS, Result

__all__ = ["available", "measure", "versions"]


def _modules(peer: str) -> dict[str, str]:
    found: dict[str, str] = importlib.import_module(f"{__package__}.{PEERS[peer]}").MODULES
    return found


def available(asked: Sequence[str], say: Callable[[str], None]) -> list[str]:
    """The peers that can be measured; `say` is told of each that is not installed.

    Args:
        asked: names of `PEERS`; none for all.

    Raises:
        UsageError: an unknown peer, or none of them is installed; names the command that installs them.
    """
    for name in asked:
        choose_from("peer", name, PEERS)
    found = []
    for name in asked or PEERS:
        lacking = missing(_modules(name))
        if lacking:
            say(f"{name} is left out: {', '.join(lacking)} not installed ({INSTALL})")
        else:
            found.append(name)
    if not found:
        raise UsageError(f"no peer is installed; this installs them: {INSTALL}")
    return found


def versions(peers: Sequence[str]) -> dict[str, str]:
    """Distribution -> version of all that is measured."""
    names = {name for peer in peers for name in _modules(peer)}
    return {name: importlib.metadata.version(name) for name in sorted(names)}


def measure(
    peers: Sequence[str], games: Sequence[str], rounds: int, seconds: float, say: Callable[[Result], None]
) -> tuple[list[Result], list[dict[str, Any]]]:
    """Measure, and `say` each result when it is there; returns the results and the rows of memory.

    Raises:
        RuntimeError: a peer's process failed; its own message has been printed.
    """
    results: list[Result] = []
    memory: list[dict[str, Any]] = []
    for peer in peers:
        request = json.dumps({"peer": peer, "games": list(games), "rounds": rounds, "seconds": seconds})
        words = [sys.executable, "-m", "orion_ai.bench.peers.rounds", request]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={**os.environ, **ENVIRONMENT}) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if not line.startswith("{"):
                    continue
                data = json.loads(line)
                if "memory" in data:
                    memory.append(data)
                else:
                    results.append(Result(**data))
                    say(results[-1])
        if process.returncode != 0:
            raise RuntimeError(f"measuring {peer} failed with exit code {process.returncode}")
    return results, memory
