"""Small runs for the tests of the Ray runtime. As a program (`python -m tests.distributed.runs FOLDER ITERATIONS
KEY=VALUE`) it trains there; the settings are those of the runtime, the values JSON."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from orion_ai.distributed.cluster import Cluster
from orion_ai.distributed.plan import Plan
from orion_ai.distributed.pool import RayPool
from orion_ai.net.config import EvaluatorConfig, NetConfig
from orion_ai.net.network import Network, make_network
from orion_ai.replay.episode import Episode
from orion_ai.runtime import RuntimeConfig
from orion_ai.search.config import SearchConfig
from orion_ai.selfplay.config import SelfPlayConfig
from orion_ai.selfplay.pool import Pool
from tests.learner.runs import run
from tests.replay.games import equal, kuhn

SEARCH = SearchConfig(algorithm="gumbel", leaf="network", simulations=16)
SELFPLAY = SelfPlayConfig(lanes=8, opening=2)
NET = NetConfig(32, 1, 4, 16)
TORCH = EvaluatorConfig("torch")


def network() -> Network:
    """Weights that play by no means uniformly."""
    import torch

    made = make_network(kuhn(), NET, seed=3)
    source = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=source) * 0.2)
    return made


@contextlib.contextmanager
def pool(address: str, parts: Path, **runtime: Any) -> Iterator[RayPool]:
    """A pool on the cluster at `address`."""
    config = RuntimeConfig("ray", address, **{"games_per_task": 5, "start_seconds": 60.0, **runtime})
    plan = Plan({"name": "kuhn_poker"}, NET, TORCH, SEARCH, SELFPLAY, config)
    with RayPool(kuhn(), plan, parts) as made:
        yield made


def locally(count: int, seed: int = 1, first: int = 0) -> list[Episode]:
    """The games that the pools are to play, from threads of this process."""
    made = network()
    return Pool(kuhn(), SELFPLAY, SEARCH, made, TORCH).play(made.weights(), seed, first, count, lambda _: None).episodes


def same(found: list[Episode], wanted: list[Episode]) -> bool:
    """Whether these are the same episodes, bit for bit and in the same order."""
    return len(found) == len(wanted) and all(equal(a, b) for a, b in zip(found, wanted, strict=True))


def names_of_actors(cluster: Cluster) -> list[str]:
    """The names of the actors of one command, as Ray's dashboard shows them."""
    found = cluster.ray.util.list_named_actors(all_namespaces=True)
    return sorted(actor["name"] for actor in found if actor["namespace"] == cluster.namespace)


def after(landed: int, act: Callable[[], object]) -> Callable[[int], None]:
    """A `finished` that does something once, when so many games have landed."""
    counted = [0, False]

    def finished(count: int) -> None:
        counted[0] += count
        if counted[0] >= landed and not counted[1]:
            counted[1] = True
            act()

    return finished


if __name__ == "__main__":
    settings = {key: json.loads(value) for key, _, value in (word.partition("=") for word in sys.argv[3:])}
    run(Path(sys.argv[1]), int(sys.argv[2]), runtime=RuntimeConfig("ray", **settings))
