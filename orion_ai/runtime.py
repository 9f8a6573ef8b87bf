"""Where the work of a run is done: in this process, or by Ray's actors on this machine or on a cluster."""

from __future__ import annotations

from dataclasses import dataclass

from engines.errors import UsageError, choose_from
from orion_ai.ranges import ABOVE_ZERO, ANY, check_ranges, refuse_idle

__all__ = ["RuntimeConfig"]

KINDS = ("local", "ray")
INFERENCE = ("worker", "server")


@dataclass(frozen=True)
class RuntimeConfig:
    """What plays the games. Everything but `kind` is for Ray; docs/distributed.md says how to choose.

    Attributes:
        kind: "local" (threads of this process; Ray is not imported) or "ray".
        address: of the cluster to join: "auto" (one that runs on this machine) or HOST:PORT; "" starts one here, which
            listens on the loopback interface alone and ends with the command.
        workers: processes that play; 0 = one for every CPU that the cluster has left, also those that come later.
        games_per_task: games that a worker is given, and hands back, together.
        tasks_ahead: tasks that wait at a worker beyond those that fill its lanes; bounds what is under way.
        in_flight_mb: what the answers to all tasks that are given out may take together, by the largest answer so far;
            beyond it a worker is given one task at a time. Of a match: the blocks that wait to be taken in.
        inference: who runs the network: each "worker", or a "server" that joins the batches of several workers.
        workers_per_inference_server: how many workers one server answers.
        gpus_per_server: GPUs of one server (1/2: two servers share one); 0 = it runs on a CPU.
        batch_limit: most rows that a server answers at once.
        wait_ms: how long a server waits for more rows before it answers fewer.
        object_store_mb: memory for objects in transit on the machine where a cluster is started.
        dashboard: serve Ray's dashboard (on the loopback interface) where a cluster is started.
        start_seconds: limit for joining a cluster, and for a server to come back; the first worker has five times as
            long, since it may have to compile the game.
        overlap: play the games of the next iteration while the learner learns, with weights that are one iteration old.
        learners: processes that share every batch of the learner; 1 = the command's own process learns.
        recycle: games after which a worker is replaced by a fresh process; 0 = never.
    """

    kind: str = "local"
    address: str = ""
    workers: int = 0
    games_per_task: int = 4
    tasks_ahead: int = 2
    in_flight_mb: float = 1024.0
    inference: str = "worker"
    workers_per_inference_server: int = 8
    gpus_per_server: float = 0.0
    batch_limit: int = 1024
    wait_ms: float = 2.0
    object_store_mb: int = 256
    dashboard: bool = False
    start_seconds: float = 60.0
    overlap: bool = False
    learners: int = 1
    recycle: int = 0

    def __post_init__(self) -> None:
        choose_from("runtime.kind", self.kind, KINDS)
        choose_from("runtime.inference", self.inference, INFERENCE)
        ranges = {
            **dict.fromkeys(("workers", "tasks_ahead", "wait_ms", "recycle"), (0, ANY)),
            **dict.fromkeys(("games_per_task", "workers_per_inference_server", "batch_limit", "learners"), (1, ANY)),
            "gpus_per_server": (0, 64),
            "object_store_mb": (80, ANY),  # Ray's own least is 75
            "in_flight_mb": (ABOVE_ZERO, ANY),
            "start_seconds": (ABOVE_ZERO, ANY),
        }
        check_ranges("runtime", self, ranges)
        if 1 < self.gpus_per_server != int(self.gpus_per_server):
            raise UsageError(f"runtime.gpus_per_server is {self.gpus_per_server}: expected a part of 1, or whole GPUs")
        names = [name for name in self.__dataclass_fields__ if name != "kind"]
        served = ("workers_per_inference_server", "gpus_per_server", "batch_limit", "wait_ms")
        acts_with = [
            ("kind", ("ray",), names),
            ("inference", ("server",), served),
            ("address", ("",), ("object_store_mb", "dashboard")),
        ]
        refuse_idle("runtime", self, acts_with)
