"""Who works on a cluster: how many workers and servers there are, what each is given, and who asks whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from orion_ai.distributed.cluster import Cluster
from orion_ai.distributed.crew import Crew, Member
from orion_ai.distributed.plan import Plan, check_greeting

__all__ = ["Staff", "check_room", "shared"]

FIGURES_SECONDS = 5.0
"""How long a server may take to say how it is."""
WAIT_SECONDS = 1.0


def servers_for(plan: Plan, workers: int) -> int:
    """How many inference servers so many workers have."""
    return -(-workers // plan.runtime.workers_per_inference_server) if plan.runtime.inference == "server" else 0


def cpus_of_worker(plan: Plan) -> int:
    """CPUs that a worker takes."""
    return plan.evaluator.threads if plan.runtime.inference == "worker" else 1


def cpus_of_learners(plan: Plan) -> int:
    """CPUs that learners of their own take."""
    learner, count = plan.learner, plan.runtime.learners
    return 0 if count == 1 or learner.device.startswith("cuda") else count * learner.threads


def cpus_asked(plan: Plan, workers: int) -> int:
    """CPUs that self-play by so many workers takes in all: with their servers, and with the learners."""
    servers = 0 if plan.runtime.gpus_per_server else plan.evaluator.threads * servers_for(plan, workers)
    return workers * cpus_of_worker(plan) + servers + cpus_of_learners(plan)


def gpus_asked(plan: Plan, workers: int) -> float:
    """GPUs likewise."""
    runtime = plan.runtime
    learning = runtime.learners if runtime.learners > 1 and plan.learner.device.startswith("cuda") else 0
    return runtime.gpus_per_server * servers_for(plan, workers) + learning


def shared(plan: Plan, jobs: int, resources: Mapping[str, float]) -> tuple[int, int]:
    """How a cluster is shared out among jobs that are alike.

    Args:
        plan: of each of them; there is room for one.
        jobs: how many.
        resources: what the cluster has.

    Returns:
        how many can be at work at once, and with how many workers each.
    """

    def room(workers: int, at_once: int) -> bool:
        cpus, gpus = resources.get("CPU", 0.0), resources.get("GPU", 0.0)
        return at_once * cpus_asked(plan, workers) <= cpus and at_once * gpus_asked(plan, workers) <= gpus + 1e-9

    workers = plan.runtime.workers or 1
    at_once = max((count for count in range(1, jobs + 1) if room(workers, count)), default=1)
    while not plan.runtime.workers and room(workers + 1, at_once):
        workers += 1
    return at_once, workers


def check_room(cluster: Cluster, plan: Plan) -> None:
    """Refuse a plan that the cluster has no room for.

    Raises:
        UsageError: more CPUs or GPUs are asked for than it has.
    """
    runtime = plan.runtime
    asked = runtime.workers or 1
    servers = servers_for(plan, asked)
    what = f"runtime.workers={runtime.workers}" if runtime.workers else "the smallest crew"
    what += f" with {servers} inference servers" if servers else ""
    what += f" and runtime.learners={runtime.learners}" if runtime.learners > 1 else ""
    cluster.check(cpus_asked(plan, asked), "CPU", f"{what}: needs")
    cluster.check(gpus_asked(plan, asked), "GPU", f"{what}: needs")


class Staff:
    """The workers, and the servers that they ask, if any.

    Attributes:
        workers, servers: the crews. A worker comes when a server is there to be asked, and keeps to it.
    """

    def __init__(self, cluster: Cluster, plan: Plan, greeting: Mapping[str, Any]) -> None:
        """Start the servers, and wait for the first; everybody else comes by `refresh`.

        Raises:
            UsageError: more is asked for than the cluster has, or a server is of another Orion.
        """
        self._cluster, self._plan, self._text, self._greeting = cluster, plan, plan.as_text(), greeting
        self._server_of: dict[str, str] = {}
        self._restarts = 0
        check_room(cluster, plan)
        self.servers = Crew(cluster, "inference", self._make_server, self._servers, greeting)
        self.workers = Crew(cluster, "selfplay", self._make_worker, self._workers, greeting)
        while self._servers() and not self.servers.ready():
            self.servers.refresh()
            for ref, (crew, member) in self.arriving().items():
                if cluster.ray.wait([ref], timeout=WAIT_SECONDS)[0]:
                    crew.welcome(member)

    def refresh(self) -> None:
        """Start whoever is missing: see `Crew.refresh`."""
        if self._plan.runtime.inference == "server":
            self.servers.refresh()
        self.workers.refresh()

    def arriving(self) -> dict[Any, tuple[Crew, Member]]:
        """See `Crew.arriving`; with the crew of each."""
        return {ref: (crew, member) for crew in (self.servers, self.workers) for ref, member in crew.arriving().items()}

    def progress(self, member: Member, count: int) -> None:
        """A worker has handed in so many games."""
        self.workers.progress(member, count)
        server = self.servers.members.get(self._server_of.get(member.name, ""))
        if server is not None:
            self.servers.progress(server, count)

    def without_server(self, member: Member, error: BaseException) -> None:
        """A worker has waited in vain for its server: others take the places of both."""
        server = self.servers.members.get(self._server_of.get(member.name, ""))
        if server is not None:
            self.servers.lost(server, error)
        self.workers.dismiss(member)

    def _wanted(self) -> int:
        """How many workers there shall be, as soon as there are servers for them."""
        runtime, cpus = self._plan.runtime, cpus_of_worker(self._plan)
        if runtime.workers:
            return runtime.workers
        resources = self._cluster.resources()
        free = resources.get("CPU", 0.0) - cpus_of_learners(self._plan)
        if runtime.inference == "worker":
            return max(1, int(free // cpus))
        per = runtime.workers_per_inference_server
        if runtime.gpus_per_server:
            servers = int(resources.get("GPU", 0.0) / runtime.gpus_per_server + 1e-9)
            return max(1, min(int(free // cpus), per * servers))
        group = per * cpus + self._plan.evaluator.threads  # a server and all its workers
        groups, rest = divmod(free, group)
        return max(1, int(groups * per + max(0.0, rest - self._plan.evaluator.threads) // cpus))

    def _servers(self) -> int:
        return servers_for(self._plan, self._wanted())

    def _workers(self) -> int:
        wanted, servers = self._wanted(), self._servers()
        return min(wanted, -(-wanted // servers) * len(self.servers.ready())) if servers else wanted

    def _make_worker(self, name: str) -> Any:
        from orion_ai.distributed.workers import SelfPlayWorker

        asked = Counter(self._server_of.get(member) for member in self.workers.members)
        server = min(self.servers.ready(), key=lambda s: asked[s.name], default=None)
        self._server_of[name] = server.name if server else ""
        kind = self._cluster.ray.remote(SelfPlayWorker)
        options = {"num_cpus": cpus_of_worker(self._plan), "num_gpus": 0, "name": name}
        options["scheduling_strategy"] = self._beside(server) if server else "SPREAD"
        return kind.options(namespace=self._cluster.namespace, **options).remote(
            self._text, name, server.actor if server else None
        )

    def _beside(self, server: Member) -> Any:
        """The node of a server, whose door is open there; another one where that has no room."""
        affinity = self._cluster.ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        return affinity(server.node_id, soft=True, _spill_on_unavailable=True)

    def _make_server(self, name: str) -> Any:
        from orion_ai.distributed.servers import InferenceServer

        gpus = self._plan.runtime.gpus_per_server
        options = {"num_gpus": gpus, "num_cpus": 0 if gpus else self._plan.evaluator.threads, "name": name}
        kind = self._cluster.ray.remote(InferenceServer)
        return kind.options(
            namespace=self._cluster.namespace, max_restarts=-1, scheduling_strategy="SPREAD", **options
        ).remote(self._text)

    def _count_restart(self, server: Member, said: Mapping[str, Any]) -> None:
        """A server says who it is; perhaps Ray has started it again since it came."""
        check_greeting(self._greeting, said, f"{server.name} on node {said['node']}")
        if server.pid != int(said["pid"]):
            self._restarts += 1
            server.pid, server.node_id = int(said["pid"]), str(said["node_id"])

    def deaths(self) -> int:
        """How many workers and servers died, in all."""
        return self.workers.deaths + self.servers.deaths + self._restarts

    def server_figures(self) -> dict[str, float]:
        """Means over the batches since this was last asked; {} without servers."""
        if self._plan.runtime.inference == "worker":
            return {}
        ray, said = self._cluster.ray, []
        for server in self.servers.ready():
            try:
                self._count_restart(server, ray.get(server.actor.greet.remote(), timeout=FIGURES_SECONDS))
                said.append(ray.get(server.actor.figures.remote(), timeout=FIGURES_SECONDS))
            except (ray.exceptions.RayActorError, ray.exceptions.GetTimeoutError):
                continue  # it is away: the workers wait for it
        rows, batches = (sum(s[key] for s in said) for key in ("rows", "batches"))
        waited, busy = (sum(s[key] for s in said) for key in ("waited", "busy"))
        return {
            "runtime/batch_fill": rows / max(batches, 1) / self._plan.runtime.batch_limit,
            "runtime/queue_wait_ms": 1000 * waited / max(rows, 1),
            "runtime/batch_ms": 1000 * busy / max(batches, 1),
        }

    def close(self) -> None:
        """End every process."""
        for crew in (self.workers, self.servers):
            for member in list(crew.members.values()):
                crew.dismiss(member)
