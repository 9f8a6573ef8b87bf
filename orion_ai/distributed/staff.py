"""Who works on a cluster: how many workers and servers there are, what each is given, and who asks whom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orion_ai.distributed.cluster import Cluster
from orion_ai.distributed.crew import COMPILING, Crew, late, refuse_unmade
from orion_ai.distributed.plan import Plan, check_greeting

__all__ = ["Staff"]

FIGURES_SECONDS = 5.0
"""How long a server may take to say how it is."""


class Staff:
    """The workers, and the servers that they ask, if any."""

    def __init__(self, cluster: Cluster, plan: Plan, greeting: Mapping[str, Any]) -> None:
        """Start the servers; the workers come by `workers.refresh()`.

        Raises:
            UsageError: more is asked for than the cluster has, or a server is of another Orion.
        """
        self._cluster, self._plan, self._text = cluster, plan, plan.as_text()
        self._cpus = max(1, plan.evaluator.threads) if plan.runtime.inference == "worker" else 1
        runtime = plan.runtime
        asked = runtime.workers or 1
        servers = self._servers_for(asked) if runtime.inference == "server" else 0
        server_cpus = 0 if runtime.gpus_per_server else plan.evaluator.threads * servers
        what = f"runtime.workers={runtime.workers}" if runtime.workers else "the smallest crew"
        what += f" with {servers} inference servers" if servers else ""
        what += f" and runtime.learners={runtime.learners}" if runtime.learners > 1 else ""
        cluster.check(asked * self._cpus + server_cpus + self._learners(), "CPU", f"{what}: needs")
        cluster.check(runtime.gpus_per_server * servers, "GPU", f"{what}: needs")
        self.servers: dict[str, Any] = {}
        self._server_pids: dict[str, int] = {}
        self._server_deaths = 0
        self.workers = Crew(cluster, "selfplay", self._make_worker, self._size, greeting)
        if runtime.inference == "server":
            self._greeting = greeting
            for number in range(self._servers_for(self._size())):
                self._make_server(f"inference-{number + 1}")
            for name, server in self.servers.items():
                self._hear(name, self._first_greeting(name, server))

    def _servers_for(self, workers: int) -> int:
        return -(-workers // self._plan.runtime.workers_per_inference_server)

    def _learners(self) -> int:
        """CPUs that learners of their own take."""
        learner, count = self._plan.learner, self._plan.runtime.learners
        return 0 if count == 1 or learner.device.startswith("cuda") else count * learner.threads

    def _size(self) -> int:
        """How many workers there shall be now."""
        runtime = self._plan.runtime
        if runtime.workers:
            return runtime.workers
        free = self._cluster.resources().get("CPU", 0.0) - self._learners()
        if runtime.inference == "server" and not runtime.gpus_per_server:
            per = runtime.workers_per_inference_server
            group = per * self._cpus + self._plan.evaluator.threads  # a server and all its workers
            groups, rest = divmod(free, group)
            return max(1, int(groups * per + max(0.0, rest - self._plan.evaluator.threads) // self._cpus))
        return max(1, int(free // self._cpus))

    def _make_worker(self, name: str) -> Any:
        from orion_ai.distributed.workers import SelfPlayWorker

        names = sorted(self.servers)
        server = names[int(name.rpartition("-")[2]) % len(names)] if names else ""
        kind = self._cluster.ray.remote(SelfPlayWorker)
        options = {"num_cpus": self._cpus, "num_gpus": 0, "scheduling_strategy": "SPREAD", "name": name}
        return kind.options(namespace=self._cluster.namespace, **options).remote(self._text, name, server)

    def _make_server(self, name: str) -> None:
        from orion_ai.distributed.servers import InferenceServer

        gpus = self._plan.runtime.gpus_per_server
        options = {"num_gpus": gpus, "num_cpus": 0 if gpus else self._plan.evaluator.threads, "name": name}
        kind = self._cluster.ray.remote(InferenceServer)
        self.servers[name] = kind.options(
            namespace=self._cluster.namespace, max_restarts=-1, scheduling_strategy="SPREAD", **options
        ).remote(self._text)

    def _first_greeting(self, name: str, server: Any) -> Mapping[str, Any]:
        errors, seconds = self._cluster.ray.exceptions, COMPILING * self._plan.runtime.start_seconds
        try:
            said: Mapping[str, Any] = self._cluster.ray.get(server.greet.remote(), timeout=seconds)
            return said
        except errors.GetTimeoutError:
            raise late(f"{name} was not ready", self._cluster) from None
        except errors.RayActorError as error:
            refuse_unmade(name, error)
            raise

    def _hear(self, name: str, said: Mapping[str, Any]) -> None:
        """A server says who it is: at first, and when it has been started again."""
        check_greeting(self._greeting, said, f"{name} on node {said['node']}")
        known = self._server_pids.setdefault(name, int(said["pid"]))
        self._server_deaths += known != said["pid"]
        self._server_pids[name] = int(said["pid"])

    def deaths(self) -> int:
        """How many workers and servers died, in all."""
        return self.workers.deaths + self._server_deaths

    def server_figures(self) -> dict[str, float]:
        """Means over the batches since this was last asked; {} without servers."""
        if not self.servers:
            return {}
        ray, said = self._cluster.ray, []
        for name, server in self.servers.items():
            try:
                self._hear(name, ray.get(server.greet.remote(), timeout=FIGURES_SECONDS))
                said.append(ray.get(server.figures.remote(), timeout=FIGURES_SECONDS))
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
        for member in list(self.workers.members.values()):
            self.workers.dismiss(member)
        for server in self.servers.values():
            self._cluster.ray.kill(server)
        self.servers.clear()
