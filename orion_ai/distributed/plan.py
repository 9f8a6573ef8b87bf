"""What an actor is told when it starts: small plain data, so that it can be started anywhere, again and again."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engines.contract import Game
from engines.errors import UsageError
from orion_ai import __version__
from orion_ai.distributed.content import carried, settled
from orion_ai.identity import identity_of, load_game, sources
from orion_ai.learner.config import LearnerConfig
from orion_ai.net.config import EvaluatorConfig, NetConfig
from orion_ai.runtime import RuntimeConfig
from orion_ai.search.config import SearchConfig
from orion_ai.selfplay.config import SelfPlayConfig

__all__ = ["Plan", "check_greeting", "greeting", "introduction"]


@dataclass(frozen=True)
class Plan:
    """Self-play, fully described but for the weights.

    Attributes:
        game: settings of the game, as `load_game` takes them.
        net: the network's sizes.
        evaluator: how the network is run; its backend is decided, never "auto".
        search, selfplay, runtime, learner: as configured.
    """

    game: Mapping[str, Any]
    net: NetConfig
    evaluator: EvaluatorConfig
    search: SearchConfig
    selfplay: SelfPlayConfig
    runtime: RuntimeConfig
    learner: LearnerConfig = field(default_factory=LearnerConfig)

    def as_text(self) -> str:
        """For sending to another process, which need not find a content file of one's own at its path.

        Raises:
            FileError: that file cannot be read.
        """
        return json.dumps({**dataclasses.asdict(self), "game": carried(self.game)})

    @classmethod
    def from_text(cls, text: str) -> Plan:
        """Inverse of `as_text`; a content file of one's own is one of this machine then."""
        data = json.loads(text)
        return cls(
            settled(data["game"]),
            NetConfig(**data["net"]),
            EvaluatorConfig(**data["evaluator"]),
            SearchConfig(**data["search"]),
            SelfPlayConfig(**data["selfplay"]),
            RuntimeConfig(**data["runtime"]),
            LearnerConfig(**data["learner"]),
        )

    def load(self) -> Game:
        """The game, loaded."""
        return load_game(self.game)


def greeting(game: Game) -> dict[str, Any]:
    """What two processes must agree on before they work together: Orion's version, its sources, and the game."""
    return {"version": __version__, "sources": sources(), "identity": identity_of(game).as_json()}


def introduction(game: Game) -> dict[str, Any]:
    """What an actor says of itself: see `greeting`, with its `pid`, and its node's address (`node`) and number."""
    import ray

    where = {"node": ray.util.get_node_ip_address(), "node_id": ray.get_runtime_context().get_node_id()}
    return {**greeting(game), "pid": os.getpid(), **where}


def check_greeting(here: Mapping[str, Any], there: Mapping[str, Any], where: str) -> None:
    """Refuse a worker of another Orion.

    Args:
        here: the greeting of this process.
        there: of the worker.
        where: the worker, for the message.

    Raises:
        UsageError: they differ; names both versions.
    """
    ours, theirs = (f"{g['version']} (sources {g['sources']})" for g in (here, there))
    if ours != theirs:
        raise UsageError(f"{where} runs Orion {theirs}, this command runs {ours}: install the same on every node")
    if here["identity"] != there["identity"]:
        raise UsageError(
            f"{where} has another {here['identity']['game']}: {there['identity']}, here {here['identity']}"
        )
